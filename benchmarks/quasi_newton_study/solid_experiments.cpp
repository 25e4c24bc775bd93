// Solids: initial Hessians, windows, intervals, linear solvers on the twisting bar (E11, E13 to E16, E23), and the
// rotated cube (E12).
#include <Eigen/Dense>
#include <cmath>
#include <string>

#include "benchmarks/quasi_newton_study/experiments.h"

namespace pliant::study {
namespace {

struct Bar {
  std::string name, title;
  BarOptions options;
};

std::vector<Method> bar_methods() {
  const auto newton_cg = [](int products, HessianKind kind, Preconditioner preconditioner) {
    return [=] { return newton_by_cg({products, 0}, kind, preconditioner); };
  };
  const auto frame_cg = [](int products, Preconditioner preconditioner) {
    return [=] { return frame_start_hessian_by_cg({products, 0}, preconditioner); };
  };
  const HessianKind projected = HessianKind::projected, exact = HessianKind::exact;
  return {{"ours", [] { return constant_matrix(); }, {5, 100}},
          {"ours, w = 0", [] { return constant_matrix(); }, {0, 100}},
          {"ours, w = 0, no line search", [] { return constant_matrix(); }, {0, 100, Search::none}},
          {"ours, Wolfe", [] { return constant_matrix(); }, {5, 100, Search::wolfe}},
          {"ours, CG 15", [] { return constant_matrix_by_cg(15); }, {5, 100}},
          {"identity", [] { return scaled_identity(); }, {5, 100}},
          {"rest", [] { return rest_hessian(); }, {5, 100}},
          {"warped rest", [] { return warped_rest_hessian(); }, {5, 50}},
          {"frame start x_n", [] { return frame_start_hessian(FrameStart::before); }, {5, 50}},
          {"frame start y", [] { return frame_start_hessian(FrameStart::inertial); }, {5, 50}},
          {"x_n, PCG 5 ichol(rest)", frame_cg(5, Preconditioner::ichol_rest), {5, 50}},
          {"x_n, PCG 15 ichol(rest)", frame_cg(15, Preconditioner::ichol_rest), {5, 50}},
          {"x_n, PCG 5 ichol(A)", frame_cg(5, Preconditioner::ichol_constant), {5, 50}},
          {"x_n, PCG 15 ichol(A)", frame_cg(15, Preconditioner::ichol_constant), {5, 50}},
          {"Newton", [] { return newton_direct(); }, {0, 10}},
          {"Newton, exact", [] { return newton_exact(); }, {0, 10}},
          {"Newton, CG 5", newton_cg(5, projected, Preconditioner::jacobi), {0, 50}},
          {"Newton, CG 15", newton_cg(15, projected, Preconditioner::jacobi), {0, 50}},
          {"Newton, truncated CG 15", newton_cg(15, exact, Preconditioner::jacobi), {0, 50}},
          {"Newton, ichol PCG 15", newton_cg(15, projected, Preconditioner::ichol), {0, 50}}};
}

// k of Eq. 7.14 for neo-Hookean over [1 − half, 1 + half], by Simpson's rule.
double fitted_stiffness(double half) {
  constexpr int kPanels = 2000;
  const auto integrand = [](double s) { return (s - 1) * (kMu * (s - 1 / s) + kLambda * std::log(s) / s); };
  const double step = 2 * half / kPanels;
  double sum = 0;
  for (int i = 0; i <= kPanels; ++i)
    sum += (i == 0 || i == kPanels ? 1 : i % 2 == 1 ? 4 : 2) * integrand(1 - half + i * step);
  return sum * step / 3 / (2 * half * half * half / 3);
}

std::vector<Method> windows() {
  std::vector<Method> methods;
  for (const int w : {0, 1, 2, 5, 10, 20, 100})
    methods.push_back({"w = " + std::to_string(w), [] { return constant_matrix(); }, {w, 100}});
  return methods;
}

std::vector<Method> intervals() {
  std::vector<Method> methods;
  for (const double half : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}) {
    const double scale = fitted_stiffness(half) / fitted_stiffness(0.5);
    methods.push_back({"[" + plain_number(1 - half) + ", " + plain_number(1 + half) + "], k × " + plain_number(scale),
                       [=] { return constant_matrix(scale); },
                       {5, 100}});
  }
  // Far off, to see where it starts to matter.
  for (const double scale : {0.1, 0.25, 10.0})
    methods.push_back({"k × " + plain_number(scale), [=] { return constant_matrix(scale); }, {5, 100}});
  return methods;
}

void study_bar(const Report& report, const Bar& bar) {
  StudyStep step = make_bar(bar.options);
  run_on(step, static_cast<int>(0.5 * bar.options.duration / step.step + 1e-9));
  const auto constant = constant_matrix();
  constant->prepare(step);
  const Reference reference = find_reference(step, *constant, ReferenceStarts::both);
  report.line("\n" + bar.title + ": " + std::to_string(step.count()) + " vertices, " +
              std::to_string(step.tets.size()) + " tets, gap of references " + short_number(reference.gap));
  std::vector<Method> methods = bar_methods();
  methods.push_back(tuned_chebyshev(step, reference, 50));
  const std::string chebyshev = methods.back().name;
  const std::vector<Curve> curves = run_contest(step, reference, methods, 3);
  report.curves_table(bar.name, curves);
  report.curves_csv(bar.name, curves);

  const double last = 1e3 * select(curves, {"Newton"}).front().seconds[2];
  const std::vector<Curve> hessians = select(
      curves, {"ours", "ours, w = 0", "identity", "rest", "warped rest", "frame start x_n", "frame start y", "Newton"});
  report.plot_iterations("study_" + bar.name + "_hessians_iterations", bar.title + ": initial Hessians", hessians, 50);
  report.plot_time("study_" + bar.name + "_hessians_time", bar.title + ": initial Hessians", hessians, last);
  const std::vector<Curve> solvers = select(curves, {"ours", "ours, CG 15", "Newton", "Newton, CG 5", "Newton, CG 15",
                                                     "Newton, truncated CG 15", "Newton, ichol PCG 15", chebyshev});
  report.plot_time("study_" + bar.name + "_solvers_time", bar.title + ": linear solvers", solvers, last);
  const std::vector<Curve> preconditioners =
      select(curves, {"ours", "frame start x_n", "x_n, PCG 5 ichol(rest)", "x_n, PCG 15 ichol(rest)",
                      "x_n, PCG 5 ichol(A)", "x_n, PCG 15 ichol(A)"});
  report.plot_time("study_" + bar.name + "_preconditioners_time", bar.title + ": preconditioners", preconditioners,
                   last);

  if (step.count() > 2000) return;
  report.curves_table("e13_window_" + bar.name, run_contest(step, reference, windows(), 2));
  report.curves_table("e14_interval_" + bar.name, run_contest(step, reference, intervals(), 1));
}

// --- The cube ---

Eigen::MatrixXd dense(const sparse::SymmetricBlockMatrix& matrix) {
  Eigen::MatrixXd full = Eigen::MatrixXd::Zero(3 * matrix.row_count(), 3 * matrix.row_count());
  const auto start = matrix.pattern().row_start();
  for (int i = 0; i < matrix.row_count(); ++i) {
    for (int s = start[i]; s < start[i + 1]; ++s) {
      const int j = matrix.pattern().column()[s];
      full.block<3, 3>(3 * i, 3 * j) = matrix.block(s);
      full.block<3, 3>(3 * j, 3 * i) = matrix.block(s).transpose();
    }
  }
  return full;
}

sparse::SymmetricBlockMatrix as_blocks(const sparse::SymmetricScalarMatrix& matrix) {
  sparse::SymmetricBlockMatrix blocks(matrix.shared_pattern());
  for (int s = 0; s < matrix.pattern().slot_count(); ++s)
    blocks.block(s) = matrix.values()[static_cast<std::size_t>(s)] * Mat3::Identity();
  return blocks;
}

// Largest over smallest eigenvalue of B⁻¹ H.
double condition(const Eigen::MatrixXd& hessian, const Eigen::MatrixXd& b) {
  const Eigen::VectorXd values =
      Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(hessian, b, Eigen::EigenvaluesOnly).eigenvalues();
  return values[values.size() - 1] / values[0];
}

}  // namespace

