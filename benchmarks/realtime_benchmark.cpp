// The real-time path: ten iterations of quasi_newton against one of Newton, and steps of cloth per second.
//
//   realtime_benchmark                                     everything, some minutes
//   realtime_benchmark --benchmark_filter=twisted_bar/20k  only some
//
// twisted_bar: a bar 4 × 1 × 1 of mass 10, μ = 20, λ = 100 (any consistent units), whose ends turn against each other
// by ±180° a second; the step of h = 1/30 in the middle of the twist, reached by quasi_newton. The two methods take
// turns on it, on one thread and on two; the best of each counts. Newton is `iterations: 1` with its symbolic factor
// kept. Times on one thread are processor time, on two wall time: compare those of two only on a quiet machine.
//   ratio1, ratio2   time of Newton over that of quasi_newton, on one and two threads
//   left_newton, left_quasi   (g − g*)/(g₀ − g*) where they end; g₀ where quasi_newton starts, g* after 300 iterations
//   lower            1 where the ten iterations end at a lower objective than that of Newton
// variants: the same ten iterations with other settings, on one thread, all in turn; the best of each counts.
//   ms_…     h5, h3, h2, h0: pairs that the history keeps, the factor in float; double, half: the factor with h5
//   left_…   (g − g*)/(g₀ − g*) as above;  trials_…: of the line search
//   history_share   1 − ms_h0/ms_h5, what L-BFGS adds, as long as the trials of both are the same
// A BLAS that does not know the processor factors slowly and flatters the ratios (OpenBLAS takes SSE3 kernels on some
// virtual machines): set OPENBLAS_CORETYPE=Haswell there.
// Spline A and B are the neo-Hookean curve with a' three times as steep below stretch one (A) or above it (B).
//
// garment: a tube of 71 × 71 vertices whose upper rim is turned, 10 iterations a step, h = 1/60; of springs, or of
// as-rigid-as-possible triangles with hinges (Projective Dynamics). curtain: 21 × 21 springs held at two corners,
// h = 1/30. A run of 30 steps is repeated; each step's best time counts. step_ms1, step_ms2: mean over the steps, the
// whole of Simulation::advance on one and two threads; worst_ms1: the slowest step; solve_share: part of the linear
// solves and the history, on one thread.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/now.h"
#include "pliant/dynamics/simulation.h"
#include "pliant/energy/cloth/hinge_bending.h"
#include "pliant/energy/cloth/stretch_membrane.h"
#include "pliant/energy/load/gravity.h"
#include "pliant/energy/solid/corotated.h"
#include "pliant/energy/solid/neo_hookean.h"
#include "pliant/energy/solid/polynomial.h"
#include "pliant/energy/solid/spline.h"
#include "pliant/energy/solid/st_venant_kirchhoff.h"
#include "pliant/energy/spring/springs.h"
#include "pliant/mesh/box_mesh.h"
#include "pliant/mesh/hinges.h"
#include "pliant/mesh/mass_properties.h"
#include "pliant/mesh/ordering.h"
#include "pliant/parallel/parallel.h"

