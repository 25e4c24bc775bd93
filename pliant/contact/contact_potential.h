// Contact as an energy: barriers between everything that is near, friction, and the longest step that meets nothing.
//
//   C(q) = Σ A P d̂ m b(gap/d̂)  +  Σ D(slip)
//
//   gap = distance − thicknesses,  d̂ the contact distance,  b the barrier (barrier.h),  m the mollifier of nearly
//   parallel edges,  A the smaller area of the two primitives [m²],  P the pressure at which a gap is about half closed.
// A makes forces independent of the mesh. P follows from the scene and is doubled after steps in which a gap fell
// below a hundredth of d̂: it changes how near bodies come at rest, not the forces between them.
//
// A solver's iteration:  evaluate (value, gradient, Hessian at the iterate) → direction → largest_step → value along it.
// Obstacles go their way together with the unknowns: `progress` runs from 0 (where they were) to 1 (where the script wants
// them); an iterate is a pair (q, progress), and so is a direction.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pliant/contact/contact_response.h"
#include "pliant/contact/contact_scatter.h"
#include "pliant/contact/friction.h"
#include "pliant/contact/pair_lanes.h"
#include "pliant/contact/watched_pairs.h"
#include "pliant/sparse/block_pattern.h"
#include "pliant/sparse/symmetric_block_matrix.h"

namespace pliant::contact {

class ContactPotential final : public ContactResponse {
 public:
  ContactPotential(std::shared_ptr<const ContactSurface> surface, const ContactOptions& options);

  // --- A step ---
  void begin_step(const ContactStep& step);
  // The slips that the next step starts with. Call at the accepted iterate.
  [[nodiscard]] StickMemory memory_at(const BlockVector& q) override;

  // --- An iterate: call look() first; the pairs are those of the last begin_step or largest_step ---
  void look(const BlockVector& q, double progress) override;
  [[nodiscard]] double value() const override;          // J, at the iterate
  [[nodiscard]] double stored_energy() const override;  // J, of it what is stored: without friction
  [[nodiscard]] double value_at(const BlockVector& q,
                                double progress) override;  // J, elsewhere on the last way; ∞ in a touch
  void add_gradient(BlockVector& gradient) const override;  // N
  // Whether all contacts' blocks are stored; if not, couple() adds them.
  [[nodiscard]] bool fits(const sparse::BlockPattern& pattern);
  void couple(sparse::PatternBuilder& builder) const;
  // Not exact: positive semi-definite. bounds_friction: of friction that of a model which lies above it (friction.h).
  void add_hessian(sparse::SymmetricBlockMatrix& matrix, bool is_exact, bool bounds_friction = false);
  // Takes normal forces and directions of friction from the iterate. Returns whether there is any friction.
  bool renew_friction() { return renew_friction(x_); }
  [[nodiscard]] int friction_renewals() const { return options_.friction_iterations - 1; }  // per step, after its begin

  // What obstacles that go the whole rest of their way do: added to `product` [N] is H_qo δo; the two numbers are the
  // slope [J] and the curvature [J] of C along δo alone. Needs add_hessian of the same iterate.
  struct ObstacleShare {
    double slope = 0, curvature = 0;
  };
  ObstacleShare add_obstacle_motion(double progress, BlockVector& product);
  [[nodiscard]] double obstacle_way_squared() const { return obstacle_way_squared_; }  // m², over the step

  // --- A direction ---
  // The largest α ≤ 1 for which q + α d, progress + α dp keeps a part of every gap all along the way; finds the pairs on
  // the way.
  double largest_step(const BlockVector& q, const BlockVector& d, double progress, double progress_step);

  [[nodiscard]] ContactSummary summary() const override;  // at the iterate
  // At the iterate. Friction that outlasts its contact (it is that of the last renewal) is listed too, after the others.
  [[nodiscard]] std::vector<ContactForce> forces() const override;
  // A pair without any gap at the iterate, as its two bodies and a place; none = all are apart.
  struct Touch {
    int first_body = 0, second_body = 0;
    Vec3 point = Vec3::Zero();  // m
  };
  [[nodiscard]] std::optional<Touch> touch() const;
  [[nodiscard]] const ContactSurface& surface() const override { return *surface_; }
  [[nodiscard]] std::size_t memory_bytes() const override;
  // Positions of all points [m].
  void place(const BlockVector& q, double progress, std::vector<Vec3>& x) const;

