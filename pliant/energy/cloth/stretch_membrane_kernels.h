// Loops of StretchMembrane (stretch_membrane.h has the formulas). Included by the source files that instantiate them.
#pragma once

#include <array>
#include <bit>
#include <cmath>

#include "pliant/assert.h"
#include "pliant/energy/cloth/packed_block.h"
#include "pliant/energy/cloth/stretch_membrane.h"
#include "pliant/energy/stiffness_fit.h"
#include "pliant/math/symmetric_eigen.h"

namespace pliant::cloth {

// F = s1 u1 v1ᵀ + s2 u2 v2ᵀ with v1 = (c, s), v2 = (−s, c) and n = u1 × u2.
struct StretchFrame {
  double c, s, s1, s2;
  Lanes u1, u2, n;

  // f1, f2: the columns of F
  StretchFrame(Lanes f1, Lanes f2) {
    const math::PlaneRotation<double> v = math::diagonalizing_rotation(dot(f1, f1), dot(f2, f2), dot(f1, f2));
    c = v.c, s = v.s;
    const Lanes along1 = c * f1 + s * f2, along2 = c * f2 - s * f1;
    s1 = std::sqrt(dot(along1, along1));
    u1 = s1 > 0 ? along1 / s1 : Lanes{1, 0, 0, 0};
    // What rounding left of u1 in F v2 is taken out; a triangle that is a needle to the last digit has no u2.
    const Lanes rest = along2 - dot(u1, along2) * u1;
    s2 = std::sqrt(dot(rest, rest));
    if (s2 > 1e-14 * s1) {
      u2 = rest / s2;
    } else {
      double v1[3] = {u1[0], u1[1], u1[2]}, a[3], b[3];
      math::complete_basis(v1, a, b);
      u2 = Lanes{a[0], a[1], a[2], 0};
    }
    n = cross(u1, u2);
  }
};

// Frames of four triangles, one per lane; vectors are [axis].
struct StretchFrameLanes {
  Lanes c, s, s1, s2;
  Lanes u1[3], u2[3];

  // f1, f2: the columns of F
  StretchFrameLanes(const Lanes f1[3], const Lanes f2[3]) {
    const math::PlaneRotation<Lanes> v =
        math::diagonalizing_rotation(math::dot(f1, f1), math::dot(f2, f2), math::dot(f1, f2));
    c = v.c, s = v.s;
    for (int axis = 0; axis < 3; ++axis) {
      u1[axis] = c * f1[axis] + s * f2[axis];
      u2[axis] = c * f2[axis] - s * f1[axis];
    }
    // A triangle in one point has u1 = x; the rest as in StretchFrame.
    s1 = math::sqrt(math::dot(u1, u1));
    const math::LaneMask has_length = s1 > Lanes{};
    const Lanes inverse1 = 1.0 / s1;
    for (int axis = 0; axis < 3; ++axis) {
      u1[axis] = math::select(has_length, inverse1 * u1[axis], math::lanes_of(axis == 0 ? 1 : 0));
    }
    const Lanes left_over = math::dot(u1, u2);
    for (int axis = 0; axis < 3; ++axis) u2[axis] -= left_over * u1[axis];
    s2 = math::sqrt(math::dot(u2, u2));
    const math::LaneMask has_width = s2 > 1e-14 * s1;
    const Lanes inverse2 = 1.0 / s2;
    for (int axis = 0; axis < 3; ++axis) u2[axis] *= inverse2;
    if (math::all(has_width)) return;
    Lanes a[3], b[3];
    math::complete_basis(u1, a, b);
    for (int axis = 0; axis < 3; ++axis) u2[axis] = math::select(has_width, u2[axis], a[axis]);
  }
};

// One field after the other, from the parameters of four triangles.
template <class Law>
typename Law::template ParametersOf<Lanes> gather_parameters(const typename Law::Parameters* const of[]) {
  using Parameters = typename Law::Parameters;
  constexpr std::size_t kFields = sizeof(Parameters) / sizeof(double);
  std::array<std::array<double, kFields>, math::kLaneCount> plain;
  for (int l = 0; l < math::kLaneCount; ++l) plain[l] = std::bit_cast<std::array<double, kFields>>(*of[l]);
  std::array<Lanes, kFields> fields;
  for (std::size_t k = 0; k < kFields; ++k) fields[k] = Lanes{plain[0][k], plain[1][k], plain[2][k], plain[3][k]};
  return std::bit_cast<typename Law::template ParametersOf<Lanes>>(fields);
}

// A times the eigenvalues of ∂²ψ/∂F², in the frame.
struct StretchHessian {
  double a11, a22, a12;      // ψ_ij
  double parallel, crossed;  // (flip + twist)/2, (flip − twist)/2
  double across1, across2;   // out of the plane

