// Pairs of primitives along the ways of an iteration: which come near, and how far all may go. What was once measured is
// used as long as possible.
//
//   distance now ≥ bound − Σ path        bound = distance when measured + Σ path then,   path_p = the length of all ways
//                                        that point p has gone, summed over the pair's points
//
// Iterates of a solver move ever less, and most of them only here and there: most pairs are known to stay apart from their
// bound alone, and those within reach, whose distances the solver needs anyway, to be in no danger.
//
// There are many pairs, and few that come near. A pair has a float until it does: how much longer than its reach its bound
// is. What is asked first costs least: that float; how long the shortest connection separates the pair, eight pairs at a time
// in single precision (way_lanes.h); the same in doubles, four at a time (ccd_lanes.h). The exact fraction of a way is only
// sought for pairs whose proven one is the least.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pliant/contact/detection.h"
#include "pliant/contact/pair_lanes.h"
#include "pliant/contact/pair_measures.h"
#include "pliant/contact/way_lanes.h"

namespace pliant::contact {

// A pair that has come near.
struct WatchedPair {
  Candidate pair;
  std::array<int, 4> point{};
  int measured = -1;    // at which arrival the bound was the distance itself
  double bound = -1;    // m
  PairReach reach;      // m
  double area = 0;      // m², area_of
  double parallel = 0;  // m⁴, parallel_threshold
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
  // Of those that are or have been near; the number of a pair is that of near().
  [[nodiscard]] const WatchedPair& operator[](int pair) const { return watched_[pair]; }
  // Found by the last search.
  [[nodiscard]] int pair_count() const { return static_cast<int>(detection_.pairs().size()); }

  // Points have come to x [m]; to be said before distances there are noted.
  void arrive(std::span<const Vec3> x);
  // Of the first `count` of four pairs, none with a plane. Different pairs may be noted side by side.
  void note_distances(const std::array<int, 4>& pairs, int count, const PairLanes& x, math::Lanes distance);

  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  // A candidate that has come near just now.
  struct Arrival {
    int candidate;
    PairReach reach;  // m
    double bound;     // m
    double fraction;  // as Danger's
  };
  // A pair for which less than the whole way is proven.
  struct Danger {
    double fraction;  // of the way that is proven
    int pair;
  };
  // A part of the candidates, and one of the watched, on their way, and what was found out about them.
  struct Piece {
    std::vector<int> near;  // watched ones that come, or may come, within reach
    std::vector<Danger> dangers;
    std::vector<Arrival> arrivals;
    std::vector<int> doubtful, close;  // scratch
  };
  struct Way {
    std::span<const Vec3> x, motion;  // m
  };
  void begin_ways(const Way& way, bool is_new);
  void forget_pairs();
  // --- Candidates that have not been near ---
  void pass_candidates(int begin, int end, bool is_searched, const Way& way, Piece& piece);
  [[nodiscard]] bool is_known_apart(int candidate) const;
  // Appends those to `rest` that may come within reach.
  void keep_apart(PairKind kind, std::span<const int> candidates, std::vector<int>& rest);
  void meet(PairKind kind, const std::array<int, 4>& candidates, int count, const Way& way, Piece& piece);
  void take_arrivals(const Piece& piece, int first);
  // --- Those that have ---
  void pass_watched(int begin, int end, const Way& way, Piece& piece);
  void pass_close(PairKind kind, const std::array<int, 4>& pairs, int count, const Way& way, Piece& piece);
  double pass_planes(const Way& way);
  // The least of the ways of pairs in danger, and of `safe`.
  [[nodiscard]] double least_fraction(const Way& way, double safe);
  [[nodiscard]] double exact_fraction(const WatchedPair& watched, const Way& way) const;
  [[nodiscard]] double sum_of(const std::array<int, 4>& point, const std::vector<double>& lengths) const {
    return lengths[point[0]] + lengths[point[1]] + lengths[point[2]] + lengths[point[3]];
  }

  const ContactSurface& surface_;
  double distance_;  // m, of the scene
  Detection detection_;
  int arrival_ = 0;                   // how often points have come elsewhere
  std::vector<float> room_;           // m, per candidate without a plane: how much longer its bound is than its reach
  std::vector<int> watched_of_;       // likewise: its number once it has been near, else −1
  std::vector<WatchedPair> watched_;  // those with planes last: they are new in any case
  int met_count_ = 0;                 // of the others
  std::vector<int> near_;
  std::vector<Vec3> place_, end_;       // m, where points are, and will be at the end of the way
  std::vector<double> path_, far_end_;  // m, per point: how far it has come, and will have at the end of the way
  // m, of their points together: no less than far_end_, no more than path_
  std::vector<float> far_point_, far_edge_, far_triangle_, path_point_, path_edge_, path_triangle_;
  std::vector<double> reach_;  // m, per body: of two no less than what their pair reaches
  std::vector<PointWay> ways_;
  // Scratch of follow.
  std::vector<Piece> pieces_, watched_pieces_;
  std::vector<Danger> dangers_;
};

}  // namespace pliant::contact
