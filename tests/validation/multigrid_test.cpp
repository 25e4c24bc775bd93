// Newton with multigrid against Newton with Cholesky: the same paths, and few iterations, for a sheet that sags, a bar
// that swings, rods, and bodies of every kind in contact. Iterations on sheets and bars that do not grow with size.
#include <algorithm>
#include <fstream>
#include <iterator>

#include "benchmarks/multigrid_systems.h"
#include "pliant/linear/multigrid/multigrid_cg.h"
#include "pliant/scene/run_checkpoint.h"
#include "pliant/scene/run_scene.h"
#include "tests/support/places.h"
#include "tests/validation/scene_case.h"

namespace pliant::validation::multigrid_test {
namespace {

struct Outcome {
  BlockVector positions;
  double way = 0;  // m, the longest
  int linear_iterations = 0, newton_iterations = 0, contacts = 0;
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
      outcome.contacts = std::max(outcome.contacts, static_cast<int>(step.solve.contacts.count));
    }
  }
  EXPECT_EQ(simulation.solver()->linear_name(), linear);
  outcome.positions = simulation.state().positions;
  for (int i = 0; i < start.size(); ++i) outcome.way = std::max(outcome.way, (outcome.positions[i] - start[i]).norm());
  return outcome;
}

struct Bounds {
  double least_way = 0.01;  // m: something has to move
  int iterations = 60;      // of multigrid per solve
};

