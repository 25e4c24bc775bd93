// The stencils of isosurface_stuffing_stencils.h: corners are sorted by side, then each case is one shape.
#include "pliant/mesh/isosurface_stuffing_stencils.h"

#include <utility>

#include "pliant/assert.h"

namespace pliant::mesh {
namespace {

using Corner = StencilVertex;

Corner corner(int i) { return {i, i}; }
Corner cut(int from, int to) { return {from, to}; }

void add(Stencil& stencil, const Corner& a, const Corner& b, const Corner& c, const Corner& d) {
  stencil.tets[stencil.tet_count++] = {a, b, c, d};
}

bool is_long(const Vec3i& a, const Vec3i& b) { return ((a - b).array() == 0).any(); }

// Whether the diagonal of the quadrilateral a, b, cut(b,m), cut(a,m) starts at a.
bool diagonal_starts_at_first(const Vec3i& a, const Vec3i& b, const Vec3i& m) {
  if (is_long(a, m)) return false;  // it ends at cut(a,m), so it starts at b
  if (is_long(b, m)) return true;
  return (a.array() > m.array()).count() % 2 == 0;
}

// Corner order + 0 −, such that the tet keeps its orientation.
std::array<int, 4> sort_corners(const std::array<Side, 4>& sides) {
  std::array<int, 4> order{0, 1, 2, 3};
  bool odd = false;
  for (int i = 1; i < 4; ++i) {
    for (int j = i; j > 0 && sides[order[j]] > sides[order[j - 1]]; --j) {
      std::swap(order[j], order[j - 1]);
      odd = !odd;
    }
  }
  // Of four corners two have the same side: exchanging them restores the orientation.
  for (int i = 0; odd && i < 3; ++i) {
    if (sides[order[i]] != sides[order[i + 1]]) continue;
    std::swap(order[i], order[i + 1]);
    odd = false;
  }
  return order;
}

// A prism with triangles low[0..2] and high[0..2]; rising[i]: the diagonal of the side between columns i and i+1 goes
// from low[i] to high[i+1], otherwise from low[i+1] to high[i].
void add_prism(Stencil& stencil, const std::array<Corner, 3>& low, const std::array<Corner, 3>& high,
               const std::array<bool, 3>& rising) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    // Find the low corner where two diagonals start. It sees the high triangle and the opposite side.
    if (!rising[i] || rising[k]) continue;
    add(stencil, low[i], high[j], high[k], high[i]);
    if (rising[j]) {
      add(stencil, low[i], low[j], low[k], high[k]);
      add(stencil, low[i], low[j], high[k], high[j]);
    } else {
      add(stencil, low[i], low[j], low[k], high[j]);
      add(stencil, low[i], low[k], high[k], high[j]);
    }
    return;
  }
  PLIANT_ASSERT(false, "the diagonals of a prism never form a circle");
}

}  // namespace

Stencil split_lattice_tet(const std::array<Side, 4>& sides, const std::array<Vec3i, 4>& places) {
  Stencil stencil;
  int inside_count = 0, outside_count = 0;
  for (const Side side : sides) {
    inside_count += side == Side::inside ? 1 : 0;
    outside_count += side == Side::outside ? 1 : 0;
  }
  if (inside_count == 0) return stencil;
  const auto [a, b, c, d] = sort_corners(sides);
  const auto starts_at_first = [&places](int p, int q, int m) {
    return diagonal_starts_at_first(places[p], places[q], places[m]);
  };

  if (outside_count == 0) {
    add(stencil, corner(a), corner(b), corner(c), corner(d));
  } else if (inside_count == 1) {
    const auto reach = [&sides, first = a](int i) { return sides[i] == Side::outside ? cut(first, i) : corner(i); };
    add(stencil, corner(a), reach(b), reach(c), reach(d));
  } else if (inside_count == 2 && outside_count == 1) {
    // Pyramid with apex c on the surface.
    if (starts_at_first(a, b, d)) {
      add(stencil, corner(a), corner(b), corner(c), cut(b, d));
      add(stencil, corner(a), cut(b, d), corner(c), cut(a, d));
    } else {
      add(stencil, corner(a), corner(b), corner(c), cut(a, d));
      add(stencil, corner(b), cut(b, d), corner(c), cut(a, d));
    }
  } else if (inside_count == 2) {
    // Columns a–b, cut(a,c)–cut(b,c), cut(a,d)–cut(b,d). The third side lies on the surface, inside the lattice tet:
    // its diagonal is free, and chosen so that the three do not run in a circle.
    const bool first = starts_at_first(a, b, c), last = !starts_at_first(a, b, d);
    add_prism(stencil, {corner(a), cut(a, c), cut(a, d)}, {corner(b), cut(b, c), cut(b, d)}, {first, !first, last});
  } else {
    add_prism(stencil, {corner(a), corner(b), corner(c)}, {cut(a, d), cut(b, d), cut(c, d)},
              {starts_at_first(a, b, d), starts_at_first(b, c, d), starts_at_first(c, a, d)});
  }
  return stencil;
}

}  // namespace pliant::mesh
