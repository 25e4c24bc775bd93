// Contact forces per vertex: sums and moments are those of the contacts, whoever bears them.
#include "pliant/dynamics/vertex_forces.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "tests/dynamics/soft_model.h"

namespace pliant {
namespace {

Vec3 sum(const std::vector<Vec3>& forces) {
  Vec3 total = Vec3::Zero();
  for (const Vec3& f : forces) total += f;
  return total;
}

Vec3 moment(const std::vector<Vec3>& forces, const std::vector<Vec3>& places) {
  Vec3 total = Vec3::Zero();
  for (std::size_t v = 0; v < forces.size(); ++v) total += places[v].cross(forces[v]);
  return total;
}

// A soft block whose surface is one point at a vertex and one inside a tet, beside an obstacle
// of two triangles.
struct BlockAndPlate {
  testing::SoftModel soft;
  contact::SurfacePart point, plate;
  MappedPoint carried;

  BlockAndPlate() {
    Model& model = soft.model;
    const auto& tet = model.bodies[0].rest.tets[0];
    carried = {{tet[0], tet[1], tet[2], tet[3]}, {0.1, 0.2, 0.3, 0.4}, 4};
    point.name = "block";
    point.points = {MappedPoint::vertex(5), carried};
    for (const MappedPoint& p : point.points) point.rest.push_back(p.evaluate(soft.state.positions));
    point.segments = {{0, 1}};
    point.segment_width = 0.01;
    Obstacle obstacle;
    obstacle.name = "plate";
    obstacle.mesh.vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, 1), Vec3(1, 0, 1)};
    obstacle.mesh.triangles = {Vec3i(0, 2, 1), Vec3i(1, 2, 3)};
    plate.name = "plate";
    plate.rest = obstacle.mesh.vertices;
    plate.triangles = obstacle.mesh.triangles;
    model.obstacles.push_back(std::move(obstacle));
    model.contact = std::make_shared<contact::ContactSurface>(contact::join({point}, {plate}));
  }
};

contact::ContactForce push(int first, int second) {
  contact::ContactForce f;
  f.first_body = first;
  f.second_body = second;
  f.normal = Vec3::UnitY();
  f.friction = Vec3(0.5, 0, -0.25);
  f.force = Vec3(0, 3, 0) + f.friction;
  return f;
}

TEST(VertexForces, PointsPassTheirSharesOn) {
  BlockAndPlate scene;
  contact::ContactForce f = push(0, 1);
  f.bearer = {0, 1, 2, 4};  // two points of the block, the plate's vertices 0 and 2
  f.share = {0.25, 0.75, -0.6, -0.4};
  VertexForces vertex_forces;
  const auto found = vertex_forces.find(scene.soft.model, scene.soft.state, std::span(&f, 1));
  ASSERT_EQ(found.size(), 2U);
  const Vec3 normal(0, 3, 0);
  std::vector<Vec3> expected(found[0].normal.size(), Vec3::Zero());
  expected[5] += 0.25 * normal;
  for (std::size_t k = 0; k < 4; ++k)
    expected[static_cast<std::size_t>(scene.carried.block[k])] += 0.75 * scene.carried.weight[k] * normal;
  for (std::size_t v = 0; v < expected.size(); ++v) EXPECT_LT((found[0].normal[v] - expected[v]).norm(), 1e-15) << v;
  EXPECT_LT((sum(found[0].friction) - f.friction).norm(), 1e-15);
  EXPECT_LT((sum(found[0].normal) + sum(found[1].normal)).norm(), 1e-15);
  EXPECT_LT((sum(found[0].friction) + sum(found[1].friction)).norm(), 1e-15);
  EXPECT_LT((found[1].normal[0] + 0.6 * normal).norm(), 1e-15);
  EXPECT_LT((found[1].normal[2] + 0.4 * normal).norm(), 1e-15);
}

// With weights of the nearest triangle the moment is that of the force at its place, wherever the obstacle has gone.
TEST(VertexForces, WhatIsMetAsAWholeBearsItAtTheNearestTriangle) {
  BlockAndPlate scene;
  Model& model = scene.soft.model;
  Rotate turn;
  turn.axis = Vec3::UnitZ();
  turn.centre = Vec3(0.5, 1, 0);
  turn.rate = std::numbers::pi / 2;
  model.obstacles[0].motion = ScriptedMotion(turn);
  scene.soft.state.time = 1;
  const RigidTransform pose = model.obstacles[0].motion.at(1);
  const Vec3 place = pose * Vec3(0.7, 0, 0.6);
  contact::ContactForce f = push(0, 1);
  f.normal = pose.rotation * Vec3::UnitY();
  f.force = 3 * f.normal + f.friction;
  f.gap = 0.02;
  f.point = place + f.gap * f.normal;
  f.bearer[0] = 0;
  f.share[0] = 1;
  VertexForces vertex_forces;
  const auto found = vertex_forces.find(model, scene.soft.state, std::span(&f, 1));
  std::vector<Vec3> there;
  for (const Vec3& x : model.obstacles[0].mesh.vertices) there.push_back(pose * x);
  EXPECT_LT((sum(found[1].normal) + 3 * f.normal).norm(), 1e-14);
  EXPECT_LT((moment(found[1].normal, there) + place.cross(3 * f.normal)).norm(), 1e-14);
  EXPECT_LT((moment(found[1].friction, there) + place.cross(f.friction)).norm(), 1e-14);
  EXPECT_TRUE(found[1].normal[0].isZero(0)) << "that vertex is not of the nearest triangle";
}

}  // namespace
}  // namespace pliant
