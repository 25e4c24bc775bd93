// The summary: what steps add up to, and the stable keys of summary.json.
#include "pliant/scene/run_summary.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pliant/scene/build_model.h"
#include "tests/scene/small_scene.h"

namespace pliant {
namespace {

using testing::SceneText;

StepReport step_with(solver::SolveStatus status, int iterations, double residual, int worst_block) {
  StepReport report;
  report.time = 0.25;
  report.solve.status = status;
  report.solve.iterations = iterations;
  report.solve.linear_iterations = 10 * iterations;
  report.solve.line_search_trials = 2 * iterations;
  report.solve.residual = residual;
  report.solve.worst_block = worst_block;
  report.solve.seconds = {1, 2, 3};
  return report;
}

TEST(RunSummary, StepsAddUp) {
  const BuiltScene built = build(SceneText{}.parse());
  RunSummary summary;
  summary.count(step_with(solver::SolveStatus::converged, 3, 1e-8, 0), built.model);
  summary.count(step_with(solver::SolveStatus::iteration_limit, 9, 1e-3, built.model.bodies[0].block_of_vertex[7]),
                built.model);
  summary.count(step_with(solver::SolveStatus::budgeted, 1, 1e-5, 0), built.model);
  summary.count(step_with(solver::SolveStatus::converged_to_rounding, 2, 1, 0), built.model);
  EXPECT_EQ(summary.steps, 4);
  EXPECT_EQ(summary.solver.iterations_total, 15);
  EXPECT_EQ(summary.solver.iterations_max, 9);
  EXPECT_EQ(summary.solver.linear_iterations_total, 150);
  EXPECT_EQ(summary.solver.line_search_trials_total, 30);
  EXPECT_EQ(summary.solver.steps_not_converged, 1);
  EXPECT_EQ(summary.solver.steps_budgeted, 1);
  EXPECT_EQ(summary.solver.residual_worst, 1e-3);
  EXPECT_EQ(summary.solver.residual_worst_at, "t = 0.25 s, body 'block', vertex 7");
  EXPECT_EQ(summary.stages.assemble, 4);
  EXPECT_EQ(summary.stages.linear, 8);
  EXPECT_EQ(summary.stages.line_search, 12);
}

// What is already solved when its budget ends is not worth a word.
TEST(RunSummary, BudgetsCountAboveTheTolerance) {
  const BuiltScene built = build(SceneText{}.parse());
  RunSummary summary;
  summary.solver.tolerance = 1e-6;
  summary.count(step_with(solver::SolveStatus::budgeted, 1, 1e-5, 0), built.model);
  summary.count(step_with(solver::SolveStatus::budgeted, 1, 1e-7, 0), built.model);
  EXPECT_EQ(summary.solver.steps_budgeted, 1);
}

TEST(RunSummary, ExpectationsHoldWhenAllPassed) {
  RunSummary summary;
  EXPECT_TRUE(summary.expectations_hold());
  summary.expect.push_back({"a", "end", "above 1", 2, true});
  EXPECT_TRUE(summary.expectations_hold());
  summary.expect.push_back({"b", "end", "above 1", 0, false});
  EXPECT_FALSE(summary.expectations_hold());
}

TEST(RunSummary, JsonHasTheStableKeys) {
  RunSummary summary;
  summary.title = "A \"title\"";
  summary.seconds_simulated = 0.1;
  summary.bodies.push_back({"block", 24, 30, 6, 0});
  summary.expect.push_back({"a.x", "end", "above 1", 2.5, true});
  const std::string json = to_json(summary);
  for (const char* key : {"title",
                          "outcome",
                          "seconds_simulated",
                          "steps",
                          "wall_seconds",
                          "cpu_seconds",
                          "threads",
                          "stages",
                          "contact",
                          "assemble",
                          "linear",
                          "line_search",
                          "projection",
                          "output",
                          "solver",
                          "method",
                          "iterations_total",
                          "iterations_max",
                          "steps_not_converged",
                          "steps_budgeted",
                          "residual_worst",
                          "residual_worst_at",
                          "linear_iterations_total",
                          "contacts",
                          "max",
                          "smallest_gap",
                          "cone_violation",
                          "complementarity",
                          "intersections",
                          "energy",
                          "start",
                          "end",
                          "memory_peak_bytes",
                          "bodies",
                          "expect",
                          "value",
                          "passed",
                          "pliant_version"}) {
    EXPECT_NE(json.find(std::string(key) + "\": "), std::string::npos) << key;
  }
  EXPECT_NE(json.find(R"("title": "A \"title\"")"), std::string::npos);
  EXPECT_NE(json.find(R"("seconds_simulated": 0.1)"), std::string::npos);
  EXPECT_NE(json.find(R"("outcome": "done")"), std::string::npos);
  EXPECT_EQ(json.find("failure"), std::string::npos);
  EXPECT_EQ(json.back(), '\n');
}

TEST(RunSummary, FailuresAreSaid) {
  RunSummary summary;
  summary.outcome = RunOutcome::could_not_go_on;
  summary.failure = "the step could not be taken";
  const std::string json = to_json(summary);
  EXPECT_NE(json.find(R"("outcome": "could_not_go_on")"), std::string::npos);
  EXPECT_NE(json.find(R"("failure": "the step could not be taken")"), std::string::npos);
  summary.outcome = RunOutcome::interrupted;
  EXPECT_NE(to_json(summary).find(R"("outcome": "interrupted")"), std::string::npos);
}

TEST(RunSummary, VersionHasThreeNumbers) {
  const std::string text = version();
  EXPECT_EQ(std::count(text.begin(), text.end(), '.'), 2);
}

}  // namespace
}  // namespace pliant
