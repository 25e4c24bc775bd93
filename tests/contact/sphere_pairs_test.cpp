#include "pliant/contact/sphere_pairs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "pliant/parallel/parallel.h"

namespace pliant::contact {
namespace {

using PairList = std::vector<std::pair<int, int>>;

struct Spheres {
  std::vector<Vec3> centres;
  std::vector<double> radii;
};

Spheres random_spheres(int count, const Vec3& size, double spread, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  Spheres spheres;
  for (int i = 0; i < count; ++i) {
    spheres.centres.emplace_back(size[0] * unit(random), size[1] * unit(random), size[2] * unit(random));
    spheres.radii.push_back(0.02 * (1 + spread * (2 * unit(random) - 1)));
  }
  return spheres;
}

PairList all_near(const Spheres& s, double reach) {
  PairList pairs;
  for (int i = 0; i < static_cast<int>(s.centres.size()); ++i) {
    for (int j = i + 1; j < static_cast<int>(s.centres.size()); ++j) {
      if ((s.centres[i] - s.centres[j]).norm() - s.radii[i] - s.radii[j] < reach) pairs.emplace_back(i, j);
    }
  }
  return pairs;
}

PairList found_by(SpherePairs& search, const Spheres& s, double reach) {
  search.find(s.centres, s.radii, reach);
  return {search.pairs().begin(), search.pairs().end()};
}

TEST(SpherePairs, AreThoseOfBruteForceInOrder) {
  SpherePairs search;
  for (const double spread : {0.0, 0.5}) {
    for (const Vec3& size : {Vec3(1, 1, 1), Vec3(3, 0.1, 0.5), Vec3(0.01, 8, 0.01), Vec3(0.02, 0.02, 0.02)}) {
      const Spheres spheres = random_spheres(700, size, spread, 3);
      for (const double reach : {0.0, 0.005, 0.1}) {
        const PairList expected = all_near(spheres, reach);
        ASSERT_FALSE(expected.empty());
        EXPECT_EQ(found_by(search, spheres, reach), expected) << size.transpose() << ", reach " << reach;
      }
    }
  }
}

TEST(SpherePairs, OfSpheresThatFlewAwayAreFound) {
  Spheres spheres = random_spheres(500, Vec3(0.6, 0.6, 0.6), 0.5, 4);
  for (int i = 0; i < 200; i += 2) {  // pairs, each on its own way
    spheres.centres[i] = Vec3(std::sin(i), -std::cos(3 * i), std::cos(i)) * std::pow(1.1, i);
    spheres.centres[i + 1] = spheres.centres[i] + Vec3(0, 0.01, 0);
  }
  SpherePairs search;
  const PairList pairs = found_by(search, spheres, 0.001);
  EXPECT_EQ(pairs, all_near(spheres, 0.001));
}

TEST(SpherePairs, OfFewSpheresAreFound) {
  SpherePairs search;
  EXPECT_TRUE(found_by(search, {}, 0.1).empty());
  EXPECT_TRUE(found_by(search, {{Vec3::Zero()}, {1.0}}, 0.1).empty());
  EXPECT_EQ(found_by(search, {{Vec3::Zero(), Vec3(0, 0, 2.05)}, {1.0, 1.0}}, 0.1), (PairList{{0, 1}}));
  EXPECT_TRUE(found_by(search, {{Vec3::Zero(), Vec3(0, 0, 2.15)}, {1.0, 1.0}}, 0.1).empty());
  EXPECT_EQ(found_by(search, {{Vec3::Zero(), Vec3::Zero()}, {0.0, 0.0}}, 1e-9), (PairList{{0, 1}}));
}

TEST(SpherePairs, PlacesThatAreNotFiniteHaveNoPartners) {
  Spheres spheres = random_spheres(50, Vec3(0.1, 0.1, 0.1), 0, 5);
  const double nan = std::numeric_limits<double>::quiet_NaN(), far = std::numeric_limits<double>::infinity();
  spheres.centres[3] = Vec3(nan, 0, 0);
  spheres.centres[4] = Vec3(0, far, 0);
  spheres.centres[5] = Vec3(0, 0, -far);
  SpherePairs search;
  PairList expected = all_near(spheres, 0);
  EXPECT_EQ(found_by(search, spheres, 0), expected);
}

TEST(SpherePairs, AreTheSameForAnyNumberOfThreads) {
  const Spheres spheres = random_spheres(20000, Vec3(1.2, 1.2, 1.2), 0.5, 6);
  SpherePairs search;
  set_thread_count(1);
  const PairList one = found_by(search, spheres, 0.002);
  EXPECT_GT(one.size(), 20000u);
  for (const int threads : {2, 3, 8}) {
    set_thread_count(threads);
    EXPECT_EQ(found_by(search, spheres, 0.002), one);
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace pliant::contact
