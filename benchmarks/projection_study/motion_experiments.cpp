// E1, E9 to E12: soft links, their energies and their rivals.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "benchmarks/projection_study/cloth_run.h"
#include "benchmarks/projection_study/experiments.h"
#include "benchmarks/projection_study/spring_step.h"

namespace pliant::projection_study {
namespace {

using solver::ProjectionIteration;

double total_energy(const ClothRun& run) { return run.kinetic_energy() + run.gravity_energy() + run.elastic_energy(); }

double worst_stretch(const ClothRun& run) {
  double worst = 0;
  const std::vector<Vec3> x = run.points();
  for (const SoftLink& link : run.cloth().links)
    worst = std::max(worst, (x[link.block[1]] - x[link.block[0]]).norm() / link.rest - 1);
  return worst;
}

// Energy over time; and mean and worst stretch of the last hundred frames.
template <class Run, class Energy, class Stretch>
std::vector<std::string> energy_row(const std::string& name, Run& run, int frames, const Energy& energy,
                                    const Stretch& stretch, std::vector<picture::Series>& curves) {
  picture::Series curve{name, {}, {}};
  double widest = 0;
  for (int f = 0; f < frames && run.is_finite(); ++f) {
    run.step();
    curve.x.push_back(f);
    curve.y.push_back(energy(run));
    widest = std::max(widest, stretch(run));
  }
  curves.push_back(curve);
  if (!run.is_finite()) return {name, "blew up at " + std::to_string(curve.y.size()), "", "", ""};
  double rise = 0;
  for (std::size_t f = 1; f < curve.y.size(); ++f) rise = std::max(rise, curve.y[f] - curve.y[f - 1]);
  return {name, number(curve.y.back()), number(rise), number(100 * widest) + " %",
          number(1e3 * run.seconds() / frames)};
}

// Skirt: rings of a cone, its waist held; edges of triangles as links.
Cloth make_skirt(int rings, int around, double stiffness) {
  Cloth cloth;
  cloth.mass = 0.5;
  const double waist = 0.12, flare = 0.9;  // m, radius gained per length of cone
  const double length = 0.6 / (rings - 1);
  for (int r = 0; r < rings; ++r) {
    for (int k = 0; k < around; ++k) {
      // Every other ring is turned by half a step: triangles with no straight lines down the skirt.
      const double angle = 2 * std::numbers::pi * (k + 0.5 * (r % 2)) / around, radius = waist + flare * length * r;
      const double height = -std::sqrt(1 - flare * flare) * length * r;
      cloth.points.emplace_back(radius * std::cos(angle), height, radius * std::sin(angle));
      cloth.is_held.push_back(r == 0 ? 1 : 0);
    }
  }
  const auto add = [&](int a, int b) {
    cloth.links.push_back({{a, b}, (cloth.points[a] - cloth.points[b]).norm(), stiffness, false});
  };
  for (int r = 0; r < rings; ++r) {
    for (int k = 0; k < around; ++k) {
      const int here = r * around + k;
      if (r > 0) add(here, r * around + (k + 1) % around);
      if (r + 1 == rings) continue;
      const int other = r % 2 == 0 ? (k + around - 1) % around : (k + 1) % around;
      add(here, (r + 1) * around + k);
      add(here, (r + 1) * around + other);
    }
  }
  return cloth;
}

// Largest principal stretch of every face, minus one.
std::vector<double> face_strains(const Cloth& rest, const std::vector<Vec3>& x) {
  std::vector<double> strains;
  for (const Vec3i& face : rest.faces) {
    const auto edges = [&](const std::vector<Vec3>& points) {
      Eigen::Matrix<double, 3, 2> e;
      e << points[face[1]] - points[face[0]], points[face[2]] - points[face[0]];
      return e;
    };
    const Eigen::Matrix<double, 3, 2> e0 = edges(rest.points), e = edges(x);
    const Eigen::Matrix2d metric = (e0.transpose() * e0).inverse() * (e.transpose() * e);
    const double half = 0.5 * metric.trace();
    const double root = std::sqrt(std::max(half * half - metric.determinant(), 0.0));
    strains.push_back(std::sqrt(half + root) - 1);
  }
  return strains;
}

}  // namespace

void study_implicit(const Report& report) {
  const Cloth sheet = make_sheet({.side = 15, .stiffness = 1000, .kinds = LinkKinds::all});
  constexpr double kStep = 0.016;
  std::vector<picture::Series> curves;
  std::vector<std::vector<std::string>> rows;
  const auto of_rival = [](const SpringRun& run) { return run.total_energy(); };
  const auto stretch_of_rival = [](const SpringRun& run) { return run.worst_stretch(); };
  const std::pair<const char*, Rival> rivals[] = {
      {"NCG", Rival::ncg}, {"linear, CG", Rival::linear_cg}, {"linear, exact", Rival::linear_exact}};
  for (const auto& [name, rival] : rivals) {
    SpringRun run(sheet, rival, 30, kStep);
    rows.push_back(energy_row(name, run, 500, of_rival, stretch_of_rival, curves));
  }
  ClothRun projected(sheet, {.iterations = 30, .step = kStep});
  rows.push_back(energy_row("gauss_seidel", projected, 500, total_energy, worst_stretch, curves));
  report.table("e1_implicit",
               {"method", "energy at the end [J]", "largest rise in a frame [J]", "largest stretch", "ms per frame"},
               rows);
  report.curves("e1_implicit_curves", curves,
                {.title = "E1: total energy of a 15 × 15 sheet",
                 .x_label = "frame",
                 .y_label = "energy [J]",
                 .y_scale = picture::PlotScale::linear});
  // Larger steps: who stays.
  rows.clear();
  for (const double step : {0.016, 0.033, 0.066, 0.13}) {
    std::vector<std::string> row{number(step)};
    for (const auto& [name, rival] : rivals) {
      SpringRun run(sheet, rival, 30, step);
      for (int f = 0; f < 100 && run.is_finite(); ++f) run.step();
      row.push_back(run.is_finite() && run.worst_stretch() < 1 ? number(100 * run.worst_stretch()) + " %" : "blew up");
    }
    ClothRun run(sheet, {.iterations = 30, .step = step});
    for (int f = 0; f < 100; ++f) run.step();
    row.push_back(run.is_finite() && worst_stretch(run) < 1 ? number(100 * worst_stretch(run)) + " %" : "blew up");
    rows.push_back(row);
  }
  report.table("e1_steps", {"h [s]", "NCG", "linear, CG", "linear, exact", "gauss_seidel"}, rows);
}

void study_garment(const Report& report) {
  constexpr int kRings = 70, kAround = 98;
  std::vector<std::vector<std::string>> rows;
  struct Kind {
    const char* name;
    double stiffness;  // N/m
    int iterations;
  };
  constexpr Kind kKinds[] = {{"hard", 1e12, 30},  {"2000 N/m", 2000, 30},  {"200 N/m", 200, 30},  {"20 N/m", 20, 30},
                             {"hard", 1e12, 300}, {"2000 N/m", 2000, 300}, {"200 N/m", 200, 300}, {"20 N/m", 20, 300}};
  for (const auto& [name, stiffness, iterations] : kKinds) {
    const Cloth skirt = make_skirt(kRings, kAround, stiffness);
    ClothRun run(skirt, {.iterations = iterations, .step = 0.016, .speed_kept = 0.98});
    for (int f = 0; f < 250; ++f) run.step();
    const std::vector<Vec3> x = run.points();
    double height = 0, radius = 0, spread = 0, stretch = 0;
    for (int k = 0; k < kAround; ++k) {
      const Vec3& hem = x[static_cast<std::size_t>((kRings - 1) * kAround + k)];
      height += hem.y() / kAround;
      radius += std::hypot(hem.x(), hem.z()) / kAround;
    }
    for (int k = 0; k < kAround; ++k) {
      const Vec3& hem = x[static_cast<std::size_t>((kRings - 1) * kAround + k)];
      spread += std::pow(std::hypot(hem.x(), hem.z()) - radius, 2) / kAround;
    }
    for (const SoftLink& link : skirt.links)
      stretch += std::abs((x[link.block[1]] - x[link.block[0]]).norm() / link.rest - 1) /
                 static_cast<double>(skirt.links.size());
    rows.push_back({name, std::to_string(iterations), number(-height), number(radius), number(std::sqrt(spread)),
                    number(100 * stretch) + " %", number(run.kinetic_energy())});
  }
  report.table("e9_garment",
               {"links", "sweeps", "hem below waist [m]", "hem radius [m]", "its spread [m]", "mean |stretch|",
                "kinetic energy [J]"},
               rows);
}

void study_strains(const Report& report) {
  constexpr double kModulus = 500;  // N/m, Young's times thickness
  constexpr double kPoisson = 0.2, kSpacing = 0.05;
  std::vector<std::vector<std::string>> rows;
  for (const bool is_fem : {false, true}) {
    Cloth cloth = make_sheet({.side = 40, .spacing = kSpacing, .stiffness = kModulus, .kinds = LinkKinds::all});
    const auto links = static_cast<double>(cloth.links.size());
    if (is_fem) {
      cloth.links.clear();
      for (const Vec3i& face : cloth.faces) {
        SoftTriangle triangle{{face[0], face[1], face[2]}, {}, Mat3::Zero(), false};
        // Strain e = B c of the three ½(|e|² − l²), from ε(d, d) = c for every edge d; K = a Bᵀ C B.
        Mat3 rows_of_c;
        for (int k = 0; k < 3; ++k) {
          const Vec3 d = cloth.points[face[(k + 2) % 3]] - cloth.points[face[(k + 1) % 3]];
          triangle.squared_length[k] = d.squaredNorm();
          rows_of_c.row(k) << d.x() * d.x(), d.z() * d.z(), d.x() * d.z();
        }
        Mat3 law;
        law << 1, kPoisson, 0, kPoisson, 1, 0, 0, 0, 0.5 * (1 - kPoisson);
        law *= kModulus / (1 - kPoisson * kPoisson);
        const Mat3 b = rows_of_c.inverse();
        triangle.stiffness = 0.5 * kSpacing * kSpacing * b.transpose() * law * b;
        cloth.triangles.push_back(triangle);
      }
    }
    ClothRun run(cloth, {.iterations = 60, .step = 0.016, .speed_kept = 0.97});
    for (int f = 0; f < 400; ++f) run.step();
    const std::vector<double> strains = face_strains(cloth, run.points());
    double mean = 0, square = 0;
    for (const double strain : strains) mean += strain / static_cast<double>(strains.size());
    for (const double strain : strains) square += std::pow(strain - mean, 2) / static_cast<double>(strains.size());
    rows.push_back({is_fem ? "triangles" : "links",
                    number(is_fem ? static_cast<double>(cloth.triangles.size()) : links), number(100 * mean) + " %",
                    number(std::sqrt(square) / mean),
                    number(100 * *std::max_element(strains.begin(), strains.end())) + " %",
                    number(1e3 * run.seconds() / 400), number(run.kinetic_energy())});
  }
  report.table(
      "e10_strains",
      {"model", "elements", "mean strain", "coefficient of variation", "largest", "ms per frame", "kinetic energy [J]"},
      rows);
}

void study_energy(const Report& report) {
  const Cloth rubber = make_sheet({.side = 10, .stiffness = 2, .kinds = LinkKinds::stretch});
  std::vector<picture::Series> curves;
  std::vector<std::vector<std::string>> rows;
  Cloth light = rubber;
  light.mass = 0.1;
  SpringRun ncg(light, Rival::ncg, 25, 0.016);
  rows.push_back(energy_row(
      "NCG", ncg, 600, [](const SpringRun& run) { return run.total_energy(); },
      [](const SpringRun& run) { return run.worst_stretch(); }, curves));
  SpringRun exact(light, Rival::newton, 25, 0.016);
  rows.push_back(energy_row(
      "Newton", exact, 600, [](const SpringRun& run) { return run.total_energy(); },
      [](const SpringRun& run) { return run.worst_stretch(); }, curves));
  ClothRun projected(light, {.iterations = 25});
  rows.push_back(energy_row("gauss_seidel", projected, 600, total_energy, worst_stretch, curves));
  ClothRun newmark(light, {.iterations = 25, .is_newmark = true});
  rows.push_back(energy_row("newmark", newmark, 600, total_energy, worst_stretch, curves));
  report.table("e11_rubber",
               {"method", "energy at the end [J]", "largest rise in a frame [J]", "largest stretch", "ms per frame"},
               rows);
  report.curves("e11_rubber_curves", curves,
                {.title = "E11: total energy of a rubber sheet",
                 .x_label = "frame",
                 .y_label = "energy [J]",
                 .y_scale = picture::PlotScale::linear});
  const Cloth stiff = make_sheet({.side = 40, .spacing = 0.025, .stiffness = 2000, .kinds = LinkKinds::stretch});
  std::vector<std::pair<std::string, RunOptions>> kinds;
  for (const int count : {25, 500}) {
    const std::string sweeps = ", " + std::to_string(count);
    kinds.push_back({"gauss_seidel" + sweeps, {.iterations = count}});
    kinds.push_back({"ρ = 10 h" + sweeps, {.iterations = count, .damping = 0.16}});
    kinds.push_back({"newmark" + sweeps, {.iterations = count, .is_newmark = true}});
    kinds.push_back({"newmark, ρ = h" + sweeps, {.iterations = count, .damping = 0.016, .is_newmark = true}});
    kinds.push_back({"speeds × 0.99" + sweeps, {.iterations = count, .speed_kept = 0.99}});
  }
  curves.clear();
  rows.clear();
  for (const auto& [name, options] : kinds) {
    ClothRun run(stiff, options);
    rows.push_back(energy_row(
        name, run, 400, [](const ClothRun& r) { return r.kinetic_energy() + r.gravity_energy(); }, worst_stretch,
        curves));
    rows.back().push_back(number(run.kinetic_energy()));
  }
  report.table("e12_damping",
               {"method", "kinetic + gravity at the end [J]", "largest rise in a frame [J]", "largest stretch",
                "ms per frame", "kinetic at the end [J]"},
               rows);
  report.curves("e12_damping_curves", curves,
                {.title = "E12: kinetic and gravity energy of a stiff sheet",
                 .x_label = "frame",
                 .y_label = "energy [J]",
                 .y_scale = picture::PlotScale::linear});
}

}  // namespace pliant::projection_study
