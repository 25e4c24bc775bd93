// Polylines, the meshes of rods and strands: straight, given point by point, or wound into a helix.
#pragma once

#include <string>
#include <vector>

#include "pliant/math/types.h"

namespace pliant {

struct Polyline {
  std::vector<Vec3> points;  // m; vertex 0 is the root
  bool closed = false;       // the last point is joined to the first, which is not repeated

  [[nodiscard]] int edge_count() const { return static_cast<int>(points.size()) - (closed ? 0 : 1); }
};

// A straight strand that starts at the origin.
struct StrandOptions {
  double length = 1.0;            // m
  int segments = 20;              // edges, 1 to 50 million
  Vec3 direction{1.0, 0.0, 0.0};  // any length but zero
};
[[nodiscard]] Polyline make_strand(const StrandOptions& options, const std::string& place = "");

// A helix around the y axis, centred at the origin. With a positive pitch it is right-handed and climbs from vertex 0
// at (radius, −½ pitch·turns, 0). Closed, it is a ring: pitch 0 and one turn.
struct HelixOptions {
  double radius = 0.1;  // m, of the circle the vertices lie on
  double pitch = 0.1;   // m of rise per turn; negative winds left-handed, 0 stays in the plane
  double turns = 5.0;   // above 0
  int segments = 200;   // edges in all, 1 to 50 million (3 or more when closed)
  bool closed = false;
};
[[nodiscard]] Polyline make_helix(const HelixOptions& options, const std::string& place = "");

enum class PolylineEnds { open, closed };

// The given points, checked: at least two (three when closed), finite, neighbours apart.
[[nodiscard]] Polyline make_polyline(std::vector<Vec3> points, PolylineEnds ends = PolylineEnds::open,
                                     const std::string& place = "");

}  // namespace pliant
