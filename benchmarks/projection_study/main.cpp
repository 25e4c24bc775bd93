// The iterations of projection side by side on cloth [Francu2016, ch. 6 and 8].
//
//   projection_study FOLDER [implicit residuals rest transient momentum drape garment strains energy tables]
//
// Writes tables to the standard output and tables, curves and charts to the folder. One thread; times are processor times
// of that thread, within one run: only their ratios mean something.
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>

#include "benchmarks/projection_study/cloth_run.h"
#include "benchmarks/projection_study/experiments.h"
#include "pliant/parallel/parallel.h"

int main(int argc, char** argv) {
  using namespace pliant::projection_study;
  if (argc < 2) {
    std::fprintf(stderr, "projection_study FOLDER [experiments]\n");
    return 1;
  }
  pliant::set_thread_count(1);
  std::filesystem::create_directories(argv[1]);
  const Report report(argv[1]);
  const auto is_wanted = [&](const std::string& name) {
    for (int i = 2; i < argc; ++i) {
      if (name == argv[i]) return true;
    }
    return argc == 2;
  };
  const std::pair<const char*, void (*)(const Report&)> experiments[] = {
      {"implicit", study_implicit},   {"residuals", study_residuals}, {"rest", study_rest},
      {"transient", study_transient}, {"momentum", study_momentum},   {"drape", study_drape},
      {"garment", study_garment},     {"strains", study_strains},     {"energy", study_energy},
      {"tables", study_tables}};
  for (const auto& [name, study] : experiments) {
    if (!is_wanted(name)) continue;
    const double begin = processor_seconds();
    study(report);
    report.line(std::string(name) + ": " + number(processor_seconds() - begin) + " s of processor time");
  }
  return 0;
}
