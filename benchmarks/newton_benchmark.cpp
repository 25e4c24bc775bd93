// One Newton iteration on 100k tets, stage by stage, against CHOLMOD's one-thread factorisation of the same matrix.
//
// Everything except the numeric factorisation (gradient, Hessian and assembly, filter, right-hand side, triangular
// solves, one value of the line search) should cost at most a third of it. Counter `of_factorisation`: that ratio.
#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <vector>

#include "pliant/configuration/block_filter.h"
#include "pliant/configuration/configuration.h"
#include "pliant/energy/solid/stable_neo_hookean.h"
#include "pliant/energy/solid/tet_elements.h"
#include "pliant/linear/cholesky.h"
#include "pliant/mesh/box_mesh.h"
#include "pliant/mesh/ordering.h"
#include "pliant/parallel/parallel.h"

namespace pliant {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// A box of 27³ cells: 98,415 tets, 21,952 vertices, slightly sheared; one face held.
struct Problem {
  TetMesh mesh;
  std::shared_ptr<solid::TetElements> elements;
  std::shared_ptr<const sparse::BlockPattern> pattern;
  std::unique_ptr<Energy> energy;
  BlockVector x;
  Controls controls;

  Problem() {
    const TetMesh box = make_box({{1, 1, 1}, {27, 27, 27}});
    mesh = renumber(box, hilbert_order(box.vertices));
    elements = std::make_shared<solid::TetElements>(mesh.tets, mesh.vertices);
    sparse::PatternBuilder builder(static_cast<int>(mesh.vertices.size()));
    elements->couple(builder);
    pattern = builder.build();
    elements->find_slots(*pattern);
    const std::vector<std::vector<double>> parameters(2, std::vector<double>(mesh.tets.size(), 1e5));
    energy = std::make_unique<solid::HyperelasticTets<solid::StableNeoHookean>>(elements, solid::StableNeoHookean{},
                                                                                parameters);
    x.resize(static_cast<int>(mesh.vertices.size()));
    controls.filter = BlockFilter(x.size());
    for (int i = 0; i < x.size(); ++i) {
      const Vec3& rest = mesh.vertices[i];
      x[i] = rest + Vec3(0.1 * rest.y() * rest.y(), 0, 0.05 * rest.x());
      if (rest.x() < -0.499) controls.filter.hold(i);
    }
  }
};

void newton_iteration(benchmark::State& state) {
  set_thread_count(static_cast<int>(state.range(0)));
  Problem p;
  linear::Cholesky cholesky;
  cholesky.analyze(p.pattern);
  sparse::SymmetricBlockMatrix hessian(p.pattern);
  BlockVector gradient(p.x.size()), direction(p.x.size());
  const Configuration q{p.x, p.x, 0, p.controls};
  double factor_seconds = 0, other_seconds = 0;
  for (auto _ : state) {
    const double begin = now();
    double value = 0;
    Accumulator gradient_only{&value, &gradient, nullptr, HessianKind::projected};
    sparse::set_zero(gradient);
    p.energy->evaluate(q, gradient_only);
    sparse::set_zero(gradient);
    hessian.set_zero();
    Accumulator all{&value, &gradient, &hessian, HessianKind::projected};
    p.energy->evaluate(q, all);
    p.controls.filter.apply(gradient);
    p.controls.filter.apply(hessian);
    const double assembled = now();
    benchmark::DoNotOptimize(cholesky.factor(hessian));
    const double factored = now();
    benchmark::DoNotOptimize(cholesky.solve(gradient, direction));
    Accumulator value_only{&value, nullptr, nullptr, HessianKind::projected};
    p.energy->evaluate(q, value_only);
    other_seconds += (assembled - begin) + (now() - factored);
    factor_seconds += factored - assembled;
  }
  state.counters["of_factorisation"] = other_seconds / factor_seconds;
  state.counters["factor_ms"] = 1e3 * factor_seconds / static_cast<double>(state.iterations());
  state.counters["other_ms"] = 1e3 * other_seconds / static_cast<double>(state.iterations());
}
BENCHMARK(newton_iteration)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->Iterations(3)->UseRealTime();

}  // namespace
}  // namespace pliant
