// Soft pins and hands: springs of zero length from a point to a place, along some or all directions.
//   c = D (x − t),  (w + ω/k) ΔΛ = −(c + ω Λ/k),  x ← x + w ΔΛ          k stiffness [N/m], D projector
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "pliant/energy/compliant.h"
#include "pliant/solver/projection/batch.h"

namespace pliant::solver {

template <class Real>
class TargetBatch final : public Batch<Real> {
 public:
  void set_targets(std::vector<SoftTarget> targets) { targets_ = std::move(targets); }
  [[nodiscard]] const std::vector<SoftTarget>& targets() const { return targets_; }

  void begin(const ProjectionStep& step, Movers<Real>&) override {
    weight_ = step.weight;
    multipliers_.assign(targets_.size(), Vec3::Zero());
  }
  void relax(double omega, Movers<Real>& movers) override {
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      Mover<Real>& point = movers.points[targets_[i].block];
      const Vec3 change = -omega * inverse(i, point) * residual(i, point);
      multipliers_[i] += change;
      point.move(static_cast<double>(point.w) * change);
    }
  }

  [[nodiscard]] int row_count() const override { return 3 * static_cast<int>(targets_.size()); }
  [[nodiscard]] bool is_linear() const override { return true; }
  void linearise(const Movers<Real>& movers, std::span<double> r) override {
    inverses_.resize(targets_.size());
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const Mover<Real>& point = movers.points[targets_[i].block];
      inverses_[i] = inverse(i, point);
      const Vec3 here = residual(i, point);
      std::copy_n(here.data(), 3, &r[3 * i]);
    }
  }
  void precondition(std::span<const double> r, std::span<double> z) const override {
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = inverses_[i / 3] * r[i];
  }
  void pull_back(std::span<const double> d, Impulses& out) const override {
    for (std::size_t i = 0; i < targets_.size(); ++i)
      out.force[targets_[i].block] += targets_[i].directions * Eigen::Map<const Vec3>(&d[3 * i]);
  }
  void multiply(const Impulses& y, std::span<const double> d, std::span<double> p) const override {
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const Vec3 product = targets_[i].directions * y.force[targets_[i].block] +
                           weight_ / targets_[i].stiffness * Eigen::Map<const Vec3>(&d[3 * i]);
      std::copy_n(product.data(), 3, &p[3 * i]);
    }
  }
  void accept(std::span<double> change) override {
    for (std::size_t i = 0; i < targets_.size(); ++i) multipliers_[i] += Eigen::Map<const Vec3>(&change[3 * i]);
  }
  void write_multipliers(std::span<double> out) const override {
    for (std::size_t i = 0; i < targets_.size(); ++i) std::copy_n(multipliers_[i].data(), 3, &out[3 * i]);
  }

 private:
  [[nodiscard]] double inverse(std::size_t i, const Mover<Real>& point) const {
    return 1 / (static_cast<double>(point.w) + weight_ / targets_[i].stiffness);
  }
  [[nodiscard]] Vec3 residual(std::size_t i, const Mover<Real>& point) const {
    const SoftTarget& target = targets_[i];
    return target.directions * (point.position() - target.target) + weight_ / target.stiffness * multipliers_[i];
  }

  std::vector<SoftTarget> targets_;
  std::vector<Vec3> multipliers_;  // Λ
  std::vector<double> inverses_;
  double weight_ = 0;  // 1/s²
};

}  // namespace pliant::solver
