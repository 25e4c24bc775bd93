// From a closed surface to a tet mesh that carries it.
//
//   TetrahedralizeResult solid = tetrahedralize(surface, {.cell_size = 0.02}, "bunny.obj");
//
// method      boundary                       tets                                use
// conforming  on the surface, to O(s²)       dihedral angles 9.3° to 161.7°      contact, stress at the surface
// voxels      encloses the surface           all equal, angles 45° to 90°        many elements, regular matrices
//
// The result also holds the surface, as given and vertex by vertex, embedded in the tets.
// Costs: about 12 tets per cell inside (conforming), 6 per cell kept (voxels).
#pragma once

#include <string>
#include <vector>

#include "pliant/mesh/meshes.h"

namespace pliant {

struct TetrahedralizeOptions {
  enum class Method { conforming, voxels };

  double cell_size = 0;  // m, edge of a lattice cube; 0 or less: bounding-box diagonal / 30
  Method method = Method::conforming;
  bool repair = false;  // accept a surface that is not watertight (see surface_repair.h)
};

struct TetrahedralizeResult {
  TetMesh mesh;
  EmbeddedSurface embedded;  // the surface as given, also when it was repaired
  double cell_size = 0;      // m, as used
  double min_dihedral_degrees = 0;
  double max_dihedral_degrees = 0;
  std::vector<std::string> notes;  // what the user should know: repairs, lost features, separate parts
};

// place: where the surface comes from ("scene.yaml:12"), for error messages. Throws InputError when the surface has bad
// indices or numbers, is not watertight (and repair is off), when the cells would be too many (over kMaxCells), or so
// large that nothing of the solid is left.
[[nodiscard]] TetrahedralizeResult tetrahedralize(const TriangleMesh& surface, const TetrahedralizeOptions& options,
                                                  const std::string& place);

namespace mesh {

inline constexpr double kMaxCells = 20e6;        // cells of the bounding box: some GB of memory
inline constexpr double kDefaultDivisions = 30;  // default cells along the bounding-box diagonal

}  // namespace mesh
}  // namespace pliant
