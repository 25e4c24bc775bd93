// E17, E22 and the boxes of tables 8.1 and 8.2: whole scenes, run by the library as a user would run them.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "benchmarks/peers/measures.h"
#include "benchmarks/peers/pliant_engine.h"
#include "benchmarks/projection_study/cloth_run.h"
#include "benchmarks/projection_study/experiments.h"
#include "pliant/mesh/signed_distance.h"
#include "pliant/pliant.h"

namespace pliant::projection_study {
namespace {

const std::filesystem::path kSource = PLIANT_SOURCE_DIR;

// A scene in motion, with the processor time of its steps.
class SceneRun {
 public:
  SceneRun(const Scene& scene, const std::string& iteration, std::optional<int> iterations) {
    BuiltScene built = build(scene);
    built.options.projection.iterations = iterations;
    built.options.projection.iteration = kinds().at(iteration);
    step_ = scene.time.step;
    simulation_.emplace(std::move(built.model), std::move(built.state), built.options);
  }
  // False where it could not go on.
  bool advance() {
    const double start = processor_seconds();
    const AdvanceReport report = simulation_->advance(step_);
    seconds_ += processor_seconds() - start;
    ++steps_;
    for (const StepReport& step : report.steps) iterations_ += step.solve.iterations;
    return report.reached;
  }
  [[nodiscard]] Simulation& simulation() { return *simulation_; }
  [[nodiscard]] double milliseconds() const { return 1e3 * seconds_ / steps_; }
  [[nodiscard]] double mean_iterations() const { return static_cast<double>(iterations_) / steps_; }
  [[nodiscard]] std::vector<Vec3> points(int body) const {
    std::vector<Vec3> points;
    for (const int block : simulation_->model().bodies[static_cast<std::size_t>(body)].block_of_vertex)
      points.push_back(simulation_->state().positions[block]);
    return points;
  }

 private:
  static const std::map<std::string, solver::ProjectionIteration>& kinds() {
    static const std::map<std::string, solver::ProjectionIteration> names{
        {"gauss_seidel", solver::ProjectionIteration::gauss_seidel},
        {"accelerated_jacobi", solver::ProjectionIteration::accelerated_jacobi},
        {"conjugate_residual", solver::ProjectionIteration::conjugate_residual}};
    return names;
  }

