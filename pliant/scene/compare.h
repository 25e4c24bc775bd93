// One scene by several methods: which one to take.
//
// On one step, all methods from the same start: how far g has come after so many iterations,
//   error = (g − g*)/(g₀ − g*)     g₀ at the start of the iterations (inertial target), g* converged by Newton
// and over the whole scene: time, iterations, and how far the end is from a reference that Newton has converged tightly.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pliant/contact/contact_quality.h"
#include "pliant/scene/scene.h"
#include "pliant/solver/step_solver.h"

namespace pliant {

struct CompareOptions {
  std::vector<std::string> methods = {"newton", "quasi_newton"};
  std::vector<int> iterations = {1, 2, 5, 10, 20, 50};
  double at = -1;                                       // s, the step that begins then; negative: half of the run
  std::function<void(const std::string&)> on_progress;  // a sentence about what is being done; may be empty
};

// A method on the chosen step, after a number of iterations.
struct ComparePoint {
  int iterations = 0;  // asked for; fewer are done when it converges
  double error = 0;    // relative, as above
  double seconds = 0;  // of the solve, without the first factorisation of a constant matrix: the median of three
};

struct CompareMethod {
  std::string name;
  std::string refusal;  // why it cannot do the scene; the rest is empty then
  std::vector<ComparePoint> points;
  // The whole scene with the scene's own settings.
  double wall_seconds = 0;
  solver::StageSeconds seconds;
  long long iterations_total = 0;
  int steps = 0, steps_not_converged = 0;
  bool reached_end = true;
  // Contact after every step.
  struct ContactPoint {
    double time = 0;  // s
    int count = 0;
    double smallest_gap = 0;  // m
    contact::ContactQuality quality;
  };
  std::vector<ContactPoint> contacts;
  double end_error = 0;  // m, root mean square distance of vertices from the reference at the end
};

struct Comparison {
  std::string title;
  double at = 0;                           // s, when the chosen step begins
  double step = 0;                         // s
  double start_value = 0, best_value = 0;  // J: g₀, g*
  double diagonal = 0;                     // m, of the scene at the start
  std::vector<CompareMethod> methods;
};

// Throws InputError for a method that does not exist and a time beyond the end.
[[nodiscard]] Comparison compare(const Scene& scene, const CompareOptions& options);

// A line per level of error on the chosen step: which methods reach it within the iterations tried, the quickest first;
// and that the step is without contact, where there is any.
[[nodiscard]] std::string advice(const Comparison& comparison);

// Tables: method, iterations, error, seconds; and a row per method over the whole scene.
[[nodiscard]] std::string points_csv(const Comparison& comparison);
[[nodiscard]] std::string runs_csv(const Comparison& comparison);
// Method, time and the quality of contact after every step of the whole scene.
[[nodiscard]] bool has_contacts(const Comparison& comparison);  // of any method at any step
[[nodiscard]] std::string contacts_csv(const Comparison& comparison);

}  // namespace pliant
