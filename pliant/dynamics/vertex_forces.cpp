#include "pliant/dynamics/vertex_forces.h"

#include <Eigen/Geometry>

#include "pliant/assert.h"

namespace pliant {
namespace {

void add(const contact::ContactForce& force, double share, int vertex, BodyVertexForces& out) {
  out.normal[static_cast<std::size_t>(vertex)] += share * (force.force - force.friction);
  out.friction[static_cast<std::size_t>(vertex)] += share * force.friction;
}

// Whether the j-th bearer is on the side of this sign.
bool bears(const contact::ContactForce& force, std::size_t j, double sign) {
  return force.bearer[j] >= 0 && sign * force.share[j] > 0;
}

const Obstacle* obstacle_of(const Model& model, int body) {
  const auto index = static_cast<std::size_t>(body) - model.bodies.size();
  return body < static_cast<int>(model.bodies.size()) ? nullptr : &model.obstacles[index];
}

// From the world to where the mesh of a rigid body or an obstacle stands as placed.
Vec3 to_rest(const Model& model, const State& state, int body, const Vec3& place) {
  if (const Obstacle* obstacle = obstacle_of(model, body)) {
    const RigidTransform pose = obstacle->motion.at(state.time);
    return pose.rotation.transpose() * (place - pose.translation);
  }
  const RigidBody& rigid = model.rigids[static_cast<std::size_t>(model.bodies[static_cast<std::size_t>(body)].rigid)];
  const Mat3 turn = rotation_of(rigid.frame, state.positions) * rigid.rest_rotation.transpose();
  return turn.transpose() * (place - state.positions[rigid.frame.centre]) + rigid.rest_centre;
}

// Of a point in the plane of a triangle; a triangle without area bears it at its first corner.
Vec3 barycentric(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 normal = (b - a).cross(c - a);
  const double squared = normal.squaredNorm();
  if (!(squared > 0)) return Vec3::UnitX();
  const double of_b = normal.dot((p - a).cross(c - a)) / squared, of_c = normal.dot((b - a).cross(p - a)) / squared;
  return {1 - of_b - of_c, of_b, of_c};
}

}  // namespace

// sign: of the first side 1, of the second −1.
void VertexForces::bear_at_points(const Model& model, const contact::ContactForce& force, double sign,
                                  BodyVertexForces& out) const {
  const int body = sign > 0 ? force.first_body : force.second_body;
  for (std::size_t j = 0; j < 4; ++j) {
    if (!bears(force, j, sign)) continue;
    const int point = force.bearer[j];
    if (obstacle_of(model, body) != nullptr || model.bodies[static_cast<std::size_t>(body)].rigid >= 0) {
      add(force, force.share[j], point - first_point_[static_cast<std::size_t>(body)], out);
      continue;
    }
    const MappedPoint& mapped = model.contact->points[point];
    const std::vector<int>& vertex_of_block = model.bodies[static_cast<std::size_t>(body)].vertex_of_block;
    const int first = model.layout.first_block(body);
    for (int k = 0; k < mapped.count; ++k)
      add(force, force.share[j] * mapped.weight[k], vertex_of_block[mapped.block[k] - first], out);
  }
}

void VertexForces::bear_at_triangle(const Model& model, const State& state, const contact::ContactForce& force,
                                    double sign, BodyVertexForces& out) {
  const int body = sign > 0 ? force.first_body : force.second_body;
  const Obstacle* obstacle = obstacle_of(model, body);
  const auto index = static_cast<std::size_t>(body);
  const std::vector<Vec3>& rest = obstacle != nullptr ? obstacle->mesh.vertices : model.bodies[index].rest.vertices;
  const std::vector<Vec3i>& triangles = obstacle != nullptr ? obstacle->mesh.triangles : model.bodies[index].triangles;
  auto tree = trees_.find(body);
  if (tree == trees_.end())
    tree = trees_.emplace(body, mesh::SignedDistance(TriangleMesh{rest, triangles, {}, {}})).first;
  const Vec3 place = sign > 0 ? force.point : Vec3(force.point - force.gap * force.normal);
  const mesh::ClosestPoint nearest = tree->second.closest_point(to_rest(model, state, body, place));
  if (nearest.triangle < 0) return;
  const Vec3i& corner = triangles[static_cast<std::size_t>(nearest.triangle)];
  const Vec3 weight = barycentric(nearest.point, rest[corner[0]], rest[corner[1]], rest[corner[2]]);
  for (int k = 0; k < 3; ++k) add(force, sign * weight[k], corner[k], out);
}

std::vector<BodyVertexForces> VertexForces::find(const Model& model, const State& state,
                                                 std::span<const contact::ContactForce> forces) {
  PLIANT_ASSERT(model.contact, "a model without contact has no contact forces");
  const contact::ContactSurface& surface = *model.contact;
  std::vector<BodyVertexForces> found(model.bodies.size() + model.obstacles.size());
  for (std::size_t b = 0; b < found.size(); ++b) {
    const Obstacle* obstacle = obstacle_of(model, static_cast<int>(b));
    const std::size_t count =
        obstacle != nullptr ? obstacle->mesh.vertices.size() : model.bodies[b].rest.vertices.size();
    found[b] = {std::vector<Vec3>(count, Vec3::Zero()), std::vector<Vec3>(count, Vec3::Zero())};
  }
  first_point_.assign(found.size(), -1);
  for (int i = static_cast<int>(surface.points.size()) - 1; i >= 0; --i)
    first_point_[static_cast<std::size_t>(surface.body_of_point[i])] = i;

  for (const contact::ContactForce& force : forces) {
    for (const double sign : {1.0, -1.0}) {
      const int body = sign > 0 ? force.first_body : force.second_body;
      const Obstacle* obstacle = obstacle_of(model, body);
      if (obstacle != nullptr && obstacle->half_space) continue;  // without a mesh
      BodyVertexForces& out = found[static_cast<std::size_t>(body)];
      bool has_bearers = obstacle == nullptr || !obstacle->round;  // of round ones contact knows the axis
      if (has_bearers)
        has_bearers = bears(force, 0, sign) || bears(force, 1, sign) || bears(force, 2, sign) || bears(force, 3, sign);
      if (has_bearers) {
        bear_at_points(model, force, sign, out);
      } else {
        bear_at_triangle(model, state, force, sign, out);
      }
    }
  }
  return found;
}

}  // namespace pliant
