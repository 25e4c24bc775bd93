#include "pliant/energy/spring/springs.h"

#include <algorithm>
#include <cmath>

namespace pliant::spring {
namespace {

// Length that a spring would have now if it had only turned.
double turned_length(const Configuration& q, const std::array<int, 2>& ends) {
  const double before = (q.before[ends[1]] - q.before[ends[0]]).squaredNorm();
  if (q.theta >= 1 || q.velocity == nullptr) return std::sqrt(before);
  const double whole_step = q.step / q.theta;
  const double change = whole_step * whole_step * ((*q.velocity)[ends[1]] - (*q.velocity)[ends[0]]).squaredNorm();
  return std::sqrt(std::max(before - q.theta * (1 - q.theta) * change, 0.0));
}

}  // namespace

Springs::Springs(const std::vector<Spring>& springs, int block_count) {
  std::vector<std::array<int, 2>> ends;
  for (const Spring& spring : springs) ends.push_back({spring.first, spring.second});
  std::vector<std::array<int, 2>> ordered;
  for (const int i : order_by_blocks<2>(ends)) {
    springs_.push_back(springs[i]);
    ordered.push_back(ends[i]);
  }
  batch_ = ElementBatch<2>(std::move(ordered), block_count);
}

double Springs::evaluate_chunk(int first, int last, const Configuration& q, const Accumulator& out) const {
  double total = 0;
  for (int e = first; e < last; ++e) {
    const Spring& spring = springs_[e];
    const std::array<int, 2>& ends = batch_[e];
    const double dashpot = q.step > 0 ? spring.viscosity / q.step : 0;  // c/θh
    const double before = dashpot > 0 ? turned_length(q, ends) : 0;
    const Vec3 d = q.now[ends[1]] - q.now[ends[0]];
    const double length = d.norm();
    total += 0.5 * spring.stiffness * std::pow(length - spring.rest_length, 2) +
             0.5 * dashpot * std::pow(length - before, 2);
    if (out.gradient == nullptr && out.hessian == nullptr) continue;

    const double floor = 1e-9 * (spring.rest_length + before);
    const Vec3 u = length > 0 ? Vec3(d / length) : Vec3::UnitX();
    const double tension = spring.stiffness * (length - spring.rest_length) + dashpot * (length - before);  // E'
    if (out.gradient != nullptr) {
      (*out.gradient)[ends[0]] -= tension * u;
      (*out.gradient)[ends[1]] += tension * u;
    }
    if (out.hessian != nullptr) {
      // E'/l = k + c/θh − (k l₀ + c/θh l_b)/l, which is also right for springs of no rest length.
      const double along = spring.stiffness + dashpot;
      const double pushed = spring.stiffness * spring.rest_length + dashpot * before;
      double across = pushed > 0 ? along - pushed / std::max(length, floor) : along;
      if (out.hessian_kind != HessianKind::exact) across = std::max(across, 0.0);
      const Mat3 block = across * Mat3::Identity() + (along - across) * u * u.transpose();
      const ElementBatch<2>::Slots& slots = batch_.slots(e);
      add_block(*out.hessian, slots[0], block);
      add_block(*out.hessian, slots[1], -block);
      add_block(*out.hessian, slots[2], block);
    }
  }
  return total;
}

void Springs::evaluate(const Configuration& q, Accumulator& out) const {
  const bool writes = out.gradient != nullptr || out.hessian != nullptr;
  const double energy = batch_.for_each_chunk(writes ? Writes::blocks : Writes::nothing,
                                              [&](int first, int last) { return evaluate_chunk(first, last, q, out); });
  if (out.value != nullptr) *out.value += energy;
}

void Springs::add_weights(const Controls&, double step, sparse::SymmetricScalarMatrix& out) const {
  static_cast<void>(batch_.for_each_chunk(Writes::blocks, [&](int first, int last) {
    for (int e = first; e < last; ++e) {
      const double dashpot = step > 0 ? springs_[e].viscosity / step : 0;
      add_spring_weight(out, batch_[e][0], batch_[e][1], springs_[e].stiffness + dashpot);
    }
    return 0.0;
  }));
}

}  // namespace pliant::spring
