// Links as soft constraints: c = |x₁ − x₀| − l, four in double or eight in single precision side by side.
//
//   d = x₁ − x₀,   (w₀ + w₁ + α) ΔΛ = −(|d| − l + α Λ),   x₀ −= w₀ ΔΛ d/|d|,   x₁ += w₁ ΔΛ d/|d|       α = ω/k
//
// The same as LaneBatch<LinkKernel>, which the tests compare with, but with one division in a sweep instead of three (none in
// single precision), in single precision throughout where points have it, and with less memory: a group of links is what one
// sweep streams through, 40 bytes per link in double and 24 in single precision. Ends that coincide are pushed apart along x.
// Rates (stiffness K/h on what changes in a step) have the length before the step as l.
//
// Points stay as they lie in memory, in single precision two to a register: only lengths change sides, by sums of
// neighbours, and what moves each end by broadcasts. Of links (i, j) and (i + 1, j + 1), which meshes with rows have many of,
// both ends on a side are one load.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "pliant/energy/compliant.h"
#include "pliant/math/lanes.h"
#include "pliant/parallel/parallel.h"
#include "pliant/solver/projection/batch.h"
#include "pliant/solver/projection/coloured_lanes.h"

namespace pliant::solver {

// 1/√x to rounding, of x whose size single precision can hold: from the processor's estimate (1.5·2⁻¹² at most, another one
// for each maker of processors) by Newton's step. Faster than a root and a quotient, which wait for one another.
inline math::FloatLanes inverse_sqrt(math::FloatLanes x) {
#if defined(__AVX__)
  const math::FloatLanes y = _mm256_rsqrt_ps(x);
  return y * (1.5F - 0.5F * x * y * y);
#else
  return 1.0F / math::sqrt(x);
#endif
}

template <class Real>
class LinkBatch final : public Batch<Real> {
 public:
  static constexpr bool kIsDouble = std::is_same_v<Real, double>;
  static constexpr int kLanes = kIsDouble ? math::kLaneCount : math::kFloatLaneCount;
  using Lanes = std::conditional_t<kIsDouble, math::Lanes, math::FloatLanes>;

  // is_rate of all links alike.
  // damping: s, as in lane_batch.h.
  LinkBatch(std::span<const SoftLink> links, int block_count, bool is_rate, double damping = 0)
      : is_rate_(is_rate), damping_(damping) {
    std::vector<std::array<int, 2>> blocks;
    blocks.reserve(links.size());
    for (const SoftLink& link : links) blocks.push_back(link.block);
    const ColouredLanes order = lanes_by_colour<2>(blocks, block_count, kLanes);
    for (const int start : order.colour_start) colour_start_.push_back(start / kLanes);
    groups_.resize(order.items.size() / kLanes);
    compliance_.resize(groups_.size());
    counts_.assign(groups_.size(), 0);
    const std::vector<int> items = kIsDouble ? order.items : paired(links, block_count, order);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      Group& group = groups_[g];
      for (int lane = 0; lane < kLanes; ++lane) {
        // Lanes that only fill up repeat the group's first link; they are never written back.
        const int item = items[kLanes * g + lane];
        const SoftLink& link = links[item >= 0 ? item : items[kLanes * g]];
        if (item >= 0) ++counts_[g];
        group.rest[lane] = static_cast<Real>(link.rest);
        compliance_[g][lane] = static_cast<Real>(1 / link.stiffness);
        for (int b = 0; b < 2; ++b) group.block[b][lane] = link.block[b];
      }
      sides_.push_back(sides_of(group, counts_[g]));
    }
  }

  void begin(const ProjectionStep& step, Movers<Real>& movers) override {
    const double ratio = damping_ / step.step, part = is_rate_ ? 1 : ratio / (1 + ratio);
    set_inverses(static_cast<Real>(step.weight * (is_rate_ ? step.step : 1.0) / (1 + ratio)), movers);
    if (damping_ > 0 && own_rest_.empty()) {
      for (const Group& group : groups_) own_rest_.push_back(group.rest);
    }
    for_all([&](std::size_t g) {
      Group& group = groups_[g];
      group.multiplier = Lanes{};
      if (!is_rate_ && damping_ == 0) return;
      for (int lane = 0; lane < kLanes; ++lane) {
        const Vec3 d = step.before[group.block[1][lane]] - step.before[group.block[0][lane]];
        // A link and its loss pull to a length between its own and that before the step.
        const double own = is_rate_ ? 0 : static_cast<double>(own_rest_[g][lane]);
        group.rest[lane] = static_cast<Real>(part * d.norm() + (1 - part) * own);
      }
    });
  }

