// What benchmarks of multigrid share: a clock, and conjugate gradients with the filter inside the iteration.
#pragma once

#include <time.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "benchmarks/multigrid_systems.h"
#include "pliant/linear/block_jacobi.h"

namespace pliant::linear {

inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Operation>
double seconds_of(const Operation& operation) {
  const double start = processor_seconds();
  operation();
  return processor_seconds() - start;
}

using Preconditioner = std::function<void(const BlockVector&, BlockVector&)>;

// Conjugate gradients on S A S with z = S B S r; iterations until √(rᵀz) has fallen by 10⁻⁵. note(k, how far).
inline int filtered_iterations(
    const systems::System& system, const Preconditioner& precondition,
    const std::function<void(int, double)>& note = [](int, double) {}) {
  const int n = system.positions.size();
  BlockVector r = system.right_side, z(n), p(n), ap(n);
  const auto apply = [&] {
    precondition(r, z);
    system.filter.apply(z);
    return sparse::dot(r, z);
  };
  double rz = apply();
  const double first = rz, target = 1e-10 * rz;
  p = z;
  for (int k = 1; k <= 20000; ++k) {
    system.unfiltered.multiply(p, ap);
    system.filter.apply(ap);
    const double alpha = rz / sparse::dot(p, ap);
    sparse::add_scaled(r, -alpha, ap);
    const double next = apply();
    note(k, std::sqrt(std::max(0.0, next / first)));
    if (!(next > target)) return k;
    const double beta = -alpha * sparse::dot(z, ap) / rz;
    sparse::combine(p, 1, z, beta, p);
    rz = next;
  }
  return -1;
}

inline Preconditioner jacobi_of(const sparse::SymmetricBlockMatrix& matrix) {
  const auto jacobi = std::make_shared<BlockJacobi>();
  (void)jacobi->factor(matrix, nullptr);
  return [jacobi](const BlockVector& r, BlockVector& z) {
    for (int i = 0; i < r.size(); ++i)
      z[i] = Eigen::Map<const Mat3>(jacobi->inverses() + 9 * static_cast<std::size_t>(i)) * r[i];
  };
}

}  // namespace pliant::linear