namespace pliant {
namespace {

void add_pin(Model& model, std::vector<int> blocks, const ScriptedMotion& motion) {
  ScriptedPin pin;
  pin.blocks = std::move(blocks);
  pin.first_anchor = model.anchor_count();
  pin.motion = motion;
  model.pins.push_back(std::move(pin));
}

void add_body(Model& model, const std::string& name, const std::vector<Vec3>& vertices) {
  ModelBody body;
  body.name = name;
  body.rest.vertices = vertices;
  for (int i = 0; i < static_cast<int>(vertices.size()); ++i) {
    body.block_of_vertex.push_back(i);
    body.vertex_of_block.push_back(i);
  }
  model.bodies.push_back(std::move(body));
  model.layout.add_body(name, static_cast<int>(vertices.size()));
}

State at_rest(const std::vector<Vec3>& vertices) {
  State state;
  state.positions.resize(static_cast<int>(vertices.size()));
  state.velocities.resize(static_cast<int>(vertices.size()));
  for (int i = 0; i < state.positions.size(); ++i) state.positions[i] = vertices[static_cast<std::size_t>(i)];
  return state;
}

SimulationOptions ten_iterations() {
  SimulationOptions options;
  options.method = StepMethod::quasi_newton;
  options.quasi_newton.iterations = 10;
  options.quasi_newton.tolerance = 0;  // all ten
  return options;
}

// --- The bar ---

constexpr double kMu = 20, kLambda = 100;

using EnergyMaker = std::unique_ptr<Energy> (*)(const std::shared_ptr<solid::TetElements>&);

template <class Law>
std::unique_ptr<Energy> make_law(const std::shared_ptr<solid::TetElements>& elements) {
  std::vector<std::vector<double>> parameters;
  for (int k = 0; k < Law::kParameterCount; ++k)
    parameters.emplace_back(static_cast<std::size_t>(elements->tet_count()), k == 0 ? kMu : kLambda);
  return std::make_unique<solid::HyperelasticTets<Law>>(elements, Law{}, parameters);
}

// below, above: factors on the slope of a' on either side of stretch one.
std::unique_ptr<Energy> make_spline(const std::shared_ptr<solid::TetElements>& elements, double below, double above) {
  std::vector<Vec2> a, c;
  for (const double x : {0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 2.5}) {
    a.emplace_back(x, kMu * (1 + (x < 1 ? below : above) * (x - 1)));
    c.emplace_back(x, (kLambda * std::log(x) - kMu) / x);
  }
  solid::Spline law{{solid::StressCurve(a), solid::StressCurve(), solid::StressCurve(c)}};
  return std::make_unique<solid::HyperelasticTets<solid::Spline>>(elements, std::move(law),
                                                                  std::vector<std::vector<double>>{});
}
std::unique_ptr<Energy> make_spline_a(const std::shared_ptr<solid::TetElements>& e) { return make_spline(e, 3, 1); }
std::unique_ptr<Energy> make_spline_b(const std::shared_ptr<solid::TetElements>& e) { return make_spline(e, 1, 3); }

// What all materials of one size share, so that Newton's symbolic factor is found once.
struct Bar {
  TetMesh mesh;
  std::shared_ptr<solid::TetElements> elements;
  std::shared_ptr<const sparse::BlockPattern> pattern;
  std::unique_ptr<solver::Newton> newton;

  explicit Bar(int cells) {
    const TetMesh box = make_box({Vec3(4, 1, 1), {4 * cells, cells, cells}});
    mesh = renumber(box, hilbert_order(box.vertices));
    elements = std::make_shared<solid::TetElements>(mesh.tets, mesh.vertices);
    sparse::PatternBuilder builder(static_cast<int>(mesh.vertices.size()));
    elements->couple(builder);
    pattern = builder.build();
    elements->find_slots(*pattern);
    newton = std::make_unique<solver::Newton>(
        solver::NewtonOptions{.linear = solver::NewtonLinear::cholesky, .iterations = 1});
  }

  [[nodiscard]] Simulation twisting(EnergyMaker make_energy) const {
    Model model;
    add_body(model, "bar", mesh.vertices);
    model.inertia = Inertia(lumped_masses(mesh, 10.0 / 4));
    model.pattern = pattern;
    model.energies.push_back(make_energy(elements));
    model.roles.push_back(EnergyRole::elastic);
    model.diagonal = std::sqrt(18.0);
    for (const double end : {-1.0, 1.0}) {
      std::vector<int> blocks;
      for (int i = 0; i < model.layout.block_count(); ++i) {
        if (end * mesh.vertices[static_cast<std::size_t>(i)].x() > 2 - 1e-9) blocks.push_back(i);
      }
      add_pin(model, std::move(blocks), ScriptedMotion(Rotate{Vec3::UnitX(), Vec3::Zero(), end * std::numbers::pi}));
    }
    return Simulation(std::move(model), at_rest(mesh.vertices), ten_iterations());
  }
};

Bar& bar(int cells) {
  static std::map<int, std::unique_ptr<Bar>> bars;
  if (bars.size() == 1 && !bars.contains(cells)) bars.clear();  // the factor of the large one takes much memory
  std::unique_ptr<Bar>& found = bars[cells];
  if (!found) found = std::make_unique<Bar>(cells);
  return *found;
}

// Counts the time inside the solver alone.
struct TimedSolver final : solver::StepSolver {
  explicit TimedSolver(StepSolver& timed) : inner(timed) {}
  [[nodiscard]] solver::SolveReport solve(const solver::StepProblem& problem, BlockVector& q) override {
    const double start = now();
    solver::SolveReport report = inner.solve(problem, q);
    best = std::min(best, now() - start);
    return report;
  }
  [[nodiscard]] std::string name() const override { return inner.name(); }
  [[nodiscard]] std::string linear_name() const override { return inner.linear_name(); }

