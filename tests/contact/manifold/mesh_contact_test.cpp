// Meshes against convex shapes: floors without seams, convex meshes against their hulls, hollows and ridges.
#include "pliant/contact/manifold/mesh_contact.h"

#include <gtest/gtest.h>

#include "pliant/math/rotation.h"
#include "tests/contact/manifold/manifold_scenery.h"

namespace pliant::contact {
namespace {

// Squares of 0.1 m, two triangles each, y = height(x, z); facing up.
template <class Height>
TriangleMesh terrain(int cells, const Height& height) {
  TriangleMesh mesh;
  const auto place = [&](int i) { return 0.1 * (i - cells / 2.0); };
  for (int i = 0; i <= cells; ++i) {
    for (int j = 0; j <= cells; ++j) mesh.vertices.emplace_back(place(i), height(place(i), place(j)), place(j));
  }
  const auto vertex = [&](int i, int j) { return i * (cells + 1) + j; };
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      mesh.triangles.emplace_back(vertex(i, j), vertex(i, j + 1), vertex(i + 1, j + 1));
      mesh.triangles.emplace_back(vertex(i, j), vertex(i + 1, j + 1), vertex(i + 1, j));
    }
  }
  return mesh;
}

TriangleMesh mesh_of(const ConvexHull& hull) {
  TriangleMesh mesh;
  mesh.vertices = hull.vertices;
  for (int f = 0; f < hull.face_count(); ++f) {
    const auto c = hull.face(f);
    for (std::size_t k = 1; k + 1 < c.size(); ++k) {
      mesh.triangles.emplace_back(c[0].vertex, c[k].vertex, c[k + 1].vertex);
    }
  }
  return mesh;
}

std::vector<ConvexShape> moving_shapes(std::mt19937& random) {
  return {ball_shape(0.3), capsule_shape(0.3, 0.15), box_shape({0.3, 0.2, 0.25}), rock(random, 12, 0.3)};
}

TEST(MeshContact, AFlatFloorIsAHalfSpace) {
  std::mt19937 random(51);
  const CollisionMesh floor(terrain(30, [](double, double) { return 0.0; }));
  const ConvexShape half_space = half_space_shape();
  for (const ConvexShape& shape : moving_shapes(random)) {
    for (int round = 0; round < 60; ++round) {
      Pose pose{random_turn(random), random_point(random, 0.5)};
      pose.shift[1] = 0.2 + 0.2 * random_point(random, 1)[0];
      if (pose.shift[1] < 0.05) continue;
      Manifold by_mesh, by_plane;
      collide_mesh(floor, {}, shape, pose, 0.02, by_mesh);
      collide(half_space, {}, shape, pose, 0.02, by_plane);
      expect_sound(by_mesh, 0.02);
      ASSERT_EQ(by_mesh.count > 0, by_plane.count > 0) << int(shape.kind) << " " << round;
      ASSERT_LE(by_mesh.count, 4);
      if (by_mesh.count == 0) continue;
      const double slack = shape.hull ? 2 * kPreference * shape.hull->width : 1e-12;
      ASSERT_NEAR(lowest_gap(by_mesh), lowest_gap(by_plane), slack);
      // No seam pushes sideways.
      for (int k = 0; k < by_mesh.count; ++k) {
        ASSERT_LT((by_mesh.points[k].normal + Vec3::UnitY()).norm(), 1e-12) << int(shape.kind) << " " << round;
      }
    }
  }
}

TEST(MeshContact, ABoxOnAFloorStandsOnItsCornersAndSlidesWithoutLosingThem) {
  const CollisionMesh floor(terrain(30, [](double, double) { return 0.0; }));
  const ConvexShape box = box_shape({0.3, 0.2, 0.25});
  for (int step = 0; step < 100; ++step) {
    Manifold manifold;
    collide_mesh(floor, {}, box, {Mat3::Identity(), {-0.5 + 0.01003 * step, 0.199, 0.017}}, 0.01, manifold);
    ASSERT_EQ(manifold.count, 4);
    for (int k = 0; k < 4; ++k) {
      ASSERT_EQ(manifold.points[k].feature >> 30, static_cast<std::uint32_t>(Touch::vertex_of_b));
      ASSERT_NEAR(manifold.points[k].gap, -0.001, 1e-12);
    }
  }
}

