// Every sign pattern of a lattice tet: volumes, orientation, and agreement across faces.
#include "pliant/mesh/isosurface_stuffing_stencils.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <map>
#include <set>
#include <vector>

namespace pliant::mesh {
namespace {

using Places = std::array<Vec3i, 4>;

// The four lattice tets around a cube face, for each axis and both kinds of cube.
std::vector<Places> lattice_tets() {
  std::vector<Places> tets;
  for (const Vec3i& near : {Vec3i(5, 5, 5), Vec3i(6, 6, 6)}) {
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3i u = Vec3i::Unit((axis + 1) % 3), v = Vec3i::Unit((axis + 2) % 3);
      const Vec3i middle = near + Vec3i::Unit(axis), far = near + 2 * Vec3i::Unit(axis);
      const std::array<Vec3i, 4> ring{middle + u + v, middle - u + v, middle - u - v, middle + u - v};
      for (int k = 0; k < 4; ++k) tets.push_back({near, far, ring[k], ring[(k + 1) % 4]});
    }
  }
  return tets;
}

Vec3 position(const StencilVertex& v, const Places& places) {
  return 0.5 * (places[v.from] + places[v.to]).cast<double>();  // cut points at the middle of edges
}

double volume(const std::array<Vec3, 4>& x) { return (x[1] - x[0]).dot((x[2] - x[0]).cross(x[3] - x[0])) / 6; }

std::array<Side, 4> pattern(int code) {
  std::array<Side, 4> sides{};
  for (Side& side : sides) {
    side = static_cast<Side>(code % 3 - 1);
    code /= 3;
  }
  return sides;
}

// Volume of the part of the tet where the linear function with values +1, 0, −1 at the corners is positive: edges are
// cut at their middles, so it follows from the counts alone.
double expected_fraction(const std::array<Side, 4>& sides) {
  int plus = 0, minus = 0;
  for (const Side s : sides) {
    plus += s == Side::inside ? 1 : 0;
    minus += s == Side::outside ? 1 : 0;
  }
  if (plus == 0) return 0;
  if (plus == 1) return std::pow(0.5, minus);      // one corner piece, each cut halves it
  if (minus == 1) return 1 - std::pow(0.5, plus);  // all but one corner piece
  if (minus == 0) return 1;
  return 0.5;  // two and two
}

TEST(LatticeTetStencil, VolumesAreExactAndPositive) {
  for (const Places& places : lattice_tets()) {
    std::array<Vec3, 4> whole;
    for (int k = 0; k < 4; ++k) whole[k] = places[k].cast<double>();
    ASSERT_GT(volume(whole), 0);
    for (int code = 0; code < 81; ++code) {
      const std::array<Side, 4> sides = pattern(code);
      const Stencil stencil = split_lattice_tet(sides, places);
      double sum = 0;
      for (int t = 0; t < stencil.tet_count; ++t) {
        std::array<Vec3, 4> x;
        for (int k = 0; k < 4; ++k) {
          const StencilVertex& v = stencil.tets[t][k];
          x[k] = position(v, places);
          if (v.from == v.to) {
            EXPECT_NE(sides[v.from], Side::outside);
          } else {
            EXPECT_EQ(sides[v.from], Side::inside);
            EXPECT_EQ(sides[v.to], Side::outside);
          }
        }
        EXPECT_GT(volume(x), 0) << "pattern " << code;
        sum += volume(x);
      }
      EXPECT_NEAR(sum / volume(whole), expected_fraction(sides), 1e-12) << "pattern " << code;
    }
  }
}

// The triangles a stencil leaves on each face of its lattice tet depend on that face only, also with corners renamed.
TEST(LatticeTetStencil, NeighboursAgreeOnTheirFace) {
  using Point = std::array<int, 3>;
  using Triangles = std::set<std::set<Point>>;
  std::map<std::pair<std::set<Point>, std::map<Point, int>>, Triangles> seen;
  const auto point = [](const Vec3i& p) { return Point{p[0], p[1], p[2]}; };
  int compared = 0;
  for (const Places& original : lattice_tets()) {
    for (const Places& places : {original, Places{original[2], original[3], original[0], original[1]}}) {
      for (int code = 0; code < 81; ++code) {
        const std::array<Side, 4> sides = pattern(code);
        const Stencil stencil = split_lattice_tet(sides, places);
        for (int opposite = 0; opposite < 4; ++opposite) {
          std::set<Point> corners;
          std::map<Point, int> side_at;
          bool any_inside = false;
          for (int k = 0; k < 4; ++k) {
            if (k == opposite) continue;
            corners.insert(point(places[k]));
            side_at[point(places[k])] = static_cast<int>(sides[k]);
            any_inside = any_inside || sides[k] == Side::inside;
          }
          if (!any_inside) continue;  // a face without + corners may or may not be part of the boundary
          Triangles triangles;
          for (int t = 0; t < stencil.tet_count; ++t) {
            for (int skip = 0; skip < 4; ++skip) {
              std::set<Point> triangle;
              bool on_face = true;
              for (int k = 0; k < 4; ++k) {
                const StencilVertex& v = stencil.tets[t][k];
                if (k == skip) continue;
                on_face = on_face && v.from != opposite && v.to != opposite;
                triangle.insert(point(places[v.from] + places[v.to]));
              }
              if (on_face) triangles.insert(triangle);
            }
          }
          const auto [entry, fresh] = seen.try_emplace({corners, side_at}, triangles);
          if (!fresh) {
            EXPECT_EQ(entry->second, triangles) << "pattern " << code << ", face opposite " << opposite;
            ++compared;
          }
        }
      }
    }
  }
  EXPECT_GT(compared, 1000);
}

struct Angles {
  double smallest = 180, largest = 0;  // degrees
};

void include_tet(Angles& angles, const std::array<Vec3, 4>& x) {
  const std::array<Vec3, 4> normals{(x[2] - x[1]).cross(x[3] - x[1]), (x[3] - x[0]).cross(x[2] - x[0]),
                                    (x[1] - x[0]).cross(x[3] - x[0]), (x[2] - x[0]).cross(x[1] - x[0])};
  for (int k = 0; k < 4; ++k) {
    for (int l = 0; l < k; ++l) {
      const double angle = std::acos(-normals[k].normalized().dot(normals[l].normalized())) * 180 / 3.14159265358979;
      angles.smallest = std::min(angles.smallest, angle);
      angles.largest = std::max(angles.largest, angle);
    }
  }
}

double reach_of(const Vec3i& a, const Vec3i& b) { return ((a - b).array() == 0).any() ? kLongReach : kShortReach; }

// Number `choice` of the positions of the corners on the surface: unmoved, or moved as far as allowed along any of
// their 14 edges. False if two of them move along the same edge.
bool move_surface_corners(const std::array<Side, 4>& sides, const Places& places, int choice, std::array<Vec3, 4>& x) {
  Places towards = places;
  for (int k = 0; k < 4; ++k) {
    x[k] = places[k].cast<double>();
    if (sides[k] != Side::on_surface) continue;
    const int edge = choice % 15;
    choice /= 15;
    if (edge < 6) {
      towards[k] += (edge % 2 == 0 ? 2 : -2) * Vec3i::Unit(edge / 2);
    } else if (edge < 14) {
      towards[k] += Vec3i((edge & 1) != 0 ? 1 : -1, (edge & 2) != 0 ? 1 : -1, (edge & 4) != 0 ? 1 : -1);
    }
    x[k] += reach_of(towards[k], places[k]) * (towards[k] - places[k]).cast<double>();
  }
  for (int k = 0; k < 4; ++k) {
    for (int l = 0; l < k; ++l) {
      if (towards[k] == places[l] && towards[l] == places[k]) return false;
    }
  }
  return true;
}

using Fractions = std::array<std::array<double, 4>, 4>;

// Number `choice` of the cut points: at either end of what is left of the edge, or in its middle.
Fractions place_cuts(const std::array<Side, 4>& sides, const Places& places, int choice) {
  Fractions fractions{};
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      if (sides[i] != Side::inside || sides[j] != Side::outside) continue;
      const double reach = reach_of(places[i], places[j]);
      fractions[i][j] = std::array{reach, 0.5, 1 - reach}[choice % 3];
      choice /= 3;
    }
  }
  return fractions;
}

