// The part of a scene that says how time goes on and who solves its steps (scene.h has the rest).
#pragma once

#include <optional>
#include <string>

#include "pliant/math/types.h"

namespace pliant::scene {

// Where something stands in the input, for messages: "scene.yaml:12", or empty for scenes made in code.
struct Source {
  std::string place;
  operator const std::string&() const { return place; }
  friend bool operator==(const Source&, const Source&) { return true; }
};

enum class Integrator { backward_euler, bdf2, implicit_midpoint, newmark, symplectic_euler, quasi_static };

struct NewmarkSettings {
  double beta = 0.25;  // 1/4: trapezoidal rule, no damping
  double gamma = 0.5;  // above 1/2: numerical damping
  bool operator==(const NewmarkSettings&) const = default;
};

struct TimeSettings {
  double step = 0.01;  // s
  double end = 0.0;    // s; required in a file
  Integrator integrator = Integrator::backward_euler;
  NewmarkSettings newmark;
  int retries = 6;  // how often a failing step is halved before the run stops
  bool operator==(const TimeSettings&) const = default;
};

// Air moving past the triangles of cloth and of sheets of springs.
struct Wind {
  Source source;
  Vec3 velocity = Vec3::Zero();  // m/s
  double air_density = 1.2;      // kg/m³
  double drag = 0.0;             // coefficient
  double lift = 0.0;             // coefficient
  bool operator==(const Wind&) const = default;
};

enum class SolverMethod { newton, quasi_newton, projection };
enum class LinearMethod { automatic, cholesky, pcg, banded, multigrid };  // `auto` in files
enum class HessianForm { projected, exact, warped };
enum class LineSearchRule { armijo };

struct NewtonSettings {
  LinearMethod linear = LinearMethod::automatic;
  HessianForm hessian = HessianForm::projected;
  LineSearchRule line_search = LineSearchRule::armijo;
  std::optional<int> iterations;  // a fixed budget; 1 = linearly implicit Euler; null = until the tolerance
  bool operator==(const NewtonSettings&) const = default;
};

enum class FactorPrecision { double_precision, float_precision, half_precision };  // double, float, half in files
enum class MatrixAfterTears { refactor, keep, background };

struct QuasiNewtonSettings {
  int history = 5;                     // L-BFGS pairs; 0 = the constant matrix alone
  std::optional<int> iterations = 10;  // a fixed budget; null = until the tolerance
  bool then_newton = false;            // hand over to newton, which goes on to the tolerance
  FactorPrecision factor = FactorPrecision::float_precision;
  MatrixAfterTears after_tears = MatrixAfterTears::background;
  int background_steps = 4;  // until a factor made in the background is taken up; at most twice as many
  bool operator==(const QuasiNewtonSettings&) const = default;
};

enum class ProjectionOrder {
  gauss_seidel,
  sor,
  jacobi,
  improved_jacobi,
  accelerated_jacobi,
  conjugate_residual,
  minres
};
enum class ProjectionReal { double_precision, float_precision };  // double, float in files
enum class FrictionForm { cylinder, cone, box };

struct ProjectionSettings {
  ProjectionOrder iteration = ProjectionOrder::gauss_seidel;
  std::optional<int> iterations = 30;  // a fixed budget; null = until the tolerance
  ProjectionReal precision = ProjectionReal::double_precision;
  FrictionForm friction_cone = FrictionForm::cylinder;
  double relaxation = 1.2;  // of sor
  bool warm_start = true;
  int looks = 5;
  bool velocity_level = false;
  std::optional<double> sleep_after;  // s; null = never
  double sleep_speed = 0.01;          // m/s
  bool operator==(const ProjectionSettings&) const = default;
};

struct LinearSettings {
  double tolerance = 1.0e-8;  // relative residual of iterative linear solvers
  int max_iterations = 2000;
  bool deterministic = true;  // BLAS on one thread: bits do not depend on the number of threads
  bool operator==(const LinearSettings&) const = default;
};

struct SolverSettings {
  SolverMethod method = SolverMethod::newton;
  double tolerance = 1.0e-6;  // relative to the step's characteristic speed (architecture.md, stopping rule)
  int max_iterations = 100;   // per step
  NewtonSettings newton;
  QuasiNewtonSettings quasi_newton;
  ProjectionSettings projection;
  LinearSettings linear;
  bool operator==(const SolverSettings&) const = default;
};

}  // namespace pliant::scene
