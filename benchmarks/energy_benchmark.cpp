// Speed of the solid energies, in nanoseconds per tet, against plain scalar code measured in the same run.
//
//   energy_benchmark                                   all laws, all tasks, one and two threads
//   energy_benchmark --benchmark_filter=neo_hookean    only some
//
// Model: a box of 27³ cells, five tets each (98 415 tets, 21 952 vertices), vertices jittered, μ and λ random per tet,
// bent and twisted by a smooth large deformation plus noise. Variants: `inverted` has so much noise that a quarter of
// the tets are inside out; `shuffled` numbers the vertices at random instead of along a Hilbert curve. Tasks: value;
// gradient (value and gradient); hessian (value, gradient, projected Hessian, assembly into the matrix). Counters:
// ns_per_tet = best of the iterations; speedup = scalar code's time for the same task over ours, where the scalar code
// is tests/energy/scalar_oracle.h: Eigen, one tet at a time, dense eigenvalue projection, triplets. One-thread times
// are the thread's processor time, so that other programs on the machine do not count.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "pliant/energy/solid/arap.h"
#include "pliant/energy/solid/corotated.h"
#include "pliant/energy/solid/fibre.h"
#include "pliant/energy/solid/linear.h"
#include "pliant/energy/solid/mooney_rivlin.h"
#include "pliant/energy/solid/neo_hookean.h"
#include "pliant/energy/solid/polynomial.h"
#include "pliant/energy/solid/spline.h"
#include "pliant/energy/solid/st_venant_kirchhoff.h"
#include "pliant/energy/solid/stable_neo_hookean.h"
#include "pliant/energy/solid/strain_rate_damping.h"
#include "pliant/mesh/box_mesh.h"
#include "pliant/mesh/ordering.h"
#include "pliant/parallel/parallel.h"
#include "tests/energy/scalar_oracle_definitions.h"

namespace pliant {
namespace {

constexpr int kCells = 27;
enum class Variant { smooth, inverted, shuffled };
enum class Task { value, gradient, hessian };

double seconds_of_thread() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of_wall() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// --- The model ---

// A bar turned about its length, bent and stretched: rotations up to a radian, strains up to a half.
Vec3 deform(const Vec3& x) {
  const double angle = 1.2 * x.z(), stretch = 1.15 + 0.25 * std::sin(3 * x.x());
  const double c = std::cos(angle), s = std::sin(angle);
  return {stretch * (c * x.x() - s * x.y()), c * x.y() + s * x.x() + 0.3 * x.z() * x.z(),
          0.9 * x.z() + 0.2 * x.x() * x.y()};
}

double signed_volume(const Vec4i& t, const std::vector<Vec3>& x) {
  return (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]).dot(x[t[3]] - x[t[0]]);
}

// Noise as a multiple of the cell size with which the wanted share of the tets is inside out.
double noise_for(double share, const TetMesh& mesh, const std::vector<Vec3>& smooth, const std::vector<Vec3>& noise) {
  double low = 0, high = 2;
  for (int i = 0; i < 20; ++i) {
    const double middle = 0.5 * (low + high);
    std::vector<Vec3> x(smooth.size());
    for (std::size_t v = 0; v < x.size(); ++v) x[v] = smooth[v] + middle / kCells * noise[v];
    const auto inside_out =
        std::count_if(mesh.tets.begin(), mesh.tets.end(), [&](const Vec4i& t) { return signed_volume(t, x) < 0; });
    (static_cast<double>(inside_out) < share * static_cast<double>(mesh.tets.size()) ? low : high) = middle;
  }
  return high;
}

struct Model {
  TetMesh mesh;
  std::vector<Vec3> moved;
  std::vector<std::vector<double>> parameters;  // μ, λ, and a third one
  std::shared_ptr<solid::TetElements> elements;
  std::shared_ptr<const sparse::BlockPattern> pattern;
  BlockVector now, before, gradient;
  sparse::SymmetricBlockMatrix matrix;
  Controls controls;

  explicit Model(Variant variant) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> unit(-1, 1);
    const auto random_vector = [&] {
      const double x = unit(random), y = unit(random), z = unit(random);
      return Vec3(x, y, z);
    };
    TetMesh box = make_box({Vec3(1, 1, 1), {kCells, kCells, kCells}});
    for (Vec3& x : box.vertices) x += 0.15 / kCells * random_vector();
    std::vector<int> order = hilbert_order(box.vertices);
    if (variant == Variant::shuffled) std::shuffle(order.begin(), order.end(), random);
    mesh = renumber(box, order);

