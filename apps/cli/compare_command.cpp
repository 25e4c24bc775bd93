// pliant compare: one scene by several methods, as a page with charts and two tables.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <sstream>

#include "commands.h"
#include "pliant/input_error.h"
#include "pliant/io/atomic_file.h"
#include "pliant/io/plain_text.h"
#include "pliant/parallel/parallel.h"
#include "pliant/picture/plot.h"
#include "pliant/scene/compare.h"
#include "pliant/scene/reader.h"

namespace pliant::cli {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  return words;
}

std::vector<int> counts_of(const std::string& text) {
  std::vector<int> counts;
  for (const std::string& word : words_of(text)) {
    int count = 0;
    if (!io::parse_number(word, count) || count < 1)
      throw InputError(fmt::format("--iterations: '{}' is no number of iterations; write 1,2,5,10", word));
    counts.push_back(count);
  }
  return counts;
}

constexpr double kConvergedError = 1e-15;  // the rounding of g

// Error of every method against iterations or milliseconds; a converged method ends at the rounding of g.
std::string chart(const Comparison& comparison, bool over_time) {
  std::vector<picture::Series> series;
  for (const CompareMethod& method : comparison.methods) {
    picture::Series curve{method.name, {}, {}};
    for (const ComparePoint& p : method.points) {
      curve.x.push_back(over_time ? 1e3 * p.seconds : p.iterations);
      curve.y.push_back(std::max(std::abs(p.error), kConvergedError));
      if (std::abs(p.error) <= kConvergedError) break;  // more iterations are not done
    }
    if (!curve.x.empty()) series.push_back(std::move(curve));
  }
  if (series.empty()) return "";
  return picture::plot_svg(series, {.title = fmt::format("One step at t = {:.4g} s", comparison.at),
                                    .x_label = over_time ? "time [ms]" : "iterations [1]",
                                    .y_label = "(g − g*)/(g₀ − g*) [1]",
                                    .y_scale = picture::PlotScale::logarithmic});
}

using ContactPoint = CompareMethod::ContactPoint;

// One measure of contact over the whole scene, of every method that touches anything; empty: none does.
std::string contact_chart(const Comparison& comparison, const std::string& label,
                          const std::function<double(const ContactPoint&)>& measure) {
  std::vector<picture::Series> series;
  for (const CompareMethod& method : comparison.methods) {
    picture::Series curve{method.name, {}, {}};
    for (const ContactPoint& p : method.contacts) {
      if (p.count == 0) continue;
      curve.x.push_back(p.time);
      curve.y.push_back(measure(p));
    }
    if (!curve.x.empty()) series.push_back(std::move(curve));
  }
  return series.empty() ? "" : picture::plot_svg(series, {.title = "", .y_label = label});
}

std::string contact_section(const Comparison& c) {
  const std::string gaps = contact_chart(c, "smallest gap [m]", [](const ContactPoint& p) { return p.smallest_gap; });
  if (gaps.empty()) return "";
  return fmt::format(
      "<h2>Contact</h2>\n<p>After every step in which anything touches: the smallest gap; the friction beyond its "
      "cone, "
      "of the largest in the step; the largest angle between friction and the slip that it opposes; the Fischer-"
      "Burmeister residual of gap and normal force. Formulas: docs/contact.md.</p>\n{}\n{}\n{}\n{}\n",
      gaps,
      contact_chart(c, "cone violation [1]", [](const ContactPoint& p) { return p.quality.relative_cone_violation; }),
      contact_chart(c, "friction angle [°]", [](const ContactPoint& p) { return p.quality.friction_angle; }),
      contact_chart(c, "complementarity [1]", [](const ContactPoint& p) { return p.quality.complementarity; }));
}

