// The surfaces of round_surfaces.h: a subdivided icosahedron, stacks of rings, and a torus.
#include "pliant/mesh/round_surfaces.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "pliant/input_error.h"
#include "pliant/mesh/generator_arguments.h"
#include "pliant/mesh/readable_number.h"
#include "pliant/mesh/subdivision.h"

namespace pliant {
namespace {

using std::numbers::pi;

// ---------------------------------------------------------------------------------------------------- sphere

// Vertices (0, ±1, ±φ) and their cyclic shifts, on the unit sphere; faces are the triples one edge apart.
TriangleMesh make_icosahedron() {
  TriangleMesh solid;
  for (int axis = 0; axis < 3; ++axis) {
    for (int sign = 0; sign < 4; ++sign) {
      Vec3 x = Vec3::Zero();
      x[(axis + 1) % 3] = (sign & 1) ? 1.0 : -1.0;
      x[(axis + 2) % 3] = (sign & 2) ? std::numbers::phi : -std::numbers::phi;
      solid.vertices.push_back(x);
    }
  }
  const auto adjacent = [&](int a, int b) { return (solid.vertices[a] - solid.vertices[b]).norm() < 2.1; };  // edge: 2
  for (int a = 0; a < 12; ++a) {
    for (int b = a + 1; b < 12; ++b) {
      for (int c = b + 1; c < 12; ++c) {
        if (!adjacent(a, b) || !adjacent(b, c) || !adjacent(a, c)) continue;
        const Vec3 &xa = solid.vertices[a], &xb = solid.vertices[b], &xc = solid.vertices[c];
        const bool outward = (xb - xa).cross(xc - xa).dot(xa) > 0;
        solid.triangles.push_back(outward ? Vec3i(a, b, c) : Vec3i(a, c, b));
      }
    }
  }
  for (Vec3& x : solid.vertices) x.normalize();
  return solid;
}

// New vertices are pushed out to the unit sphere.
void subdivide(TriangleMesh& sphere) {
  const std::size_t old = sphere.vertices.size();
  sphere = subdivided(sphere);
  for (std::size_t v = old; v < sphere.vertices.size(); ++v) sphere.vertices[v].normalize();
}

// ---------------------------------------------------------------------------------------------------- rings

// A circle of vertices around the y axis; one vertex on the axis when count is 1.
struct Ring {
  double radius;  // m
  double y;       // m
  int count;
};

// The point at `turn` (0 to 1) around y, counter-clockwise seen from above.
Vec3 around_y(double radius, double y, double turn) {
  return {radius * std::cos(2 * pi * turn), y, -radius * std::sin(2 * pi * turn)};
}

// Fills the band between two rings with triangles, always advancing on the ring that lags behind.
void stitch(const Ring& lower, int lower_start, const Ring& upper, int upper_start, TriangleMesh& surface) {
  const std::int64_t lower_steps = lower.count == 1 ? 0 : lower.count;
  const std::int64_t upper_steps = upper.count == 1 ? 0 : upper.count;
  std::int64_t i = 0, j = 0;
  const auto lower_vertex = [&](std::int64_t n) { return lower_start + static_cast<int>(n % lower.count); };
  const auto upper_vertex = [&](std::int64_t n) { return upper_start + static_cast<int>(n % upper.count); };
  while (i < lower_steps || j < upper_steps) {
    // Compare the middles of the two next edges, (i+½)/lower and (j+½)/upper.
    const bool lower_lags = (2 * i + 1) * upper_steps <= (2 * j + 1) * lower_steps;
    if (j == upper_steps || (i < lower_steps && lower_lags)) {
      surface.triangles.emplace_back(lower_vertex(i), lower_vertex(i + 1), upper_vertex(j));
      ++i;
    } else {
      surface.triangles.emplace_back(lower_vertex(i), upper_vertex(j + 1), upper_vertex(j));
      ++j;
    }
  }
}

// The closed surface through rings given from bottom to top, the first and last being single vertices.
TriangleMesh surface_through(const std::vector<Ring>& rings) {
  TriangleMesh surface;
  int start = 0, start_below = 0;
  for (std::size_t r = 0; r < rings.size(); ++r) {
    start_below = std::exchange(start, static_cast<int>(surface.vertices.size()));
    for (int i = 0; i < rings[r].count; ++i)
      surface.vertices.push_back(around_y(rings[r].radius, rings[r].y, static_cast<double>(i) / rings[r].count));
    if (r > 0) stitch(rings[r - 1], start_below, rings[r], start, surface);
  }
  return surface;
}

// Vertices of a ring that keeps about the edge length of the full circle of `segments`.
int ring_count(int segments, double fraction) {
  return std::max(3, static_cast<int>(std::lround(segments * fraction)));
}

// Rows along a straight side, about as tall as a segment is wide.
int side_rows(const mesh::GeneratorPlace& where, double radius, double height, int segments) {
  const double rows = std::max(1.0, std::round(height * segments / (2 * pi * radius)));
  mesh::require_total(where, "height, radius and segments", 2 * rows * segments, "triangles");
  return static_cast<int>(rows);
}

// The closed surface of a bottom end, whose last ring is the lower rim, a straight side of `rows` rows, and the
// bottom's mirror image on top.
TriangleMesh surface_between(const std::vector<Ring>& bottom, int rows) {
  const Ring rim = bottom.back();
  std::vector<Ring> rings = bottom;
  for (int row = 1; row < rows; ++row) rings.push_back({rim.radius, rim.y * (rows - 2 * row) / rows, rim.count});
  for (auto ring = bottom.rbegin(); ring != bottom.rend(); ++ring)
    rings.push_back({ring->radius, -ring->y, ring->count});
  return surface_through(rings);
}

void check_segments(const mesh::GeneratorPlace& where, int segments) {
  // A flat end or half sphere has about segments²/(2π) triangles at most.
  mesh::require_count(where, "segments", segments, 3, 10'000);
}

}  // namespace

TriangleMesh make_sphere_surface(const SphereOptions& options, const std::string& place) {
  const mesh::GeneratorPlace where{place, "sphere"};
  mesh::require_positive(where, "radius", options.radius);
  mesh::require_count(where, "subdivisions", options.subdivisions, 0, 10);  // 10 gives 21 million triangles

  TriangleMesh sphere = make_icosahedron();
  for (int level = 0; level < options.subdivisions; ++level) subdivide(sphere);
  for (Vec3& x : sphere.vertices) x *= options.radius;
  return sphere;
}

TriangleMesh make_cylinder(const CylinderOptions& options, const std::string& place) {
  const mesh::GeneratorPlace where{place, "cylinder"};
  mesh::require_positive(where, "radius", options.radius);
  mesh::require_positive(where, "height", options.height);
  check_segments(where, options.segments);
  const int rows = side_rows(where, options.radius, options.height, options.segments);

  // Flat bottom: rings one segment length apart, from the middle outwards.
  const double bottom = -options.height / 2;
  const int steps = std::max(1, static_cast<int>(std::lround(options.segments / (2 * pi))));
  std::vector<Ring> rings{{0.0, bottom, 1}};
  for (int s = 1; s < steps; ++s) {
    const double fraction = static_cast<double>(s) / steps;
    rings.push_back({options.radius * fraction, bottom, ring_count(options.segments, fraction)});
  }
  rings.push_back({options.radius, bottom, options.segments});

  return surface_between(rings, rows);
}

TriangleMesh make_tube(const TubeOptions& options, const std::string& place) {
  const mesh::GeneratorPlace where{place, "tube"};
  mesh::require_positive(where, "radius", options.radius);
  mesh::require_positive(where, "top_radius", options.top_radius);
  mesh::require_positive(where, "height", options.height);
  check_segments(where, options.segments);
  const int n = options.segments;
  const double slant = std::hypot(options.height, options.top_radius - options.radius);
  const int rows = options.rows > 0
                       ? options.rows
                       : side_rows(where, 0.5 * (options.radius + options.top_radius), slant, options.segments);
  mesh::require_total(where, "segments and rows", 2.0 * n * rows, "triangles");
  TriangleMesh tube;
  for (int j = 0; j <= rows; ++j) {
    const double up = static_cast<double>(j) / rows;
    const double radius = (1 - up) * options.radius + up * options.top_radius;
    for (int i = 0; i < n; ++i) {
      const double angle = 2 * pi * i / n;
      tube.vertices.emplace_back(radius * std::cos(angle), options.height * (up - 0.5), -radius * std::sin(angle));
    }
  }
  // Two triangles per cell, the diagonal turning from cell to cell.
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < n; ++i) {
      const int a = j * n + i, b = j * n + (i + 1) % n, c = b + n, d = a + n;
      if ((i + j) % 2 == 0) {
        tube.triangles.insert(tube.triangles.end(), {Vec3i(a, b, c), Vec3i(a, c, d)});
      } else {
        tube.triangles.insert(tube.triangles.end(), {Vec3i(a, b, d), Vec3i(b, c, d)});
      }
    }
  }
  // Each triangle laid flat: u along the horizontal in its plane, v along its steepest line.
  for (const Vec3i& t : tube.triangles) {
    const Vec3 &p = tube.vertices[t[0]], &q = tube.vertices[t[1]], &r = tube.vertices[t[2]];
    const Vec3 normal = (q - p).cross(r - p).normalized(), around = Vec3::UnitY().cross(normal).normalized();
    const Vec3 upwards = normal.cross(around);
    std::array<Vec2, 3>& uv = tube.corner_texture.emplace_back();
    for (int c = 0; c < 3; ++c) {
      const Vec3 offset = tube.vertices[t[c]] - p;
      uv[c] = Vec2(offset.dot(around), offset.dot(upwards));
    }
  }
  return tube;
}

