// Geometry and derivatives of the hinges round four triangles at a time; hinge_bending.h has the formulas and symbols.
// Indices (i, j, k) are cyclic; edge i, hinge i and neighbour i lie opposite corner i. Vectors of lanes are [axis].
#pragma once

#include "pliant/energy/cloth/packed_block.h"
#include "pliant/energy/solid/tet_lanes.h"
#include "pliant/math/lanes.h"

namespace pliant::cloth {

using math::kLaneCount;
using math::Lanes;

// 2A is at least this times the squared edge lengths, and a squared length at least kSmallestSquare [m²]: degenerate
// triangles give finite numbers. A needle this thin has lost six digits of its normal anyway.
inline constexpr double kSmallestShape = 1e-10;
inline constexpr double kSmallestSquare = 1e-60;

// --- Small vectors ---

inline Lanes dot(const Lanes a[3], const Lanes b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

inline void cross(const Lanes a[3], const Lanes b[3], Lanes c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

// Length of c, which becomes a unit vector times `sign`; returns 1/length, see kSmallestShape.
inline Lanes normalize(Lanes c[3], Lanes squares, Lanes sign) {
  const Lanes floor = kSmallestShape * squares + kSmallestShape * kSmallestSquare;
  const Lanes inverse = 1.0 / math::max(math::sqrt(dot(c, c)), floor);
  for (int axis = 0; axis < 3; ++axis) c[axis] = c[axis] * (inverse * sign);
  return inverse;
}

// --- A triangle and its three neighbours ---

struct TriangleFan {
  Lanes orientation;         // −1 where (e_0 × e_1) points against the normal
  Lanes e[3][3], square[3];  // edges and |e_i|²
  Lanes normal[3], inverse;  // n, 1/2A
  Lanes far_normal[3][3];    // ñ of neighbour i
  Lanes far_share[3][2];     // G̃_ij, G̃_ik [1]: the neighbour's share at the two ends of edge i
  Lanes far_height[3];       // |e_i|²/2Ã = −G̃ at the neighbour's own corner
  Lanes sine[3], cosine[3];  // of θ_i/2
};

// sin(θ/2) = |n − ñ|/2 with the sign of θ, cos(θ/2) = |n + ñ|/2. `rise` = n·(x_beyond − x_j) is negative on a ridge.
inline void half_angle(const Lanes n[3], const Lanes far[3], Lanes rise, Lanes& sine, Lanes& cosine) {
  Lanes difference{}, sum{};
  for (int axis = 0; axis < 3; ++axis) {
    const Lanes d = n[axis] - far[axis], s = n[axis] + far[axis];
    difference += d * d;
    sum += s * s;
  }
  const Lanes size = 0.5 * math::sqrt(difference);
  sine = math::select(rise > Lanes{}, -size, size);
  cosine = 0.5 * math::sqrt(sum);
}

inline TriangleFan measure_fan(const double* positions, const int corner[3][kLaneCount],
                               const int beyond[3][kLaneCount], Lanes orientation) {
  TriangleFan fan;
  Lanes x[3][3];
  for (int i = 0; i < 3; ++i) gather_points(positions, corner[i], x[i]);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    for (int axis = 0; axis < 3; ++axis) fan.e[i][axis] = x[k][axis] - x[j][axis];
    fan.square[i] = dot(fan.e[i], fan.e[i]);
  }
  fan.orientation = orientation;
  cross(fan.e[0], fan.e[1], fan.normal);
  fan.inverse = normalize(fan.normal, fan.square[0] + fan.square[1] + fan.square[2], orientation);

  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    Lanes y[3], a[3];
    gather_points(positions, beyond[i], y);
    for (int axis = 0; axis < 3; ++axis) a[axis] = x[j][axis] - y[axis];
    cross(fan.e[i], a, fan.far_normal[i]);
    const Lanes inverse = normalize(fan.far_normal[i], fan.square[i] + dot(a, a), orientation);
    const Lanes along = dot(a, fan.e[i]);
    fan.far_share[i][0] = (along + fan.square[i]) * inverse;
    fan.far_share[i][1] = -along * inverse;
    fan.far_height[i] = fan.square[i] * inverse;
    half_angle(fan.normal, fan.far_normal[i], -dot(fan.normal, a), fan.sine[i], fan.cosine[i]);
  }
  return fan;
}

// --- Derivatives ---

// ψ' and ψ'' of the three hinges [J].
struct HingeForces {
  Lanes first[3], second[3];
};

struct HingeGradients {
  Lanes share[3][3];  // G_ha [hinge][corner]
  Lanes pull[3];      // D_a [N]: the gradient at corner a is D_a n
  Lanes twist[3];     // ψ'_h/|e_h|³ [N/m²]
  Lanes second[3];    // ψ''_h/|e_h|² [N/m]
};

inline HingeGradients hinge_gradients(const TriangleFan& fan, const HingeForces& forces) {
  HingeGradients result;
  Lanes slope[3];
  for (int h = 0; h < 3; ++h) {
    const int j = (h + 1) % 3, k = (h + 2) % 3;
    result.share[h][h] = -fan.square[h] * fan.inverse;
    result.share[h][j] = -dot(fan.e[h], fan.e[j]) * fan.inverse;
    result.share[h][k] = -dot(fan.e[h], fan.e[k]) * fan.inverse;
    const Lanes inverse_length = 1.0 / math::sqrt(math::max(fan.square[h], math::lanes_of(kSmallestSquare)));
    slope[h] = forces.first[h] * inverse_length;
    result.second[h] = forces.second[h] * inverse_length * inverse_length;
    result.twist[h] = slope[h] * inverse_length * inverse_length;
  }
  for (int a = 0; a < 3; ++a) {
    result.pull[a] = slope[0] * result.share[0][a] + slope[1] * result.share[1][a] + slope[2] * result.share[2][a];
  }
  return result;
}

inline void scatter_gradient(double* gradient, const int corner[3][kLaneCount], const TriangleFan& fan,
                             const HingeGradients& g) {
  for (int a = 0; a < 3; ++a) {
    solid::scatter_corner(gradient, corner[a], g.pull[a] * fan.normal[0], g.pull[a] * fan.normal[1],
                          g.pull[a] * fan.normal[2]);
  }
}

// Brings the blocks among a triangle's own corners into the cache: without it an assembly takes a quarter longer. The
// blocks across hinges are left out, as half of them belong to the neighbour and asking costs more than it saves.
inline void prefetch_slots(const double* values, const int slot[9][kLaneCount]) {
  for (int pair = 0; pair < 6; ++pair) {
    for (int l = 0; l < kLaneCount; ++l) {
      const double* block = values + 9 * static_cast<std::size_t>(slot[pair][l]);
      __builtin_prefetch(block, 1);
      __builtin_prefetch(block + 8, 1);
    }
  }
}

// Adds n uᵀ + v nᵀ.
inline void scatter_pair(double* values, const int slot[kLaneCount], const Lanes n[3], const Lanes u[3],
                         const Lanes v[3]) {
  Lanes block[3][3];
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) block[r][c] = n[r] * u[c] + v[r] * n[c];
  }
  solid::scatter_block(values, slot, block);
}

