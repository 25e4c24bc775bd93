// How far the elements of a body are stretched: for probes, and for bodies that tear.
#pragma once

#include <vector>

#include "pliant/dynamics/model.h"

namespace pliant::scene {

// The largest principal stretch of an element (1 = undeformed), and where it points; and the smallest, negative where a
// tet is inside out.
struct Stretch {
  double size = 0;
  Vec3 direction = Vec3::Zero();  // unit, in space
  double smallest = 0;
};

// One per triangle of cloth, or per tet of a solid; none for other kinds.
[[nodiscard]] std::vector<Stretch> element_stretches(const ModelBody& body, const State& state);

}  // namespace pliant::scene
