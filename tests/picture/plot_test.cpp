#include "pliant/picture/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <vector>

#include "pliant/input_error.h"

namespace pliant::picture {
namespace {

struct SvgPoint {
  double x, y;
};

// The points of every polyline.
std::vector<std::vector<SvgPoint>> polylines(const std::string& svg) {
  std::vector<std::vector<SvgPoint>> result;
  const std::string begin = " points=\"";
  for (std::size_t at = svg.find(begin); at != std::string::npos; at = svg.find(begin, at + 1)) {
    const std::size_t first = at + begin.size();
    std::istringstream text(svg.substr(first, svg.find('"', first) - first));
    std::vector<SvgPoint> points;
    SvgPoint point{};
    char comma = 0;
    while (text >> point.x >> comma >> point.y) points.push_back(point);
    result.push_back(points);
  }
  return result;
}

int occurrences(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Plot, PointsAreWhereTheirNumbersSay) {
  const std::vector<Series> series = {{"a", {0, 1, 4}, {-1, 2, 3}}};
  const PlotOptions options;
  const PlotArea area = plot_area(series, options);
  EXPECT_FALSE(area.is_log_y);
  const auto lines = polylines(plot_svg(series, options));
  ASSERT_EQ(lines.size(), 1U);
  ASSERT_EQ(lines[0].size(), 3U);
  // x: a quarter of the way; y: upwards, three quarters between the lowest and the highest point.
  EXPECT_NEAR(lines[0][0].x, area.left, 0.01);
  EXPECT_NEAR(lines[0][2].x, area.right, 0.01);
  EXPECT_NEAR(lines[0][1].x, area.left + (area.right - area.left) / 4, 0.01);
  EXPECT_NEAR(lines[0][0].y - lines[0][1].y, 0.75 * (lines[0][0].y - lines[0][2].y), 0.02);
  EXPECT_GT(lines[0][0].y, lines[0][2].y);
  EXPECT_LT(lines[0][0].y, area.bottom);
  EXPECT_GT(lines[0][2].y, area.top);
}

TEST(Plot, LogarithmicWhenNumbersSpanDecades) {
  std::vector<Series> series = {{"a", {0, 1, 2, 3}, {1, 10, 100, 100000}}};
  const PlotArea area = plot_area(series, {});
  ASSERT_TRUE(area.is_log_y);
  EXPECT_NEAR(area.y_low, 1, 1e-12);
  EXPECT_NEAR(area.y_high, 1e5, 1e-6);
  const double decade = (area.bottom - area.top) / 5;
  const auto lines = polylines(plot_svg(series, {}));
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(lines[0][static_cast<std::size_t>(i)].y, area.bottom - decade * i, 0.01);
  EXPECT_NEAR(lines[0][3].y, area.top, 0.01);

  series[0].y[0] = 0;  // not all positive
  EXPECT_FALSE(plot_area(series, {}).is_log_y);
  PlotOptions forced;
  forced.y_scale = PlotScale::logarithmic;
  EXPECT_EQ(polylines(plot_svg(series, forced))[0].size(), 3U);
  forced.y_scale = PlotScale::linear;
  series[0].y[0] = 1;
  EXPECT_FALSE(plot_area(series, forced).is_log_y);
}

TEST(Plot, MissingNumbersAreGaps) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Series> series = {{"a", {0, 1, 2, 3, 4, 5}, {1, 2, none, 3, none, 4}}};
  const auto lines = polylines(plot_svg(series, {}));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].size(), 2U);
  EXPECT_EQ(lines[1].size(), 2U);  // a point alone, drawn as a dot
  EXPECT_EQ(lines[1][0].x, lines[1][1].x);
}

TEST(Plot, LongCurvesAreThinnedButKeepTheirExtremes) {
  Series series{"wave", {}, {}};
  const int count = 200000;
  for (int i = 0; i < count; ++i) {
    series.x.push_back(i);
    series.y.push_back(std::sin(0.01 * i));
  }
  series.y[123456] = 40;  // one spike
  const std::vector<Series> all = {series};
  const PlotArea area = plot_area(all, {});
  const auto lines = polylines(plot_svg(all, {}));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_LE(lines[0].size(), 4U * 801);
  double highest = 1e9;
  for (const SvgPoint& point : lines[0]) highest = std::min(highest, point.y);
  EXPECT_NEAR(highest, area.pixel_y(40), 0.01);
}

TEST(Plot, TextsAreEscaped) {
  const std::vector<Series> series = {{"a<b>&\"c\"", {0, 1}, {1, 2}}, {"d", {0, 1}, {1, 2}}};
  PlotOptions options;
  options.title = "x < y & z";
  const std::string svg = plot_svg(series, options);
  EXPECT_EQ(occurrences(svg, "a&lt;b&gt;&amp;&quot;c&quot;"), 1);
  EXPECT_EQ(occurrences(svg, "x &lt; y &amp; z"), 2);
  EXPECT_EQ(occurrences(svg, "a<b>"), 0);
  EXPECT_EQ(occurrences(svg, "prefers-color-scheme: dark"), 1);
}

TEST(Plot, CurvesDifferInColourOrDash) {
  std::vector<Series> series;
  for (int i = 0; i < 12; ++i) series.push_back({"s" + std::to_string(i), {0, 1}, {0.0 + i, 1.0 + i}});
  const std::string svg = plot_svg(series, {});
  EXPECT_EQ(polylines(svg).size(), 12U);
  EXPECT_EQ(occurrences(svg, "<polyline class=\"curve\" stroke=\"#0072b2\" points"), 1);
  EXPECT_EQ(occurrences(svg, "<polyline class=\"curve\" stroke=\"#0072b2\" stroke-dasharray"), 1);
}

TEST(Plot, ConstantsAndSinglePointsHaveAxes) {
  const std::vector<Series> series = {{"a", {2}, {5}}};
  const PlotArea area = plot_area(series, {});
  EXPECT_LT(area.x_low, 2);
  EXPECT_GT(area.x_high, 2);
  EXPECT_LT(area.y_low, 5);
  EXPECT_GT(area.y_high, 5);
  EXPECT_EQ(polylines(plot_svg(series, {})).size(), 1U);
}

TEST(Plot, NothingToPlotIsExplained) {
  const std::vector<Series> series = {{"a", {0, 1}, {std::numeric_limits<double>::quiet_NaN(), INFINITY}}};
  EXPECT_THROW((void)plot_svg(series, {}), InputError);
  EXPECT_THROW((void)plot_svg({}, {}), InputError);
}

}  // namespace
}  // namespace pliant::picture
