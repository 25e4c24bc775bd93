// Quasi-Newton with a constant matrix against its rivals on one time step of implicit Euler [Liu2018, ch. 5 and 7].
//
//   OMP_NUM_THREADS=1 quasi_newton_study FOLDER [curtain stiffness resolution constraints bars cube]
//
// Writes tables to the standard output and tables, curves and pictures to the folder. One thread; times are processor
// times of that thread, the least of three turns per iteration.

#include "benchmarks/quasi_newton_study/experiments.h"

int main(int argc, char** argv) {
  using namespace pliant::study;
  return pliant::study::run_study<Report>(argc, argv,
                                          {{"curtain", study_curtain},
                                           {"stiffness", study_stiffness},
                                           {"resolution", study_resolution},
                                           {"constraints", study_constraints},
                                           {"bars", study_bars},
                                           {"cube", study_cube}});
}
