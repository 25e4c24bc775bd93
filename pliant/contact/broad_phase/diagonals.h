// How far a set of points reaches along the diagonals of two axes: a second look at what boxes find.
//
//   x + y, x − y, y + z, y − z, z + x, z − x          of a box: its corners' least and largest
//
// Boxes of edges and triangles that lie across the axes are mostly air. With the diagonals besides (together an 18-sided
// hull [Klosowski1998]) a third of the pairs of a folded cloth are left out.
// Sums are rounded to nearest, which keeps their order: what overlaps exactly does so here. Empty and unbounded boxes are
// as in box.h.
#pragma once

#include "pliant/contact/broad_phase/box_block.h"

namespace pliant::contact {

struct alignas(64) Diagonals {
  Floats8 low, high;  // m, times √2; the last two lanes are not used

  [[nodiscard]] static Diagonals of(const Box& box) {
    if (!box.bounded()) return {floats_of(-kInfinity), floats_of(kInfinity)};
    const auto& [x, y, z] = box.low;
    const auto& [u, v, w] = box.high;
    return {Floats8{x, x, y, y, z, z, 0, 0} + Floats8{y, -v, z, -w, x, -u, 0, 0},
            Floats8{u, u, v, v, w, w, 0, 0} + Floats8{v, -y, w, -z, u, -x, 0, 0}};
  }
  void include(const Diagonals& other) {
    low = lesser(low, other.low);
    high = greater(high, other.high);
  }
  [[nodiscard]] bool overlap(const Diagonals& other) const {
    return bits_of((low <= other.high) & (other.low <= high)) == 255;
  }
};

}  // namespace pliant::contact
