// Springs: the curtain (E1), its stiffness (E2), its resolution (E3), and the window on it (E13).
#include <algorithm>
#include <cmath>
#include <string>

#include "benchmarks/quasi_newton_study/experiments.h"
#include "pliant/solver/quasi_newton/quasi_newton.h"

namespace pliant::study {
namespace {

constexpr int kIterations[] = {1, 2, 5, 10, 20, 50, 100};

std::vector<std::string> head_with_iterations(std::vector<std::string> head) {
  for (const int k : kIterations) head.push_back(std::to_string(k));
  head.insert(head.end(), {"rate", "distance"});
  return head;
}

// The start of the step with the largest kinetic energy among the first frames.
void seek_liveliest(StudyStep& step, int frames) {
  BlockVector before = step.before, velocity = step.velocity;
  double most = 0;
  for (int frame = 0; frame < frames; ++frame) {
    run_on(step, 1);
    if (step.kinetic_energy() <= most) continue;
    most = step.kinetic_energy();
    before = step.before, velocity = step.velocity;
  }
  step.before = before, step.velocity = velocity;
  step.predict();
}

void compare_with_library(const Report& report, const StudyStep& step, const Reference& reference, double own_error) {
  solver::QuasiNewtonOptions options;
  options.tolerance = 0;
  solver::QuasiNewton library(options);
  const solver::StepProblem problem = step.problem();
  BlockVector x = step.before;
  (void)library.solve(problem, x);
  solver::Objective objective(problem);
  const double error = reference.error(objective.value(x).total);
  report.line("library's quasi_newton after 10 iterations: " + short_number(error) + ", this study's: " +
              short_number(own_error) + ", difference " + short_number(std::abs(error - own_error)));
}

std::vector<Method> curtain_rivals() {
  const auto newton_cg = [](int products, HessianKind kind, Preconditioner preconditioner) {
    return [=] { return newton_by_cg({products, 0}, kind, preconditioner); };
  };
  const HessianKind projected = HessianKind::projected, exact = HessianKind::exact;
  return {{"Newton, direct", [] { return newton_direct(); }, {0, 12}},
          {"Newton, CG 5", newton_cg(5, projected, Preconditioner::jacobi), {0, 50}},
          {"Newton, CG 15", newton_cg(15, projected, Preconditioner::jacobi), {0, 50}},
          {"Newton, CG 100", newton_cg(100, projected, Preconditioner::jacobi), {0, 15}},
          {"Newton, truncated CG 15", newton_cg(15, exact, Preconditioner::jacobi), {0, 50}},
          {"Newton, ichol PCG 15", newton_cg(15, projected, Preconditioner::ichol), {0, 30}},
          {"w = 5, CG 15", [] { return constant_matrix_by_cg(15); }, {5, 100}},
          {"w = 5, Wolfe", [] { return constant_matrix(); }, {5, 100, Search::wolfe}},
          {"w = 5, identity", [] { return scaled_identity(); }, {5, 100}},
          {"w = 5, frame start y", [] { return frame_start_hessian(FrameStart::inertial); }, {5, 50}},
          {"w = 5, frame start x_n, PCG 5 ichol(A)",
           [] {
             return frame_start_hessian_by_cg({5, 0}, Preconditioner::ichol_constant);
           },
           {5, 50}}};
}

// Error per iteration, averaged over steps.
class MeanCurve {
 public:
  explicit MeanCurve(std::string name) { curve_.name = std::move(name); }
  void add(const Reference& reference, const Trace& trace, int iterations) {
    curve_.error.resize(static_cast<std::size_t>(iterations) + 1, 0.0);
    for (std::size_t k = 0; k < curve_.error.size(); ++k)
      curve_.error[k] += reference.error(trace.value[std::min(k, trace.value.size() - 1)]);
    ++count_;
  }
  [[nodiscard]] Curve mean() const {
    Curve curve = curve_;
    for (double& error : curve.error) error /= count_;
    curve.seconds.assign(curve.error.size(), 0.0);
    return curve;
  }