// The block (i, beyond i) = ψ''/|e|² G_ii G̃ n ñᵀ, in the lanes whose triangle writes it.
inline void scatter_across(double* values, const int slot[kLaneCount], Lanes factor, const Lanes n[3],
                           const Lanes far[3]) {
  Lanes block[9];  // columns one after another
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) block[3 * c + r] = factor * n[r] * far[c];
  }
  math::transpose(block[0], block[1], block[2], block[3]);
  math::transpose(block[4], block[5], block[6], block[7]);
  for (int l = 0; l < kLaneCount; ++l) {
    if (slot[l] < 0) continue;
    double* v = values + 9 * static_cast<std::size_t>(slot[l]);
    math::store(v, math::load(v) + block[l]);
    math::store(v + 4, math::load(v + 4) + block[4 + l]);
    v[8] += block[8][l];
  }
}

// What the blocks of one triangle are made of.
struct BlockParts {
  Lanes side[3][3];  // e_a × n in the order of the sorted corners; exact only
  Lanes second[3];   // ψ''_h/|e_h|²
  Lanes far[3][3];   // the same times G̃ [hinge][corner]; at [h][h] for the neighbour's own corner
};

// The block (a, b), a ≤ b, c the third corner: n uᵀ + v nᵀ.
template <bool exact, int a, int b>
void scatter_own(double* values, const int slot[kLaneCount], const TriangleFan& fan, const HingeGradients& g,
                 const BlockParts& parts) {
  constexpr int c = 3 - a - b, d = (a + 1) % 3, f = (a + 2) % 3;  // d, f: the others when a = b
  Lanes own{}, u[3], v[3];
  for (int h = 0; h < 3; ++h) own += parts.second[h] * g.share[h][a] * g.share[h][b];
  if constexpr (a == b) {
    // The neighbours across the edges that end at a add the transposes.
    const Lanes at_d = g.share[d][a] * parts.far[d][a], at_f = g.share[f][a] * parts.far[f][a];
    const Lanes turn = g.pull[a] * fan.inverse;
    for (int axis = 0; axis < 3; ++axis) {
      u[axis] = own * fan.normal[axis] + at_d * fan.far_normal[d][axis] + at_f * fan.far_normal[f][axis];
      v[axis] = Lanes{};
      if (exact) {
        v[axis] = turn * parts.side[a][axis];
        u[axis] += v[axis] - g.twist[d] * parts.side[d][axis] - g.twist[f] * parts.side[f][axis];
      }
    }
  } else {
    // Hinge a sees corner a from outside its edge, hinge b corner b; hinge c has both on its edge, and the neighbour
    // there adds its own half.
    const Lanes at_a = g.share[a][a] * parts.far[a][b], at_c = g.share[c][a] * parts.far[c][b];
    const Lanes at_b = g.share[b][b] * parts.far[b][a];
    const Lanes turn_a = g.pull[b] * fan.inverse, turn_b = g.pull[a] * fan.inverse;
    for (int axis = 0; axis < 3; ++axis) {
      u[axis] = own * fan.normal[axis] + at_a * fan.far_normal[a][axis] + at_c * fan.far_normal[c][axis];
      v[axis] = at_b * fan.far_normal[b][axis];
      if (exact) {
        u[axis] += turn_a * parts.side[a][axis] + g.twist[c] * parts.side[c][axis];
        v[axis] += turn_b * parts.side[b][axis];
      }
    }
  }
  scatter_pair(values, slot, fan.normal, u, v);
}