  StepSolver& inner;
  double best = std::numeric_limits<double>::infinity();  // s
};

void twisted_bar(benchmark::State& state, EnergyMaker make_energy, int cells) {
  constexpr double kStep = 1.0 / 30;
  constexpr int kStepsToMiddle = 15, kTurns = 2;
  Bar& model = bar(cells);
  set_thread_count(2);
  Simulation simulation = model.twisting(make_energy);
  for (int k = 0; k < kStepsToMiddle; ++k) benchmark::DoNotOptimize(simulation.advance(kStep));

  solver::QuasiNewton quasi(ten_iterations().quasi_newton);
  std::array<TimedSolver, 2> timed_newton{TimedSolver(*model.newton), TimedSolver(*model.newton)};
  std::array<TimedSolver, 2> timed_quasi{TimedSolver(quasi), TimedSolver(quasi)};
  double after_newton = 0, after_quasi = 0;
  solver::SolveReport report;
  for (auto _ : state) {
    for (int turn = 0; turn < kTurns; ++turn) {
      for (const std::size_t threads : {1, 2}) {
        set_thread_count(static_cast<int>(threads));
        after_newton = simulation.try_step(kStep, timed_newton[threads - 1]).objective;
        for (int again = 0; again < 3; ++again) {
          const StepTrial trial = simulation.try_step(kStep, timed_quasi[threads - 1]);
          after_quasi = trial.objective;
          report = trial.solve;
        }
      }
    }
  }
  solver::QuasiNewton none({.history = 5, .iterations = 0, .tolerance = 0, .bounded = false});
  solver::QuasiNewton long_one({.history = 5, .iterations = 300, .tolerance = 1e-8});
  const double start = simulation.try_step(kStep, none).objective;
  const double least = simulation.try_step(kStep, long_one).objective;
  state.counters["tets"] = model.elements->tet_count();
  for (const std::size_t threads : {1, 2}) {
    const std::string digit = std::to_string(threads);
    const double newton = timed_newton[threads - 1].best, ten = timed_quasi[threads - 1].best;
    state.counters["newton_ms" + digit] = 1e3 * newton;
    state.counters["quasi_ms" + digit] = 1e3 * ten;
    state.counters["ratio" + digit] = newton / ten;
  }
  state.counters["left_newton"] = (after_newton - least) / (start - least);
  state.counters["left_quasi"] = (after_quasi - least) / (start - least);
  state.counters["lower"] = after_quasi < after_newton ? 1 : 0;
  state.counters["trials"] = report.line_search_trials;
  state.counters["solve_share"] =
      report.seconds.linear / (report.seconds.linear + report.seconds.line_search + report.seconds.assemble);
}

void variants(benchmark::State& state, EnergyMaker make_energy, int cells) {
  constexpr double kStep = 1.0 / 30;
  constexpr int kStepsToMiddle = 15, kRounds = 12;
  using linear::FactorStorage;
  struct Variant {
    const char* name;
    int history;
    FactorStorage storage;
    std::unique_ptr<solver::QuasiNewton> solver = nullptr;
    std::unique_ptr<TimedSolver> timed = nullptr;
    StepTrial trial = {};
  };
  Variant list[] = {{"h5", 5, FactorStorage::float32},     {"h3", 3, FactorStorage::float32},
                    {"h2", 2, FactorStorage::float32},     {"h0", 0, FactorStorage::float32},
                    {"double", 5, FactorStorage::float64}, {"half", 5, FactorStorage::float16}};
  Bar& model = bar(cells);
  set_thread_count(1);
  Simulation simulation = model.twisting(make_energy);
  for (int k = 0; k < kStepsToMiddle; ++k) benchmark::DoNotOptimize(simulation.advance(kStep));
  for (Variant& v : list) {
    v.solver = std::make_unique<solver::QuasiNewton>(
        solver::QuasiNewtonOptions{.history = v.history, .iterations = 10, .tolerance = 0, .storage = v.storage});
    v.timed = std::make_unique<TimedSolver>(*v.solver);
  }
  for (auto _ : state) {
    for (int round = 0; round < kRounds; ++round) {
      for (Variant& v : list) v.trial = simulation.try_step(kStep, *v.timed);
    }
  }
  solver::QuasiNewton none({.history = 5, .iterations = 0, .tolerance = 0, .bounded = false});
  solver::QuasiNewton long_one({.history = 5, .iterations = 300, .tolerance = 1e-8});
  const double start = simulation.try_step(kStep, none).objective;
  const double least = simulation.try_step(kStep, long_one).objective;
  for (const Variant& v : list) {
    const std::string name = v.name;
    state.counters["ms_" + name] = 1e3 * v.timed->best;
    state.counters["left_" + name] = (v.trial.objective - least) / (start - least);
    state.counters["trials_" + name] = v.trial.solve.line_search_trials;
  }
  state.counters["history_share"] = 1 - list[3].timed->best / list[0].timed->best;
  set_thread_count(0);
}

// --- Cloth ---

enum class Cloth { springs, projective };
enum class Wrap { sheet, tube };

// Vertex (i, j) of an n × n grid, i around, j down, under a numbering along a Hilbert curve.
struct Grid {
  int n;
  Wrap wrap;
  std::vector<Vec3> vertices;
  std::vector<int> number;

