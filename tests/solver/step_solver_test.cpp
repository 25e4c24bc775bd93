// Statuses: each has a name of its own, and a run goes on only after those that solved what was asked.
#include "pliant/solver/step_solver.h"

#include <gtest/gtest.h>

#include <set>

namespace pliant::solver {
namespace {

constexpr SolveStatus kAll[] = {SolveStatus::converged,          SolveStatus::converged_to_rounding,
                                SolveStatus::budgeted,           SolveStatus::iteration_limit,
                                SolveStatus::line_search_failed, SolveStatus::linear_solve_failed,
                                SolveStatus::not_finite,         SolveStatus::stalled};

TEST(SolveStatus, NamesAreDistinctAndNeverUnknown) {
  std::set<std::string> names;
  for (const SolveStatus status : kAll) names.insert(to_string(status));
  EXPECT_EQ(names.size(), std::size(kAll));
  EXPECT_FALSE(names.contains("unknown"));
  EXPECT_EQ(to_string(SolveStatus::iteration_limit), "iteration_limit");
}

TEST(SolveStatus, SuccessIsWhatSolvedTheStep) {
  std::set<std::string> good;
  for (const SolveStatus status : kAll) {
    if (is_success(status)) good.insert(to_string(status));
  }
  EXPECT_EQ(good, (std::set<std::string>{"converged", "converged_to_rounding", "budgeted"}));
}

}  // namespace
}  // namespace pliant::solver