// All blocks of the triangle. `exact` adds ψ' ∇²θ to ψ'' ∇θ ∇θᵀ; without it ψ'' < 0 counts as zero.
template <bool exact>
void scatter_hessian(double* values, const int slot[9][kLaneCount], const TriangleFan& fan, const HingeGradients& g) {
  BlockParts parts;
  for (int h = 0; h < 3; ++h) {
    const int j = (h + 1) % 3, k = (h + 2) % 3;
    if (exact) {
      cross(fan.e[h], fan.normal, parts.side[h]);
      for (int axis = 0; axis < 3; ++axis) parts.side[h][axis] = parts.side[h][axis] * fan.orientation;
    }
    parts.second[h] = exact ? g.second[h] : math::max(g.second[h], Lanes{});
    parts.far[h][h] = -parts.second[h] * fan.far_height[h];
    parts.far[h][j] = parts.second[h] * fan.far_share[h][0];
    parts.far[h][k] = parts.second[h] * fan.far_share[h][1];
  }
  scatter_own<exact, 0, 0>(values, slot[0], fan, g, parts);
  scatter_own<exact, 0, 1>(values, slot[1], fan, g, parts);
  scatter_own<exact, 0, 2>(values, slot[2], fan, g, parts);
  scatter_own<exact, 1, 1>(values, slot[3], fan, g, parts);
  scatter_own<exact, 1, 2>(values, slot[4], fan, g, parts);
  scatter_own<exact, 2, 2>(values, slot[5], fan, g, parts);
  for (int i = 0; i < 3; ++i) {
    scatter_across(values, slot[6 + i], g.share[i][i] * parts.far[i][i], fan.normal, fan.far_normal[i]);
  }
}

}  // namespace pliant::cloth