 private:
  Curve curve_;
  int count_ = 0;
};

// ‖x − x*‖ / ‖y − x*‖
double distance_left(const StudyStep& step, const Reference& reference, const BlockVector& x) {
  double left = 0, way = 0;
  for (int i = 0; i < x.size(); ++i) {
    left += (x[i] - reference.x[i]).squaredNorm();
    way += (step.target[i] - reference.x[i]).squaredNorm();
  }
  return std::sqrt(left / way);
}

struct MeanStudy {
  MeanCurve plain, history, newton;
  double plain_distance = 0, history_distance = 0, newton_distance = 0;  // after 10, 10 and 1 iterations, summed
  double range = 0;                                                      // J, g(y) − g*, summed
  int steps = 0, several_minima = 0;
  explicit MeanStudy(const std::string& name) : plain(name), history(name), newton(name) {}

  // Three methods on one step; the reference is returned.
  Reference add(const StudyStep& step, Metric& constant, Metric& newton_metric, ReferenceStarts starts) {
    Reference reference = find_reference(step, constant, starts);
    plain.add(reference, descend(step, constant, {0, 100}), 100);
    history.add(reference, descend(step, constant, {5, 100}), 100);
    const Trace one = descend(step, newton_metric, {0, 1});
    newton.add(reference, one, 1);
    plain_distance += distance_left(step, reference, descend(step, constant, {0, 10}).x);
    history_distance += distance_left(step, reference, descend(step, constant, {5, 10}).x);
    newton_distance += distance_left(step, reference, one.x);
    range += reference.start - reference.best;
    ++steps;
    several_minima += reference.gap > 1e-6 ? 1 : 0;
    return reference;
  }
  [[nodiscard]] std::vector<std::vector<std::string>> rows(const std::string& label) const {
    std::vector<std::vector<std::string>> rows;
    const auto add_row = [&](const std::string& method, const Curve& curve, double distance) {
      std::vector<std::string> row = {label, method};
      for (const int k : kIterations) {
        const bool is_there = k < static_cast<int>(curve.error.size());
        row.push_back(is_there ? short_number(curve.error_after(k)) : "");
      }
      // What one iteration leaves of the error on average, between the tenth and the hundredth.
      const bool is_long = curve.error.size() > 100;
      row.push_back(is_long ? plain_number(std::pow(curve.error[100] / curve.error[10], 1.0 / 90)) : "");
      row.push_back(plain_number(distance / steps));
      rows.push_back(std::move(row));
    };
    add_row("w = 0", plain.mean(), plain_distance);
    add_row("w = 5", history.mean(), history_distance);
    add_row("Newton", newton.mean(), newton_distance);
    return rows;
  }
};

void append(std::vector<std::vector<std::string>>& rows, std::vector<std::vector<std::string>> more) {
  for (auto& row : more) rows.push_back(std::move(row));
}

}  // namespace

void run_on(StudyStep& step, int frames) {
  solver::QuasiNewtonOptions options;
  options.iterations = 100;
  options.tolerance = 1e-10;
  solver::QuasiNewton solver(options);
  BlockVector x;
  for (int frame = 0; frame < frames; ++frame) {
    x = step.before;
    (void)solver.solve(step.problem(), x);
    step.accept(x);
  }
}

void study_curtain(const Report& report) {
  StudyStep step = make_curtain(81, 1);
  seek_liveliest(step, 25);
  const auto constant = constant_matrix();
  constant->prepare(step);
  const Reference reference = find_reference(step, *constant, ReferenceStarts::both);
  report.line("curtain: " + std::to_string(step.count()) + " vertices, " + std::to_string(step.springs.size()) +
              " springs, gap of references " + short_number(reference.gap));

  // The reference's own table: many iterations of the plain method against one of Newton.
  std::vector<Curve> curves = run_contest(
      step, reference,
      {{"w = 0", [] { return constant_matrix(); }, {0, 1000}}, {"w = 5", [] { return constant_matrix(); }, {5, 1000}}},
      1);
  std::vector<Method> rivals = curtain_rivals();
  rivals.push_back(tuned_chebyshev(step, reference, 100));
  const std::string chebyshev = rivals.back().name;
  for (Curve& curve : run_contest(step, reference, rivals, 2)) curves.push_back(std::move(curve));
  std::vector<std::vector<std::string>> rows;
  for (const char* name : {"w = 0", "w = 5"}) {
    const Curve curve = select(curves, {name}).front();
    for (const int k : {1, 10, 100, 1000}) {
      const std::size_t at = std::min(static_cast<std::size_t>(k), curve.seconds.size() - 1);
      rows.push_back({name, std::to_string(k), plain_number(1e3 * curve.seconds[at]), short_number(curve.error[at])});
    }
  }
  for (const Curve& curve : curves) {
    if (curve.name.starts_with("Newton"))
      rows.push_back({curve.name, "1", plain_number(1e3 * curve.seconds[1]), short_number(curve.error[1])});
  }
  report.table("e1_curtain", {"method", "iterations", "ms", "error"}, rows);
  report.curves_table("curtain", curves);
  report.curves_csv("curtain", curves);
  compare_with_library(report, step, reference, select(curves, {"w = 5"}).front().error_after(10));
  const std::vector<Curve> shown =
      select(curves, {"w = 0", "w = 5", "Newton, direct", "Newton, CG 15", "Newton, ichol PCG 15", "w = 5, identity",
                      "w = 5, frame start y", "w = 5, frame start x_n, PCG 5 ichol(A)", chebyshev});
  report.plot_iterations("study_curtain_iterations", "Curtain, 6561 vertices", shown, 1000, IterationAxis::logarithmic);
  report.plot_time("study_curtain_time", "Curtain, 6561 vertices", shown, 400);

  std::vector<Method> windows;
  for (const int w : {0, 1, 2, 5, 10, 20, 100})
    windows.push_back({"w = " + std::to_string(w), [] { return constant_matrix(); }, {w, 100}});
  report.curves_table("e13_window_curtain", run_contest(step, reference, windows, 1));
}

void study_stiffness(const Report& report) {
  std::vector<std::vector<std::string>> rows;
  std::vector<Curve> curves;
  for (const double factor : {1.0, 4.0, 16.0, 64.0, 256.0}) {
    StudyStep step = make_curtain(21, factor);
    const auto constant = constant_matrix(), newton = newton_direct();
    constant->prepare(step), newton->prepare(step);
    MeanStudy study("k × " + plain_number(factor));
    for (int frame = 0; frame < 50; ++frame) step.accept(study.add(step, *constant, *newton, ReferenceStarts::both).x);
    append(rows, study.rows("× " + plain_number(factor)));
    report.line("stiffness × " + plain_number(factor) + ": " + std::to_string(study.several_minima) +
                " of 50 steps with more than one minimum, mean of g(y) − g* " +
                short_number(study.range / study.steps) + " J");
    curves.push_back(study.plain.mean());
  }
  report.table("e2_stiffness", head_with_iterations({"stiffness", "method"}), rows);
  report.curves_csv("e2_stiffness", curves);
  report.plot_iterations("study_stiffness", "Curtain of 441 vertices, w = 0, mean of 50 steps", curves, 100);
}

void study_resolution(const Report& report) {
  std::vector<std::vector<std::string>> rows;
  std::vector<Curve> curves;
  for (const int side : {11, 21, 41, 81}) {
    StudyStep step = make_curtain(side, 1);
    const auto constant = constant_matrix(), newton = newton_direct();
    constant->prepare(step), newton->prepare(step);
    MeanStudy study(std::to_string(side) + "²");
    for (int group = 0; group < 3; ++group) {
      run_on(step, 8);
      (void)study.add(step, *constant, *newton, ReferenceStarts::one);
    }
    append(rows, study.rows(std::to_string(side) + "²"));
    curves.push_back(study.plain.mean());
  }
  report.table("e3_resolution", head_with_iterations({"vertices", "method"}), rows);
  report.curves_csv("e3_resolution", curves);
  report.plot_iterations("study_resolution", "Curtains of 1 m and 1 kg, w = 0, mean of 3 steps", curves, 100);
}

}  // namespace pliant::study
