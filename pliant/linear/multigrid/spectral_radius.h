// The largest eigenvalue of D⁻¹A by a few steps of Lanczos' method on A v = λ D v.
//
// An estimate from below, a few per cent short after ten steps. It sets the damping of the prolongator and the interval
// of the Chebyshev smoother; power iteration needs many more steps and Gerschgorin's bound is far too large
// [Tamstorf2016, sec. 11.4].
#pragma once

#include "pliant/linear/multigrid/level_matrix.h"

namespace pliant::linear {

// D⁻¹ as stored in the matrix. The start vector is fixed, so the result is too.
template <int B>
[[nodiscard]] double spectral_radius(const LevelMatrix<B>& matrix, int steps);

}  // namespace pliant::linear
