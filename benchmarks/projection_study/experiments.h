// The experiments of the study, by the names of the digest of [Francu2016]: docs/studies/projection.md says what each asks
// and what came out.
#pragma once

#include "benchmarks/projection_study/report.h"

namespace pliant::projection_study {

void study_implicit(const Report& report);   // E1, and the step's exact solution
void study_residuals(const Report& report);  // E2
void study_rest(const Report& report);       // E4, E6
void study_transient(const Report& report);  // E5
void study_momentum(const Report& report);   // E7
void study_drape(const Report& report);      // E8
void study_garment(const Report& report);    // E9
void study_strains(const Report& report);    // E10
void study_energy(const Report& report);     // E11, E12
void study_tables(const Report& report);     // tables 8.1 to 8.3

}  // namespace pliant::projection_study
