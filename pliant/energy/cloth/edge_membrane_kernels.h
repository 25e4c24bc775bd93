// Loops of EdgeMembrane, and the assembly that all energies of edge lengths share (edge_membrane.h has the formulas).
// Included by the source files that instantiate them.
#pragma once

#include <cmath>

#include "pliant/assert.h"
#include "pliant/energy/cloth/edge_membrane.h"
#include "pliant/energy/cloth/packed_block.h"
#include "pliant/energy/stiffness_fit.h"
#include "pliant/math/psd.h"

namespace pliant::cloth {

struct TriangleEdges {
  Lanes e0, e1, e2;

  TriangleEdges(const double* x, const std::array<int, 3>& corners) {
    const Lanes x0 = load_point(x, corners[0]), x1 = load_point(x, corners[1]), x2 = load_point(x, corners[2]);
    e0 = x2 - x1, e1 = x0 - x2, e2 = x1 - x0;
  }
  void squared_lengths(double squared[3]) const {
    squared[0] = dot(e0, e0), squared[1] = dot(e1, e1), squared[2] = dot(e2, e2);
  }
};

// Weights of the nearest semi-definite Σ r_i L_i.
inline void project_edge_weights(double r[3]) {
  const double mean = (r[0] + r[1] + r[2]) / 3, sum = 3 * mean;
  const double a = r[0] - mean, b = r[1] - mean, c = r[2] - mean;
  // Σ r_i² − Σ r_i r_j = 3/2 Σ (r_i − mean)²: no cancellation.
  const double spread_squared = 1.5 * (a * a + b * b + c * c);
  if (sum >= 0 && sum * sum >= spread_squared) return;
  const double spread = std::sqrt(spread_squared), half = 0.5 * (sum + spread);
  if (!(half > 0)) {
    r[0] = r[1] = r[2] = 0;
    return;
  }
  const double factor = half / spread;  // spread > 0: else sum < 0 and half < 0
  r[0] = half / 3 + factor * a, r[1] = half / 3 + factor * b, r[2] = half / 3 + factor * c;
}

inline void add_edge_gradient(double* gradient, const std::array<int, 3>& corners, const TriangleEdges& edges,
                              const double r[3]) {
  const Lanes pull0 = r[0] * edges.e0, pull1 = r[1] * edges.e1, pull2 = r[2] * edges.e2;
  add_point(gradient, corners[0], pull1 - pull2);
  add_point(gradient, corners[1], pull2 - pull0);
  add_point(gradient, corners[2], pull0 - pull1);
}

// Block (a, b) = Σ_ij ε_ia ε_jb K_ij e_i e_jᵀ − r_c I, with e_i = Σ_a ε_ia x_a and c the third corner.
inline void add_edge_hessian(double* values, const ElementBatch<3>::Slots& slots, const TriangleEdges& edges,
                             const double r[3], const Symmetric3& k) {
  const PackedBlock row0 = rows_of(edges.e0), row1 = rows_of(edges.e1), row2 = rows_of(edges.e2);
  const PackedBlock column0 = columns_of(edges.e0), column1 = columns_of(edges.e1), column2 = columns_of(edges.e2);
  const PackedBlock across2 = k.xz * column0 - k.yz * column1;  // edge 2 with corner 2
  const PackedBlock k01 =
      row1 * (k.yz * column2 - k.xy * column0) + row2 * (k.xz * column0 - k.zz * column2) - scaled_identity(r[2]);
  const PackedBlock k02 = row1 * (k.xy * column0 - k.yy * column1) - row2 * across2 - scaled_identity(r[1]);
  const PackedBlock k12 = row2 * across2 - row0 * (k.xx * column0 - k.xy * column1) - scaled_identity(r[0]);
  add_triangle_matrix(values, slots, k01, k02, k12);
}

// Adds gradient and Hessian of element e as wanted.
inline void add_edge_derivatives(const ElementBatch<3>& batch, int e, const TriangleEdges& edges, EdgeDerivatives& d,
                                 const Accumulator& out) {
  if (out.gradient != nullptr) add_edge_gradient(out.gradient->data(), batch[e], edges, d.first);
  if (out.hessian == nullptr) return;
  if (out.hessian_kind != HessianKind::exact) {
    project_edge_weights(d.first);
    math::project_psd_3x3(d.second);
  }
  add_edge_hessian(out.hessian->values(), batch.slots(e), edges, d.first, d.second);
}

template <EdgeLaw Law>
EdgeMembrane<Law>::EdgeMembrane(const MembraneSheet& sheet, std::span<const typename Law::Parameters> parameters,
                                Law law)
    : elements_(sheet), law_(std::move(law)) {
  PLIANT_ASSERT(parameters.size() == sheet.triangles.size(), "every triangle has its parameters");
  for (int e = 0; e < elements_.count(); ++e) parameters_.push_back(parameters[elements_.source(e)]);
  if (elements_.is_animated()) return;
  for (int e = 0; e < elements_.count(); ++e) prepared_.push_back(prepare(elements_.rest(e), e));
  parameters_ = {};
}

template <EdgeLaw Law>
auto EdgeMembrane<Law>::prepare(const TriangleRest& rest, int e) const -> Prepared {
  return {rest.squared_length, law_.prepare(rest, parameters_[e])};
}

template <EdgeLaw Law>
double EdgeMembrane<Law>::evaluate_chunk(int first, int last, const Configuration& q, const Accumulator& out) const {
  const ElementBatch<3>& batch = elements_.batch();
  const bool animated = elements_.is_animated();
  double total = 0;
  const auto visit = [&](const Prepared& prepared, int e) {
    const TriangleEdges edges(q.now.data(), batch[e]);
    double s[3];
    edges.squared_lengths(s);
    for (int i = 0; i < 3; ++i) s[i] = 0.5 * (s[i] - prepared.squared_length[i]);
    if (out.gradient == nullptr && out.hessian == nullptr) {
      total += law_.energy(prepared.element, s);
      return;
    }
    if (out.hessian != nullptr) prefetch_blocks(out.hessian->values(), batch, e, last);
    EdgeDerivatives d = law_.derivatives(prepared.element, s);
    total += d.energy;
    add_edge_derivatives(batch, e, edges, d, out);
  };
  for (int e = first; e < last; ++e) {
    if (animated) {
      visit(prepare(elements_.animated_rest(e, q.controls), e), e);
    } else {
      visit(prepared_[e], e);
    }
  }
  return total;
}

template <EdgeLaw Law>
void EdgeMembrane<Law>::evaluate(const Configuration& q, Accumulator& out) const {
  const bool writes = out.gradient != nullptr || out.hessian != nullptr;
  const double energy =
      elements_.batch().for_each_chunk(writes ? Writes::blocks : Writes::nothing,
                                       [&](int first, int last) { return evaluate_chunk(first, last, q, out); });
  if (out.value != nullptr) *out.value += energy;
}

// A stretch s along a unit vector d of the rest plane: s_i = ½ (s² − 1) (e_i·d)², so f = ∂W/∂s/A = s/A Σ r_i (e_i·d)².
template <EdgeLaw Law>
double EdgeMembrane<Law>::fitted_stiffness(const TriangleRest& rest, const typename Law::Element& element) const {
  // An animated rest state keeps ω, not the length of a⊥.
  const double across_squared = rest.across[0] * rest.weft(0) + rest.across[1] * rest.weft(1);
  double share[2][3];  // (e_i·d)² along warp and weft
  for (int i = 0; i < 3; ++i) {
    share[1][i] = rest.weft(i) * rest.weft(i) / across_squared;
    share[0][i] = rest.squared_length[i] - share[1][i];
  }
  double sum = 0;
  for (const auto& along : share) {
    sum += fit_stiffness([&](double stretch) {
      const double strain = 0.5 * (stretch * stretch - 1);
      const double s[3] = {strain * along[0], strain * along[1], strain * along[2]};
      return stretch / rest.area * math::dot(law_.derivatives(element, s).first, along);
    });
  }
  return 0.5 * sum;
}

template <EdgeLaw Law>
void EdgeMembrane<Law>::add_weights(const Controls&, double, sparse::SymmetricScalarMatrix& out) const {
  const bool animated = elements_.is_animated();
  elements_.add_weights(
      [&](int e, const TriangleRest& rest) {
        return fitted_stiffness(rest, animated ? prepare(rest, e).element : prepared_[e].element);
      },
      out);
}

template <EdgeLaw Law>
bool EdgeMembrane<Law>::add_soft_elements(SoftElements& out) const {
  if constexpr (std::is_same_v<Law, StVenantKirchhoff>) {
    if (elements_.is_animated()) return false;
    for (int e = 0; e < elements_.count(); ++e)
      out.triangles.push_back(soft_triangle(elements_.batch()[e], prepared_[e].squared_length, prepared_[e].element));
    return true;
  } else {
    return false;
  }
}

}  // namespace pliant::cloth
