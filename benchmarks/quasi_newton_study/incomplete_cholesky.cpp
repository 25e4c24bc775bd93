#include "benchmarks/quasi_newton_study/incomplete_cholesky.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "pliant/math/lanes.h"

namespace pliant::study {
namespace {

constexpr double kFirstShift = 1e-3;

// Calls update(slot of (j, k), slot of (i, j), slot of (i, k)) for all stored (j, k) that row i of U reaches.
template <class Update>
void for_each_update(const sparse::BlockPattern& pattern, int i, const Update& update) {
  const auto column = pattern.column();
  const auto start = pattern.row_start();
  for (int a = start[i] + 1; a < start[i + 1]; ++a) {
    const int j = column[a];
    int place = start[j];
    for (int b = a; b < start[i + 1]; ++b) {
      while (place < start[j + 1] && column[place] < column[b]) ++place;
      if (place == start[j + 1]) break;
      if (column[place] == column[b]) update(place, a, b);
    }
  }
}

}  // namespace

void IncompleteCholesky::factor(const sparse::SymmetricScalarMatrix& matrix) {
  pattern_ = matrix.shared_pattern();
  blocks_.clear();
  for (shift_ = 0; !try_numbers(matrix);) shift_ = shift_ == 0 ? kFirstShift : 2 * shift_;
}

void IncompleteCholesky::factor(const sparse::SymmetricBlockMatrix& matrix) {
  pattern_ = matrix.shared_pattern();
  numbers_.clear();
  for (shift_ = 0; !try_blocks(matrix);) shift_ = shift_ == 0 ? kFirstShift : 2 * shift_;
}

bool IncompleteCholesky::try_numbers(const sparse::SymmetricScalarMatrix& matrix) {
  numbers_.assign(matrix.values().begin(), matrix.values().end());
  for (int i = 0; i < pattern_->row_count(); ++i) numbers_[pattern_->diagonal_slot(i)] *= 1 + shift_;
  for (int i = 0; i < pattern_->row_count(); ++i) {
    double& pivot = numbers_[pattern_->diagonal_slot(i)];
    if (!(pivot > 0)) return false;
    pivot = 1 / std::sqrt(pivot);
    for (int s = pattern_->row_start()[i] + 1; s < pattern_->row_start()[i + 1]; ++s) numbers_[s] *= pivot;
    for_each_update(*pattern_, i, [&](int jk, int ij, int ik) { numbers_[jk] -= numbers_[ij] * numbers_[ik]; });
  }
  return true;
}

bool IncompleteCholesky::try_blocks(const sparse::SymmetricBlockMatrix& matrix) {
  blocks_.resize(pattern_->slot_count());
  for (int s = 0; s < pattern_->slot_count(); ++s) blocks_[s] = matrix.block(s);
  for (int i = 0; i < pattern_->row_count(); ++i) blocks_[pattern_->diagonal_slot(i)].diagonal() *= 1 + shift_;
  for (int i = 0; i < pattern_->row_count(); ++i) {
    Mat3& pivot = blocks_[pattern_->diagonal_slot(i)];
    const Eigen::LLT<Mat3> cholesky(pivot);
    if (cholesky.info() != Eigen::Success) return false;
    const Mat3 inverse_lower = cholesky.matrixL().solve(Mat3::Identity());
    pivot = inverse_lower.transpose();
    for (int s = pattern_->row_start()[i] + 1; s < pattern_->row_start()[i + 1]; ++s)
      blocks_[s] = (inverse_lower * blocks_[s]).eval();
    for_each_update(*pattern_, i,
                    [&](int jk, int ij, int ik) { blocks_[jk].noalias() -= blocks_[ij].transpose() * blocks_[ik]; });
  }
  return true;
}

void IncompleteCholesky::apply(const BlockVector& r, BlockVector& z) const {
  const auto column = pattern_->column();
  const auto start = pattern_->row_start();
  const int rows = pattern_->row_count();
  z = r;
  if (!numbers_.empty()) {
    const double* u = numbers_.data();
    double* pz = z.data();
    for (int i = 0; i < rows; ++i) {
      const math::Lanes zi = u[start[i]] * math::load(pz + 4 * i);
      math::store(pz + 4 * i, zi);
      for (int s = start[i] + 1; s < start[i + 1]; ++s) {
        double* zj = pz + 4 * column[s];
        math::store(zj, math::load(zj) - u[s] * zi);
      }
    }
    for (int i = rows - 1; i >= 0; --i) {
      math::Lanes zi = math::load(pz + 4 * i);
      for (int s = start[i] + 1; s < start[i + 1]; ++s) zi -= u[s] * math::load(pz + 4 * column[s]);
      math::store(pz + 4 * i, u[start[i]] * zi);
    }
    return;
  }
  for (int i = 0; i < rows; ++i) {
    const Vec3 zi = blocks_[start[i]].transpose() * z[i];
    z[i] = zi;
    for (int s = start[i] + 1; s < start[i + 1]; ++s) z[column[s]] -= blocks_[s].transpose() * zi;
  }
  for (int i = rows - 1; i >= 0; --i) {
    Vec3 zi = z[i];
    for (int s = start[i] + 1; s < start[i + 1]; ++s) zi -= blocks_[s] * z[column[s]];
    z[i] = blocks_[start[i]] * zi;
  }
}

}  // namespace pliant::study
