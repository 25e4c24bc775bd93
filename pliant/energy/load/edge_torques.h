// Torques on edges of rods.
//
//   M  N·m, what one edge gets;   t unit tangent, l length, both at the start of the step
//   the part along t acts on the edge's twist:      E = −(M·t) θ
//   the rest is a couple of forces on its ends:     ±(M × t)/l,  since  l t × (M × t)/l = M − (M·t) t
//
// Directions are those of the start of the step, so the load is constant over it and needs no Hessian.
#pragma once

#include <vector>

#include "pliant/configuration/rod_frames.h"
#include "pliant/energy/energy.h"

namespace pliant {

class EdgeTorques final : public Energy {
 public:
  struct Load {
    int value_index = 0;  // into Controls::load_values: the torque [N·m], shared equally
    std::vector<RodEdge> edges;
  };
  explicit EdgeTorques(std::vector<Load> loads) : loads_(std::move(loads)) {}

  void evaluate(const Configuration& q, Accumulator& out) const override;
  [[nodiscard]] std::string name() const override { return "edge_torques"; }

 private:
  std::vector<Load> loads_;
};

}  // namespace pliant
