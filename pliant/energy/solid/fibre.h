// Fibres in a solid: springs along one rest direction, added to any material.
//
//   Ψ = κ/2 (‖F d‖ − 1)²,    P = κ (1 − 1/ℓ) n dᵀ,   n = F d, ℓ = ‖n‖          [Liu2018, sec. 8.3]
//   κ  stiffness [Pa],  d  unit fibre direction in the rest state
//
// Hessian of one block: V (d·b_i)(d·b_j) κ (u uᵀ + (1 − 1/ℓ)(I − u uᵀ)), u = n/ℓ; `projected` clamps 1 − 1/ℓ at zero.
// Not Weighted: a matrix that acts on x, y and z alike cannot follow the direction of a turned fibre.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pliant/energy/energy.h"
#include "pliant/energy/solid/tet_elements.h"

namespace pliant::solid {

class Fibre final : public Energy {
 public:
  // Per tet, in the order given to TetElements: direction [unit vector; zero = no fibre] and stiffness [Pa].
  Fibre(std::shared_ptr<const TetElements> elements, std::span<const Vec3> directions,
        std::span<const double> stiffness);

  void evaluate(const Configuration& q, Accumulator& out) const override;
  [[nodiscard]] std::string name() const override { return "fibre"; }

 private:
  [[nodiscard]] double evaluate_groups(int first, int last, const double* x, const Accumulator& out) const;

  std::shared_ptr<const TetElements> elements_;   // shared with the body's other energies
  std::vector<double> direction_[3], stiffness_;  // per lane
};

}  // namespace pliant::solid
