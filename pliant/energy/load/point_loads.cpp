#include "pliant/energy/load/point_loads.h"

#include <Eigen/Geometry>
#include <Eigen/LU>

namespace pliant {
namespace {

// The couple f_i = w_i ω × r_i about the weighted centre, whose moment is the torque.
struct Couple {
  Vec3 centre = Vec3::Zero();
  Vec3 omega = Vec3::Zero();
};

Couple couple_of(const PointLoads::Load& load, const BlockVector& x, const Vec3& torque) {
  Couple couple;
  double total = 0;
  for (const WeightedBlock& b : load.blocks) {
    couple.centre += b.weight * x[b.block];
    total += b.weight;
  }
  couple.centre /= total;
  if (load.kind == PointLoads::Kind::around_axes) couple.centre.setZero();
  Mat3 inertia = Mat3::Zero();
  for (const WeightedBlock& b : load.blocks) {
    const Vec3 r = x[b.block] - couple.centre;
    inertia += b.weight * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
  }
  // Points on one line cannot take a torque along it: the least-squares couple ignores that part.
  couple.omega = inertia.fullPivLu().solve(torque);
  return couple;
}

}  // namespace

void PointLoads::evaluate(const Configuration& q, Accumulator& out) const {
  double energy = 0;
  for (const Load& load : loads_) {
    const Vec3 value = q.controls.load_values[load.value_index];
    if (value.isZero(0)) continue;
    Couple couple;
    if (load.kind != Kind::along) couple = couple_of(load, q.before, value);
    for (const WeightedBlock& b : load.blocks) {
      Vec3 force = b.weight * value;
      if (load.kind != Kind::along) force = b.weight * couple.omega.cross(q.before[b.block] - couple.centre);
      energy -= force.dot(q.now[b.block]);
      if (out.gradient != nullptr) (*out.gradient)[b.block] -= force;
    }
  }
  if (out.value != nullptr) *out.value += energy;
}

}  // namespace pliant
