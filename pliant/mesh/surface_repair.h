// Whether a triangle surface encloses a solid, and what can be done if not.
//
// Watertight means: every edge has exactly two triangles, which run through it in opposite directions; no triangle uses
// a vertex twice; the enclosed volume is positive (triangles face outwards).
// Self-intersections are not looked for: the winding number, which decides about inside, copes with them.
//
// repair_surface does, in this order, and says so in its notes:
//   1. merge vertices nearer than 10⁻⁷ of the bounding-box diagonal
//   2. drop triangles that use a vertex twice; of triangles with the same three vertices keep one, or none when as many
//      face one way as the other (a flap without thickness)
//   3. drop vertices without triangles
//   4. turn triangles so that neighbours across an ordinary edge (two triangles) agree; of the two orientations of a
//      connected patch the one that turns fewer triangles
//   5. turn closed patches that enclose negative volume and are not inside another patch
// Holes and crowded edges stay: the surface may still be open, and inside is where the winding number exceeds ½.
#pragma once

#include <string>
#include <vector>

#include "pliant/mesh/meshes.h"

namespace pliant::mesh {

struct SurfaceDefects {
  int open_edges = 0;            // with one triangle
  int crowded_edges = 0;         // with more than two
  int disagreeing_edges = 0;     // with two that run the same way
  int degenerate_triangles = 0;  // using a vertex twice
  double volume = 0;             // m³, signed
  std::string first;             // where the first of them is; empty if none

  [[nodiscard]] bool watertight() const {
    return open_edges + crowded_edges + disagreeing_edges + degenerate_triangles == 0 && volume > 0;
  }
  // "3 open edges, 1 edge shared by more than two triangles; the first is ...".
  [[nodiscard]] std::string describe() const;
};

[[nodiscard]] SurfaceDefects find_defects(const TriangleMesh& surface);

struct RepairedSurface {
  TriangleMesh surface;            // without texture coordinates
  std::vector<std::string> notes;  // one per kind of change made
};
[[nodiscard]] RepairedSurface repair_surface(const TriangleMesh& surface);

}  // namespace pliant::mesh
