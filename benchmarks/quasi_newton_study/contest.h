// Methods side by side on one step, and what is written about them: tables, CSV, curves.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/quasi_newton_study/descent.h"
#include "benchmarks/study.h"

namespace pliant::study {

struct Method {
  std::string name;
  std::function<std::unique_ptr<Metric>()> make;
  DescentOptions options;
  double chebyshev = 0;  // ρ; 0 = none
};

struct Curve {
  std::string name;
  std::vector<double> error;    // (g − g*)/(g₀ − g*) of iterate k
  std::vector<double> seconds;  // until iterate k, what a step needs once included
  double setup_seconds = 0;     // constant over a run, not part of `seconds`
  int trials = 0, restarts = 0;

  // Of iterate k, or of the last one where the method ended earlier.
  [[nodiscard]] double error_after(int k) const;
  // Until the error is at most this; NaN if never.
  [[nodiscard]] double seconds_to(double error) const;
};

// Methods take turns, `repeats` times; an iteration's time is the least of its repeats.
[[nodiscard]] std::vector<Curve> run_contest(const StudyStep& step, const Reference& reference,
                                             const std::vector<Method>& methods, int repeats);

// The best ρ of a few for Chebyshev's acceleration, by the error after `iterations`.
[[nodiscard]] Method tuned_chebyshev(const StudyStep& step, const Reference& reference, int iterations);

enum class IterationAxis { linear, logarithmic };

// Folders for what is written; tables also go to the standard output.
class Report : public TableReport {
 public:
  using TableReport::TableReport;
  void curves_table(const std::string& name, const std::vector<Curve>& curves) const;
  // <name>.csv with every point of every curve.
  void curves_csv(const std::string& name, const std::vector<Curve>& curves) const;
  void plot_iterations(const std::string& name, const std::string& title, const std::vector<Curve>& curves, int last,
                       IterationAxis axis = IterationAxis::linear) const;
  void plot_time(const std::string& name, const std::string& title, const std::vector<Curve>& curves,
                 double last_milliseconds) const;
};

// "1.2e-03"
[[nodiscard]] std::string short_number(double value);
// "3.4", three figures; "–" for NaN
[[nodiscard]] std::string plain_number(double value);

// Those curves whose names are listed, in that order.
[[nodiscard]] std::vector<Curve> select(const std::vector<Curve>& curves, const std::vector<std::string>& names);

}  // namespace pliant::study
