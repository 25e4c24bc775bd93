#include "pliant/energy/solid/strain_rate_damping.h"

#include <algorithm>

#include <utility>

#include "pliant/energy/solid/principal_blocks.h"
#include "pliant/energy/solid/st_venant_kirchhoff.h"
#include "pliant/energy/solid/tet_lanes.h"
#include "pliant/energy/solid/tet_weights.h"
#include "pliant/math/small_matrix.h"

namespace pliant::solid {
namespace {

struct DampingBlocks {
  Lanes mu, lambda;  // V μ_v/θh, V λ_v/θh
  Lanes fft[3][3];   // F Fᵀ
  Lanes stress[6];   // V S, in the order 00 11 22 12 02 01
  Lanes g[3][3];     // g_i = F b_i

  void block(const Lanes b[3][3], int i, int j, Lanes k[3][3]) const {
    const Lanes *bi = b[i], *bj = b[j], *gi = g[i], *gj = g[j];
    const Lanes dot = mu * (bi[0] * bj[0] + bi[1] * bj[1] + bi[2] * bj[2]);
    const Lanes geometric = stress[0] * bi[0] * bj[0] + stress[1] * bi[1] * bj[1] + stress[2] * bi[2] * bj[2] +
                            stress[3] * (bi[1] * bj[2] + bi[2] * bj[1]) + stress[4] * (bi[0] * bj[2] + bi[2] * bj[0]) +
                            stress[5] * (bi[0] * bj[1] + bi[1] * bj[0]);
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) k[r][c] = dot * fft[r][c] + mu * gj[r] * gi[c] + lambda * gi[r] * gj[c];
      k[r][r] += geometric;
    }
  }
};

// Takes from the strain at the start what chords are expected to shorten on the way: ½θ(1−θ) ΔFᵀΔF, with ΔF = h Ḟ.
void shorten_by_chords(double theta, const Lanes change[3][3], Lanes strain_before[3][3]) {
  Lanes squared[3][3];
  math::gram(change, squared);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) strain_before[r][c] -= (0.5 * theta * (1 - theta)) * squared[r][c];
  }
}

}  // namespace

StrainRateDamping::StrainRateDamping(std::shared_ptr<const TetElements> elements, std::span<const double> mu_viscous,
                                     std::span<const double> lambda_viscous)
    : elements_(std::move(elements)),
      mu_(to_lanes(*elements_, mu_viscous)),
      lambda_(to_lanes(*elements_, lambda_viscous)) {}

double StrainRateDamping::evaluate_groups(int first, int last, const Configuration& q, const Accumulator& out) const {
  const double per_step = 1 / q.step;
  Lanes total{};
  for (int g = first; g < last; ++g) {
    const TetElements::Group& group = elements_->groups()[g];
    Lanes b[3][3], f[3][3], before[3][3], strain[3][3], strain_before[3][3];
    load_rest_gradients(group, b);
    deformation_gradient(q.now.data(), group, b, f);
    deformation_gradient(q.before.data(), group, b, before);
    StVenantKirchhoff::green_strain(f, strain);
    StVenantKirchhoff::green_strain(before, strain_before);
    if (q.theta < 1 && q.velocity != nullptr) {
      Lanes change[3][3];
      deformation_gradient(q.velocity->data(), group, b, change);
      for (auto& row : change) {
        for (Lanes& entry : row) entry *= q.step / q.theta;
      }
      shorten_by_chords(q.theta, change, strain_before);
    }
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) strain[r][c] -= strain_before[r][c];
    }
    const Lanes scale = per_step * math::load(group.volume);
    DampingBlocks d;
    d.mu = scale * math::load(mu_.data() + kLaneCount * g);
    d.lambda = scale * math::load(lambda_.data() + kLaneCount * g);
    const Lanes trace = strain[0][0] + strain[1][1] + strain[2][2];
    total += d.mu * math::inner(strain, strain) + 0.5 * d.lambda * trace * trace;
    if (out.gradient == nullptr && out.hessian == nullptr) continue;

    // Second Piola-Kirchhoff stress times the volume.
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) strain[r][c] *= 2.0 * d.mu;
      strain[r][r] += d.lambda * trace;
    }
    if (out.gradient != nullptr) {
      Lanes piola[3][3];
      math::multiply(f, strain, piola);
      scatter_stress(out.gradient->data(), group, b, piola);
    }
    if (out.hessian != nullptr) {
      prefetch_blocks(out.hessian->values(), *elements_, g);
      const Lanes s[6] = {strain[0][0], strain[1][1], strain[2][2], strain[1][2], strain[0][2], strain[0][1]};
      for (int i = 0; i < 6; ++i) d.stress[i] = s[i];
      if (out.hessian_kind == HessianKind::projected) project_psd(d.stress);
      math::multiply_transposed(f, f, d.fft);
      for (int i = 0; i < 3; ++i) {
        for (int r = 0; r < 3; ++r) d.g[i][r] = f[r][0] * b[i][0] + f[r][1] * b[i][1] + f[r][2] * b[i][2];
      }
      CornerBlocks k;
      d.block(b, 0, 0, k.k11);
      d.block(b, 1, 1, k.k22);
      d.block(b, 2, 2, k.k33);
      d.block(b, 0, 1, k.k12);
      d.block(b, 0, 2, k.k13);
      d.block(b, 1, 2, k.k23);
      scatter_element_matrix(out.hessian->values(), elements_->slots()[g], k);
    }
  }
  return math::sum(total);
}

void StrainRateDamping::evaluate(const Configuration& q, Accumulator& out) const {
  if (q.step == 0) return;
  const bool writes = out.gradient != nullptr || out.hessian != nullptr;
  const double energy =
      elements_->for_each_chunk(writes ? TetElements::Writes::vertices : TetElements::Writes::nothing,
                                [&](int first, int last) { return evaluate_groups(first, last, q, out); });
  if (out.value != nullptr) *out.value += energy;
}

void StrainRateDamping::add_weights(const Controls&, double step, sparse::SymmetricScalarMatrix& out) const {
  if (step == 0) return;
  static_cast<void>(elements_->for_each_chunk(TetElements::Writes::vertices, [&](int first, int last) {
    for (int g = first; g < last; ++g) {
      const Lanes mu = math::load(mu_.data() + kLaneCount * g), lambda = math::load(lambda_.data() + kLaneCount * g);
      const Lanes k = (2.0 * mu + lambda) / step;
      add_tet_weights(*elements_, g, math::max(k, math::lanes_of(0)), out);
    }
    return 0.0;
  }));
}

bool StrainRateDamping::add_soft_elements(SoftElements& out) const {
  const std::size_t before = out.tets.size();
  // In the order of the tets, as laws do (hyperelastic_tets_kernels.h).
  for (int first = 0; first < elements_->group_count(); first += kGroupsPerChunk) {
    const int quarter = std::min(kGroupsPerChunk, elements_->group_count() - first);
    for (int k = 0; k < kLaneCount * quarter; ++k) {
      const int g = first + k % quarter, lane = k / quarter, i = kLaneCount * g + lane;
      add_soft_tet(elements_->groups()[g], lane, mu_[i], lambda_[i], SolidStrain::green, out);
    }
  }
  for (std::size_t t = before; t < out.tets.size(); ++t) out.tets[t].is_rate = true;
  return true;
}

}  // namespace pliant::solid
