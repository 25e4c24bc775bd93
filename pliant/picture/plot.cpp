#include "pliant/picture/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>
#include <vector>

#include "pliant/input_error.h"
#include "pliant/io/plain_text.h"
#include "pliant/picture/ticks.h"

namespace pliant::picture {
namespace {

constexpr double kLogDecades = 3;  // more than that on a linear axis hides the small numbers
constexpr double kRoom = 0.04;     // share of the range left free above and below the curves
constexpr double kLeft = 78, kRight = 18, kTop = 40, kBottom = 52, kLegendRow = 20;  // px
constexpr double kLetterWidth = 7.2;  // px, generous mean of a 13 px sans-serif letter

// Okabe and Ito's colours without yellow, which is too faint on white, and black, which is the axes'.
constexpr std::array<const char*, 6> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"};
constexpr std::array<const char*, 4> kDashes = {"", "7 4", "2 3", "9 3 2 3"};

struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double value) { low = std::min(low, value), high = std::max(high, value); }
  [[nodiscard]] bool is_empty() const { return !(low <= high); }
  // A little around a single number, so that an axis can be drawn.
  void widen() {
    if (high - low > 1e-12 * std::max(std::abs(low), std::abs(high))) return;
    const double by = low == 0 ? 1 : 0.1 * std::abs(low);
    low -= by, high += by;
  }
};

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

std::string text_element(double x, double y, const std::string& attributes, const std::string& text) {
  return "<text x=\"" + number_text(x) + "\" y=\"" + number_text(y) + "\" " + attributes + ">" + io::escape_xml(text) +
         "</text>\n";
}

std::string line_element(double x1, double y1, double x2, double y2, const char* style) {
  return "<line class=\"" + std::string(style) + "\" x1=\"" + number_text(x1) + "\" y1=\"" + number_text(y1) +
         "\" x2=\"" + number_text(x2) + "\" y2=\"" + number_text(y2) + "\"/>\n";
}

std::string stroke_of(std::size_t number) {
  const char* dash = kDashes[number / kColours.size() % kDashes.size()];
  std::string style = std::string("stroke=\"") + kColours[number % kColours.size()] + "\"";
  if (*dash != '\0') style += std::string(" stroke-dasharray=\"") + dash + "\"";
  return style;
}

// How the names are spread over rows above the chart.
struct Legend {
  std::vector<double> x;
  std::vector<int> row;
  int row_count = 0;
};

Legend legend_of(std::span<const Series> series, const PlotOptions& options) {
  Legend legend;
  if (series.size() < 2) return legend;  // the axis says it already
  double pen = kLeft;
  legend.row_count = 1;
  for (const Series& s : series) {
    const double width = 38 + kLetterWidth * static_cast<double>(s.name.size());
    if (pen > kLeft && pen + width > options.width - kRight) {
      pen = kLeft;
      ++legend.row_count;
    }
    legend.x.push_back(pen);
    legend.row.push_back(legend.row_count - 1);
    pen += width;
  }
  return legend;
}

bool is_shown(const PlotArea& area, double x, double y) {
  return std::isfinite(x) && std::isfinite(y) && (!area.is_log_y || y > 0);
}

// Points of one unbroken piece of a curve, thinned by columns of pixels, as "x,y x,y …".
class PieceOfCurve {
 public:
  void add(double x, double y) {
    const long column = std::lround(std::floor(x));
    if (points_.empty() || column != column_) flush();
    column_ = column;
    points_.push_back({x, y});
  }
  [[nodiscard]] std::string take() {
    flush();
    return std::exchange(text_, "");
  }

 private:
  struct Point {
    double x, y;
  };
  void flush() {
    if (points_.empty()) return;
    const auto by_height = [](const Point& a, const Point& b) { return a.y < b.y; };
    const auto [lowest, highest] = std::minmax_element(points_.begin(), points_.end(), by_height);
    std::vector<std::size_t> kept = {0, static_cast<std::size_t>(lowest - points_.begin()),
                                     static_cast<std::size_t>(highest - points_.begin()), points_.size() - 1};
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    for (const std::size_t i : kept)
      text_ += (text_.empty() ? "" : " ") + number_text(points_[i].x) + "," + number_text(points_[i].y);
    points_.clear();
  }

