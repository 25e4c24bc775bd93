// Closed round surfaces, centred at the origin, with y as their axis, triangles facing outwards.
//
// All vertices lie on the shape, so volume and area approach it from below as segments grow, with the square of the
// edge length. Rows along the height, rings of the flat ends and circles of latitude are spaced by the length of one
// segment, and rings near a pole have fewer vertices: angles in the triangles stay between 40° and 95° (torus with a
// thick tube: 28° and 110°, as its inner side is shorter).
#pragma once

#include <string>

#include "pliant/mesh/meshes.h"

namespace pliant {

// An icosahedron whose triangles are cut in four `subdivisions` times: 20·4^s triangles, 10·4^s + 2 vertices. The first
// vertices are those of the coarser sphere.
struct SphereOptions {
  double radius = 0.5;   // m
  int subdivisions = 3;  // 0 to 10
};
[[nodiscard]] TriangleMesh make_sphere_surface(const SphereOptions& options, const std::string& place = "");

struct CylinderOptions {
  double radius = 0.5;  // m
  double height = 1.0;  // m, along y
  int segments = 32;    // around, at least 3
};
// Vertices in rings from the bottom's middle up its flat end, the side and the top to the top's middle.
[[nodiscard]] TriangleMesh make_cylinder(const CylinderOptions& options, const std::string& place = "");

// The side alone: open at both ends, a cone's piece when the radii differ.
struct TubeOptions {
  double radius = 0.5;      // m, at the bottom
  double top_radius = 0.5;  // m
  double height = 1.0;      // m, along y
  int segments = 32;        // around, at least 3
  int rows = 0;             // along y; 0 makes cells about as high as wide
};
// Vertex i of ring j (from the bottom) has index j·segments + i. Texture per corner: u around, v upwards, in metres.
[[nodiscard]] TriangleMesh make_tube(const TubeOptions& options, const std::string& place = "");

struct CapsuleOptions {
  double radius = 0.5;  // m, of the half spheres
  double height = 1.0;  // m, of the straight part between them: the whole is height + 2 radius tall
  int segments = 32;    // around, at least 3
};
// Vertices in rings from the lower pole to the upper one.
[[nodiscard]] TriangleMesh make_capsule(const CapsuleOptions& options, const std::string& place = "");

struct TorusOptions {
  double radius = 0.5;  // m, from the axis to the middle of the tube
  double tube = 0.2;    // m, radius of the tube; below radius, or the tube would meet itself
  int segments = 32;    // around the axis, at least 3; the tube gets as many as make its edges as long
};
// Vertex j of the tube's circle i has index i·n + j, where n divides the number of vertices by `segments`.
[[nodiscard]] TriangleMesh make_torus(const TorusOptions& options, const std::string& place = "");

}  // namespace pliant
