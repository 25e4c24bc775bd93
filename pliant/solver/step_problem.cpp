#include "pliant/solver/step_problem.h"

#include <cmath>

#include "pliant/parallel/parallel.h"

namespace pliant::solver {

Objective::Objective(const StepProblem& problem) : problem_(problem) {
  const int blocks = problem.before.size();
  if (problem.theta != 1) middle_.resize(blocks);
  if (problem.inertia.is_lumped()) return;
  offset_.resize(blocks);
  momentum_.resize(blocks);
}

Configuration Objective::configuration_at(const BlockVector& q) {
  // Rates need a time step; a quasi-static problem has none.
  const double step = problem_.inertia_weight == 0 ? 0 : problem_.theta * problem_.step;
  if (problem_.theta != 1) sparse::combine(middle_, problem_.theta, q, 1 - problem_.theta, problem_.before);
  return {problem_.theta == 1 ? q : middle_,
          problem_.before,
          step,
          problem_.controls,
          problem_.theta,
          problem_.velocity,
          problem_.frames};
}

// w ½ (q − q̃)ᵀ M (q − q̃); w M (q − q̃) is added to `gradient` unless that is null.
Objective::Value Objective::add_inertia(const BlockVector& q, BlockVector* gradient) {
  const double weight = problem_.inertia_weight;
  if (weight == 0) return {};
  double energy = 0;
  if (problem_.inertia.is_lumped()) {
    // One pass over the vectors.
    const std::span<const double> masses = problem_.inertia.masses();
    const double *x = q.data(), *target = problem_.inertial_target.data();
    double* g = gradient != nullptr ? gradient->data() : nullptr;
    energy = 0.5 * weight * parallel_sum(q.size(), [&](int begin, int end) {
               math::Lanes sum{};
               for (int i = begin; i < end; ++i) {
                 const math::Lanes offset = math::load(x + 4 * i) - math::load(target + 4 * i);
                 const math::Lanes momentum = masses[static_cast<std::size_t>(i)] * offset;
                 sum += offset * momentum;
                 if (g != nullptr) math::store(g + 4 * i, math::load(g + 4 * i) + weight * momentum);
               }
               return math::sum(sum);
             });
  } else {
    sparse::combine(offset_, 1, q, -1, problem_.inertial_target);
    problem_.inertia.multiply(offset_, momentum_);
    energy = 0.5 * weight * sparse::dot(offset_, momentum_);
    if (gradient != nullptr) sparse::add_scaled(*gradient, weight, momentum_);
  }
  return {energy, std::abs(energy)};
}

Objective::Value Objective::value(const BlockVector& q, double progress) {
  Value sum = add_inertia(q, nullptr);
  const Configuration configuration = configuration_at(q);
  for (const auto& energy : problem_.energies) {
    double part = 0;
    Accumulator out;
    out.value = &part;
    energy->evaluate(configuration, out);
    sum.total += part;
    sum.magnitude += std::abs(part);
  }
  if (contact::ContactEnergy* const contact = problem_.touching(); contact != nullptr) {
    const double part = contact->value_at(q, progress);
    sum.total += part;
    sum.magnitude += std::abs(part);
  }
  return sum;
}

Objective::Value Objective::evaluate(const BlockVector& q, BlockVector& gradient, sparse::SymmetricBlockMatrix* hessian,
                                     HessianKind kind, double progress) {
  // Energies first, scaled by the chain rule of θ; then inertia, which is taken at q itself.
  Value sum;
  sparse::set_zero(gradient);
  if (hessian != nullptr) hessian->set_zero();
  const Configuration configuration = configuration_at(q);
  for (const auto& energy : problem_.energies) {
    double part = 0;
    Accumulator out{&part, &gradient, hessian, kind};
    energy->evaluate(configuration, out);
    sum.total += part;
    sum.magnitude += std::abs(part);
  }
  if (problem_.theta != 1) {
    sparse::scale(gradient, problem_.theta);
    if (hessian != nullptr) hessian->scale(problem_.theta * problem_.theta);
  }
  if (problem_.inertia_weight != 0) {
    const Value inertia = add_inertia(q, &gradient);
    sum.total += inertia.total;
    sum.magnitude += inertia.magnitude;
    if (hessian != nullptr) problem_.inertia.add_to(*hessian, problem_.inertia_weight);
  }
  if (contact::ContactEnergy* const contact = problem_.touching(); contact != nullptr) {
    contact->look(q, progress);
    const double part = contact->value();
    sum.total += part;
    sum.magnitude += std::abs(part);
    contact->add_gradient(gradient);
  }
  return sum;
}

Objective::NotFinite Objective::find_not_finite(const BlockVector& q) {
  const auto first_bad = [](const BlockVector& v) {
    for (int i = 0; i < v.size(); ++i) {
      if (!v[i].allFinite()) return i;
    }
    return -1;
  };
  BlockVector force(q.size());
  const Value inertia = add_inertia(q, &force);
  if (const int block = first_bad(force); block >= 0 || !std::isfinite(inertia.total)) return {"inertia", block};
  const Configuration configuration = configuration_at(q);
  for (const auto& energy : problem_.energies) {
    double part = 0;
    sparse::set_zero(force);
    Accumulator out{&part, &force, nullptr, HessianKind::projected};
    energy->evaluate(configuration, out);
    const int block = first_bad(force);
    if (block >= 0 || !std::isfinite(part)) return {energy->name(), block};
  }
  return {};
}

}  // namespace pliant::solver
