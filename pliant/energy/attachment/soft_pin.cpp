#include "pliant/energy/attachment/soft_pin.h"

namespace pliant {

void SoftPin::evaluate(const Configuration& q, Accumulator& out) const {
  double energy = 0;
  for (const Spring& spring : springs_) {
    if (q.controls.soft_pin_active[spring.control] == 0) continue;
    const Vec3 offset = spring.directions * (q.now[spring.block] - q.controls.soft_pin_targets[spring.target_index]);
    energy += 0.5 * spring.stiffness * offset.squaredNorm();
    if (out.gradient != nullptr) (*out.gradient)[spring.block] += spring.stiffness * offset;
    if (out.hessian != nullptr) {
      out.hessian->block(out.hessian->pattern().diagonal_slot(spring.block)) += spring.stiffness * spring.directions;
    }
  }
  if (out.value != nullptr) *out.value += energy;
}

void SoftPin::add_weights(const Controls& controls, double, sparse::SymmetricScalarMatrix& out) const {
  for (const Spring& spring : springs_) {
    if (controls.soft_pin_active[spring.control] != 0) out.add(spring.block, spring.block, spring.stiffness);
  }
}

void SoftPin::add_targets(const Controls& controls, std::vector<SoftTarget>& out) const {
  for (const Spring& spring : springs_) {
    if (controls.soft_pin_active[spring.control] != 0)
      out.push_back(
          {spring.block, controls.soft_pin_targets[spring.target_index], spring.stiffness, spring.directions});
  }
}

}  // namespace pliant
