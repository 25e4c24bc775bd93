// Pairs of primitives along the ways of an iteration: which come near, and how far all may go. What was once measured is
// used as long as possible.
//
//   distance now ≥ bound − Σ path        bound = distance when measured + Σ path then,   path_p = the length of all ways
//                                        that point p has gone, summed over the pair's points
//
// Iterates of a solver move ever less, and most of them only here and there: most pairs are known to stay apart from their
// bound alone, and those within reach, whose distances the solver needs anyway, to be in no danger.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pliant/contact/detection.h"
#include "pliant/contact/pair_lanes.h"
#include "pliant/contact/pair_measures.h"

namespace pliant::contact {

struct WatchedPair {
  Candidate pair;
  std::array<int, 4> point{};
  bool is_known = false;  // area and parallel; and reach is the pair's own, not only its bodies' (or zero)
  double bound = -1;      // m
  int measured = -1;      // at which arrival the bound was the distance itself
  PairReach reach;        // m
  double area = 0;        // m², area_of
  double parallel = 0;    // m⁴, parallel_threshold
};

class WatchedPairs {
 public:
  // distance: m, the contact distance of the scene.
  WatchedPairs(const ContactSurface& surface, double distance);

  // The largest part of the way, at most 1, on which every pair keeps kKeptOfGap of its gap. near() are then those that
  // come, or may come, within reach on the whole way. x, way: m, of all points. A step begins with is_new.
  double follow(std::span<const Vec3> x, std::span<const Vec3> way, std::span<const unsigned char> is_fixed,
                bool is_new);
  [[nodiscard]] std::span<const int> near() const { return near_; }
  [[nodiscard]] int pair_count() const { return static_cast<int>(watched_.size()); }
  [[nodiscard]] const WatchedPair& operator[](int pair) const { return watched_[pair]; }

  // Points have come to x [m]; to be said before distances there are noted.
  void arrive(std::span<const Vec3> x);
  // Of the first `count` of four pairs, none with a plane. Different pairs may be noted side by side.
  void note_distances(const std::array<int, 4>& pairs, int count, const PairLanes& x, math::Lanes distance);

  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  // A part of the pairs on their way, and what was found out about them.
  struct Piece {
    double safe = 1;        // part of the way that keeps kKeptOfGap of every gap
    std::vector<int> near;  // come, or may come, within reach
    std::vector<int> doubtful, close;
  };
  struct Way {
    std::span<const Vec3> x, motion;  // m
  };
  void take_pairs(bool is_searched);
  void pass_all(int begin, int end, const Way& way, Piece& piece);
  void pass_plane(int pair, const Way& way, Piece& piece);
  // Leaves those that the line between their middles shows to stay apart.
  void keep_apart(PairKind kind, const std::array<int, 4>& pairs, int count, const Way& way, std::vector<int>& rest);
  void pass_close(PairKind kind, const std::array<int, 4>& pairs, int count, const Way& way, Piece& piece);
  void know(WatchedPair& watched) const;
  [[nodiscard]] double sum_of(const std::array<int, 4>& point, const std::vector<double>& lengths) const;

  const ContactSurface& surface_;
  double distance_;  // m, of the scene
  Detection detection_;
  int arrival_ = 0;  // how often points have come elsewhere
  std::vector<WatchedPair> watched_;
  std::vector<int> near_;
  std::vector<Vec3> place_, end_;       // m, where points are, and will be at the end of the way
  std::vector<double> path_, far_end_;  // m, per point: how far it has come, and will have at the end of the way
  std::vector<Piece> pieces_;           // scratch of follow
};

}  // namespace pliant::contact
