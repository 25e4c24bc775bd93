// All contacts among rigid bodies: who is near whom, and their manifolds.
//
//   RigidPairs pairs;                                            // keeps its memory between steps
//   pairs.find(pieces, [&](int i, int j) { return moves(i) || moves(j); });
//   for (const RigidPair& pair : pairs.pairs()) ... pairs.points(pair)
//
// Pairs are sorted by their pieces' numbers, a < b, and their points follow one another in that order: the same for any
// number of threads, and a pair of the last step is found again by bisection.
#pragma once

#include <span>
#include <vector>

#include "pliant/contact/broad_phase/overlapping_pairs.h"
#include "pliant/contact/manifold/collide.h"
#include "pliant/contact/manifold/mesh_contact.h"

namespace pliant::contact {

// What touches: a convex shape, or a mesh. Shape and mesh must outlive the search.
struct RigidPiece {
  const ConvexShape* shape = nullptr;
  const CollisionMesh* mesh = nullptr;  // if there is no shape
  Pose pose;
  double reach = 0;  // m: two pieces meet with gaps up to the sum of theirs, and how far their ways bring them together
  double shallow = 0;       // m, of meshes: two of them meet here where they overlap by more than the sum of theirs
  Vec3 way = Vec3::Zero();  // m, where its centre is going
};

struct RigidPair {
  int a = 0, b = 0;          // pieces, a < b
  int first = 0, count = 0;  // points
};

class RigidPairs {
 public:
  // Contacts of all pairs i < j for which keep(i, j); called from several threads. Of two meshes only where they are deep
  // in each other (mesh_overlap.h).
  template <class Keep>
  void find(std::span<const RigidPiece> pieces, const Keep& keep) {
    set_boxes(pieces);
    overlapping_pairs(tree_, keep, lists_);
    order_pairs(static_cast<int>(pieces.size()));
    fill_manifolds(pieces);
  }

  // The same for pieces that have moved since an earlier search: of what it found near each other and keep(i, j) still wants.
  // Where a piece has left its box of then, all are looked for that it meets now.
  template <class Keep>
  void find_again(const RigidPairs& earlier, std::span<const RigidPiece> pieces, const Keep& keep) {
    near_.clear();
    for (const auto& [i, j] : earlier.near_) {
      if (keep(i, j)) near_.emplace_back(i, j);
    }
    place_boxes(pieces);
    find_strays(earlier);
    if (!strays_.empty()) {
      build_tree();
      std::vector<Pair> met;
      overlapping_pairs(
          std::span<const Box>(stray_boxes_), tree_,
          [&](int s, int j) {
            const int i = strays_[s];
            return i != j && keep(std::min(i, j), std::max(i, j));
          },
          met);
      add_met(met);
    }
    fill_manifolds(pieces);
  }

  // Those with at least one point.
  [[nodiscard]] std::span<const RigidPair> pairs() const { return pairs_; }
  [[nodiscard]] std::span<const ContactPoint> points() const { return points_; }
  [[nodiscard]] std::span<const ContactPoint> points(const RigidPair& pair) const {
    return std::span(points_).subspan(pair.first, pair.count);
  }
  // The pair of these pieces (a < b), or nullptr.
  [[nodiscard]] const RigidPair* find_pair(int a, int b) const;

 private:
  void set_boxes(std::span<const RigidPiece> pieces) {
    place_boxes(pieces);
    build_tree();
  }
  void place_boxes(std::span<const RigidPiece> pieces);
  void build_tree();
  void find_strays(const RigidPairs& earlier);
  void add_met(std::span<const Pair> met);
  void order_pairs(int piece_count);
  void fill_manifolds(std::span<const RigidPiece> pieces);

  std::vector<Box> boxes_;
  Bvh tree_;
  PairLists lists_;
  std::vector<int> strays_;                        // pieces that left their box of an earlier search
  std::vector<Box> stray_boxes_;                   // of these
  std::size_t tree_size_ = 0;                      // boxes in the tree
  std::vector<int> bucket_;                        // of pairs by their first piece
  std::vector<Pair> near_;                         // sorted
  std::vector<std::vector<ContactPoint>> chunks_;  // points of consecutive near pairs, each written by one thread
  std::vector<int> counts_;                        // points per near pair
  std::vector<RigidPair> pairs_;
  std::vector<ContactPoint> points_;
};

}  // namespace pliant::contact
