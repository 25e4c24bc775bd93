// Constraint projection: a step solved in its forces instead of its positions [Francu2016, ch. 6, 7].
//
//   minimise  w/2 (q − q̃)ᵀ M (q − q̃)   subject to   c(q) + C⁻¹ λ = 0         links, strains, joints; C their stiffness
//                                                     0 ≤ gap ⊥ λ_n ≥ 0, friction in its cone
//
// Starting from q̃, where inertia and loads alone lead, every constraint in turn moves what it touches by W Jᵀ ΔΛ; values and
// directions are those of where things are now. A soft constraint knows its whole multiplier Λ, so that stiffness does not
// depend on the number of iterations (the printed (6.47) lets it: errata R1), and what is found when nothing changes any more
// is the implicit step that newton finds for the same energies.
//
// Loads, wind and pressure act as they would at q̃; light surfaces under pressure ask for shorter steps (pressed_surfaces.h). Energies take part as soft constraints (energy/compliant.h) or not at all.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "pliant/solver/projection/contact_batch.h"
#include "pliant/solver/projection/dual_iteration.h"
#include "pliant/solver/step_problem.h"
#include "pliant/solver/step_solver.h"

namespace pliant::solver {

enum class ProjectionPrecision { double_precision, float_precision };

struct ProjectionOptions {
  ProjectionIteration iteration = ProjectionIteration::gauss_seidel;
  std::optional<int> iterations = 30;  // a fixed budget; none = until the tolerance
  double tolerance = 1e-6;             // of the speed that one more iteration would change, relative (stopping rule)
  int max_iterations = 100000;         // without a budget
  ProjectionPrecision precision = ProjectionPrecision::double_precision;
  FrictionCone cone = FrictionCone::cylinder;
  double relaxation = 1.2;  // ω of sor
  bool is_warm = true;      // contacts start with the forces of the last step
  // How often a step goes on for another budget as more contacts are met. A box at 50 m/s that takes a cloth along in steps of 0.8 m
  // needs all of them; ten leave half as much of the cloth in the box, at twice the price. (Sweeps over contacts alone
  // after the last one keep more of it out, but made a scene of all kinds of bodies gain twice its energy.)
  int looks = 5;
  // Velocity-level stepping: links, strains and hinges are linear, with values and directions before the step, and contacts
  // keep their first arms; joints are felt where they are. [Francu2016, 6.3]
  bool velocity_level = false;
};

class Projection final : public StepSolver {
 public:
  explicit Projection(const ProjectionOptions& options);
  ~Projection() override;

  [[nodiscard]] SolveReport solve(const StepProblem& problem, BlockVector& q) override;
  [[nodiscard]] std::string name() const override { return "projection"; }
  [[nodiscard]] std::string linear_name() const override;

 private:
  class Core;
  template <class Real>
  class CoreOf;

  ProjectionOptions options_;
  std::unique_ptr<Core> core_;
};

// The name of an energy that projection cannot take; empty when it can take all.
[[nodiscard]] std::string not_projectable(std::span<const std::unique_ptr<Energy>> energies,
                                          std::span<const unsigned char> is_load);

}  // namespace pliant::solver
