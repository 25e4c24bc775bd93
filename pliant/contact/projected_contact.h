// Contact for projection: found along the way that inertia alone would lead, then solved as constraints with friction inside
// the solver's iteration (solver/projection/contact_batch.h), and looked for again on the way of the solved step, up to five
// times (find_more, solver/projection/projection.cpp).
//
// Each candidate pair is followed from `before` to the target until shortly before it would touch; normal and closest points
// are taken there, on the side from which it comes, and stay for the step. A pair that would not touch but comes near is a
// constraint too: others may push it. Gaps are linear from there on (contact/projected_pairs.h). Solids that overlap already
// are parted through the faces by which they do (contact/outward.h).
//
//   offset    thicknesses, plus half the contact distance: surfaces keep off each other by it, as with barriers
//   wanted    0; where a pair is within its slop of touching, the gap that it has: what rests is not moved, and what an
//             iteration leaves undone does not rattle; of a deeper overlap a fifth less, so that bodies are not thrown apart;
//             with restitution e, what a rebound with e times the approaching speed leaves at the end of the step, or
//             less, so that energy then is at most e² times that at the touch
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pliant/configuration/rigid_frames.h"
#include "pliant/contact/contact_piece.h"
#include "pliant/contact/contact_response.h"
#include "pliant/contact/detection.h"
#include "pliant/contact/manifold/rigid_pairs.h"
#include "pliant/contact/outward.h"
#include "pliant/contact/projected_pairs.h"
#include "pliant/contact/sphere_pairs.h"

namespace pliant::contact {

struct ProjectedOptions {
  double restitution = 0;  // between 0 and 1
  double slowest = 0;      // m/s, approaching speeds below it do not rebound
};

// What a step begins with.
struct ProjectedStep {
  const BlockVector& before;      // m
  const BlockVector& target;      // m, where inertia and loads alone lead
  const BlockVector& velocities;  // m/s, at the start
  const Controls& controls;
  double step = 0;  // s
};

class ProjectedContact final : public ContactRecord {
 public:
  ProjectedContact(std::shared_ptr<const ContactSurface> surface, const ContactOptions& common,
                   const ProjectedOptions& options, std::vector<RigidFrame> rigids, std::vector<ContactPiece> pieces);

  // Pairs of a step, in an order that depends on it alone.
  const ProjectedPairs& find(const ProjectedStep& step);
  // Once a step has been solved: adds the pairs that are met on the way to q and were not on the way to the target, as what
  // is pulled or pushed goes elsewhere. Of manifolds those that overlap at q. Returns what was added. Not among grains.
  std::span<const MetPair> find_more(const ProjectedStep& step, const BlockVector& q);
  // Once a step is solved for good: points of soft bodies that a budget left beyond a surface go only as far as they can
  // without crossing it, so that nothing begins the next step on the wrong side. Not where rigid bodies or moving obstacles
  // take part: what stays behind would be run over. Whether any did.
  bool keep_apart(const ProjectedStep& step, BlockVector& q);
  // What the solver found for them.
  void finish(std::span<const ProjectedOutcome> outcomes, ForceMemory memory);
  [[nodiscard]] const ProjectedPairs& pairs() const { return pairs_; }  // of the last search
  [[nodiscard]] const ForceMemory& force_memory() const { return memory_; }

  [[nodiscard]] StickMemory memory_at(const BlockVector&) override { return {}; }
  [[nodiscard]] double stored_energy() const override { return 0; }
  [[nodiscard]] ContactSummary summary() const override;
  [[nodiscard]] std::vector<ContactForce> forces() const override { return forces_; }
  [[nodiscard]] std::span<const ContactForce> found_forces() const { return forces_; }  // the same, not copied
  [[nodiscard]] const ContactSurface& surface() const override { return *surface_; }
  [[nodiscard]] std::size_t memory_bytes() const override;

