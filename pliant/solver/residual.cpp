#include "pliant/solver/residual.h"

#include <algorithm>
#include <cmath>

#include "pliant/parallel/parallel.h"

namespace pliant::solver {
namespace {

// ‖S_i g_i‖
double free_force(const StepProblem& problem, const BlockVector& gradient, int block) {
  const BlockFilter& filter = problem.controls.filter;
  if (filter.held_directions(block) == 0) return gradient[block].norm();
  return (filter.projector(block) * gradient[block]).norm();
}

}  // namespace

Residual measure_residual(const StepProblem& problem, const BlockVector& gradient, double force_scale) {
  const bool dynamic = problem.inertia_weight != 0;
  const std::span<const double> masses = problem.inertia.masses();
  const auto of_block = [&](int block) {
    const double force = free_force(problem, gradient, block);
    if (!dynamic) return force / force_scale;
    return problem.step * force / masses[block] * problem.layout.length(block) / problem.speed_scale;
  };
  Residual residual;
  residual.relative = parallel_max(gradient.size(), 0, [&](int begin, int end) {
    double worst = 0;
    for (int i = begin; i < end; ++i) worst = std::max(worst, of_block(i));
    return worst;
  });
  for (int i = 0; i < gradient.size(); ++i) {
    if (of_block(i) >= residual.relative) {
      residual.worst_block = i;
      break;
    }
  }
  return residual;
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
    for (int i = 0; i < force.size(); ++i) largest = std::max(largest, force[i].norm());
  }
  return largest;
}

}  // namespace pliant::solver
