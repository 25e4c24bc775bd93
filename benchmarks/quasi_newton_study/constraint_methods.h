// Springs as hard constraints c_j = |d_j| − l_j = 0: the methods that forget y after their first iteration.
//
//   PBD   constraint by constraint, x −= s M⁻¹ Cᵀ c / (C M⁻¹ Cᵀ)                             [Liu2018, eq. 4.19 to 4.22]
//   SAP   all at once, (C M⁻¹ Cᵀ) λ = c,  x −= M⁻¹ Cᵀ λ                                      [eq. 4.13 to 4.18]
// Attached blocks have no inverse mass and stand at their targets. Both start at y.
#pragma once

#include "benchmarks/quasi_newton_study/study_step.h"

namespace pliant::study {

struct PbdOptions {
  int iterations = 10;
  double share = 1;  // s, of every correction; 1 = hard
};
[[nodiscard]] BlockVector project_pbd(const StudyStep& step, const PbdOptions& options);
[[nodiscard]] BlockVector project_sap(const StudyStep& step, int iterations);
// max |l/l₀ − 1|
[[nodiscard]] double largest_strain(const StudyStep& step, const BlockVector& x);

}  // namespace pliant::study
