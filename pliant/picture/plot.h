// Charts as SVG: curves over time, readable on light and dark pages.
//
//   write(plot_svg(plot_series(read_probes(path), "energy").series, {.title = "Energies", .y_label = "energy [J]"}));
//
// A curve of more points than pixels is thinned: of the points in one column of pixels the first, the lowest, the
// highest and the last are kept, which covers the same pixels. Colours are those of [Okabe2008, "Color Universal
// Design"], told apart by colour-blind readers; curves beyond the palette are dashed.
#pragma once

#include <span>
#include <string>

#include "pliant/picture/plot_data.h"

namespace pliant::picture {

// automatic: logarithmic when all numbers are positive and span more than three decades.
enum class PlotScale { automatic, linear, logarithmic };

struct PlotOptions {
  std::string title;
  std::string x_label = "time [s]";
  std::string y_label;  // with its unit
  PlotScale y_scale = PlotScale::automatic;
  int width = 800, height = 450;  // px
};

// Points that are not finite, or not positive on a logarithmic axis, are gaps. Throws InputError when no point is left.
[[nodiscard]] std::string plot_svg(std::span<const Series> series, const PlotOptions& options);

// The inner area of the chart and the numbers at its sides; what plot_svg draws in.
struct PlotArea {
  double left, right, top, bottom;      // px
  double x_low, x_high, y_low, y_high;  // data
  bool is_log_y = false;

  [[nodiscard]] double pixel_x(double x) const;
  [[nodiscard]] double pixel_y(double y) const;
};
[[nodiscard]] PlotArea plot_area(std::span<const Series> series, const PlotOptions& options);

}  // namespace pliant::picture