  std::vector<Point> points_;
  std::string text_;
  long column_ = 0;
};

std::string curve_elements(const Series& series, std::size_t number, const PlotArea& area) {
  std::string svg;
  PieceOfCurve piece;
  const auto finish_piece = [&] {
    const std::string points = piece.take();
    if (points.empty()) return;
    // A point alone has no line: a line of no length with round ends is a dot.
    const bool is_single = points.find(' ') == std::string::npos;
    svg += "<polyline class=\"curve\" " + stroke_of(number) + " points=\"" + points +
           (is_single ? " " + points : std::string()) + "\"/>\n";
  };
  const std::size_t count = std::min(series.x.size(), series.y.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (is_shown(area, series.x[i], series.y[i]))
      piece.add(area.pixel_x(series.x[i]), area.pixel_y(series.y[i]));
    else
      finish_piece();
  }
  finish_piece();
  return svg;
}

std::string x_axis(const PlotArea& area, const PlotOptions& options) {
  std::string svg;
  const Ticks ticks = nice_ticks(area.x_low, area.x_high, std::max(2, options.width / 110));
  for (const double value : ticks.values) {
    const double x = area.pixel_x(value);
    svg += line_element(x, area.top, x, area.bottom, "grid");
    svg += text_element(x, area.bottom + 18, "text-anchor=\"middle\"", tick_text(value, ticks.step));
  }
  svg += line_element(area.left, area.bottom, area.right, area.bottom, "axis");
  svg += text_element((area.left + area.right) / 2, area.bottom + 40, "text-anchor=\"middle\"", options.x_label);
  return svg;
}

// 10⁻³ and the like: a power in a smaller, raised text.
std::string power_element(double x, double y, double value) {
  const int exponent = static_cast<int>(std::lround(std::log10(value)));
  return "<text x=\"" + number_text(x) + "\" y=\"" + number_text(y) + "\" text-anchor=\"end\">10<tspan dy=\"-5\" " +
         "font-size=\"10\">" + std::to_string(exponent) + "</tspan></text>\n";
}

std::string y_axis(const PlotArea& area, const PlotOptions& options) {
  std::string svg;
  const int wanted = std::max(2, options.height / 70);
  const std::vector<double> decades =
      area.is_log_y ? decade_ticks(area.y_low, area.y_high, 2 * wanted) : std::vector<double>();
  const Ticks ticks = area.is_log_y ? Ticks() : nice_ticks(area.y_low, area.y_high, wanted);
  for (const double value : area.is_log_y ? decades : ticks.values) {
    const double y = area.pixel_y(value);
    svg += line_element(area.left, y, area.right, y, "grid");
    svg += area.is_log_y ? power_element(area.left - 8, y + 4.5, value)
                         : text_element(area.left - 8, y + 4.5, "text-anchor=\"end\"", tick_text(value, ticks.step));
  }
  svg += line_element(area.left, area.top, area.left, area.bottom, "axis");
  const std::string place = "-" + number_text((area.top + area.bottom) / 2);
  svg += "<text transform=\"rotate(-90)\" text-anchor=\"middle\" x=\"" + place + "\" y=\"18\">" +
         io::escape_xml(options.y_label) + "</text>\n";
  return svg;
}

std::string legend_elements(std::span<const Series> series, const PlotOptions& options) {
  const Legend legend = legend_of(series, options);
  std::string svg;
  for (std::size_t i = 0; i < legend.x.size(); ++i) {
    const double x = legend.x[i], y = kTop + kLegendRow * legend.row[i];
    svg += "<line class=\"curve\" " + stroke_of(i) + " x1=\"" + number_text(x) + "\" y1=\"" + number_text(y - 4) +
           "\" x2=\"" + number_text(x + 22) + "\" y2=\"" + number_text(y - 4) + "\"/>\n";
    svg += text_element(x + 28, y, "", series[i].name);
  }
  return svg;
}

