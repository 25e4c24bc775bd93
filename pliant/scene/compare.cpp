#include "pliant/scene/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "pliant/input_error.h"
#include "pliant/scene/build_model.h"
#include "pliant/scene/settings.h"
#include "pliant/scene/wall_clock.h"

namespace pliant {
namespace {

using solver::QuasiNewtonOptions;
using solver::StepSolver;

constexpr double kReferenceTolerance = 1e-10;  // of the residual
constexpr int kRepeats = 3;                    // of a timing

Scene with_method(Scene scene, const std::string& method) {
  scene.solver.method = method == "quasi_newton" ? scene::SolverMethod::quasi_newton
                        : method == "projection" ? scene::SolverMethod::projection
                                                 : scene::SolverMethod::newton;
  // Each method has a response of its own.
  if (scene.contact.method != scene::ContactMethod::none) scene.contact.method = scene::ContactMethod::automatic;
  return scene;
}

// Methods of the format, and why this version or this scene cannot use one.
std::string refusal_of(const std::string& method, const Scene& scene) {
  static const std::vector<std::string> kKnown = {"newton", "quasi_newton", "projection"};
  if (std::find(kKnown.begin(), kKnown.end(), method) == kKnown.end()) {
    throw InputError(
        fmt::format("--methods: there is no method named '{}'{}", method, scene::suggestion(method, kKnown)));
  }
  if (scene.time.integrator == scene::Integrator::symplectic_euler) return "symplectic_euler solves nothing";
  try {
    (void)build(with_method(scene, method));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

Scene reference_of(Scene scene) {
  scene.solver.method = scene::SolverMethod::newton;
  if (scene.contact.method != scene::ContactMethod::none) scene.contact.method = scene::ContactMethod::automatic;
  scene.solver.newton.iterations.reset();
  scene.solver.tolerance = kReferenceTolerance;
  scene.solver.max_iterations = 1000;
  return scene;
}

// Runs to `end` in steps of the scene; false when it could not.
bool run_to(Simulation& simulation, double step, double end, const std::function<void(const AdvanceReport&)>& on_step) {
  for (long long i = 1; simulation.state().time < end - kTimeTolerance; ++i) {
    const double after = std::min(static_cast<double>(i) * step, end);
    if (after <= simulation.state().time + kTimeTolerance) continue;
    const AdvanceReport report = simulation.advance(after - simulation.state().time, after, [] {});
    on_step(report);
    if (!report.reached) return false;
  }
  return true;
}

std::unique_ptr<StepSolver> solver_with_budget(const std::string& method, int iterations, const SimulationOptions& o) {
  if (method == "quasi_newton") {
    QuasiNewtonOptions options = o.quasi_newton;
    options.iterations = iterations;
    options.tolerance = 0;  // all of them
    options.bounded = false;
    return std::make_unique<solver::QuasiNewton>(options);
  }
  if (method == "projection") {
    solver::ProjectionOptions options = o.projection;
    options.iterations = std::max(1, iterations);
    return std::make_unique<solver::Projection>(options);
  }
  solver::NewtonOptions options = o.newton;
  options.iterations.reset();
  options.max_iterations = std::max(1, iterations);
  options.tolerance = 1e-300;
  return std::make_unique<solver::Newton>(options);
}

double distance(const State& a, const State& b, const Model& model) {
  double sum = 0;
  int count = 0;
  for (const ModelBody& body : model.bodies) {
    for (std::size_t v = 0; v < body.rest.vertices.size(); ++v) {
      const MappedPoint point = body.point(static_cast<int>(v));
      sum += (point.evaluate(a.positions) - point.evaluate(b.positions)).squaredNorm();
      ++count;
    }
  }
  return std::sqrt(sum / std::max(1, count));
}

void compare_step(Simulation& simulation, const CompareOptions& options, Comparison& comparison) {
  const double step = comparison.step;
  solver::QuasiNewton nothing({.history = 0, .iterations = 0, .tolerance = 0, .bounded = false});
  comparison.start_value = simulation.try_step(step, nothing).objective;
  solver::NewtonOptions exact = simulation.options().newton;
  exact.iterations.reset();
  exact.tolerance = 1e-12;
  exact.max_iterations = 1000;
  solver::Newton newton(exact);
  comparison.best_value = simulation.try_step(step, newton).objective;
  const double range = comparison.start_value - comparison.best_value;
  for (CompareMethod& method : comparison.methods) {
    if (!method.refusal.empty()) continue;
    for (const int iterations : options.iterations) {
      if (options.on_progress)
        options.on_progress(fmt::format("{}: {} iterations of one step", method.name, iterations));
      const auto solver = solver_with_budget(method.name, iterations, simulation.options());
      ComparePoint point{iterations, 0, 0};
      std::vector<double> seconds;
      // The first solve analyses and factors what later steps find ready.
      for (int repeat = 0; repeat <= kRepeats; ++repeat) {
        const double begin = wall_now();
        const StepTrial trial = simulation.try_step(step, *solver);
        if (repeat > 0) seconds.push_back(wall_now() - begin);
        point.error = range > 0 ? (trial.objective - comparison.best_value) / range : 0;
      }
      std::sort(seconds.begin(), seconds.end());
      point.seconds = seconds[seconds.size() / 2];
      method.points.push_back(point);
    }
  }
}

void compare_run(const Scene& scene, const State& reference, CompareMethod& method) {
  BuiltScene built = build(with_method(scene, method.name));
  Simulation simulation(std::move(built.model), std::move(built.state), built.options);
  const double begin = wall_now();
  method.reached_end = run_to(simulation, scene.time.step, scene.time.end, [&](const AdvanceReport& report) {
    for (const StepReport& s : report.steps) {
      ++method.steps;
      method.iterations_total += s.solve.iterations;
      method.steps_not_converged += is_success(s.solve.status) ? 0 : 1;
      method.seconds += s.solve.seconds;
      method.contacts.push_back({s.time, s.solve.contacts.count, s.solve.contacts.smallest_gap, s.contact_quality});
    }
  });
  method.wall_seconds = wall_now() - begin;
  method.end_error = distance(simulation.state(), reference, simulation.model());
}

}  // namespace

Comparison compare(const Scene& scene, const CompareOptions& options) {
  const bool tears = std::any_of(scene.bodies.begin(), scene.bodies.end(),
                                 [](const scene::Body& body) { return body.tearing.has_value(); });
  if (tears || !scene.cuts.empty()) {
    throw InputError(scene.source,
                     "compare does not follow tears and cuts; remove bodies.tearing and cuts, for example with --set");
  }
  Comparison comparison;
  comparison.title = scene.title;
  comparison.step = scene.time.step;
  const double at = options.at < 0 ? 0.5 * scene.time.end : options.at;
  if (at > scene.time.end)
    throw InputError(fmt::format("--at {} is beyond the end of the scene at {} s", at, scene.time.end));
  for (const std::string& name : options.methods) {
    CompareMethod& method = comparison.methods.emplace_back();
    method.name = name;
    method.refusal = refusal_of(name, scene);
  }
  BuiltScene built = build(reference_of(scene));
  comparison.diagonal = built.model.diagonal;
  Simulation reference(std::move(built.model), std::move(built.state), built.options);
  if (options.on_progress) options.on_progress("reference: newton with a tight tolerance");
  const double begin_of_step = comparison.step * std::floor(at / comparison.step + kTimeTolerance);
  if (scene.time.integrator != scene::Integrator::symplectic_euler) {
    (void)run_to(reference, scene.time.step, begin_of_step, [](const AdvanceReport&) {});
    comparison.at = reference.state().time;
    compare_step(reference, options, comparison);
  }
  (void)run_to(reference, scene.time.step, scene.time.end, [](const AdvanceReport&) {});
  for (CompareMethod& method : comparison.methods) {
    if (!method.refusal.empty()) continue;
    if (options.on_progress) options.on_progress(method.name + ": the whole scene");
    compare_run(scene, reference.state(), method);
  }
  return comparison;
}

std::string advice(const Comparison& comparison) {
  std::string text;
  for (const double target : {1e-1, 1e-2, 1e-4, 1e-8}) {
    std::vector<std::pair<double, std::string>> found;  // seconds, what
    for (const CompareMethod& method : comparison.methods) {
      const auto first = std::find_if(method.points.begin(), method.points.end(),
                                      [&](const ComparePoint& p) { return std::abs(p.error) <= target; });
      if (first != method.points.end()) {
        found.emplace_back(first->seconds,
                           fmt::format("{} {:.3g} ms ({} iteration{})", method.name, 1e3 * first->seconds,
                                       first->iterations, first->iterations == 1 ? "" : "s"));
      }
    }
    if (found.empty()) break;
    std::sort(found.begin(), found.end());
    text += fmt::format("To an error of {:g}: ", target);
    for (std::size_t i = 0; i < found.size(); ++i) text += (i > 0 ? ", " : "") + found[i].second;
    text += ".\n";
  }
  if (!text.empty() && has_contacts(comparison))
    text += "This one step is without contact, which each method treats in its own way; the whole scene is with it.\n";
  return text;
}

std::string points_csv(const Comparison& comparison) {
  std::string text = "method,iterations,error,seconds\n";
  for (const CompareMethod& method : comparison.methods) {
    for (const ComparePoint& p : method.points)
      text += fmt::format("{},{},{:.17g},{:.6g}\n", method.name, p.iterations, p.error, p.seconds);
  }
  return text;
}

bool has_contacts(const Comparison& comparison) {
  return std::any_of(comparison.methods.begin(), comparison.methods.end(), [](const CompareMethod& method) {
    return std::any_of(method.contacts.begin(), method.contacts.end(),
                       [](const CompareMethod::ContactPoint& p) { return p.count > 0; });
  });
}

std::string contacts_csv(const Comparison& comparison) {
  std::string text =
      "method,time,count,smallest_gap,cone_violation,relative_cone_violation,friction_angle,complementarity\n";
  for (const CompareMethod& method : comparison.methods) {
    for (const CompareMethod::ContactPoint& p : method.contacts) {
      const contact::ContactQuality& q = p.quality;
      text +=
          fmt::format("{},{:.9g},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g}\n", method.name, p.time, p.count, p.smallest_gap,
                      q.cone_violation, q.relative_cone_violation, q.friction_angle, q.complementarity);
    }
  }
  return text;
}

std::string runs_csv(const Comparison& comparison) {
  std::string text =
      "method,wall_seconds,contact_seconds,assemble_seconds,linear_seconds,line_search_seconds,projection_seconds,"
      "steps,"
      "iterations,steps_not_converged,reached_end,end_error,refusal\n";
  for (const CompareMethod& m : comparison.methods) {
    if (!m.refusal.empty()) {
      text += fmt::format("{},,,,,,,,,,,,\"{}\"\n", m.name, m.refusal);
      continue;
    }
    text += fmt::format("{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{},{},{},{},{:.17g},\"{}\"\n", m.name,
                        m.wall_seconds, m.seconds.contact, m.seconds.assemble, m.seconds.linear, m.seconds.line_search,
                        m.seconds.projection, m.steps, m.iterations_total, m.steps_not_converged,
                        m.reached_end ? "yes" : "no", m.end_error, m.refusal);
  }
  return text;
}

}  // namespace pliant
