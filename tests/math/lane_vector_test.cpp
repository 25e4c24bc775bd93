// Vectors in lanes against Eigen's.
#include "pliant/math/lane_vector.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>
#include <vector>

#include "pliant/math/types.h"

namespace pliant::math {
namespace {

TEST(LaneVector, GathersAndComputesLikeSingleVectors) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> place(-1, 1);
  std::vector<Vec3> v(9);  // the last place has nothing behind it
  for (Vec3& p : v) p = Vec3(place(random), place(random), place(random));
  const int first[4] = {8, 0, 3, 3}, second[4] = {1, 8, 2, 7};
  const LaneVector a = gather(v.data()->data(), first[0], first[1], first[2], first[3]),
                   b = gather(v.data()->data(), second[0], second[1], second[2], second[3]);
  const LaneVector product = cross(a, b), sum = a + lanes_of(2) * b - a;
  const LaneVector chosen = select(LaneMask{-1, 0, 0, -1}, a, b);
  for (int l = 0; l < 4; ++l) {
    const Vec3 one = v[static_cast<std::size_t>(first[l])], other = v[static_cast<std::size_t>(second[l])];
    EXPECT_NEAR(dot(a, b)[l], one.dot(other), 1e-15);
    EXPECT_LT((Vec3(product.x[l], product.y[l], product.z[l]) - one.cross(other)).norm(), 1e-15);
    EXPECT_LT((Vec3(sum.x[l], sum.y[l], sum.z[l]) - 2 * other).norm(), 1e-15);
    EXPECT_EQ(Vec3(chosen.x[l], chosen.y[l], chosen.z[l]), l == 0 || l == 3 ? one : other);
  }
}

}  // namespace
}  // namespace pliant::math
