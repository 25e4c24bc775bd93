// Manifolds in lanes: the same sweeps as pair by pair.
#include "pliant/solver/projection/manifold_lanes.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "pliant/math/rotation.h"
#include "pliant/solver/projection/contact_batch.h"

namespace pliant::solver {
namespace {

constexpr double kLaneFall = 1 / (0.016 * 0.016);  // 1/s², the weight of a step of 16 ms

// Six boxes on a floor, each pushed another way and with another number of points, and a seventh that leans on the first and,
// with two normals, on the second. The fourth is round.
struct Heap {
  contact::ProjectedPairs pairs;
  Movers<double> movers;
  BlockVector before{8};
  Controls controls;

  // plain: a term without weight keeps pairs out of the lanes.
  explicit Heap(bool plain) {
    movers.points.resize(8);
    pairs.block = {7};
    pairs.weight = {0};
    for (int b = 0; b < 7; ++b) {
      Turner& turner = movers.turners.emplace_back();
      turner.centre = b;
      turner.rotation = turner.before = math::rotation_from_vector(Vec3(0, 0.3 * b, 0));
      turner.inverse = turner.rotation * Vec3(12, 9, 15 + b).asDiagonal() * turner.rotation.transpose();
      before[b] = Vec3(b, 0.2, 0);
      movers.points[static_cast<std::size_t>(b)].w = 0.5 + 0.1 * b;
      movers.points[static_cast<std::size_t>(b)].move(before[b]);
      if (b < 6) add_points(b, -1, 2 + b % 3, Vec3::UnitY(), plain);
    }
    add_points(6, 0, 3, Vec3(-1, 2, 2) / 3, plain);
    add_points(6, 1, 4, Vec3(-2, 2, 1) / 3, plain);
    for (std::size_t i = pairs.pairs.size() - 2; i < pairs.pairs.size(); ++i) pairs.pairs[i].normal = Vec3(0, 0.6, 0.8);
    for (int b = 0; b < 7; ++b) {
      movers.points[static_cast<std::size_t>(b)].move(Vec3(0.002 * std::sin(b), -0.0025, 0.002 * std::cos(3 * b)));
      movers.turners[static_cast<std::size_t>(b)].turned = 1e-3 * Vec3(std::cos(b), std::sin(2 * b), 0.5);
    }
  }
  void add_points(int first, int second, int count, const Vec3& normal, bool plain) {
    for (int i = 0; i < count; ++i) {
      contact::ProjectedPair pair;
      pair.term_count = plain ? 1 : 0;
      pair.rigid = {first, second};
      pair.local[0] = Vec3(i % 2 == 0 ? 0.3 : -0.3, -0.2, i < 2 ? 0.4 : -0.4);
      if (first == 3) pair.round[0] = -0.1 * normal;
      pair.before = pair.round[0] + Vec3(before[first]) +
                    movers.turners[static_cast<std::size_t>(first)].rotation * pair.local[0];
      if (second >= 0) {
        pair.local[1] = Vec3(0.1 * i, 0.2, 0.1);
        pair.before -= Vec3(before[second]) + movers.turners[static_cast<std::size_t>(second)].rotation * pair.local[1];
      }
      pair.normal = normal;
      pair.offset = normal.dot(pair.before);
      pair.friction = 0.1 + 0.1 * i;
      pair.key = pairs.pairs.size();
      pairs.pairs.push_back(pair);
    }
    pairs.group_start.push_back(static_cast<int>(pairs.pairs.size()));
  }
};

void expect_same(const ContactBatch<double>& fast, const ContactBatch<double>& slow) {
  double pushed = 0, slipped = 0;
  for (std::size_t i = 0; i < slow.outcomes().size(); ++i) {
    const contact::ProjectedOutcome &a = fast.outcomes()[i], &b = slow.outcomes()[i];
    EXPECT_LT((a.force - b.force).norm(), 1e-9 * (1 + b.force.norm())) << i;
    EXPECT_LT((a.friction - b.friction).norm(), 1e-9 * (1 + b.force.norm())) << i;
    EXPECT_LT((a.slip - b.slip).norm(), 1e-12) << i;
    EXPECT_NEAR(a.gap, b.gap, 1e-12) << i;
    pushed += b.force.norm();
    slipped += b.slip.norm();
  }
  EXPECT_GT(pushed, 1);
  EXPECT_GT(slipped, 1e-3);
}

// Twice the same step, the second time with the forces of the first.
TEST(ManifoldLanes, SweepAsPairsOneByOne) {
  ContactBatch<double> fast(FrictionCone::cylinder), slow(FrictionCone::cylinder);
  ForceMemory memory;
  const auto run = [&](Heap& heap, ContactBatch<double>& batch) {
    batch.set_pairs(heap.pairs, &memory, 8);
    batch.begin({0.016, kLaneFall, heap.before, heap.controls}, heap.movers);
    for (int k = 0; k < 6; ++k) {
      batch.relax(1.1, heap.movers);
      refresh_rotations(heap.movers.turners);
      batch.follow(heap.movers);
    }
    batch.finish(heap.movers);
  };
  for (int step = 0; step < 2; ++step) {
    Heap lanes(false), plain(true);
    run(lanes, fast);
    run(plain, slow);
    expect_same(fast, slow);
    for (std::size_t b = 0; b < 7; ++b) {
      EXPECT_LT((lanes.movers.points[b].position() - plain.movers.points[b].position()).norm(), 1e-12) << b;
      EXPECT_LT((lanes.movers.turners[b].rotation - plain.movers.turners[b].rotation).norm(), 1e-12) << b;
    }
    memory = slow.memory();
  }
}

// Contacts of bodies that turned little are left as they are: with the gaps of linear turning.
TEST(ManifoldLanes, OnlyWhatTurnedIsSetUpAgain) {
  Heap all(false), some(false);
  ContactBatch<double> batch_of_all(FrictionCone::cylinder), batch_of_some(FrictionCone::cylinder);
  const auto run = [](Heap& heap, ContactBatch<double>& batch, double least) {
    batch.set_pairs(heap.pairs, nullptr, 8);
    for (Turner& turner : heap.movers.turners) turner.turned.setZero();
    batch.begin({0.016, kLaneFall, heap.before, heap.controls}, heap.movers);
    heap.movers.turners[2].turned = Vec3(0.1, 0, 0.2);
    heap.movers.turners[4].turned = Vec3(0, 5e-4, 0);
    EXPECT_TRUE(refresh_rotations(heap.movers.turners, least));
    batch.follow(heap.movers);
    batch.finish(heap.movers);
  };
  run(all, batch_of_all, 0);
  run(some, batch_of_some, 1e-3);
  EXPECT_EQ(some.movers.turners[4].turned, Vec3(0, 5e-4, 0));
  for (std::size_t i = 0; i < all.pairs.pairs.size(); ++i) {
    const bool has_turned_little = all.pairs.pairs[i].rigid[0] == 4;
    const double difference = (batch_of_some.outcomes()[i].slip - batch_of_all.outcomes()[i].slip).norm();
    EXPECT_LT(difference, has_turned_little ? 0.5 * 0.5 * 5e-4 * 5e-4 : 1e-15) << i;  // half the square times the arm
    EXPECT_NEAR(batch_of_some.outcomes()[i].gap, batch_of_all.outcomes()[i].gap, 1e-7) << i;
  }
}

// Lanes without a manifold and obstacles have no mobility: what is not listed does not move.
TEST(ManifoldLanes, MoveNothingElse) {
  Heap heap(false);
  heap.pairs.pairs.resize(2);
  heap.pairs.group_start = {0, 2};
  const Movers<double> start = heap.movers;
  ContactBatch<double> batch(FrictionCone::cylinder);
  batch.set_pairs(heap.pairs, nullptr, 8);
  batch.begin({0.016, kLaneFall, heap.before, heap.controls}, heap.movers);
  batch.relax(1, heap.movers);
  for (std::size_t b = 1; b < 8; ++b) EXPECT_EQ(heap.movers.points[b].position(), start.points[b].position());
  EXPECT_NE(heap.movers.points[0].position(), start.points[0].position());
}

}  // namespace
}  // namespace pliant::solver
