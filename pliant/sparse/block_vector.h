// A vector over blocks of three: one entry per unknown block (a point, an axis of a rigid body, a rod
// twist in slot 0). Each block is padded to four doubles, so that kernels load and store one aligned SIMD register per
// block; the fourth double is always zero.
#pragma once

#include <vector>

#include "pliant/math/lanes.h"
#include "pliant/math/types.h"

namespace pliant {

class BlockVector {
 public:
  BlockVector() = default;
  explicit BlockVector(int block_count) : blocks_(block_count) {}

  [[nodiscard]] int size() const { return static_cast<int>(blocks_.size()); }
  void resize(int block_count) { blocks_.assign(block_count, Block{}); }

  Eigen::Map<Vec3> operator[](int i) { return Eigen::Map<Vec3>(blocks_[i].entry); }
  Eigen::Map<const Vec3> operator[](int i) const { return Eigen::Map<const Vec3>(blocks_[i].entry); }

  // 4 × size() doubles, 32-byte aligned.
  double* data() { return blocks_.empty() ? nullptr : blocks_.front().entry; }
  [[nodiscard]] const double* data() const { return blocks_.empty() ? nullptr : blocks_.front().entry; }

  [[nodiscard]] bool operator==(const BlockVector& other) const = default;

 private:
  struct alignas(32) Block {
    double entry[4] = {0, 0, 0, 0};
    bool operator==(const Block&) const = default;
  };
  std::vector<Block> blocks_;
};

// Vector arithmetic, in parallel; sums have the same bits for any thread count.
namespace sparse {

void set_zero(BlockVector& x);
[[nodiscard]] double dot(const BlockVector& x, const BlockVector& y);
void add_scaled(BlockVector& y, double factor, const BlockVector& x);                          // y += factor x
void combine(BlockVector& z, double a, const BlockVector& x, double b, const BlockVector& y);  // z = a x + b y
void scale(BlockVector& x, double factor);
[[nodiscard]] bool all_finite(const BlockVector& x);

}  // namespace sparse
}  // namespace pliant
