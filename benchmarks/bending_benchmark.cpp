// Bending of cloth: gradient, exact Hessian and assembly, against code that works hinge by hinge.
//
//   bending_benchmark                              everything; some minutes, most of them the slow baselines
//   bending_benchmark --benchmark_filter=ours      only ours
//
// Model: a square sheet of right triangles (alternating diagonals), numbered along a Hilbert curve, bent to waves and
// shaken by a tenth of a cell, stiffness random per hinge, law `tan` unless named. 316² vertices (100 k); the sweep
// goes from 1 k to 1 M. All of them add value, gradient and exact Hessian to the same matrix through slots that are
// known.
//   ours          pliant/energy/cloth/hinge_bending
//   per_hinge     the printed formulas, one hinge at a time (tests/energy/cloth/hinge_oracle.h)
//   eigen_jets    the energy of a hinge differentiated by Eigen's AutoDiffScalar of AutoDiffScalar, twelve variables
// Counters: ns_per_triangle (best of the iterations); error = distance of the matrix from ours relative to its size,
// both in the Frobenius norm, in units of 2⁻⁵³. One-thread times are the thread's processor time, so that other
// programs on the machine do not count; clearing the matrix is outside the clock.
#include <benchmark/benchmark.h>
#include <time.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <unsupported/Eigen/AutoDiff>
#include <vector>

#include "pliant/energy/cloth/hinge_bending.h"
#include "pliant/mesh/grid_sheet.h"
#include "pliant/mesh/ordering.h"
#include "pliant/parallel/parallel.h"
#include "tests/energy/cloth/hinge_oracle.h"

namespace pliant {
namespace {

using cloth::HingeBending;
using cloth::HingeLaw;
using cloth::HingeParameters;

enum class Method { ours, per_hinge, eigen_jets };

double seconds_of_thread() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of_wall() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// --- The model ---

struct Sheet {
  std::vector<std::array<int, 3>> triangles;
  SheetHinges found;
  std::vector<HingeParameters> elastic, viscous;
  ElementBatch<4> hinges;
  std::vector<int> hinge_order;
  std::shared_ptr<const sparse::BlockPattern> pattern;
  BlockVector now, before, gradient;
  sparse::SymmetricBlockMatrix matrix;
  Controls controls;

  explicit Sheet(int side) {
    const double cell = 1.0 / side;
    const TriangleMesh grid =
        make_grid({.size = {1, 1}, .cells = {side - 1, side - 1}, .pattern = GridPattern::alternating});
    const TriangleMesh mesh = renumber(grid, hilbert_order(grid.vertices));
    for (const Vec3i& t : mesh.triangles) triangles.push_back({t[0], t[1], t[2]});
    found = find_hinges(triangles);

    std::mt19937 random(7);
    std::uniform_real_distribution<double> unit(-1, 1);
    const int count = static_cast<int>(mesh.vertices.size());
    now.resize(count), before.resize(count), gradient.resize(count);
    for (int v = 0; v < count; ++v) {
      const Vec3& x = mesh.vertices[v];
      const double a = unit(random), b = unit(random), c = unit(random);
      now[v] = x + Vec3(0, 0.1 * std::sin(9 * x.x() + 4 * x.z()), 0) + 0.1 * cell * Vec3(a, b, c);
      before[v] = now[v] + 0.02 * cell * Vec3(b, c, a);
    }
    for (const Hinge& hinge : found.hinges) {
      HingeParameters p = cloth::hinge_at_rest(hinge, mesh.vertices);
      p.stiffness = 1e-4 * (1.5 + unit(random));
      elastic.push_back(p);
      p.viscosity = 1e-6;
      viscous.push_back(p);
    }

    // Hinges in the order of their vertices, as a batch of their own would have them.
    std::vector<std::array<int, 4>> stencils;
    for (const Hinge& hinge : found.hinges) stencils.push_back(hinge.vertex);
    hinge_order = order_by_blocks<4>(stencils);
    std::vector<std::array<int, 4>> sorted;
    for (const int h : hinge_order) sorted.push_back(stencils[h]);
    hinges = ElementBatch<4>(sorted, count);

    sparse::PatternBuilder builder(count);
    hinges.couple(builder);
    pattern = builder.build();
    hinges.find_slots(*pattern);
    matrix = sparse::SymmetricBlockMatrix(pattern);
  }