void study_bars(const Report& report) {
  const Bar bars[] = {{"bar", "Bar", {6, 1, 1}},
                      {"stiff_bar", "Stiff bar", {6, 100, 1}},
                      {"fast_bar", "Stiff bar, twisted fast", {6, 100, 0.25}},
                      {"fine_bar", "Fine stiff bar", {10, 100, 1}}};
  for (const Bar& bar : bars) study_bar(report, bar);
}

namespace {

Eigen::MatrixXd turned_with_vertices(const StudyStep& step, const Eigen::MatrixXd& matrix) {
  Eigen::MatrixXd turn = Eigen::MatrixXd::Zero(matrix.rows(), matrix.cols());
  const std::vector<Mat3> rotations = vertex_rotations(step, step.before);
  for (int i = 0; i < step.count(); ++i) turn.block<3, 3>(3 * i, 3 * i) = rotations[static_cast<std::size_t>(i)];
  return turn * matrix * turn.transpose();
}

// Condition of B⁻¹ ∇²g at x_n for B = rest, warped rest, ours, M/h².
std::vector<std::string> conditions_of(const StudyStep& step) {
  const Eigen::MatrixXd hessian = dense(hessian_of(step, step.before, HessianKind::exact));
  const Eigen::MatrixXd rest = dense(hessian_of(step, rest_of(step), HessianKind::projected));
  sparse::SymmetricScalarMatrix inertia(step.pattern);
  step.inertia.add_to(inertia, 1 / (step.step * step.step));
  return {plain_number(condition(hessian, rest)), plain_number(condition(hessian, turned_with_vertices(step, rest))),
          plain_number(condition(hessian, dense(as_blocks(weights_of(step))))),
          plain_number(condition(hessian, dense(as_blocks(inertia))))};
}

}  // namespace