  std::optional<Simulation> simulation_;
  double step_ = 0, seconds_ = 0;
  long long iterations_ = 0;
  int steps_ = 0;
};

// m: Σ of overlaps of grains, and how deep the deepest is in the mesh of an obstacle.
struct GrainOverlap {
  double among_grains = 0, in_mesh = 0;
};
GrainOverlap overlap_of(const std::vector<Vec3>& points, double radius, const mesh::SignedDistance& obstacle) {
  GrainOverlap found;
  contact::SpherePairs near;
  near.find(points, std::vector<double>(points.size(), radius), 0);
  for (const auto& [i, j] : near.pairs())
    found.among_grains +=
        2 * radius - (points[static_cast<std::size_t>(i)] - points[static_cast<std::size_t>(j)]).norm();
  for (const Vec3& point : points) found.in_mesh = std::max(found.in_mesh, radius - obstacle.signed_distance(point));
  return found;
}

// Grains fall on an obstacle's mesh for `seconds`; how many are below `low` in the end, and what overlaps on the way.
std::vector<std::string> fall_on_mesh(const Scene& scene, const std::string& iteration, int iterations, double seconds,
                                      double low) {
  SceneRun run(scene, iteration, iterations);
  const mesh::SignedDistance obstacle(run.simulation().model().obstacles.front().mesh);
  const double radius = run.simulation().model().bodies.front().radius;
  const int steps = static_cast<int>(std::lround(seconds / scene.time.step));
  GrainOverlap mean;
  for (int s = 1; s <= steps; ++s) {
    if (!run.advance()) return {iteration, std::to_string(iterations), number(scene.time.step), "could not go on"};
    if (s % std::max(steps / 50, 1) != 0) continue;
    const GrainOverlap now = overlap_of(run.points(0), radius, obstacle);
    mean.among_grains += now.among_grains / 50;
    mean.in_mesh = std::max(mean.in_mesh, now.in_mesh);
  }
  const std::vector<Vec3> points = run.points(0);
  const auto passed = std::count_if(points.begin(), points.end(), [&](const Vec3& x) { return x.y() < low; });
  return {iteration,
          std::to_string(iterations),
          number(1e3 * scene.time.step),
          std::to_string(passed) + " of " + std::to_string(points.size()),
          number(1e3 * mean.among_grains),
          number(1e3 * mean.in_mesh),
          number(run.simulation().energies().kinetic),
          number(run.milliseconds())};
}

// A soft animal of some hundred tetrahedra: the bunny, as there is no cow.
struct Animal {
  std::string law = "st_venant_kirchhoff";
  std::string young = "5.0e5";  // Pa
  std::string step = "0.016";   // s
};
Scene scene_of(const Animal& animal) {
  const std::string text = R"(
pliant: 1
time: {step: )" + animal.step +
                           R"(, end: 2}
gravity: [0, -9.8, 0]
solver: {method: projection, tolerance: 1.0e-3, max_iterations: 1000}
materials:
  flesh: {model: )" + animal.law +
                           ", young: " + animal.young + R"(, poisson: 0.2, density: 1000}
bodies:
  - {name: animal, kind: solid, material: flesh, scale: 0.04, position: [0, 0.5, 0], contact: {self: false},
     mesh: {file: data/bunny.obj, tetrahedralize: {cell_size: 1.8, method: voxels}}}
  - {name: floor, kind: obstacle, mesh: {plane: {}}}
contact: {friction: 0.5}
)";
  return parse_scene(text, "animal", {.folder = kSource, .overrides = {}});
}

// The surface that the tetrahedra carry.
std::vector<Vec3> surface_of(const ModelBody& body, const std::vector<Vec3>& points) {
  std::vector<Vec3> surface;
  for (std::size_t v = 0; v < body.embedded->tet.size(); ++v) {
    Vec3 place = Vec3::Zero();
    for (int k = 0; k < 4; ++k)
      place +=
          body.embedded->weights[v][k] * points[body.rest.tets[static_cast<std::size_t>(body.embedded->tet[v])][k]];
    surface.push_back(place);
  }
  return surface;
}

double height_of(const std::vector<Vec3>& points) {
  double low = 1e9, high = -1e9;
  for (const Vec3& x : points) low = std::min(low, x.y()), high = std::max(high, x.y());
  return high - low;
}

int inverted_tets(const ModelBody& body, const std::vector<Vec3>& x) {
  return static_cast<int>(std::count_if(body.rest.tets.begin(), body.rest.tets.end(), [&](const auto& tet) {
    return (x[tet[1]] - x[tet[0]]).cross(x[tet[2]] - x[tet[0]]).dot(x[tet[3]] - x[tet[0]]) <= 0;
  }));
}

// Two seconds of its fall.
std::vector<std::string> fall_of(const Animal& animal, const std::string& iteration, std::optional<int> iterations) {
  const Scene scene = scene_of(animal);
  SceneRun run(scene, iteration, iterations);
  const ModelBody& body = run.simulation().model().bodies[0];
  const double rest = height_of(surface_of(body, run.points(0)));
  double height = rest, least = rest, rise = 0, last = run.simulation().energies().total(), lowest = 0;
  int inverted = 0;
  const int steps = static_cast<int>(std::lround(2 / scene.time.step));
  for (int s = 0; s < steps; ++s) {
    if (!run.advance()) return {animal.law, animal.young, animal.step, iteration, "could not go on"};
    const std::vector<Vec3> points = run.points(0), surface = surface_of(body, points);
    for (const Vec3& x : surface) lowest = std::min(lowest, x.y());
    const double energy = run.simulation().energies().total();
    rise = std::max(rise, energy - last);
    last = energy;
    height = height_of(surface);
    least = std::min(least, height);
    inverted = std::max(inverted, inverted_tets(body, points));
  }
  return {animal.law,
          animal.young,
          animal.step,
          iteration,
          number(run.mean_iterations()),
          number(100 * (1 - least / rest)) + " %",
          number(100 * (1 - height / rest)) + " %",
          std::to_string(inverted),
          number(rise),
          number(run.simulation().energies().kinetic),
          number(-1e3 * lowest),
          number(run.milliseconds())};
}

}  // namespace