    std::vector<Vec3> noise(mesh.vertices.size());
    for (Vec3& n : noise) n = random_vector();
    for (const Vec3& x : mesh.vertices) moved.push_back(deform(x));
    const double amplitude = variant == Variant::inverted ? noise_for(0.25, mesh, moved, noise) : 0.05;
    for (std::size_t v = 0; v < moved.size(); ++v) moved[v] += amplitude / kCells * noise[v];

    parameters.assign(3, std::vector<double>(mesh.tets.size()));
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
      parameters[0][t] = 1e5 * (1.5 + unit(random));
      parameters[1][t] = 1e6 * (1.5 + unit(random));
      parameters[2][t] = 1e7 * (1.5 + unit(random));
    }

    const int count = static_cast<int>(mesh.vertices.size());
    elements = std::make_shared<solid::TetElements>(mesh.tets, mesh.vertices);
    sparse::PatternBuilder builder(count);
    elements->couple(builder);
    pattern = builder.build();
    elements->find_slots(*pattern);
    now.resize(count), before.resize(count), gradient.resize(count);
    for (int v = 0; v < count; ++v) now[v] = moved[v], before[v] = deform(mesh.vertices[v]);
    matrix = sparse::SymmetricBlockMatrix(pattern);
  }
};

Model& model(Variant variant) {
  static std::map<Variant, std::unique_ptr<Model>> models;
  std::unique_ptr<Model>& found = models[variant];
  if (!found) found = std::make_unique<Model>(variant);
  return *found;
}

// --- The scalar code ---

// Best seconds per tet of the plain neo-Hookean code on a thousand tets.
double scalar_seconds(Task task) {
  static std::map<Task, double> known;
  if (const auto found = known.find(task); found != known.end()) return found->second;
  const Model& m = model(Variant::smooth);
  const int count = 1000;
  const oracle::Mesh mesh{std::span(m.mesh.tets).first(count), m.mesh.vertices, m.moved};
  const auto law_of = [&](int t) { return oracle::neo_hookean(m.parameters[0][t], m.parameters[1][t]); };
  double best = 1e30;
  for (int repetition = 0; repetition < 30; ++repetition) {
    const double start = seconds_of_thread();
    if (task == Task::hessian) {
      benchmark::DoNotOptimize(oracle::assemble(mesh, law_of, oracle::Kind::projected).value);
    } else {
      double value = 0;
      Eigen::VectorXd gradient = Eigen::VectorXd::Zero(3 * static_cast<int>(m.moved.size()));
      for (int t = 0; t < count; ++t) {
        const oracle::Element element = oracle::element_of(mesh, t);
        const oracle::LawPointer law = law_of(t);
        value += element.volume * law->density(element.f);
        if (task == Task::value) continue;
        const oracle::Vec12 g = oracle::gradient(*law, element);
        for (int c = 0; c < 4; ++c) gradient.segment<3>(3 * m.mesh.tets[t][c]) += g.segment<3>(3 * c);
      }
      benchmark::DoNotOptimize(value);
      benchmark::DoNotOptimize(gradient.data());
    }
    best = std::min(best, seconds_of_thread() - start);
  }
  return known[task] = best / count;
}

void measure_scalar(benchmark::State& state, Task task) {
  for (auto _ : state) benchmark::DoNotOptimize(scalar_seconds(task));
  state.counters["ns_per_tet"] = 1e9 * scalar_seconds(task);
}

// --- Ours ---

using EnergyMaker = std::unique_ptr<Energy> (*)(const Model&);

template <class Law>
std::unique_ptr<Energy> make(const Model& m) {
  return std::make_unique<solid::HyperelasticTets<Law>>(
      m.elements, Law{}, std::span(m.parameters).first(static_cast<std::size_t>(Law::kParameterCount)));
}

std::unique_ptr<Energy> make_extrapolated(const Model& m) {
  return std::make_unique<solid::HyperelasticTets<solid::NeoHookean>>(
      m.elements, solid::NeoHookean{}, std::span(m.parameters).first(2),
      solid::HyperelasticOptions{.extrapolate_below = 0.1});
}

