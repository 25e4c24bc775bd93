// Loops of HyperelasticTets; included only by the source file of each law, which instantiates them.
//
// A chunk is worked off in tiles of kTileGroups groups whose intermediate results stay in the L1 cache: first all
// deformation gradients, then all SVDs (a loop of its own keeps the processor's pipelines full), then laws and scatter.
#pragma once

#include <algorithm>

#include "pliant/assert.h"
#include "pliant/energy/solid/extrapolation.h"
#include "pliant/energy/solid/hyperelastic_tets.h"
#include "pliant/energy/solid/principal_blocks.h"
#include "pliant/energy/solid/tet_lanes.h"
#include "pliant/energy/solid/tet_weights.h"
#include "pliant/energy/stiffness_fit.h"
#include "pliant/math/small_matrix.h"
#include "pliant/math/svd_kernel.h"

namespace pliant::solid {

using math::LanePair;

inline constexpr int kTileGroups = 16;  // 64 tets: 16 KB of gradients and SVDs

// Laws whose Hessian needs no SVD offer closed_blocks(parameters, volume, F, b, blocks).
template <class Law>
concept HasClosedBlocks = requires(const Law& law, const Lanes* p, Lanes volume, const Lanes m[3][3], CornerBlocks& k) {
  law.closed_blocks(p, volume, m, m, k);
};

// Laws made of pieces: stretches at which one begins.
template <class Law>
concept HasKinks = requires(const Law& law) {
  { law.kinks() } -> std::same_as<std::vector<double>>;
};

// Laws that know their weight k [Pa] of pliant/energy/weighted.h.
template <class Law>
concept HasWeight = requires(const Law& law, const Lanes* p) {
  { law.weight(p) } -> std::same_as<Lanes>;
};

// Terms that stand beside a law (distance_law.h); they are not continued below a threshold.
template <class Law>
concept IsTerm = requires {
  requires Law::kIsTerm;
};

// Laws of additions and products alone. The others wait for roots, quotients and logarithms, and two groups side by side
// wait for both at once: a quarter to a third less time for value and gradient of corotated, polynomial and splines, a
// seventh for neo-Hookean. Laws that never wait only run short of registers by it.
template <class Law>
concept IsShort = requires {
  requires Law::kIsShort;
};

template <HyperelasticLaw Law>
HyperelasticTets<Law>::HyperelasticTets(std::shared_ptr<const TetElements> elements, Law law,
                                        std::span<const std::vector<double>> parameters, HyperelasticOptions options)
    : elements_(std::move(elements)), law_(std::move(law)), options_(options) {
  PLIANT_ASSERT(static_cast<int>(parameters.size()) == Law::kParameterCount, "one list per parameter of the law");
  parameters_.resize(static_cast<std::size_t>(elements_->group_count()) * Law::kParameterCount * kLaneCount);
  for (int k = 0; k < Law::kParameterCount; ++k) {
    const std::vector<double> lanes = to_lanes(*elements_, parameters[k]);
    for (int g = 0; g < elements_->group_count(); ++g) {
      std::copy_n(lanes.data() + kLaneCount * g, kLaneCount,
                  parameters_.data() + (static_cast<std::size_t>(g) * Law::kParameterCount + k) * kLaneCount);
    }
  }
}

template <HyperelasticLaw Law>
struct HyperelasticTets<Law>::Kernel {
  const HyperelasticTets& energy;
  const double* x;
  double* gradient;  // or null
  double* values;    // or null
  HessianKind kind;

  static constexpr int kP = Law::kParameterCount > 0 ? Law::kParameterCount : 1;

  [[gnu::always_inline]] void load_parameters(int group, Lanes p[kP]) const {
    for (int k = 0; k < Law::kParameterCount; ++k) {
      p[k] = math::load(energy.parameters_.data() +
                        (static_cast<std::size_t>(group) * Law::kParameterCount + k) * kLaneCount);
    }
  }

  double value(int first, int last) const {
    Lanes total{};
    int g = first;
    if (takes_pairs()) {
      for (; g + 1 < last; g += 2) {
        LanePair f[3][3], p[kP];
        load_pair(g, f, p);
        const LanePair psi = energy.law_.density(p, f);
        const TetElements::Group* group = &energy.elements_->groups()[g];
        total += math::load(group[0].volume) * psi.low;
        total += math::load(group[1].volume) * psi.high;
      }
    }
    for (; g < last; ++g) {
      const TetElements::Group& group = energy.elements_->groups()[g];
      Lanes b[3][3], f[3][3], p[kP];
      load_rest_gradients(group, b);
      deformation_gradient(x, group, b, f);
      load_parameters(g, p);
      Lanes psi = energy.law_.density(p, f);
      continue_below_threshold(p, f, psi, nullptr);
      total += math::load(group.volume) * psi;
    }
    return math::sum(total);
  }

