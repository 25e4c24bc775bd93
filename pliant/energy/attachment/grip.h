// A hand that pulls a vertex: springs of zero length to places that somebody points at while the simulation runs.
//
//   E = Σ ½ k ‖x_i − target‖²,   with block, target and k [N/m] from Controls::grips; zero when nobody pulls
#pragma once

#include "pliant/energy/energy.h"

namespace pliant {

class Grip final : public Energy {
 public:
  void evaluate(const Configuration& q, Accumulator& out) const override;
  [[nodiscard]] std::string name() const override { return "grip"; }
};

}  // namespace pliant
