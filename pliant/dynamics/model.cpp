#include "pliant/dynamics/model.h"

#include <algorithm>

#include "pliant/mesh/surface.h"

namespace pliant {

std::string Model::describe_block(int block) const {
  if (block < 0) return "an unknown place";
  const BlockPlace place = layout.locate(block);
  const ModelBody& body = bodies[place.body];
  if (body.rigid >= 0) {
    const std::string axis = ", principal axis " + std::to_string(place.index);
    return "body '" + body.name + "'" + (place.index == 0 ? ", centre of mass" : axis);
  }
  const int vertex = body.vertex_of_block[place.index];
  const std::string what =
      vertex >= 0 ? "', vertex " + std::to_string(vertex) : "', edge " + std::to_string(-1 - vertex);
  return "body '" + body.name + what;
}

std::vector<unsigned char> Model::presence(double time) const {
  std::vector<unsigned char> is_there(static_cast<std::size_t>(layout.block_count()), 1);
  for (auto birth = births.rbegin(); birth != births.rend() && birth->time > time + kTimeTolerance; ++birth)
    is_there[static_cast<std::size_t>(birth->block)] = 0;
  return is_there;
}

std::vector<int> ModelBody::place_blocks() const {
  if (rigid_points.empty()) return block_of_vertex;
  const std::array<int, 4>& blocks = rigid_points.front().block;
  return {blocks.begin(), blocks.end()};
}

std::vector<double> RestAnimation::at(double time) const {
  std::size_t next = 0;
  while (next < keys.size() && keys[next].time <= time) ++next;
  const Key& before = keys[next == 0 ? 0 : next - 1];
  const Key& after = keys[std::min(next, keys.size() - 1)];
  const double span = after.time - before.time, part = span > 0 ? (time - before.time) / span : 0;
  const double all = weight.at(time)[0];
  std::vector<double> lengths(own.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    const double w = factors.empty() ? all : all * factors[i / 3];
    lengths[i] = (1 - w) * own[i] + w * ((1 - part) * before.lengths[i] + part * after.lengths[i]);
  }
  return lengths;
}

std::array<int, 2> rod_joints(const Model& model, const ModelBody& body) {
  if (body.kind != BodyKind::rod) return {0, 0};
  // Joints stand in the order of their bodies, as edges do.
  const std::vector<RodJoint>& joints = model.rods.joints;
  const auto first_from = [&](int edge) {
    return static_cast<int>(
        std::partition_point(joints.begin(), joints.end(),
                             [&](const RodJoint& j) { return std::min(j.before, j.after) < edge; }) -
        joints.begin());
  };
  return {first_from(body.first_rod_edge), first_from(body.first_rod_edge + static_cast<int>(body.segments.size()))};
}

std::vector<Vec3i> surface_triangles(const ModelBody& body) {
  return body.rest.tets.empty() ? body.triangles : boundary_triangles(body.rest);
}

std::vector<Vec3> Model::obstacle_points(double time) const {
  std::vector<Vec3> points;
  for (const Obstacle& obstacle : obstacles) {
    const RigidTransform place = obstacle.motion.at(time);
    for (const Vec3& x : obstacle.contact_points()) points.push_back(place * x);
  }
  return points;
}

double Model::mass_of(const ModelBody& body) const {
  if (body.rigid >= 0) return rigids[static_cast<std::size_t>(body.rigid)].frame.mass;
  double mass = 0;
  for (const int block : body.block_of_vertex) mass += inertia.masses()[static_cast<std::size_t>(block)];
  return mass;
}

int Model::anchor_count() const {
  int count = 0;
  for (const ScriptedPin& pin : pins) count += static_cast<int>(pin.blocks.size() + pin.edges.size());
  return count;
}

}  // namespace pliant
