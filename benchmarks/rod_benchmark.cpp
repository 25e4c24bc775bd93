// Cost of one Newton iteration of backward Euler on 1000 rods of 30 vertices (119 unknowns each): assembly, and the
// linear system by a banded factorisation per rod or by one sparse Cholesky factorisation of all.
//
//   rod_benchmark --benchmark_repetitions=5 --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>

#include <cmath>

#include "pliant/energy/rod/elastic_rods.h"
#include "pliant/energy/rod/section.h"
#include "pliant/linear/banded.h"
#include "pliant/linear/cholesky.h"
#include "pliant/parallel/parallel.h"

namespace pliant::rod {
namespace {

constexpr int kRods = 1000, kVertices = 30;
constexpr double kEdge = 0.005;                                  // m
constexpr double kStep = 0.01;                                   // s
constexpr double kYoung = 4e9, kShear = 1.5e9, kDensity = 1300;  // hair: Pa, Pa, kg/m³

// Curls hanging side by side, moved a little from where their frames are.
class Hair {
 public:
  Hair() : section_(ellipse(4e-5, 3e-5)) {
    std::vector<RodEdgeRest> edges;
    std::vector<RodJointRest> joints;
    for (int rod = 0; rod < kRods; ++rod) add_rod(edges, joints);
    before_ = now_ = BlockVector(layout_.block_count());
    for (int rod = 0; rod < kRods; ++rod) {
      for (int i = 0; i < kVertices; ++i) {
        const int block = layout_.first_block(rod) + 2 * i;
        const double angle = 0.4 * i;
        const Vec3 place(0.01 * (rod % 40), 0.01 * (rod / 40), 0);
        before_[block] = place + Vec3(0.004 * std::cos(angle), 0.004 * std::sin(angle), -0.0046 * i);
        now_[block] = before_[block] + 2e-4 * std::sin(0.3 * i + rod) * Vec3(1, 0.5, 0);
        if (i + 1 < kVertices) now_[block + 1][0] = 0.02 * std::cos(0.5 * i + rod);
      }
    }
    frames_ = frames_along(topology_, before_, Vec3::UnitX());
    const std::vector<JointStrain> strains = measure(topology_, before_, frames_);
    for (std::size_t j = 0; j < joints.size(); ++j) {
      joints[j].curvature = strains[j].curvature;
      joints[j].twist = strains[j].twist;
    }
    energy_ = std::make_unique<ElasticRods>(topology_, edges, joints, layout_.block_count());
    sparse::PatternBuilder builder(layout_.block_count());
    energy_->couple(builder);
    const auto pattern = builder.build();
    energy_->find_slots(*pattern);
    matrix_ = sparse::SymmetricBlockMatrix(pattern);
    gradient_.resize(layout_.block_count());
    increment_.resize(layout_.block_count());
  }

  // M/h² + ∂²W, and ∂W as right-hand side.
  void assemble(HessianKind kind) {
    matrix_.set_zero();
    sparse::set_zero(gradient_);
    double value = 0;
    Accumulator out{.value = &value, .gradient = &gradient_, .hessian = &matrix_, .hessian_kind = kind};
    const Configuration q{.now = now_, .before = before_, .step = kStep, .controls = controls_, .frames = &frames_};
    energy_->evaluate(q, out);
    benchmark::DoNotOptimize(value);
    const double mass = kDensity * kEdge / (kStep * kStep);
    for (int i = 0; i < layout_.block_count(); ++i) {
      const bool point = layout_.kind(i) == BlockKind::point;
      matrix_.block(matrix_.pattern().diagonal_slot(i)).diagonal().array() +=
          mass * (point ? section_.area : section_.polar_moment);
    }
  }
  // Factorisation and one solve; false if that failed.
  bool solve(linear::LinearSolver& solver) {
    if (solver.factor(matrix_) != linear::LinearStatus::solved) return false;
    const linear::LinearReport report = solver.solve(gradient_, increment_);
    return report.status == linear::LinearStatus::solved;
  }
  [[nodiscard]] const DofLayout& layout() const { return layout_; }

