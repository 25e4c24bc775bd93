// E2, E4 to E8 and the tables 8.1 to 8.3: hard links, iterations against each other.
#include <Eigen/SparseCore>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "benchmarks/projection_study/cloth_run.h"
#include "benchmarks/projection_study/experiments.h"

namespace pliant::projection_study {
namespace {

using solver::ProjectionIteration;

struct Named {
  const char* name;
  ProjectionIteration iteration;
};
constexpr Named kGaussSeidel{"gauss_seidel", ProjectionIteration::gauss_seidel};
constexpr Named kSor{"sor 1.2", ProjectionIteration::sor};
constexpr Named kJacobi{"jacobi", ProjectionIteration::jacobi};
constexpr Named kImproved{"improved_jacobi", ProjectionIteration::improved_jacobi};
constexpr Named kAccelerated{"accelerated_jacobi", ProjectionIteration::accelerated_jacobi};
constexpr Named kResidual{"conjugate_residual", ProjectionIteration::conjugate_residual};
constexpr Named kMinres{"minres", ProjectionIteration::minres};

// A frozen linear system of the dual: A Λ = −c of a falling sheet.
struct DualSystem {
  Eigen::SparseMatrix<double> a;
  Eigen::VectorXd c;
};
DualSystem freeze(const ClothRun& run) {
  const Cloth& cloth = run.cloth();
  const std::vector<Vec3> x = run.points();
  std::vector<Eigen::Triplet<double>> entries;
  DualSystem out;
  out.c.resize(static_cast<Eigen::Index>(cloth.links.size()));
  for (std::size_t l = 0; l < cloth.links.size(); ++l) {
    const auto [i, j] = cloth.links[l].block;
    const Vec3 d = x[j] - x[i];
    out.c[static_cast<Eigen::Index>(l)] = d.norm() - cloth.links[l].rest;
    for (int a = 0; a < 3; ++a) {
      const double entry = d[a] / d.norm();
      entries.emplace_back(l, 3 * i + a, -std::sqrt(cloth.inverse_mass(i)) * entry);
      entries.emplace_back(l, 3 * j + a, std::sqrt(cloth.inverse_mass(j)) * entry);
    }
  }
  Eigen::SparseMatrix<double> jacobian(out.c.size(), static_cast<Eigen::Index>(3 * x.size()));
  jacobian.setFromTriplets(entries.begin(), entries.end());
  out.a = jacobian * Eigen::SparseMatrix<double>(jacobian.transpose());
  return out;
}

enum class Krylov { cg, minres, cr };

// |r| over iterations on the frozen system.
picture::Series residuals(const DualSystem& system, Krylov kind, const std::string& name, int count) {
  picture::Series out{name, {}, {}};
  Eigen::VectorXd r = -system.c, d = Eigen::VectorXd::Zero(r.size());
  double last = 0;
  for (int k = 0; k <= count; ++k) {
    out.x.push_back(k);
    out.y.push_back(r.norm() / system.c.norm());
    const double size = kind == Krylov::cg ? r.squaredNorm() : r.dot(system.a * r);
    d = r + (k == 0 || kind == Krylov::minres ? 0.0 : size / last) * d;
    last = size;
    const Eigen::VectorXd p = system.a * d;
    r -= (kind == Krylov::cg ? size / d.dot(p) : r.dot(p) / p.squaredNorm()) * p;
  }
  return out;
}

constexpr int kRestFrames = 200;

// As it will hang, but for its stretch: upright below the held corners.
Cloth hanging_sheet(int side) {
  Cloth cloth = make_sheet({.side = side});
  for (Vec3& point : cloth.points)
    point = Vec3(point.x(), -point.z(), 0.001 * std::sin(37 * point.x() + 11 * point.z()));
  return cloth;
}

double root_square_error(const ClothRun& run) {
  double sum = 0;
  const std::vector<Vec3> x = run.points();
  for (const SoftLink& link : run.cloth().links)
    sum += std::pow((x[link.block[1]] - x[link.block[0]]).norm() - link.rest, 2);
  return std::sqrt(sum);
}

// Frames until something is not finite any more, or all.
int run_frames(ClothRun& run, int frames, double& worst) {
  worst = 0;
  for (int f = 0; f < frames; ++f) {
    run.step();
    if (!run.is_finite()) return f;
    worst = std::max(worst, run.link_error());
  }
  return frames;
}

}  // namespace

void study_residuals(const Report& report) {
  ClothRun run(make_sheet({.side = 30, .kinds = LinkKinds::all}), {.iterations = 30});
  for (int f = 0; f < 60; ++f) run.step();
  run.begin_step();
  const DualSystem system = freeze(run);
  const std::vector<picture::Series> curves = {residuals(system, Krylov::cg, "CG", 60),
                                               residuals(system, Krylov::minres, "MINRES", 60),
                                               residuals(system, Krylov::cr, "CR", 60)};
  std::vector<std::vector<std::string>> rows;
  for (const picture::Series& curve : curves) {
    int rises = 0;
    for (std::size_t k = 1; k < curve.y.size(); ++k) rises += curve.y[k] > curve.y[k - 1] ? 1 : 0;
    rows.push_back({curve.name, std::to_string(rises), number(*std::max_element(curve.y.begin(), curve.y.end())),
                    number(curve.y[10]), number(curve.y[30]), number(curve.y[60])});
  }
  report.table("e2_residuals", {"method", "rises in 60", "highest", "after 10", "after 30", "after 60"}, rows);
  report.curves("e2_residuals_curves", curves,
                {.title = "E2: residual on one frozen system",
                 .x_label = "iteration",
                 .y_label = "|r| / |c|",
                 .y_scale = picture::PlotScale::logarithmic});
}

void study_rest(const Report& report) {
  constexpr std::array kIterations = {4, 6, 9, 12, 20, 35};
  std::vector<std::vector<std::string>> stretch, cost;
  std::vector<picture::Series> curves;
  for (const Named& method : {kGaussSeidel, kResidual, kAccelerated, kImproved, kMinres}) {
    std::vector<std::string> errors{method.name}, times{method.name};
    picture::Series curve{method.name, {}, {}};
    for (const int count : kIterations) {
      ClothRun run(hanging_sheet(50),
                   {.iteration = method.iteration, .iterations = count, .step = 0.008, .speed_kept = 0.95});
      for (int f = 0; f < kRestFrames; ++f) run.step();
      errors.push_back(run.is_finite() ? number(run.link_error()) : "blew up");
      times.push_back(number(run.seconds() / kRestFrames * 1e3));
      curve.x.push_back(count);
      curve.y.push_back(run.link_error());
    }
    stretch.push_back(errors);
    cost.push_back(times);
    curves.push_back(curve);
  }
  std::vector<std::string> head{"method"};
  for (const int count : kIterations) head.push_back(std::to_string(count));
  report.table("e4_rest", head, stretch);
  report.table("e6_cost", head, cost);
  report.curves("e4_rest_curves", curves,
                {.title = "E4: stretch of a hanging sheet at rest",
                 .x_label = "iterations per frame",
                 .y_label = "sum of |c| [m]",
                 .y_scale = picture::PlotScale::logarithmic});
}

void study_transient(const Report& report) {
  std::vector<picture::Series> curves;
  std::vector<std::vector<std::string>> rows;
  for (const Named& method : {kGaussSeidel, kMinres, kResidual, kAccelerated}) {
    ClothRun run(make_sheet({.side = 50}), {.iteration = method.iteration, .iterations = 30, .step = 0.008});
    picture::Series curve{method.name, {}, {}};
    double late = 0;
    for (int f = 0; f < 400; ++f) {
      run.step();
      curve.x.push_back(f);
      curve.y.push_back(run.link_error());
      if (f >= 300) late += run.link_error() / 100;
    }
    rows.push_back({method.name, number(*std::max_element(curve.y.begin(), curve.y.end())), number(late),
                    number(run.kinetic_energy())});
    curves.push_back(curve);
  }
  report.table("e5_transient", {"method", "largest error [m]", "mean of frames 300-400 [m]", "kinetic energy [J]"},
               rows);
  report.curves("e5_transient_curves", curves,
                {.title = "E5: from the fall to rest, 30 iterations",
                 .x_label = "frame",
                 .y_label = "sum of |c| [m]",
                 .y_scale = picture::PlotScale::logarithmic});
}

void study_momentum(const Report& report) {
  std::vector<std::vector<std::string>> rows;
  struct Entry {
    std::string name;
    RunOptions options;
  };
  RunOptions fixed{.iterations = 15};
  std::vector<Entry> entries;
  for (const Named& method : {kGaussSeidel, kSor, kImproved, kAccelerated}) {
    RunOptions options{.iteration = method.iteration, .iterations = 15};
    entries.push_back({method.name, options});
  }
  for (const double omega : {0.5, 0.4, 0.25}) {
    fixed.fixed_omega = omega;
    entries.push_back({"improved, ω = " + number(omega), fixed});
  }
  for (const auto& [name, options] : entries) {
    std::vector<std::string> row{name};
    for (const double spacing : {0.05, 0.2, 1.0}) {
      ClothRun run(make_sheet({.side = 100, .spacing = spacing}), options);
      double worst = 0;
      const int frames = run_frames(run, 150, worst);
      row.push_back(frames < 150 ? "blew up at " + std::to_string(frames) : number(run.link_error()));
      if (spacing == 0.2) row.push_back(number(worst));
    }
    rows.push_back(row);
  }
  report.table("e7_momentum", {"method", "0.05 m", "0.2 m", "0.2 m worst", "1 m"}, rows);
}

void study_drape(const Report& report) {
  std::vector<std::vector<std::string>> rows;
  for (const Named& method : {kGaussSeidel, kAccelerated, kResidual}) {
    for (const int count : {10, 20}) {
      ClothRun run(make_sheet({.side = 100, .kinds = LinkKinds::all}),
                   {.iteration = method.iteration, .iterations = count, .step = 1.0 / 60});
      for (int f = 0; f < 30; ++f) run.step();
      rows.push_back({method.name, std::to_string(count), number(run.seconds() / 30 * 1e3), number(run.link_error())});
    }
  }
  report.table("e8_drape", {"method", "iterations", "ms per frame", "error at 0.5 s [m]"}, rows);
}

// One frozen step of a falling sheet: what each method needs to reach the errors of gauss_seidel. Here the error is |c|: q̃
// violates the links of the held corners alone, and their sum grows while what is wrong spreads.
void study_tables(const Report& report) {
  std::vector<std::vector<std::string>> rows;
  for (const int side : {50, 100, 150}) {
    const Cloth sheet = make_sheet({.side = side, .kinds = LinkKinds::all});
    ClothRun before(sheet, {.iterations = 30});
    for (int f = 0; f < 40; ++f) before.step();
    double goal[2] = {0, 0}, base_seconds[2] = {0, 0};
    for (const Named& method : {kGaussSeidel, kAccelerated, kImproved, kResidual, kJacobi}) {
      ClothRun run(sheet, {.iteration = method.iteration, .iterations = 60});
      run.set_motion(before.points(), before.velocities());
      run.begin_step();
      const bool is_base = method.iteration == ProjectionIteration::gauss_seidel;
      int reached[2] = {0, 0};
      double seconds[2] = {0, 0}, error_15 = 0, seconds_15 = 0;
      for (int k = 1; k <= 200 && (k <= 15 || reached[0] == 0 || reached[1] == 0); ++k) {
        run.iterate();
        const double error = root_square_error(run);
        if (k == 15) error_15 = error, seconds_15 = run.seconds();
        for (int g = 0; g < 2; ++g) {
          if (is_base && k == (g == 0 ? 15 : 60)) goal[g] = error;
          if (reached[g] == 0 && goal[g] > 0 && error <= goal[g]) reached[g] = k, seconds[g] = run.seconds();
        }
      }
      if (is_base) std::copy_n(seconds, 2, base_seconds);
      std::vector<std::string> row{std::to_string(side), method.name, number(seconds_15 / base_seconds[0]),
                                   number(error_15 / goal[0])};
      for (int g = 0; g < 2; ++g) {
        row.push_back(reached[g] > 0 ? std::to_string(reached[g]) : "> 200");
        row.push_back(reached[g] > 0 ? number(seconds[g] / base_seconds[g]) : "–");
      }
      rows.push_back(row);
    }
  }
  report.table(
      "tables",
      {"side", "method", "time of 15", "error of 15", "iterations to GS-15", "time", "iterations to GS-60", "time"},
      rows);
}

}  // namespace pliant::projection_study
