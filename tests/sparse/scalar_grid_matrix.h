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
