// One time step of implicit Euler, put together by hand, for comparisons of methods that solve it.
//
//   g(x) = 1/(2h²) ‖x − y‖²_M + E(x),    y = x_n + h v_n + h² a        a: gravity [m/s²]            [Liu2018, eq. 3.30]
//
// Gravity is in y, not in E, so that every method starts where the reference starts it. Attachments are soft (springs of
// zero length), so that nothing is held and all methods see the same unknowns.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "pliant/energy/spring/springs.h"
#include "pliant/mesh/meshes.h"
#include "pliant/solver/step_problem.h"

namespace pliant::study {

struct StudyStep {
  std::vector<Vec3> rest;                               // m
  std::vector<Vec4i> tets;                              // of solids
  std::vector<spring::Spring> springs;                  // of cloth and chains
  std::vector<int> attached;                            // blocks, one per target in controls
  std::vector<std::unique_ptr<Energy>> energies;        // the first is elastic, the second attaches
  std::shared_ptr<const sparse::BlockPattern> pattern;  // shared with matrices and solvers
  Inertia inertia;
  Controls controls;
  DofLayout layout;
  BlockVector before, velocity, target;                  // x_n [m], v_n [m/s], y [m]
  double step = 1.0 / 30;                                // s, h
  double time = 0;                                       // s, at `before`
  double drag = 1;                                       // v_n counts times this
  Vec3 gravity = Vec3::Zero();                           // m/s²
  std::function<void(StudyStep&, double)> move_targets;  // to where they are at a time; empty: they rest

  [[nodiscard]] int count() const { return before.size(); }
  [[nodiscard]] solver::StepProblem problem() const;
  // y and the attachments' targets of the step from `before`.
  void predict();
  // Ends the step at x and predicts the next.
  void accept(const BlockVector& x);
  [[nodiscard]] double kinetic_energy() const;
};

// A sheet of side² vertices, 1 m × 1 m, 1 kg: structural, shear and skip-one springs, held at its top corners and pulled
// aside by 60°. Stiffness 80 N/m (skip-one: 20) for 11² vertices, proportional to the resolution, times `factor`.
[[nodiscard]] StudyStep make_curtain(int side, double factor);

// 20 springs of 5 cm in a row, 1 kg, one end held, horizontal at the start.
[[nodiscard]] StudyStep make_chain(double stiffness);

// A bar 4 × 1 × 1 of neo-Hookean tets, mass 10, μ 20, λ 100, attachments 120 per vertex; its ends turn by 180°, one
// against the other.
struct BarOptions {
  int cells_across = 6;
  double stiffness = 1;  // times μ, λ and the attachments
  double duration = 1;   // s, of the half turns
};
[[nodiscard]] StudyStep make_bar(const BarOptions& options);

// A cube of side 1 of the same material and mass, stretched by 1.1 along x, the whole turned by `degrees` about z; free.
[[nodiscard]] StudyStep make_cube(int cells, double stiffness, double degrees);

// Lamé parameters of bar and cube [Pa].
inline constexpr double kMu = 20, kLambda = 100;

}  // namespace pliant::study