 private:
  void add_rod(std::vector<RodEdgeRest>& edges, std::vector<RodJointRest>& joints) {
    std::vector<BlockKind> kinds(2 * kVertices - 1);
    for (int i = 0; i < 2 * kVertices - 1; ++i) kinds[i] = i % 2 == 0 ? BlockKind::point : BlockKind::rod_twist;
    const int first = layout_.add_body("hair", kinds, section_.bounding_radius);
    for (int i = 0; i + 1 < kVertices; ++i) {
      if (i > 0) {
        const int edge = static_cast<int>(topology_.edges.size());
        topology_.joints.push_back({edge - 1, edge});
        joints.push_back({.length = kEdge,
                          .bend_stiffness = kYoung * section_.second_moment,
                          .twist_stiffness = kShear * section_.torsion_constant});
      }
      topology_.edges.push_back({first + 2 * i, first + 2 * i + 2, first + 2 * i + 1});
      edges.push_back({.length = kEdge, .stretch_stiffness = kYoung * section_.area});
    }
  }

  Section section_;
  DofLayout layout_;
  RodTopology topology_;
  RodFrames frames_;
  Controls controls_;
  BlockVector before_, now_, gradient_, increment_;
  sparse::SymmetricBlockMatrix matrix_;
  std::unique_ptr<ElasticRods> energy_;
};

Hair& hair() {
  static Hair instance;
  return instance;
}

void assembly(benchmark::State& state, HessianKind kind) {
  set_thread_count(static_cast<int>(state.range(0)));
  for (auto _ : state) hair().assemble(kind);
}

// Numbers only: the analysis is kept.
void system_of(benchmark::State& state, linear::LinearSolver& solver) {
  set_thread_count(static_cast<int>(state.range(0)));
  hair().assemble(HessianKind::projected);
  if (!hair().solve(solver)) state.SkipWithError("not solved");
  for (auto _ : state) benchmark::DoNotOptimize(hair().solve(solver));
}
void step_of(benchmark::State& state, linear::LinearSolver& solver) {
  set_thread_count(static_cast<int>(state.range(0)));
  hair().assemble(HessianKind::projected);
  if (!hair().solve(solver)) state.SkipWithError("not solved");
  for (auto _ : state) {
    hair().assemble(HessianKind::projected);
    benchmark::DoNotOptimize(hair().solve(solver));
  }
}

void banded_system(benchmark::State& state) {
  linear::BandedCholesky solver(hair().layout());
  system_of(state, solver);
}
void cholesky_system(benchmark::State& state) {
  linear::Cholesky solver;
  system_of(state, solver);
}
void banded_step(benchmark::State& state) {
  linear::BandedCholesky solver(hair().layout());
  step_of(state, solver);
}
void cholesky_step(benchmark::State& state) {
  linear::Cholesky solver;
  step_of(state, solver);
}

// A new solver each time.
void banded_with_analysis(benchmark::State& state) {
  set_thread_count(static_cast<int>(state.range(0)));
  hair().assemble(HessianKind::projected);
  for (auto _ : state) {
    linear::BandedCholesky solver(hair().layout());
    benchmark::DoNotOptimize(hair().solve(solver));
  }
}
void cholesky_with_analysis(benchmark::State& state) {
  set_thread_count(static_cast<int>(state.range(0)));
  hair().assemble(HessianKind::projected);
  for (auto _ : state) {
    linear::Cholesky solver;
    benchmark::DoNotOptimize(hair().solve(solver));
  }
}

void arguments(benchmark::internal::Benchmark* b) {
  b->Arg(1)->Arg(2)->ArgName("threads")->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK_CAPTURE(assembly, projected, HessianKind::projected)->Apply(arguments);
BENCHMARK_CAPTURE(assembly, exact, HessianKind::exact)->Apply(arguments);
BENCHMARK(banded_system)->Apply(arguments);
BENCHMARK(cholesky_system)->Apply(arguments);
BENCHMARK(banded_with_analysis)->Apply(arguments);
BENCHMARK(cholesky_with_analysis)->Apply(arguments);
BENCHMARK(banded_step)->Apply(arguments);
BENCHMARK(cholesky_step)->Apply(arguments);

}  // namespace
}  // namespace pliant::rod

BENCHMARK_MAIN();
