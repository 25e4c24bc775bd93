// Tables on the standard output and as CSV, curves as CSV and SVG.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/study.h"
#include "pliant/picture/plot.h"

namespace pliant::projection_study {

class Report : public study::TableReport {
 public:
  using TableReport::TableReport;
  // <name>.csv and <name>.svg
  void curves(const std::string& name, const std::vector<picture::Series>& series,
              const picture::PlotOptions& options) const;
};

// Three figures.
[[nodiscard]] std::string number(double value);

}  // namespace pliant::projection_study
