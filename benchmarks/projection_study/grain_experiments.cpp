// E13 to E16 and the grains of table 8.3: contacts alone, iterations against each other.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "benchmarks/projection_study/experiments.h"
#include "benchmarks/projection_study/grain_run.h"

namespace pliant::projection_study {
namespace {

using solver::ProjectionIteration;

struct Entry {
  std::string name;
  GrainOptions options;
};

// The printed methods and the solver's own.
std::vector<Entry> methods_with(const GrainOptions& common, double omega) {
  std::vector<Entry> entries;
  const auto add = [&](const std::string& name, ProjectionIteration iteration, double fixed_omega, double gain) {
    GrainOptions options = common;
    options.iteration = iteration;
    options.fixed_omega = fixed_omega;
    options.momentum_gain = gain;
    entries.push_back({name, options});
  };
  add("gauss_seidel", ProjectionIteration::gauss_seidel, 0, 1);
  add("improved as printed, ω = " + number(omega), ProjectionIteration::gauss_seidel, omega, 1);
  add("the same, a = 2", ProjectionIteration::gauss_seidel, omega, 2);
  add("improved_jacobi", ProjectionIteration::improved_jacobi, 0, 1);
  add("accelerated_jacobi", ProjectionIteration::accelerated_jacobi, 0, 1);
  add("conjugate_residual", ProjectionIteration::conjugate_residual, 0, 1);
  return entries;
}

// What is left of overlap while grains fall and when they lie, and what it costs.
struct Filling {
  bool is_finite = true;
  int frames = 0;
  double falling = 0, lying = 0, largest = 0;  // m: mean Σ of frames, and the largest overlap of all
  double kinetic = 0;                          // J, at the end
  double milliseconds = 0;                     // per frame
  int contacts = 0;                            // at the end
  picture::Series curve;
};
constexpr int kFrames = 240, kLyingFrom = 180;

Filling fill(const Grains& grains, const Entry& entry) {
  GrainRun run(grains, entry.options);
  Filling out;
  out.curve.name = entry.name;
  for (; out.frames < kFrames; ++out.frames) {
    run.step();
    out.is_finite = run.is_finite();
    if (!out.is_finite) return out;
    const GrainRun::Overlap overlap = run.overlap();
    (out.frames < kLyingFrom ? out.falling : out.lying) +=
        overlap.sum / (out.frames < kLyingFrom ? kLyingFrom : kFrames - kLyingFrom);
    out.largest = std::max(out.largest, overlap.largest);
    out.curve.x.push_back(out.frames);
    out.curve.y.push_back(std::max(overlap.sum, 1e-6));
  }
  out.kinetic = run.kinetic_energy();
  out.milliseconds = 1e3 * run.seconds() / kFrames;
  out.contacts = run.contact_count();
  return out;
}

void report_filling(const Report& report, const std::string& name, const std::string& title, const Grains& grains,
                    const std::vector<Entry>& entries) {
  std::vector<std::vector<std::string>> rows;
  std::vector<picture::Series> curves;
  for (const Entry& entry : entries) {
    const Filling found = fill(grains, entry);
    if (!found.is_finite) {
      rows.push_back({entry.name, "blew up at " + std::to_string(found.frames), "", "", "", "", ""});
      continue;
    }
    rows.push_back({entry.name, number(found.falling), number(found.lying), number(1e3 * found.largest),
                    number(found.kinetic), std::to_string(found.contacts), number(found.milliseconds)});
    curves.push_back(found.curve);
  }
  report.table(name,
               {"method", "Σ overlap, first 3 s [m]", "Σ overlap, fourth second [m]", "largest [mm]",
                "kinetic energy at the end [J]", "contacts at the end", "ms per frame"},
               rows);
  report.curves(name + "_curves", curves,
                {.title = title,
                 .x_label = "frame",
                 .y_label = "sum of overlaps [m]",
                 .y_scale = picture::PlotScale::logarithmic});
}

// Of a cone with the heap's mean height and mean distance from its axis: H/4 and R/2.
double heap_angle(const std::vector<Vec3>& points, double radius) {
  double height = 0, distance = 0;
  Vec3 centre = Vec3::Zero();
  for (const Vec3& point : points) centre += point / static_cast<double>(points.size());
  for (const Vec3& point : points) {
    height += (point.y() - radius) / static_cast<double>(points.size());
    distance += std::hypot(point.x() - centre.x(), point.z() - centre.z()) / static_cast<double>(points.size());
  }
  return std::atan(2 * height / distance) * 180 / std::numbers::pi;
}

// m/s: root mean square of what speeds differ by.
double difference(const std::vector<Vec3>& a, const std::vector<Vec3>& b, double step) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]).squaredNorm();
  return std::sqrt(sum / static_cast<double>(a.size())) / step;
}

}  // namespace

