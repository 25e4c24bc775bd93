// The experiments of the study, by the names of the digest of [Francu2016]: docs/studies/projection.md says what each asks
// and what came out.
#pragma once

#include "benchmarks/projection_study/report.h"

namespace pliant::projection_study {

void study_implicit(const Report& report);     // E1
void study_exact_step(const Report& report);   // one step of E1 against its exact solution, soft and hard
void study_residuals(const Report& report);    // E2
void study_rest(const Report& report);         // E4, E6
void study_transient(const Report& report);    // E5
void study_momentum(const Report& report);     // E7
void study_drape(const Report& report);        // E8
void study_garment(const Report& report);      // E9
void study_strains(const Report& report);      // E10
void study_energy(const Report& report);       // E11, E12
void study_tables(const Report& report);       // tables 8.1 to 8.3: cloth
void study_heap(const Report& report);         // E13
void study_filling(const Report& report);      // E14, and the grains of table 8.3
void study_mass_ratios(const Report& report);  // E15
void study_convergence(const Report& report);  // E16
void study_funnel(const Report& report);       // E17
void study_cow(const Report& report);          // E22
void study_boxes(const Report& report);        // tables 8.1 and 8.2: boxes

}  // namespace pliant::projection_study
