// A model that takes another's place: what is carried over, and which matrix a solver is given afterwards.
#include "pliant/dynamics/revision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "pliant/mesh/tear.h"
#include "tests/dynamics/soft_model.h"

namespace pliant {
namespace {

using testing::SoftModel;

// A block of which one vertex is there twice, once with every tet it had and once with none: the same body with a loose
// particle that starts where the vertex is.
struct Doubled {
  SoftModel next;
  std::vector<int> source;

  explicit Doubled(int vertex, const std::vector<int>& pinned) {
    const int count = next.model.layout.block_count();
    testing::SoftBlock block;
    std::vector<double> masses = block.masses;
    masses.push_back(0.5 * masses[vertex]);
    masses[vertex] *= 0.5;
    next.model = {};
    ModelBody body;
    body.name = "block";
    body.rest = block.mesh;
    body.rest.vertices.push_back(Vec3(block.mesh.vertices[vertex]));
    for (int i = 0; i <= count; ++i) {
      body.block_of_vertex.push_back(i);
      body.vertex_of_block.push_back(i);
      source.push_back(i < count ? i : vertex);
    }
    next.model.bodies.push_back(std::move(body));
    next.model.layout.add_body("block", count + 1);
    next.model.inertia = Inertia(masses);
    sparse::PatternBuilder builder(count + 1);
    block.elements->couple(builder);
    next.model.pattern = builder.build();
    block.elements->find_slots(*next.model.pattern);
    next.model.energies.push_back(std::move(block.elastic));
    next.model.roles.push_back(EnergyRole::elastic);
    next.model.diagonal = 0.4;
    next.model.revision = 1;
    next.state.positions.resize(count + 1);
    std::vector<int> held = pinned;
    if (std::find(pinned.begin(), pinned.end(), vertex) != pinned.end()) held.push_back(count);
    if (!held.empty()) (void)next.pin(held);
  }
};

TEST(Revision, CopiesTakeOverPlaceSpeedHistoryAndAnchors) {
  SoftModel first;
  const int vertex = first.lower_end[1];
  (void)first.pin(first.lower_end);
  Doubled torn(vertex, first.lower_end);
  State state = first.state;
  const int count = state.positions.size();
  state.accelerations.resize(count);
  for (int i = 0; i < count; ++i) {
    state.velocities[i] = Vec3(i, 1, 2);
    state.accelerations[i] = Vec3(0, i, 0);
  }
  state.pin_since = {0.5};
  for (const int block : first.lower_end) state.pin_anchors.push_back(Vec3(block, 0, 7));
  const State carried = carry_over(state, first.model, torn.next.model, torn.source);
  for (int i = 0; i <= count; ++i) {
    const int from = i < count ? i : vertex;
    EXPECT_EQ(Vec3(carried.positions[i]), Vec3(state.positions[from]));
    EXPECT_EQ(Vec3(carried.velocities[i]), Vec3(state.velocities[from]));
    EXPECT_EQ(Vec3(carried.accelerations[i]), Vec3(state.accelerations[from]));
  }
  EXPECT_EQ(carried.previous_positions.size(), 0);
  EXPECT_EQ(carried.pin_since, state.pin_since);
  const ScriptedPin& pin = torn.next.model.pins.front();
  ASSERT_EQ(carried.pin_anchors.size(), pin.blocks.size());
  for (std::size_t k = 0; k < pin.blocks.size(); ++k) {
    const int from = pin.blocks[k] < count ? pin.blocks[k] : vertex;
    EXPECT_EQ(carried.pin_anchors[k], Vec3(from, 0, 7));
  }
}

// A block cut through at x = 0.05 m: every vertex there is doubled, and the two parts hang together by nothing.
struct Parted {
  std::vector<int> source;
  SoftModel next;

