// Which smoother and which cycle nearly incompressible bars would need: iterations and reading, not seconds.
//
//   multigrid_smoothers_benchmark [cells]     bars of `cells` across (8 by default), ν 0.3, 0.45 and 0.49
//
// Conjugate gradients in double to ‖b − A x‖ ≤ 10⁻⁵ ‖b‖ with
//   cycle     the V-cycle as it is
//   two_grid  the same P, one smoothing before and after, and the coarse system solved exactly: no W-cycle does better
//   chunk_k   two_grid, with block Gauss-Seidel on chunks of k points (in Hilbert order: compact) instead of single points
//   star      two_grid, with overlapping patches: a point and all its neighbours, one after another
// `reading`: numbers of A and of the patches' factors that an iteration's smoothing reads, over those of single points.
#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "benchmarks/multigrid_systems.h"
#include "pliant/linear/multigrid/hierarchy.h"
#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

using systems::System;
using Vector = Eigen::VectorXd;
using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;

constexpr double kResidual = 1e-5;
constexpr int kMostIterations = 500;

Sparse scalar_matrix(const sparse::SymmetricBlockMatrix& matrix) {
  std::vector<Eigen::Triplet<double>> entries;
  const sparse::BlockPattern& pattern = matrix.pattern();
  for (int i = 0; i < matrix.row_count(); ++i) {
    for (int slot = pattern.row_start()[i]; slot < pattern.row_start()[i + 1]; ++slot) {
      const int j = pattern.column()[slot];
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
          entries.emplace_back(3 * i + r, 3 * j + c, matrix.block(slot)(r, c));
          if (i != j) entries.emplace_back(3 * j + c, 3 * i + r, matrix.block(slot)(r, c));
        }
      }
    }
  }
  Sparse a(3 * matrix.row_count(), 3 * matrix.row_count());
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

Sparse scalar_prolongator(const Prolongator& p) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < p.rows.row_count(); ++i) {
    for (int e = p.rows.start[i]; e < p.rows.start[i + 1]; ++e) {
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 6; ++c)
          entries.emplace_back(3 * i + r, 6 * p.rows.column[e] + c, p.values[at_block<3, 6>(e) + 6 * r + c]);
      }
    }
  }
  Sparse result(3 * p.rows.row_count(), 6 * p.coarse_count);
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

// Gauss-Seidel over patches of unknowns that may overlap, forwards or backwards.
class PatchSmoother {
 public:
  PatchSmoother(const Sparse& a, std::vector<std::vector<int>> patches) : a_(a), patches_(std::move(patches)) {
    std::vector<int> place(a.rows(), -1);
    for (const std::vector<int>& patch : patches_) {
      const auto size = static_cast<Eigen::Index>(patch.size());
      Eigen::MatrixXd local = Eigen::MatrixXd::Zero(size, size);
      for (Eigen::Index k = 0; k < size; ++k) place[patch[k]] = static_cast<int>(k);
      for (Eigen::Index k = 0; k < size; ++k) {
        for (Sparse::InnerIterator entry(a, patch[k]); entry; ++entry) {
          if (place[entry.col()] >= 0) local(k, place[entry.col()]) = entry.value();
          ++reading_;
        }
      }
      for (const int i : patch) place[i] = -1;
      reading_ += 0.5 * static_cast<double>(size * (size + 1));
      factors_.emplace_back(local);
    }
  }
  void sweep(const Vector& b, Vector& x, bool is_forwards) const {
    const int count = static_cast<int>(patches_.size());
    Vector left;
    for (int n = 0; n < count; ++n) {
      const int p = is_forwards ? n : count - 1 - n;
      const std::vector<int>& patch = patches_[p];
      left.resize(static_cast<Eigen::Index>(patch.size()));
      for (std::size_t k = 0; k < patch.size(); ++k)
        left[static_cast<Eigen::Index>(k)] = b[patch[k]] - a_.row(patch[k]).dot(x);
      factors_[p].solveInPlace(left);
      for (std::size_t k = 0; k < patch.size(); ++k) x[patch[k]] += left[static_cast<Eigen::Index>(k)];
    }
  }
  [[nodiscard]] double reading() const { return reading_; }