  [[nodiscard]] bool takes_pairs() const { return !IsShort<Law> && !energy.options_.extrapolate_below; }

  // F and parameters of groups g and g + 1.
  [[gnu::always_inline]] void load_pair(int g, LanePair f[3][3], LanePair p[kP]) const {
    Lanes b[3][3], half[3][3], parameter[kP];
    const TetElements::Group* group = &energy.elements_->groups()[g];
    load_rest_gradients(group[0], b);
    deformation_gradient(x, group[0], b, half);
    for (int k = 0; k < 9; ++k) f[k / 3][k % 3].low = half[k / 3][k % 3];
    load_rest_gradients(group[1], b);
    deformation_gradient(x, group[1], b, half);
    for (int k = 0; k < 9; ++k) f[k / 3][k % 3].high = half[k / 3][k % 3];
    load_parameters(g, parameter);
    for (int k = 0; k < Law::kParameterCount; ++k) p[k].low = parameter[k];
    load_parameters(g + 1, parameter);
    for (int k = 0; k < Law::kParameterCount; ++k) p[k].high = parameter[k];
  }

  // ∇N, F and P of a group; returns Ψ.
  [[gnu::always_inline]] Lanes stress_of_group(int g, Lanes b[3][3], Lanes f[3][3], Lanes stress[3][3]) const {
    const TetElements::Group& group = energy.elements_->groups()[g];
    Lanes p[kP] = {};  // some laws have no parameter
    load_rest_gradients(group, b);
    deformation_gradient(x, group, b, f);
    load_parameters(g, p);
    Lanes psi = energy.law_.stress(p, f, stress);
    continue_below_threshold(p, f, psi, stress);
    return psi;
  }

  double value_and_gradient(int first, int last) const {
    Lanes total{};
    int g = first;
    if (takes_pairs()) {
      for (; g + 1 < last; g += 2) {
        LanePair f[3][3], p[kP], stress[3][3];
        load_pair(g, f, p);
        const LanePair psi = energy.law_.stress(p, f, stress);
        Lanes half[3][3];
        for (int k = 0; k < 9; ++k) half[k / 3][k % 3] = stress[k / 3][k % 3].low;
        total += scatter_group(g, psi.low, half);
        for (int k = 0; k < 9; ++k) half[k / 3][k % 3] = stress[k / 3][k % 3].high;
        total += scatter_group(g + 1, psi.high, half);
      }
    }
    for (; g < last; ++g) {
      Lanes b[3][3], f[3][3], stress[3][3];
      const Lanes psi = stress_of_group(g, b, f, stress);
      total += scatter_group(g, psi, stress);
    }
    return math::sum(total);
  }

  // Adds the forces of a group; returns V Ψ. Its ∇N are read again: kept, they would fill the registers.
  [[gnu::always_inline]] Lanes scatter_group(int g, Lanes psi, const Lanes stress[3][3]) const {
    const TetElements::Group& group = energy.elements_->groups()[g];
    const Lanes volume = math::load(group.volume);
    Lanes b[3][3], force[3][3];
    load_rest_gradients(group, b);
    for (int k = 0; k < 9; ++k) force[k / 3][k % 3] = volume * stress[k / 3][k % 3];
    scatter_stress(gradient, group, b, force);
    return volume * psi;
  }

  void visit_stress(parallel::FunctionRef<void(const ElementStress&)> visit) const {
    for (int g = 0; g < energy.elements_->group_count(); ++g) {
      const TetElements::Group& group = energy.elements_->groups()[g];
      Lanes b[3][3], f[3][3], stress[3][3];
      stress_of_group(g, b, f, stress);
      for (int lane = 0; lane < kLaneCount; ++lane) {
        if (group.volume[lane] == 0) continue;  // filling
        ElementStress element;
        element.volume = group.volume[lane];
        for (int c = 0; c < 4; ++c) element.corner[c] = group.corner[c][lane];
        for (int r = 0; r < 3; ++r) {
          for (int c = 0; c < 3; ++c) {
            element.deformation_gradient(r, c) = f[r][c][lane];
            element.piola(r, c) = stress[r][c][lane];
          }
        }
        visit(element);
      }
    }
  }

