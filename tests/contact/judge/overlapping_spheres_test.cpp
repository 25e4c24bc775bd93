// The sweep finds what a comparison of all pairs finds, whatever the radii, the axis and the order.
#include "pliant/contact/judge/overlapping_spheres.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace pliant::contact {
namespace {

TEST(OverlappingSpheres, AreThoseOfAllPairs) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  std::size_t found = 0;
  for (const Vec3& size : {Vec3(1, 1, 1), Vec3(0.1, 20, 0.1), Vec3(0, 0, 5), Vec3(3, 0.01, 3)}) {
    for (const double spread : {0.0, 1.0, 2.0}) {  // decades of radii
      std::vector<Vec3> centres;
      std::vector<double> radii;
      for (int i = 0; i < 400; ++i) {
        centres.push_back(size.cwiseProduct(Vec3(number(random), number(random), number(random))));
        radii.push_back(0.05 * std::pow(10.0, spread * number(random)));
      }
      std::vector<std::array<int, 2>> expected;
      for (int i = 0; i < 400; ++i) {
        for (int j = i + 1; j < 400; ++j) {
          if ((centres[i] - centres[j]).norm() < radii[i] + radii[j]) expected.push_back({i, j});
        }
      }
      EXPECT_EQ(overlapping_spheres(centres, radii), expected) << size.transpose();
      found += expected.size();
    }
  }
  EXPECT_GT(found, 10000U);
}

// Spheres that touch do not overlap; those in one place do; one alone and none at all have no pairs.
TEST(OverlappingSpheres, TouchingIsNotOverlapping) {
  const std::vector<double> radii = {0.5, 0.25, 0.25};
  const auto pairs = [&](const std::vector<Vec3>& centres) {
    return overlapping_spheres(centres, std::span(radii).first(centres.size()));
  };
  EXPECT_TRUE(pairs({}).empty());
  EXPECT_TRUE(pairs({Vec3::Zero()}).empty());
  EXPECT_TRUE(pairs({Vec3::Zero(), Vec3(0.75, 0, 0)}).empty());
  EXPECT_EQ(pairs({Vec3::Zero(), Vec3(std::nextafter(0.75, 0.0), 0, 0)}).size(), 1U);
  EXPECT_EQ(pairs({Vec3(0, 7, 0), Vec3::Zero(), Vec3::Zero()}), (std::vector<std::array<int, 2>>{{1, 2}}));
}

}  // namespace
}  // namespace pliant::contact
