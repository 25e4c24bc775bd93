// Contact as springs: for solvers whose matrix never changes [Liu2018, sec. 8.5].
//
//   C(q) = Σ A P d̂ ½ (1 − gap/d̂)²  +  Σ D(slip)          over pairs with gap < d̂: terms push and never pull
//
//   A   the smaller area of the two primitives [m²]      d̂   gap at which force begins [m]
//   P   pressure that closes a gap [Pa]; P/d̂ is the stiffness per area [Pa/m]
//   D   friction (friction.h), with memory, from normal forces and directions that are taken anew with the terms
//
// The terms (penalty_terms.h) are found once per iteration and frozen in between, so that a line search has one objective.
// Broad detection is done anew only when something has moved by more than half the slack of its boxes.
//
// Deviations from [Liu2018]: the force begins at a gap of d̂ instead of at a touch, so that most of what is soft is not seen;
// a term lives until its gap is open instead of until its pair separates (Release says which), because dropping it in
// between makes the iterations of a resting body cycle; friction; pairs of surfaces, not only points and solids.
//
// With a limited step every iterate is free of intersection: a barrier (barrier.h) replaces the parabola, and largest_step
// says how far a direction may be followed.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pliant/contact/contact_response.h"
#include "pliant/contact/friction.h"
#include "pliant/contact/penalty_terms.h"
#include "pliant/contact/watched_pairs.h"

namespace pliant::contact {

// When a term ends: as its gap opens to d̂; or already as its pair separates, within an iteration [Liu2018, to the letter].
enum class Release { when_open, when_separating };
// Whether iterates may intersect.
enum class StepLimit { none, first_touch };

struct PenaltyOptions {
  Release release = Release::when_open;
  StepLimit limit = StepLimit::none;
  double stiffness = 0;  // Pa/m, P/d̂; 0 = whoever makes steps finds one
};

class PenaltyContact final : public ContactResponse {
 public:
  PenaltyContact(std::shared_ptr<const ContactSurface> surface, const ContactOptions& common,
                 const PenaltyOptions& options);

  // --- A step ---
  void begin_step(const ContactStep& step);
  [[nodiscard]] StickMemory memory_at(const BlockVector& q) override;
  [[nodiscard]] bool is_limited() const { return options_.limit != StepLimit::none; }
  [[nodiscard]] bool has_moving_obstacles() const { return has_moving_obstacles_; }

  // --- An iterate ---
  struct Change {
    int created = 0;  // terms that were not there before
    int count = 0;    // terms
  };
  // Finds the terms anew, and friction with them, at this iterate.
  Change find(const BlockVector& q, double progress);
  void look(const BlockVector& q, double progress) override;
  [[nodiscard]] double value() const override { return value_of(x_); }
  [[nodiscard]] double value_at(const BlockVector& q, double progress) override;
  void add_gradient(BlockVector& gradient) const override;

  // --- A direction, where steps are limited ---
  // The largest α ≤ 1 for which q + α d, progress + α dp keeps a part of every gap all along the way.
  double largest_step(const BlockVector& q, const BlockVector& d, double progress, double progress_step);

  [[nodiscard]] double stored_energy() const override;
  [[nodiscard]] ContactSummary summary() const override;
  [[nodiscard]] std::vector<ContactForce> forces() const override;
  [[nodiscard]] const ContactSurface& surface() const override { return *surface_; }
  [[nodiscard]] std::size_t memory_bytes() const override;

 private:
  // Of a term, per its area and P: value [m] and slope.
  struct Push {
    double value = 0, slope = 0;
  };
  [[nodiscard]] Push push_of(const PenaltyTerm& term, std::span<const Vec3> x) const;
  [[nodiscard]] double value_of(std::span<const Vec3> x) const;
  [[nodiscard]] TermSetting setting() const {
    return {before_, is_fixed_, shape_before_, shape_now_, common_.distance};
  }
  void renew_candidates();
  void renew_friction();
  // A rubbing term: friction_[i] belongs to terms_[term].
  struct Rub {
    FrictionContact law;
    int term = 0;
  };
  [[nodiscard]] Vec2 slip_of(const Rub& rub, std::span<const Vec3> x) const {
    return slip_after(rub.law, terms_[rub.term].motion(x, before_));
  }

  std::shared_ptr<const ContactSurface> surface_;
  ContactOptions common_;
  PenaltyOptions options_;
  Detection detection_;
  std::optional<WatchedPairs> on_the_way_;  // of limited steps
  bool has_way_ = false;                    // it has been asked in this step
  PenaltyTerms finder_;
  // The step.
  const Controls* controls_ = nullptr;
  double pressure_ = 1;
  bool has_moving_obstacles_ = false;
  StickMemory memory_;
  std::vector<unsigned char> is_fixed_;
  std::vector<Vec3> before_;  // m
  std::vector<Pose> shape_before_, shape_now_;
  // The iterate.
  std::vector<Vec3> x_, trial_, way_;
  std::vector<Vec3> searched_;  // m, where candidates were found; empty: not yet in this step
  std::vector<Candidate> candidates_;
  std::vector<PenaltyTerm> terms_, last_terms_;
  std::vector<Rub> rubs_;
};

}  // namespace pliant::contact
