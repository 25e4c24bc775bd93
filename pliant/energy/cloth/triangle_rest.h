// The rest state of a triangle of cloth, from lengths alone: nothing here knows where the triangle lies.
//
//            x2               e0 = x2 − x1,  e1 = x0 − x2,  e2 = x1 − x0      edge i is opposite corner i
//           /  \              l_i = |e_i| at rest [m],  A rest area [m²]
//       e1 /    \ e0          a   unit vector in the rest plane along the warp threads
//         /      \            a⊥  unit vector across it (along the weft):  a⊥ = ω0 e0 + ω1 e1
//        x0 ----- x1
//             e2              g_i = e_i·a⊥ = ω0 (e0·e_i) + ω1 (e1·e_i)
//
// Scalar products of edges follow from lengths: e_j·e_k = ½ (l_i² − l_j² − l_k²). So lengths and ω give everything that
// the energies need, and a rest state can be animated by its lengths with ω kept [Tamstorf2016, sec. 4.5.1 and 4.6].
// The sign of a⊥ and the order of the corners do not matter.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "pliant/math/types.h"

namespace pliant::cloth {

struct TriangleRest {
  std::array<double, 3> squared_length{};  // l_i², m²
  double area = 0;                         // A, m²
  std::array<double, 2> across{};          // ω0, ω1, 1/m

  // e_i·e_j [m²]
  [[nodiscard]] double dot(int i, int j) const {
    if (i == j) return squared_length[i];
    const int k = 3 - i - j;
    return 0.5 * (squared_length[k] - squared_length[i] - squared_length[j]);
  }
  // g_i = e_i·a⊥ [m]
  [[nodiscard]] double weft(int i) const { return across[0] * dot(0, i) + across[1] * dot(1, i); }
};

// From corners in the plane of the cloth (texture coordinates in metres) or in space. `warp` need not have unit length;
// in space it is projected into the triangle. None if the triangle has no area or the warp no direction in it.
[[nodiscard]] std::optional<TriangleRest> triangle_rest(const std::array<Vec2, 3>& corners, const Vec2& warp);
[[nodiscard]] std::optional<TriangleRest> triangle_rest(const std::array<Vec3, 3>& corners, const Vec3& warp);

// Lengths l_i [m] of an animated rest state. The area is Heron's; NaN or 0 where no triangle has such sides.
[[nodiscard]] TriangleRest with_lengths(const TriangleRest& rest, std::span<const double, 3> lengths);

// Sides (1 − w) l_i + w k_i of the rest state and of a kinematic surface with lengths k_i [m]. None if the triangle
// inequality fails.
[[nodiscard]] std::optional<TriangleRest> blend(const TriangleRest& rest, std::span<const double, 3> kinematic_lengths,
                                                double weight);

// The same triangle with corner order[i] as its corner i.
[[nodiscard]] TriangleRest reordered(const TriangleRest& rest, const std::array<int, 3>& order);

}  // namespace pliant::cloth
