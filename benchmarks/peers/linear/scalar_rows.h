// A symmetric matrix of 3×3 blocks as full compressed rows of numbers, the format other libraries take.
#pragma once

#include <vector>

#include "pliant/linear/multigrid/level_matrix.h"

namespace pliant::peers {

struct ScalarRows {
  std::vector<int> start{0}, column;
  std::vector<double> value;

  [[nodiscard]] int row_count() const { return static_cast<int>(start.size()) - 1; }
};

// Columns ascending; all nine numbers of a block are stored, zero or not.
inline ScalarRows scalar_rows_of(const sparse::SymmetricBlockMatrix& matrix) {
  const linear::SparseRows neighbours = linear::neighbours_of(matrix.pattern());
  ScalarRows rows;
  const std::size_t count = 9 * (neighbours.column.size() + static_cast<std::size_t>(matrix.row_count()));
  rows.column.reserve(count);
  rows.value.reserve(count);
  for (int i = 0; i < matrix.row_count(); ++i) {
    for (int r = 0; r < 3; ++r) {
      const auto add = [&](int j) {
        const auto block = matrix.block(matrix.pattern().slot(std::min(i, j), std::max(i, j)));
        for (int c = 0; c < 3; ++c) {
          rows.column.push_back(3 * j + c);
          rows.value.push_back(i <= j ? block(r, c) : block(c, r));
        }
      };
      int k = neighbours.start[i];
      for (; k < neighbours.start[i + 1] && neighbours.column[k] < i; ++k) add(neighbours.column[k]);
      add(i);
      for (; k < neighbours.start[i + 1]; ++k) add(neighbours.column[k]);
      rows.start.push_back(static_cast<int>(rows.column.size()));
    }
  }
  return rows;
}

// Vectors without the padding of BlockVector.
inline std::vector<double> packed(const BlockVector& x) {
  std::vector<double> result(3 * static_cast<std::size_t>(x.size()));
  for (int i = 0; i < x.size(); ++i) Eigen::Map<Vec3>(result.data() + 3 * static_cast<std::size_t>(i)) = x[i];
  return result;
}
inline void unpack(const double* from, BlockVector& x) {
  for (int i = 0; i < x.size(); ++i) x[i] = Eigen::Map<const Vec3>(from + 3 * static_cast<std::size_t>(i));
}

}  // namespace pliant::peers
