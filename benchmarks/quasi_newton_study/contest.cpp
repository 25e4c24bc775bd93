#include "benchmarks/quasi_newton_study/contest.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>

#include "pliant/picture/plot.h"

namespace pliant::study {
namespace {

constexpr double kLeastShown = 1e-11;  // below, errors are rounding

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Trace run(const StudyStep& step, Metric& metric, const Method& method) {
  if (method.chebyshev > 0) return descend_chebyshev(step, metric, method.chebyshev, method.options.iterations);
  return descend(step, metric, method.options);
}

}  // namespace

double Curve::error_after(int k) const { return error[std::min(static_cast<std::size_t>(k), error.size() - 1)]; }

double Curve::seconds_to(double goal) const {
  for (std::size_t k = 0; k < error.size(); ++k) {
    if (error[k] <= goal) return seconds[k];
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::vector<Curve> run_contest(const StudyStep& step, const Reference& reference, const std::vector<Method>& methods,
                               int repeats) {
  std::vector<Curve> curves;
  std::vector<std::unique_ptr<Metric>> metrics;
  for (const Method& method : methods) {
    Curve& curve = curves.emplace_back();
    curve.name = method.name;
    const double begin = cpu_seconds();
    metrics.push_back(method.make());
    metrics.back()->prepare(step);
    curve.setup_seconds = cpu_seconds() - begin;
  }
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (std::size_t m = 0; m < methods.size(); ++m) {
      const Trace trace = run(step, *metrics[m], methods[m]);
      Curve& curve = curves[m];
      if (repeat == 0) {
        curve.seconds = trace.seconds;
        for (const double value : trace.value) curve.error.push_back(reference.error(value));
        curve.trials = trace.trials;
        curve.restarts = trace.restarts;
      }
      for (std::size_t k = 0; k < trace.seconds.size(); ++k)
        curve.seconds[k] = std::min(curve.seconds[k], trace.seconds[k]);
    }
  }
  for (Curve& curve : curves) {
    for (std::size_t k = 1; k < curve.seconds.size(); ++k) curve.seconds[k] += curve.seconds[k - 1];
  }
  return curves;
}

Method tuned_chebyshev(const StudyStep& step, const Reference& reference, int iterations) {
  Method best{"", [] { return constant_matrix(); }, {0, iterations, Search::armijo}, 0};
  const std::unique_ptr<Metric> metric = constant_matrix();
  metric->prepare(step);
  double least = std::numeric_limits<double>::infinity();
  for (const double rho : {0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999}) {
    const double error = reference.error(descend_chebyshev(step, *metric, rho, iterations).value.back());
    if (error >= least) continue;
    least = error;
    best.chebyshev = rho;
  }
  best.name = "w = 0, Chebyshev ρ " + plain_number(best.chebyshev);
  return best;
}

std::string short_number(double value) {
  if (std::isnan(value)) return "–";
  if (std::abs(value) < 1e-13) return "< 1e-13";
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", value);
  return text;
}

std::string plain_number(double value) {
  if (std::isnan(value)) return "–";
  char text[32];
  std::snprintf(text, sizeof text, value >= 100 ? "%.0f" : "%.3g", value);
  return text;
}

std::vector<Curve> select(const std::vector<Curve>& curves, const std::vector<std::string>& names) {
  std::vector<Curve> chosen;
  for (const std::string& name : names) {
    for (const Curve& curve : curves) {
      if (curve.name == name) chosen.push_back(curve);
    }
  }
  return chosen;
}

void Report::curves_table(const std::string& name, const std::vector<Curve>& curves) const {
  std::vector<std::vector<std::string>> rows;
  for (const Curve& c : curves) {
    const int done = static_cast<int>(c.error.size()) - 1;
    std::vector<std::string> row = {c.name, plain_number(1e3 * c.setup_seconds), plain_number(1e3 * c.seconds[1])};
    row.push_back(done > 1 ? plain_number(1e3 * (c.seconds.back() - c.seconds[1]) / (done - 1)) : "–");
    for (const int k : {1, 2, 5, 10, 20, 50}) row.push_back(short_number(c.error_after(k)));
    for (const double goal : {1e-2, 1e-4, 1e-6}) row.push_back(plain_number(1e3 * c.seconds_to(goal)));
    row.push_back(plain_number(static_cast<double>(c.trials) / std::max(1, done)));
    rows.push_back(std::move(row));
  }
  table(name,
        {"method", "set-up", "first", "further", "1", "2", "5", "10", "20", "50", "to 1e-2", "to 1e-4", "to 1e-6",
         "trials"},
        rows);
}

void Report::curves_csv(const std::string& name, const std::vector<Curve>& curves) const {
  std::string text = "method,iteration,error,milliseconds\n";
  for (const Curve& c : curves) {
    for (std::size_t k = 0; k < c.error.size(); ++k) {
      char row[96];
      std::snprintf(row, sizeof row, ",%zu,%.6e,%.6g\n", k, c.error[k], 1e3 * c.seconds[k]);
      text += "\"" + c.name + "\"" + row;
    }
  }
  write(name + ".csv", text);
}

void Report::plot_iterations(const std::string& name, const std::string& title, const std::vector<Curve>& curves,
                             int last, IterationAxis axis) const {
  std::vector<picture::Series> series;
  const int first = axis == IterationAxis::logarithmic ? 1 : 0;
  for (const Curve& c : curves) {
    picture::Series& s = series.emplace_back();
    s.name = c.name;
    for (int k = first; k <= std::min(last, static_cast<int>(c.error.size()) - 1); ++k) {
      if (!(c.error[static_cast<std::size_t>(k)] > kLeastShown)) break;
      s.x.push_back(axis == IterationAxis::logarithmic ? std::log10(k) : k);
      s.y.push_back(c.error[static_cast<std::size_t>(k)]);
    }
  }
  picture::PlotOptions options;
  options.title = title;
  options.x_label = axis == IterationAxis::logarithmic ? "log10 of iterations" : "iterations";
  options.y_label = "relative error of g";
  options.y_scale = picture::PlotScale::logarithmic;
  write(name + ".svg", picture::plot_svg(series, options));
}

void Report::plot_time(const std::string& name, const std::string& title, const std::vector<Curve>& curves,
                       double last_milliseconds) const {
  std::vector<picture::Series> series;
  for (const Curve& c : curves) {
    picture::Series& s = series.emplace_back();
    s.name = c.name;
    for (std::size_t k = 0; k < c.error.size() && 1e3 * c.seconds[k] <= last_milliseconds; ++k) {
      if (!(c.error[k] > kLeastShown)) break;
      s.x.push_back(1e3 * c.seconds[k]);
      s.y.push_back(c.error[k]);
    }
  }
  picture::PlotOptions options;
  options.title = title;
  options.x_label = "time [ms]";
  options.y_label = "relative error of g";
  options.y_scale = picture::PlotScale::logarithmic;
  write(name + ".svg", picture::plot_svg(series, options));
}

}  // namespace pliant::study