  StretchHessian(const StretchDerivatives& d, const StretchFrame& frame, double area, HessianKind kind)
      : a11(d.second[0]), a22(d.second[1]), a12(d.second[2]) {
    double flip = d.flip, twist = (d.first[0] + d.first[1]) / std::max(frame.s1 + frame.s2, kSmallestStretch);
    across1 = d.first[0] / std::max(frame.s1, kSmallestStretch);
    across2 = d.first[1] / std::max(frame.s2, kSmallestStretch);
    if (kind != HessianKind::exact) {
      project_stretches();
      flip = std::max(flip, 0.0), twist = std::max(twist, 0.0);
      across1 = std::max(across1, 0.0), across2 = std::max(across2, 0.0);
    }
    a11 *= area, a22 *= area, a12 *= area, across1 *= area, across2 *= area;
    parallel = 0.5 * area * (flip + twist), crossed = 0.5 * area * (flip - twist);
  }

  // Eigenvalues of [a11 a12; a12 a22] are m ± ρ. If only m + ρ > 0 its part (m + ρ)/2 (1 + deviator/ρ) remains.
  void project_stretches() {
    const double m = 0.5 * (a11 + a22), half = 0.5 * (a11 - a22), rho = std::sqrt(half * half + a12 * a12);
    if (m - rho >= 0) return;
    const double kept = 0.5 * (m + rho);
    const double factor = kept > 0 ? kept / rho : 0;
    a11 = std::max(kept, 0.0) + factor * half;
    a22 = std::max(kept, 0.0) - factor * half;
    a12 *= factor;
  }
};

// The frame's outer products, once per triangle; a block of the matrix is a combination of them.
struct StretchBlocks {
  PackedBlock p11, p12, p21, p22, pnn;