void study_funnel(const Report& report) {
  constexpr double kSeconds = 1.5, kMouth = 0.085;  // m, height of the funnel's mouth
  std::vector<std::vector<std::string>> rows;
  for (const std::string step : {"0.0025", "0.016"}) {
    const std::vector<std::string> overrides{"time.step=" + step};
    const Scene scene = read_scene(kSource / "examples/sand_through_funnel/sand_through_funnel.yaml", overrides);
    for (const std::string iteration : {"gauss_seidel", "accelerated_jacobi", "conjugate_residual"})
      rows.push_back(fall_on_mesh(scene, iteration, 30, kSeconds, kMouth));
    rows.push_back(fall_on_mesh(scene, "gauss_seidel", 10, kSeconds, kMouth));
  }
  report.table("e17_funnel",
               {"method", "iterations", "h [ms]", "passed", "Σ overlap [mm]", "deepest in mesh [mm]",
                "kinetic energy [J]", "ms per step"},
               rows);
}

void study_cow(const Report& report) {
  const BuiltScene built = build(scene_of({}));
  report.line(std::to_string(built.model.bodies[0].rest.tets.size()) + " tetrahedra");
  std::vector<std::vector<std::string>> rows;
  for (const std::string law : {"st_venant_kirchhoff", "corotated"}) {
    for (const std::string iteration : {"gauss_seidel", "accelerated_jacobi", "conjugate_residual"}) {
      for (const int count : {10, 30, 100}) rows.push_back(fall_of({.law = law}, iteration, count));
    }
    rows.push_back(fall_of({.law = law}, "gauss_seidel", {}));
    rows.push_back(fall_of({.law = law, .step = "0.004"}, "gauss_seidel", 30));
    for (const std::string iteration : {"gauss_seidel", "accelerated_jacobi", "conjugate_residual"})
      rows.push_back(fall_of({.law = law, .young = "5.0e8"}, iteration, 30));
  }
  report.table("e22_animal",
               {"law", "Young [Pa]", "h [s]", "method", "iterations", "largest squash", "at the end", "inverted",
                "largest rise [J]", "kinetic at the end [J]", "below the floor [mm]", "ms per step"},
               rows);
}

void study_boxes(const Report& report) {
  const std::vector<peers::PeerScene> scenes = peers::peer_scenes(1);
  const auto pile = std::find_if(scenes.begin(), scenes.end(), [](const auto& scene) { return scene.name == "pile"; });
  std::vector<std::vector<std::string>> rows;
  for (const int count : {10, 30}) {
    double base = 0;
    for (const std::string iteration :
         {"gauss_seidel", "accelerated_jacobi", "improved_jacobi", "conjugate_residual"}) {
      const peers::PeerRun run = peers::run_pliant(*pile, {.iterations = count, .iteration = iteration});
      const peers::Quality quality = peers::quality_of(*pile, run);
      if (iteration == "gauss_seidel") base = run.median_seconds();
      rows.push_back({iteration, std::to_string(count), number(1e3 * run.median_seconds()),
                      number(run.median_seconds() / base), number(1e3 * quality.mean_late),
                      number(1e3 * quality.largest_ever), run.note});
    }
  }
  report.table("boxes",
               {"method", "iterations", "ms per step", "of gauss_seidel", "mean overlap [mm]", "largest ever [mm]", ""},
               rows);
}

}  // namespace pliant::projection_study
