// Where the time of a step with contact goes, what a contact costs, and what it keeps in memory.
//
//   contact_benchmark                                     everything, some minutes
//   contact_benchmark --benchmark_filter=Layers           only some
//
// Layers  two crumpled sheets of n × n cells above each other, half a contact distance apart, one turned by 20°: stages of
//         ContactPotential per contact (begin_step: pairs and contacts anew; largest_step; gradient; Hessian), and bytes per
//         contact.
// Folded  a cloth of 100 352 triangles in eight layers, 2 mm apart, every point on its way by up to 1.2 mm, so that layers meet: candidates (boxes of
//         the ways, trees, pairs) and continuous detection of all of them, as at the start of a step.
// Towel   20 130 triangles, twisted at both ends until it folds into itself; shares of the stages over five steps.
// Pile    54 soft boxes fall into a bowl; the same.
// Stack   three crossed sheets fall on each other and a floor: 50 000 contacts of 6 348 vertices; the same.
// Scenes are run up to the measured steps once; one and two threads then start from the same state. Times per contact are
// processor time of all threads together; compare ratios, and wall time for what a second thread brings.
#include <benchmark/benchmark.h>

#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "pliant/contact/contact_potential.h"
#include "pliant/mesh/grid_sheet.h"
#include "pliant/mesh/ordering.h"
#include "pliant/parallel/parallel.h"
#include "pliant/scene/build_model.h"
#include "pliant/scene/reader.h"

namespace pliant {
namespace {

using namespace contact;

// --- Layers ---

struct Layers {
  std::shared_ptr<ContactSurface> surface;
  BlockVector q, way;
  Controls controls;
  static constexpr double kDistance = 2e-3;  // m
  static constexpr double kCell = 0.01;      // m
  static constexpr double kTurn = 0.35;      // rad

