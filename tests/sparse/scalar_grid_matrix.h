// Scalar matrices for tests and benchmarks: weighted Laplacians of grids (grid_matrix.h) and a mass per vertex.
//
//   A = Σ_edges w [1 −1; −1 1] + mass · I        w between 0.5 and 1.5; positive definite for mass > 0
#pragma once

#include <Eigen/Core>
#include <memory>
#include <random>

#include "pliant/sparse/symmetric_scalar_matrix.h"
#include "tests/sparse/grid_matrix.h"

namespace pliant::test {

inline sparse::SymmetricScalarMatrix laplacian(const Grid& grid, std::shared_ptr<const sparse::BlockPattern> pattern,
                                               double mass) {
  std::mt19937 generator(17);
  std::uniform_real_distribution<double> weight(0.5, 1.5);
  sparse::SymmetricScalarMatrix matrix(std::move(pattern));
  for (int i = 0; i < grid.size(); ++i) matrix.add(i, i, mass);
  grid.for_each_edge([&](int i, int j, const Vec3&) {
    const double w = weight(generator);
    matrix.add(i, i, w);
    matrix.add(j, j, w);
    matrix.add(i, j, -w);
  });
  return matrix;
}

// A sheet of n × n vertices whose hinges couple too: a vertex with those across the edges of its triangles, weight 0.1.
inline sparse::SymmetricScalarMatrix hinged_sheet(int n, double mass) {
  const Grid grid{n, n, 1};
  const auto for_each_hinge = [&](const auto& body) {
    for (int y = 0; y < n; ++y) {
      for (int x = 0; x < n; ++x) {
        if (x + 2 < n && y + 1 < n) body(grid.index(x, y, 0), grid.index(x + 2, y + 1, 0));
        if (x + 1 < n && y + 2 < n) body(grid.index(x, y, 0), grid.index(x + 1, y + 2, 0));
        if (x + 1 < n && y + 1 < n) body(grid.index(x + 1, y, 0), grid.index(x, y + 1, 0));
      }
    }
  };
  sparse::PatternBuilder builder(grid.size());
  grid.for_each_edge([&](int i, int j, const Vec3&) { builder.couple(std::array{i, j}); });
  for_each_hinge([&](int i, int j) { builder.couple(std::array{i, j}); });
  sparse::SymmetricScalarMatrix matrix = laplacian(grid, builder.build(), mass);
  for_each_hinge([&](int i, int j) {
    matrix.add(i, i, 0.1);
    matrix.add(j, j, 0.1);
    matrix.add(i, j, -0.1);
  });
  return matrix;
}

inline Eigen::MatrixXd dense(const sparse::SymmetricScalarMatrix& matrix) {
  const int n = matrix.row_count();
  Eigen::MatrixXd full = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    for (int slot = matrix.pattern().row_start()[i]; slot < matrix.pattern().row_start()[i + 1]; ++slot) {
      const int j = matrix.pattern().column()[slot];
      full(i, j) = full(j, i) = matrix.values()[static_cast<std::size_t>(slot)];
    }
  }
  return full;
}

// A row per block: the three right-hand sides as columns.
inline Eigen::MatrixX3d three_columns(const BlockVector& v) {
  Eigen::MatrixX3d columns(v.size(), 3);
  for (int i = 0; i < v.size(); ++i) columns.row(i) = v[i].transpose();
  return columns;
}

inline double relative_difference(const BlockVector& x, const BlockVector& expected) {
  return (three_columns(x) - three_columns(expected)).norm() / three_columns(expected).norm();
}

}  // namespace pliant::test
