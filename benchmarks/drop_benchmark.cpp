// The two falling sheets of [Tamstorf2016, sec. 11.7], stepped as there: linearly implicit steps of 2 ms, contact with the box as
// filter constraints, springs between points of the cloth that come near. Every so many steps the system of the step is solved
// by multigrid, block-Jacobi PCG and CHOLMOD, each to a measured residual of 10⁻⁵, and iterations are counted with the
// filter inside the iteration too.
//
//   drop_benchmark [--only=drop_horizontal] [--cells=48] [--every=10] [--obj=FILE]
//
//   (M/h² + K) Δx = M v/h + f(x)          x held along n where it is on the box: n·Δx brings it to the surface
//   (S A S + s (I − S)) y = S (b − A z)   z the held part of Δx                        [prefiltering, Tamstorf2016, 11.6]
//
// A point is held while it would otherwise go into the box, and let go when the box would have to pull. One thread, processor
// time. One line of CSV per scene and size: means over the systems that were measured; ratios are of sums.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <unordered_map>

#include "benchmarks/multigrid_measures.h"
#include "pliant/linear/cholesky.h"
#include "pliant/linear/multigrid/multigrid_cg.h"
#include "pliant/linear/pcg.h"
#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

using systems::Scene;

constexpr double kStep = 2e-3, kGravity = 9.81;        // s, m/s²
constexpr double kRepulsion = 100, kNear = 8e-3;       // N/m; m, springs push below
constexpr double kResidual = 1e-5, kFrame = 1.0 / 24;  // s

// --- The box: 1.2 × 0.2 × 1.2 m, its top at y = 0, with a square hole of 0.5 m through it ---

struct Wall {
  double distance = 0;  // m, negative inside
  Vec3 normal = Vec3::UnitY();
};

Wall nearest_wall(const Vec3& x) {
  const std::array<Wall, 6> sides = {Wall{x.y(), Vec3::UnitY()},   {-0.2 - x.y(), -Vec3::UnitY()},
                                     {x.x() - 0.6, Vec3::UnitX()}, {-0.6 - x.x(), -Vec3::UnitX()},
                                     {x.z() - 0.6, Vec3::UnitZ()}, {-0.6 - x.z(), -Vec3::UnitZ()}};
  const Wall outside = *std::max_element(sides.begin(), sides.end(),
                                         [](const Wall& a, const Wall& b) { return a.distance < b.distance; });
  // Solid where beside the hole.
  const int axis = std::abs(x.x()) > std::abs(x.z()) ? 0 : 2;
  const Wall hole{0.25 - std::abs(x[axis]), x[axis] > 0 ? Vec3(-Vec3::Unit(axis)) : Vec3(Vec3::Unit(axis))};
  return outside.distance > hole.distance ? outside : hole;
}

// --- The sheet ---

struct Sums {
  int systems = 0, unsolved = 0;  // unsolved: by either iteration
  double held = 0, springs = 0, iterations = 0, pcg_iterations = 0;
  double build = 0, solve = 0, pcg = 0, analyze = 0, direct = 0;                  // s
  double jacobi = 0, jacobi_filtered = 0, multigrid = 0, multigrid_filtered = 0;  // iterations
  double most_penetration = 0;                                                    // m
};

class FallingSheet {
 public:
  FallingSheet(Scene scene, int cells) : cloth_(systems::flat_sheet(scene, cells, GridPattern::alternating)) {
    const int count = static_cast<int>(cloth_.masses.size());
    x_.resize(count);
    v_.resize(count);
    gradient_.resize(count);
    held_.resize(count, 0);
    const double turn = 88 * M_PI / 180;
    for (int i = 0; i < count; ++i) {
      const Vec3& rest = cloth_.mesh.vertices[i];
      if (scene == Scene::drop_horizontal) {
        x_[i] = rest + Vec3(0, 0.01, 0);
      } else {
        x_[i] = Eigen::AngleAxisd(turn, Vec3::UnitX()) * rest + Vec3(0, 0.51, 0.35);
      }
    }
    matrix_ = cloth_.make_matrix(pairs_);
  }

  void step(Sums* measure) {
    find_pairs();
    cloth_.evaluate(x_, kStep, gradient_, matrix_);
    add_springs();
    systems::System system = filtered_system();
    if (measure != nullptr) compare(system, *measure);
    MultigridCg solver({.tolerance = 1e-7, .max_iterations = 2000});
    solver.begin_step({&system.positions, nullptr, &system.filter});
    BlockVector y(x_.size());
    if (solver.factor(system.matrix) != LinearStatus::solved ||
        solver.solve(system.right_side, y).status != LinearStatus::solved) {
      Cholesky direct;
      direct.analyze(system.matrix.shared_pattern());
      (void)direct.factor(system.matrix);
      (void)direct.solve(system.right_side, y);
    }
    take(system, y);
  }

