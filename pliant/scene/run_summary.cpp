#include "pliant/scene/run_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace pliant {
namespace {

std::string name_of(RunOutcome outcome) {
  switch (outcome) {
    case RunOutcome::done:
      return "done";
    case RunOutcome::interrupted:
      return "interrupted";
    case RunOutcome::could_not_go_on:
      return "could_not_go_on";
  }
  return "unknown";
}

}  // namespace

bool RunSummary::expectations_hold() const {
  return std::all_of(expect.begin(), expect.end(), [](const scene::ExpectationResult& e) { return e.passed; });
}

void RunSummary::count(const StepReport& report, const Model& model) {
  const pliant::solver::SolveReport& solve = report.solve;
  ++steps;
  stages += solve.seconds;
  if (solve.contacts.count > 0) {
    contacts.max = std::max<std::int64_t>(contacts.max, solve.contacts.count);
    contacts.smallest_gap = std::min(contacts.smallest_gap, solve.contacts.smallest_gap);
  }
  contacts.worst.include(report.contact_quality);
  solver.iterations_total += solve.iterations;
  solver.linear_iterations_total += solve.linear_iterations;
  solver.line_search_trials_total += solve.line_search_trials;
  solver.iterations_max = std::max(solver.iterations_max, solve.iterations);
  if (solve.status == pliant::solver::SolveStatus::budgeted && solve.residual > solver.tolerance)
    ++solver.steps_budgeted;
  if (!is_success(solve.status)) ++solver.steps_not_converged;
  const bool is_rounding = solve.status == pliant::solver::SolveStatus::converged_to_rounding;
  if (!is_rounding && solve.residual > solver.residual_worst) {
    solver.residual_worst = solve.residual;
    solver.residual_worst_at = fmt::format("t = {:.6g} s, {}", report.time, model.describe_block(solve.worst_block));
  }
}

std::string to_json(const RunSummary& s) {
  using nlohmann::ordered_json;
  ordered_json json;
  json["title"] = s.title;
  json["outcome"] = name_of(s.outcome);
  if (!s.failure.empty()) json["failure"] = s.failure;
  json["seconds_simulated"] = s.seconds_simulated;
  json["steps"] = s.steps;
  json["wall_seconds"] = s.wall_seconds;
  json["cpu_seconds"] = s.cpu_seconds;
  json["threads"] = s.threads;
  json["stages"] = {{"contact", s.stages.contact},       {"assemble", s.stages.assemble},
                    {"linear", s.stages.linear},         {"line_search", s.stages.line_search},
                    {"projection", s.stages.projection}, {"output", s.stages.output}};
  json["solver"] = {{"method", s.solver.method},
                    {"linear", s.solver.linear},
                    {"iterations_total", s.solver.iterations_total},
                    {"iterations_max", s.solver.iterations_max},
                    {"steps_not_converged", s.solver.steps_not_converged},
                    {"steps_budgeted", s.solver.steps_budgeted},
                    {"retries", s.solver.retries},
                    {"residual_worst", s.solver.residual_worst},
                    {"residual_worst_at", s.solver.residual_worst_at},
                    {"linear_iterations_total", s.solver.linear_iterations_total},
                    {"line_search_trials_total", s.solver.line_search_trials_total}};
  json["contacts"] = {{"max", s.contacts.max},
                      {"smallest_gap", nullptr},
                      {"cone_violation", s.contacts.worst.cone_violation},
                      {"relative_cone_violation", s.contacts.worst.relative_cone_violation},
                      {"friction_angle", s.contacts.worst.friction_angle},
                      {"complementarity", s.contacts.worst.complementarity},
                      {"pressure", nullptr},
                      {"judged", s.contacts.judged},
                      {"intersections", nullptr}};
  if (s.contacts.max > 0) json["contacts"]["smallest_gap"] = s.contacts.smallest_gap;
  if (s.contacts.pressure > 0) json["contacts"]["pressure"] = s.contacts.pressure;
  if (s.contacts.intersections >= 0) json["contacts"]["intersections"] = s.contacts.intersections;
  if (!s.contacts.unjudged.empty()) json["contacts"]["unjudged"] = s.contacts.unjudged;
  json["tears"] = {{"events", s.tears.events},
                   {"vertices_added", s.tears.vertices_added},
                   {"elements_removed", s.tears.elements_removed}};
  json["energy"] = {{"start", s.energy_start}, {"end", s.energy_end}};
  json["memory_peak_bytes"] = s.memory_peak_bytes;
  json["bodies"] = ordered_json::array();
  for (const RunSummary::Body& b : s.bodies) {
    json["bodies"].push_back({{"name", b.name},
                              {"vertices", b.vertices},
                              {"tets", b.tets},
                              {"triangles", b.triangles},
                              {"segments", b.segments},
                              {"mass", b.mass},
                              {"inverted_tets", b.inverted}});
  }
  json["expect"] = ordered_json::array();
  for (const scene::ExpectationResult& e : s.expect) {
    json["expect"].push_back(
        {{"probe", e.probe}, {"at", e.at}, {"condition", e.condition}, {"value", e.value}, {"passed", e.passed}});
  }
  json["notes"] = s.notes;
  json["pliant_version"] = version();
  return json.dump(2) + "\n";
}

std::string version() { return PLIANT_VERSION; }

}  // namespace pliant
