// The tentative prolongator: the near-kernel of a level, cut into aggregates and made orthonormal in each.
//
//   K   B n × 6   near-kernel: what the matrix hardly resists. On the finest level the rigid motions of the points,
//                 three translations e_k and three rotations e_k × (x − x̄), without their held directions
//   K_a = Q_a R_a      rows of aggregate a, by Gram-Schmidt;   P̂ = blockdiag(Q_a),  P̂ᵀP̂ = I,  P̂ R = K
//   R                  is the near-kernel of the next level                              [Tamstorf2016, algorithm 10]
//
// Aggregates that know fewer than six modes (one node, nodes in a line, held directions): a column that nearly vanishes
// once the columns before it are removed is dropped. Translations are judged by their own length, rotations by the
// longest rotation after translations were removed: by itself a rotation about a distant point is mostly a translation.
// Dropped columns of P̂ are zero; the coarse matrix gets a number on its diagonal there (galerkin.h).
#pragma once

#include <cstdint>
#include <vector>

#include "pliant/configuration/block_filter.h"
#include "pliant/linear/multigrid/aggregation.h"
#include "pliant/sparse/block_vector.h"

namespace pliant::linear {

struct NearKernel {
  std::vector<double> values;  // per node B×6 numbers, row by row
};

// Rigid motions of points about their mean. Held directions are removed (filter null: none); nodes with excluded[i]
// = 1, which are no points, get zeros.
[[nodiscard]] NearKernel rigid_motions(const BlockVector& positions, const BlockFilter* filter,
                                       const std::vector<std::uint8_t>& excluded);

struct TentativeProlongator {
  std::vector<float> values;          // per node B×6, row by row: its rows of Q in its aggregate
  std::vector<std::uint8_t> dropped;  // per aggregate: bit k = column k was dropped
  NearKernel coarse;                  // R, 6×6 per aggregate
};

// Overwrites `result`, whose buffers are reused.
template <int B>
void make_tentative(const NearKernel& kernel, const Aggregates& aggregates, TentativeProlongator& result);

}  // namespace pliant::linear
