// Newton with multigrid against Newton with Cholesky, on a sheet that sags and on a solid bar that swings: the same
// paths, and few iterations.
#include <algorithm>

#include "tests/support/places.h"
#include "tests/validation/scene_case.h"

namespace pliant::validation::multigrid_test {
namespace {

struct Outcome {
  BlockVector positions;
  double way = 0;  // m, the longest
  int linear_iterations = 0, newton_iterations = 0;
};

Outcome outcome_of(const std::filesystem::path& file, std::vector<std::string> overrides, const std::string& linear) {
  overrides.push_back("solver.newton.linear=" + linear);
  overrides.push_back("expect=[]");
  const Scene scene = read_scene(file, overrides);
  BuiltScene built = build(scene);
  const BlockVector start = built.state.positions;
  Simulation simulation(std::move(built.model), std::move(built.state), built.options);
  Outcome outcome;
  for (int i = 1; simulation.state().time < scene.time.end * (1 - 1e-12); ++i) {
    const AdvanceReport report = simulation.advance(scene.time.step);
    EXPECT_TRUE(report.reached) << linear << " at " << i;
    for (const StepReport& step : report.steps) {
      EXPECT_TRUE(is_success(step.solve.status)) << linear << " at " << i;
      outcome.linear_iterations += step.solve.linear_iterations;
      outcome.newton_iterations += step.solve.iterations;
    }
  }
  EXPECT_EQ(simulation.solver()->linear_name(), linear);
  outcome.positions = simulation.state().positions;
  for (int i = 0; i < start.size(); ++i) outcome.way = std::max(outcome.way, (outcome.positions[i] - start[i]).norm());
  return outcome;
}

// Largest distance between the two runs [m].
double compare(const std::string& name, const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  const Outcome direct = outcome_of(file, overrides, "cholesky"), multigrid = outcome_of(file, overrides, "multigrid");
  double largest = 0;
  for (int i = 0; i < direct.positions.size(); ++i)
    largest = std::max(largest, (direct.positions[i] - multigrid.positions[i]).norm());
  record(name + "_way", direct.way);
  record(name + "_difference", largest);
  EXPECT_GT(direct.way, 0.01);
  record(name + "_iterations_per_solve",
         static_cast<double>(multigrid.linear_iterations) / std::max(1, multigrid.newton_iterations));
  EXPECT_EQ(direct.linear_iterations, 0);
  EXPECT_LE(multigrid.newton_iterations, 1.3 * direct.newton_iterations + 5);
  EXPECT_LT(multigrid.linear_iterations, 60 * multigrid.newton_iterations);
  return largest;
}

const std::filesystem::path kExamples = test::source_folder() / "examples";

TEST(Multigrid, SheetGoesTheSameWayAsWithCholesky) {
  // Steps are solved to a relative residual of 1e-8: differences of that order, times the motion of a few decimetres.
  EXPECT_LT(compare("sheet", kExamples / "hanging_cloth/pinned.yaml",
                    {"time.end=0.1", "solver.tolerance=1e-8",
                     "bodies.sheet.mesh.grid={size: [1, 1], cells: [40, 40], pattern: alternating}", "probes=[]"}),
            1e-6);
}

TEST(Multigrid, BarGoesTheSameWayAsWithCholesky) {
  EXPECT_LT(compare("bar", test::source_folder() / "tests/validation/scenes/swinging_block.yaml",
                    {"time.end=0.05", "solver.tolerance=1e-8",
                     "bodies.block.mesh.box={size: [1.5, 0.1, 0.1], cells: [60, 6, 6]}"}),
            1e-6);
}

}  // namespace
}  // namespace pliant::validation::multigrid_test
