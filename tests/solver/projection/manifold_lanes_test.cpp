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

// Six boxes on a floor, each pushed another way and with another number of points, and a seventh that leans on the first.
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
      turner.rotation = math::rotation_from_vector(Vec3(0, 0.3 * b, 0));
      turner.inverse = turner.rotation * Vec3(12, 9, 15 + b).asDiagonal() * turner.rotation.transpose();
      before[b] = Vec3(b, 0.2, 0);
      movers.points[static_cast<std::size_t>(b)].w = 0.5 + 0.1 * b;
      movers.points[static_cast<std::size_t>(b)].move(before[b]);
      if (b < 6) add_points(b, -1, 2 + b % 3, Vec3::UnitY(), plain);
    }
    add_points(6, 0, 3, Vec3(-1, 2, 2) / 3, plain);
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
      pair.before = Vec3(before[first]) + movers.turners[static_cast<std::size_t>(first)].rotation * pair.local[0];
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

TEST(ManifoldLanes, SweepAsPairsOneByOne) {
  Heap lanes(false), plain(true);
  ContactBatch<double> fast(FrictionCone::cylinder), slow(FrictionCone::cylinder);
  const auto run = [](Heap& heap, ContactBatch<double>& batch) {
    batch.set_pairs(heap.pairs, nullptr, 8);
    batch.begin({0.016, kLaneFall, heap.before, heap.controls}, heap.movers);
    for (int k = 0; k < 6; ++k) {
      batch.relax(1.1, heap.movers);
      refresh_rotations(heap.movers.turners);
      batch.follow(heap.movers);
    }
    batch.finish(heap.movers);
  };
  run(lanes, fast);
  run(plain, slow);
  double moved = 0;
  for (std::size_t i = 0; i < lanes.pairs.pairs.size(); ++i) {
    EXPECT_LT((fast.force(i) - slow.force(i)).norm(), 1e-9 * (1 + slow.force(i).norm())) << i;
    moved += slow.force(i).norm();
  }
  EXPECT_GT(moved, 1);
  for (std::size_t b = 0; b < 7; ++b) {
    EXPECT_LT((lanes.movers.points[b].position() - plain.movers.points[b].position()).norm(), 1e-12) << b;
    EXPECT_LT((lanes.movers.turners[b].rotation - plain.movers.turners[b].rotation).norm(), 1e-12) << b;
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
