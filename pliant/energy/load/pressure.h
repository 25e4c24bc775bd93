// Pressure on triangles: each carries the force p A n, a third per corner; p [Pa] > 0 pulls along the outward normal.
//
//   closed surface   E = −p V,  V = Σ x_0·(x_1 × x_2)/6        exact and conservative: the force turns with the surface
//   open patch       E = −Σ f_i·x_i with p A n/3 of the start of the step: a following pressure on a patch with a rim
//   has no
//                    potential, so it lags by one step
// The Hessian of −p V is indefinite; it is added when the exact Hessian is wanted and left out of the projected one
// (Newton then converges linearly in the pressure, and the line search keeps it safe).
#pragma once

#include <vector>

#include "pliant/energy/energy.h"

namespace pliant {

class Pressure final : public Energy {
 public:
  enum class Surface { closed, patch };
  struct Load {
    int value_index = 0;  // into Controls::load_values, first entry [Pa]
    Surface surface = Surface::patch;
    std::vector<Vec3i> triangles;  // block indices, counter-clockwise from outside
  };
  explicit Pressure(std::vector<Load> loads) : loads_(std::move(loads)) {}

  void evaluate(const Configuration& q, Accumulator& out) const override;
  [[nodiscard]] std::string name() const override { return "pressure"; }
  [[nodiscard]] const std::vector<Load>& loads() const { return loads_; }

 private:
  std::vector<Load> loads_;
};

}  // namespace pliant
