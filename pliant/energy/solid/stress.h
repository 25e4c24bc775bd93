// How solids are stressed, for results and pictures: a capability that elastic energies of tetrahedra have.
//
//   σ = P Fᵀ / J [Pa]     Cauchy stress of an element, from its first Piola-Kirchhoff stress P
//   von Mises = √(3/2 dev σ : dev σ)
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pliant/energy/energy.h"
#include "pliant/parallel/parallel.h"

namespace pliant::solid {

struct ElementStress {
  int corner[4];  // block indices
  double volume;  // m³, at rest
  Mat3 deformation_gradient;
  Mat3 piola;  // Pa
};

class Stressed {
 public:
  virtual ~Stressed() = default;
  virtual void visit_stress(const BlockVector& now, parallel::FunctionRef<void(const ElementStress&)> visit) const = 0;
};

[[nodiscard]] double von_mises_stress(const Mat3& deformation_gradient, const Mat3& piola);

// Pa, per block: the mean over the tets around it, weighted by their volumes; 0 where there are none. The elastic law's
// own stress: fibres, strain limits, volume terms and damping are not in it.
[[nodiscard]] std::vector<double> von_mises_per_block(std::span<const std::unique_ptr<Energy>> energies,
                                                      const BlockVector& now);

}  // namespace pliant::solid