  void relax(double omega, Movers<Real>& movers) override {
    const auto step = static_cast<Real>(-omega);
    Mover<Real>* const points = movers.points.data();
    for_colours([&](std::size_t g) {
      if constexpr (kIsDouble) {
        if (counts_[g] < kLanes) return relax_some(groups_[g], counts_[g], step, points);
        relax_some(groups_[g], kLanes, step, points);  // a constant: no loop
      } else {
        switch (sides_[g]) {
          case Sides::some:
            return relax_some(groups_[g], counts_[g], step, points);
          case Sides::apart:
            return relax_all<false, false>(groups_[g], step, points);
          case Sides::first_paired:
            return relax_all<true, false>(groups_[g], step, points);
          case Sides::second_paired:
            return relax_all<false, true>(groups_[g], step, points);
          case Sides::paired:
            return relax_all<true, true>(groups_[g], step, points);
        }
      }
    });
  }

  [[nodiscard]] int row_count() const override { return static_cast<int>(groups_.size()) * kLanes; }

  void linearise(const Movers<Real>& movers, std::span<double> residual) override {
    linear_.resize(groups_.size());
    for_all([&](std::size_t g) {
      Linear& here = linear_[g];
      Lanes x[2][3], w[2], d[3];
      const Lanes length = measure(groups_[g], movers.points.data(), x, w, d);
      for (int a = 0; a < 3; ++a) here.direction[a] = d[a] / length;
      put(residual, g, residual_of(groups_[g], length));
    });
  }
  void precondition(std::span<const double> r, std::span<double> z) const override {
    for_all([&](std::size_t g) {
      for (int lane = 0; lane < kLanes; ++lane) z[at(g, lane)] = groups_[g].inverse[lane] * r[at(g, lane)];
    });
  }
  void pull_back(std::span<const double> d, Impulses& out) const override {
    for_colours([&](std::size_t g) {
      for (int lane = 0; lane < counts_[g]; ++lane) {
        const Vec3 push = d[at(g, lane)] * direction(g, lane);
        out.force[groups_[g].block[0][lane]] -= push;
        out.force[groups_[g].block[1][lane]] += push;
      }
    });
  }
  void multiply(const Impulses& y, std::span<const double> d, std::span<double> p) const override {
    for_all([&](std::size_t g) {
      const Group& group = groups_[g];
      for (int lane = 0; lane < counts_[g]; ++lane) {
        const Vec3 apart = y.force[group.block[1][lane]] - y.force[group.block[0][lane]];
        p[at(g, lane)] = direction(g, lane).dot(apart) + group.softness[lane] * d[at(g, lane)];
      }
      for (int lane = counts_[g]; lane < kLanes; ++lane) p[at(g, lane)] = 0;
    });
  }
  void accept(std::span<double> change) override {
    for_all([&](std::size_t g) {
      for (int lane = 0; lane < kLanes; ++lane) groups_[g].multiplier[lane] += static_cast<Real>(change[at(g, lane)]);
    });
  }
  void write_multipliers(std::span<double> out) const override {
    for_all([&](std::size_t g) { put(out, g, groups_[g].multiplier); });
  }
  void add_edge_rows(std::vector<EdgeRow>& out) const override {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      for (int lane = 0; lane < counts_[g]; ++lane)
        out.push_back({static_cast<int>(at(g, lane)), {groups_[g].block[0][lane], groups_[g].block[1][lane]}});
    }
  }

 private:
  static constexpr int kGrain = 128;
  // Between ends that coincide, m: its square is still a number, in single precision too.
  static constexpr Real kTinyLength = 1e-18F;

  struct Group {
    Lanes rest;        // m
    Lanes inverse;     // kg, 1/(w₀ + w₁ + α); 0 between held points
    Lanes softness;    // 1/kg, α
    Lanes multiplier;  // Λ
    int block[2][kLanes];
  };
  struct Linear {
    Lanes direction[3];
  };
  // Of a whole group: on which sides the points of lanes k and k + 4 follow one another in memory. some: not a whole group.
  enum class Sides : unsigned char { some, apart, first_paired, second_paired, paired };

  // The items of each colour, so that links (i, j) and (i + 1, j + 1) come four lanes apart as long as there are any.
  static std::vector<int> paired(std::span<const SoftLink> links, int block_count, const ColouredLanes& order) {
    std::vector<int> items, of_first(static_cast<std::size_t>(block_count) + 1, -1);
    for (std::size_t colour = 0; colour + 1 < order.colour_start.size(); ++colour) {
      const auto all =
          std::span(order.items)
              .subspan(order.colour_start[colour], order.colour_start[colour + 1] - order.colour_start[colour]);
      for (const int item : all) {
        if (item >= 0) of_first[links[item].block[0]] = item;
      }
      std::vector<int> pairs, singles;
      for (const int item : all) {
        if (item < 0 || of_first[links[item].block[0]] < 0) continue;
        const auto [i, j] = links[item].block;
        const int next = of_first[i + 1];
        of_first[i] = -1;
        if (next < 0 || links[next].block[1] != j + 1) {
          singles.push_back(item);
          continue;
        }
        of_first[i + 1] = -1;
        pairs.insert(pairs.end(), {item, next});
      }
      std::size_t k = 0;
      for (; k + kLanes <= pairs.size(); k += kLanes) {
        for (std::size_t side = 0; side < 2; ++side) {
          for (std::size_t lane = 0; lane < kLanes / 2; ++lane) items.push_back(pairs[k + 2 * lane + side]);
        }
      }
      items.insert(items.end(), pairs.begin() + static_cast<std::ptrdiff_t>(k), pairs.end());
      items.insert(items.end(), singles.begin(), singles.end());
      items.resize(static_cast<std::size_t>(order.colour_start[colour + 1]), -1);
    }
    return items;
  }
  static Sides sides_of(const Group& group, int count) {
    if (count < kLanes) return Sides::some;
    if (kIsDouble) return Sides::apart;
    bool follow[2] = {true, true};
    for (int b = 0; b < 2; ++b) {
      for (int lane = 0; lane < kLanes / 2; ++lane)
        follow[b] = follow[b] && group.block[b][lane + kLanes / 2] == group.block[b][lane] + 1;
    }
    if (follow[0]) return follow[1] ? Sides::paired : Sides::first_paired;
    return follow[1] ? Sides::second_paired : Sides::apart;
  }

  // What a step's length and who is held decide; as a rule both are those of the step before.
  void set_inverses(Real scale, const Movers<Real>& movers) {
    const bool is_same =
        scale == scale_ && std::equal(weights_.begin(), weights_.end(), movers.points.begin(), movers.points.end(),
                                      [](Real w, const Mover<Real>& point) { return w == point.w; });
    if (is_same) return;
    scale_ = scale;
    weights_.clear();
    for (const Mover<Real>& point : movers.points) weights_.push_back(point.w);
    for_all([&](std::size_t g) {
      Group& group = groups_[g];
      for (int lane = 0; lane < kLanes; ++lane) {
        const Real w = weights_[group.block[0][lane]] + weights_[group.block[1][lane]];
        group.softness[lane] = scale * compliance_[g][lane];
        group.inverse[lane] = w > 0 ? 1 / (w + group.softness[lane]) : 0;
      }
    });
  }

  // Loads the ends; their distance is returned.
  static Lanes measure(const Group& group, const Mover<Real>* points, Lanes x[2][3], Lanes w[2], Lanes d[3]) {
    for (int b = 0; b < 2; ++b) load_movers(points, group.block[b], x[b], w[b]);
    for (int a = 0; a < 3; ++a) d[a] = x[1][a] - x[0][a];
    d[0] += kTinyLength;
    return math::sqrt(d[0] * d[0] + (d[1] * d[1] + d[2] * d[2]));
  }
  static Lanes residual_of(const Group& group, Lanes length) {
    return length - group.rest + group.softness * group.multiplier;
  }
  // The plain version, of any number of links; in double, where roots cost what shuffles would, always.
  static void relax_some(Group& group, int count, Real step, Mover<Real>* points) {
    Lanes x[2][3], w[2], d[3];
    const Lanes length = measure(group, points, x, w, d);
    const Lanes per_length = step * residual_of(group, length) * group.inverse / length;  // ΔΛ/|d|
    group.multiplier += per_length * length;
    for (int a = 0; a < 3; ++a) {
      const Lanes push = per_length * d[a];
      x[0][a] -= w[0] * push;
      x[1][a] += w[1] * push;
    }
    for (int b = 0; b < 2; ++b) store_movers(points, group.block[b], count, x[b], w[b]);
  }

