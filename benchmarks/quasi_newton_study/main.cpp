// Quasi-Newton with a constant matrix against its rivals on one time step of implicit Euler [Liu2018, ch. 5 and 7].
//
//   OMP_NUM_THREADS=1 quasi_newton_study FOLDER [curtain stiffness resolution constraints bars cube]
//
// Writes tables to the standard output and tables, curves and pictures to the folder. One thread; times are processor
// times of that thread, the least of three turns per iteration.
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <string>
#include <utility>

#include "benchmarks/quasi_newton_study/experiments.h"
#include "pliant/parallel/parallel.h"

int main(int argc, char** argv) {
  using namespace pliant::study;
  if (argc < 2) {
    std::fprintf(stderr, "quasi_newton_study FOLDER [experiments]\n");
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
      {"curtain", study_curtain},         {"stiffness", study_stiffness}, {"resolution", study_resolution},
      {"constraints", study_constraints}, {"bars", study_bars},           {"cube", study_cube}};
  for (const auto& [name, study] : experiments) {
    if (!is_wanted(name)) continue;
    const std::clock_t begin = std::clock();
    study(report);
    report.line(std::string(name) + ": " + plain_number(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC) +
                " s of processor time");
  }
  return 0;
}
