// The safe way and the near pairs: the same whether distances were just measured or long ago.
#include "pliant/contact/watched_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "tests/contact/above_floor.h"

namespace pliant::contact {
namespace {

constexpr double kDistance = 0.02;  // m

struct Scene {
  ContactSurface surface;
  std::vector<unsigned char> is_fixed;
};

// Triangles of two bodies, thrown into a cube of a metre so that none touch, above a floor.
Scene loose_triangles(int count, double thickness) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> place(0, 1), small(-0.08, 0.08);
  std::vector<SurfacePart> parts(2);
  std::vector<std::array<Vec3, 3>> taken;
  for (int b = 0; b < 2; ++b) {
    parts[b].name = b == 0 ? "a" : "b";
    parts[b].thickness = thickness;
    parts[b].is_loose = true;
    for (int t = 0; t < count; ++t) {
      const Vec3 centre(place(random), place(random), place(random));
      std::array<Vec3, 3> corners;
      for (Vec3& corner : corners) corner = centre + Vec3(small(random), small(random), small(random));
      const bool is_free = std::all_of(taken.begin(), taken.end(), [&](const std::array<Vec3, 3>& other) {
        double nearest = 1;
        for (int i = 0; i < 3; ++i) {
          nearest = std::min(nearest, closest_point_triangle(corners[i], other[0], other[1], other[2]).distance());
          nearest = std::min(nearest, closest_point_triangle(other[i], corners[0], corners[1], corners[2]).distance());
          for (int j = 0; j < 3; ++j)
            nearest = std::min(
                nearest, closest_edges(corners[i], corners[(i + 1) % 3], other[j], other[(j + 1) % 3]).distance());
        }
        return nearest > 2.1 * thickness;
      });
      if (!is_free) continue;
      taken.push_back(corners);
      const int first = static_cast<int>(parts[b].rest.size());
      parts[b].rest.insert(parts[b].rest.end(), corners.begin(), corners.end());
      parts[b].triangles.emplace_back(first, first + 1, first + 2);
    }
  }
  Scene scene{join_above_floor(parts, -0.2), {}};
  scene.is_fixed.assign(scene.surface.points.size(), 0);
  scene.is_fixed.back() = 1;
  return scene;
}

std::set<std::uint64_t> near_keys(const WatchedPairs& pairs) {
  std::set<std::uint64_t> keys;
  for (const int i : pairs.near()) keys.insert(pairs[i].pair.key());
  return keys;
}

// What a solver's look does.
void measure_near(WatchedPairs& pairs, const std::vector<Vec3>& x) {
  pairs.arrive(x);
  for_groups_of_four(
      pairs.near(), [&](int i) { return pairs[i].pair.kind; },
      [&](PairKind kind, const std::array<int, 4>& group, int count) {
        PairLanes four;
        ClosestLanes closest;
        gather({&pairs[group[0]].point, &pairs[group[1]].point, &pairs[group[2]].point, &pairs[group[3]].point}, x,
               four);
        find_closest(kind, four, closest);
        pairs.note_distances(group, count, four, closest.distance());
      },
      [](int) {});
}

// Iterates whose ways shrink from half a metre to micrometres, some of them everywhere, some here and there.
TEST(WatchedPairs, OldMeasuresGiveWhatNewOnesGive) {
  const Scene scene = loose_triangles(150, 1e-3);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<Vec3> x = scene.surface.rest_points, way(x.size());
  WatchedPairs kept(scene.surface, kDistance);
  std::fill(way.begin(), way.end(), Vec3::Zero());
  EXPECT_EQ(kept.follow(x, way, scene.is_fixed, true), 1);
  int limited = 0, near = 0;
  for (int iteration = 0; iteration < 60; ++iteration) {
    const double size = 0.5 * std::pow(0.8, iteration);
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
      const bool moves = iteration % 2 == 0 || number(random) > 0.9;
      way[i] = moves ? Vec3(size * Vec3(number(random), number(random), number(random))) : Vec3(Vec3::Zero());
    }
    WatchedPairs fresh(scene.surface, kDistance);
    const double safe = kept.follow(x, way, scene.is_fixed, false);
    ASSERT_EQ(safe, fresh.follow(x, way, scene.is_fixed, true)) << iteration;
    limited += safe < 1 ? 1 : 0;
    const std::set<std::uint64_t> known = near_keys(kept);
    near += static_cast<int>(known.size());
    for (const int i : fresh.near()) {
      // Those that may come near on a long way are not looked at as closely by both; those that do are in both.
      const WatchedPair& pair = fresh[i];
      if (pair.pair.kind == PairKind::point_plane) continue;
      for (int k = 0; k <= 8; ++k) {
        FourPoints four;
        for (std::size_t j = 0; j < 4; ++j) four[j] = x[pair.point[j]] + k / 8.0 * way[pair.point[j]];
        if (closest_of(pair.pair.kind, four).distance() < pair.reach.offset + pair.reach.distance) {
          ASSERT_TRUE(known.contains(pair.pair.key())) << iteration;
        }
      }
    }
    const double taken = safe * (iteration % 3 == 0 ? 1 : 0.5);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += taken * way[i];
    measure_near(kept, x);
  }
  EXPECT_GT(limited, 10);
  EXPECT_GT(near, 1000);
}