 private:
  struct Active {
    Candidate pair;
    std::array<int, 4> point{};
    Feature feature = Feature::point_face;        // of planes any
    std::array<double, 4> weight{};               // γ
    Vec3 normal = Vec3::Zero();                   // n
    double distance = 0;                          // m, d̂ of this pair
    double offset = 0;                            // m, its thickness
    double gap = 0;                               // m
    double energy = 0, slope = 0, curvature = 0;  // J, N, N/m: of the gap, without the mollifier
    double mollifier = 1;                         // m
    double parallel = 0;                          // m⁴, parallel_threshold of edges that are below it, else 0
    [[nodiscard]] bool is_mollified() const { return parallel > 0; }
  };
  // Up to four pairs of one kind at a time; the last is repeated where there are fewer.
  struct NearFour {
    PairLanes x;  // m
    ClosestLanes closest;
    math::Lanes gap;    // m
    math::Lanes reach;  // m, d̂
    math::Lanes scale;  // J, A P d̂
    math::LaneMask is_active, is_mollified;
  };
  void measure(PairKind kind, const std::array<int, 4>& pairs, std::span<const Vec3> x, NearFour& near) const;
  [[nodiscard]] double values(PairKind kind, const std::array<int, 4>& pairs, int count, std::span<const Vec3> x) const;
  [[nodiscard]] double plane_height(const WatchedPair& pair, std::span<const Vec3> x) const;
  [[nodiscard]] double plane_value(const WatchedPair& pair, std::span<const Vec3> x) const;
  void make_active(PairKind kind, const std::array<int, 4>& pairs, int count, std::vector<Active>& found);
  void make_active_with_plane(const WatchedPair& pair, std::vector<Active>& found) const;
  [[nodiscard]] LocalHessian hessian_of(const Active& active, bool is_exact) const;
  // Of up to four contacts of one kind, by their places in active_.
  void add_hessians(std::span<const int> contacts, sparse::BlockPattern::RowRange rows, bool is_exact,
                    sparse::SymmetricBlockMatrix& matrix) const;
  // What belongs to some rows: each entry is the sum in the order of contacts, whoever forms it.
  void add_rows_of_hessian(sparse::BlockPattern::RowRange rows, bool is_exact,
                           sparse::SymmetricBlockMatrix& matrix) const;
  void add_rows_of_gradient(sparse::BlockPattern::RowRange rows, BlockVector& gradient) const;
  [[nodiscard]] double friction_value_at(std::span<const Vec3> x) const;
  // later: where points are, or would be, at the end of the step [m].
  bool renew_friction(std::span<const Vec3> later);
  [[nodiscard]] Vec3 motion_of(const std::array<int, 4>& point, const std::array<double, 4>& weight,
                               std::span<const Vec3> x) const;
  [[nodiscard]] Vec2 slip_of(const FrictionContact& contact, std::span<const Vec3> x) const {
    return slip_after(contact, motion_of(contact.point, contact.weight, x));
  }
  void find_slips();
  [[nodiscard]] static Mat3 friction_hessian(const FrictionContact& contact, const Vec2& slip, bool is_bound);
  void local_gradient(const Active& active, FourPoints& gradient) const;
  [[nodiscard]] ContactForce force_of(const Active& active) const;
  [[nodiscard]] ContactForce force_of(const FrictionContact& left) const;
  void add_friction(const FrictionContact& contact, ContactForce& force) const;
  [[nodiscard]] Vec3 place_on_first(PairKind kind, const std::array<int, 4>& point,
                                    const std::array<double, 4>& weight) const;

  std::shared_ptr<const ContactSurface> surface_;
  ContactOptions options_;
  WatchedPairs watched_;
  const Controls* controls_ = nullptr;
  bool has_looked_ = false;  // active_ belongs to x_ and progress_
  double pressure_ = 1;
  double resolution_ = 0;
  double obstacle_way_squared_ = 0;
  std::vector<unsigned char> is_fixed_;  // per point, in this step
  StickMemory memory_;
  std::vector<FrictionContact> friction_;
  std::vector<Vec2> slips_;  // m, of friction_ at x_
  // The iterate.
  double progress_ = 0;
  std::vector<Vec3> x_;       // m
  std::vector<Vec3> before_;  // m, at the start of the step
  std::vector<Vec3> trial_, way_;
  std::vector<Active> active_;
  std::vector<std::vector<Active>> found_;         // scratch of look
  const sparse::BlockPattern* located_ = nullptr;  // the pattern that the slots are of; null = of none
  std::vector<ContactSlots> active_slots_, friction_slots_;
  bool is_exact_ = false;                // the last add_hessian
  std::vector<Mat3> friction_hessians_;  // of friction_, of the last add_hessian
};

}  // namespace pliant::contact
