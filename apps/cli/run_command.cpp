// pliant run: simulates a scene and says where the result is, what was solved and how long each stage took.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>

#include "commands.h"
#include "pliant/input_error.h"
#include "pliant/io/write_error.h"
#include "pliant/parallel/parallel.h"
#include "pliant/scene/reader.h"
#include "pliant/scene/run_scene.h"
#include "progress_bar.h"
#include "view_process.h"

namespace pliant::cli {
namespace {

std::atomic<bool> interrupted{false};

// The first Ctrl-C asks the run to stop after its step; a second one ends the program at once.
extern "C" void on_signal(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

void print_expectations(const RunSummary& summary) {
  for (const scene::ExpectationResult& e : summary.expect) {
    print(fmt::format("  {}  {} at {}: {:.9g}, expected {}\n", e.passed ? "ok  " : "FAIL", e.probe, e.at, e.value,
                      e.condition));
  }
}

void print_summary(const RunSummary& s) {
  print(fmt::format("{} steps, {:.6g} s simulated in {}\n", s.steps, s.seconds_simulated,
                    readable_duration(s.wall_seconds)));
  print(fmt::format("  stages: contact {:.2f} s, {}, output {:.2f} s\n", s.stages.contact,
                    s.stages.projection > 0
                        ? fmt::format("projection {:.2f} s", s.stages.projection)
                        : fmt::format("assemble {:.2f} s, linear solve {:.2f} s, line search {:.2f} s",
                                      s.stages.assemble, s.stages.linear, s.stages.line_search),
                    s.stages.output));
  if (s.contacts.max > 0)
    print(fmt::format("  contacts: at most {}, smallest gap {:.3g} m, worst friction {:.3g} N beyond its cone\n",
                      s.contacts.max, s.contacts.smallest_gap, s.contacts.worst.cone_violation));
  if (!s.contacts.warning.empty()) print("  " + s.contacts.warning + "\n");
  if (s.contacts.intersections == 0) {
    const bool is_all = s.contacts.judged >= s.steps;
    print(fmt::format("  {}: no intersection at {}{}\n", is_all ? "verified" : "VERIFIED IN PART",
                      is_all ? "any step" : fmt::format("{} of {} steps", s.contacts.judged, s.steps),
                      s.contacts.unjudged.empty() ? "" : "; not judged, as contact is off: " + s.contacts.unjudged));
  }
  if (s.contacts.intersections > 0) {
    print(fmt::format("  INTERSECTIONS: {} edges through triangles over all steps, the first of {}\n",
                      s.contacts.intersections, s.contacts.first_intersection));
  }
  if (s.solver.method != "none") {
    print(fmt::format(
        "  solver: {} with {}, {:.1f} iterations per step (at most {}), worst residual {:.2g}{}\n", s.solver.method,
        s.solver.linear,
        static_cast<double>(s.solver.iterations_total) / static_cast<double>(std::max<std::int64_t>(1, s.steps)),
        s.solver.iterations_max, s.solver.residual_worst,
        s.solver.residual_worst_at.empty() ? "" : " at " + s.solver.residual_worst_at));
  }
  if (s.solver.steps_not_converged > 0) {
    print(fmt::format("  NOT CONVERGED: {} of {} steps ended above the tolerance; see summary.json\n",
                      s.solver.steps_not_converged, s.steps));
  }
  if (s.solver.steps_budgeted > 0) {
    print(fmt::format(
        "  budget: {} of {} steps used up solver.{}.iterations above the tolerance; null in its place goes on to it\n",
        s.solver.steps_budgeted, s.steps, s.solver.method));
  }
  if (s.solver.retries > 0)
    print(fmt::format("  {} attempts failed and were repeated with smaller steps\n", s.solver.retries));
  for (const RunSummary::Body& b : s.bodies) {
    if (b.inverted > 0)
      print(fmt::format("  body '{}' ends with {} of {} tets inverted\n", b.name, b.inverted, b.tets));
  }
}

// For a shell: words with anything but plain signs in them stand in quotes.
std::string quoted(const std::string& word) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("._-/=,+", c) != nullptr;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

// What goes on with a run, with the overrides that it had.
std::string resume_command(const RunArguments& arguments, const std::filesystem::path& folder) {
  std::string command = fmt::format("pliant run {} -o {} --resume", quoted(arguments.scene), quoted(folder.string()));
  for (const std::string& override_ : arguments.overrides) command += " --set " + quoted(override_);
  return command;
}

// Bodies that were to be judged, and nobody has looked at them, are no better than bodies that intersect.
bool has_missed_judge(const RunSummary& s, const RunArguments& arguments) {
  return arguments.verify && s.contacts.are_possible && s.steps > 0 && s.contacts.judged == 0;
}

int finish(const RunSummary& summary, const RunArguments& arguments, const std::filesystem::path& folder) {
  const std::string result =
      fmt::format("result: {0} (result.xdmf opens in ParaView; probes.csv, summary.json)\n", folder.string());
  print_summary(summary);
  if (summary.outcome == RunOutcome::interrupted) {
    print(result);
    print(fmt::format("interrupted at t = {:.6g} s; go on with: {}\n", summary.seconds_simulated,
                      resume_command(arguments, folder)));
    return kInterrupted;
  }
  if (summary.outcome == RunOutcome::could_not_go_on) {
    print(result);
    std::fputs(fmt::format("pliant: {}\nThe state before it is saved; repeat the step, with other settings if you "
                           "like: {} --set time.step=…\n",
                           summary.failure, resume_command(arguments, folder))
                   .c_str(),
               stderr);
    return kCouldNotGoOn;
  }
  if (arguments.verify && !summary.contacts.are_possible) print("  nothing to verify: the scene has no contact\n");
  if (has_missed_judge(summary, arguments)) print("  NOT VERIFIED: no step was judged\n");
  if (!summary.expect.empty()) print("expectations:\n");
  print_expectations(summary);
  print(result);
  const bool is_good =
      summary.expectations_hold() && summary.contacts.intersections <= 0 && !has_missed_judge(summary, arguments);
  return is_good ? kDone : kExpectationFailed;
}

// What to do about a file that cannot be written: a run that has begun can go on, another needs a place first.
io::WriteError with_advice(const io::WriteError& error, const std::filesystem::path& folder) {
  std::error_code none;
  const bool has_begun = std::filesystem::exists(folder / "checkpoint.bin", none);
  return {error.path(),
          error.reason() + (has_begun ? "; finished frames are kept, go on with --resume once there is room"
                                      : "; choose another result folder with -o")};
}

}  // namespace

int run(const RunArguments& arguments) {
  set_thread_count(arguments.threads);
  const Scene scene = read_scene(arguments.scene, arguments.overrides);
  RunOptions options;
  options.folder =
      arguments.output.empty() ? default_folder(scene, arguments.scene) : std::filesystem::path(arguments.output);
  options.mode = arguments.resume ? RunOptions::Mode::resume : RunOptions::Mode::fresh;
  options.interrupted = &interrupted;
  options.verifies = arguments.verify;
  if (std::filesystem::exists(options.folder) && !std::filesystem::is_directory(options.folder)) {
    throw InputError(options.folder.string(), "this is a file, and results need a folder; choose another with -o");
  }
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  ProgressBar bar;
  options.on_progress = [&](const RunProgress& progress) { bar.show(progress); };
  options.on_note = [](const std::string& note) { print(note + "\n"); };
  if (!scene.title.empty()) print(scene.title + "\n");
  std::optional<Interaction> replay;
  if (!arguments.replay.empty()) {
    replay = Interaction::read(arguments.replay);
    options.replay = &*replay;
  }
  std::optional<ViewProcess> viewer;
  if (arguments.view) {
    options.keeps_real_time = true;
    options.on_started = [&] { viewer.emplace(options.folder.string(), arguments.port); };
    options.hand = [&] { return viewer->hand(); };
  }
  RunSummary summary;
  try {
    summary = run_scene(scene, options);
  } catch (const io::WriteError& error) {
    bar.done();
    throw with_advice(error, options.folder);
  } catch (...) {
    bar.done();
    throw;
  }
  bar.done();
  const int code = finish(summary, arguments, options.folder);
  if (viewer && !interrupted && viewer->is_alive()) {
    print("the page stays open; Ctrl-C ends it\n");
    std::fflush(stdout);
    while (!interrupted && viewer->is_alive()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return code;
}

}  // namespace pliant::cli
