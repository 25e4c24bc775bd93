// Contact and friction inside the iteration: unilateral rows whose friction is projected on Coulomb's law together with them.
//
//   Λ = (Λ_n, Λ_t)     along the normal and along the surface; force divided by the integrator's weight
//   residual           (gap − wanted, slip): lengths both, slip the way along the surface in this step
//   cylinder           Λ_n ← max(Λ_n, 0), then |Λ_t| ≤ μ Λ_n
//   box                likewise, each tangent by itself: |Λ_t1|, |Λ_t2| ≤ μ Λ_n
//   cone               both together on the cone |Λ_t| ≤ μ Λ_n, with the gap enlarged by μ |slip|: without this shift sliding
//                      bodies lift                                                [Francu2016, 7.4; Acary2011; errata R9]
// All three have the same stick; sliding, the box pushes along tangents and is not isotropic.
//
// Λ ← P(Λ − D⁻¹ r) is at rest where Coulomb's law holds only if D is one number for both tangents, and for the cone one for
// the normal too: by the 2×2 matrix of the tangents a corner of a box would be pushed along K⁻¹ slip instead of slip. So
// the matrix serves to find what sticks, and what slides takes a step with the largest eigenvalue.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pliant/configuration/state.h"
#include "pliant/contact/projected_pairs.h"
#include "pliant/parallel/touch_lists.h"
#include "pliant/solver/projection/batch.h"
#include "pliant/solver/projection/manifold_lanes.h"

namespace pliant::solver {

enum class FrictionCone { cylinder, cone, box };

template <class Real>
class ContactBatch final : public Batch<Real> {
 public:
  explicit ContactBatch(FrictionCone cone) : cone_(cone) {}

  // Once per model: per block, whether soft elements hold on to it. Their forces begin at zero in every step, so contacts of
  // such blocks do too: a force that nothing balances yet would throw their points far away.
  void set_soft(std::vector<unsigned char> is_soft) { is_soft_ = std::move(is_soft); }
  // For the coming step; warm: forces to start with, as far as they send nothing spinning (starting_forces.h); may be null.
  void set_pairs(const contact::ProjectedPairs& pairs, const ForceMemory* warm, int block_count);
  // As pairs have come: the iteration goes on with them from where it is. Those that are replaced push no more.
  void take_up(std::span<const contact::MetPair> met, Movers<Real>& movers);
  // The same, but the next begin() is of all, with the forces found so far (is_warm) as far as they send nothing spinning.
  void start_over(std::span<const contact::MetPair> met, bool is_warm);

  void begin(const ProjectionStep& step, Movers<Real>& movers) override;
  void relax(double omega, Movers<Real>& movers) override;
  // Gaps follow the rotations of rigid bodies.
  void follow(const Movers<Real>& movers) override;
  // After the last iteration: what it came to.
  void finish(const Movers<Real>& movers);

  // Those of lanes first, then three for each single pair.
  [[nodiscard]] int row_count() const override { return manifolds_.row_count() + 3 * static_cast<int>(rows_.size()); }
  [[nodiscard]] bool is_linear() const override { return true; }
  void linearise(const Movers<Real>& movers, std::span<double> residual) override;
  void precondition(std::span<const double> r, std::span<double> z) const override;
  void pull_back(std::span<const double> d, Impulses& out) const override;
  void multiply(const Impulses& y, std::span<const double> d, std::span<double> p) const override;
  void accept(std::span<double> change) override;
  void write_multipliers(std::span<double> out) const override;

  // Per pair, after finish().
  [[nodiscard]] std::span<const contact::ProjectedOutcome> outcomes() const { return outcomes_; }
  [[nodiscard]] ForceMemory memory() const;