constexpr const char* kStyle =
    "<style>\n"
    "text { font: 13px system-ui, sans-serif; fill: #24292f; }\n"
    ".title { font-size: 15px; font-weight: 600; }\n"
    ".paper { fill: #ffffff; }\n"
    ".grid { stroke: #d8dee4; stroke-width: 1; }\n"
    ".axis { stroke: #57606a; stroke-width: 1; }\n"
    ".curve { fill: none; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "text { fill: #e6edf3; }\n"
    ".paper { fill: #0d1117; }\n"
    ".grid { stroke: #30363d; }\n"
    ".axis { stroke: #8b949e; }\n"
    "}\n"
    "</style>\n";

}  // namespace

double PlotArea::pixel_x(double x) const { return left + (right - left) * (x - x_low) / (x_high - x_low); }

double PlotArea::pixel_y(double y) const {
  const double share = is_log_y ? std::log(y / y_low) / std::log(y_high / y_low) : (y - y_low) / (y_high - y_low);
  return bottom - (bottom - top) * share;
}

PlotArea plot_area(std::span<const Series> series, const PlotOptions& options) {
  // What the numbers are.
  Extent x, y, positive_y;
  bool is_all_positive = true;
  for (const Series& s : series) {
    for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i) {
      if (!std::isfinite(s.x[i]) || !std::isfinite(s.y[i])) continue;
      is_all_positive = is_all_positive && s.y[i] > 0;
      if (s.y[i] > 0) positive_y.add(s.y[i]);
      if (options.y_scale == PlotScale::logarithmic && s.y[i] <= 0) continue;
      x.add(s.x[i]);
      y.add(s.y[i]);
    }
  }
  if (y.is_empty()) throw InputError("there is nothing to plot: no number is finite, or none fits the axis");

  // The axes.
  PlotArea area{};
  area.is_log_y =
      options.y_scale == PlotScale::logarithmic ||
      (options.y_scale == PlotScale::automatic && is_all_positive && y.high > y.low * std::pow(10.0, kLogDecades));
  x.widen();
  area.x_low = x.low, area.x_high = x.high;
  if (area.is_log_y) {
    // Whole decades.
    area.y_low = std::pow(10.0, std::floor(std::log10(positive_y.low) + 1e-9));
    area.y_high = std::pow(10.0, std::ceil(std::log10(positive_y.high) - 1e-9));
    if (area.y_high <= area.y_low) area.y_high = 10 * area.y_low;
  } else {
    y.widen();
    const double room = kRoom * (y.high - y.low);
    area.y_low = y.low - room, area.y_high = y.high + room;
  }
  area.left = kLeft, area.right = options.width - kRight;
  area.top = kTop + kLegendRow * legend_of(series, options).row_count - 8;
  area.bottom = options.height - kBottom;
  return area;
}

std::string plot_svg(std::span<const Series> series, const PlotOptions& options) {
  const PlotArea area = plot_area(series, options);
  const std::string width = std::to_string(options.width), height = std::to_string(options.height);
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height +
                    "\" viewBox=\"0 0 " + width + " " + height + "\">\n";
  if (!options.title.empty()) svg += "<title>" + io::escape_xml(options.title) + "</title>\n";
  svg += kStyle;
  svg += "<rect class=\"paper\" width=\"" + width + "\" height=\"" + height + "\"/>\n";
  if (!options.title.empty())
    svg += text_element(options.width / 2.0, 22, "class=\"title\" text-anchor=\"middle\"", options.title);
  svg += x_axis(area, options) + y_axis(area, options);
  for (std::size_t i = 0; i < series.size(); ++i) svg += curve_elements(series[i], i, area);
  svg += legend_elements(series, options) + "</svg>\n";
  return svg;
}

}  // namespace pliant::picture
