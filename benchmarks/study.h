// What studies share: a report of tables, and the choice of experiments on the command line.
#pragma once

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "pliant/parallel/parallel.h"

namespace pliant::study {

// Tables go to the standard output and as CSV into the folder.
class TableReport {
 public:
  explicit TableReport(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void line(const std::string& text) const {
    std::printf("%s\n", text.c_str());
    std::fflush(stdout);
  }
  void table(const std::string& name, const std::vector<std::string>& head,
             const std::vector<std::vector<std::string>>& rows) const {
    std::string page, csv;
    const auto add = [&](const std::vector<std::string>& cells) {
      page += "|";
      for (std::size_t i = 0; i < cells.size(); ++i) {
        page += " " + cells[i] + " |";
        csv += (i == 0 ? "\"" : ",\"") + cells[i] + "\"";
      }
      page += "\n", csv += "\n";
    };
    add(head);
    page += "|";
    for (std::size_t i = 0; i < head.size(); ++i) page += "---|";
    page += "\n";
    for (const auto& row : rows) add(row);
    line("\n" + name + "\n\n" + page);
    write(name + "_table.csv", csv);
  }

 protected:
  void write(const std::string& file, const std::string& text) const { std::ofstream(folder_ / file) << text; }

 private:
  std::filesystem::path folder_;
};

// PROGRAM FOLDER [experiments]: runs those that are named, or all, on one thread.
template <class Report>
int run_study(int argc, char** argv, const std::vector<std::pair<const char*, void (*)(const Report&)>>& experiments) {
  if (argc < 2) {
    std::fprintf(stderr, "%s FOLDER [experiments]\n", argv[0]);
    return 1;
  }
  for (int i = 2; i < argc; ++i) {
    const auto is_it = [&](const auto& experiment) { return std::string(experiment.first) == argv[i]; };
    if (std::any_of(experiments.begin(), experiments.end(), is_it)) continue;
    std::fprintf(stderr, "%s: there is no experiment '%s', but", argv[0], argv[i]);
    for (const auto& experiment : experiments) std::fprintf(stderr, " %s", experiment.first);
    std::fprintf(stderr, "\n");
    return 1;
  }
  set_thread_count(1);
  std::filesystem::create_directories(argv[1]);
  const Report report(argv[1]);
  for (const auto& [name, study] : experiments) {
    bool is_wanted = argc == 2;
    for (int i = 2; i < argc; ++i) is_wanted = is_wanted || std::string(name) == argv[i];
    if (!is_wanted) continue;
    const std::clock_t begin = std::clock();
    study(report);
    report.line(std::string(name) + ": " + std::to_string(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC) +
                " s of processor time");
  }
  return 0;
}

}  // namespace pliant::study