  Grid(int size, Wrap kind) : n(size), wrap(kind) {
    std::vector<Vec3> places;
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        const double angle = 2 * std::numbers::pi * i / n, down = static_cast<double>(j) / (n - 1);
        places.push_back(wrap == Wrap::tube ? Vec3(0.2 * std::cos(angle), -0.8 * down, 0.2 * std::sin(angle))
                                            : Vec3(static_cast<double>(i) / (n - 1), 0, down));
      }
    }
    const std::vector<int> order = hilbert_order(places);
    for (const int old : order) vertices.push_back(places[static_cast<std::size_t>(old)]);
    number = inverse_order(order);
  }
  // −1 beyond the border
  [[nodiscard]] int at(int i, int j) const {
    if (j >= n || i < 0 || (wrap == Wrap::sheet && i >= n)) return -1;
    return number[static_cast<std::size_t>(j * n + i % n)];
  }

  // Along the grid, across its cells, and over two cells against bending.
  [[nodiscard]] std::vector<spring::Spring> springs(double stiffness, double bending) const {
    std::vector<spring::Spring> result;
    const auto add = [&](int a, int b, double k) {
      if (a < 0 || b < 0) return;
      const double length = (vertices[static_cast<std::size_t>(a)] - vertices[static_cast<std::size_t>(b)]).norm();
      result.push_back({a, b, length, k, 0});
    };
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        add(at(i, j), at(i + 1, j), stiffness);
        add(at(i, j), at(i, j + 1), stiffness);
        add(at(i, j), at(i + 1, j + 1), stiffness);
        add(at(i + 1, j), at(i, j + 1), stiffness);
        add(at(i, j), at(i + 2, j), bending);
        add(at(i, j), at(i, j + 2), bending);
      }
    }
    return result;
  }
  [[nodiscard]] std::vector<Vec3i> triangles() const {
    std::vector<Vec3i> result;
    for (int j = 0; j + 1 < n; ++j) {
      for (int i = 0; i < n; ++i) {
        if (at(i + 1, j) < 0) continue;
        result.emplace_back(at(i, j), at(i + 1, j), at(i, j + 1));
        result.emplace_back(at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
      }
    }
    return result;
  }
};

// Adds the energies and the pattern they couple.
void add_cloth(Model& model, const Grid& grid, Cloth cloth) {
  const int count = static_cast<int>(grid.vertices.size());
  sparse::PatternBuilder builder(count);
  const auto finish = [&](auto&... energies) {
    (energies->couple(builder), ...);
    model.pattern = builder.build();
    (energies->find_slots(*model.pattern), ...);
    (model.energies.push_back(std::move(energies)), ...);
  };
  if (cloth == Cloth::springs) {
    auto springs = std::make_unique<spring::Springs>(grid.springs(80, 20), count);
    finish(springs);
  } else {
    cloth::MembraneSheet sheet{grid.triangles(), {}, count};
    for (const Vec3i& t : sheet.triangles) {
      std::array<Vec3, 3> corners;
      for (std::size_t c = 0; c < 3; ++c) corners[c] = grid.vertices[static_cast<std::size_t>(t[static_cast<int>(c)])];
      sheet.rest.push_back(*cloth::triangle_rest(corners, corners[1] - corners[0]));
    }
    const std::vector<cloth::StrainLimit::Parameters> rigid(sheet.triangles.size(), {1, 1, 80});
    auto membrane = std::make_unique<cloth::StretchMembrane<cloth::StrainLimit>>(sheet, rigid);
    const SheetHinges found = find_hinges(std::span<const Vec3i>(sheet.triangles));
    std::vector<cloth::HingeParameters> parameters;
    for (const Hinge& hinge : found.hinges) {
      parameters.push_back(cloth::hinge_at_rest(hinge, grid.vertices));
      parameters.back().stiffness = 1e-5;
    }
    std::vector<std::array<int, 3>> corners;
    for (const Vec3i& t : sheet.triangles) corners.push_back({t[0], t[1], t[2]});
    auto bending = std::make_unique<cloth::HingeBending>(cloth::HingeLaw::angle, corners, found.hinges, parameters);
    finish(membrane, bending);
  }
  model.roles.assign(model.energies.size(), EnergyRole::elastic);
}

