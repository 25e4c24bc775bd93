// The experiments of the study. Names E1 … E23 are those of [Liu2018]'s figures and statements, in the order of the text;
// docs/studies/quasi_newton.md says what each asks and what came out.
#pragma once

#include "benchmarks/quasi_newton_study/contest.h"

namespace pliant::study {

void study_curtain(const Report& report);      // E1, E13 on cloth
void study_stiffness(const Report& report);    // E2
void study_resolution(const Report& report);   // E3
void study_constraints(const Report& report);  // E6
void study_bars(const Report& report);         // E11, E13, E14, E15, E16, E23
void study_cube(const Report& report);         // E12

// Lets a step run on, `frames` times, with 100 iterations of the library's quasi_newton each.
void run_on(StudyStep& step, int frames);

}  // namespace pliant::study
