// Improved Jacobi as printed, with its sign mended, on one batch: a rival in the study. The solver's own takes ω from the
// spectral radius instead.
//
//   ΔΛ = −ω D⁻¹ r + β_k ΔΛ_prev,   β_k = min(a (k/K)^b, 1)                                [Francu2016, eq. 6.39, 6.41; R3]
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "pliant/solver/projection/batch.h"

namespace pliant::projection_study {

class PrintedJacobi {
 public:
  struct Options {
    double omega = 0.5;
    double a = 1, b = 0.6;
    int budget = 15;  // K
  };

  void begin(const Options& options, const solver::Batch<double>& batch) {
    options_ = options;
    count_ = 0;
    change_.assign(static_cast<std::size_t>(batch.row_count()), 0);
    r_ = z_ = change_;
  }
  void iterate(solver::Batch<double>& batch, solver::Movers<double>& movers) {
    batch.linearise(movers, r_);
    batch.precondition(r_, z_);
    const double part = static_cast<double>(count_++) / options_.budget;
    const double beta = std::min(options_.a * std::pow(part, options_.b), 1.0);
    for (std::size_t i = 0; i < z_.size(); ++i) change_[i] = -options_.omega * z_[i] + beta * change_[i];
    batch.accept(change_);
    response_.force.assign(movers.points.size(), Vec3::Zero());
    batch.pull_back(change_, response_);
    for (std::size_t i = 0; i < movers.points.size(); ++i)
      movers.points[i].move(movers.points[i].w * response_.force[i]);
  }

 private:
  Options options_;
  int count_ = 0;
  std::vector<double> r_, z_, change_;
  solver::Impulses response_;
};

}  // namespace pliant::projection_study