 private:
  const Sparse& a_;
  std::vector<std::vector<int>> patches_;
  std::vector<Eigen::LLT<Eigen::MatrixXd>> factors_;
  double reading_ = 0;
};

std::vector<std::vector<int>> chunks(int points, int size) {
  std::vector<std::vector<int>> result;
  for (int first = 0; first < points; first += size) {
    result.emplace_back();
    for (int i = 3 * first; i < 3 * std::min(points, first + size); ++i) result.back().push_back(i);
  }
  return result;
}

std::vector<std::vector<int>> stars(const Sparse& a) {
  std::vector<std::vector<int>> result;
  for (int i = 0; i < a.rows(); i += 3) {
    result.emplace_back();
    for (Sparse::InnerIterator entry(a, i); entry; ++entry) result.back().push_back(static_cast<int>(entry.col()));
  }
  return result;
}

int iterations(const Sparse& a, const Vector& b, const std::function<Vector(const Vector&)>& precondition) {
  Vector x = Vector::Zero(b.size()), r = b, z = precondition(r), p = z;
  double rz = r.dot(z);
  for (int k = 1; k <= kMostIterations; ++k) {
    const Vector ap = a * p;
    const double alpha = rz / p.dot(ap);
    x += alpha * p;
    r -= alpha * ap;
    if (r.norm() <= kResidual * b.norm()) return k;
    z = precondition(r);
    const double beta = -alpha * z.dot(ap) / rz;
    p = z + beta * p;
    rz = r.dot(z);
  }
  return kMostIterations;
}

void measure(int cells, double poisson) {
  const System system = systems::make_bar(cells, poisson);
  const int points = system.positions.size();
  Hierarchy hierarchy;
  (void)hierarchy.build(system.matrix, {&system.positions, nullptr, &system.filter});
  const Sparse a = scalar_matrix(system.matrix), p = scalar_prolongator(hierarchy.prolongator(0));
  Eigen::SparseMatrix<double> coarse = Sparse(p.transpose()) * a * p;
  for (int i = 0; i < coarse.rows(); ++i) {
    if (!(coarse.coeff(i, i) > 0)) coarse.coeffRef(i, i) = 1;  // of a mode that was dropped
  }
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> exact(coarse);
  Vector b(3 * points);
  for (int i = 0; i < points; ++i) b.segment<3>(3 * i) = system.right_side[i];
  BlockVector block_r(points), block_z(points);
  const int of_cycle = iterations(a, b, [&](const Vector& r) {
    for (int i = 0; i < points; ++i) block_r[i] = Vec3(r.segment<3>(3 * i));
    hierarchy.apply(block_r, block_z);
    Vector z(r.size());
    for (int i = 0; i < points; ++i) z.segment<3>(3 * i) = block_z[i];
    return z;
  });
  std::printf("%s,%d,cycle,%d,1\n", system.name.c_str(), points, of_cycle);
  double of_points = 0;
  const auto try_patches = [&](const char* name, std::vector<std::vector<int>> patches) {
    const PatchSmoother smoother(a, std::move(patches));
    if (of_points == 0) of_points = smoother.reading();
    const int count = iterations(a, b, [&](const Vector& r) {
      Vector z = Vector::Zero(r.size());
      smoother.sweep(r, z, true);
      z += p * Vector(exact.solve(p.transpose() * (r - a * z)));
      smoother.sweep(r, z, false);
      return z;
    });
    std::printf("%s,%d,%s,%d,%.1f\n", system.name.c_str(), points, name, count, smoother.reading() / of_points);
    std::fflush(stdout);
  };
  try_patches("two_grid", chunks(points, 1));
  try_patches("chunk_8", chunks(points, 8));
  try_patches("chunk_27", chunks(points, 27));
  try_patches("chunk_64", chunks(points, 64));
  try_patches("star", stars(a));
}

}  // namespace
}  // namespace pliant::linear

int main(int argc, char** argv) {
  pliant::set_thread_count(1);
  const int cells = argc > 1 ? std::max(2, std::atoi(argv[1])) : 8;
  std::printf("system,vertices,smoother,iterations,reading\n");
  for (const double poisson : {0.3, 0.45, 0.49}) pliant::linear::measure(cells, poisson);
}
