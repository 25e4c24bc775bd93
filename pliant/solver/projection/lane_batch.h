// Soft constraints of one kernel (strain_kernels.h), four elements of one colour side by side.
//
// An element is solved as a block:  (J W Jᵀ + ω C⁻¹) ΔΛ = −(c − c* + ω C⁻¹ Λ),  x ← x + W Jᵀ ΔΛ       [Francu2016, alg. 4]
// with c* = 0, or what c was before the step where the stiffness is one of rates.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "pliant/math/lanes.h"
#include "pliant/parallel/parallel.h"
#include "pliant/solver/projection/batch.h"
#include "pliant/solver/projection/coloured_lanes.h"
#include "pliant/solver/projection/strain_kernels.h"

namespace pliant::solver {

// x of A x = b for a packed symmetric positive definite A, which is overwritten by its factors L D Lᵀ.
template <class T, int kRows>
inline void solve_packed(T a[kPacked<kRows>], T b[kRows]) {
  for (int j = 0; j < kRows; ++j) {
    T scaled[kRows] = {};
    T pivot = a[packed(j, j)];
    for (int k = 0; k < j; ++k) {
      scaled[k] = a[packed(j, k)] * a[packed(k, k)];
      pivot -= a[packed(j, k)] * scaled[k];
    }
    a[packed(j, j)] = pivot;
    const T inverse = 1.0 / pivot;
    for (int i = j + 1; i < kRows; ++i) {
      T entry = a[packed(i, j)];
      for (int k = 0; k < j; ++k) entry -= a[packed(i, k)] * scaled[k];
      a[packed(i, j)] = entry * inverse;
    }
  }
  for (int i = 0; i < kRows; ++i) {
    for (int k = 0; k < i; ++k) b[i] -= a[packed(i, k)] * b[k];
  }
  for (int i = 0; i < kRows; ++i) b[i] = b[i] / a[packed(i, i)];
  for (int i = kRows - 1; i >= 0; --i) {
    for (int k = i + 1; k < kRows; ++k) b[i] -= a[packed(k, i)] * b[k];
  }
}

template <class Kernel, class Real>
class LaneBatch final : public Batch<Real> {
 public:
  using Lanes = math::Lanes;
  static constexpr int kRows = Kernel::kRows, kBlocks = Kernel::kBlocks, kLanes = math::kLaneCount;

