#include "pliant/energy/load/edge_torques.h"

#include <Eigen/Geometry>

namespace pliant {

void EdgeTorques::evaluate(const Configuration& q, Accumulator& out) const {
  double energy = 0;
  for (const Load& load : loads_) {
    const Vec3 torque = q.controls.load_values[load.value_index] / static_cast<double>(load.edges.size());
    for (const RodEdge& edge : load.edges) {
      const Vec3 along = tangent(edge, q.before);
      const double length = (q.before[edge.to] - q.before[edge.from]).norm();
      const double twisting = torque.dot(along);
      const Vec3 force = length > 0 ? Vec3(torque.cross(along) / length) : Vec3(Vec3::Zero());  // on `to`
      energy -= twisting * q.now[edge.twist][0] + force.dot(q.now[edge.to] - q.now[edge.from]);
      if (out.gradient == nullptr) continue;
      (*out.gradient)[edge.twist][0] -= twisting;
      (*out.gradient)[edge.to] -= force;
      (*out.gradient)[edge.from] += force;
    }
  }
  if (out.value != nullptr) *out.value += energy;
}

}  // namespace pliant
