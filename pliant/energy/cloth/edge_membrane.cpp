#include "pliant/energy/cloth/edge_membrane.h"

#include "pliant/energy/cloth/edge_membrane_kernels.h"

namespace pliant::cloth {
namespace {

// d_i = e_j·e_k and γ_i = g_j g_k, (i, j, k) cyclic: J1 = −Σ s_i d_i/4A², J3 = −Σ s_i γ_i/4A².
struct EdgeProducts {
  double d[3], gamma[3];

  explicit EdgeProducts(const TriangleRest& rest) {
    const double g[3] = {rest.weft(0), rest.weft(1), rest.weft(2)};
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      d[i] = rest.dot(j, k);
      gamma[i] = g[j] * g[k];
    }
  }
};

// J2 = Σ s_i s_l T2_il/32A⁴, T2_il = (e_k·e_m)(e_j·e_n) + (e_k·e_n)(e_j·e_m), (i,j,k) and (l,m,n) cyclic.
double second_invariant_entry(const TriangleRest& rest, int i, int l) {
  const int j = (i + 1) % 3, k = (i + 2) % 3, m = (l + 1) % 3, n = (l + 2) % 3;
  return rest.dot(k, m) * rest.dot(j, n) + rest.dot(k, n) * rest.dot(j, m);
}

template <class Entry>
Symmetric3 symmetric_from(Entry entry) {
  return {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
}

}  // namespace

Symmetric3 membrane_matrix(const TriangleRest& rest, const OrthotropicCoefficients& sheet) {
  const EdgeProducts p(rest);
  const double scale = 1 / (32 * rest.area * rest.area * rest.area);
  return symmetric_from([&](int i, int l) {
    const double t1 = p.d[i] * p.d[l], t3 = p.gamma[i] * p.gamma[l];
    const double t4 = p.d[i] * p.gamma[l] + p.d[l] * p.gamma[i];
    return scale *
           (sheet.lambda * t1 + sheet.mu * second_invariant_entry(rest, i, l) + 2 * sheet.beta * t3 + sheet.alpha * t4);
  });
}

StrainInvariants::StrainInvariants(const TriangleRest& rest) : area(rest.area) {
  const EdgeProducts p(rest);
  const double squared = area * area;
  for (int i = 0; i < 3; ++i) {
    trace[i] = -p.d[i] / (4 * squared);
    warp[i] = -p.gamma[i] / (4 * squared);
  }
  square = symmetric_from([&](int i, int l) { return second_invariant_entry(rest, i, l) / (32 * squared * squared); });
}

void StrainInvariants::evaluate(const double s[3], double j[3]) const {
  double squared[3];
  math::multiply(square, s, squared);
  j[0] = math::dot(trace, s);
  j[1] = math::dot(s, squared);
  j[2] = math::dot(warp, s);
}

EdgeDerivatives chain_rule(const StrainInvariants& invariants, const double s[3], const InvariantDerivatives& psi) {
  const double* u = invariants.trace;
  const double* w = invariants.warp;
  double v[3];  // ∇J2
  math::multiply(invariants.square, s, v);
  for (double& entry : v) entry *= 2;

  EdgeDerivatives d;
  d.energy = invariants.area * psi.energy;
  for (int i = 0; i < 3; ++i) {
    d.first[i] = invariants.area * (psi.first[0] * u[i] + psi.first[1] * v[i] + psi.first[2] * w[i]);
  }
  const Symmetric3& h = psi.second;
  const auto entry = [&](int i, int l, double curvature) {
    return invariants.area * (2 * psi.first[1] * curvature + h.xx * u[i] * u[l] + h.yy * v[i] * v[l] +
                              h.zz * w[i] * w[l] + h.xy * (u[i] * v[l] + v[i] * u[l]) +
                              h.xz * (u[i] * w[l] + w[i] * u[l]) + h.yz * (v[i] * w[l] + w[i] * v[l]));
  };
  const Symmetric3& c = invariants.square;
  d.second = {entry(0, 0, c.xx), entry(1, 1, c.yy), entry(2, 2, c.zz),
              entry(0, 1, c.xy), entry(0, 2, c.xz), entry(1, 2, c.yz)};
  return d;
}

template class EdgeMembrane<StVenantKirchhoff>;

}  // namespace pliant::cloth
