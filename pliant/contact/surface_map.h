// The surface of all bodies, as a function of the unknown blocks. Selections, probes, loads and (later) contact speak
// of surface vertices; this says what each of them is made of.
//
//   identity     a vertex of the simulation mesh         one block, weight 1
//   embedded     a vertex carried by a tet               four blocks, barycentric weights
//
// Derivatives at surface vertices are pulled back with the same weights: ∂E/∂q_b = Σ w_b ∂E/∂x.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "pliant/configuration/mapped_point.h"
#include "pliant/math/types.h"
#include "pliant/sparse/block_vector.h"

namespace pliant {

struct SurfaceMap {
  std::vector<MappedPoint> points;  // vertices of all surfaces
  std::vector<Vec3i> triangles;     // indices into points, counter-clockwise from outside
  std::vector<int> first_point;     // per body, plus the total at the end
  std::vector<int> first_triangle;  // per body, plus the total at the end

  [[nodiscard]] std::vector<Vec3> evaluate(const BlockVector& blocks) const;
};

}  // namespace pliant