Simulation make_cloth(int size, Wrap wrap, Cloth cloth) {
  const Grid grid(size, wrap);
  Model model;
  add_body(model, "cloth", grid.vertices);
  add_cloth(model, grid, cloth);
  const double mass = wrap == Wrap::tube ? 0.25 : 1;  // kg
  const std::vector<double> masses(grid.vertices.size(), mass / static_cast<double>(grid.vertices.size()));
  model.inertia = Inertia(masses);
  model.gravity = Vec3(0, -9.81, 0);
  model.energies.push_back(std::make_unique<Gravity>(masses, model.gravity));
  model.roles.push_back(EnergyRole::gravity);
  if (wrap == Wrap::tube) {
    std::vector<int> rim;
    for (int i = 0; i < size; ++i) rim.push_back(grid.at(i, 0));
    add_pin(model, std::move(rim), ScriptedMotion(Rotate{Vec3::UnitY(), Vec3::Zero(), 4}));
  } else {
    add_pin(model, {grid.at(0, 0), grid.at(size - 1, 0)}, ScriptedMotion());
  }
  return Simulation(std::move(model), at_rest(grid.vertices), ten_iterations());
}

void cloth_steps(benchmark::State& state, int size, Wrap wrap, Cloth cloth, double step) {
  constexpr std::size_t kSteps = 30;
  constexpr int kRuns = 4;
  std::array<std::array<double, kSteps>, 2> best;
  for (auto& of_threads : best) of_threads.fill(std::numeric_limits<double>::infinity());
  solver::StageSeconds stages;
  for (auto _ : state) {
    for (int run = 0; run < kRuns; ++run) {
      for (const std::size_t threads : {1, 2}) {
        set_thread_count(static_cast<int>(threads));
        Simulation simulation = make_cloth(size, wrap, cloth);
        benchmark::DoNotOptimize(simulation.advance(step));  // factors
        for (std::size_t k = 0; k < kSteps; ++k) {
          const double start = now();
          const AdvanceReport report = simulation.advance(step);
          best[threads - 1][k] = std::min(best[threads - 1][k], now() - start);
          if (threads > 1) continue;
          stages.linear += report.steps.front().solve.seconds.linear;
          stages.line_search += report.steps.front().solve.seconds.line_search;
          stages.assemble += report.steps.front().solve.seconds.assemble;
        }
      }
    }
  }
  set_thread_count(0);
  for (const std::size_t t : {0, 1}) {
    double sum = 0;
    for (const double seconds : best[t]) sum += seconds;
    state.counters["step_ms" + std::to_string(t + 1)] = 1e3 * sum / kSteps;
  }
  state.counters["worst_ms1"] = 1e3 * *std::max_element(best[0].begin(), best[0].end());
  state.counters["solve_share"] = stages.linear / (stages.linear + stages.line_search + stages.assemble);
}

bool register_all() {
  const std::pair<const char*, EnergyMaker> materials[] = {
      {"corotated", make_law<solid::Corotated>},
      {"neo_hookean", make_law<solid::NeoHookean>},
      {"st_venant_kirchhoff", make_law<solid::StVenantKirchhoff>},
      {"polynomial", make_law<solid::Polynomial>},
      {"spline_a", make_spline_a},
      {"spline_b", make_spline_b},
  };
  const auto once = [](const std::string& name, auto... arguments) {
    benchmark::RegisterBenchmark(name.c_str(), arguments...)->Unit(benchmark::kMillisecond)->Iterations(1);
  };
  for (const auto& [size_name, cells] : {std::pair("20k", 10), std::pair("80k", 16)}) {
    for (const auto& [name, maker] : materials)
      once("twisted_bar/" + std::string(size_name) + "/" + name, twisted_bar, maker, cells);
    for (const auto& [name, maker] : materials)
      once("variants/" + std::string(size_name) + "/" + name, variants, maker, cells);
  }
  once("garment/springs", cloth_steps, 71, Wrap::tube, Cloth::springs, 1.0 / 60);
  once("garment/projective", cloth_steps, 71, Wrap::tube, Cloth::projective, 1.0 / 60);
  once("curtain", cloth_steps, 21, Wrap::sheet, Cloth::springs, 1.0 / 30);
  return true;
}

[[maybe_unused]] const bool kRegistered = register_all();

}  // namespace
}  // namespace pliant