  static TetMesh cut(std::vector<int>& source) {
    TetMesh mesh = testing::SoftBlock().mesh;
    const auto is_beyond = [&](int tet) {
      double x = 0;
      for (const int v : mesh.tets[tet]) x += mesh.vertices[v][0] / 4;
      return x > 0.05;
    };
    const std::vector<Vec4i> across = across_faces<Vec4i>(mesh.tets);
    MeshOpening opening;
    for (int e = 0; e < static_cast<int>(mesh.tets.size()); ++e) {
      for (const int other : across[e]) {
        if (other > e && is_beyond(e) != is_beyond(other)) opening.faces.push_back({e, other});
      }
    }
    source.resize(mesh.vertices.size());
    std::iota(source.begin(), source.end(), 0);
    for (const int v : open_mesh(mesh.tets, static_cast<int>(mesh.vertices.size()), opening).source) {
      source.push_back(v);
      mesh.vertices.push_back(Vec3(mesh.vertices[v]));
    }
    return mesh;
  }
  Parted() : next(Vec3::Zero(), testing::SoftBlock(cut(source), {})) {
    next.model.diagonal = 0.4;
    next.model.revision = 1;
  }
};

Simulation started(SoftModel first, AfterTears after, StepMethod method = StepMethod::quasi_newton) {
  SimulationOptions options;
  options.method = method;
  options.after_tears = after;
  options.background_steps = 3;
  options.quasi_newton.iterations.reset();
  options.quasi_newton.tolerance = 1e-9;
  options.quasi_newton.max_iterations = 3000;
  options.newton.tolerance = 1e-9;
  return {std::move(first.model), std::move(first.state), options};
}

// A bent block that flies and turns, is cut through after four steps, and goes on as two. Per step how often its solver
// has factored a matrix, how often in the background, and its iterations to a relative residual of 1e-9.
struct CutRun {
  BlockVector end;
  std::vector<int> factors, background, iterations;
};
CutRun cut_run(AfterTears after, StepMethod method) {
  SoftModel first({}, Vec3::Zero());
  first.bend(0.02);
  first.throw_with(Vec3(0.1, 0.3, 0), Vec3(0, 0, 4));
  Simulation simulation = started(std::move(first), after, method);
  CutRun run;
  for (int k = 0; k < 14; ++k) {
    if (k == 4) {
      Parted parted;
      EXPECT_EQ(parted.source.size(), 24u + 6u);
      simulation.replace_model(std::move(parted.next.model), parted.source);
    }
    const AdvanceReport report = simulation.advance(0.01);
    EXPECT_TRUE(report.reached);
    const solver::SolveReport& solve = report.steps.front().solve;
    EXPECT_TRUE(solver::is_success(solve.status))
        << k << ' ' << to_string(solve.status) << ' ' << solve.residual << ' ' << solve.iterations;
    run.iterations.push_back(solve.iterations);
    if (const auto* solver = dynamic_cast<const solver::QuasiNewton*>(simulation.solver())) {
      run.factors.push_back(solver->factor_count());
      run.background.push_back(solver->background_count());
    }
  }
  run.end = simulation.state().positions;
  return run;
}

// The three treatments of the matrix differ in iterations, not in where they lead; newton agrees.
TEST(Revision, EveryTreatmentOfTheMatrixLeadsToTheSameMotion) {
  const CutRun exact = cut_run(AfterTears::refactor, StepMethod::newton);
  const double size = testing::distance(exact.end, BlockVector(exact.end.size()));
  // The two lips have gone apart.
  std::vector<int> source;
  (void)Parted::cut(source);
  for (std::size_t copy = 24; copy < source.size(); ++copy)
    EXPECT_GT((exact.end[source[copy]] - exact.end[static_cast<int>(copy)]).norm(), 2e-3);
  for (const AfterTears after : {AfterTears::refactor, AfterTears::keep, AfterTears::background}) {
    const CutRun run = cut_run(after, StepMethod::quasi_newton);
    EXPECT_LT(testing::distance(run.end, exact.end), 1e-6 * size) << static_cast<int>(after);
    const auto sum = [&](int first, int last) {
      return std::accumulate(run.iterations.begin() + first, run.iterations.begin() + last, 0) / (last - first);
    };
    std::printf(
        "  %s: iterations per step %d before the cut, %d in the five steps after it, %d in the five after these\n",
        after == AfterTears::refactor ? "refactor"
        : after == AfterTears::keep   ? "keep"
                                      : "background",
        sum(0, 4), sum(4, 9), sum(9, 14));
  }
}

// When a new factor is taken up: at once; never; and, with periods of three steps, at the end of the one that begins
// after the cut, made in the background while steps 6, 7 and 8 went on with the old one.
TEST(Revision, NewFactorsAreTakenUpAtTheirSteps) {
  using Counts = std::vector<int>;
  const auto from = [](int step) {
    Counts counts(14, 0);
    std::fill(counts.begin() + step, counts.end(), 1);
    return counts;
  };
  const auto with_first = [](Counts counts) {
    for (int& count : counts) ++count;
    return counts;
  };
  const CutRun refactor = cut_run(AfterTears::refactor, StepMethod::quasi_newton);
  EXPECT_EQ(refactor.factors, with_first(from(4)));
  EXPECT_EQ(refactor.background, Counts(14, 0));
  const CutRun keep = cut_run(AfterTears::keep, StepMethod::quasi_newton);
  EXPECT_EQ(keep.factors, Counts(14, 1));
  EXPECT_EQ(keep.background, Counts(14, 0));
  const CutRun background = cut_run(AfterTears::background, StepMethod::quasi_newton);
  EXPECT_EQ(background.factors, with_first(from(9)));
  EXPECT_EQ(background.background, from(9));
}

// A vertex that loses all its elements goes on as it was going, whatever the matrix.
TEST(Revision, LooseVerticesFlyOn) {
  for (const AfterTears after : {AfterTears::refactor, AfterTears::keep, AfterTears::background}) {
    SoftModel first({}, Vec3::Zero());
    first.bend(0.02);
    first.throw_with(Vec3(0.1, 0.3, 0), Vec3(0, 0, 2));
    Simulation simulation = started(std::move(first), after);
    Vec3 place = Vec3::Zero(), speed = Vec3::Zero();
    for (int k = 0; k < 14; ++k) {
      if (k == 4) {
        place = simulation.state().positions[7], speed = simulation.state().velocities[7];
        Doubled torn(7, {});
        simulation.replace_model(std::move(torn.next.model), torn.source);
      }
      ASSERT_TRUE(simulation.advance(0.01).reached);
    }
    const State& state = simulation.state();
    EXPECT_LT((state.positions[state.positions.size() - 1] - (place + 10 * 0.01 * speed)).norm(), 1e-6);
    EXPECT_GT((state.positions[7] - state.positions[state.positions.size() - 1]).norm(), 1e-3);
  }
}

// A run that is taken up again in the middle has the same bits, also while an old matrix is still in use.
TEST(Revision, ResumedRunsUseTheSameMatrices) {
  for (const AfterTears after : {AfterTears::refactor, AfterTears::keep, AfterTears::background}) {
    const auto begun = [&] {
      SoftModel first({}, Vec3::Zero());
      first.bend(0.02);
      Simulation simulation = started(std::move(first), after);
      return simulation;
    };
    Simulation whole = begun();
    State saved;
    for (int k = 0; k < 16; ++k) {
      if (k == 4) {
        Doubled torn(7, {});
        whole.replace_model(std::move(torn.next.model), torn.source);
      }
      if (k == 6) saved = whole.state();
      ASSERT_TRUE(whole.advance(0.01).reached);
    }
    Simulation resumed = begun();
    Doubled torn(7, {});
    resumed.replace_model(std::move(torn.next.model), torn.source, 4);
    resumed.restore(saved);
    for (int k = 6; k < 16; ++k) ASSERT_TRUE(resumed.advance(0.01).reached);
    EXPECT_EQ(hash(whole.state()), hash(resumed.state())) << static_cast<int>(after);
  }
}

// Pins, soft pins and hands that come and go are changes of a few rows: one factor serves the whole run, and a run that
// is taken up between them has the same bits.
TEST(Revision, OneFactorServesPinsThatComeAndGo) {
  const auto begun = [] {
    SoftModel first;
    (void)first.pin(first.lower_end);
    ScriptedPin& passing = first.pin({first.upper_end[0]});
    passing.from = 0.03;
    passing.until = 0.09;
    first.soft_pin({first.upper_end[1], first.upper_end[2]}, 50);
    first.model.pins.back().from = 0.05;
    Simulation simulation = started(std::move(first), AfterTears::background);
    return simulation;
  };
  Simulation whole = begun();
  State saved;
  for (int k = 0; k < 14; ++k) {
    if (k == 7) saved = whole.state();
    whole.set_grips(k == 11 ? std::vector<GrippedBlock>{{8, Vec3(0, 0.1, 0), 20}} : std::vector<GrippedBlock>{});
    const AdvanceReport report = whole.advance(0.01);
    ASSERT_TRUE(report.reached);
    EXPECT_EQ(report.steps.front().solve.status, solver::SolveStatus::converged) << k;
  }
  EXPECT_EQ(dynamic_cast<const solver::QuasiNewton*>(whole.solver())->factor_count(), 1);
  Simulation resumed = begun();
  resumed.restore(saved);
  for (int k = 7; k < 14; ++k) {
    resumed.set_grips(k == 11 ? std::vector<GrippedBlock>{{8, Vec3(0, 0.1, 0), 20}} : std::vector<GrippedBlock>{});
    ASSERT_TRUE(resumed.advance(0.01).reached);
  }
  EXPECT_EQ(hash(whole.state()), hash(resumed.state()));
}

}  // namespace
}  // namespace pliant
