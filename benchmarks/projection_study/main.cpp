// The iterations of projection side by side on cloth [Francu2016, ch. 6 and 8].
//
//   projection_study FOLDER [implicit residuals rest transient momentum drape garment strains energy tables]
//
// Writes tables to the standard output and tables, curves and charts to the folder. One thread; times are processor times
// of that thread, within one run: only their ratios mean something.

#include "benchmarks/projection_study/experiments.h"

int main(int argc, char** argv) {
  using namespace pliant::projection_study;
  return pliant::study::run_study<Report>(argc, argv,
                                          {{"implicit", study_implicit},
                                           {"residuals", study_residuals},
                                           {"rest", study_rest},
                                           {"transient", study_transient},
                                           {"momentum", study_momentum},
                                           {"drape", study_drape},
                                           {"garment", study_garment},
                                           {"strains", study_strains},
                                           {"energy", study_energy},
                                           {"tables", study_tables}});
}
