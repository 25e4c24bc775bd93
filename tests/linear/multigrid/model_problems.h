// Matrices whose near-kernel is known, and the matrices of a hierarchy as dense ones.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>

#include "pliant/configuration/block_filter.h"
#include "pliant/linear/multigrid/hierarchy.h"
#include "tests/sparse/grid_matrix.h"

namespace pliant::test {

struct ModelProblem {
  sparse::SymmetricBlockMatrix matrix;
  BlockVector positions;
  BlockFilter filter{0};
};

// Springs without bending stiffness along the edges of a grid of cubes cut into tetrahedra, plus mass · I: an elastic
// solid whose six rigid motions cost nothing. `spacing` in m.
inline ModelProblem truss(const Grid& grid, double mass, double spacing = 1) {
  ModelProblem problem{sparse::SymmetricBlockMatrix(grid.pattern()), BlockVector(grid.size()),
                       BlockFilter(grid.size())};
  for (int z = 0; z < grid.nz; ++z) {
    for (int y = 0; y < grid.ny; ++y) {
      for (int x = 0; x < grid.nx; ++x) problem.positions[grid.index(x, y, z)] = spacing * Vec3(x, y, z);
    }
  }
  sparse::SymmetricBlockMatrix& a = problem.matrix;
  for (int i = 0; i < grid.size(); ++i) a.block(a.pattern().diagonal_slot(i)) = mass * Mat3::Identity();
  grid.for_each_edge([&](int i, int j, const Vec3& d) {
    const Mat3 k = d * d.transpose();
    a.block(a.pattern().diagonal_slot(i)) += k;
    a.block(a.pattern().diagonal_slot(j)) += k;
    a.block(a.pattern().slot(i, j)) -= k;
  });
  return problem;
}

// The same, with the layer x = 0 held.
inline ModelProblem clamped_truss(const Grid& grid, double mass = 0) {
  ModelProblem problem = truss(grid, mass);
  for (int i = 0; i < grid.size(); ++i) {
    if (problem.positions[i].x() == 0) problem.filter.hold(i);
  }
  problem.filter.apply(problem.matrix);
  return problem;
}

// −(along ∂²/∂x² + ∂²/∂y²) on nx × ny points with values zero around them, for x, y and z alike.
inline ModelProblem poisson(int nx, int ny, double along = 1) {
  const auto index = [&](int x, int y) { return x + nx * y; };
  sparse::PatternBuilder builder(nx * ny);
  for (int y = 0; y < ny; ++y) {
    for (int x = 0; x < nx; ++x) {
      if (x + 1 < nx) builder.couple(std::array{index(x, y), index(x + 1, y)});
      if (y + 1 < ny) builder.couple(std::array{index(x, y), index(x, y + 1)});
    }
  }
  ModelProblem problem{sparse::SymmetricBlockMatrix(builder.build()), BlockVector(nx * ny), BlockFilter(nx * ny)};
  sparse::SymmetricBlockMatrix& a = problem.matrix;
  for (int y = 0; y < ny; ++y) {
    for (int x = 0; x < nx; ++x) {
      const int i = index(x, y);
      problem.positions[i] = Vec3(x, y, 0);
      a.block(a.pattern().diagonal_slot(i)) = (2 * along + 2) * Mat3::Identity();
      if (x + 1 < nx) a.block(a.pattern().slot(i, index(x + 1, y))) = -along * Mat3::Identity();
      if (y + 1 < ny) a.block(a.pattern().slot(i, index(x, y + 1))) = -Mat3::Identity();
    }
  }
  return problem;
}

// The finest level of a hierarchy, in single precision.
inline linear::LevelMatrix<3> level_of(const sparse::SymmetricBlockMatrix& matrix) {
  linear::LevelMatrix<3> level;
  level.reset(linear::LevelPattern(linear::neighbours_of(matrix.pattern())));
  linear::FinestCopy(matrix.pattern(), level.pattern).copy(matrix, 1, level);
  EXPECT_TRUE(level.invert_diagonal());
  return level;
}

template <int B>
Eigen::MatrixXd dense(const linear::LevelMatrix<B>& matrix) {
  const int n = matrix.row_count();
  Eigen::MatrixXd full = Eigen::MatrixXd::Zero(B * n, B * n);
  using Block = Eigen::Map<const Eigen::Matrix<float, B, B, Eigen::RowMajor>>;
  const auto add = [&](const linear::SparseRows& side, const std::vector<float>& blocks, int i) {
    for (int e = side.start[i]; e < side.start[i + 1]; ++e) {
      const auto block = Block(blocks.data() + linear::at_block<B>(e)).template cast<double>();
      full.block<B, B>(B * i, B * side.column[e]) = block;
      if (&side == &matrix.pattern.inside) full.block<B, B>(B * side.column[e], B * i) = block.transpose();
    }
  };
  for (int i = 0; i < n; ++i) {
    full.block<B, B>(B * i, B * i) = Block(matrix.diagonal.data() + linear::at_block<B>(i)).template cast<double>();
    add(matrix.pattern.inside, matrix.inside, i);
    add(matrix.pattern.before, matrix.before, i);
    add(matrix.pattern.after, matrix.after, i);
  }
  return full;
}

template <int B>
Eigen::MatrixXd dense(const linear::Prolongator& prolongator) {
  using Rows = Eigen::Map<const Eigen::Matrix<float, B, 6, Eigen::RowMajor>>;
  Eigen::MatrixXd full = Eigen::MatrixXd::Zero(B * prolongator.rows.row_count(), 6 * prolongator.coarse_count);
  for (int i = 0; i < prolongator.rows.row_count(); ++i) {
    for (int e = prolongator.rows.start[i]; e < prolongator.rows.start[i + 1]; ++e)
      full.block<B, 6>(B * i, 6 * prolongator.rows.column[e]) =
          Rows(prolongator.values.data() + linear::at_block<B, 6>(e)).template cast<double>();
  }
  return full;
}

// P̂ of the finest level.
inline Eigen::MatrixXd dense_tentative(const linear::TentativeProlongator& tentative,
                                       const linear::Aggregates& aggregates) {
  using Rows = Eigen::Map<const Eigen::Matrix<float, 3, 6, Eigen::RowMajor>>;
  const int nodes = static_cast<int>(aggregates.of_node.size());
  Eigen::MatrixXd full = Eigen::MatrixXd::Zero(3 * nodes, 6 * aggregates.count);
  for (int i = 0; i < nodes; ++i) {
    if (aggregates.of_node[i] >= 0)
      full.block<3, 6>(3 * i, 6 * aggregates.of_node[i]) =
          Rows(tentative.values.data() + linear::at_block<3, 6>(i)).cast<double>();
  }
  return full;
}

template <int B>
Eigen::MatrixXd dense(const linear::NearKernel& kernel) {
  const auto nodes = static_cast<int>(kernel.values.size() / (6 * B));
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor>>(kernel.values.data(), B * nodes,
                                                                                     6);
}

}  // namespace pliant::test