  explicit StretchBlocks(const StretchFrame& frame) {
    const PackedBlock row1 = rows_of(frame.u1), row2 = rows_of(frame.u2);
    const PackedBlock column1 = columns_of(frame.u1), column2 = columns_of(frame.u2);
    p11 = row1 * column1, p12 = row1 * column2, p21 = row2 * column1, p22 = row2 * column2;
    pnn = rows_of(frame.n) * columns_of(frame.n);
  }
  // Of two corners with the gradients i and j, both in the axes v1, v2.
  [[nodiscard]] PackedBlock block(const StretchHessian& h, const double i[2], const double j[2]) const {
    const double q11 = i[0] * j[0], q12 = i[0] * j[1], q21 = i[1] * j[0], q22 = i[1] * j[1];
    return (h.a11 * q11 + h.parallel * q22) * p11 + (h.a22 * q22 + h.parallel * q11) * p22 +
           (h.a12 * q12 + h.crossed * q21) * p12 + (h.a12 * q21 + h.crossed * q12) * p21 +
           (h.across1 * q11 + h.across2 * q22) * pnn;
  }
};

template <StretchLaw Law>
StretchMembrane<Law>::RestGradients::RestGradients(const TriangleRest& rest) : area(rest.area) {
  const double base = std::sqrt(rest.squared_length[2]), height = 2 * area / base;
  const double foot = -rest.dot(1, 2) / base;  // corner 2 stands above this point of the base
  p = 1 / base, q = -foot / (base * height), t = 1 / height;
}

template <StretchLaw Law>
StretchMembrane<Law>::StretchMembrane(const MembraneSheet& sheet, std::span<const typename Law::Parameters> parameters,
                                      Law law)
    : elements_(sheet), law_(std::move(law)) {
  PLIANT_ASSERT(parameters.size() == sheet.triangles.size(), "every triangle has its parameters");
  for (int e = 0; e < elements_.count(); ++e) {
    parameters_.push_back(parameters[elements_.source(e)]);
    if (!elements_.is_animated()) rest_.emplace_back(elements_.rest(e));
  }
}

template <StretchLaw Law>
typename StretchMembrane<Law>::RestGradients StretchMembrane<Law>::rest_of(int e, const Configuration& q) const {
  return elements_.is_animated() ? RestGradients(elements_.animated_rest(e, q.controls)) : rest_[e];
}

template <StretchLaw Law>
double StretchMembrane<Law>::evaluate_lanes(int first, int last, const Configuration& q, BlockVector* gradient) const {
  using math::kLaneCount;
  const ElementBatch<3>& batch = elements_.batch();
  double total = 0;
  for (int e = first; e < last; e += kLaneCount) {
    // Lanes beyond the last triangle repeat it; what they give is not used.
    const int count = std::min(kLaneCount, last - e);
    int corner[3][kLaneCount];
    const typename Law::Parameters* of[kLaneCount];
    Lanes rest[kLaneCount];
    for (int l = 0; l < kLaneCount; ++l) {
      const int element = e + std::min(l, count - 1);
      for (int i = 0; i < 3; ++i) corner[i][l] = batch[element][i];
      of[l] = &parameters_[element];
      const RestGradients r = rest_of(element, q);
      rest[l] = Lanes{r.area, r.p, r.q, r.t};
    }
    math::transpose(rest[0], rest[1], rest[2], rest[3]);
    const auto& [area, rest_p, rest_q, rest_t] = rest;

    // Stretches and energy
    Lanes x[3][3], f1[3], f2[3];
    for (int i = 0; i < 3; ++i) gather_points(q.now.data(), corner[i], x[i]);
    for (int axis = 0; axis < 3; ++axis) {
      const Lanes d1 = x[1][axis] - x[0][axis], d2 = x[2][axis] - x[0][axis];
      f1[axis] = rest_p * d1, f2[axis] = rest_q * d1 + rest_t * d2;
    }
    const StretchFrameLanes frame(f1, f2);
    const StretchStress<Lanes> stress = law_.stress(gather_parameters<Law>(of), frame.s1, frame.s2);
    const Lanes energy = area * stress.energy;
    for (int l = 0; l < count; ++l) total += energy[l];
    if (gradient == nullptr) continue;

    // Forces; b1 and b2 are the gradients of the shape functions in the axes v1, v2.
    const Lanes pull[2] = {area * stress.first[0], area * stress.first[1]};
    const Lanes b1[2] = {(frame.c * rest_p + frame.s * rest_q) * pull[0],
                         (frame.c * rest_q - frame.s * rest_p) * pull[1]};
    const Lanes b2[2] = {frame.s * rest_t * pull[0], frame.c * rest_t * pull[1]};
    Lanes force1[4], force2[4];
    for (int axis = 0; axis < 3; ++axis) {
      force1[axis] = b1[0] * frame.u1[axis] + b1[1] * frame.u2[axis];
      force2[axis] = b2[0] * frame.u1[axis] + b2[1] * frame.u2[axis];
    }
    force1[3] = force2[3] = Lanes{};
    math::transpose(force1[0], force1[1], force1[2], force1[3]);
    math::transpose(force2[0], force2[1], force2[2], force2[3]);
    for (int l = 0; l < count; ++l) {  // one after the other: two triangles may share a corner
      add_point(gradient->data(), corner[0][l], -force1[l] - force2[l]);
      add_point(gradient->data(), corner[1][l], force1[l]);
      add_point(gradient->data(), corner[2][l], force2[l]);
    }
  }
  return total;
}

template <StretchLaw Law>
double StretchMembrane<Law>::evaluate_chunk(int first, int last, const Configuration& q, const Accumulator& out) const {
  if (out.hessian == nullptr) return evaluate_lanes(first, last, q, out.gradient);
  const ElementBatch<3>& batch = elements_.batch();
  const double* x = q.now.data();
  double total = 0;
  for (int e = first; e < last; ++e) {
    const RestGradients rest = rest_of(e, q);
    const std::array<int, 3>& corners = batch[e];
    const Lanes x0 = load_point(x, corners[0]);
    const Lanes d1 = load_point(x, corners[1]) - x0, d2 = load_point(x, corners[2]) - x0;
    const StretchFrame frame(rest.p * d1, rest.q * d1 + rest.t * d2);
    prefetch_blocks(out.hessian->values(), batch, e, last);
    const StretchDerivatives d = law_.derivatives(parameters_[e], frame.s1, frame.s2);
    total += rest.area * d.energy;

    // Gradients of the shape functions in the axes v1, v2.
    const double b1[2] = {frame.c * rest.p + frame.s * rest.q, frame.c * rest.q - frame.s * rest.p};
    const double b2[2] = {frame.s * rest.t, frame.c * rest.t};
    const double b0[2] = {-b1[0] - b2[0], -b1[1] - b2[1]};
    if (out.gradient != nullptr) {
      const Lanes stress1 = (rest.area * d.first[0]) * frame.u1, stress2 = (rest.area * d.first[1]) * frame.u2;
      const Lanes pull1 = b1[0] * stress1 + b1[1] * stress2, pull2 = b2[0] * stress1 + b2[1] * stress2;
      double* gradient = out.gradient->data();
      add_point(gradient, corners[0], -pull1 - pull2);
      add_point(gradient, corners[1], pull1);
      add_point(gradient, corners[2], pull2);
    }
    const StretchHessian h(d, frame, rest.area, out.hessian_kind);
    const StretchBlocks blocks(frame);
    add_triangle_matrix(out.hessian->values(), batch.slots(e), blocks.block(h, b0, b1), blocks.block(h, b0, b2),
                        blocks.block(h, b1, b2));
  }
  return total;
}

template <StretchLaw Law>
void StretchMembrane<Law>::evaluate(const Configuration& q, Accumulator& out) const {
  const bool writes = out.gradient != nullptr || out.hessian != nullptr;
  const double energy =
      elements_.batch().for_each_chunk(writes ? Writes::blocks : Writes::nothing,
                                       [&](int first, int last) { return evaluate_chunk(first, last, q, out); });
  if (out.value != nullptr) *out.value += energy;
}

template <StretchLaw Law>
double StretchMembrane<Law>::fitted_stiffness(const Law& law, const typename Law::Parameters& parameters) {
  if constexpr (requires { law.weight(parameters); }) {
    return law.weight(parameters);
  } else {
    return fit_stiffness([&](double s) {  // laws expect s1 ≥ s2
      return s > 1 ? law.derivatives(parameters, s, 1).first[0] : law.derivatives(parameters, 1, s).first[1];
    });
  }
}

template <StretchLaw Law>
void StretchMembrane<Law>::add_weights(const Controls&, double, sparse::SymmetricScalarMatrix& out) const {
  elements_.add_weights([&](int e, const TriangleRest&) { return fitted_stiffness(law_, parameters_[e]); }, out);
}

}  // namespace pliant::cloth