// A stone and a shape that overlap by up to 2 cm, as a mesh and as a hull.
struct TwoViews {
  Manifold by_mesh, by_hull;
};
TwoViews push_together(std::mt19937& random, int round) {
  const ConvexShape stone = round % 2 == 0 ? rock(random, 14, 0.5) : box_shape({0.4, 0.5, 0.3});
  const CollisionMesh mesh(mesh_of(*stone.hull));
  const std::vector<ConvexShape> shapes = moving_shapes(random);
  const ConvexShape& shape = shapes[round / 2 % 4];
  const Pose pose_a{random_turn(random), Vec3::Zero()};
  Pose pose_b{random_turn(random), Vec3::Zero()};
  pose_b.shift = 3 * random_point(random, 1).normalized();
  const double depth = 0.01 * (1 + random_point(random, 1)[0]);
  for (int k = 0; k < 8; ++k) {
    const double apart = sampled_separation(stone, pose_a, shape, pose_b) + depth;
    if (std::abs(apart) < 1e-3) break;
    pose_b.shift -= apart * pose_b.shift.normalized();
  }
  TwoViews views;
  collide_mesh(mesh, pose_a, shape, pose_b, 0.005, views.by_mesh);
  collide(stone, pose_a, shape, pose_b, 0.005, views.by_hull);
  return views;
}

TEST(MeshContact, ConvexMeshesTouchLikeTheirHulls) {
  std::mt19937 random(52);
  for (int round = 0; round < 320; ++round) {
    const auto [by_mesh, by_hull] = push_together(random, round);
    expect_sound(by_mesh, 0.005);
    ASSERT_GT(by_hull.count, 0);
    if (by_mesh.count == 0) continue;  // counted below
    // The deepest point of the mesh is as deep as that of the hull, or a little deeper.
    EXPECT_NEAR(lowest_gap(by_mesh), lowest_gap(by_hull), 0.006) << round;
  }
}

// Triangles see only what is near them: about one time in a thousand none finds the way that the whole body would, or a
// longer one.
TEST(MeshContact, RarelyMissesAndRarelyExaggerates) {
  int missed = 0, exaggerated = 0;
  double deepest = 0;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    std::mt19937 random(seed);
    for (int round = 0; round < 320; ++round) {
      const auto [by_mesh, by_hull] = push_together(random, round);
      EXPECT_GT(by_hull.count, 0) << seed << " " << round;
      missed += by_mesh.count == 0 ? 1 : 0;
      if (by_mesh.count == 0 || by_hull.count == 0) continue;
      exaggerated += std::abs(lowest_gap(by_mesh) - lowest_gap(by_hull)) > 0.006 ? 1 : 0;
      deepest = std::min(deepest, lowest_gap(by_mesh));
    }
  }
  EXPECT_LE(missed, 1);
  EXPECT_LE(exaggerated, 1);
  EXPECT_GT(deepest, -0.04);  // m, of overlaps of 2 cm
}

