// Inverses of 3×3 diagonal blocks: cofactors where the block is positive definite, eigenvalues where it is not.
#include "pliant/linear/block_jacobi.h"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "pliant/assert.h"
#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

constexpr int kWideLoadPadding = 3;  // the last column of the last block is read as four doubles
// A pivot smaller than this times its diagonal entry counts as not positive; two digits above what eigenvalues may
// reach.
constexpr double kSmallestPivot = 1e-8;

// Pivots of the 3×3 Cholesky factorisation, all well above rounding.
bool clearly_positive_definite(const Mat3& a) {
  const double d0 = a(0, 0);
  if (!(d0 > 0)) return false;
  const double l10 = a(1, 0) / d0, l20 = a(2, 0) / d0;
  const double d1 = a(1, 1) - l10 * a(1, 0);
  if (!(d1 > kSmallestPivot * std::abs(a(1, 1)))) return false;
  const double u21 = a(2, 1) - l20 * a(1, 0);
  const double d2 = a(2, 2) - l20 * a(2, 0) - u21 * u21 / d1;
  return d2 > kSmallestPivot * std::abs(a(2, 2));
}

Mat3 inverse_by_cofactors(const Mat3& a) {
  Mat3 adjugate;
  adjugate.col(0) = a.col(1).cross(a.col(2));
  adjugate.col(1) = a.col(2).cross(a.col(0));
  adjugate.col(2) = a.col(0).cross(a.col(1));
  return adjugate / a.col(0).dot(adjugate.col(0));
}

Mat3 inverse_with_clamped_eigenvalues(const Mat3& a) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(a);
  const double largest = eigen.eigenvalues().cwiseAbs().maxCoeff();
  if (largest == 0) return Mat3::Identity();  // nothing acts on this block: any positive scale will do
  const Vec3 clamped = eigen.eigenvalues().cwiseAbs().cwiseMax(BlockJacobi::kSmallestEigenvalue * largest);
  return eigen.eigenvectors() * clamped.cwiseInverse().asDiagonal() * eigen.eigenvectors().transpose();
}

Mat3 positive_inverse(const Mat3& a) {
  return clearly_positive_definite(a) ? inverse_by_cofactors(a) : inverse_with_clamped_eigenvalues(a);
}

// The inverse on the free directions, zero on the held ones.
Mat3 free_inverse(const Mat3& a, const Mat3& projector) {
  const double scale = a.trace() > 0 ? a.trace() / 3 : 1.0;
  const Mat3 filtered = projector * a * projector + scale * (Mat3::Identity() - projector);
  return projector * positive_inverse(0.5 * (filtered + filtered.transpose())) * projector;
}

}  // namespace

BlockJacobi::Finite BlockJacobi::factor(const sparse::SymmetricBlockMatrix& matrix, const BlockFilter* filter) {
  PLIANT_ASSERT(!filter || filter->block_count() == matrix.row_count(), "the filter has a block per row of the matrix");
  inverse_.resize(9 * static_cast<std::size_t>(matrix.row_count()) + kWideLoadPadding, 0.0);
  // x − x is 0 for finite numbers and NaN otherwise; NaN survives the sum.
  const double zero = parallel_sum(matrix.row_count(), [&](int begin, int end) {
    double not_finite = 0;
    for (int i = begin; i < end; ++i) {
      const Mat3 a = matrix.block(matrix.pattern().diagonal_slot(i));
      not_finite += (0 * a).sum();
      if (!(not_finite == 0)) break;
      const bool held = filter && filter->held_directions(i) > 0;
      Eigen::Map<Mat3> inverse(inverse_.data() + 9 * static_cast<std::size_t>(i));
      inverse = held ? free_inverse(a, filter->projector(i)) : positive_inverse(a);
    }
    return not_finite;
  });
  return zero == 0 ? Finite::yes : Finite::no;
}

}  // namespace pliant::linear