void study_cube(const Report& report) {
  std::vector<std::vector<std::string>> conditions;
  std::vector<Curve> shown;
  double difference = 0;
  for (const double stiffness : {1.0, 100.0}) {
    std::vector<Curve> ours;
    for (const double degrees : {0.0, 90.0}) {
      const StudyStep step = make_cube(6, stiffness, degrees);
      const auto constant = constant_matrix();
      constant->prepare(step);
      const Reference reference = find_reference(step, *constant, ReferenceStarts::both);
      conditions.push_back(conditions_of(step));
      conditions.back().insert(conditions.back().begin(),
                               {"× " + plain_number(stiffness), plain_number(degrees) + "°"});
      std::vector<Curve> curves = run_contest(step, reference,
                                              {{"ours", [] { return constant_matrix(); }, {5, 50}},
                                               {"rest", [] { return rest_hessian(); }, {5, 50}},
                                               {"warped rest", [] { return warped_rest_hessian(); }, {5, 50}},
                                               {"identity", [] { return scaled_identity(); }, {5, 50}}},
                                              2);
      report.curves_table("e12_cube_" + plain_number(stiffness) + "_" + plain_number(degrees), curves);
      ours.push_back(curves.front());
      for (Curve& curve : curves) {
        curve.name += ", " + plain_number(degrees) + "°";
        if (stiffness > 1) shown.push_back(std::move(curve));
      }
    }
    for (int k = 0; k <= 50; ++k)
      difference = std::max(difference, std::abs(ours[0].error_after(k) - ours[1].error_after(k)));
  }
  report.table("e12_conditions", {"stiffness", "turned by", "rest", "warped rest", "ours", "M/h²"}, conditions);
  report.line("largest difference between the errors of ours, turned or not: " + short_number(difference));
  report.plot_iterations("study_cube", "Stiff cube, stretched; as it is and turned by 90°", shown, 40);
}

}  // namespace pliant::study