 private:
  // What a sweep needs of a contact that is not in lanes, and keeps.
  struct Row {
    int pair = 0;
    Vec3 normal = Vec3::UnitY();
    std::array<Vec3, 2> tangent = {Vec3::UnitX(), Vec3::UnitZ()};
    std::array<Vec3, 2> arm = {Vec3::Zero(), Vec3::Zero()};  // m, of rigid sides: the lever's a + p
    Vec3 carried = Vec3::Zero();  // m, Σ ±(R a + p + θ × p) up to the last refresh; the last along the surface
    double normal_inverse = 0;    // kg, of nᵀ K n
    double tangent_inverse[3] = {0, 0, 0};  // kg, of the 2×2 matrix of the tangents: 11, 12, 22
    double slide_inverse = 0;               // kg, of its largest eigenvalue
    bool is_idle = false;                   // neither pushes nor touches where it was linearised
    bool is_replaced = false;               // another pair of the same points has come for it
    double multiplier[3] = {0, 0, 0};       // kg m, Λ_n, Λ_t
    double shift = 0;                       // m, −offset − wanted

    // Λ, or its change, as a vector.
    [[nodiscard]] Vec3 impulse(const double along[3]) const {
      return along[0] * normal + along[1] * tangent[0] + along[2] * tangent[1];
    }
  };
  // A colour of Gauss-Seidel: manifolds in lanes, and the groups that are worked off one by one: rows first … last − 1.
  struct Colour {
    std::array<int, 2> quads{0, 0};
    std::vector<std::array<int, 2>> groups;
    std::vector<std::array<int, 2>> soft;  // likewise, of soft bodies with each other and with obstacles
  };
  [[nodiscard]] bool is_for_lanes(int group) const;
  [[nodiscard]] bool touches_soft(const contact::ProjectedPair& pair) const;
  [[nodiscard]] bool is_soft(const contact::ProjectedPair& pair) const;  // nothing else
  enum class Which { all, pushing };
  void relax_groups(std::span<const std::array<int, 2>> groups, Which which, double omega, Movers<Real>& movers);
  void arrange_new_groups();
  void begin_rows(int first, const Movers<Real>& movers);
  void find_first_forces(const ForceMemory* memory);
  void set_row(Row& row);
  [[nodiscard]] Vec3 separation(const Row& row, const Movers<Real>& movers) const;  // r
  void push(const Row& row, const Vec3& impulse, Movers<Real>& movers) const;
  void relax_row(Row& row, double omega, Movers<Real>& movers) const;
  void set_arms(Row& row, const Movers<Real>& movers) const;
  void carry(Row& row, const Movers<Real>& movers) const;
  void push_starts(Movers<Real>& movers);
  void set_inverses(Row& row, const Movers<Real>& movers) const;
  void project(double friction, double multiplier[3]) const;
  [[nodiscard]] const contact::ProjectedPair& pair_of(const Row& row) const { return pairs_->pairs[row.pair]; }
  // The part of a vector over all rows that belongs to single pairs.
  template <class Number>
  [[nodiscard]] std::span<Number> of_singles(std::span<Number> v) const {
    return v.subspan(static_cast<std::size_t>(manifolds_.row_count()));
  }
  [[nodiscard]] bool sticks(double friction, const double multiplier[3]) const;

  FrictionCone cone_;
  const contact::ProjectedPairs* pairs_ = nullptr;
  std::vector<unsigned char> is_soft_;
  double weight_ = 0;  // 1/s², the integrator's
  std::vector<Colour> colours_;
  ManifoldLanes<Real> manifolds_;
  int block_count_ = 0, group_count_ = 0;            // groups: of pairs_, that are in colours
  std::vector<Row> rows_;                            // of pairs that are not in lanes
  std::vector<int> row_of_pair_;                     // −1: in lanes
  std::vector<Vec3> first_forces_, starts_;          // N and kg m, per pair: what it starts with
  double most_turn_ = 0;                             // rad, by these
  std::vector<contact::ProjectedOutcome> outcomes_;  // per pair
};

}  // namespace pliant::solver
