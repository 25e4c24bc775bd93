// Projectors of held blocks, applied to vectors and to matrices in 3×3 blocks.
#include "pliant/configuration/block_filter.h"

#include <cmath>

#include "pliant/assert.h"
#include "pliant/parallel/parallel.h"

namespace pliant {
namespace {

// What a direction must add to those already held to count as new: sine of the angle between it and their span. Smaller
// remainders are rounding noise of a direction given twice, and would hold a random third one.
constexpr double kNewDirection = 1e-6;
constexpr double kUnitTolerance = 1e-6;  // on the square of the length
constexpr int kHeldGrain = 1024;         // held blocks per piece
constexpr int kRowGrain = 2048;          // matrix rows per piece

// Mean diagonal entry; 1 where that is not a positive number.
double diagonal_scale(const sparse::SymmetricBlockMatrix& matrix) {
  const double trace = parallel_sum(matrix.row_count(), [&](int begin, int end) {
    double sum = 0;
    for (int row = begin; row < end; ++row) sum += matrix.block(matrix.pattern().diagonal_slot(row)).trace();
    return sum;
  });
  const double mean = trace / (3.0 * matrix.row_count());
  return mean > 0 && std::isfinite(mean) ? mean : 1.0;
}

}  // namespace

Mat3& BlockFilter::held_projector(int block) {
  PLIANT_ASSERT(block >= 0 && block < block_count(), "a held block exists");
  if (place_[block] < 0) {
    place_[block] = static_cast<int>(held_blocks_.size());
    held_blocks_.push_back(block);
    projectors_.push_back(Mat3::Identity());
  }
  return projectors_[place_[block]];
}

void BlockFilter::hold(int block) {
  held_projector(block).setZero();
  held_directions_[block] = 3;
}

void BlockFilter::hold(int block, const Vec3& unit_direction) {
  PLIANT_ASSERT(std::abs(unit_direction.squaredNorm() - 1) < kUnitTolerance, "a held direction has length one");
  Mat3& projector = held_projector(block);

  // What the direction adds; projected twice, because one projection leaves rounding along the held ones.
  Vec3 added = projector * unit_direction;
  if (held_directions_[block] > 0) added = projector * added;
  if (added.norm() < kNewDirection) return;

  // The third direction leaves nothing free, exactly.
  if (++held_directions_[block] == 3) {
    projector.setZero();
    return;
  }
  added.normalize();
  projector -= added * added.transpose();
}

void BlockFilter::apply(BlockVector& v) const {
  PLIANT_ASSERT(v.size() == block_count(), "the vector has a block for every block of the filter");
  parallel_for(static_cast<int>(held_blocks_.size()), kHeldGrain, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      const Vec3 free = projectors_[k] * v[held_blocks_[k]];
      v[held_blocks_[k]] = free;
    }
  });
}

void BlockFilter::apply(sparse::SymmetricBlockMatrix& matrix) const {
  PLIANT_ASSERT(matrix.row_count() == block_count(), "the matrix has a row for every block of the filter");
  if (!any_held()) return;
  const double scale = diagonal_scale(matrix);
  const sparse::BlockPattern& pattern = matrix.pattern();
  parallel_for(matrix.row_count(), kRowGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const bool row_held = held_directions_[i] != 0;
      const int diagonal = pattern.diagonal_slot(i);

      // S_i A_ij S_j
      for (int slot = diagonal + 1; slot < pattern.row_start()[i + 1]; ++slot) {
        const int j = pattern.column()[slot];
        if (held_directions_[j] != 0) matrix.block(slot) = (matrix.block(slot) * projectors_[place_[j]]).eval();
        if (row_held) matrix.block(slot) = (projectors_[place_[i]] * matrix.block(slot)).eval();
      }

      // S_i A_ii S_i + s (I − S_i)
      if (!row_held) continue;
      const Mat3& projector = projectors_[place_[i]];
      const Mat3 free = projector * matrix.block(diagonal) * projector;
      matrix.block(diagonal) = 0.5 * (free + free.transpose()) + scale * (Mat3::Identity() - projector);
    }
  });
}

}  // namespace pliant