  void write(const std::string& file) const {
    std::ofstream out(file);
    for (int i = 0; i < x_.size(); ++i) out << "v " << x_[i].x() << " " << x_[i].y() << " " << x_[i].z() << "\n";
    for (const Vec3i& t : cloth_.mesh.triangles) out << "f " << t[0] + 1 << " " << t[1] + 1 << " " << t[2] + 1 << "\n";
  }
  [[nodiscard]] int size() const { return x_.size(); }
  [[nodiscard]] double deepest() const {
    double deepest = 0;
    for (int i = 0; i < x_.size(); ++i) deepest = std::max(deepest, -nearest_wall(x_[i]).distance);
    return deepest;
  }

 private:
  // Points nearer than kNear that the cloth itself does not keep so: more than twice as far at rest.
  void find_pairs() {
    const auto cell_of = [](const Vec3& x) {
      const auto at = [](double c) { return static_cast<std::int64_t>(std::floor(c / kNear)) + (1 << 20); };
      return (at(x.x()) << 42) + (at(x.y()) << 21) + at(x.z());
    };
    std::unordered_map<std::int64_t, std::vector<int>> grid;
    for (int i = 0; i < x_.size(); ++i) grid[cell_of(x_[i])].push_back(i);
    std::vector<std::array<int, 2>> pairs;
    for (int i = 0; i < x_.size(); ++i) {
      for (int k = 0; k < 27; ++k) {
        const Vec3 off = kNear * Vec3(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
        const auto found = grid.find(cell_of(x_[i] + off));
        if (found == grid.end()) continue;
        for (const int j : found->second) {
          const auto& rest = cloth_.mesh.vertices;
          if (j > i && (x_[j] - x_[i]).norm() < kNear && (rest[j] - rest[i]).norm() > 2 * kNear)
            pairs.push_back({i, j});
        }
      }
    }
    if (pairs == pairs_) return;
    pairs_ = std::move(pairs);
    matrix_ = cloth_.make_matrix(pairs_);
  }

  void add_springs() {
    for (const auto& pair : pairs_) {
      const Vec3 apart = x_[pair[1]] - x_[pair[0]];
      const double distance = std::max(apart.norm(), 1e-9);
      const Vec3 normal = apart / distance;
      systems::add_spring(pair, normal, kRepulsion, matrix_);
      const Vec3 push = kRepulsion * (kNear - distance) * normal;
      gradient_[pair[0]] += push;
      gradient_[pair[1]] -= push;
    }
  }

  systems::System filtered_system() {
    const int n = x_.size();
    systems::System system;
    system.positions = x_;
    system.unfiltered = matrix_;
    system.filter = BlockFilter(n);
    force_.resize(n);
    way_.resize(n);
    sparse::set_zero(way_);
    for (int i = 0; i < n; ++i) {
      const double mass = cloth_.masses[i];
      force_[i] = mass / kStep * v_[i] - mass * kGravity * Vec3::UnitY() - gradient_[i];
      const Vec3 there = x_[i] + kStep * v_[i];
      const Wall wall = nearest_wall(x_[i]);
      if (held_[i] == 0 && nearest_wall(there).distance > 0) continue;
      if (held_[i] != 0 && wall.distance > 1e-3) {
        held_[i] = 0;  // slid off an edge
        continue;
      }
      held_[i] = 1;
      system.filter.hold(i, wall.normal);
      way_[i] = -wall.distance * wall.normal;
    }
    BlockVector moved(n);
    system.right_side.resize(n);
    system.unfiltered.multiply(way_, moved);
    sparse::combine(system.right_side, 1, force_, -1, moved);
    system.filter.apply(system.right_side);
    system.matrix = system.unfiltered;
    system.filter.apply(system.matrix);
    return system;
  }

  void take(const systems::System& system, const BlockVector& y) {
    BlockVector change(x_.size()), reaction(x_.size());
    sparse::combine(change, 1, y, 1, way_);
    system.unfiltered.multiply(change, reaction);
    sparse::add_scaled(reaction, -1, force_);
    for (int i = 0; i < x_.size(); ++i) {
      if (held_[i] != 0 && reaction[i].dot(nearest_wall(x_[i]).normal) < 0) held_[i] = 0;
    }
    sparse::add_scaled(x_, 1, change);
    sparse::combine(v_, 1 / kStep, change, 0, change);
  }

  // Each solver as it comes anew to the system: patterns change with every step.
  void compare(const systems::System& system, Sums& sums) const {
    BlockVector y(x_.size());
    const SystemGeometry geometry{&system.positions, nullptr, &system.filter};
    for (double tolerance = 1e-5; tolerance > 1e-14; tolerance *= 0.1) {
      MultigridCg solver({.tolerance = tolerance, .max_iterations = 2000});
      solver.begin_step(geometry);
      LinearReport report;
      const double build = seconds_of([&] { (void)solver.factor(system.matrix); });
      const double solve = seconds_of([&] { report = solver.solve(system.right_side, y); });
      if (report.residual > kResidual && report.status == LinearStatus::solved && tolerance > 2e-14) continue;
      sums.build += build, sums.solve += solve, sums.iterations += report.iterations;
      sums.unsolved += report.residual > kResidual ? 1 : 0;
      break;
    }
    for (double tolerance = 1e-5; tolerance > 1e-14; tolerance *= 0.1) {
      Pcg solver({.tolerance = tolerance, .max_iterations = 50000});
      LinearReport report;
      const double time = seconds_of([&] {
        (void)solver.factor(system.matrix);
        report = solver.solve(system.right_side, y);
      });
      if (report.residual > kResidual && report.status == LinearStatus::solved && tolerance > 2e-14) continue;
      sums.pcg += time, sums.pcg_iterations += report.iterations;
      sums.unsolved += report.residual > kResidual ? 1 : 0;
      break;
    }
    Cholesky direct;
    sums.analyze += seconds_of([&] { direct.analyze(system.matrix.shared_pattern()); });
    sums.direct += seconds_of([&] {
      (void)direct.factor(system.matrix);
      (void)direct.solve(system.right_side, y);
    });
    sums.jacobi += filtered_iterations(system, jacobi_of(system.unfiltered));
    sums.jacobi_filtered += filtered_iterations(system, jacobi_of(system.matrix));
    const auto multigrid_iterations = [&](const sparse::SymmetricBlockMatrix& matrix, const BlockFilter* filter) {
      Hierarchy hierarchy;
      (void)hierarchy.build(matrix, {&system.positions, nullptr, filter});
      return filtered_iterations(system, [&](const BlockVector& r, BlockVector& z) { hierarchy.apply(r, z); });
    };
    sums.multigrid += multigrid_iterations(system.unfiltered, nullptr);
    sums.multigrid_filtered += multigrid_iterations(system.matrix, &system.filter);
    sums.held += static_cast<double>(system.filter.held_blocks().size());
    sums.springs += static_cast<double>(pairs_.size());
    sums.most_penetration = std::max(sums.most_penetration, deepest());
    ++sums.systems;
  }

  systems::Cloth cloth_;
  std::vector<std::array<int, 2>> pairs_;
  sparse::SymmetricBlockMatrix matrix_;
  BlockVector x_, v_, gradient_, force_, way_;
  std::vector<unsigned char> held_;
};

void run(Scene scene, int cells, int every, const std::string& file) {
  FallingSheet sheet(scene, cells);
  Sums s;
  const int frames = scene == Scene::drop_horizontal ? 15 : 25;
  const int steps = static_cast<int>(std::lround(frames * kFrame / kStep));
  if (every < 1 || every > steps) {
    std::fprintf(stderr, "drop_benchmark: --every is 1 to %d\n", steps);
    return;
  }
  for (int k = 0; k < steps; ++k) sheet.step(k % every == every - 1 ? &s : nullptr);
  const double n = s.systems, ms = 1e3 / n;
  std::printf("%s,%d,%d,%d,%.0f,%.0f,%.1f,%.2f,%.2f,%.1f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.1f,%.1f,%.1f,%.1f,%.5f,%d\n",
              systems::name_of(scene), sheet.size(), steps, s.systems, s.held / n, s.springs / n, s.iterations / n,
              ms * s.build, ms * s.solve, s.pcg_iterations / n, ms * s.pcg, ms * s.analyze, ms * s.direct,
              s.pcg / (s.build + s.solve), s.direct / (s.build + s.solve), (s.analyze + s.direct) / (s.build + s.solve),
              s.jacobi / n, s.jacobi_filtered / n, s.multigrid / n, s.multigrid_filtered / n, s.most_penetration,
              s.unsolved);
  std::fflush(stdout);
  if (!file.empty()) sheet.write(file);
}

}  // namespace
}  // namespace pliant::linear

int main(int argc, char** argv) {
  using namespace pliant;
  std::string only, file;
  std::vector<int> sizes{48, 96, 192};
  int every = 10;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    const std::string value = word.substr(std::min(word.size(), word.find('=') + 1));
    if (word.rfind("--only=", 0) == 0) only = value;
    if (word.rfind("--cells=", 0) == 0) sizes = {std::stoi(value)};
    if (word.rfind("--every=", 0) == 0) every = std::stoi(value);
    if (word.rfind("--obj=", 0) == 0) file = value;
  }
  set_thread_count(1);
  std::printf(
      "system,vertices,steps,measured,held,springs,iterations,build_ms,solve_ms,pcg_iterations,pcg_ms,analyze_ms,"
      "cholesky_ms,pcg_ratio,cholesky_ratio,cholesky_first_ratio,jacobi,jacobi_prefiltered,multigrid,multigrid_"
      "prefiltered,deepest,unsolved\n");
  for (const systems::Scene scene : {systems::Scene::drop_horizontal, systems::Scene::drop_vertical}) {
    for (const int cells : sizes) {
      if (std::string(systems::name_of(scene)).rfind(only, 0) == 0) linear::run(scene, cells, every, file);
    }
  }
}
