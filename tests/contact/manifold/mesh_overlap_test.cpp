// Meshes that are deep in each other: who is inside is led out by the shortest way, from both sides alike.
#include "pliant/contact/manifold/mesh_overlap.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <set>

#include "tests/contact/notched_cube.h"

namespace pliant::contact {
namespace {

TEST(MeshOverlap, LeadsOutByTheShortestWay) {
  const CollisionMesh a(notched_cube(4)), b(notched_cube(6));
  // a stands 0.1 m deep on the left arm of b, turned by a little.
  const Pose pose_b, pose_a{Eigen::AngleAxisd(0.02, Vec3::UnitX()).toRotationMatrix(), Vec3(-0.03, 0.9, 0.02)};
  Manifold out;
  collide_overlap(a, pose_a, b, pose_b, 0.01, out);
  ASSERT_EQ(out.count, Manifold::kMostPoints);
  std::set<std::uint32_t> names;
  for (const ContactPoint& point : out.points) {
    EXPECT_NEAR(point.normal.norm(), 1, 1e-12);
    EXPECT_NEAR((point.on_a - point.on_b - point.gap * point.normal).norm(), 0, 1e-12);
    EXPECT_LT(point.gap, -0.01);
    EXPECT_GT(point.gap, -0.12);
    names.insert(point.feature);
    const bool is_vertex_of_a = point.feature >> 30 == static_cast<std::uint32_t>(Touch::vertex_of_a);
    const CollisionMesh &inner = is_vertex_of_a ? a : b, &outer = is_vertex_of_a ? b : a;
    const Pose &of_inner = is_vertex_of_a ? pose_a : pose_b, &of_outer = is_vertex_of_a ? pose_b : pose_a;
    const Vec3 vertex = is_vertex_of_a ? point.on_a : point.on_b;
    EXPECT_NEAR(outer.distance()->signed_distance(of_outer.to_own(vertex)), point.gap, 1e-12);
    EXPECT_LT(inner.distance()->closest_point(of_inner.to_own(vertex)).distance, 1e-12);
  }
  EXPECT_EQ(names.size(), 8U);
  // The deepest of a's vertices is among them.
  double deepest = 0, taken = 0;
  for (const Vec3& v : a.vertices()) deepest = std::min(deepest, b.distance()->signed_distance(pose_a.to_world(v)));
  for (const ContactPoint& point : out.points) taken = std::min(taken, point.gap);
  EXPECT_LE(taken, deepest + 1e-12);
}

TEST(MeshOverlap, IsTheSameFromBothSides) {
  const CollisionMesh a(notched_cube(4)), b(notched_cube(6));
  const Pose pose_b, pose_a{Eigen::AngleAxisd(0.02, Vec3::UnitX()).toRotationMatrix(), Vec3(-0.03, 0.9, 0.02)};
  Manifold out, back;
  collide_overlap(a, pose_a, b, pose_b, 0.01, out);
  collide_overlap(b, pose_b, a, pose_a, 0.01, back);
  ASSERT_EQ(out.count, back.count);
  for (int k = 0; k < out.count; ++k) {
    const ContactPoint there = exchanged(back.points[static_cast<std::size_t>((k + out.count / 2) % out.count)]);
    EXPECT_EQ(out.points[static_cast<std::size_t>(k)].feature, there.feature);
    EXPECT_EQ(out.points[static_cast<std::size_t>(k)].gap, there.gap);
  }
}

TEST(MeshOverlap, FindsNothingThatIsShallowApartOrOpen) {
  const CollisionMesh a(notched_cube(4)), b(notched_cube(6));
  Manifold out;
  collide_overlap(a, {Mat3::Identity(), Vec3(0.01, 0.995, 0)}, b, {}, 0.01, out);
  EXPECT_EQ(out.count, 0);
  // In the notch of b there is nothing of it.
  collide_overlap(a, {Mat3::Identity(), Vec3(0.55, 0.55, 0)}, b, {}, 0.001, out);
  EXPECT_EQ(out.count, 0);
  TriangleMesh open = notched_cube(4);
  open.triangles.pop_back();
  collide_overlap(CollisionMesh(open), {Mat3::Identity(), Vec3(0, 0.9, 0)}, b, {}, 0.01, out);
  EXPECT_EQ(out.count, 0);
}

}  // namespace
}  // namespace pliant::contact
