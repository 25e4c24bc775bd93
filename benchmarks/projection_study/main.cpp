// The iterations of projection side by side on cloth, grains and boxes [Francu2016, ch. 6 and 8].
//
//   projection_study FOLDER [implicit exact_step residuals rest transient momentum drape garment strains energy
//                            tables heap filling mass_ratios convergence funnel cow boxes]
//
// Writes tables to the standard output and tables, curves and charts to the folder. One thread; times are processor times
// of that thread, within one run: only their ratios mean something.

#include "benchmarks/projection_study/experiments.h"

int main(int argc, char** argv) {
  using namespace pliant::projection_study;
  return pliant::study::run_study<Report>(argc, argv,
                                          {{"implicit", study_implicit},
                                           {"exact_step", study_exact_step},
                                           {"residuals", study_residuals},
                                           {"rest", study_rest},
                                           {"transient", study_transient},
                                           {"momentum", study_momentum},
                                           {"drape", study_drape},
                                           {"garment", study_garment},
                                           {"strains", study_strains},
                                           {"energy", study_energy},
                                           {"tables", study_tables},
                                           {"heap", study_heap},
                                           {"filling", study_filling},
                                           {"mass_ratios", study_mass_ratios},
                                           {"convergence", study_convergence},
                                           {"funnel", study_funnel},
                                           {"cow", study_cow},
                                           {"boxes", study_boxes}});
}
