// From candidate pairs to the springs of penalty contact: which pairs push, along which normal, from which side.
//
//   gap(x) = n · Σ γ_j x_j − level [m]        n, γ and level are frozen until terms are found anew
//
// At the place where a term is found, its gap and the slope of its gap are those of the true distance; elsewhere it is the
// distance from a tangent plane. So the energy of one line search is a sum of convex functions of linear ones.
//
// Pairs that are near but do not push yet are terms, too, and so is every pair that was one before in the same step: what
// a line search may run into is in its energy. With the touching pairs alone iterations cycle: a point that was pushed out
// has no term, falls through the floor in the next iteration, is pushed out again.
//
// Springs let bodies penetrate a little, and must know the way back:
//   half-spaces, shapes       their signed distance
//   bodies with an inside     (solids and closed obstacles, against others) the nearest face decides: behind it a point is
//                             inside, and this face alone pushes it out; edges that end in such a point leave the body alone
//   everything else           the side on which the pair was at the start of the step; a pair that has changed sides is
//                             taken to have crossed only if continuous detection says that it did on the way
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pliant/contact/pair_measures.h"

namespace pliant::contact {

struct PenaltyTerm {
  Candidate pair;
  std::array<int, 4> point{-1, -1, -1, -1};
  std::array<double, 4> weight{};  // γ
  Vec3 normal = Vec3::Zero();      // n, from the second primitive to the first
  double level = 0;                // m
  double distance = 0;             // m, gap at which force begins
  double area = 0;                 // m²
  double gap = 0;                  // m, where it was found
  int first_body = 0, second_body = 0;
  Vec3 carried = Vec3::Zero();  // m, way of a shape at this place over the step: weights know only points

  [[nodiscard]] double gap_at(std::span<const Vec3> x) const {
    double sum = -level;
    for (std::size_t j = 0; j < 4; ++j) {
      if (point[j] >= 0) sum += weight[j] * normal.dot(x[static_cast<std::size_t>(point[j])]);
    }
    return sum;
  }
  // Motion of the first primitive against the second since `before`, m.
  [[nodiscard]] Vec3 motion(std::span<const Vec3> x, std::span<const Vec3> before) const {
    Vec3 sum = -carried;
    for (std::size_t j = 0; j < 4; ++j) {
      const auto p = static_cast<std::size_t>(point[j]);
      if (point[j] >= 0) sum += weight[j] * (x[p] - before[p]);
    }
    return sum;
  }
};

// Where a step began, and where shapes go in it.
struct TermSetting {
  std::span<const Vec3> before;             // m, per point
  std::span<const unsigned char> is_fixed;  // per point
  std::span<const Pose> shape_before, shape_now;
  double distance = 0;  // m, gap at which force begins
};

class PenaltyTerms {
 public:
  explicit PenaltyTerms(const ContactSurface& surface);

  // Of these pairs those that are near at x, or may be before anything has moved by half of `slack` [m], or that seem to
  // have changed sides. Broad detection finds many more: everything whose way through the step comes near.
  void sort_out(const TermSetting& setting, std::span<const Candidate> pairs, std::span<const Vec3> x, double slack,
                std::vector<Candidate>& kept);
  // The terms at x among these pairs and all shapes, and those of the pairs of `last`, in the order of their keys.
  void find(const TermSetting& setting, std::span<const Candidate> pairs, std::span<const Vec3> x,
            std::span<const PenaltyTerm> last, std::vector<PenaltyTerm>& terms);

 private:
  // Whether the pair is a term: it is near, or its distance is not asked for.
  enum class Wanted { near, anywhere };
  bool make(const TermSetting& setting, const Candidate& pair, std::span<const Vec3> x, Wanted wanted,
            PenaltyTerm& term) const;
  bool make_at_mesh(const TermSetting& setting, const Candidate& pair, std::span<const Vec3> x, Wanted wanted,
                    PenaltyTerm& term) const;
  bool make_at_shape(const TermSetting& setting, const Candidate& pair, std::span<const Vec3> x, Wanted wanted,
                     PenaltyTerm& term) const;
  void keep(const TermSetting& setting, std::span<const Vec3> x, std::span<const PenaltyTerm> last,
            std::vector<PenaltyTerm>& terms) const;
  void find_insides(std::vector<PenaltyTerm>& terms) const;

  const ContactSurface& surface_;
  std::vector<int> used_;                        // points that are part of an edge
  std::vector<std::vector<PenaltyTerm>> found_;  // scratch
  std::vector<unsigned char> is_kept_;
};

}  // namespace pliant::contact
