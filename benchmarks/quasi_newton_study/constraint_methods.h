// Springs as hard constraints c_j = |d_j| − l_j = 0: the methods that forget y after their first iteration.
//
//   PBD   constraint by constraint, x −= s M⁻¹ Cᵀ c / (C M⁻¹ Cᵀ)                             [Liu2018, eq. 4.19 to 4.22]
//   SAP   all at once, (C M⁻¹ Cᵀ) λ = c,  x −= M⁻¹ Cᵀ λ                                      [eq. 4.13 to 4.18]
// Attached blocks have no inverse mass and stand at their targets. Both start at y.
#pragma once

#include "benchmarks/quasi_newton_study/study_step.h"

namespace pliant::study {

// stiffness s of a step: 1 = hard. With `is_rescaled` each iteration takes 1 − (1 − s)^{1/iterations} of its correction.
struct PbdOptions {
  int iterations = 10;
  double stiffness = 1;
  bool is_rescaled = false;
};
[[nodiscard]] BlockVector project_pbd(const StudyStep& step, const PbdOptions& options);
[[nodiscard]] BlockVector project_sap(const StudyStep& step, int iterations);
// max |l/l₀ − 1|
[[nodiscard]] double largest_strain(const StudyStep& step, const BlockVector& x);

}  // namespace pliant::study
