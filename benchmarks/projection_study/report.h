// Tables on the standard output and as CSV, curves as CSV and SVG.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pliant/picture/plot.h"

namespace pliant::projection_study {

class Report {
 public:
  explicit Report(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void line(const std::string& text) const;
  void table(const std::string& name, const std::vector<std::string>& head,
             const std::vector<std::vector<std::string>>& rows) const;
  // <name>.csv and <name>.svg
  void curves(const std::string& name, const std::vector<picture::Series>& series,
              const picture::PlotOptions& options) const;

 private:
  void write(const std::string& file, const std::string& text) const;
  std::filesystem::path folder_;
};

// Three figures.
[[nodiscard]] std::string number(double value);

}  // namespace pliant::projection_study
