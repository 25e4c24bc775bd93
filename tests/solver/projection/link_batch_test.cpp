#include "pliant/solver/projection/link_batch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "pliant/parallel/parallel.h"
#include "pliant/solver/projection/lane_batch.h"

namespace pliant::solver {
namespace {

constexpr double kStep = 0.01;  // s
constexpr int kSide = 9;        // points per side: colours whose last group is not full

// A sheet of links with diagonals, shaken; one corner held.
struct LinkSheet {
  std::vector<SoftLink> links;
  Movers<double> movers;
  BlockVector before;
  Controls controls;

  explicit LinkSheet(bool is_rate, int side = kSide) {
    unsigned state = 7;
    const auto noise = [&] {
      state = state * 1664525U + 1013904223U;
      return 0.04 * (state / 4294967296.0 - 0.5);
    };
    before.resize(side * side);
    movers.points.resize(side * side);
    for (int i = 0; i < side * side; ++i) {
      before[i] = Vec3(0.1 * (i % side) + noise(), noise(), 0.1 * (i / side) + noise());
      for (int a = 0; a < 3; ++a) movers.points[i].x[a] = before[i][a] + noise();
      movers.points[i].w = 100 + 1000 * noise();
    }
    movers.points[0].w = 0;
    for (int i = 0; i < side; ++i) {
      for (int j = 0; j < side; ++j) {
        const int here = i * side + j;
        if (j + 1 < side) links.push_back({{here, here + 1}, 0.1, 200, is_rate});
        if (i + 1 < side) links.push_back({{here, here + side}, 0.1, 5, is_rate});
        if (i + 1 < side && j + 1 < side) links.push_back({{here + side + 1, here}, 0.1414, 1e6, is_rate});
      }
    }
  }
  [[nodiscard]] ProjectionStep step() const { return {kStep, 1 / (kStep * kStep), before, controls}; }
  template <class Real>
  [[nodiscard]] Movers<Real> points() const {
    Movers<Real> out;
    for (const Mover<double>& point : movers.points) {
      Mover<Real> copy;
      for (int a = 0; a < 3; ++a) copy.x[a] = static_cast<Real>(point.x[a]);
      copy.w = static_cast<Real>(point.w);
      out.points.push_back(copy);
    }
    return out;
  }
};

template <class First, class Second>
double farthest(const Movers<First>& a, const Movers<Second>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.points.size(); ++i)
    worst = std::max(worst, (a.points[i].position() - b.points[i].position()).norm());
  return worst;
}

// Ten sweeps of a batch.
template <class Chosen, class Real>
Movers<Real> relaxed(const LinkSheet& sheet, bool is_rate, double omega) {
  Chosen batch(sheet.links, sheet.before.size(), is_rate);
  Movers<Real> movers = sheet.points<Real>();
  batch.begin(sheet.step(), movers);
  for (int k = 0; k < 10; ++k) batch.relax(omega, movers);
  return movers;
}

TEST(LinkBatch, SweepsAsTheGeneralBatchDoes) {
  for (const bool is_rate : {false, true}) {
    const LinkSheet sheet(is_rate);
    const auto general = relaxed<LaneBatch<LinkKernel, double>, double>(sheet, is_rate, 1.1);
    EXPECT_GT(farthest(general, sheet.movers), 0.01);
    EXPECT_LT(farthest(general, relaxed<LinkBatch<double>, double>(sheet, is_rate, 1.1)), 1e-13);
    // Ten sweeps in single precision, another order (colours in groups of eight are the same): rounding only.
    EXPECT_LT(farthest(general, relaxed<LinkBatch<float>, float>(sheet, is_rate, 1.1)), 1e-6);
  }
}

TEST(LinkBatch, InverseRoots) {
  for (double x = 1e-36; x < 1e36; x *= 1.37) {
    const auto y = static_cast<float>(x);
    const math::FloatLanes eight = inverse_sqrt(math::FloatLanes{y, 2 * y, 3 * y, 5 * y, y, y, y, 7 * y});
    EXPECT_NEAR(eight[0], 1 / std::sqrt(y), 4e-7F / std::sqrt(y)) << y;
    EXPECT_NEAR(eight[7], 1 / std::sqrt(7 * y), 4e-7F / std::sqrt(7 * y)) << y;
  }
}

// Links (i, j) and (i + 1, j + 1) of one colour are loaded together, on one side or both, and come out as without partners.
TEST(LinkBatch, NeighboursAreSweptAsOthers) {
  for (const auto& [first, second] : {std::pair(1, 1), {1, 3}, {3, 1}, {3, 3}}) {
    LinkSheet sheet(false);
    sheet.links.clear();
    // Three whole groups and a half, without common points: one colour.
    for (int k = 0; k < 26; ++k) sheet.links.push_back({{first * k % 26, 26 + (second * k + 5) % 26}, 0.1, 500.0 + k});
    const auto general = relaxed<LaneBatch<LinkKernel, double>, double>(sheet, false, 1);
    EXPECT_GT(farthest(general, sheet.movers), 0.01);
    EXPECT_LT(farthest(general, relaxed<LinkBatch<double>, double>(sheet, false, 1)), 1e-13);
    EXPECT_LT(farthest(general, relaxed<LinkBatch<float>, float>(sheet, false, 1)), 1e-6) << first << second;
  }
}

// What is held may change from step to step, and with it what links do.
TEST(LinkBatch, FollowsWhoIsHeld) {
  const LinkSheet sheet(false);
  Movers<double> free = sheet.points<double>(), held = free, anew = free;
  held.points[40].w = anew.points[40].w = 0;
  LinkBatch<double> batch(sheet.links, sheet.before.size(), false), fresh(sheet.links, sheet.before.size(), false);
  batch.begin(sheet.step(), free);
  batch.relax(1, free);
  batch.begin(sheet.step(), held);
  batch.relax(1, held);
  fresh.begin(sheet.step(), anew);
  fresh.relax(1, anew);
  EXPECT_GT(farthest(free, held), 1e-3);
  EXPECT_EQ(farthest(anew, held), 0);
}

TEST(LinkBatch, OneLinkIsSolvedExactly) {
  // m₁ = 1/2 kg on a held point, k = 500 N/m: implicit Euler's place, and no other after more sweeps.
  const std::vector<SoftLink> links{{{0, 1}, 1.0, 500, false}};
  BlockVector before;
  before.resize(2);
  const Controls controls;
  LinkBatch<double> batch(links, 2, false);
  Movers<double> movers;
  movers.points.resize(2);
  movers.points[1].x[1] = -1.3;
  movers.points[1].w = 2;
  const double stretch = 0.3 / (1 + 500 * 2 * kStep * kStep);  // (m/h² + k) s = m/h² 0.3
  batch.begin({kStep, 1 / (kStep * kStep), before, controls}, movers);
  for (int k = 0; k < 3; ++k) {
    batch.relax(1, movers);
    EXPECT_NEAR(movers.points[1].x[1], -1 - stretch, 1e-14);
    EXPECT_EQ(movers.points[0].x[1], 0);
  }
}

TEST(LinkBatch, EndsThatCoincideArePushedApart) {
  const std::vector<SoftLink> links{{{0, 1}, 0.1, 1e6, false}};
  BlockVector before;
  before.resize(2);
  const Controls controls;
  LinkBatch<float> batch(links, 2, false);
  Movers<float> movers;
  movers.points.resize(2);
  for (auto& point : movers.points) point.w = 1;
  batch.begin({kStep, 1 / (kStep * kStep), before, controls}, movers);
  batch.relax(1, movers);
  EXPECT_NEAR(movers.points[1].x[0] - movers.points[0].x[0], 0.1, 2e-3);
}

// r, D⁻¹, Jᵀ and J agree with the general batch: it orders rows the same way in double.
TEST(LinkBatch, RowsAgreeWithTheGeneralBatch) {
  const LinkSheet sheet(false);
  LinkBatch<double> batch(sheet.links, kSide * kSide, false);
  LaneBatch<LinkKernel, double> general(sheet.links, kSide * kSide, false);
  Movers<double> movers = sheet.points<double>();
  ASSERT_EQ(batch.row_count(), general.row_count());
  const auto rows = static_cast<std::size_t>(batch.row_count());
  const auto impulses = [] { return Impulses{std::vector<Vec3>(kSide * kSide, Vec3::Zero()), {}, {}}; };
  std::vector<double> r[2], z[2], p[2];
  Impulses f[2] = {impulses(), impulses()};
  int k = 0;
  for (Batch<double>* one : {static_cast<Batch<double>*>(&batch), static_cast<Batch<double>*>(&general)}) {
    for (auto* v : {&r[k], &z[k], &p[k]}) v->assign(rows, -1);
    one->begin(sheet.step(), movers);
    one->linearise(movers, r[k]);
    one->precondition(r[k], z[k]);
    one->accept(z[k]);
    one->linearise(movers, r[k]);
    one->pull_back(z[k], f[k]);
    one->multiply(f[k], z[k], p[k]);
    ++k;
  }
  for (std::size_t i = 0; i < rows; ++i) {
    EXPECT_NEAR(r[0][i], r[1][i], 1e-12 * (1 + std::abs(r[1][i])));
    EXPECT_NEAR(p[0][i], p[1][i], 1e-12 * (1 + std::abs(p[1][i])));
  }
  Vec3 total = Vec3::Zero();
  for (std::size_t i = 0; i < f[0].force.size(); ++i) {
    EXPECT_LT((f[0].force[i] - f[1].force[i]).norm(), 1e-14);
    total += f[0].force[i];
  }
  EXPECT_LT(total.norm(), 1e-15);
}

TEST(LinkBatch, SameBitsForAnyNumberOfThreads) {
  const LinkSheet sheet(false, 101);  // colours of several pieces
  const auto alone = relaxed<LinkBatch<float>, float>(sheet, false, 1);
  for (const int threads : {2, 3, 8}) {
    set_thread_count(threads);
    const auto together = relaxed<LinkBatch<float>, float>(sheet, false, 1);
    EXPECT_EQ(0, std::memcmp(alone.points.data(), together.points.data(), sizeof(Mover<float>) * alone.points.size()));
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace pliant::solver