void include_pattern(Angles& angles, const std::array<Side, 4>& sides, const Places& places) {
  const Stencil stencil = split_lattice_tet(sides, places);
  int moves = 1, cuts = 1;
  for (const Side a : sides) {
    moves *= a == Side::on_surface ? 15 : 1;
    for (const Side b : sides) cuts *= a == Side::inside && b == Side::outside ? 3 : 1;
  }
  for (int choice = 0; stencil.tet_count > 0 && choice < moves * cuts; ++choice) {
    std::array<Vec3, 4> x;
    if (!move_surface_corners(sides, places, choice / cuts, x)) continue;
    const Fractions fractions = place_cuts(sides, places, choice % cuts);
    for (int t = 0; t < stencil.tet_count; ++t) {
      std::array<Vec3, 4> corners;
      for (int k = 0; k < 4; ++k) {
        const auto [from, to] = stencil.tets[t][k];
        corners[k] = x[from] + fractions[from][to] * (x[to] - x[from]);
      }
      ASSERT_GT(volume(corners), 0);
      include_tet(angles, corners);
    }
  }
}

TEST(LatticeTetStencil, ExtremePositionsKeepTheDihedralBound) {
  Angles angles;
  const Vec3i near(5, 5, 5), far(5, 5, 7), a(6, 6, 6), b(4, 6, 6), c(4, 4, 6);
  for (int code = 0; code < 81; ++code) {
    include_pattern(angles, pattern(code), {near, far, a, b});  // the two kinds of tet the parity rule knows
    include_pattern(angles, pattern(code), {near, far, b, c});
  }
  EXPECT_NEAR(angles.smallest, 9.317, 1e-3);
  EXPECT_NEAR(angles.largest, 161.643, 1e-3);
}

}  // namespace
}  // namespace pliant::mesh