#if defined(__AVX2__) && defined(__FMA__)
  // Ends of one side: register k has those of lanes k and, in single precision, k + 4.
  template <bool kPaired>
  static void load_ends(const Mover<float>* points, const int block[8], math::FloatLanes x[4]) {
    for (int k = 0; k < 4; ++k) {
      const float* const first = points[block[k]].x;
      x[k] = kPaired ? _mm256_loadu_ps(first)
                     : _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(first)),
                                            _mm_load_ps(points[block[k + 4]].x), 1);
    }
  }
  template <bool kPaired>
  static void store_ends(Mover<float>* points, const int block[8], const math::FloatLanes x[4]) {
    for (int k = 0; k < 4; ++k) {
      float* const first = points[block[k]].x;
      if (kPaired) {
        _mm256_storeu_ps(first, x[k]);
      } else {
        _mm_store_ps(first, _mm256_castps256_ps128(x[k]));
        _mm_store_ps(points[block[k + 4]].x, _mm256_extractf128_ps(x[k], 1));
      }
    }
  }

  // x₁ − x₀, with nothing in place of the masses.
  static math::FloatLanes between(const math::FloatLanes& x0, const math::FloatLanes& x1) {
    const math::FloatLanes place = _mm256_setr_ps(1, 1, 1, 0, 1, 1, 1, 0),
                           tiny = _mm256_setr_ps(kTinyLength, 0, 0, 0, kTinyLength, 0, 0, 0);
    return _mm256_fmadd_ps(_mm256_sub_ps(x1, x0), place, tiny);
  }
  // |d|², one per lane.
  static math::FloatLanes squares_of(const math::FloatLanes d[4]) {
    const math::FloatLanes low = _mm256_hadd_ps(_mm256_mul_ps(d[0], d[0]), _mm256_mul_ps(d[1], d[1])),
                           high = _mm256_hadd_ps(_mm256_mul_ps(d[2], d[2]), _mm256_mul_ps(d[3], d[3]));
    return _mm256_hadd_ps(low, high);
  }
  // What of lanes k (and k + 4) goes with register k.
  template <int k>
  static math::FloatLanes spread(const math::FloatLanes& lanes) {
    return _mm256_permute_ps(lanes, k * 0x55);
  }
  static math::FloatLanes mass(const math::FloatLanes& x) { return _mm256_permute_ps(x, 0xff); }
  template <int k>
  static void push_ends(const Lanes& per_length, const Lanes& d, Lanes& x0, Lanes& x1) {
    const Lanes push = spread<k>(per_length) * d;
    x0 -= mass(x0) * push;
    x1 += mass(x1) * push;
  }

  template <bool kFirstPaired, bool kSecondPaired>
  static void relax_all(Group& group, float step, Mover<float>* points) {
    Lanes x0[4], x1[4], d[4];
    load_ends<kFirstPaired>(points, group.block[0], x0);
    load_ends<kSecondPaired>(points, group.block[1], x1);
    for (int k = 0; k < 4; ++k) d[k] = between(x0[k], x1[k]);
    const Lanes square = squares_of(d), inverse_length = inverse_sqrt(square), length = square * inverse_length;
    const Lanes per_length = step * residual_of(group, length) * group.inverse * inverse_length;  // ΔΛ/|d|
    group.multiplier += per_length * length;
    push_ends<0>(per_length, d[0], x0[0], x1[0]);
    push_ends<1>(per_length, d[1], x0[1], x1[1]);
    push_ends<2>(per_length, d[2], x0[2], x1[2]);
    push_ends<3>(per_length, d[3], x0[3], x1[3]);
    store_ends<kFirstPaired>(points, group.block[0], x0);
    store_ends<kSecondPaired>(points, group.block[1], x1);
  }
