// What a run did, as summary.json says it (keys: docs/scene-format.md).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "pliant/dynamics/simulation.h"
#include "pliant/scene/expectations.h"

namespace pliant {

enum class RunOutcome { done, interrupted, could_not_go_on };

struct RunSummary {
  RunOutcome outcome = RunOutcome::done;
  std::string failure;  // why it could not go on, one sentence

  std::string title;
  double seconds_simulated = 0;
  std::int64_t steps = 0;
  double wall_seconds = 0, cpu_seconds = 0;
  int threads = 1;
  struct Stages : pliant::solver::StageSeconds {
    double output = 0;  // s
  } stages;
  struct Solver {
    std::string method, linear;
    std::int64_t iterations_total = 0, linear_iterations_total = 0, line_search_trials_total = 0;
    int iterations_max = 0;
    std::int64_t steps_not_converged = 0, steps_budgeted = 0, retries = 0;
    double tolerance = 0;           // above which a step that used up its budget is counted
    double residual_worst = 0;      // relative, over all accepted steps but those that ended at rounding
    std::string residual_worst_at;  // "t = 0.12 s, body 'bar', vertex 12"
  } solver;
  struct Contacts {
    std::int64_t max = 0;                                           // at the end of a step
    double smallest_gap = std::numeric_limits<double>::infinity();  // m
    contact::ContactQuality worst;                                  // of all steps
    double pressure = 0;                                            // Pa, of the barrier at the end; 0 without contact
    bool are_possible = false;                                      // the scene has contact
    std::int64_t judged = 0;                                        // steps that the judge has looked at
    std::int64_t intersections = -1;                                // of all judged steps; −1: not judged
    std::string first_intersection;                                 // where and when
    std::string warning;   // that springs gave way too far; also among the notes
    std::string unjudged;  // pairs of bodies whose contact is off, of a judged run
  } contacts;
  struct Tears {
    std::int64_t events = 0, vertices_added = 0, elements_removed = 0;
  } tears;
  double energy_start = 0, energy_end = 0;  // J
  std::int64_t memory_peak_bytes = 0;
  struct Body {
    std::string name;
    std::int64_t vertices = 0, tets = 0, triangles = 0, segments = 0;
    double mass = 0;            // kg
    std::int64_t inverted = 0;  // tets with negative volume at the end
  };
  std::vector<Body> bodies;
  std::vector<scene::ExpectationResult> expect;
  std::vector<std::string> notes;

  [[nodiscard]] bool expectations_hold() const;
  // Adds a step's work.
  void count(const StepReport& report, const Model& model);
};

// The text of summary.json.
[[nodiscard]] std::string to_json(const RunSummary& summary);

// Pliant's version, "0.1.0".
[[nodiscard]] std::string version();

}  // namespace pliant