  // The stretches at which ∂Ψ/∂s₁(s, 1, 1) is not smooth; J = s there.
  [[nodiscard]] std::vector<double> kinks() const {
    std::vector<double> result;
    if constexpr (HasKinks<Law>) result = energy.law_.kinks();
    if (energy.options_.extrapolate_below) result.push_back(*energy.options_.extrapolate_below);
    return result;
  }

  // k [Pa] of pliant/energy/weighted.h.
  [[nodiscard]] Lanes fitted_stiffness(const Lanes p[kP], std::span<const double> kinks) const {
    if constexpr (HasWeight<Law>) return energy.law_.weight(p);
    return fit_stiffness(
        [&](double s) {
          const Lanes zero{}, one = math::lanes_of(1), stretch = math::lanes_of(s);
          if constexpr (IsotropicLaw<Law>) {
            const Lanes stretches[3] = {stretch, one, one};
            PrincipalDerivatives<Lanes> d;
            energy.law_.principal(p, stretches, d);
            continue_below_threshold(p, stretches, d);
            return d.first[0];
          } else {
            const Lanes f[3][3] = {{stretch, zero, zero}, {zero, one, zero}, {zero, zero, one}};
            Lanes stress[3][3];
            energy.law_.stress(p, f, stress);
            return stress[0][0];
          }
        },
        kinks);
  }

  void add_weights(int first, int last, std::span<const double> kinks, sparse::SymmetricScalarMatrix& out) const {
    Lanes k{}, p[kP] = {}, fitted[kP] = {};
    for (int g = first; g < last; ++g) {
      load_parameters(g, p);
      // Most bodies have the same parameters everywhere.
      bool is_new = g == first;
      for (int i = 0; i < Law::kParameterCount; ++i) is_new = is_new || math::any(p[i] != fitted[i]);
      if (is_new) {
        k = fitted_stiffness(p, kinks);
        std::copy_n(p, kP, fitted);
      }
      add_tet_weights(*energy.elements_, g, k, out);
    }
  }

  // Value, gradient when wanted, and Hessian.
  double with_hessian(int first, int last) const {
    double total = 0;
    for (int tile = first; tile < last; tile += kTileGroups) {
      const int end = std::min(last, tile + kTileGroups);
      if constexpr (IsotropicLaw<Law>) {
        total += principal_tile(tile, end);
      } else {
        total += closed_tile(tile, end);
      }
    }
    return total;
  }

 private:
  // Member templates, so that only the laws that have such a form instantiate them.
  template <IsotropicLaw L = Law>
  double principal_tile(int first, int last) const {
    struct Tile {
      Lanes b[3][3], f[3][3];
    };
    Tile tile[kTileGroups];
    math::SvdLanes<Lanes> svd[kTileGroups];
    for (int g = first; g < last; ++g) {
      const TetElements::Group& group = energy.elements_->groups()[g];
      load_rest_gradients(group, tile[g - first].b);
      deformation_gradient(x, group, tile[g - first].b, tile[g - first].f);
    }
    int k = 0;
    for (; k + 1 < last - first; k += 2) signed_svds(tile[k].f, tile[k + 1].f, svd[k], svd[k + 1]);
    if (k < last - first) math::signed_svd(tile[k].f, svd[k]);

    Lanes total{};
    for (int g = first; g < last; ++g) {
      const TetElements::Group& group = energy.elements_->groups()[g];
      prefetch_blocks(values, *energy.elements_, g);
      const math::SvdLanes<Lanes>& frame = svd[g - first];
      const Lanes volume = math::load(group.volume);
      Lanes p[kP];
      load_parameters(g, p);
      PrincipalDerivatives<Lanes> d;
      energy.law_.principal(p, frame.s, d);
      continue_below_threshold(p, frame.s, d);
      total += volume * d.density;
      if (gradient != nullptr) scatter_principal_stress(group, tile[g - first].b, frame, d, volume);
      CornerBlocks blocks;
      principal_blocks(rotated_hessian(d, volume, kind), frame.u, frame.v, tile[g - first].b, blocks);
      scatter_element_matrix(values, energy.elements_->slots()[g], blocks);
    }
    return math::sum(total);
  }