  // is_rate of all elements alike.
  // damping: s, ρ: besides K there is the loss ρK on what changes. Both together are one stiffness (1 + ρ/h) K that pulls
  // to c* = ρ/h c_b/(1 + ρ/h); as two elements with the same directions they would need thousands of sweeps to agree.
  LaneBatch(std::span<const typename Kernel::Element> elements, int block_count, bool is_rate, double damping = 0)
      : is_rate_(is_rate), damping_(damping), order_(lanes_by_colour<kBlocks>(blocks_of(elements), block_count)) {
    groups_.resize(order_.items.size() / kLanes);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const int item = order_.items[kLanes * g + lane];
        set_lane(elements[item >= 0 ? item : order_.items[kLanes * g]], item >= 0, lane, groups_[g]);
      }
    }
    multipliers_.resize(groups_.size());
  }

  void begin(const ProjectionStep& step, Movers<Real>& movers) override {
    // Stiffness is K, or K/h for rates: compliance in projection's units.
    const double ratio = damping_ / step.step;
    scale_ = step.weight * (is_rate_ ? step.step : 1.0) / (1 + ratio);
    std::fill(multipliers_.begin(), multipliers_.end(), Multipliers{});
    is_frozen_ = step.is_frozen;
    if (!has_offsets() && !is_frozen_) return;
    const double part = is_rate_ ? 1 : ratio / (1 + ratio);
    Movers<Real> before = movers;
    for (int b = 0; b < step.before.size(); ++b) {
      before.points[b].put(step.before[b]);
    }
    offsets_.resize(groups_.size());
    if (is_frozen_) frozen_.resize(groups_.size());
    for_all([&](std::size_t g) {
      Lanes x[kBlocks][3], w[kBlocks];
      Value value;
      load(groups_[g], before, x, w);
      if constexpr (requires { Kernel::template set_rest_at<Lanes>(x, groups_[g].rest); }) {
        if (is_rate_) Kernel::template set_rest_at<Lanes>(x, groups_[g].rest);
      }
      Kernel::template evaluate<Lanes>(groups_[g].rest, x, value);
      for (int r = 0; r < kRows; ++r) offsets_[g].entry[r] = part * value.c[r];
      if (!is_frozen_) return;
      frozen_[g] = value;
      for (int r = 0; r < kRows; ++r) {
        for (int b = 0; b < kBlocks; ++b) frozen_[g].c[r] -= inner3(value.gradient[r][b], x[b]);
      }
    });
  }

  void relax(double omega, Movers<Real>& movers) override {
    for (std::size_t colour = 0; colour + 1 < order_.colour_start.size(); ++colour) {
      const int first = order_.colour_start[colour] / kLanes, last = order_.colour_start[colour + 1] / kLanes;
      parallel_for(last - first, kGrain, [&](int begin, int end) {
        for (int g = first + begin; g < first + end; ++g) relax_group(static_cast<std::size_t>(g), omega, movers);
      });
    }
  }

  [[nodiscard]] int row_count() const override { return static_cast<int>(groups_.size()) * kRows * kLanes; }

  void linearise(const Movers<Real>& movers, std::span<double> residual) override {
    linear_.resize(groups_.size());
    for_all([&](std::size_t g) {
      Lanes x[kBlocks][3];
      Linear& here = linear_[g];
      load(groups_[g], movers, x, here.w);
      evaluate(g, x, here.value);
      set_system(groups_[g], here.value, here.w, here.system);
      Lanes r[kRows];
      residual_of(g, here.value, r);
      for (int row = 0; row < kRows; ++row) put(residual, g, row, groups_[g].is_real * r[row]);
    });
  }
  void precondition(std::span<const double> r, std::span<double> z) const override {
    for_all([&](std::size_t g) {
      Lanes system[kPacked<kRows>], rhs[kRows];
      std::copy_n(linear_[g].system, kPacked<kRows>, system);
      for (int row = 0; row < kRows; ++row) rhs[row] = get(r, g, row);
      solve_packed<Lanes, kRows>(system, rhs);
      for (int row = 0; row < kRows; ++row) put(z, g, row, rhs[row]);
    });
  }
  void pull_back(std::span<const double> d, Impulses& out) const override {
    for (std::size_t colour = 0; colour + 1 < order_.colour_start.size(); ++colour) {
      const int first = order_.colour_start[colour] / kLanes, last = order_.colour_start[colour + 1] / kLanes;
      parallel_for(last - first, kGrain, [&](int begin, int end) {
        for (int g = first + begin; g < first + end; ++g) pull_group(static_cast<std::size_t>(g), d, out);
      });
    }
  }
  void multiply(const Impulses& y, std::span<const double> d, std::span<double> p) const override {
    for_all([&](std::size_t g) {
      const Group& group = groups_[g];
      Lanes change[kBlocks][3];
      for (int b = 0; b < kBlocks; ++b) {
        double entries[3][kLanes];
        for (int lane = 0; lane < kLanes; ++lane) {
          for (int a = 0; a < 3; ++a) entries[a][lane] = y.force[group.block[b][lane]][a];
        }
        for (int a = 0; a < 3; ++a) change[b][a] = math::load(entries[a]);
      }
      for (int row = 0; row < kRows; ++row) {
        Lanes sum = math::lanes_of(0);
        for (int b = 0; b < kBlocks; ++b) sum += inner3(linear_[g].value.gradient[row][b], change[b]);
        for (int k = 0; k < kRows; ++k) sum += scale_ * group.compliance[packed(row, k)] * get(d, g, k);
        put(p, g, row, group.is_real * sum);
      }
    });
  }
  void accept(std::span<double> change) override {
    for_all([&](std::size_t g) {
      for (int row = 0; row < kRows; ++row) multipliers_[g].entry[row] += get(change, g, row);
    });
  }
  void write_multipliers(std::span<double> out) const override {
    for_all([&](std::size_t g) {
      for (int row = 0; row < kRows; ++row) put(out, g, row, multipliers_[g].entry[row]);
    });
  }
  void add_edge_rows(std::vector<EdgeRow>& out) const override {
    if constexpr (std::is_same_v<Kernel, TriangleKernel> || std::is_same_v<Kernel, LinkKernel>) {
      for (std::size_t g = 0; g < groups_.size(); ++g) {
        for (int r = 0; r < kRows; ++r) {
          // Row r of a triangle is the edge opposite its corner r.
          const int from = kRows == 1 ? 0 : (r + 1) % kBlocks, to = kRows == 1 ? 1 : (r + 2) % kBlocks;
          const int row = (static_cast<int>(g) * kRows + r) * kLanes;
          for (int lane = 0; lane < lane_count(groups_[g]); ++lane)
            out.push_back({row + lane, {groups_[g].block[from][lane], groups_[g].block[to][lane]}});
        }
      }
    }
  }

 private:
  static constexpr int kGrain = 64;
  using Value = ConstraintValue<Lanes, kRows, kBlocks>;
  struct Group {
    Lanes rest[Kernel::kRestCount];
    Lanes compliance[kPacked<kRows>];  // K⁻¹
    Lanes is_real;                     // 0 for lanes that only fill up
    int block[kBlocks][kLanes];
  };
  struct Multipliers {
    Lanes entry[kRows] = {};
  };
  struct Linear {
    Value value;
    Lanes w[kBlocks];
    Lanes system[kPacked<kRows>];
  };

  static std::vector<std::array<int, kBlocks>> blocks_of(std::span<const typename Kernel::Element> elements) {
    std::vector<std::array<int, kBlocks>> blocks;
    blocks.reserve(elements.size());
    for (const auto& element : elements) blocks.push_back(element.block);
    return blocks;
  }
  static void set_lane(const typename Kernel::Element& element, bool is_real, int lane, Group& group) {
    double rest[Kernel::kRestCount], compliance[kPacked<kRows>];
    Kernel::set_rest(element, rest);
    Kernel::set_compliance(element, compliance);
    for (int i = 0; i < Kernel::kRestCount; ++i) group.rest[i][lane] = rest[i];
    for (int i = 0; i < kPacked<kRows>; ++i) group.compliance[i][lane] = compliance[i];
    for (int b = 0; b < kBlocks; ++b) group.block[b][lane] = element.block[b];
    group.is_real[lane] = is_real ? 1 : 0;
  }
  static void load(const Group& group, const Movers<Real>& movers, Lanes x[kBlocks][3], Lanes w[kBlocks]) {
    for (int b = 0; b < kBlocks; ++b) load_movers(movers.points.data(), group.block[b], x[b], w[b]);
  }
  // Frozen: c and its gradients are those before the step, c + ∇c·(x − x_b).
  void evaluate(std::size_t g, const Lanes x[kBlocks][3], Value& value) const {
    if (!is_frozen_) {
      Kernel::template evaluate<Lanes>(groups_[g].rest, x, value);
      return;
    }
    value = frozen_[g];
    for (int r = 0; r < kRows; ++r) {
      for (int b = 0; b < kBlocks; ++b) value.c[r] += inner3(value.gradient[r][b], x[b]);
    }
  }
  void set_system(const Group& group, const Value& value, const Lanes w[kBlocks], Lanes system[kPacked<kRows>]) const {
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j <= i; ++j) {
        Lanes sum = scale_ * group.compliance[packed(i, j)];
        for (int b = 0; b < kBlocks; ++b) sum += w[b] * inner3(value.gradient[i][b], value.gradient[j][b]);
        system[packed(i, j)] = sum;
      }
    }
  }
  void residual_of(std::size_t g, const Value& value, Lanes r[kRows]) const {
    const Group& group = groups_[g];
    for (int i = 0; i < kRows; ++i) {
      Lanes sum = value.c[i];
      if (has_offsets()) sum -= offsets_[g].entry[i];
      for (int j = 0; j < kRows; ++j) sum += scale_ * group.compliance[packed(i, j)] * multipliers_[g].entry[j];
      r[i] = sum;
    }
  }
  void relax_group(std::size_t g, double omega, Movers<Real>& movers) {
    const Group& group = groups_[g];
    Lanes x[kBlocks][3], w[kBlocks], system[kPacked<kRows>], change[kRows];
    Value value;
    load(group, movers, x, w);
    evaluate(g, x, value);
    set_system(group, value, w, system);
    residual_of(g, value, change);
    solve_packed<Lanes, kRows>(system, change);
    for (int i = 0; i < kRows; ++i) {
      change[i] = -omega * group.is_real * change[i];
      multipliers_[g].entry[i] += change[i];
    }
    for (int b = 0; b < kBlocks; ++b) {
      for (int a = 0; a < 3; ++a) {
        Lanes push = math::lanes_of(0);
        for (int i = 0; i < kRows; ++i) push += value.gradient[i][b][a] * change[i];
        x[b][a] += w[b] * push;
      }
      store_movers(movers.points.data(), group.block[b], lane_count(group), x[b], w[b]);
    }
  }
  void pull_group(std::size_t g, std::span<const double> d, Impulses& out) const {
    const Group& group = groups_[g];
    for (int b = 0; b < kBlocks; ++b) {
      Lanes push[3];
      for (int a = 0; a < 3; ++a) {
        push[a] = math::lanes_of(0);
        for (int i = 0; i < kRows; ++i) push[a] += linear_[g].value.gradient[i][b][a] * get(d, g, i);
      }
      for (int lane = 0; lane < lane_count(group); ++lane)
        out.force[group.block[b][lane]] += Vec3(push[0][lane], push[1][lane], push[2][lane]);
    }
  }
  static int lane_count(const Group& group) {
    int count = kLanes;
    while (group.is_real[count - 1] == 0) --count;
    return count;
  }
  template <class Body>
  void for_all(const Body& body) const {
    parallel_for(static_cast<int>(groups_.size()), kGrain, [&](int begin, int end) {
      for (int g = begin; g < end; ++g) body(static_cast<std::size_t>(g));
    });
  }
  static Lanes get(std::span<const double> v, std::size_t g, int row) {
    return math::load(&v[(g * kRows + static_cast<std::size_t>(row)) * kLanes]);
  }
  static void put(std::span<double> v, std::size_t g, int row, Lanes x) {
    math::store(&v[(g * kRows + static_cast<std::size_t>(row)) * kLanes], x);
  }

  [[nodiscard]] bool has_offsets() const { return is_rate_ || damping_ > 0; }

  bool is_rate_;
  double damping_;  // s
  ColouredLanes order_;
  std::vector<Group> groups_;
  std::vector<Multipliers> multipliers_;  // Λ
  std::vector<Multipliers> offsets_;      // c before the step, where rates count
  std::vector<Linear> linear_;
  bool is_frozen_ = false;
  std::vector<Value> frozen_;  // before the step; c without its linear part
  double scale_ = 0;           // of compliances
};

}  // namespace pliant::solver
