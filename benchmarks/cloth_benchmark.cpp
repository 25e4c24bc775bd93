// Speed of the membranes of cloth, in nanoseconds per triangle.
//
//   cloth_benchmark                                 all energies and tasks, one and two threads
//   cloth_benchmark --benchmark_filter=hessian      only some
//
// Model: a square sheet of 316 × 316 cells (100 489 vertices, 199 712 triangles), numbered row by row, waved, stretched
// and shaken so that about half of the triangles are compressed along some direction. Tasks: value; gradient (value
// and gradient); exact and projected (value, gradient, Hessian and assembly into the matrix). `ns_per_triangle` is the
// best of the iterations; one-thread times are the thread's processor time, so that other programs on the machine do
// not count.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "pliant/energy/cloth/edge_membrane.h"
#include "pliant/energy/cloth/membrane_damping.h"
#include "pliant/energy/cloth/stretch_membrane.h"
#include "pliant/mesh/grid_sheet.h"
#include "pliant/parallel/parallel.h"

namespace pliant {
namespace {

constexpr int kCells = 316;
enum class Task { value, gradient, exact, projected };

double seconds_of_thread() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of_wall() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Model {
  cloth::MembraneSheet sheet;
  BlockVector now, before, gradient;
  sparse::SymmetricBlockMatrix matrix;
  Controls controls;

  Model() {
    const TriangleMesh grid =
        make_grid({.size = {1, 1}, .cells = {kCells, kCells}, .pattern = GridPattern::alternating});
    const int count = static_cast<int>(grid.vertices.size());
    now.resize(count), before.resize(count), gradient.resize(count);
    std::mt19937 random(1);
    const auto noise = [&] { return 0.1 / kCells * (random() / 2147483648.0 - 1); };
    for (int v = 0; v < count; ++v) {
      const Vec3& x = grid.vertices[v];
      before[v] = x;
      now[v] = Vec3(1.02 * x.x() + noise(), 0.05 * std::sin(12 * x.x() + 5 * x.z()) + noise(), x.z() + noise());
    }
    for (const Vec3i& t : grid.triangles) {
      sheet.triangles.push_back(t);
      sheet.rest.push_back(
          *cloth::triangle_rest({grid.texture[t[0]], grid.texture[t[1]], grid.texture[t[2]]}, Vec2(0.8, 0.6)));
    }
    sheet.block_count = count;
  }
};

Model& model() {
  static Model m;
  return m;
}

using EnergyMaker = std::function<std::unique_ptr<Energy>(Model&)>;

// Builds an energy and, for the first one, the matrix: all have the same pattern.
template <class E, class Parameters>
EnergyMaker maker(const Parameters& parameters) {
  return [=](Model& m) {
    auto energy = std::make_unique<E>(m.sheet, std::vector<Parameters>(m.sheet.triangles.size(), parameters));
    if (m.matrix.values() == nullptr) {
      sparse::PatternBuilder builder(m.sheet.block_count);
      energy->couple(builder);
      m.matrix = sparse::SymmetricBlockMatrix(builder.build());
    }
    energy->find_slots(m.matrix.pattern());
    return energy;
  };
}

void measure(benchmark::State& state, const EnergyMaker& make_energy, Task task, int threads) {
  Model& m = model();
  const std::unique_ptr<Energy> energy = make_energy(m);
  set_thread_count(threads);
  const Configuration q{m.now, m.before, 0.01, m.controls};
  double value = 0, best = 1e30;
  Accumulator out{.value = &value};
  if (task != Task::value) out.gradient = &m.gradient;
  if (task == Task::exact || task == Task::projected) out.hessian = &m.matrix;
  out.hessian_kind = task == Task::exact ? HessianKind::exact : HessianKind::projected;
  for (auto _ : state) {
    // Results are added: clearing, outside the clock, keeps them finite.
    state.PauseTiming();
    sparse::set_zero(m.gradient);
    m.matrix.set_zero();
    state.ResumeTiming();
    const double start = threads == 1 ? seconds_of_thread() : seconds_of_wall();
    energy->evaluate(q, out);
    best = std::min(best, (threads == 1 ? seconds_of_thread() : seconds_of_wall()) - start);
    benchmark::DoNotOptimize(value);
  }
  set_thread_count(0);
  state.counters["ns_per_triangle"] = 1e9 * best / static_cast<double>(m.sheet.triangles.size());
}

bool register_all() {
  const cloth::OrthotropicCoefficients woven =
      cloth::coefficients(cloth::OrthotropicModuli{.young_warp = 900, .young_weft = 350, .poisson = 0.3, .shear = 45});
  const cloth::LameParameters rubber = cloth::lame_parameters({.young = 400, .poisson = 0.3});
  const cloth::StrainLimit::Parameters limits{.min = 0.95, .max = 1.05, .stiffness = 1000};
  const std::pair<const char*, EnergyMaker> energies[] = {
      {"orthotropic", maker<cloth::EdgeMembrane<cloth::StVenantKirchhoff>>(woven)},
      {"membrane_damping", maker<cloth::MembraneDamping>(woven.times(0.001))},
      {"neo_hookean", maker<cloth::StretchMembrane<cloth::NeoHookean>>(rubber)},
      {"corotated", maker<cloth::StretchMembrane<cloth::Corotated>>(rubber)},
      {"strain_limit", maker<cloth::StretchMembrane<cloth::StrainLimit>>(limits)},
  };
  const std::pair<const char*, Task> tasks[] = {{"value", Task::value},
                                                {"gradient", Task::gradient},
                                                {"hessian_exact", Task::exact},
                                                {"hessian_projected", Task::projected}};
  for (const auto& [name, make_energy] : energies) {
    for (const auto& [task_name, task] : tasks) {
      for (const int threads : {1, 2}) {
        const std::string full = std::string(name) + "/" + task_name + "/threads:" + std::to_string(threads);
        benchmark::RegisterBenchmark(full.c_str(),
                                     [make = make_energy, task = task, threads](benchmark::State& state) {
                                       measure(state, make, task, threads);
                                     })
            ->Unit(benchmark::kMillisecond)
            ->Iterations(25);
      }
    }
  }
  return true;
}

[[maybe_unused]] const bool kRegistered = register_all();

}  // namespace
}  // namespace pliant
