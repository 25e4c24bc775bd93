// A model that takes another's place: what is carried over, and which matrix a solver is given afterwards.
#include "pliant/dynamics/revision.h"

#include <gtest/gtest.h>

#include <algorithm>

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

// The three treatments of the matrix differ in iterations, not in where they lead; newton agrees.
TEST(Revision, EveryTreatmentOfTheMatrixLeadsToTheSameMotion) {
  std::vector<BlockVector> ends;
  std::vector<int> factors;
  for (const AfterTears after : {AfterTears::refactor, AfterTears::keep, AfterTears::background}) {
    SoftModel first({}, Vec3::Zero());
    first.bend(0.02);
    first.throw_with(Vec3(0.1, 0.3, 0), Vec3(0, 0, 2));
    Simulation simulation = started(std::move(first), after);
    for (int k = 0; k < 14; ++k) {
      if (k == 4) {
        Doubled torn(7, {});
        simulation.replace_model(std::move(torn.next.model), torn.source);
      }
      ASSERT_TRUE(simulation.advance(0.01).reached);
    }
    ends.push_back(simulation.state().positions);
    factors.push_back(dynamic_cast<const solver::QuasiNewton*>(simulation.solver())->factor_count());
  }
  EXPECT_EQ(factors, (std::vector<int>{2, 1, 2}));
  SoftModel first({}, Vec3::Zero());
  first.bend(0.02);
  first.throw_with(Vec3(0.1, 0.3, 0), Vec3(0, 0, 2));
  const double size = testing::distance(first.state.positions, BlockVector(first.state.positions.size()));
  Simulation exact = started(std::move(first), AfterTears::refactor, StepMethod::newton);
  for (int k = 0; k < 14; ++k) {
    if (k == 4) {
      Doubled torn(7, {});
      exact.replace_model(std::move(torn.next.model), torn.source);
    }
    ASSERT_TRUE(exact.advance(0.01).reached);
  }
  for (const BlockVector& end : ends) EXPECT_LT(testing::distance(end, exact.state().positions), 1e-6 * size);
  // The loose particle went on as the vertex was going.
  const int count = exact.state().positions.size();
  EXPECT_GT((exact.state().positions[7] - exact.state().positions[count - 1]).norm(), 1e-3);
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