// Ten control points per curve, fitted to a neo-Hookean solid.
std::unique_ptr<Energy> make_spline(const Model& m) {
  std::vector<Vec2> a, c;
  for (int k = 0; k < 10; ++k) {
    const double x = 0.4 + 0.15 * k;
    a.emplace_back(x, 1e5 * x);
    c.emplace_back(x, (1e6 * std::log(x) - 1e5) / x);
  }
  solid::Spline law{{solid::StressCurve(a), solid::StressCurve(), solid::StressCurve(c)}};
  return std::make_unique<solid::HyperelasticTets<solid::Spline>>(m.elements, std::move(law),
                                                                  std::span(m.parameters).first(0));
}

std::unique_ptr<Energy> make_fibre(const Model& m) {
  const std::vector<Vec3> directions(m.mesh.tets.size(), Vec3(0.6, 0, 0.8));
  return std::make_unique<solid::Fibre>(m.elements, directions, m.parameters[0]);
}

std::unique_ptr<Energy> make_damping(const Model& m) {
  return std::make_unique<solid::StrainRateDamping>(m.elements, m.parameters[0], m.parameters[1]);
}

void measure(benchmark::State& state, EnergyMaker make_energy, Variant variant, Task task, int threads) {
  const double scalar = scalar_seconds(task);
  Model& m = model(variant);
  const std::unique_ptr<Energy> energy = make_energy(m);
  set_thread_count(threads);
  const Configuration q{m.now, m.before, 0.01, m.controls};
  double value = 0, best = 1e30;
  Accumulator out{.value = &value};
  if (task != Task::value) out.gradient = &m.gradient;
  if (task == Task::hessian) out.hessian = &m.matrix;
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
  const double tets = m.elements->tet_count();
  state.counters["ns_per_tet"] = 1e9 * best / tets;
  state.counters["speedup"] = scalar * tets / best;
}

// Bytes that the elements and the matrix take.
void measure_memory(benchmark::State& state) {
  const Model& m = model(Variant::smooth);
  for (auto _ : state) benchmark::DoNotOptimize(m.elements->memory_bytes());
  const double tets = m.elements->tet_count(), vertices = m.now.size();
  const double parameters = 2 * sizeof(double) * tets, matrix = 76.0 * m.pattern->slot_count();
  state.counters["elements_per_tet"] = static_cast<double>(m.elements->memory_bytes()) / tets;
  state.counters["parameters_per_tet"] = parameters / tets;
  state.counters["matrix_per_vertex"] = matrix / vertices;
  state.counters["all_per_vertex"] = (static_cast<double>(m.elements->memory_bytes()) + parameters + matrix) / vertices;
}

bool register_all() {
  const std::pair<const char*, EnergyMaker> energies[] = {
      {"neo_hookean", make<solid::NeoHookean>},
      {"stable_neo_hookean", make<solid::StableNeoHookean>},
      {"st_venant_kirchhoff", make<solid::StVenantKirchhoff>},
      {"corotated", make<solid::Corotated>},
      {"linear", make<solid::Linear>},
      {"arap", make<solid::Arap>},
      {"mooney_rivlin", make<solid::MooneyRivlin>},
      {"polynomial", make<solid::Polynomial>},
      {"spline", make_spline},
      {"neo_hookean_extrapolated", make_extrapolated},
      {"fibre", make_fibre},
      {"strain_rate_damping", make_damping},
  };
  const std::pair<const char*, Task> tasks[] = {
      {"value", Task::value}, {"gradient", Task::gradient}, {"hessian", Task::hessian}};
  const std::pair<const char*, Variant> variants[] = {
      {"smooth", Variant::smooth}, {"inverted", Variant::inverted}, {"shuffled", Variant::shuffled}};
  for (const auto& [task_name, task] : tasks) {
    benchmark::RegisterBenchmark((std::string("scalar/") + task_name).c_str(), measure_scalar, task)->Iterations(1);
  }
  for (const auto& [name, maker] : energies) {
    for (const auto& [task_name, task] : tasks) {
      for (const auto& [variant_name, variant] : variants) {
        for (const int threads : {1, 2}) {
          const std::string full =
              std::string(name) + "/" + task_name + "/" + variant_name + "/threads:" + std::to_string(threads);
          benchmark::RegisterBenchmark(full.c_str(), measure, maker, variant, task, threads)
              ->Unit(benchmark::kMillisecond)
              ->Iterations(25);
        }
      }
    }
  }
  benchmark::RegisterBenchmark("memory_bytes", measure_memory)->Iterations(1);
  return true;
}

[[maybe_unused]] const bool kRegistered = register_all();

}  // namespace
}  // namespace pliant
