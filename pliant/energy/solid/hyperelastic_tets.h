// The elastic energy Σ V Ψ(F) of tetrahedra made of one material law, with parameters per element.
//
// Value and gradient use the law's own formulas. The Hessian goes through the signed SVD and the analytic eigensystem
// (hyperelastic_law.h); `projected` clamps negative eigenvalues to zero, element by element. Inverted and flat elements
// are ordinary cases: every law is finite there (laws with ln J continue it below a tenth of the volume, log_volume.h).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "pliant/energy/compliant.h"
#include "pliant/energy/energy.h"
#include "pliant/energy/solid/hyperelastic_law.h"
#include "pliant/energy/solid/stress.h"
#include "pliant/energy/solid/tet_elements.h"
#include "pliant/energy/weighted.h"

namespace pliant::solid {

struct HyperelasticOptions {
  // Below this J the energy is replaced by its quadratic continuation along the line to the rest state
  // (extrapolation.h); none = the law itself.
  std::optional<double> extrapolate_below;
};

template <HyperelasticLaw Law>
class HyperelasticTets final : public Energy, public Stressed, public Weighted, public Compliant {
 public:
  // parameters[k]: the k-th parameter of every tet, in the order of the tets given to TetElements. The elements are
  // shared with the other energies of the same bodies (damping, fibres).
  HyperelasticTets(std::shared_ptr<const TetElements> elements, Law law,
                   std::span<const std::vector<double>> parameters, HyperelasticOptions options = {});

  void evaluate(const Configuration& q, Accumulator& out) const override;
  // Nothing for terms that stand beside a law.
  void visit_stress(const BlockVector& now, parallel::FunctionRef<void(const ElementStress&)> visit) const override;
  // k of every tet: the law's `weight` if it has one, else the fit to ∂Ψ/∂s₁(s, 1, 1) with its parameters.
  void add_weights(const Controls& controls, double step, sparse::SymmetricScalarMatrix& out) const override;
  // Of laws that are quadratic in a strain: they have kSoftStrain.
  [[nodiscard]] bool add_soft_elements(SoftElements& out) const override;
  [[nodiscard]] std::string name() const override { return std::string(Law::kName); }

 private:
  struct Kernel;

  std::shared_ptr<const TetElements> elements_;
  Law law_;
  std::vector<double> parameters_;  // [group][parameter][lane]
  HyperelasticOptions options_;
};

}  // namespace pliant::solid
