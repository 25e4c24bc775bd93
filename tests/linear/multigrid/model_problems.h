// Matrices whose near-kernel is known, and the matrices of a hierarchy as dense ones.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>

#include "pliant/configuration/block_filter.h"
#include "pliant/configuration/dof_layout.h"
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

// Problems one after another, 10 m apart, nothing between them.
inline ModelProblem side_by_side(const std::vector<ModelProblem>& parts) {
  int count = 0;
  for (const ModelProblem& part : parts) count += part.matrix.row_count();
  sparse::PatternBuilder builder(count);
  const auto for_each_block = [&parts](const auto& body) {
    int first = 0;
    for (const ModelProblem& part : parts) {
      const sparse::BlockPattern& pattern = part.matrix.pattern();
      for (int i = 0; i < part.matrix.row_count(); ++i) {
        for (int slot = pattern.row_start()[i]; slot < pattern.row_start()[i + 1]; ++slot)
          body(first + i, first + pattern.column()[slot], part.matrix.block(slot));
      }
      first += part.matrix.row_count();
    }
  };
  for_each_block([&](int i, int j, const auto&) {
    if (i != j) builder.couple(std::array{i, j});
  });
  ModelProblem problem{sparse::SymmetricBlockMatrix(builder.build()), BlockVector(count), BlockFilter(count)};
  for_each_block(
      [&](int i, int j, const auto& block) { problem.matrix.block(problem.matrix.pattern().slot(i, j)) = block; });
  int first = 0;
  for (const ModelProblem& part : parts) {
    for (int i = 0; i < part.matrix.row_count(); ++i) {
      problem.positions[first + i] = part.positions[i] + 10.0 * first * Vec3::UnitX();
      if (part.filter.held_directions(i) == 3) problem.filter.hold(first + i);
    }
    first += part.matrix.row_count();
  }
  return problem;
}

// A free truss beside blocks that are no points: a chain of twists (slot 0 alone) of which each is twisted by a point, as
// in a rod, and one rigid body (a centre and three axes of unit inertia) that springs tie to points of the truss.
struct MixedProblem : ModelProblem {
  DofLayout layout;
};

inline MixedProblem truss_with_twists_and_rigid_body(const Grid& grid, int twists) {
  const int points = grid.size(), centre = points + twists, count = centre + 4;
  sparse::PatternBuilder builder(count);
  grid.for_each_edge([&](int i, int j, const Vec3&) { builder.couple(std::array{i, j}); });
  const int reach = points / twists;
  for (int k = 0; k + 1 < twists; ++k) builder.couple(std::array{reach * k, points + k, points + k + 1});
  const std::array<int, 5> tied{0, centre, centre + 1, centre + 2, centre + 3};
  for (int k = 0; k < 8; ++k) {
    std::array<int, 5> blocks = tied;
    blocks[0] = k;
    builder.couple(blocks);
  }
  MixedProblem problem;
  problem.matrix = sparse::SymmetricBlockMatrix(builder.build());
  problem.positions.resize(count);
  problem.filter = BlockFilter(count);
  const ModelProblem solid = truss(grid, 0.01);
  sparse::SymmetricBlockMatrix& a = problem.matrix;
  for (int i = 0; i < points; ++i) {
    problem.positions[i] = solid.positions[i];
    const sparse::BlockPattern& own = solid.matrix.pattern();
    for (int slot = own.row_start()[i]; slot < own.row_start()[i + 1]; ++slot)
      a.block(a.pattern().slot(i, own.column()[slot])) = solid.matrix.block(slot);
  }
  for (int i = points; i < count; ++i) a.block(a.pattern().diagonal_slot(i)) = Mat3::Identity();
  // Energies ½ (Σ vᵀ x)² of a few blocks each.
  const auto add_square = [&a](const std::vector<std::pair<int, Vec3>>& gradient) {
    for (const auto& [i, u] : gradient) {
      for (const auto& [j, v] : gradient) {
        if (i <= j) a.block(a.pattern().slot(i, j)) += u * v.transpose();
      }
    }
  };
  for (int k = 0; k + 1 < twists; ++k) {
    add_square({{reach * k, 0.5 * Vec3(std::sin(k), std::cos(k), 0.3)},
                {points + k, 3 * Vec3::UnitX()},
                {points + k + 1, -3 * Vec3::UnitX()}});
  }
  for (int k = 0; k < 8; ++k) {
    const Vec3 arm(std::sin(2 * k), std::cos(3 * k), std::sin(5 * k + 1)), along = arm.normalized();
    add_square({{k, 5 * along},
                {centre, -5 * along},
                {centre + 1, -5 * arm.x() * along},
                {centre + 2, -5 * arm.y() * along},
                {centre + 3, -5 * arm.z() * along}});
  }
  problem.layout.add_body("solid", points);
  problem.layout.add_body("twists", twists, BlockKind::rod_twist, 0.001);
  problem.layout.add_rigid_body("rigid", std::array{1.0, 1.0, 1.0});
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