void study_heap(const Report& report) {
  std::vector<std::vector<std::string>> rows;
  const Grains grains = make_grains(3000, 12);
  for (const double friction : {0.0, 0.2, 0.5, 0.8}) {
    std::vector<std::string> row{number(friction)};
    for (const ProjectionIteration iteration :
         {ProjectionIteration::gauss_seidel, ProjectionIteration::conjugate_residual}) {
      GrainRun run(grains, {.iteration = iteration, .friction = friction});
      for (int f = 0; f < 300; ++f) run.step();
      row.push_back(number(heap_angle(run.points(), grains.radius)) + "°");
      row.push_back(number(run.kinetic_energy()));
    }
    rows.push_back(row);
  }
  report.table("e13_heap",
               {"friction", "gauss_seidel", "kinetic energy [J]", "conjugate_residual", "kinetic energy [J]"}, rows);
}

void study_filling(const Report& report) {
  constexpr int kRow = 14;
  Grains grains = make_grains(3000, kRow);
  add_walls(grains, kRow);
  std::vector<Entry> entries = methods_with({}, 0.5);
  entries.push_back({"gauss_seidel, pbd", {.stepping = Stepping::pbd}});
  entries.push_back({"gauss_seidel, sp", {.stepping = Stepping::sp}});
  report_filling(report, "e14_filling", "E14: grains without friction fall into a box", grains, entries);
}

void study_mass_ratios(const Report& report) {
  constexpr int kRow = 14;
  Grains grains = make_grains(3000, kRow);
  add_walls(grains, kRow);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> in(-2, 3);
  for (double& inverse : grains.inverse_masses) inverse = std::pow(10, in(random));
  report_filling(report, "e15_mass_ratios", "E15: inverse masses from 0.01 to 1000", grains,
                 methods_with({.friction = 0.2}, 0.4));
}

void study_convergence(const Report& report) {
  constexpr int kRow = 10, kCount = 60, kExact = 20000;
  Grains grains = make_grains(1000, kRow);
  add_walls(grains, kRow);
  const GrainOptions common{.iterations = kCount, .friction = 0.2};
  GrainRun start(grains, common);
  for (int f = 0; f < 99; ++f) start.step();
  GrainRun exact = start;
  exact.begin_step();
  for (int k = 0; k < kExact; ++k) exact.iterate();
  std::vector<std::vector<std::string>> rows, distances;
  std::vector<picture::Series> curves;
  for (const Entry& entry : methods_with(common, 0.5)) {
    GrainRun run = start;
    run.set_options(entry.options);
    run.begin_step();
    picture::Series curve{entry.name, {}, {}};
    std::vector<std::string> row{entry.name}, away{entry.name};
    for (int k = 1; k <= kCount; ++k) {
      run.iterate();
      curve.x.push_back(k);
      curve.y.push_back(run.missing_speed());
      if (k != 5 && k != 15 && k != 30 && k != 60) continue;
      row.push_back(number(run.missing_speed()));
      away.push_back(number(1e3 * difference(run.present_points(), exact.present_points(), common.step)));
    }
    curves.push_back(curve);
    rows.push_back(row);
    distances.push_back(away);
  }
  const std::vector<std::string> head{"method", "5", "15", "30", "60"};
  report.line("contacts: " + std::to_string(exact.contact_count()) + "; of the exact step " +
              number(exact.missing_speed()) + " m/s");
  report.table("e16_missing_speed", head, rows);
  report.table("e16_distance", head, distances);
  report.curves("e16_convergence_curves", curves,
                {.title = "E16: one frame of grains with friction",
                 .x_label = "iteration",
                 .y_label = "missing speed along contacts [m/s]",
                 .y_scale = picture::PlotScale::logarithmic});
}

}  // namespace pliant::projection_study
