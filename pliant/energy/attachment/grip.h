// A hand that pulls a vertex: springs of zero length to places that somebody points at while the simulation runs.
//
//   E = Σ ½ k ‖x_i − target‖²,   with block, target and k [N/m] from Controls::grips; zero when nobody pulls
#pragma once

#include "pliant/energy/compliant.h"
#include "pliant/energy/energy.h"
#include "pliant/energy/weighted.h"

namespace pliant {

class Grip final : public Energy, public Weighted, public Compliant {
 public:
  void evaluate(const Configuration& q, Accumulator& out) const override;
  void add_weights(const Controls& controls, double step, sparse::SymmetricScalarMatrix& out) const override;
  [[nodiscard]] bool add_soft_elements(SoftElements&) const override { return true; }
  void add_targets(const Controls& controls, std::vector<SoftTarget>& out) const override;
  [[nodiscard]] std::string name() const override { return "grip"; }
};

}  // namespace pliant