  [[nodiscard]] HingeBending energy(HingeLaw law, const std::vector<HingeParameters>& parameters) const {
    HingeBending result(law, triangles, found.hinges, parameters);
    result.find_slots(*pattern);
    return result;
  }
};

Sheet& sheet(int side) {
  static std::map<int, std::unique_ptr<Sheet>> sheets;
  std::unique_ptr<Sheet>& found = sheets[side];
  if (!found) found = std::make_unique<Sheet>(side);
  return *found;
}

// --- Automatic differentiation ---

using FirstJet = Eigen::AutoDiffScalar<Eigen::Matrix<double, 12, 1>>;
using EigenJet = Eigen::AutoDiffScalar<Eigen::Matrix<FirstJet, 12, 1>>;

FirstJet first_jet(double v, int i) { return {v, 12, i}; }

// ψ of the tan law for a flat rest state, K = 1, from coordinates: t² = tan²(θ/2) = (1 − cos θ)/(1 + cos θ), which is
// smooth through θ = 0, with cos θ from the normals as they come out of the cross products.
template <class T>
T tan_energy(const T x[4][3]) {
  using std::sqrt;
  T e[3], a[3], b[3];
  for (int i = 0; i < 3; ++i) {
    e[i] = x[2][i] - x[1][i];
    a[i] = x[0][i] - x[2][i];
    b[i] = x[1][i] - x[3][i];
  }
  T n[3], far[3];
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    n[i] = e[j] * a[k] - e[k] * a[j];
    far[i] = e[j] * b[k] - e[k] * b[j];
  }
  const T product = n[0] * far[0] + n[1] * far[1] + n[2] * far[2];
  const T squared = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) * (far[0] * far[0] + far[1] * far[1] + far[2] * far[2]);
  const T lengths = sqrt(squared);
  return T(4.0) * (lengths - product) / (lengths + product);
}

using Vec12 = Eigen::Matrix<double, 12, 1>;
using Mat12 = Eigen::Matrix<double, 12, 12>;

double differentiate(const oracle::Stencil<double>& x, Vec12& gradient, Mat12& hessian) {
  EigenJet point[4][3];
  for (int i = 0; i < 12; ++i) {
    EigenJet& p = point[i / 3][i % 3];
    p.value() = first_jet(x[i / 3][i % 3], i);
    for (int j = 0; j < 12; ++j) p.derivatives()[j] = FirstJet(i == j ? 1.0 : 0.0, Vec12::Zero());
  }
  const EigenJet psi = tan_energy(point);
  gradient = psi.value().derivatives();
  for (int i = 0; i < 12; ++i) hessian.col(i) = psi.derivatives()[i].derivatives();
  return psi.value().value();
}

// --- The three ways ---

double evaluate_hinge_by_hinge(Sheet& s, Method method, HingeLaw law) {
  return s.hinges.for_each_chunk(Writes::blocks, [&](int first, int last) {
    double value = 0;
    for (int e = first; e < last; ++e) {
      const std::array<int, 4>& v = s.hinges[e];
      const auto& slots = s.hinges.slots(e);
      const HingeParameters& p = s.elastic[s.hinge_order[e]];
      const oracle::Stencil<double> x = {s.now[v[0]], s.now[v[1]], s.now[v[2]], s.now[v[3]]};
      if (method == Method::per_hinge) {
        const oracle::HingeResult<double> r = oracle::evaluate_hinge<double>(law, p, x, x, 0);
        value += r.value;
        for (int i = 0; i < 4; ++i) s.gradient[v[i]] += r.gradient[i];
        for (int pair = 0; pair < 10; ++pair) add_block(s.matrix, slots[pair], r.hessian[pair]);
        continue;
      }
      const double k = p.stiffness / 6 * 3 * p.rest_edge_length * p.rest_edge_length / p.rest_area;
      Vec12 gradient;
      Mat12 hessian;
      value += k * differentiate(x, gradient, hessian);
      for (int i = 0; i < 4; ++i) {
        s.gradient[v[i]] += k * gradient.segment<3>(3 * i);
        for (int j = i; j < 4; ++j) {
          add_block(s.matrix, slots[pair_index<4>(i, j)], k * hessian.block<3, 3>(3 * i, 3 * j));
        }
      }
    }
    return value;
  });
}

double difference_in_ulps(const std::vector<double>& a, const double* b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += a[i] * a[i];
  }
  return std::sqrt(difference / size) / 0x1p-53;
}

