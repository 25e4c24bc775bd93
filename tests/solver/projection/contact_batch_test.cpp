// Contact and friction inside the iteration: on slopes and in slides against Coulomb's law, whatever the number of iterations.
#include "pliant/solver/projection/contact_batch.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "pliant/contact/contact_geometry.h"
#include "pliant/math/rotation.h"
#include "tests/support/dense_algebra.h"

namespace pliant::solver {
namespace {

using contact::ProjectedPair;
using contact::ProjectedPairs;

constexpr double kContactStep = 0.016, kContactWeight = 1 / (kContactStep * kContactStep), kGravity = 9.8;

// A particle of 1 kg on a plane through the origin.
struct Slider {
  FrictionCone cone = FrictionCone::cylinder;
  double friction = 0.5;
  int iterations = 15;
  Vec3 normal = Vec3::UnitY();
  Vec3 x = Vec3::Zero(), v = Vec3::Zero();
  bool is_warm = false;
  ForceMemory memory = {};
  double gap = 0;

  void step() {
    ProjectedPairs pairs;
    ProjectedPair pair;
    pair.term_count = 1;
    pairs.block = {0};
    pairs.weight = {1};
    pair.normal = normal;
    pair.before = x;
    pair.friction = friction;
    pair.key = 7;
    pairs.pairs = {pair};
    pairs.group_start = {0, 1};
    Movers<double> movers;
    movers.points.resize(1);
    movers.points[0].w = 1;
    movers.points[0].move(x + kContactStep * v + kContactStep * kContactStep * Vec3(0, -kGravity, 0));
    BlockVector before(1);
    before[0] = x;
    ContactBatch<double> batch(cone);
    batch.set_pairs(pairs, is_warm ? &memory : nullptr, 1);
    batch.begin({kContactStep, kContactWeight, before, Controls{}}, movers);
    for (int k = 0; k < iterations; ++k) batch.relax(1, movers);
    batch.finish(movers);
    memory = batch.memory();
    gap = batch.outcomes()[0].gap;
    v = (movers.points[0].position() - x) / kContactStep;
    x = movers.points[0].position();
  }
};

constexpr FrictionCone kCones[] = {FrictionCone::cylinder, FrictionCone::cone, FrictionCone::box};

// 20 degrees: μ = 0.5 sticks, μ = 0.2 slides with g (sin − μ cos), the same for every number of iterations.
TEST(ContactBatch, OnASlope) {
  const double angle = 20 * std::numbers::pi / 180;
  for (const FrictionCone cone : kCones) {
    for (const int iterations : {15, 16, 40}) {
      Slider held{cone, 0.5, iterations}, sliding{cone, 0.2, iterations};
      // Down along z: the box's tangents lie across and along.
      held.normal = sliding.normal = Vec3(0, std::cos(angle), std::sin(angle));
      for (int k = 0; k < 60; ++k) held.step(), sliding.step();
      EXPECT_LT(held.v.norm(), cone == FrictionCone::cone ? 1e-6 : 1e-13) << static_cast<int>(cone) << iterations;
      EXPECT_LT(held.x.norm(), cone == FrictionCone::cone ? 1e-6 : 1e-13);
      EXPECT_NEAR(sliding.v.norm(), 1.4496, 5e-5) << static_cast<int>(cone) << iterations;
      EXPECT_NEAR(sliding.gap, 0, 1e-6);
    }
  }
}

// 5 m/s with μ = 0.5 loses μ g h in a step; a cone without its shift would lift the particle by 31.5 mm (errata R9).
TEST(ContactBatch, ASlideDoesNotLift) {
  for (const FrictionCone cone : kCones) {
    Slider slider{cone};
    slider.iterations = 40;
    slider.v = 5 * contact::tangents_of(slider.normal)[0];
    slider.step();
    EXPECT_NEAR(slider.v.norm(), 4.9216, 1e-6) << static_cast<int>(cone);
    EXPECT_NEAR(slider.gap, 0, 1e-9) << static_cast<int>(cone);
  }
}

// Stopping distances v²/(2 μ g) for headings all around. The box stops diagonal slides √2 times as hard.
TEST(ContactBatch, FrictionIsIsotropicButForTheBox) {
  const auto tangents = contact::tangents_of(Vec3::UnitY());
  for (const FrictionCone cone : kCones) {
    double shortest = 1e9, longest = 0;
    for (int heading = 0; heading < 8; ++heading) {
      Slider slider{cone};
      slider.iterations = 30;
      const double a = heading * std::numbers::pi / 8;
      slider.v = 2 * (std::cos(a) * tangents[0] + std::sin(a) * tangents[1]);
      for (int k = 0; k < 40; ++k) slider.step();
      EXPECT_LT(slider.v.norm(), 1e-6);
      shortest = std::min(shortest, slider.x.norm());
      longest = std::max(longest, slider.x.norm());
    }
    // Implicit steps fall short of the parabola by half a step's way.
    EXPECT_NEAR(longest, 4 / (2 * 0.5 * kGravity) - 0.5 * kContactStep * 2, 2e-3);
    if (cone == FrictionCone::box) {
      EXPECT_NEAR(shortest, longest / std::numbers::sqrt2, 0.02);
    } else {
      EXPECT_NEAR(shortest, longest, 1e-5);
    }
  }
}

// Five particles above each other: what the last step found is the answer of the next one.
TEST(ContactBatch, AWarmStartIsTheAnswerAtOnce) {
  constexpr int kCount = 5;
  ProjectedPairs pairs;
  for (int i = 0; i < kCount; ++i) {
    ProjectedPair pair;
    pair.first_term = static_cast<int>(pairs.block.size());
    pair.term_count = i == 0 ? 1 : 2;
    pairs.block.push_back(i);
    pairs.weight.push_back(1);
    if (i > 0) pairs.block.push_back(i - 1), pairs.weight.push_back(-1);
    pair.offset = pair.before[1] = 1;
    pair.key = static_cast<std::uint64_t>(10 - i);
    pair.friction = 0.3;
    pairs.pairs.push_back(pair);
    pairs.group_start.push_back(i + 1);
  }
  BlockVector before(kCount);
  Movers<double> falling;
  for (int i = 0; i < kCount; ++i) {
    before[i] = Vec3(0, i + 1.0, 0);
    Mover<double>& point = falling.points.emplace_back();
    point.w = 1;
    point.move(before[i] - kGravity / kContactWeight * Vec3::UnitY());
  }
  const ProjectionStep step{kContactStep, kContactWeight, before, Controls{}};
  ContactBatch<double> cold(FrictionCone::cylinder), warm(FrictionCone::cylinder);
  cold.set_pairs(pairs, nullptr, kCount);
  Movers<double> movers = falling;
  cold.begin(step, movers);
  for (int k = 0; k < 1000; ++k) cold.relax(1, movers);
  cold.finish(movers);
  for (int i = 0; i < kCount; ++i)
    EXPECT_NEAR(cold.outcomes()[static_cast<std::size_t>(i)].force.y(), (kCount - i) * kGravity, 1e-8);
  const ForceMemory memory = cold.memory();
  EXPECT_TRUE(std::is_sorted(memory.keys.begin(), memory.keys.end()));
  warm.set_pairs(pairs, &memory, kCount);
  movers = falling;
  warm.begin(step, movers);
  warm.finish(movers);
  for (int i = 0; i < kCount; ++i) {
    EXPECT_LT((movers.points[static_cast<std::size_t>(i)].position() - Vec3(before[i])).norm(), 1e-12);
    EXPECT_NEAR(warm.outcomes()[static_cast<std::size_t>(i)].gap, 0, 1e-12);
  }
  // Blocks that soft elements hold on to begin without forces, as those do: here the upper half.
  std::vector<unsigned char> is_soft(kCount, 0);
  std::fill(is_soft.begin() + kCount / 2, is_soft.end(), 1);
  warm.set_soft(is_soft);
  warm.set_pairs(pairs, &memory, kCount);
  movers = falling;
  warm.begin(step, movers);
  warm.finish(movers);
  for (int i = 0; i < kCount; ++i) {
    const double force = warm.outcomes()[static_cast<std::size_t>(i)].force.y();
    EXPECT_NEAR(force, i < kCount / 2 ? (kCount - i) * kGravity : 0, 1e-8) << i;
  }
}

// A point meets a triangle at a corner, and then in its face: what the corner bore is borne by the face, and nothing of it stays behind.
TEST(ContactBatch, WhatIsReplacedLeavesNothingBehind) {
  ProjectedPairs pairs;
  ProjectedPair corner;
  corner.term_count = 2;
  pairs.block = {0, 1};
  pairs.weight = {1, -1};
  corner.normal = Vec3::UnitY();
  corner.before = Vec3(0, 0.01, 0);
  corner.friction = 0.5;
  corner.key = 7;
  pairs.pairs = {corner};
  pairs.group_start = {0, 1};
  const std::vector<Vec3> start = {{0.001, -0.02, 0}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
  Movers<double> movers;
  movers.points.resize(4);
  for (std::size_t i = 0; i < 4; ++i) {
    movers.points[i].w = 1 / (1.0 + static_cast<double>(i));
    movers.points[i].put(start[i]);
  }
  const BlockVector before(4);
  ContactBatch<double> batch(FrictionCone::cylinder);
  batch.set_pairs(pairs, nullptr, 4);
  batch.begin({kContactStep, kContactWeight, before, Controls{}}, movers);
  batch.relax(1, movers);
  EXPECT_GT((movers.points[0].position() - start[0]).norm(), 1e-3);

  ProjectedPair face = corner;
  face.first_term = 2;
  face.term_count = 4;
  face.normal = Vec3(0.1, 1, 0.1).normalized();
  pairs.block.insert(pairs.block.end(), {0, 1, 2, 3});
  pairs.weight.insert(pairs.weight.end(), {1, -0.5, -0.25, -0.25});
  pairs.pairs.push_back(face);
  pairs.group_start.push_back(2);
  const contact::MetPair met{1, 0};
  batch.take_up({&met, 1}, movers);
  for (int sweep = 0; sweep < 3; ++sweep) {
    batch.finish(movers);
    EXPECT_EQ(batch.outcomes()[0].force, Vec3::Zero());
    const Vec3 impulse = batch.outcomes()[1].force / kContactWeight;
    EXPECT_GT(impulse.norm(), 1e-3);
    for (int t = 2; t < 6; ++t) {
      const Mover<double>& point = movers.points[pairs.block[t]];
      const Vec3 expected = start[pairs.block[t]] + point.w * pairs.weight[t] * impulse;
      EXPECT_LT((point.position() - expected).norm(), 1e-16 + 1e-14 * expected.norm()) << sweep << t;
    }
    batch.relax(1, movers);
  }
}

// What pulls is let go, what is apart gets nothing, however much it is pushed about in between.
TEST(ContactBatch, NeverPulls) {
  for (const FrictionCone cone : kCones) {
    Slider smooth{cone, 0};
    smooth.v = Vec3(0, 1, 0);
    smooth.step();
    EXPECT_NEAR(smooth.v.y(), 1 - kGravity * kContactStep, 1e-12) << static_cast<int>(cone);
    Slider slider{cone};
    slider.is_warm = true;
    slider.step();
    slider.v = Vec3(0.3, 1, 0);
    slider.step();
    EXPECT_NEAR(slider.v.y(), 1 - kGravity * kContactStep, 1e-9);
    EXPECT_NEAR(slider.v.x(), 0.3, 1e-9) << static_cast<int>(cone);
    EXPECT_TRUE(slider.memory.keys.empty());
  }
}

// --- Rigid bodies ---

// A box of 2 kg on a plane, sides 0.6, 0.4, 0.8; corners at the bottom, one group.
struct Box {
  ProjectedPairs pairs;
  Movers<double> movers;
  BlockVector before{4};
  Controls controls;

  explicit Box(const Vec3& pushed = Vec3::Zero()) {
    const Vec3 half(0.3, 0.2, 0.4);
    for (int i = 0; i < 4; ++i) {
      ProjectedPair pair;
      pair.rigid[0] = 0;
      pair.local[0] = Vec3((i & 1) != 0 ? half.x() : -half.x(), -half.y(), (i & 2) != 0 ? half.z() : -half.z());
      pair.before = half.y() * Vec3::UnitY() + pair.local[0];
      pair.friction = 0.4;
      pair.key = static_cast<std::uint64_t>(i);
      pairs.pairs.push_back(pair);
    }
    pairs.group_start = {0, 4};
    before[0] = Vec3(0, half.y(), 0);
    movers.points.resize(4);
    movers.points[0].w = 0.5;
    movers.points[0].move(Vec3(before[0]) + 1 / kContactWeight * (Vec3(0, -kGravity, 0) + pushed));
    Turner& turner = movers.turners.emplace_back();
    const Vec3 s = 4 * half.cwiseProduct(half);
    turner.inverse = (2.0 / 12 * Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y())).cwiseInverse().asDiagonal();
  }
  [[nodiscard]] ProjectionStep step() const { return {kContactStep, kContactWeight, before, controls}; }
  void relax(ContactBatch<double>& batch, int sweeps) {
    for (int k = 0; k < sweeps; ++k) {
      batch.relax(1, movers);
      refresh_rotations(movers.turners);
      batch.follow(movers);
    }
    batch.finish(movers);
  }
};

TEST(ContactBatch, ABoxRestsOnFourCorners) {
  Box box;
  ContactBatch<double> batch(FrictionCone::cylinder);
  batch.set_pairs(box.pairs, nullptr, 4);
  batch.begin(box.step(), box.movers);
  box.relax(batch, 2000);
  Vec3 force = Vec3::Zero();
  for (std::size_t i = 0; i < 4; ++i) {
    force += batch.outcomes()[i].force;
    EXPECT_NEAR(batch.outcomes()[i].force.y(), 2 * kGravity / 4, 0.02 * kGravity) << i;
    EXPECT_NEAR(batch.outcomes()[i].gap, 0, 1e-12);
  }
  EXPECT_LT((force - 2 * kGravity * Vec3::UnitY()).norm(), 1e-9);
  EXPECT_LT((box.movers.points[0].position() - Vec3(box.before[0])).norm(), 1e-12);
  EXPECT_LT((box.movers.turners[0].rotation - Mat3::Identity()).norm(), 1e-11);
}

// Pushed by 0.3 g it stays, by 0.6 g it slides with 0.2 g.
TEST(ContactBatch, ABoxSticksAndSlides) {
  for (const auto& [push, cone] : {std::pair(0.3, FrictionCone::cylinder),
                                   {0.6, FrictionCone::cylinder},
                                   {0.3, FrictionCone::cone},
                                   {0.6, FrictionCone::cone}}) {
    Box box(Vec3(push * kGravity, 0, 0));
    ContactBatch<double> batch(cone);
    batch.set_pairs(box.pairs, nullptr, 4);
    batch.begin(box.step(), box.movers);
    box.relax(batch, 5000);
    const double way = push > 0.4 ? (push - 0.4) * kGravity / kContactWeight : 0;
    EXPECT_NEAR(box.movers.points[0].x[0], way, 1e-8) << push << " " << static_cast<int>(cone);
    // How four corners share the weight is not determined; shares that differ turn the box a little as it slides.
    Vec3 friction = Vec3::Zero(), slip = Vec3::Zero();
    for (std::size_t i = 0; i < 4; ++i) {
      friction += batch.outcomes()[i].friction;
      EXPECT_LE(batch.outcomes()[i].friction.norm(), 0.4 * batch.outcomes()[i].force.y() * (1 + 1e-12));
      slip += 0.25 * batch.outcomes()[i].slip;
    }
    EXPECT_NEAR(slip.x(), way, 1e-8);
    EXPECT_NEAR(slip.z(), 0, 1e-8);
    EXPECT_NEAR(friction.x(), -2 * kGravity * std::min(push, 0.4), 1e-6);
  }
}

// A d = J W Jᵀ d, with J from differences of the residuals, by points and by turning.
TEST(ContactBatch, ProductsAreThoseOfTheDenseMatrix) {
  Box box;
  ProjectedPair mixed;  // a corner of the box on two points
  mixed.rigid[1] = 0;
  mixed.local[1] = Vec3(0.3, 0.2, -0.1);
  mixed.first_term = 0;
  mixed.term_count = 2;
  mixed.normal = Vec3(1, 2, 2) / 3;
  box.pairs.block = {4, 5};
  box.pairs.weight = {0.3, 0.7};
  box.pairs.pairs.push_back(mixed);
  box.pairs.group_start = {0, 4, 5};
  box.movers.points.resize(6);
  box.movers.points[4].w = 1.5, box.movers.points[5].w = 0.8;
  box.movers.turners[0].rotation = math::rotation_from_vector(Vec3(0.2, -0.4, 0.3));
  box.before.resize(6);
  for (auto& point : box.movers.points) point.move(Vec3(0, -0.1, 0.02));
  ContactBatch<double> batch(FrictionCone::cylinder);
  batch.set_pairs(box.pairs, nullptr, 6);
  batch.begin(box.step(), box.movers);
  // Corners of the box are in one lane of four, the others are empty; the single pair comes last.
  constexpr int kRows = 51, kBlocks = 6, kColumns = 3 * kBlocks + 3;
  ASSERT_EQ(batch.row_count(), kRows);
  const auto rows_of = [](int i) {
    return i < 4 ? std::array<int, 3>{12 * i, 12 * i + 4, 12 * i + 8} : std::array<int, 3>{48, 49, 50};
  };
  Eigen::MatrixXd j(kRows, kColumns), w = Eigen::MatrixXd::Zero(kColumns, kColumns);
  for (int c = 0; c < kColumns; ++c) {
    Eigen::VectorXd sides[2];
    for (int s = 0; s < 2; ++s) {
      Movers<double> moved = box.movers;
      const double shift = s == 0 ? 1e-3 : -1e-3;
      if (c < 3 * kBlocks) moved.points[static_cast<std::size_t>(c / 3)].x[c % 3] += shift;
      if (c >= 3 * kBlocks) moved.turners[0].turned[c - 3 * kBlocks] += shift;
      sides[s].resize(kRows);
      batch.linearise(moved, {sides[s].data(), kRows});
    }
    j.col(c) = (sides[0] - sides[1]) / 2e-3;
    if (c < 3 * kBlocks) w(c, c) = box.movers.points[static_cast<std::size_t>(c / 3)].w;
  }
  w.bottomRightCorner<3, 3>() = box.movers.turners[0].inverse;
  const Eigen::MatrixXd expected = j * w * j.transpose();
  Eigen::MatrixXd product(kRows, kRows);
  for (int i = 0; i < kRows; ++i) {
    Impulses y;
    y.force.assign(kBlocks, Vec3::Zero());
    y.torque.assign(1, Vec3::Zero());
    y.centre = {0};
    const Eigen::VectorXd d = Eigen::VectorXd::Unit(kRows, i);
    batch.pull_back({d.data(), kRows}, y);
    for (std::size_t b = 0; b < kBlocks; ++b) y.force[b] *= box.movers.points[b].w;
    y.torque[0] = box.movers.turners[0].inverse * y.torque[0];
    batch.multiply(y, {d.data(), kRows}, {product.col(i).data(), kRows});
  }
  EXPECT_LT((product - expected).norm(), 1e-10 * expected.norm());
  // D⁻¹ inverts normals, and is one number for both tangents: not less than the matrix asks for.
  Eigen::VectorXd r = Eigen::VectorXd::LinSpaced(kRows, 1, 2), z(kRows), here(kRows);
  batch.linearise(box.movers, {here.data(), kRows});
  batch.precondition({r.data(), kRows}, {z.data(), kRows});
  int idle = 0;
  for (int i = 0; i < 5; ++i) {
    const auto [n, t1, t2] = rows_of(i);
    if (here[n] >= 0) {
      EXPECT_TRUE(Vec3(z[n], z[t1], z[t2]).isZero(0));
      ++idle;
      continue;
    }
    EXPECT_NEAR(expected(n, n) * z[n], r[n], 1e-9);
    Eigen::Matrix2d tangents;
    tangents << expected(t1, t1), expected(t1, t2), expected(t2, t1), expected(t2, t2);
    const double largest = test::eigenvalues(tangents)[1];
    for (const int t : {t1, t2}) EXPECT_NEAR(largest * z[t], r[t], 1e-9);
  }
  EXPECT_LT(idle, 5);
}

}  // namespace
}  // namespace pliant::solver
