// A solid with hollow and sharp edges, for tests of what is inside and outside.
#pragma once

#include <vector>

#include "pliant/mesh/box_mesh.h"
#include "pliant/mesh/surface.h"

namespace pliant::contact {

// A cube of 1 m around the origin without the quarter x, y > 0. cells: even.
inline TriangleMesh notched_cube(int cells) {
  TetMesh box = make_box({Vec3(1, 1, 1), {cells, cells, cells}});
  std::erase_if(box.tets, [&](const Vec4i& tet) {
    const Vec3 sum = box.vertices[tet[0]] + box.vertices[tet[1]] + box.vertices[tet[2]] + box.vertices[tet[3]];
    return sum.x() > 0 && sum.y() > 0;
  });
  return boundary_surface(box).surface;
}

}  // namespace pliant::contact