TEST(WatchedPairs, StopsBeforeAPlaneAndATriangle) {
  SurfacePart sheet, point;
  sheet.name = "sheet";
  sheet.thickness = 0.02;
  sheet.rest = {Vec3(0, 0.5, 0), Vec3(2, 0.5, 0), Vec3(0, 0.5, 2)};
  sheet.triangles = {Vec3i(0, 2, 1)};
  point.name = "small";
  point.thickness = 0.01;
  point.rest = {Vec3(0.3, 0.1, 0.3), Vec3(0.301, 0.1, 0.3), Vec3(0.3, 0.1, 0.301)};
  point.triangles = {Vec3i(0, 2, 1)};
  const ContactSurface surface = join_above_floor({sheet, point}, -1);
  const std::vector<unsigned char> is_fixed = {0, 0, 0, 0, 0, 0, 1};
  const std::vector<Vec3>& x = surface.rest_points;
  const auto safe = [&](const Vec3& motion, double distance, bool* is_near) {
    std::vector<Vec3> way(x.size(), Vec3::Zero());
    for (int i = 3; i < 6; ++i) way[i] = motion;
    WatchedPairs pairs(surface, distance);
    const double part = pairs.follow(x, way, is_fixed, true);
    *is_near = !pairs.near().empty();
    return part;
  };
  bool is_near = false;
  // 1.1 m above the plane with a thickness of 0.01: of the 1.09 m a fifth is kept.
  EXPECT_NEAR(safe(Vec3(0, -4, 0), 0.05, &is_near), 0.8 * 1.09 / 4, 1e-15);
  // 0.4 m below the triangle, thicknesses of 0.03: of the 0.37 m a fifth is kept, and a little more by caution.
  const double through = safe(Vec3(0.1, 0.8, 0.1), 0.05, &is_near);
  EXPECT_GT(through, 0.8 * 0.37);
  EXPECT_LE(through, 0.8 * 0.37 / 0.8);
  EXPECT_TRUE(is_near);
  // Up to 0.11 m: more than a fifth of the gap stays. A contact distance of 0.09 m reaches it, 0.07 does not.
  EXPECT_EQ(safe(Vec3(0, 0.29, 0), 0.07, &is_near), 1);
  EXPECT_FALSE(is_near);
  EXPECT_EQ(safe(Vec3(0, 0.29, 0), 0.09, &is_near), 1);
  EXPECT_TRUE(is_near);
  // Whatever is not a number stays where it is.
  EXPECT_EQ(safe(Vec3(0, std::nan(""), 0), 0.05, &is_near), 0);
}

}  // namespace
}  // namespace pliant::contact
