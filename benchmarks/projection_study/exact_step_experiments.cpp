// One step of a falling sheet against its exact solution: the iterations, and the rivals that solve for all links at once.
#include <algorithm>
#include <cmath>
#include <memory>

#include "benchmarks/projection_study/cloth_run.h"
#include "benchmarks/projection_study/experiments.h"
#include "benchmarks/projection_study/spring_step.h"

namespace pliant::projection_study {
namespace {

using solver::ProjectionIteration;

constexpr double kStep = 0.016;  // s
constexpr std::pair<const char*, ProjectionIteration> kIterations[] = {
    {"gauss_seidel", ProjectionIteration::gauss_seidel},
    {"accelerated_jacobi", ProjectionIteration::accelerated_jacobi},
    {"conjugate_residual", ProjectionIteration::conjugate_residual}};

// Coordinates of points that move.
Eigen::VectorXd free_coordinates(const ClothRun& run) {
  std::vector<double> free;
  const std::vector<Vec3> points = run.points();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (run.cloth().is_held[i] == 0) free.insert(free.end(), points[i].data(), points[i].data() + 3);
  }
  return Eigen::Map<Eigen::VectorXd>(free.data(), static_cast<Eigen::Index>(free.size()));
}

// One step, from the same motion for all: that after some frames of Gauss-Seidel.
struct OneStep {
  Cloth sheet;
  ClothRun start;

  OneStep(const Cloth& cloth, int frames, int sweeps)
      : sheet(cloth), start(cloth, {.iterations = sweeps, .step = kStep}) {
    for (int f = 0; f < frames; ++f) start.step();
  }
  [[nodiscard]] SpringRun by_rival(Rival rival, int count) const {
    SpringRun run(sheet, rival, count, kStep);
    run.set_motion(start.points(), start.velocities());
    run.step();
    return run;
  }
  [[nodiscard]] std::unique_ptr<ClothRun> by_iteration(ProjectionIteration iteration, int count) const {
    const RunOptions options{.iteration = iteration, .iterations = count, .step = kStep};
    auto run = std::make_unique<ClothRun>(sheet, options);
    run->set_motion(start.points(), start.velocities());
    run->step();
    return run;
  }
};

// All links, soft.
void study_soft_step(const Report& report) {
  const OneStep step(make_sheet({.side = 15, .stiffness = 1000, .kinds = LinkKinds::all}), 40, 200);
  const SpringRun exact = step.by_rival(Rival::newton, 0);
  std::vector<std::vector<std::string>> rows;
  for (const int count : {1, 3, 10, 30, 100, 1000}) {
    std::vector<std::string> row{std::to_string(count)};
    const auto add = [&](const Eigen::VectorXd& x) {
      row.push_back(number((x - exact.points()).cwiseAbs().maxCoeff()));
    };
    for (const Rival rival : {Rival::ncg, Rival::fast_projection, Rival::kkt})
      add(step.by_rival(rival, count).points());
    for (const auto& [name, iteration] : kIterations) add(free_coordinates(*step.by_iteration(iteration, count)));
    rows.push_back(row);
  }
  report.table("exact_step_soft",
               {"iterations", "NCG", "fast projection", "Newton, KKT", "gauss_seidel", "accelerated_jacobi",
                "conjugate_residual"},
               rows);
}

// Links along edges alone, hard: no potential to minimise but that of inertia, on what the links allow. Held along a whole
// side, like a curtain: a sheet that hangs at two corners has folds in which hard links determine nothing.
void study_hard_step(const Report& report) {
  constexpr int kSide = 15;
  Cloth curtain = make_sheet({.side = kSide});
  std::fill_n(curtain.is_held.begin(), kSide, static_cast<unsigned char>(1));
  std::erase_if(curtain.links, [](const SoftLink& link) { return std::max(link.block[0], link.block[1]) < kSide; });
  const OneStep step(curtain, 20, 2000);
  const SpringRun exact = step.by_rival(Rival::kkt, 100);
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::string& name, int count, double error, const Eigen::VectorXd& x, double seconds) {
    rows.push_back({name, std::to_string(count), number(error), number((x - exact.points()).cwiseAbs().maxCoeff()),
                    number(exact.inertia(x) - exact.inertia(exact.points())), number(1e3 * seconds)});
  };
  const std::pair<const char*, Rival> rivals[] = {{"fast projection", Rival::fast_projection},
                                                  {"Newton, KKT", Rival::kkt}};
  for (const auto& [name, rival] : rivals) {
    for (const int count : {1, 2, 3, 5, 10}) {
      const SpringRun run = step.by_rival(rival, count);
      add(name, count, run.link_error(), run.points(), run.seconds());
    }
  }
  for (const auto& [name, iteration] : kIterations) {
    for (const int count : {10, 100, 1000}) {
      const std::unique_ptr<ClothRun> run = step.by_iteration(iteration, count);
      add(name, count, run->link_error(), free_coordinates(*run), run->seconds());
    }
  }
  report.line("inertia's part of the exact step: " + number(exact.inertia(exact.points())) + " J; Σ |c| " +
              number(exact.link_error()));
  report.table("exact_step_hard",
               {"method", "iterations", "Σ |c| [m]", "off the exact step [m]", "potential above it [J]", "ms"}, rows);
}

}  // namespace

void study_exact_step(const Report& report) {
  study_soft_step(report);
  study_hard_step(report);
}

}  // namespace pliant::projection_study