#else
  template <bool kFirstPaired, bool kSecondPaired>
  static void relax_all(Group& group, Real step, Mover<Real>* points) {
    relax_some(group, kLanes, step, points);
  }
#endif

  [[nodiscard]] Vec3 direction(std::size_t g, int lane) const {
    const Lanes* d = linear_[g].direction;
    return {d[0][lane], d[1][lane], d[2][lane]};
  }
  static std::size_t at(std::size_t g, int lane) { return g * kLanes + static_cast<std::size_t>(lane); }
  // Lanes that only fill up are zero in every vector of rows.
  void put(std::span<double> v, std::size_t g, Lanes x) const {
    for (int lane = 0; lane < kLanes; ++lane) v[at(g, lane)] = lane < counts_[g] ? x[lane] : 0;
  }
  template <class Body>
  void for_all(const Body& body) const {
    parallel_for(static_cast<int>(groups_.size()), kGrain, [&](int begin, int end) {
      for (int g = begin; g < end; ++g) body(static_cast<std::size_t>(g));
    });
  }
  template <class Body>
  void for_colours(const Body& body) const {
    for (std::size_t colour = 0; colour + 1 < colour_start_.size(); ++colour) {
      const int first = colour_start_[colour];
      parallel_for(colour_start_[colour + 1] - first, kGrain, [&](int begin, int end) {
        for (int g = first + begin; g < first + end; ++g) body(static_cast<std::size_t>(g));
      });
    }
  }

  bool is_rate_;
  double damping_;                 // s
  std::vector<Lanes> own_rest_;    // m, where links are damped
  std::vector<int> colour_start_;  // into groups_
  std::vector<Group> groups_;
  std::vector<Lanes> compliance_;      // m/N, per group
  std::vector<unsigned char> counts_;  // links per group
  std::vector<Sides> sides_;           // per group
  std::vector<Linear> linear_;
  Real scale_ = 0;             // of compliances
  std::vector<Real> weights_;  // 1/kg, per point, those that the groups' inverses are of
};

}  // namespace pliant::solver
