// The residual that solvers report, measured with one product.
#include "pliant/linear/linear_solver.h"

#include <cmath>

namespace pliant::linear {

bool Outlook::is_hopeless(int iterations, double fall_squared, double tolerance) const {
  if (look == 0 || iterations % look != 0 || fall_squared <= 0) return false;
  if (fall_squared >= 1) return true;
  const double expected = iterations * 2 * std::log(tolerance) / std::log(fall_squared);
  return expected - iterations > most_left;
}

double relative_residual(const sparse::SymmetricBlockMatrix& matrix, const BlockVector& b, const BlockVector& x,
                         const BlockFilter* filter, BlockVector& scratch) {
  const auto free_norm = [&] {
    if (filter) filter->apply(scratch);
    return std::sqrt(sparse::dot(scratch, scratch));
  };
  sparse::combine(scratch, 1, b, 0, b);
  const double whole = free_norm();
  if (whole == 0) return 0;
  matrix.multiply(x, scratch);
  sparse::combine(scratch, 1, b, -1, scratch);
  return free_norm() / whole;
}

}  // namespace pliant::linear
