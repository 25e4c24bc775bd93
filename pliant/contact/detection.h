// Which pairs of primitives may touch: all those whose boxes, swept over a motion and widened by their reach, overlap, also
// along the diagonals of the axes (diagonals.h).
//
// Obstacles that are shapes are left to those who know shapes. A pair is left out when its primitives share a point, when the rules of its bodies say so, or when nothing in it can
// move on its own (obstacles, held points): no force could act on it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pliant/contact/broad_phase/diagonals.h"
#include "pliant/contact/broad_phase/overlapping_pairs.h"
#include "pliant/contact/contact_geometry.h"
#include "pliant/contact/contact_surface.h"

namespace pliant::contact {

struct Candidate {
  PairKind kind = PairKind::point_triangle;
  int first = 0, second = 0;  // point and triangle; edge and edge; point and plane; point and shape

  // A number that no other pair of the model has.
  [[nodiscard]] std::uint64_t key() const {
    return static_cast<std::uint64_t>(kind) << 62 | static_cast<std::uint64_t>(first) << 31 |
           static_cast<std::uint64_t>(second);
  }
  [[nodiscard]] static PairKind kind_of(std::uint64_t key) { return static_cast<PairKind>(key >> 62); }
};

// Of a point that takes no part in contact, such as a grain that is not born yet; beside 0 (free) and 1 (fixed).
inline constexpr unsigned char kNotThere = 2;

// The points of a pair: four, or two (the point, and the one that carries the plane) and −1.
[[nodiscard]] inline std::array<int, 4> points_of(const ContactSurface& surface, const Candidate& pair) {
  if (pair.kind == PairKind::edges) {
    const auto &a = surface.edges[pair.first], &b = surface.edges[pair.second];
    return {a[0], a[1], b[0], b[1]};
  }
  if (pair.kind == PairKind::point_plane) return {pair.first, surface.planes[pair.second].point, -1, -1};
  const Vec3i& t = surface.triangles[pair.second];
  return {pair.first, t[0], t[1], t[2]};
}

class Detection {
 public:
  // slack: m, by which pairs are found from farther away than they reach. While ways stay within the boxes that it widens,
  // no other pair can come near, and nothing is searched.
  explicit Detection(const ContactSurface& surface, double slack = 0);

  // Finds the pairs that may come closer than thickness + distance while points go straight from `from` to `to` [m].
  // is_fixed: per point, whether nothing but scripts moves it; or kNotThere. A step begins with `is_new`: what comes out, and in which
  // order, then depends on the step alone and not on those before it.
  // Returns whether it searched. If not, the first meshed_count() pairs are those of the last search; planes are looked at
  // always.
  bool find(std::span<const Vec3> from, std::span<const Vec3> to, double distance,
            std::span<const unsigned char> is_fixed, bool is_new);
  // After find() in the same step, for other ways from the same places: adds what the first search left out, where ways leave
  // its boxes so far that something else could touch (not merely come near). Returns whether it searched.
  bool find_touching(std::span<const Vec3> from, std::span<const Vec3> to);
  [[nodiscard]] const std::vector<Candidate>& pairs() const { return pairs_; }
  // How many of them are not with planes; they come first.
  [[nodiscard]] int meshed_count() const { return meshed_count_; }

 private:
  struct PointsOfItem {
    std::array<int, 3> point;  // an edge's second one twice
    int body;
  };
  // The tree of places at rest, refitted: surfaces hardly stretch, so that what is a group there remains one. Where it has
  // become too loose, as of grains or of bodies that were poured, another one is built.
  struct Tree {
    Bvh at_rest, rebuilt;
    bool is_rebuilt = false;  // in this step
    [[nodiscard]] const Bvh& now() const { return is_rebuilt ? rebuilt : at_rest; }
    void follow(std::span<const Box> boxes, bool is_new);
  };
  // Of one kind, on their ways.
  struct Primitives {
    std::vector<Box> boxes;
    std::vector<Diagonals> diagonals;
    Tree tree;
  };
  // Primitives that move on their own or that do not, as points, edges and triangles with a tree of each.
  struct Part {
    std::vector<int> points, edges, triangles;
    std::vector<PointsOfItem> ends, corners;  // of edges and triangles
    Primitives of_points, of_edges, of_triangles;
  };
  // Returns whether anything is fixed, or free, that was not.
  bool sort_out(std::span<const unsigned char> is_fixed);
  void build_at_rest(Part& part);
  void search(std::span<const Vec3> from, std::span<const Vec3> to, bool is_new);
  void meet_edges(bool each_other);
  template <class Items>
  void take(PairKind kind, const Items& items);
  void meet_planes(std::span<const Vec3> from, std::span<const Vec3> to);
  // Around a point's way, `reach` [m] wider.
  [[nodiscard]] static Box box_of_way(int point, std::span<const Vec3> from, std::span<const Vec3> to, double reach);
  // margins: m, per body.
  [[nodiscard]] bool are_within_boxes(const Part& part, std::span<const Vec3> from, std::span<const Vec3> to,
                                      const std::vector<double>& margins) const;
  void follow(Part& part, std::span<const Vec3> from, std::span<const Vec3> to, bool is_new);
  void find_boxes(Part& part, std::span<const Vec3> from, std::span<const Vec3> to);
  void meet(const Part& points, const Part& triangles);
  // Whether the rules let any two moving bodies touch, or one itself.
  [[nodiscard]] bool may_meet_each_other() const;
  [[nodiscard]] bool is_at_rest(std::span<const Vec3> from, std::span<const Vec3> to);

  const ContactSurface& surface_;
  double slack_;
  std::vector<int> used_;                 // points that are part of an edge
  std::vector<unsigned char> has_faces_;  // per body
  std::vector<double> margins_;           // m, per body, for distance_, without slack
  std::vector<double> touch_margins_;     // m, per body, for distance zero
  std::vector<unsigned char> is_meshed_;  // per body: not a shape
  std::vector<unsigned char> is_fixed_;
  Part moving_, fixed_;
  std::vector<int> moving_bodies_;
  std::vector<Box> swept_;                  // per point; of fixed ones at rest as last found
  std::vector<Diagonals> swept_diagonals_;  // likewise
  std::vector<Vec3> rest_;                  // m, where the fixed points were last
  bool has_rested_ = false;                 // the fixed part's boxes and trees are those of rest_
  double distance_ = -1;                    // m, of the last search
  PairLists found_;
  std::vector<Candidate> pairs_;
  int meshed_count_ = 0;
};

}  // namespace pliant::contact
