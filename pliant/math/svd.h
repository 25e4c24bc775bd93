// Signed singular value decomposition of one 3×3 or 3×2 matrix (kernels over many matrices: svd_kernel.h).
//
//   F = U diag(stretches) Vᵀ
#pragma once

#include "pliant/math/types.h"

namespace pliant::math {

struct Svd3 {
  Mat3 u;          // rotation
  Vec3 stretches;  // s0 ≥ s1 ≥ |s2|; s2 has the sign of det F
  Mat3 v;          // rotation
};

struct Svd32 {
  Mat32 u;         // orthonormal columns
  Vec2 stretches;  // s0 ≥ s1 ≥ 0
  Mat2 v;          // rotation
};

[[nodiscard]] Svd3 signed_svd(const Mat3& f);
[[nodiscard]] Svd32 thin_svd(const Mat32& f);

}  // namespace pliant::math
