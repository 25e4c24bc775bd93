// Round surfaces: watertight and outward at many sizes, with volumes and areas that converge to the closed forms.
#include "pliant/mesh/round_surfaces.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "pliant/mesh/edges.h"
#include "pliant/mesh/mesh_check.h"
#include "pliant/mesh/mesh_quality.h"
#include "pliant/mesh/surface.h"
#include "tests/mesh/error_sentence.h"
#include "tests/mesh/mirror_image.h"

namespace pliant {
namespace {

using std::numbers::pi;

void expect_watertight(const TriangleMesh& surface, int euler_characteristic) {
  ASSERT_NO_THROW(check_triangle_mesh(surface, "surface"));
  const SurfaceTopology topology = inspect_surface(surface);
  EXPECT_TRUE(topology.closed());
  EXPECT_TRUE(topology.manifold());
  EXPECT_TRUE(topology.oriented());
  EXPECT_EQ(topology.component_count, 1);
  EXPECT_EQ(topology.euler_characteristic(), euler_characteristic);
  EXPECT_TRUE(topology.duplicate_triangles.empty());
  EXPECT_GT(signed_volume(surface.vertices, surface.triangles), 0);
}

// Volume and area approach the exact values from below, with the square of the refinement.
void expect_convergence(const std::function<TriangleMesh(int)>& make, double volume, double area) {
  const TriangleMesh coarse = make(0), fine = make(1);
  const double volume_coarse = volume - signed_volume(coarse.vertices, coarse.triangles);
  const double volume_fine = volume - signed_volume(fine.vertices, fine.triangles);
  EXPECT_GT(volume_fine, 0);
  EXPECT_LT(volume_fine, 0.02 * volume);
  EXPECT_NEAR(std::log2(volume_coarse / volume_fine), 2.0, 0.15);
  const double area_coarse = area - surface_area(coarse.vertices, coarse.triangles);
  const double area_fine = area - surface_area(fine.vertices, fine.triangles);
  EXPECT_GT(area_fine, 0);
  EXPECT_NEAR(std::log2(area_coarse / area_fine), 2.0, 0.15);
}

TEST(RoundSurfaces, SphereCountsAndRadius) {
  for (int s = 0, power = 1; s <= 4; ++s, power *= 4) {
    const TriangleMesh sphere = make_sphere_surface({.radius = 0.4, .subdivisions = s});
    EXPECT_EQ(static_cast<int>(sphere.triangles.size()), 20 * power);
    EXPECT_EQ(static_cast<int>(sphere.vertices.size()), 10 * power + 2);
    for (const Vec3& x : sphere.vertices) EXPECT_NEAR(x.norm(), 0.4, 1e-15);
    expect_watertight(sphere, 2);
    for (int axis = 0; axis < 3; ++axis) EXPECT_TRUE(is_mirror_symmetric(sphere.vertices, sphere.triangles, axis));
  }
}

TEST(RoundSurfaces, SphereTrianglesFaceAwayFromTheCentre) {
  const TriangleMesh sphere = make_sphere_surface({.subdivisions = 2});
  const std::vector<Vec3> areas = area_vectors(sphere.vertices, sphere.triangles);
  for (std::size_t t = 0; t < areas.size(); ++t) EXPECT_GT(areas[t].dot(sphere.vertices[sphere.triangles[t][0]]), 0);
}

TEST(RoundSurfaces, SphereConverges) {
  expect_convergence([](int level) { return make_sphere_surface({.radius = 2, .subdivisions = 3 + level}); },
                     4.0 / 3 * pi * 8, 4 * pi * 4);
}

TEST(RoundSurfaces, CylinderIsWatertightForAnySegments) {
  for (const int segments : {3, 4, 5, 6, 7, 8, 13, 24, 33})
    for (const double height : {0.01, 0.5, 3.0})
      expect_watertight(make_cylinder({.radius = 0.2, .height = height, .segments = segments}), 2);
}

TEST(RoundSurfaces, CylinderFillsItsPolygonExactly) {
  const int n = 20;
  const TriangleMesh cylinder = make_cylinder({.radius = 0.2, .height = 0.7, .segments = n});
  const double polygon = 0.5 * n * 0.2 * 0.2 * std::sin(2 * pi / n);
  EXPECT_NEAR(signed_volume(cylinder.vertices, cylinder.triangles), polygon * 0.7, 1e-15);
  for (const Vec3& x : cylinder.vertices) EXPECT_LE(std::abs(x.y()), 0.35 + 1e-15);
}

TEST(RoundSurfaces, CylinderConverges) {
  expect_convergence([](int level) { return make_cylinder({.radius = 0.2, .height = 0.7, .segments = 32 << level}); },
                     pi * 0.04 * 0.7, 2 * pi * 0.2 * 0.7 + 2 * pi * 0.04);
}

TEST(RoundSurfaces, CapsuleIsWatertightForAnySegments) {
  for (const int segments : {3, 4, 5, 6, 7, 8, 13, 24, 33})
    for (const double height : {0.01, 0.5, 3.0})
      expect_watertight(make_capsule({.radius = 0.2, .height = height, .segments = segments}), 2);
}

TEST(RoundSurfaces, CapsuleVerticesLieOnTheShape) {
  const TriangleMesh capsule = make_capsule({.radius = 0.2, .height = 0.5, .segments = 24});
  double top = 0;
  for (const Vec3& x : capsule.vertices) {
    const double on_axis = std::clamp(x.y(), -0.25, 0.25);
    EXPECT_NEAR((x - Vec3(0, on_axis, 0)).norm(), 0.2, 1e-15);
    top = std::max(top, x.y());
  }
  EXPECT_DOUBLE_EQ(top, 0.45);  // height counts the straight part only
}

TEST(RoundSurfaces, CapsuleConverges) {
  expect_convergence([](int level) { return make_capsule({.radius = 0.2, .height = 0.5, .segments = 40 << level}); },
                     pi * 0.04 * 0.5 + 4.0 / 3 * pi * 0.008, 2 * pi * 0.2 * 0.5 + 4 * pi * 0.04);
}

TEST(RoundSurfaces, TorusIsWatertightWithAHole) {
  for (const int segments : {3, 5, 8, 32})
    for (const double tube : {0.01, 0.2, 0.49}) expect_watertight(make_torus({.tube = tube, .segments = segments}), 0);
}

TEST(RoundSurfaces, TorusConverges) {
  expect_convergence([](int level) { return make_torus({.radius = 0.5, .tube = 0.25, .segments = 48 << level}); },
                     2 * pi * pi * 0.5 * 0.0625, 4 * pi * pi * 0.5 * 0.25);
}

// --- Open tubes ---

void expect_tube(const TubeOptions& options, int rows) {
  const TriangleMesh tube = make_tube(options);
  const int n = options.segments;
  ASSERT_NO_THROW(check_triangle_mesh(tube, "tube"));
  ASSERT_EQ(static_cast<int>(tube.vertices.size()), n * (rows + 1));
  ASSERT_EQ(static_cast<int>(tube.triangles.size()), 2 * n * rows);
  const SurfaceTopology topology = inspect_surface(tube);
  EXPECT_TRUE(topology.manifold());
  EXPECT_TRUE(topology.oriented());
  EXPECT_EQ(static_cast<int>(topology.boundary_edges.size()), 2 * n);  // both ends are open
  EXPECT_EQ(topology.euler_characteristic(), 0);
  // Rings: radii between the two ends, evenly up the height; edges around are chords.
  for (int j = 0; j <= rows; ++j) {
    const double part = static_cast<double>(j) / rows;
    const double radius = (1 - part) * options.radius + part * options.top_radius;
    for (int i = 0; i < n; ++i) {
      const Vec3& x = tube.vertices[j * n + i];
      EXPECT_NEAR(std::hypot(x[0], x[2]), radius, 1e-14);
      EXPECT_NEAR(x[1], (part - 0.5) * options.height, 1e-14);
      EXPECT_NEAR((tube.vertices[j * n + (i + 1) % n] - x).norm(), 2 * radius * std::sin(pi / n), 1e-14);
    }
  }
  // Outwards: away from the axis.
  const std::vector<Vec3> areas = area_vectors(tube.vertices, tube.triangles);
  for (std::size_t t = 0; t < areas.size(); ++t) {
    Vec3 middle = Vec3::Zero();
    for (const int v : tube.triangles[t]) middle += tube.vertices[v] / 3;
    middle[1] = 0;
    EXPECT_GT(areas[t].dot(middle), 0) << t;
  }
  // Texture: every triangle is laid flat as it is, not mirrored, u around and v upwards.
  EXPECT_TRUE(tube.texture.empty());
  ASSERT_EQ(tube.corner_texture.size(), tube.triangles.size());
  for (std::size_t t = 0; t < areas.size(); ++t) {
    const auto& uv = tube.corner_texture[t];
    const auto x = [&](int c) { return tube.vertices[tube.triangles[t][c]]; };
    for (int c = 0; c < 3; ++c)
      EXPECT_NEAR((uv[(c + 1) % 3] - uv[c]).norm(), (x((c + 1) % 3) - x(c)).norm(), 1e-13) << t;
    const Vec2 a = uv[1] - uv[0], b = uv[2] - uv[0];
    EXPECT_NEAR(0.5 * (a[0] * b[1] - a[1] * b[0]), areas[t].norm(), 1e-13);
    for (int c = 0; c < 3; ++c) {
      const Vec3 side = x((c + 1) % 3) - x(c);
      if (std::abs(side[1]) < 1e-14) {
        EXPECT_NEAR(uv[(c + 1) % 3][1], uv[c][1], 1e-14);
      } else {
        EXPECT_GT((uv[(c + 1) % 3][1] - uv[c][1]) * side[1], 0);
      }
    }
  }
}

TEST(RoundSurfaces, TubesAreOpenAndLieFlatTriangleByTriangle) {
  expect_tube({.radius = 0.3, .top_radius = 0.3, .height = 0.5, .segments = 12, .rows = 4}, 4);
  expect_tube({.radius = 0.5, .top_radius = 0.2, .height = 0.4, .segments = 7, .rows = 3}, 3);
  expect_tube({.radius = 0.1, .top_radius = 0.6, .height = 0.3, .segments = 3, .rows = 1}, 1);
}

TEST(RoundSurfaces, TubesHaveRowsAboutAsHighAsWide) {
  // Segments of 0.1 m along a slant of 1 m.
  const int n = 31;
  const double radius = 0.1 * n / (2 * pi);
  EXPECT_EQ(make_tube({.radius = radius, .top_radius = radius, .height = 1, .segments = n}).triangles.size(),
            2U * n * 10);
  EXPECT_EQ(
      make_tube({.radius = radius - 0.3, .top_radius = radius + 0.3, .height = 0.8, .segments = n}).triangles.size(),
      2U * n * 10);
}

TEST(RoundSurfaces, TubeConvergesToItsArea) {
  const double area = pi * (0.5 + 0.2) * std::hypot(0.4, 0.3);  // of a cone's piece
  double before = 0;
  for (const int n : {16, 32, 64}) {
    const TriangleMesh tube = make_tube({.radius = 0.5, .top_radius = 0.2, .height = 0.4, .segments = n});
    const double missing = area - surface_area(tube.vertices, tube.triangles);
    EXPECT_GT(missing, 0);
    if (before > 0) {
      EXPECT_NEAR(std::log2(before / missing), 2, 0.1);
    }
    before = missing;
  }
}

TEST(RoundSurfaces, TrianglesAreWellShaped) {
  const auto smallest_degrees = [](const TriangleMesh& mesh) { return corner_angles(mesh).smallest * 180 / pi; };
  EXPECT_GT(smallest_degrees(make_sphere_surface({.subdivisions = 5})), 50);
  EXPECT_GT(smallest_degrees(make_cylinder({.radius = 0.2, .height = 1, .segments = 48})), 25);
  EXPECT_GT(smallest_degrees(make_capsule({.radius = 0.2, .height = 1, .segments = 48})), 25);
  EXPECT_GT(smallest_degrees(make_torus({.tube = 0.2, .segments = 48})), 25);
}

TEST(RoundSurfaces, RefusedArgumentsAreNamed) {
  EXPECT_EQ(error_sentence([] { return make_sphere_surface({.radius = -1}, "s.yaml:3"); }),
            "s.yaml:3: sphere: radius is -1; give a finite number above 0.");
  EXPECT_EQ(error_sentence([] { return make_sphere_surface({.subdivisions = 11}); }),
            "sphere: subdivisions is 11; give a whole number from 0 to 10.");
  EXPECT_EQ(error_sentence([] { return make_cylinder({.height = 0}); }),
            "cylinder: height is 0; give a finite number above 0.");
  EXPECT_EQ(error_sentence([] { return make_cylinder({.segments = 2}); }),
            "cylinder: segments is 2; give a whole number from 3 to 10000.");
  EXPECT_EQ(error_sentence([] { return make_cylinder({.radius = 1e-6, .height = 1e3}); }),
            "cylinder: height, radius and segments would make 3.25949e+11 triangles; give values that make at most "
            "50000000.");
  EXPECT_EQ(error_sentence([] { return make_tube({.radius = 0}, "s.yaml:3"); }),
            "s.yaml:3: tube: radius is 0; give a finite number above 0.");
  EXPECT_EQ(error_sentence([] { return make_tube({.top_radius = -1}); }),
            "tube: top_radius is -1; give a finite number above 0.");
  EXPECT_EQ(error_sentence([] { return make_tube({.segments = 2}); }),
            "tube: segments is 2; give a whole number from 3 to 10000.");
  EXPECT_EQ(error_sentence([] { return make_tube({.segments = 10000, .rows = 10000}); }),
            "tube: segments and rows would make 2e+08 triangles; give values that make at most 50000000.");
  EXPECT_EQ(error_sentence([] { return make_capsule({.radius = 0}); }),
            "capsule: radius is 0; give a finite number above 0.");
  EXPECT_EQ(error_sentence([] { return make_capsule({.segments = 0}); }),
            "capsule: segments is 0; give a whole number from 3 to 10000.");
  EXPECT_EQ(error_sentence([] { return make_torus({.tube = 0}); }), "torus: tube is 0; give a finite number above 0.");
  EXPECT_EQ(error_sentence([] { return make_torus({.radius = 0.5, .tube = 0.5}); }),
            "torus: tube is 0.5 and radius is 0.5; give a tube below radius, or the tube meets itself.");
}

}  // namespace
}  // namespace pliant
