// One time step as a minimisation, the same for every integrator and every solver:
//
//   g(q) = w · ½ (q − q̃)ᵀ M (q − q̃) + Σ E(θ q + (1 − θ) before) + C(q)    [architecture.md, one problem, many
//   solvers]
//
//   w, θ, q̃   chosen by the integrator: 1/h², 1, before + h v for backward Euler; 0, 1, – when quasi-static
//   ∇g = w M (q − q̃) + θ Σ ∇E + ∇C,      ∇²g = w M + θ² Σ ∇²E + ∇²C
//   C          contact, at the end of the step; its Hessian couples other blocks in every iteration, so it is not part
//              of what Objective assembles
// Pins are not part of g: the controls say which directions are held and where they must end.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pliant/configuration/configuration.h"
#include "pliant/configuration/dof_layout.h"
#include "pliant/configuration/state.h"
#include "pliant/constraint/joint.h"
#include "pliant/contact/contact_potential.h"
#include "pliant/contact/penalty_contact.h"
#include "pliant/contact/projected_contact.h"
#include "pliant/energy/energy.h"
#include "pliant/energy/inertia.h"

namespace pliant::solver {

// A model whose matrix stands for that of the problem in solvers with a constant matrix: after a tear it may be an
// earlier one (docs/tearing.md).
struct MatrixModel {
  const Inertia* inertia = nullptr;
  std::span<const std::unique_ptr<Energy>> energies;
  std::shared_ptr<const sparse::BlockPattern> pattern;
  std::span<const int> row_of_block;  // per block of the problem: its block in this model; empty = the same
};

// Pins that hold from the first step to the last: what comes and goes is a change of few rows against them.
struct LastingPins {
  std::vector<unsigned char> held;       // per block: wholly
  std::vector<unsigned char> soft_pins;  // per soft pin
};

struct StepProblem {
  double step = 0;                     // s, h
  double inertia_weight = 0;           // 1/s², w; 0 = quasi-static
  double theta = 1;                    // where energies are evaluated between before (0) and now (1)
  double speed_scale = 0;              // m/s, the step's characteristic speed: residuals are relative to it
  const BlockVector& before;           // m
  const BlockVector& inertial_target;  // m, q̃
  const Inertia& inertia;
  std::span<const std::unique_ptr<Energy>> energies;
  const Controls& controls;
  const DofLayout& layout;
  std::shared_ptr<const sparse::BlockPattern> pattern;
  const BlockVector* velocity = nullptr;         // m/s, at the start of the step; null = at rest
  const RodFrames* frames = nullptr;             // of rods, at `before`
  const LastingPins* lasting = nullptr;          // null = those that hold now
  std::optional<MatrixModel> matrix = {};        // none = the problem itself
  std::optional<MatrixModel> next_matrix = {};   // will be `matrix` in some steps: to be made ready in the background
  contact::ContactPotential* contact = nullptr;  // barriers, for solvers with second derivatives; null = none
  contact::PenaltyContact* penalty = nullptr;    // springs, for a constant matrix; null = none. At most one of the two
  double contact_pressure = 0;                   // Pa, of either
  contact::ProjectedContact* projected = nullptr;  // constraints, for projection; null = none
  std::span<const RigidFrame> rigids = {};
  std::span<const constraint::Joint> joints = {};
  const ForceMemory* forces = nullptr;  // of contacts in the last step
  const StickMemory* stick = nullptr;   // friction's memory at the start of the step
  // Where forces of joints, and all that turns rigid bodies, act apart from the rest and go h²/2 f/m far
  // (dynamics/time_integrator.h): 2/h² [1/s²]. 0 = as the rest does.
  double apart_weight = 0;
  std::span<const Vec3> load_torques = {};  // N m, then: of loads in the middle, per rigid body
  int parts = 1;                            // that the nominal step is taken in

  // Whichever there is; null = nothing touches.
  [[nodiscard]] contact::ContactEnergy* touching() const {
    if (contact != nullptr) return contact;
    return penalty;
  }
};

// Evaluates g and its derivatives; owns the scratch vectors.
class Objective {
 public:
  explicit Objective(const StepProblem& problem);

  struct Value {
    double total = 0;      // J
    double magnitude = 0;  // J, sum of the absolute parts: the scale of rounding errors in total
  };
  // progress: how far obstacles are on their way through the step.
  Value value(const BlockVector& q, double progress = 1);
  // gradient [N] and, unless null, hessian [N/m] are overwritten; the hessian is without contact.
  Value evaluate(const BlockVector& q, BlockVector& gradient, sparse::SymmetricBlockMatrix* hessian, HessianKind kind,
                 double progress = 1);

  // Names the energy and the block where a value or force at q is not finite; empty when all is well.
  struct NotFinite {
    std::string energy;  // "inertia", "neo_hookean", …; empty = finite
    int block = -1;
  };
  NotFinite find_not_finite(const BlockVector& q);

 private:
  // What energies see: θ q + (1 − θ) before.
  Configuration configuration_at(const BlockVector& q);
  Value add_inertia(const BlockVector& q, BlockVector* gradient);

  const StepProblem& problem_;
  BlockVector middle_;             // where θ ≠ 1
  BlockVector offset_, momentum_;  // where masses are not lumped
};

}  // namespace pliant::solver