std::string page_of(const Comparison& c) {
  std::string rows;
  for (const CompareMethod& m : c.methods) {
    if (!m.refusal.empty()) {
      rows += fmt::format("<tr><td>{}</td><td colspan=\"10\">{}</td></tr>\n", m.name, io::escape_xml(m.refusal));
      continue;
    }
    rows += fmt::format(
        "<tr><td>{}</td><td>{:.3f}</td><td>{:.3f}</td><td>{:.3f}</td><td>{:.3f}</td><td>{:.3f}</td><td>{:.3f}</td>"
        "<td>{}</td><td>{:.1f}</td><td>{}</td><td>{:.3g}{}</td></tr>\n",
        m.name, m.wall_seconds, m.seconds.contact, m.seconds.assemble, m.seconds.linear, m.seconds.line_search,
        m.seconds.projection, m.steps, static_cast<double>(m.iterations_total) / std::max(1, m.steps),
        m.steps_not_converged, m.end_error, m.reached_end ? "" : " (did not reach the end)");
  }
  return fmt::format(R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{0}</title>
<style>body{{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}
table{{border-collapse:collapse;display:block;overflow-x:auto;font-size:.85rem}}
td,th{{padding:.2rem .5rem;border-bottom:1px solid #8886;text-align:right}} td{{white-space:nowrap}} td[colspan]{{white-space:normal;text-align:left}} td:first-child,th:first-child{{text-align:left}}
svg{{max-width:100%;height:auto}}</style></head><body>
<h1>{0}</h1>
<p>One step of {1:.4g} s at t = {2:.4g} s, every method from the same start. g is what a step minimises; g₀ = {3:.6g} J where inertia
alone leads, g* = {4:.6g} J converged. Lines join the numbers of iterations that were tried. Times leave out what is done once per scene: the
factorisation of a constant matrix, the symbolic analysis of others.</p>
<pre>{9}</pre>
{5}
{6}
<h2>The whole scene</h2>
<p>With the scene's own settings. The last column is the root mean square distance of all vertices at the end from a reference that Newton
converged to 10⁻¹⁰; the scene is {7:.3g} m large. Where folds or buckles may fall either way it says more about the scene than about the method.</p>
<table><tr><th>method</th><th>wall [s]</th><th>contact [s]</th><th>assemble [s]</th><th>linear [s]</th><th>line search [s]</th>
<th>projection [s]</th><th>steps</th>
<th>iterations per step</th><th>not converged</th><th>end error [m]</th></tr>
{8}</table>
{10}</body></html>
)",
                     io::escape_xml(c.title.empty() ? "Comparison" : c.title), c.step, c.at, c.start_value,
                     c.best_value, chart(c, false), chart(c, true), c.diagonal, rows, advice(c), contact_section(c));
}

// A page about nothing would look like a success.
void check_any_compares(const Comparison& comparison, const std::string& source) {
  std::string refusals;
  for (const CompareMethod& m : comparison.methods) {
    if (m.refusal.empty()) return;
    refusals += fmt::format("{}{}: {}", refusals.empty() ? "" : "; ", m.name, m.refusal);
  }
  throw InputError(source, "no method can do this scene as it is: " + refusals);
}

}  // namespace

int compare(const CompareArguments& arguments) {
  if (arguments.threads > 0) set_thread_count(arguments.threads);
  const Scene scene = read_scene(arguments.scene, arguments.overrides);
  CompareOptions options;
  options.methods = words_of(arguments.methods);
  options.iterations = counts_of(arguments.iterations);
  options.at = arguments.at;
  options.on_progress = [](const std::string& what) {
    print(what + "\n");
    std::fflush(stdout);
  };
  const std::filesystem::path folder =
      !arguments.output.empty()
          ? std::filesystem::path(arguments.output)
          : std::filesystem::path("out") / (std::filesystem::path(arguments.scene).stem().string() + "-compared");
  const Comparison comparison = pliant::compare(scene, options);
  check_any_compares(comparison, scene.source);
  io::make_folder(folder);
  io::write_file_atomically(folder / "steps.csv", points_csv(comparison));
  io::write_file_atomically(folder / "runs.csv", runs_csv(comparison));
  if (has_contacts(comparison)) io::write_file_atomically(folder / "contacts.csv", contacts_csv(comparison));
  io::write_file_atomically(folder / "index.html", page_of(comparison));
  for (const CompareMethod& m : comparison.methods) {
    if (!m.refusal.empty()) {
      print(fmt::format("  {}: {}\n", m.name, m.refusal));
      continue;
    }
    print(fmt::format("  {:<13} {:8.3f} s, {:5.1f} iterations per step, end error {:.3g} m{}\n", m.name, m.wall_seconds,
                      static_cast<double>(m.iterations_total) / std::max(1, m.steps), m.end_error,
                      m.reached_end ? "" : ", did not reach the end"));
  }
  print(advice(comparison));
  print(fmt::format("{} (steps.csv, runs.csv{})\n", (folder / "index.html").string(),
                    has_contacts(comparison) ? ", contacts.csv" : ""));
  return kDone;
}

}  // namespace pliant::cli
