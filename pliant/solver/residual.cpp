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

double residual_of_block(const StepProblem& problem, const BlockVector& gradient, double force_scale, int block) {
  const double force = free_force(problem, gradient, block);
  // A moment counts as the force at the block's length.
  if (problem.inertia_weight == 0) return force / problem.layout.length(block) / force_scale;
  return problem.step * force / problem.inertia.masses()[block] * problem.layout.length(block) / problem.speed_scale;
}

}  // namespace

double relative_residual(const StepProblem& problem, const BlockVector& gradient, double force_scale) {
  return parallel_max(gradient.size(), 0, [&](int begin, int end) {
    double worst = 0;
    for (int i = begin; i < end; ++i) worst = std::max(worst, residual_of_block(problem, gradient, force_scale, i));
    return worst;
  });
}

Residual measure_residual(const StepProblem& problem, const BlockVector& gradient, double force_scale) {
  Residual residual{relative_residual(problem, gradient, force_scale), -1};
  for (int i = 0; i < gradient.size() && residual.worst_block < 0; ++i) {
    if (residual_of_block(problem, gradient, force_scale, i) >= residual.relative) residual.worst_block = i;
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
