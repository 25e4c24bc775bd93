// Links as soft constraints: c = |x₁ − x₀| − l, four in double or eight in single precision side by side.
//
//   d = x₁ − x₀,   (w₀ + w₁ + α) ΔΛ = −(|d| − l + α Λ),   x₀ −= w₀ ΔΛ d/|d|,   x₁ += w₁ ΔΛ d/|d|       α = ω/k
//
// The same as LaneBatch<LinkKernel>, which the tests compare with, but for one division instead of three, single precision
// throughout where points have it, and half the memory: a group of links is what one sweep streams through, 32 bytes per
// link in double and 20 in single precision. Ends that coincide are pushed apart along x.
// Rates (stiffness K/h on what changes in a step) have the length before the step as l.
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
    counts_.assign(groups_.size(), 0);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      Group& group = groups_[g];
      for (int lane = 0; lane < kLanes; ++lane) {
        // Lanes that only fill up repeat the group's first link; they are never written back.
        const int item = order.items[kLanes * g + lane];
        const SoftLink& link = links[item >= 0 ? item : order.items[kLanes * g]];
        if (item >= 0) ++counts_[g];
        group.rest[lane] = static_cast<Real>(link.rest);
        group.compliance[lane] = static_cast<Real>(1 / link.stiffness);
        for (int b = 0; b < 2; ++b) group.block[b][lane] = link.block[b];
      }
    }
  }

  void begin(const ProjectionStep& step, Movers<Real>& /*movers*/) override {
    const double ratio = damping_ / step.step, part = is_rate_ ? 1 : ratio / (1 + ratio);
    scale_ = static_cast<Real>(step.weight * (is_rate_ ? step.step : 1.0) / (1 + ratio));
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
    for_colours([&](std::size_t g) { relax_group(groups_[g], counts_[g], static_cast<Real>(omega), movers); });
  }

  [[nodiscard]] int row_count() const override { return static_cast<int>(groups_.size()) * kLanes; }

  void linearise(const Movers<Real>& movers, std::span<double> residual) override {
    linear_.resize(groups_.size());
    for_all([&](std::size_t g) {
      Linear& here = linear_[g];
      Lanes x[2][3], w[2], d[3];
      const Lanes length = measure(groups_[g], movers, x, w, d);
      here.inverse = Real{1} / stiffened(groups_[g], w);
      for (int a = 0; a < 3; ++a) here.direction[a] = d[a] / length;
      put(residual, g, residual_of(groups_[g], length));
    });
  }
  void precondition(std::span<const double> r, std::span<double> z) const override {
    for_all([&](std::size_t g) {
      for (int lane = 0; lane < kLanes; ++lane) z[at(g, lane)] = linear_[g].inverse[lane] * r[at(g, lane)];
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
        p[at(g, lane)] = direction(g, lane).dot(apart) + scale_ * group.compliance[lane] * d[at(g, lane)];
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

 private:
  static constexpr int kGrain = 128;
  // Between ends that coincide, m: its square is still a number.
  static constexpr Real kTinyLength = kIsDouble ? 1e-150 : 1e-18F;
  static constexpr Real kTinyMass = 1e-30F;  // 1/kg, of links between two held points

  struct Group {
    Lanes rest;        // m
    Lanes compliance;  // m/N
    Lanes multiplier;  // Λ
    int block[2][kLanes];
  };
  struct Linear {
    Lanes direction[3];
    Lanes inverse;  // 1/(w₀ + w₁ + α)
  };

  // Loads the ends; their distance is returned.
  static Lanes measure(const Group& group, const Movers<Real>& movers, Lanes x[2][3], Lanes w[2], Lanes d[3]) {
    for (int b = 0; b < 2; ++b) load_movers(movers.points.data(), group.block[b], x[b], w[b]);
    for (int a = 0; a < 3; ++a) d[a] = x[1][a] - x[0][a];
    d[0] += kTinyLength;
    return math::sqrt(d[0] * d[0] + (d[1] * d[1] + d[2] * d[2]));
  }
  Lanes stiffened(const Group& group, const Lanes w[2]) const {
    return w[0] + w[1] + (scale_ * group.compliance + kTinyMass);
  }
  Lanes residual_of(const Group& group, Lanes length) const {
    return length - group.rest + scale_ * group.compliance * group.multiplier;
  }
  void relax_group(Group& group, int count, Real omega, Movers<Real>& movers) const {
    Lanes x[2][3], w[2], d[3];
    const Lanes length = measure(group, movers, x, w, d);
    const Lanes per_length = -omega * residual_of(group, length) / (length * stiffened(group, w));  // ΔΛ/|d|
    group.multiplier += per_length * length;
    for (int a = 0; a < 3; ++a) {
      const Lanes push = per_length * d[a];
      x[0][a] -= w[0] * push;
      x[1][a] += w[1] * push;
    }
    // Whole groups are all but the last of a colour: with their number of lanes known, ends stay in registers until stored.
    Mover<Real>* const points = movers.points.data();
    if (count == kLanes) {
      store_movers(points, group.block[0], kLanes, x[0], w[0]);
      store_movers(points, group.block[1], kLanes, x[1], w[1]);
    } else {
      for (int b = 0; b < 2; ++b) store_movers(points, group.block[b], count, x[b], w[b]);
    }
  }

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
  std::vector<unsigned char> counts_;  // links per group
  std::vector<Linear> linear_;
  Real scale_ = 0;  // of compliances
};

}  // namespace pliant::solver