 private:
  // A point of the surface that belongs to a rigid body.
  struct RigidPoint {
    int rigid = -1;
    Vec3 local = Vec3::Zero();  // m, principal coordinates
  };
  // What of a candidate is a contact: what comes near, since others may push it, or only what would touch.
  enum class Wanted { near, touching };
  // Returns how much nearer it may come without a touch if it is none [m], or 0.
  double add_pair(const Candidate& candidate, const ProjectedStep& step, Wanted wanted);
  void set_ways(const Controls& controls, const BlockVector& q);
  [[nodiscard]] double detour(const Candidate& candidate) const;
  [[nodiscard]] double free_way(const Candidate& candidate) const;
  void add_grains(const ProjectedStep& step);
  void add_manifolds(const ProjectedStep& step);
  [[nodiscard]] bool keeps_pair(const ProjectedStep& step, int i, int j) const;
  [[nodiscard]] ProjectedPair pair_at(const RigidPair& found, const ContactPoint& point) const;
  void meet_others(const ProjectedStep& step, const BlockVector& q);
  [[nodiscard]] bool is_outside(const ProjectedPair& pair, const BlockVector& q) const;
  [[nodiscard]] bool is_worth_replacing(const ProjectedPair& pair, const BlockVector& q) const;
  void meet_manifolds(const ProjectedStep& step, const BlockVector& q);
  [[nodiscard]] bool goes_far(int piece) const;
  [[nodiscard]] Pose pose_of(const ContactPiece& piece, const BlockVector& q, bool is_end,
                             const Controls& controls) const;
  [[nodiscard]] bool has_manifold(int first_body, int second_body) const;
  // Where a pair was found, and the points of the surface that it is between (ContactForce::bearer).
  struct Place {
    Vec3 point = Vec3::Zero();  // m
    std::array<int, 4> bearer{-1, -1, -1, -1};
    std::array<double, 4> share{};
  };
  void keep(const ProjectedStep& step, const Place& place, ProjectedPair& pair);
  void end_group();
  // m, of a point whose body's thickness is more than its own.
  [[nodiscard]] double slimmer(int point) const {
    return surface_->grain_radius.empty() || surface_->grain_radius[point] == 0
               ? 0
               : surface_->thickness[surface_->body_of_point[point]] - surface_->grain_radius[point];
  }
  void add_side(const std::array<int, 4>& point, const std::array<double, 4>& weight, int first, int last,
                std::size_t side, ProjectedPair& pair);
  Vec3 place_point(const RigidPair& found, const ContactPoint& point, std::span<const Pose> seen,
                   ProjectedPair& pair) const;
  void set_wanted(const ProjectedStep& step, const Vec3& scripted_before, ProjectedPair& pair) const;
  [[nodiscard]] double pull(const ProjectedStep& step, const ProjectedPair& pair) const;
  [[nodiscard]] Vec3 carried(const ProjectedPair& pair, const BlockVector& q) const;
  [[nodiscard]] Vec3 separation(const ProjectedPair& pair, const BlockVector& q) const;

  std::shared_ptr<const ContactSurface> surface_;
  ContactOptions common_;
  ProjectedOptions options_;
  std::vector<RigidFrame> rigids_;
  std::vector<RigidPoint> rigid_points_;  // per point of the surface
  // Contact among rigid bodies and with obstacles; what touches deformable bodies and grains goes through detection_.
  std::vector<ContactPiece> pieces_;
  std::vector<int> piece_of_body_;       // −1: none
  std::vector<unsigned char> is_sheet_;  // per body
  std::vector<double> margins_;  // m, per body: thickness and half of the contact distance, or what its pairs want
  std::vector<RigidPiece> placed_pieces_;
  std::vector<Pose> before_poses_, end_poses_, reached_poses_;  // the last where a solved step ends, empty before that
  std::vector<unsigned char> is_looked_at_;                     // per piece
  RigidPairs rigid_pairs_, reached_pairs_;
  std::vector<MetPair> met_;    // by the last find_more()
  bool is_rigid_only_ = false;  // nothing else can touch
  Detection detection_;
  Outward outward_;
  std::vector<int> grains_;    // points
  std::vector<Vec3> centres_;  // m, of grains that are there
  std::vector<double> radii_;
  std::vector<int> present_;  // their points
  SpherePairs sphere_pairs_;
  std::vector<unsigned char> is_fixed_;
  std::vector<double> kept_way_;     // per block, of its way in a step
  std::vector<Vec3> x_, way_, end_;  // m, before, to the target (find_more: to where the step ends), there
  std::vector<Vec3> target_;         // m, where the first search ended
  ProjectedPairs pairs_;
  std::vector<double>
      spare_;  // m, per candidate: so much nearer it may come without a touch; 0 where that is not known
  std::vector<ContactForce> forces_;
  std::vector<Place> places_;  // per pair
  ForceMemory memory_;
};

}  // namespace pliant::contact