  // Of two groups, side by side.
  static void signed_svds(const Lanes f0[3][3], const Lanes f1[3][3], math::SvdLanes<Lanes>& svd0,
                          math::SvdLanes<Lanes>& svd1) {
    LanePair f[3][3];
    for (int k = 0; k < 9; ++k) f[k / 3][k % 3] = {f0[k / 3][k % 3], f1[k / 3][k % 3]};
    math::SvdLanes<LanePair> svd;
    math::signed_svd(f, svd);
    for (int r = 0; r < 3; ++r) {
      svd0.s[r] = svd.s[r].low, svd1.s[r] = svd.s[r].high;
      for (int c = 0; c < 3; ++c) {
        svd0.u[r][c] = svd.u[r][c].low, svd1.u[r][c] = svd.u[r][c].high;
        svd0.v[r][c] = svd.v[r][c].low, svd1.v[r][c] = svd.v[r][c].high;
      }
    }
  }

  template <HasClosedBlocks L = Law>
  double closed_tile(int first, int last) const {
    Lanes total{};
    for (int g = first; g < last; ++g) {
      const TetElements::Group& group = energy.elements_->groups()[g];
      prefetch_blocks(values, *energy.elements_, g);
      Lanes b[3][3], f[3][3], p[kP], stress[3][3];
      load_rest_gradients(group, b);
      deformation_gradient(x, group, b, f);
      load_parameters(g, p);
      const Lanes volume = math::load(group.volume);
      total += volume * energy.law_.stress(p, f, stress);
      if (gradient != nullptr) {
        for (auto& row : stress) {
          for (Lanes& entry : row) entry *= volume;
        }
        scatter_stress(gradient, group, b, stress);
      }
      CornerBlocks blocks;
      energy.law_.closed_blocks(p, volume, f, b, blocks);
      scatter_element_matrix(values, energy.elements_->slots()[g], blocks);
    }
    return math::sum(total);
  }

  // P = U diag(Ψ_i) Vᵀ
  void scatter_principal_stress(const TetElements::Group& group, const Lanes b[3][3],
                                const math::SvdLanes<Lanes>& frame, const PrincipalDerivatives<Lanes>& d,
                                Lanes volume) const {
    Lanes scaled[3][3], stress[3][3];
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) scaled[r][c] = frame.u[r][c] * (volume * d.first[c]);
    }
    math::multiply_transposed(scaled, frame.v, stress);
    scatter_stress(gradient, group, b, stress);
  }

  // Replaces energy and stress of the lanes below the extrapolation threshold. What the rare path works on are copies:
  // arrays whose address leaves the loop would be kept in memory instead of registers by all laws.
  struct Continued {
    Lanes p[kP], f[3][3], psi, stress[3][3];
  };
  [[gnu::always_inline]] void continue_below_threshold(const Lanes p[kP], const Lanes f[3][3], Lanes& psi,
                                                       Lanes stress[3][3]) const {
    if constexpr (IsotropicLaw<Law> && !IsTerm<Law>) {
      if (!energy.options_.extrapolate_below) [[likely]]
        return;
      Continued state;
      for (int k = 0; k < Law::kParameterCount; ++k) state.p[k] = p[k];
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
          state.f[r][c] = f[r][c];
          if (stress != nullptr) state.stress[r][c] = stress[r][c];
        }
      }
      state.psi = psi;
      continue_lanes(state, stress != nullptr);
      psi = state.psi;
      for (int r = 0; stress != nullptr && r < 3; ++r) {
        for (int c = 0; c < 3; ++c) stress[r][c] = state.stress[r][c];
      }
    }
  }

  // Lane by lane.
  template <IsotropicLaw L = Law>
  [[gnu::noinline]] void continue_lanes(Continued& state, bool with_stress) const {
    const double epsilon = *energy.options_.extrapolate_below;
    const Lanes j = math::determinant(state.f);
    for (int lane = 0; lane < kLaneCount; ++lane) {
      if (!(j[lane] < epsilon)) continue;
      double scalar_f[3][3], scalar_p[kP];
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) scalar_f[r][c] = state.f[r][c][lane];
      }
      for (int k = 0; k < Law::kParameterCount; ++k) scalar_p[k] = state.p[k][lane];
      math::SvdLanes<double> svd;
      math::signed_svd(scalar_f, svd);
      PrincipalDerivatives<double> d;
      extrapolate(energy.law_, scalar_p, svd.s, epsilon, d);
      state.psi[lane] = d.density;
      if (!with_stress) continue;
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
          state.stress[r][c][lane] = svd.u[r][0] * d.first[0] * svd.v[c][0] + svd.u[r][1] * d.first[1] * svd.v[c][1] +
                                     svd.u[r][2] * d.first[2] * svd.v[c][2];
        }
      }
    }
  }

  template <IsotropicLaw L = Law>
  void continue_below_threshold(const Lanes p[kP], const Lanes s[3], PrincipalDerivatives<Lanes>& d) const {
    if constexpr (!IsTerm<Law>) {
      if (!energy.options_.extrapolate_below) return;
      const double epsilon = *energy.options_.extrapolate_below;
      const Lanes j = s[0] * s[1] * s[2];
      if (!math::any(j < epsilon)) return;
      for (int lane = 0; lane < kLaneCount; ++lane) {
        if (!(j[lane] < epsilon)) continue;
        double scalar_p[kP];
        for (int k = 0; k < Law::kParameterCount; ++k) scalar_p[k] = p[k][lane];
        const double scalar_s[3] = {s[0][lane], s[1][lane], s[2][lane]};
        PrincipalDerivatives<double> one;
        extrapolate(energy.law_, scalar_p, scalar_s, epsilon, one);
        d.density[lane] = one.density;
        for (int i = 0; i < 3; ++i) {
          d.first[i][lane] = one.first[i];
          d.twist[i][lane] = one.twist[i];
          d.flip[i][lane] = one.flip[i];
        }
        for (int i = 0; i < 6; ++i) d.second[i][lane] = one.second[i];
      }
    }
  }
};

