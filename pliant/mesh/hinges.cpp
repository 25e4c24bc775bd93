// Hinges by sorting all directed edges: those of one undirected edge stand side by side.
#include "pliant/mesh/hinges.h"

#include <algorithm>
#include <tuple>

#include "pliant/assert.h"

namespace pliant {
namespace {

struct SideOfTriangle {
  int low, high;  // ends of the edge
  int triangle, local_edge;
  bool ascending;  // the triangle traverses it from low to high
};

std::vector<SideOfTriangle> sorted_hinge_sides(std::span<const std::array<int, 3>> triangles) {
  std::vector<SideOfTriangle> sides;
  sides.reserve(3 * triangles.size());
  for (int t = 0; t < static_cast<int>(triangles.size()); ++t) {
    for (int i = 0; i < 3; ++i) {
      const int from = triangles[t][(i + 1) % 3], to = triangles[t][(i + 2) % 3];
      PLIANT_ASSERT(from != to, "the corners of a triangle differ");
      sides.push_back({std::min(from, to), std::max(from, to), t, i, from < to});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const SideOfTriangle& a, const SideOfTriangle& b) {
    return std::tie(a.low, a.high, a.triangle, a.local_edge) < std::tie(b.low, b.high, b.triangle, b.local_edge);
  });
  return sides;
}

FaultyEdge faulty_edge(std::span<const SideOfTriangle> sides, EdgeFault fault) {
  FaultyEdge edge{{sides[0].low, sides[0].high}, fault, {}};
  for (const SideOfTriangle& side : sides) edge.triangles.push_back(side.triangle);
  return edge;
}

}  // namespace

SheetHinges find_hinges(std::span<const std::array<int, 3>> triangles) {
  SheetHinges result;
  const std::vector<SideOfTriangle> sides = sorted_hinge_sides(triangles);
  for (std::size_t first = 0, last = 0; first < sides.size(); first = last) {
    while (last < sides.size() && sides[last].low == sides[first].low && sides[last].high == sides[first].high) ++last;
    const std::span here = std::span(sides).subspan(first, last - first);
    if (here.size() == 1) continue;
    if (here.size() > 2) {
      result.faulty_edges.push_back(faulty_edge(here, EdgeFault::non_manifold));
      continue;
    }
    const std::array<int, 3>& t = triangles[here[0].triangle];
    const int i = here[0].local_edge;
    const int opposite = t[i], beyond = triangles[here[1].triangle][here[1].local_edge];
    if (opposite == beyond) {
      result.faulty_edges.push_back(faulty_edge(here, EdgeFault::doubled));
    } else if (here[0].ascending == here[1].ascending) {
      result.faulty_edges.push_back(faulty_edge(here, EdgeFault::misoriented));
    } else {
      result.hinges.push_back({{opposite, t[(i + 1) % 3], t[(i + 2) % 3], beyond},
                               {here[0].triangle, here[1].triangle},
                               {i, here[1].local_edge}});
    }
  }

  // Hinges in the order of their triangles, and the way back.
  std::sort(result.hinges.begin(), result.hinges.end(), [](const Hinge& a, const Hinge& b) {
    return std::tie(a.triangle[0], a.local_edge[0]) < std::tie(b.triangle[0], b.local_edge[0]);
  });
  result.of_triangle.assign(triangles.size(), {-1, -1, -1});
  result.side_of_triangle.assign(triangles.size(), {-1, -1, -1});
  for (int h = 0; h < static_cast<int>(result.hinges.size()); ++h) {
    const Hinge& hinge = result.hinges[h];
    for (int side = 0; side < 2; ++side) {
      result.of_triangle[hinge.triangle[side]][hinge.local_edge[side]] = h;
      result.side_of_triangle[hinge.triangle[side]][hinge.local_edge[side]] = side;
    }
  }
  return result;
}

SheetHinges find_hinges(std::span<const Vec3i> triangles) {
  std::vector<std::array<int, 3>> plain;
  plain.reserve(triangles.size());
  for (const Vec3i& t : triangles) plain.push_back({t[0], t[1], t[2]});
  return find_hinges(plain);
}

}  // namespace pliant
