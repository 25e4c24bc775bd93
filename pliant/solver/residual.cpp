#include "pliant/solver/residual.h"

#include <algorithm>
#include <cmath>

#include "pliant/math/lanes.h"
#include "pliant/parallel/parallel.h"

namespace pliant::solver {
namespace {

// ‖S_i g_i‖
double free_force(const StepProblem& problem, const BlockVector& gradient, int block) {
  const BlockFilter& filter = problem.controls.filter;
  if (filter.held_directions(block) == 0) return gradient[block].norm();
  return (filter.projector(block) * gradient[block]).norm();
}

double residual_of_block(const StepProblem& problem, const BlockVector& gradient, double force_scale, int block) {
  const double force = free_force(problem, gradient, block);
  // A moment counts as the force at the block's length.
  if (problem.inertia_weight == 0) return force / problem.layout.length(block) / force_scale;
  return problem.step * force / problem.inertia.masses()[block] * problem.layout.length(block) / problem.speed_scale;
}

// The same for blocks i to i + 3, none of which is held, in dynamics.
math::Lanes residual_of_four(const StepProblem& problem, const BlockVector& gradient, int i) {
  using math::Lanes;
  const double* g = gradient.data() + 4 * static_cast<std::size_t>(i);
  Lanes x = math::load(g), y = math::load(g + 4), z = math::load(g + 8), rest = math::load(g + 12);
  math::transpose(x, y, z, rest);
  const Lanes force = math::sqrt(x * x + y * y + z * z);
  const DofLayout& layout = problem.layout;
  const Lanes length{layout.length(i), layout.length(i + 1), layout.length(i + 2), layout.length(i + 3)};
  const Lanes mass = math::load(problem.inertia.masses().data() + i);
  return problem.step * force / mass * length / problem.speed_scale;
}

bool is_any_held(const BlockFilter& filter, int i) {
  return (filter.held_directions(i) | filter.held_directions(i + 1) | filter.held_directions(i + 2) |
          filter.held_directions(i + 3)) != 0;
}

}  // namespace

// Found in every iteration, so four blocks at a time where that is easy: roots and quotients would take a tenth of a
// quasi-Newton iteration.
double relative_residual(const StepProblem& problem, const BlockVector& gradient, double force_scale) {
  return parallel_max(gradient.size(), 0, [&](int begin, int end) {
    double worst = 0;
    math::Lanes worst_of_four{};
    int i = begin;
    while (i < end) {
      if (problem.inertia_weight != 0 && i + 3 < end && !is_any_held(problem.controls.filter, i)) {
        worst_of_four = math::max(residual_of_four(problem, gradient, i), worst_of_four);
        i += 4;
      } else {
        worst = std::max(worst, residual_of_block(problem, gradient, force_scale, i));
        ++i;
      }
    }
    for (int lane = 0; lane < math::kLaneCount; ++lane) worst = std::max(worst, worst_of_four[lane]);
    return worst;
  });
}

Residual measure_residual(const StepProblem& problem, const BlockVector& gradient, double force_scale) {
  Residual residual{0, -1};
  for (int i = 0; i < gradient.size(); ++i) {
    const double of_block = residual_of_block(problem, gradient, force_scale, i);
    if (of_block > residual.relative || (residual.worst_block < 0 && of_block == 0)) residual = {of_block, i};
  }
  return residual;
}

double force_scale_of(const StepProblem& problem, const BlockVector& q) {
  if (problem.inertia_weight != 0) return 1;
  const double largest = largest_force(problem, q);
  return largest > 0 ? largest : 1;
}

double largest_force(const StepProblem& problem, const BlockVector& q) {
  BlockVector force(q.size());
  double largest = 0;
  const Configuration configuration{q, problem.before, 0, problem.controls, 1, nullptr, problem.frames};
  for (const auto& energy : problem.energies) {
    sparse::set_zero(force);
    Accumulator out;
    out.gradient = &force;
    energy->evaluate(configuration, out);
    for (int i = 0; i < force.size(); ++i) largest = std::max(largest, force[i].norm() / problem.layout.length(i));
  }
  return largest;
}

}  // namespace pliant::solver
