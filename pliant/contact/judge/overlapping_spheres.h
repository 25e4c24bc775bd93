// Which spheres overlap? For the judge only: nothing here is shared with the search of the solvers (sphere_pairs.h).
//
//   |x_i − x_j| < r_i + r_j
//
// Spheres are sorted by where they begin along the longest axis; each is compared with those that begin before it ends.
// Of n spheres that fill a cube these are some n^(2/3) each.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pliant/math/types.h"

namespace pliant::contact {

// centres [m], finite, and radii [m], one each. Pairs with the lower index first, sorted.
[[nodiscard]] std::vector<std::array<int, 2>> overlapping_spheres(std::span<const Vec3> centres,
                                                                  std::span<const double> radii);

}  // namespace pliant::contact
