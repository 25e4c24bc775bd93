#include "benchmarks/projection_study/report.h"

#include <cstdio>
#include <fstream>

namespace pliant::projection_study {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

void Report::line(const std::string& text) const {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

void Report::write(const std::string& file, const std::string& text) const { std::ofstream(folder_ / file) << text; }

void Report::table(const std::string& name, const std::vector<std::string>& head,
                   const std::vector<std::vector<std::string>>& rows) const {
  const auto joined = [](const std::vector<std::string>& cells, const char* between) {
    std::string text;
    for (const std::string& cell : cells) text += (text.empty() ? "" : between) + cell;
    return text;
  };
  line("\n" + name + "\n| " + joined(head, " | ") + " |");
  std::string rule = "|", csv = joined(head, ",") + "\n";
  for (std::size_t i = 0; i < head.size(); ++i) rule += "---|";
  line(rule);
  for (const auto& row : rows) {
    line("| " + joined(row, " | ") + " |");
    csv += joined(row, ",") + "\n";
  }
  write(name + ".csv", csv);
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
