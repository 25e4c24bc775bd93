#include "pliant/energy/attachment/grip.h"

namespace pliant {

void Grip::evaluate(const Configuration& q, Accumulator& out) const {
  for (const GrippedBlock& grip : q.controls.grips) {
    const Vec3 offset = q.now[grip.block] - grip.target;
    if (out.value != nullptr) *out.value += 0.5 * grip.stiffness * offset.squaredNorm();
    if (out.gradient != nullptr) (*out.gradient)[grip.block] += grip.stiffness * offset;
    if (out.hessian != nullptr)
      out.hessian->block(out.hessian->pattern().diagonal_slot(grip.block)).diagonal().array() += grip.stiffness;
  }
}

void Grip::add_weights(const Controls& controls, double, sparse::SymmetricScalarMatrix& out) const {
  for (const GrippedBlock& grip : controls.grips) out.add(grip.block, grip.block, grip.stiffness);
}

void Grip::add_targets(const Controls& controls, std::vector<SoftTarget>& out) const {
  for (const GrippedBlock& grip : controls.grips)
    out.push_back({grip.block, grip.target, grip.stiffness, Mat3::Identity()});
}

}  // namespace pliant
