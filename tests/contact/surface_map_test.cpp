// Surface points as functions of blocks: pulling a force back is the transpose of evaluating, so virtual work is the
// same on either side.
#include "pliant/contact/surface_map.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pliant/parallel/parallel.h"

namespace pliant {
namespace {

// Points of one, three and four blocks; weights may be slightly negative.
SurfaceMap make_map() {
  SurfaceMap map;
  map.points.push_back(MappedPoint::vertex(2));
  map.points.push_back({{0, 1, 4, -1}, {0.2, 0.5, 0.3, 0}, 3});
  map.points.push_back({{1, 3, 4, 5}, {0.7, -0.05, 0.25, 0.1}, 4});
  map.points.push_back({{5, 0, 2, 3}, {0.25, 0.25, 0.25, 0.25}, 4});
  return map;
}

BlockVector wave(int count, double phase) {
  BlockVector x(count);
  for (int i = 0; i < count; ++i) x[i] = Vec3(std::sin(i + phase), std::cos(2 * i + phase), std::sin(3 * i - phase));
  return x;
}

TEST(SurfaceMap, PullBackIsTheTransposeOfEvaluate) {
  const SurfaceMap map = make_map();
  const BlockVector motion = wave(6, 0.3);
  const std::vector<Vec3> moved = map.evaluate(motion);
  BlockVector forces(6);
  double work_at_surface = 0;
  for (std::size_t p = 0; p < map.points.size(); ++p) {
    const Vec3 force(1.0 + p, -2.0, 0.5 * p);
    map.points[p].pull_back(force, forces);
    work_at_surface += force.dot(moved[p]);
  }
  double work_at_blocks = 0;
  for (int b = 0; b < 6; ++b) work_at_blocks += Vec3(forces[b]).dot(Vec3(motion[b]));
  EXPECT_NEAR(work_at_blocks, work_at_surface, 1e-14 * std::abs(work_at_surface) + 1e-14);
}

TEST(SurfaceMap, WeightsThatSumToOneFollowRigidTranslations) {
  const SurfaceMap map = make_map();
  BlockVector x = wave(6, 1.0);
  const std::vector<Vec3> before = map.evaluate(x);
  const Vec3 shift(0.3, -1.5, 2);
  for (int b = 0; b < 6; ++b) x[b] += shift;
  const std::vector<Vec3> after = map.evaluate(x);
  for (std::size_t p = 0; p < before.size(); ++p) EXPECT_LT((after[p] - before[p] - shift).norm(), 1e-14);
}

TEST(SurfaceMap, AVertexIsItsBlockToTheBit) {
  const BlockVector x = wave(6, 0.7);
  EXPECT_EQ(MappedPoint::vertex(4).evaluate(x), Vec3(x[4]));
}

TEST(SurfaceMap, LongListsAreTheSameForAnyThreadCount) {
  SurfaceMap map;
  for (int i = 0; i < 10000; ++i) map.points.push_back(make_map().points[i % 4]);
  const BlockVector x = wave(6, 0.1);
  set_thread_count(1);
  const std::vector<Vec3> one = map.evaluate(x);
  set_thread_count(3);
  const std::vector<Vec3> three = map.evaluate(x);
  set_thread_count(0);
  EXPECT_TRUE(one == three);
}

}  // namespace
}  // namespace pliant
