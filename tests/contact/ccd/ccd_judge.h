// What an answer about a moving pair is worth: claims that it stays apart, held against the proofs of ccd_oracle.h, and the
// table of docs/contact/continuous_detection.md.
#pragma once

#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "tests/contact/ccd/ccd_cases.h"

namespace pliant::contact {

// PLIANT_FINE asks for a million pairs, and prints the table.
inline bool is_ccd_fine() { return std::getenv("PLIANT_FINE") != nullptr; }
// Pairs of each class for each of points with triangles and edges with edges: 14 × 2 × 36000 = 1 008 000.
inline int ccd_case_count() { return is_ccd_fine() ? 36000 : 3600; }

// Kinds that the solvers ask about in lanes.
inline constexpr std::array<CcdKind, 2> kCcdLaneKinds = {CcdKind::point_triangle, CcdKind::edges};

// Of a pair at the start, m: its gap, and the largest of its distances and ways.
struct CcdStart {
  double gap = 0, size = 0;

  explicit CcdStart(const MovingPair& pair) {
    const std::array<Vec3, 4> start = pair.at(0);
    gap = closest_points_of(pair.kind, start).distance() - pair.offset;
    for (int i = 0; i < pair.count(); ++i) size = std::max({size, start[i].norm(), (pair.d[i] - pair.d[0]).norm()});
  }
  // Closer than that, rounding may take more than a part of the gap: all that is asked then is that there is no touch.
  [[nodiscard]] bool is_close() const { return gap < 1e-10 * size; }
};

struct CcdVerdict {
  bool is_missed = false;      // it is not proved that the claim holds, or there is surely a touch
  bool is_by_algebra = false;  // the algebraic judge could decide
};

// Does the pair keep more than this distance [m] on [0, end]? is_whole: the class of CcdClass.
inline CcdVerdict judge_claim(const MovingPair& pair, bool is_whole, double distance, double end) {
  CcdVerdict verdict;
  verdict.is_missed = !(end > 0 && end <= 1) || !SeparationProof(pair).stays_above(distance, end);
  if (is_whole && (pair.kind == CcdKind::point_triangle || pair.kind == CcdKind::edges)) {
    const Touching touch = TouchAlgebra(pair).judge(end);
    verdict.is_by_algebra = touch != Touching::unknown;
    verdict.is_missed |= touch == Touching::certain;
  }
  return verdict;
}

inline void print_ccd_row(const std::string& name, const std::vector<int>& counts) {
  std::cout << "| " << std::setw(13) << std::left << name << std::right;
  for (const int count : counts) std::cout << " | " << std::setw(7) << count;
  std::cout << " |\n";
}

}  // namespace pliant::contact
