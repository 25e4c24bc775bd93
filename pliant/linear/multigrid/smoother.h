// Smoothers of the cycle. Before and after the coarse correction they are adjoints of each other in the energy norm, so
// that the cycle is a symmetric positive definite preconditioner [Tamstorf2016, appendix A].
//
//   gauss_seidel   before: one sweep forwards, from zero;  after: one sweep backwards (order: level_matrix.h)
//                  z = (D + L)⁻¹ r, whose residual r − A z = −U z costs half a product. A piece of the matrix is read
//                  from memory once per sweep: L z and U z are taken from the same blocks one after the other.
//                  A sweep backwards from z to z' leaves r − A z' = L (z − z'), which costs no further reading either
//   chebyshev      polynomial of second order in D⁻¹A on [a, b] = [ρ/10, 1.1 ρ], before and after. Its error factor
//                  T₂((d − λ)/c) / T₂(d/c), d = (a+b)/2, c = (b−a)/2, is below one for 0 < λ < a + b
#pragma once

#include <vector>

#include "pliant/linear/multigrid/level_matrix.h"

namespace pliant::linear {

enum class SmootherKind { gauss_seidel, chebyshev };

template <int B>
class Smoother {
 public:
  // radius: of D⁻¹A, used by chebyshev alone.
  void prepare(SmootherKind kind, double radius, int rows);
  // z = smoothing of A z = r from zero, and residual = r − A z. The padding of r is zero; so is that of the results.
  void before(const LevelMatrix<B>& matrix, const float* r, float* z, float* residual);
  // Smoothing of A z = r from z.
  void after(const LevelMatrix<B>& matrix, const float* r, float* z);
  // The same by gauss_seidel, and residual = r − A z for the new z, where the matrix has exact inverses. Overwrites r.
  void after_with_residual(const LevelMatrix<B>& matrix, float* r, float* z, float* residual);
  [[nodiscard]] std::size_t memory_bytes() const {
    return sizeof(float) * (direction_.capacity() + scratch_.capacity());
  }

 private:
  enum class Start { zero, given };
  void apply_polynomial(const LevelMatrix<B>& matrix, const float* r, float* z, Start start);

  SmootherKind kind_ = SmootherKind::gauss_seidel;
  double radius_ = 0;
  std::vector<float> direction_, scratch_;
};

extern template class Smoother<3>;
extern template class Smoother<6>;

}  // namespace pliant::linear
