#include "benchmarks/projection_study/report.h"

#include <cstdio>

namespace pliant::projection_study {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

void Report::curves(const std::string& name, const std::vector<picture::Series>& series,
                    const picture::PlotOptions& options) const {
  std::string csv = "curve,x,y\n";
  for (const picture::Series& curve : series) {
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      char row[96];
      std::snprintf(row, sizeof row, ",%.6g,%.6g\n", curve.x[i], curve.y[i]);
      csv += curve.name + row;
    }
  }
  write(name + ".csv", csv);
  write(name + ".svg", picture::plot_svg(series, options));
}

}  // namespace pliant::projection_study