template <HyperelasticLaw Law>
void HyperelasticTets<Law>::evaluate(const Configuration& q, Accumulator& out) const {
  // Only corotated laws have a warped Hessian; terms beside one are projected.
  const bool projects = IsTerm<Law> && out.hessian_kind == HessianKind::warped;
  const Kernel kernel{*this, q.now.data(), out.gradient != nullptr ? out.gradient->data() : nullptr,
                      out.hessian != nullptr ? out.hessian->values() : nullptr,
                      projects ? HessianKind::projected : out.hessian_kind};
  double energy = 0;
  if (out.hessian != nullptr) {
    energy = elements_->for_each_chunk(TetElements::Writes::vertices,
                                       [&](int first, int last) { return kernel.with_hessian(first, last); });
  } else if (out.gradient != nullptr) {
    energy = elements_->for_each_chunk(TetElements::Writes::vertices,
                                       [&](int first, int last) { return kernel.value_and_gradient(first, last); });
  } else {
    energy = elements_->for_each_chunk(TetElements::Writes::nothing,
                                       [&](int first, int last) { return kernel.value(first, last); });
  }
  if (out.value != nullptr) *out.value += energy;
}

template <HyperelasticLaw Law>
void HyperelasticTets<Law>::add_weights(const Controls&, double, sparse::SymmetricScalarMatrix& out) const {
  const Kernel kernel{*this, nullptr, nullptr, nullptr, HessianKind::projected};
  const std::vector<double> kinks = kernel.kinks();
  static_cast<void>(elements_->for_each_chunk(TetElements::Writes::vertices, [&](int first, int last) {
    kernel.add_weights(first, last, kinks, out);
    return 0.0;
  }));
}

template <HyperelasticLaw Law>
void HyperelasticTets<Law>::visit_stress(const BlockVector& now,
                                         parallel::FunctionRef<void(const ElementStress&)> visit) const {
  if constexpr (IsTerm<Law>) return;  // results show the law's own stress
  Kernel{*this, now.data(), nullptr, nullptr, HessianKind::exact}.visit_stress(visit);
}

template <HyperelasticLaw Law>
bool HyperelasticTets<Law>::add_soft_elements(SoftElements& out) const {
  if constexpr (requires { Law::kSoftStrain; }) {
    if (options_.extrapolate_below) return false;
    // In the order of the tets, which is not that of the lanes: solvers that sweep go through neighbours.
    for (int first = 0; first < elements_->group_count(); first += kGroupsPerChunk) {
      const int quarter = std::min(kGroupsPerChunk, elements_->group_count() - first);
      for (int k = 0; k < math::kLaneCount * quarter; ++k) {
        const int g = first + k % quarter, lane = k / quarter;
        const double* p = parameters_.data() + static_cast<std::size_t>(g) * Law::kParameterCount * math::kLaneCount;
        // A law with one parameter k has μ = k/2 and no λ.
        const double first_parameter = p[lane], second = Law::kParameterCount > 1 ? p[math::kLaneCount + lane] : 0;
        const double mu = Law::kParameterCount > 1 ? first_parameter : 0.5 * first_parameter;
        add_soft_tet(elements_->groups()[g], lane, mu, second, Law::kSoftStrain, out);
      }
    }
    return true;
  } else {
    return false;
  }
}

}  // namespace pliant::solid