// Largest distance between the two runs [m].
double compare(const std::string& name, const std::filesystem::path& file, const std::vector<std::string>& overrides,
               const Bounds& bounds = {}) {
  const Outcome direct = outcome_of(file, overrides, "cholesky"), multigrid = outcome_of(file, overrides, "multigrid");
  double largest = 0;
  for (int i = 0; i < direct.positions.size(); ++i)
    largest = std::max(largest, (direct.positions[i] - multigrid.positions[i]).norm());
  record(name + "_way", direct.way);
  record(name + "_difference", largest);
  if (direct.contacts > 0) record(name + "_contacts", direct.contacts);
  EXPECT_GT(direct.way, bounds.least_way);
  record(name + "_iterations_per_solve",
         static_cast<double>(multigrid.linear_iterations) / std::max(1, multigrid.newton_iterations));
  EXPECT_EQ(direct.linear_iterations, 0);
  EXPECT_LE(multigrid.newton_iterations, 1.3 * direct.newton_iterations + 5);
  EXPECT_LT(multigrid.linear_iterations, bounds.iterations * multigrid.newton_iterations);
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

// --- Blocks that are no points, and contact ---

// 30 strands of 33 points and 32 twists, which the smoother alone treats: 98 iterations per solve.
TEST(Multigrid, RodsGoTheSameWayAsWithCholesky) {
  EXPECT_LT(compare("rods", kExamples / "curly_strands/curly_strands.yaml",
                    {"time.end=0.05", "probes=[]", "bodies.hair.mesh.strands.count=30",
                     "bodies.hair.mesh.strands.segments=32"},
                    {.iterations = 150}),
            1e-6);
}

// Barriers come and go from iterate to iterate, and couplings with them. Steps are solved to 10⁻⁷; barriers are stiff, and
// what is left of a step's error grows where friction takes the other side of a kink.
TEST(Multigrid, ClothOnABallGoesTheSameWayAsWithCholesky) {
  EXPECT_LT(compare("cloth_on_sphere", kExamples / "cloth_on_sphere/cloth_on_sphere.yaml",
                    {"time.end=0.24", "solver.tolerance=1e-7", "probes=[]"}),
            1e-5);
}

TEST(Multigrid, BodiesOfEveryKindInContactGoTheSameWayAsWithCholesky) {
  EXPECT_LT(
      compare("mixed", test::source_folder() / "tests/validation/scenes/mixed_contact.yaml", {}, {.iterations = 400}),
      1e-5);
}

TEST(Multigrid, RigidBodiesInContactGoTheSameWayAsWithCholesky) {
  // 60 boxes that settle on a floor are 240 blocks, of which 180 are axes: nothing for coarse levels to do.
  EXPECT_LT(compare("rigid", kExamples / "dominoes/dominoes.yaml",
                    {"time.end=0.03", "probes=[]", "contact.friction=0", "contact.distance=1e-3", "loads=[]",
                     "bodies.domino.velocity=[0.3, -0.01, 0.1]",
                     "bodies.domino.copies={count: [60, 1, 1], spacing: [0.024, 0, 0]}"},
                    {.least_way = 1e-3, .iterations = 500}),
            1e-6);
}

// --- Who is chosen ---

// 1681 points of cloth are too many to be factored without asking what it costs, 961 are not; the same bits every time.
TEST(Multigrid, AutoTakesItForStiffClothAndSaysSo) {
  for (const int cells : {30, 40}) {
    BlockVector first;
    for (int run = 0; run < 2; ++run) {
      const std::vector<std::string> overrides{"time.end=0.04", "expect=[]", "contact.method=none",
                                               fmt::format("bodies.sheet.mesh.grid.cells=[{0}, {0}]", cells)};
      const Scene scene = read_scene(kExamples / "hanging_cloth/pinned.yaml", overrides);
      const std::filesystem::path folder =
          std::filesystem::temp_directory_path() / fmt::format("pliant_multigrid_auto_{}_{}", cells, run);
      RunOptions options;
      options.folder = folder;
      std::filesystem::remove_all(folder);
      EXPECT_EQ(run_scene(scene, options).outcome, RunOutcome::done);
      std::ifstream file(folder / "summary.json");
      const std::string summary((std::istreambuf_iterator<char>(file)), {});
      EXPECT_NE(summary.find(cells == 30 ? "\"linear\": \"cholesky\"" : "\"linear\": \"pcg, multigrid\""),
                std::string::npos)
          << summary;
      const BlockVector last = read_checkpoint(folder / "checkpoint.bin", build(scene).model).state.positions;
      if (run == 0) first = last;
      EXPECT_EQ(last, first) << cells;
      std::filesystem::remove_all(folder);
    }
  }
}

// --- Iterations against size ---

struct Solved {
  int iterations = 0, levels = 0;
};

Solved solve(const systems::System& system) {
  linear::MultigridCg solver({.tolerance = 1e-8});
  solver.begin_step({&system.positions, nullptr, &system.filter});
  EXPECT_EQ(solver.factor(system.matrix), linear::LinearStatus::solved);
  BlockVector x(system.positions.size());
  const linear::LinearReport report = solver.solve(system.right_side, x);
  EXPECT_EQ(report.status, linear::LinearStatus::solved) << system.name;
  record(fmt::format("{}_{}_iterations", system.name, system.positions.size()), report.iterations);
  return {report.iterations, solver.hierarchy().level_count()};
}

// Sixteen times as many vertices, two levels instead of three or four.
TEST(Multigrid, IterationsOnSheetsHardlyGrowWithSize) {
  using systems::Scene;
  for (const Scene scene : {Scene::pinned, Scene::drooping, Scene::re_entrant, Scene::cloth}) {
    for (const GridPattern pattern : {GridPattern::alternating, GridPattern::irregular}) {
      const Solved small = solve(systems::make_sheet(scene, 36, pattern)),
                   large = solve(systems::make_sheet(scene, 144, pattern));
      EXPECT_GT(large.levels, small.levels);
      EXPECT_LE(large.iterations, 1.6 * small.iterations) << systems::name_of(scene);
      EXPECT_LE(large.iterations, 50) << systems::name_of(scene);
    }
  }
}

TEST(Multigrid, IterationsOnSolidsHardlyGrowWithSize) {
  for (const auto cut : {systems::CellCut::five_tets, systems::CellCut::six_tets}) {
    const Solved small = solve(systems::make_bar(6, 0.3, 1, cut)), large = solve(systems::make_bar(15, 0.3, 1, cut));
    EXPECT_GT(large.levels, small.levels);
    EXPECT_LE(large.iterations, 1.6 * small.iterations);
    EXPECT_LE(large.iterations, 45);
  }
}

}  // namespace
}  // namespace pliant::validation::multigrid_test
