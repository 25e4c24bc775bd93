// Contact and friction inside the iteration: unilateral rows whose friction is projected on Coulomb's law together with them.
//
//   Λ = (Λ_n, Λ_t)     along the normal and along the surface; force divided by the integrator's weight
//   residual           (gap − wanted, slip): lengths both, slip the way along the surface in this step
//   cylinder           Λ_n ← max(Λ_n, 0), then |Λ_t| ≤ μ Λ_n
//   box                likewise, each tangent by itself: |Λ_t1|, |Λ_t2| ≤ μ Λ_n
//   cone               both together on the cone |Λ_t| ≤ μ Λ_n, with the gap enlarged by μ |slip|: without this shift sliding
//                      bodies lift                                                [Francu2016, 7.4; Acary2011; errata R9]
// All three have the same stick; sliding, the box pushes along tangents and is not isotropic.
#pragma once

#include <vector>

#include "pliant/configuration/state.h"
#include "pliant/contact/projected_pairs.h"
#include "pliant/parallel/coloring.h"
#include "pliant/solver/projection/batch.h"

namespace pliant::solver {

enum class FrictionCone { cylinder, cone, box };

template <class Real>
class ContactBatch final : public Batch<Real> {
 public:
  explicit ContactBatch(FrictionCone cone) : cone_(cone) {}

  // For the coming step; warm: forces to start with, may be null.
  void set_pairs(const contact::ProjectedPairs& pairs, const ForceMemory* warm, int block_count);

  void begin(const ProjectionStep& step, Movers<Real>& movers) override;
  void relax(double omega, Movers<Real>& movers) override;
  // Arms of rigid bodies follow their rotations: after refresh_rotations.
  void refresh(const Movers<Real>& movers);

  [[nodiscard]] int row_count() const override { return 3 * static_cast<int>(rows_.size()); }
  void linearise(const Movers<Real>& movers, std::span<double> residual) override;
  void precondition(std::span<const double> r, std::span<double> z) const override;
  void pull_back(std::span<const double> d, Impulses& out) const override;
  void multiply(const Impulses& y, std::span<const double> d, std::span<double> p) const override;
  void accept(std::span<double> change) override;
  void write_multipliers(std::span<double> out) const override;

  // Of pair i after the solve.
  [[nodiscard]] Vec3 force(std::size_t i) const;                              // N, on the first body
  [[nodiscard]] Vec3 friction(std::size_t i) const;                           // N, of it along the surface
  [[nodiscard]] Vec3 slip(std::size_t i, const Movers<Real>& movers) const;   // m
  [[nodiscard]] double gap(std::size_t i, const Movers<Real>& movers) const;  // m
  [[nodiscard]] ForceMemory memory() const;

 private:
  struct Row {
    Vec3 normal, tangent[2];
    Vec3 arm[2] = {Vec3::Zero(), Vec3::Zero()};  // m, R a + p of rigid sides
    Vec3 rolled = Vec3::Zero();                  // m, Σ ±θ × p up to the last refresh: along the surface
    double normal_inverse = 0;                   // 1/kg⁻¹, of nᵀ K n
    double tangent_inverse[3] = {0, 0, 0};       // of the 2×2 matrix of the tangents: 11, 12, 22
    double multiplier[3] = {0, 0, 0};            // Λ_n, Λ_t
    double shift = 0;                            // n·(…) that does not move: −offset − wanted
  };
  [[nodiscard]] Vec3 separation(std::size_t i, const Movers<Real>& movers) const;  // r
  void push(std::size_t i, const Vec3& impulse, Movers<Real>& movers) const;
  void relax_pair(std::size_t i, double omega, Movers<Real>& movers);
  void set_inverses(std::size_t i, const Movers<Real>& movers);
  void project(double friction, double multiplier[3]) const;

  FrictionCone cone_;
  const contact::ProjectedPairs* pairs_ = nullptr;
  const ForceMemory* warm_ = nullptr;
  double weight_ = 0;            // 1/s², the integrator's
  parallel::Coloring coloring_;  // of groups
  std::vector<Row> rows_;
};

}  // namespace pliant::solver