TriangleMesh make_capsule(const CapsuleOptions& options, const std::string& place) {
  const mesh::GeneratorPlace where{place, "capsule"};
  mesh::require_positive(where, "radius", options.radius);
  mesh::require_positive(where, "height", options.height);
  check_segments(where, options.segments);
  const int rows = side_rows(where, options.radius, options.height, options.segments);

  // Lower half sphere: circles of latitude one segment length apart, from the pole to the equator.
  const double middle = -options.height / 2;
  const int steps = std::max(1, static_cast<int>(std::lround(options.segments / 4.0)));
  std::vector<Ring> rings{{0.0, middle - options.radius, 1}};
  for (int s = 1; s < steps; ++s) {
    const double angle = 0.5 * pi * s / steps;  // from the pole
    rings.push_back({options.radius * std::sin(angle), middle - options.radius * std::cos(angle),
                     ring_count(options.segments, std::sin(angle))});
  }
  rings.push_back({options.radius, middle, options.segments});

  return surface_between(rings, rows);
}

TriangleMesh make_torus(const TorusOptions& options, const std::string& place) {
  const mesh::GeneratorPlace where{place, "torus"};
  mesh::require_positive(where, "radius", options.radius);
  mesh::require_positive(where, "tube", options.tube);
  if (options.tube >= options.radius)
    throw InputError(place, "torus: tube is " + mesh::readable(options.tube) + " and radius is " +
                                mesh::readable(options.radius) +
                                "; give a tube below radius, or the tube meets itself.");
  check_segments(where, options.segments);

  const int around = options.segments;
  const int tube = ring_count(around, options.tube / options.radius);
  TriangleMesh torus;
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < tube; ++j) {
      const double angle = 2 * pi * j / tube;
      torus.vertices.push_back(around_y(options.radius + options.tube * std::cos(angle), options.tube * std::sin(angle),
                                        static_cast<double>(i) / around));
    }
  }
  // Diagonals alternate, so that no sense of rotation is preferred.
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < tube; ++j) {
      const int next_i = (i + 1) % around, next_j = (j + 1) % tube;
      const int a = i * tube + j, b = next_i * tube + j, c = next_i * tube + next_j, d = i * tube + next_j;
      const bool rising = (i + j) % 2 == 0;
      torus.triangles.push_back(rising ? Vec3i(a, b, c) : Vec3i(a, b, d));
      torus.triangles.push_back(rising ? Vec3i(a, c, d) : Vec3i(b, c, d));
    }
  }
  return torus;
}

}  // namespace pliant
