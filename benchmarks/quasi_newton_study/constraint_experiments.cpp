// Springs as constraints: PBD stiffens with its iterations (E6), and neither PBD nor SAP ends at the minimum.
#include <algorithm>
#include <cmath>
#include <string>

#include "benchmarks/quasi_newton_study/constraint_methods.h"
#include "benchmarks/quasi_newton_study/experiments.h"
#include "pliant/solver/newton/newton.h"
#include "pliant/solver/quasi_newton/quasi_newton.h"

namespace pliant::study {
namespace {

constexpr double kChainStiffness = 2000;  // N/m: 5 % longer under its own weight
constexpr int kTuningIterations = 100;
constexpr double kDrag = 0.95;  // of velocities per step, so that things come to rest

using StepMethod = std::function<BlockVector(const StudyStep&)>;

StepMethod by_pbd(const PbdOptions& options) {
  return [=](const StudyStep& step) { return project_pbd(step, options); };
}
StepMethod by_sap(int iterations) {
  return [=](const StudyStep& step) { return project_sap(step, iterations); };
}
// The solver keeps its factor from step to step.
StepMethod by_quasi_newton(int iterations, int history) {
  solver::QuasiNewtonOptions options;
  options.iterations = iterations;
  options.history = history;
  options.tolerance = 1e-12;
  auto solver = std::make_shared<solver::QuasiNewton>(options);  // shared: a std::function is copied
  return [=](const StudyStep& step) {
    BlockVector x = step.before;
    (void)solver->solve(step.problem(), x);
    return x;
  };
}
BlockVector minimum_of(const StudyStep& step) {
  solver::NewtonOptions options;
  options.tolerance = 1e-12;
  options.max_iterations = 1000;
  BlockVector x = step.before;
  (void)solver::Newton(options).solve(step.problem(), x);
  return x;
}

// How far the lowest vertex hangs below the highest after 200 steps, m.
double rest_length(StudyStep step, const StepMethod& method) {
  step.drag = kDrag;
  step.predict();
  for (int frame = 0; frame < 200; ++frame) step.accept(method(step));
  double low = 0, high = -1e30;
  for (int i = 0; i < step.count(); ++i) {
    low = std::min(low, step.before[i][1]);
    high = std::max(high, step.before[i][1]);
  }
  return high - low;
}

StudyStep hanging_chain() {
  StudyStep step = make_chain(kChainStiffness);
  for (int i = 0; i < step.count(); ++i) step.before[i] = Vec3(0, -step.rest[static_cast<std::size_t>(i)][0], 0);
  step.predict();
  return step;
}
StudyStep hanging_curtain() {
  StudyStep step = make_curtain(21, 1);
  step.before = rest_of(step);
  step.predict();
  return step;
}

// The share of a correction with which PBD of a hundred iterations hangs as Hooke's springs do.
double tuned_share(StudyStep (*hang)(), double goal) {
  double low = 0, high = 1;
  for (int i = 0; i < 12; ++i) {
    const double middle = 0.5 * (low + high);
    (rest_length(hang(), by_pbd({kTuningIterations, middle})) > goal ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

void static_lengths(const Report& report) {
  struct Body {
    const char* name;
    StudyStep (*hang)();
    std::vector<int> counts;  // iterations per step
  };
  const Body bodies[] = {{"chain", hanging_chain, {1, 3, 10, 30, 100, 1000}},
                         {"curtain", hanging_curtain, {1, 3, 10, 30, 100}}};
  std::vector<std::vector<std::string>> rows;
  for (const Body& body : bodies) {
    const double tuned = tuned_share(body.hang, rest_length(body.hang(), by_quasi_newton(100, 5)));
    report.line(std::string(body.name) + ": share tuned at 100 iterations " + plain_number(tuned));
    const auto add = [&](const std::string& method, const auto& make) {
      std::vector<std::string> row = {body.name, method};
      for (const int count : body.counts)
        row.push_back(std::to_string(rest_length(body.hang(), make(count))).substr(0, 6));
      row.resize(8);
      rows.push_back(std::move(row));
    };
    add("PBD", [](int n) { return by_pbd({n, 1}); });
    add("PBD, tuned at 100", [=](int n) { return by_pbd({n, tuned}); });
    add("PBD, tuned at 100, rescaled", [=](int n) {
      return by_pbd({n, 1 - std::pow(1 - tuned, static_cast<double>(kTuningIterations) / n)});
    });
    add("local/global (w = 0)", [](int n) { return by_quasi_newton(n, 0); });
    add("w = 5", [](int n) { return by_quasi_newton(n, 5); });
  }
  // Hooke: spring j of 20 carries the weight of the vertices below it.
  report.line("chain at rest by Hooke's law: " + std::to_string(1 + 210 * (1.0 / 20) * 9.81 / kChainStiffness) + " m");
  report.table("e6_length_at_rest", {"body", "method", "1", "3", "10", "30", "100", "1000"}, rows);
}

// One step of an inextensible chain that swings down: who comes near the constrained minimum?
void one_step(const Report& report) {
  StudyStep step = make_chain(1e8);
  for (int frame = 0; frame < 8; ++frame) step.accept(minimum_of(step));
  const BlockVector best = minimum_of(step);
  const auto inertia = [&](const BlockVector& x) {
    double sum = 0;
    for (int i = 1; i < step.count(); ++i)
      sum += step.inertia.masses()[static_cast<std::size_t>(i)] * (x[i] - step.target[i]).squaredNorm();
    return 0.5 * sum / (step.step * step.step);
  };
  const auto away = [&](const BlockVector& x) {
    double sum = 0, way = 0;
    for (int i = 0; i < step.count(); ++i) {
      sum += (x[i] - best[i]).squaredNorm();
      way += (best[i] - step.target[i]).squaredNorm();
    }
    return std::sqrt(sum / way);
  };
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::string& name, const BlockVector& x) {
    rows.push_back(
        {name, short_number(largest_strain(step, x)), plain_number(inertia(x) / inertia(best)), short_number(away(x))});
  };
  for (const int n : {1, 10, 100, 1000, 10000}) add("PBD " + std::to_string(n), by_pbd({n, 1})(step));
  for (const int n : {1, 2, 3, 5, 10}) add("SAP " + std::to_string(n), by_sap(n)(step));
  add("minimum (springs of 1e8 N/m)", best);
  report.table("e6_one_step", {"method", "largest strain", "inertia term / minimum", "distance / way from y"}, rows);
}

}  // namespace

void study_constraints(const Report& report) {
  one_step(report);
  static_lengths(report);
}

}  // namespace pliant::study