void measure(benchmark::State& state, Method method, HingeLaw law, int side, int threads) {
  Sheet& s = sheet(side);
  set_thread_count(threads);
  const HingeBending energy = s.energy(law, s.elastic);
  const Configuration q{s.now, s.before, 0.01, s.controls};
  double value = 0, best = 1e30;
  Accumulator out{&value, &s.gradient, &s.matrix, HessianKind::exact};
  for (auto _ : state) {
    state.PauseTiming();
    sparse::set_zero(s.gradient);
    s.matrix.set_zero();
    state.ResumeTiming();
    const double start = threads == 1 ? seconds_of_thread() : seconds_of_wall();
    if (method == Method::ours) {
      energy.evaluate(q, out);
    } else {
      value += evaluate_hinge_by_hinge(s, method, law);
    }
    best = std::min(best, (threads == 1 ? seconds_of_thread() : seconds_of_wall()) - start);
    benchmark::DoNotOptimize(value);
  }
  state.counters["ns_per_triangle"] = 1e9 * best / static_cast<double>(s.triangles.size());
  if (method != Method::ours) {
    const std::vector<double> theirs(s.matrix.values(), s.matrix.values() + 9 * s.pattern->slot_count());
    s.matrix.set_zero();
    energy.evaluate(q, out);
    state.counters["error"] = difference_in_ulps(theirs, s.matrix.values());
  }
  set_thread_count(0);
}

enum class Task { value, gradient, projected, exact };

// Ours by task, elastic or with viscosity.
void measure_task(benchmark::State& state, HingeLaw law, Task task, int viscous) {
  Sheet& s = sheet(316);
  set_thread_count(1);
  const HingeBending energy = s.energy(law, viscous != 0 ? s.viscous : s.elastic);
  const Configuration q{s.now, s.before, 0.01, s.controls};
  double value = 0, best = 1e30;
  Accumulator out{.value = &value, .hessian_kind = task == Task::exact ? HessianKind::exact : HessianKind::projected};
  if (task != Task::value) out.gradient = &s.gradient;
  if (task == Task::projected || task == Task::exact) out.hessian = &s.matrix;
  for (auto _ : state) {
    state.PauseTiming();
    sparse::set_zero(s.gradient);
    s.matrix.set_zero();
    state.ResumeTiming();
    const double start = seconds_of_thread();
    energy.evaluate(q, out);
    best = std::min(best, seconds_of_thread() - start);
    benchmark::DoNotOptimize(value);
  }
  set_thread_count(0);
  state.counters["ns_per_triangle"] = 1e9 * best / static_cast<double>(s.triangles.size());
}

bool register_all() {
  const std::pair<const char*, Method> methods[] = {{"ours", Method::ours},
                                                    {"per_hinge", Method::per_hinge},

                                                    {"eigen_jets", Method::eigen_jets}};
  for (const int threads : {1, 2}) {
    for (const auto& [name, method] : methods) {
      const std::string full = std::string(name) + "/exact/vertices:100k/threads:" + std::to_string(threads);
      benchmark::RegisterBenchmark(full.c_str(), measure, method, HingeLaw::tan, 316, threads)
          ->Unit(benchmark::kMillisecond)
          ->Iterations(method == Method::ours ? 30 : 5);
    }
  }
  for (const int side : {32, 56, 100, 178, 316, 562, 1000}) {
    const std::string full = "ours/sweep/vertices:" + std::to_string(side * side);
    benchmark::RegisterBenchmark(full.c_str(), measure, Method::ours, HingeLaw::tan, side, 1)
        ->Unit(benchmark::kMillisecond)
        ->Iterations(side < 200 ? 200 : 10);
  }
  const std::pair<const char*, HingeLaw> laws[] = {{"tan", HingeLaw::tan},
                                                   {"angle", HingeLaw::angle},
                                                   {"willmore", HingeLaw::willmore},
                                                   {"bridson", HingeLaw::bridson}};
  const std::pair<const char*, Task> tasks[] = {
      {"value", Task::value}, {"gradient", Task::gradient}, {"projected", Task::projected}, {"exact", Task::exact}};
  for (const auto& [law_name, law] : laws) {
    for (const auto& [task_name, task] : tasks) {
      for (const int viscous : {0, 1}) {
        const std::string full =
            std::string("ours/") + law_name + "/" + task_name + (viscous != 0 ? "/viscous" : "/elastic");
        benchmark::RegisterBenchmark(full.c_str(), measure_task, law, task, viscous)
            ->Unit(benchmark::kMillisecond)
            ->Iterations(20);
      }
    }
  }
  return true;
}

[[maybe_unused]] const bool kRegistered = register_all();

}  // namespace
}  // namespace pliant