  explicit Layers(int cells) {
    std::vector<SurfacePart> parts(2);
    std::vector<Vec3> places;
    for (int layer = 0; layer < 2; ++layer) {
      SurfacePart& part = parts[static_cast<std::size_t>(layer)];
      const int row = cells + 1;
      for (int i = 0; i < row * row; ++i) {
        const double x = kCell * (i % row), z = kCell * (i / row);
        const double y = 0.5 * kDistance * layer + 0.05 * kDistance * std::sin(90 * x + 70 * z);
        const double c = layer == 0 ? 1 : std::cos(kTurn), s = layer == 0 ? 0 : std::sin(kTurn);
        part.rest.emplace_back(c * x - s * z, y, s * x + c * z);
        part.points.push_back(MappedPoint::vertex(static_cast<int>(places.size())));
        places.push_back(part.rest.back());
      }
      for (int j = 0; j < cells; ++j) {
        for (int i = 0; i < cells; ++i) {
          const int a = j * row + i;
          part.triangles.emplace_back(a, a + row, a + 1);
          part.triangles.emplace_back(a + 1, a + row, a + row + 1);
        }
      }
    }
    surface = std::make_shared<ContactSurface>(join(parts, {}));
    surface->rules.change_all([](PairRule& rule) { rule.friction = 0.3; });
    const int count = static_cast<int>(places.size());
    q.resize(count);
    way.resize(count);
    for (int b = 0; b < count; ++b) {
      q[b] = places[static_cast<std::size_t>(b)];
      way[b] = Vec3(1e-4, (b < count / 2 ? 1 : -1) * 1e-4, 0);
    }
    controls.filter = BlockFilter(count);
  }
  [[nodiscard]] ContactStep step() const { return {q, controls, 100, memory}; }
  StickMemory memory;
};

enum class Stage : int { begin_step, largest_step, gradient, hessian };

void of_layers(benchmark::State& state, Stage stage) {
  set_thread_count(static_cast<int>(state.range(1)));
  const Layers layers(static_cast<int>(state.range(0)));
  ContactPotential contact(layers.surface, {.distance = Layers::kDistance});
  contact.begin_step(layers.step());
  sparse::PatternBuilder builder(layers.q.size());
  contact.couple(builder);
  sparse::SymmetricBlockMatrix matrix(builder.build());
  contact.add_hessian(matrix, false);
  BlockVector gradient(layers.q.size());
  const double count = contact.summary().count;
  for (auto _ : state) {
    switch (stage) {
      case Stage::begin_step:
        contact.begin_step(layers.step());
        break;
      case Stage::largest_step:
        benchmark::DoNotOptimize(contact.largest_step(layers.q, layers.way, 1, 0));
        break;
      case Stage::gradient:
        contact.add_gradient(gradient);
        break;
      case Stage::hessian:
        contact.add_hessian(matrix, false);
        break;
    }
  }
  state.counters["contacts"] = count;
  state.counters["bytes_per_contact"] = static_cast<double>(contact.memory_bytes()) / count;
  state.counters["per_contact"] =
      benchmark::Counter(count, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  set_thread_count(0);
}

void LayersBeginStep(benchmark::State& state) { of_layers(state, Stage::begin_step); }
void LayersLargestStep(benchmark::State& state) { of_layers(state, Stage::largest_step); }
void LayersGradient(benchmark::State& state) { of_layers(state, Stage::gradient); }
void LayersHessian(benchmark::State& state) { of_layers(state, Stage::hessian); }

// Cells, threads: 2 000 to 90 000 contacts.
void sizes(benchmark::internal::Benchmark* b) {
  b->ArgsProduct({{12, 36, 80}, {1, 2}})->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
}
BENCHMARK(LayersBeginStep)->Apply(sizes);
BENCHMARK(LayersLargestStep)->Apply(sizes);
BENCHMARK(LayersGradient)->Apply(sizes);
BENCHMARK(LayersHessian)->Apply(sizes);

// --- Folded ---

// 224 × 224 cells of 10 mm, straight panels joined by half circles.
struct Folded {
  static constexpr int kCells = 224, kLayers = 8;
  static constexpr double kCell = 0.01, kGap = 2e-3, kWay = 1.2e-3;  // m
  ContactSurface surface;
  std::vector<Vec3> x, way;  // m; at rest it is flat
  std::vector<unsigned char> is_fixed;

  Folded() {
    const double side = kCell * kCells, panel = side / kLayers, period = panel + std::numbers::pi * kGap / 2;
    TriangleMesh mesh =
        make_grid({.size = {side, side}, .cells = {kCells, kCells}, .pattern = GridPattern::alternating});
    mesh = renumber(mesh, hilbert_order(mesh.vertices));
    SurfacePart part;
    for (const Vec3& flat : mesh.vertices) {
      const double from_start = flat[0] + side / 2;
      const int layer = static_cast<int>(from_start / period);
      const double along = from_start - layer * period, angle = std::max(0.0, along - panel) / (kGap / 2);
      const double across = std::min(along, panel) + kGap / 2 * std::sin(angle);
      part.rest.push_back(flat);
      x.emplace_back(layer % 2 == 0 ? across : panel - across, layer * kGap + kGap / 2 * (1 - std::cos(angle)),
                     flat[2]);
      part.points.push_back(MappedPoint::vertex(static_cast<int>(part.points.size())));
      // Neighbouring layers come towards each other here, part there.
      const Vec3& at = x.back();
      way.push_back(kWay * Vec3(std::sin(40 * at[2]), layer % 2 == 0 ? std::cos(35 * at[0]) : -std::cos(35 * at[0]),
                                std::cos(30 * at[0])));
    }
    part.triangles = mesh.triangles;
    surface = join({part}, {});
    is_fixed.assign(surface.points.size(), 0);
  }
};

void FoldedCandidatesAndCcd(benchmark::State& state) {
  set_thread_count(static_cast<int>(state.range(0)));
  const Folded cloth;
  WatchedPairs watched(cloth.surface, 1e-3);
  // The first call is not measured: it fetches memory from the system.
  double safe = watched.follow(cloth.x, cloth.way, cloth.is_fixed, true);
  for (auto _ : state) safe = watched.follow(cloth.x, cloth.way, cloth.is_fixed, true);
  const auto triangles = static_cast<double>(cloth.surface.triangles.size());
  state.counters["safe"] = safe;
  state.counters["pairs"] = watched.pair_count();
  state.counters["near"] = static_cast<double>(watched.near().size());
  state.counters["per_triangle"] =
      benchmark::Counter(triangles, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["pairs_per_second"] =
      benchmark::Counter(watched.pair_count(), benchmark::Counter::kIsIterationInvariantRate);
  set_thread_count(0);
}
// One thread: processor time. Two: wall time.
BENCHMARK(FoldedCandidatesAndCcd)->Arg(1)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
BENCHMARK(FoldedCandidatesAndCcd)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

// --- Scenes ---

const char* const kTowel =
    "pliant: 1\n"
    "title: Towel\n"
    "time: {step: 0.02, end: 10}\n"
    "materials: {towel: {model: st_venant_kirchhoff, thickness: 2.0e-3, surface_density: 0.4, young: 2.0e4, poisson: "
    "0.3}}\n"
    "bodies: [{name: towel, kind: cloth, mesh: {grid: {size: [1, 0.3], cells: [183, 55]}}, material: towel}]\n"
    "pins:\n"
    "  - {body: towel, where: {box: {min: [-0.6, -1, -1], max: [-0.494, 1, 1]}}, motion: {rotate: {axis: [1, 0, 0], "
    "center: [0, 0, 0], degrees_per_second: 360}}}\n"
    "  - {body: towel, where: {box: {min: [0.494, -1, -1], max: [0.6, 1, 1]}}, motion: {rotate: {axis: [1, 0, 0], "
    "center: [0, 0, 0], degrees_per_second: -360}}}\n"
    "contact: {friction: 0.3, distance: 2.0e-3}\n";
constexpr double kTowelTime = 0.5;  // s: one turn

const char* const kPile =
    "pliant: 1\n"
    "title: Pile\n"
    "time: {step: 0.01, end: 10}\n"
    "materials: {soft: {model: stable_neo_hookean, density: 1000, young: 3.0e4, poisson: 0.4}}\n"
    "bodies:\n"
    "  - {name: box, mesh: {box: {size: [0.1, 0.1, 0.1], cells: [3, 3, 3]}}, material: soft, position: [0, 0.75, 0], "
    "copies: {count: [3, 6, 3], spacing: [0.18, 0.18, 0.18], random_rotation: true}}\n"
    "  - {name: bowl, kind: obstacle, mesh: {tube: {radius: 0.15, top_radius: 0.6, height: 0.5}}, position: [0, 0.25, "
    "0]}\n"
    "  - {name: floor, kind: obstacle, mesh: {plane: {}}}\n"
    "contact: {friction: 0.3, distance: 2.0e-3}\n";
constexpr double kPileTime = 0.9;  // s

const char* const kStack =
    "pliant: 1\n"
    "title: Stack\n"
    "time: {step: 0.01, end: 10}\n"
    "materials: {felt: {model: st_venant_kirchhoff, thickness: 2.0e-3, surface_density: 0.4, young: 1.0e5, poisson: "
    "0.3}}\n"
    "bodies:\n"
    "  - {name: low, kind: cloth, mesh: {grid: {size: [0.45, 0.45], cells: [45, 45]}}, material: felt, position: [0, "
    "0.003, 0]}\n"
    "  - {name: middle, kind: cloth, mesh: {grid: {size: [0.45, 0.45], cells: [45, 45]}}, material: felt, position: "
    "[0, "
    "0.0055, 0], rotation: {axis: [0, 1, 0], degrees: 20}}\n"
    "  - {name: high, kind: cloth, mesh: {grid: {size: [0.45, 0.45], cells: [45, 45]}}, material: felt, position: [0, "
    "0.008, 0], rotation: {axis: [0, 1, 0], degrees: 45}}\n"
    "  - {name: floor, kind: obstacle, mesh: {plane: {}}}\n"
    "contact: {friction: 0.3, distance: 2.0e-3}\n";
constexpr double kStackTime = 0.1;  // s

// A scene at the time of measurement, run there once.
const State& state_at(const std::string& text, double time) {
  static std::map<std::string, State> known;
  const auto place = known.find(text);
  if (place != known.end()) return place->second;
  const Scene scene = parse_scene(text, "benchmark");
  BuiltScene built = build(scene);
  Simulation simulation(std::move(built.model), std::move(built.state), built.options);
  while (simulation.state().time < time - kTimeTolerance && simulation.advance(scene.time.step).reached) {
  }
  return known.emplace(text, simulation.state()).first->second;
}

void of_scene(benchmark::State& state, const char* text, double time) {
  constexpr int kSteps = 5;
  set_thread_count(0);
  const State& start = state_at(text, time);
  set_thread_count(static_cast<int>(state.range(0)));
  const Scene scene = parse_scene(text, "benchmark");
  BuiltScene built = build(scene);
  Simulation simulation(std::move(built.model), std::move(built.state), built.options);
  solver::StageSeconds sum;
  double steps = 0, iterations = 0, contacts = 0, bytes = 0;
  for (auto _ : state) {
    simulation.restore(start);
    for (int i = 0; i < kSteps; ++i) {
      for (const StepReport& step : simulation.advance(scene.time.step).steps) {
        sum.contact += step.solve.seconds.contact;
        sum.assemble += step.solve.seconds.assemble;
        sum.linear += step.solve.seconds.linear;
        sum.line_search += step.solve.seconds.line_search;
        iterations += step.solve.iterations;
        contacts += step.solve.contacts.count;
        steps += 1;
      }
    }
    bytes = static_cast<double>(simulation.contact()->memory_bytes());
  }
  const double total = sum.contact + sum.assemble + sum.linear + sum.line_search;
  state.counters["contact_%"] = 100 * sum.contact / total;
  state.counters["assemble_%"] = 100 * sum.assemble / total;
  state.counters["linear_%"] = 100 * sum.linear / total;
  state.counters["line_search_%"] = 100 * sum.line_search / total;
  state.counters["iterations"] = iterations / steps;
  state.counters["contacts"] = contacts / steps;
  state.counters["bytes_per_contact"] = bytes / (contacts / steps);
  state.counters["step_s"] = total / steps;
  set_thread_count(0);
}

void Towel(benchmark::State& state) { of_scene(state, kTowel, kTowelTime); }
void Pile(benchmark::State& state) { of_scene(state, kPile, kPileTime); }
void Stack(benchmark::State& state) { of_scene(state, kStack, kStackTime); }
BENCHMARK(Towel)->Arg(1)->Arg(2)->Iterations(1)->Unit(benchmark::kSecond)->UseRealTime();
BENCHMARK(Pile)->Arg(1)->Arg(2)->Iterations(1)->Unit(benchmark::kSecond)->UseRealTime();
BENCHMARK(Stack)->Arg(1)->Arg(2)->Iterations(1)->Unit(benchmark::kSecond)->UseRealTime();

}  // namespace
}  // namespace pliant