// Two boxes far apart are one mesh: the walls that look at the middle of a plank between and below them have most of it behind
// their planes, but it is not in the boxes. It touches what each box by itself says, and nothing deeper.
TEST(MeshContact, WhatIsBesideAWallIsNotBehindIt) {
  const double reach = 0.02;
  const Vec3 half(0.1, 0.1, 0.1), apart(0.3, 0, 0);
  TriangleMesh mesh;
  for (const double side : {-1.0, 1.0}) {
    TriangleMesh part = mesh_of(*box_shape(half).hull);
    const int first = static_cast<int>(mesh.vertices.size());
    for (const Vec3& v : part.vertices) mesh.vertices.push_back(v + side * apart);
    for (const Vec3i& t : part.triangles) mesh.triangles.push_back(t + Vec3i::Constant(first));
  }
  const CollisionMesh both(mesh);
  const std::vector<ConvexShape> planks = {box_shape({1, 0.05, 1}), box_shape({1, 0.05, 0.04}), capsule_shape(1, 0.04)};
  std::mt19937 random(53);
  int touching = 0, clear = 0;
  for (int round = 0; round < 3000; ++round) {
    const ConvexShape& plank = planks[static_cast<std::size_t>(round % 3)];
    const Vec3 tilt = random_point(random, 0.6), place = random_point(random, 0.2);
    Mat3 turn = math::rotation_from_vector(Vec3(0.3 * tilt[0], 0.3 * tilt[1], tilt[2]));
    if (!plank.hull) turn = turn * math::rotation_from_vector(Vec3(0, 0, 0.5 * std::numbers::pi));
    const Pose pose{turn, {place[0], place[1] - 0.35, 0.3 * place[2]}};
    double lowest = reach;
    for (const double side : {-1.0, 1.0}) {
      Manifold by_box;
      collide(box_shape(half), {Mat3::Identity(), side * apart}, plank, pose, reach, by_box);
      if (by_box.count > 0) lowest = std::min(lowest, lowest_gap(by_box));
    }
    if (lowest < -0.02) continue;
    Manifold by_mesh;
    collide_mesh(both, {}, plank, pose, reach, by_mesh);
    if (by_mesh.count > 0) {
      EXPECT_GT(lowest_gap(by_mesh), lowest - 0.003) << round;
    } else {
      EXPECT_GE(lowest, 0) << round;
    }
    (lowest < 0 ? touching : clear) += 1;
  }
  EXPECT_GT(touching, 50);
  EXPECT_GT(clear, 500);
}

TEST(MeshContact, ABallInAValleyTouchesBothSides) {
  const CollisionMesh valley(terrain(20, [](double x, double) { return std::abs(x); }));
  const ConvexShape ball = ball_shape(0.2);
  Manifold manifold;
  collide_mesh(valley, {}, ball, {Mat3::Identity(), {0, 0.2 * std::sqrt(2.0) - 1e-3, 0.03}}, 0.01, manifold);
  ASSERT_EQ(manifold.count, 2);
  for (int k = 0; k < 2; ++k) {
    EXPECT_NEAR(manifold.points[k].gap, -1e-3 * std::sqrt(0.5), 1e-12);
    EXPECT_NEAR(std::abs(manifold.points[k].normal[0]), std::sqrt(0.5), 1e-12);
  }
  EXPECT_NEAR(manifold.points[0].normal[0], -manifold.points[1].normal[0], 1e-12);
}

TEST(MeshContact, ABoxOnARidgeRestsOnItsEdge) {
  const CollisionMesh ridge(terrain(20, [](double x, double) { return -std::abs(x); }));
  const ConvexShape box = box_shape({0.3, 0.1, 0.3});
  Manifold manifold;
  collide_mesh(ridge, {}, box, {Mat3::Identity(), {0.05, 0.099, 0.017}}, 0.005, manifold);
  ASSERT_GE(manifold.count, 2);
  for (int k = 0; k < manifold.count; ++k) {
    EXPECT_NEAR(manifold.points[k].gap, -1e-3, 1e-12);
    EXPECT_LT((manifold.points[k].normal + Vec3::UnitY()).norm(), 1e-9);
    EXPECT_NEAR(manifold.points[k].on_a[0], 0, 1e-12);
  }
}

TEST(MeshContact, AMeshOnAHalfSpaceStandsOnItsLowestVertices) {
  const CollisionMesh dome(terrain(10, [](double x, double z) { return -x * x - z * z; }));
  Manifold manifold;
  collide_mesh(dome, {Mat3::Identity(), {0, 0.499, 0}}, half_space_shape(), {}, 0.01, manifold);
  ASSERT_EQ(manifold.count, 4);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(manifold.points[k].gap, -0.001, 1e-12);
}

}  // namespace
}  // namespace pliant::contact
