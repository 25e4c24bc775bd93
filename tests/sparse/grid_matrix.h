// Matrices for tests of the sparse and linear modules: springs along the edges of a grid of cubes cut into
// tetrahedra.
//
//   A = Σ_edges (d dᵀ + 0.1 I) ⊗ [1 −1; −1 1] + mass · I        d unit edge direction; positive definite for mass > 0
#pragma once

#include <Eigen/Core>
#include <array>
#include <memory>
#include <random>
#include <vector>

#include "pliant/sparse/symmetric_block_matrix.h"

namespace pliant::test {

struct Grid {
  // Vertices along each side.
  int nx, ny, nz;
  explicit Grid(int n) : Grid(n, n, n) {}
  Grid(int x, int y, int z) : nx(x), ny(y), nz(z) {}
  [[nodiscard]] int size() const { return nx * ny * nz; }
  [[nodiscard]] int index(int x, int y, int z) const { return x + nx * (y + ny * z); }

  // Calls body(i, j, unit direction) for every edge, i < j.
  template <class Body>
  void for_each_edge(const Body& body) const {
    constexpr std::array<std::array<int, 3>, 7> kSteps{
        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}}};
    for (int z = 0; z < nz; ++z) {
      for (int y = 0; y < ny; ++y) {
        for (int x = 0; x < nx; ++x) {
          for (const auto& s : kSteps) {
            if (x + s[0] >= nx || y + s[1] >= ny || z + s[2] >= nz) continue;
            body(index(x, y, z), index(x + s[0], y + s[1], z + s[2]), Vec3(s[0], s[1], s[2]).normalized());
          }
        }
      }
    }
  }

  [[nodiscard]] std::shared_ptr<const sparse::BlockPattern> pattern() const {
    sparse::PatternBuilder builder(size());
    for_each_edge([&](int i, int j, const Vec3&) { builder.couple(std::array{i, j}); });
    return builder.build();
  }
};

inline sparse::SymmetricBlockMatrix spring_matrix(const Grid& grid, std::shared_ptr<const sparse::BlockPattern> pattern,
                                                  double mass) {
  sparse::SymmetricBlockMatrix matrix(std::move(pattern));
  for (int i = 0; i < grid.size(); ++i) matrix.block(matrix.pattern().diagonal_slot(i)) = mass * Mat3::Identity();
  grid.for_each_edge([&](int i, int j, const Vec3& d) {
    const Mat3 k = d * d.transpose() + 0.1 * Mat3::Identity();
    matrix.block(matrix.pattern().diagonal_slot(i)) += k;
    matrix.block(matrix.pattern().diagonal_slot(j)) += k;
    matrix.block(matrix.pattern().slot(i, j)) -= k;
  });
  return matrix;
}

inline BlockVector random_vector(int size, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  BlockVector v(size);
  for (int i = 0; i < size; ++i) {
    for (int c = 0; c < 3; ++c) v[i][c] = number(generator);
  }
  return v;
}

// Every block random, not symmetric off the diagonal.
inline void fill_randomly(sparse::SymmetricBlockMatrix& matrix, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int slot = 0; slot < matrix.pattern().slot_count(); ++slot) {
    for (int k = 0; k < 9; ++k) matrix.block(slot)(k % 3, k / 3) = number(generator);
  }
  for (int i = 0; i < matrix.row_count(); ++i) {
    const Mat3 d = matrix.block(matrix.pattern().diagonal_slot(i));
    matrix.block(matrix.pattern().diagonal_slot(i)) = d + d.transpose();
  }
}

inline Eigen::MatrixXd dense(const sparse::SymmetricBlockMatrix& matrix) {
  const int n = matrix.row_count();
  Eigen::MatrixXd full = Eigen::MatrixXd::Zero(3 * n, 3 * n);
  for (int i = 0; i < n; ++i) {
    for (int slot = matrix.pattern().row_start()[i]; slot < matrix.pattern().row_start()[i + 1]; ++slot) {
      const int j = matrix.pattern().column()[slot];
      full.block<3, 3>(3 * i, 3 * j) = matrix.block(slot);
      full.block<3, 3>(3 * j, 3 * i) = matrix.block(slot).transpose();
    }
  }
  return full;
}

inline Eigen::VectorXd dense(const BlockVector& v) {
  Eigen::VectorXd full(3 * v.size());
  for (int i = 0; i < v.size(); ++i) full.segment<3>(3 * i) = v[i];
  return full;
}

inline double largest_difference(const BlockVector& a, const BlockVector& b) {
  return (dense(a) - dense(b)).cwiseAbs().maxCoeff();
}

// The padding of every block is zero, as kernels rely on.
inline bool padding_is_zero(const BlockVector& v) {
  for (int i = 0; i < v.size(); ++i) {
    if (v.data()[4 * i + 3] != 0) return false;
  }
  return true;
}

}  // namespace pliant::test
