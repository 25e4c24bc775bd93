// Forces on chosen vertices that are constant during a step: `force`, `traction` and `torque` of the scene.
//
//   force     f_i = w_i f,              Σ w_i = 1                  f total force [N]
//   traction  f_i = A_i t,              A_i rest area share [m²]   t [Pa]
//   torque    f_i = w_i ω × (x_i − c),  ω from Σ (x_i − c) × f_i = τ [N·m], c = Σ w_i x_i; on the axes of a rigid body c = 0
// all with E = −Σ f_i·x_i. Force and traction do not turn with the body (dead loads). The arms x_i − c of a torque are
// those at the start of the step: a load that followed the iterate would have no potential.
#pragma once

#include <vector>

#include "pliant/energy/energy.h"

namespace pliant {

struct WeightedBlock {
  int block = 0;
  double weight = 0;  // share of the force (1), or area (m²)
};

class PointLoads final : public Energy {
 public:
  enum class Kind { along, around, around_axes };  // along: w_i × value; around, around_axes: the torque's couple
  struct Load {
    Kind kind = Kind::along;
    int value_index = 0;  // into Controls::load_values
    std::vector<WeightedBlock> blocks;
  };
  explicit PointLoads(std::vector<Load> loads) : loads_(std::move(loads)) {}

  void evaluate(const Configuration& q, Accumulator& out) const override;
  [[nodiscard]] std::string name() const override { return "point_loads"; }

 private:
  std::vector<Load> loads_;
};

}  // namespace pliant
