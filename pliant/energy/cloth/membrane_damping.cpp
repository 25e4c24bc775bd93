#include "pliant/energy/cloth/membrane_damping.h"

#include <algorithm>

#include "pliant/energy/cloth/edge_membrane_kernels.h"

namespace pliant::cloth {

MembraneDamping::MembraneDamping(const MembraneSheet& sheet, std::span<const OrthotropicCoefficients> viscous)
    : elements_(sheet) {
  PLIANT_ASSERT(viscous.size() == sheet.triangles.size(), "every triangle has its viscous coefficients");
  for (int e = 0; e < elements_.count(); ++e) {
    const OrthotropicCoefficients& c = viscous[elements_.source(e)];
    matrix_.push_back(membrane_matrix(elements_.rest(e), c));
    weight_.push_back(std::max(c.lambda + 2 * c.mu + c.alpha + c.beta, 0.0));
  }
}

double MembraneDamping::evaluate_chunk(int first, int last, const Configuration& q, const Accumulator& out) const {
  const ElementBatch<3>& batch = elements_.batch();
  const double per_step = 1 / q.step, whole_step = q.step / q.theta;
  const bool on_chords = q.theta < 1 && q.velocity != nullptr;
  double total = 0;
  for (int e = first; e < last; ++e) {
    const TriangleEdges edges(q.now.data(), batch[e]);
    double now[3], before[3], shortened[3] = {0, 0, 0}, change[3];
    edges.squared_lengths(now);
    TriangleEdges(q.before.data(), batch[e]).squared_lengths(before);
    if (on_chords) TriangleEdges(q.velocity->data(), batch[e]).squared_lengths(shortened);
    const double chord = q.theta * (1 - q.theta) * whole_step * whole_step;
    for (int i = 0; i < 3; ++i) change[i] = 0.5 * (now[i] - before[i] + chord * shortened[i]);

    if (out.hessian != nullptr) prefetch_blocks(out.hessian->values(), batch, e, last);
    const Symmetric3& t = matrix_[e];
    EdgeDerivatives d = StVenantKirchhoff::derivatives(
        {per_step * t.xx, per_step * t.yy, per_step * t.zz, per_step * t.xy, per_step * t.xz, per_step * t.yz}, change);
    total += d.energy;
    add_edge_derivatives(batch, e, edges, d, out);
  }
  return total;
}

void MembraneDamping::evaluate(const Configuration& q, Accumulator& out) const {
  if (q.step == 0) return;
  const bool writes = out.gradient != nullptr || out.hessian != nullptr;
  const double energy =
      elements_.batch().for_each_chunk(writes ? Writes::blocks : Writes::nothing,
                                       [&](int first, int last) { return evaluate_chunk(first, last, q, out); });
  if (out.value != nullptr) *out.value += energy;
}

void MembraneDamping::add_weights(const Controls&, double step, sparse::SymmetricScalarMatrix& out) const {
  if (step == 0) return;
  elements_.add_weights([&](int e, const TriangleRest&) { return weight_[e] / step; }, out);
}

bool MembraneDamping::add_soft_elements(SoftElements& out) const {
  for (int e = 0; e < elements_.count(); ++e) {
    out.triangles.push_back(soft_triangle(elements_.batch()[e], elements_.rest(e).squared_length, matrix_[e]));
    out.triangles.back().is_rate = true;
  }
  return true;
}

}  // namespace pliant::cloth
