// The command line: pliant run | check | compare | view | render | plot | export | import | info.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "commands.h"
#include "pliant/input_error.h"
#include "pliant/io/write_error.h"
#include "pliant/scene/run_summary.h"
#include "pliant/scene/settings.h"

namespace {

using namespace pliant;
using namespace pliant::cli;

int complain(const std::string& sentence, int code) {
  std::fputs(("pliant: " + sentence + "\n").c_str(), stderr);
  return code;
}

// Every failure ends here as one sentence and an exit code.
template <class Command>
int guarded(const Command& command) {
  try {
    return command();
  } catch (const InputError& error) {
    return complain(error.what(), kBadInput);
  } catch (const io::WriteError& error) {
    return complain(error.what(), kCouldNotGoOn);
  } catch (const std::filesystem::filesystem_error& error) {  // a path the system does not take: too long, not readable
    return complain(fmt::format("{}: {}; check the path", error.path1().string(), error.code().message()), kBadInput);
  } catch (const std::bad_alloc&) {
    return complain("not enough memory for this scene; use a coarser mesh or solver.newton.linear: pcg", kCouldNotGoOn);
  } catch (const std::exception& error) {
    return complain(fmt::format("internal error: {}", error.what()), kInternalError);
  }
}

// A misspelt command, before the parser complains that one is missing. Empty when there is nothing to say.
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return "";
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  const std::string word = argv[1];
  if (std::find(names.begin(), names.end(), word) != names.end()) return "";
  return fmt::format("there is no command '{}'{}", word, scene::suggestion(word, names));
}

// --- Commands and their options ---

void add_threads(CLI::App* command, int& threads) {
  command->add_option("--threads", threads, "number of threads (default: one per core)")->check(CLI::Range(1, 1024));
}

CLI::App* add_run(CLI::App& app, RunArguments& a) {
  CLI::App* command = app.add_subcommand("run", "simulate a scene");
  command->add_option("scene", a.scene, "scene file (YAML or JSON)")->required();
  command->add_option("--set", a.overrides, "override a key, e.g. --set time.step=0.005")->allow_extra_args(false);
  command->add_option("-o,--output", a.output, "result folder (default: out/<scene name>)");
  add_threads(command, a.threads);
  command->add_flag("--resume", a.resume, "go on from the last checkpoint in the result folder");
  command->add_flag("--verify", a.verify, "judge every step for intersections");
  command->add_flag("--view", a.view, "watch in the browser while it runs, and pull at things");
  command->add_option("--port", a.port, "of --view (default: 8080)")->check(CLI::Range(0, 65535));
  command->add_option("--replay", a.replay, "repeat what was pulled: an interaction.csv");
  return command;
}

CLI::App* add_check(CLI::App& app, CheckArguments& a) {
  CLI::App* command = app.add_subcommand("check", "validate a scene without running it");
  command->add_option("scene", a.scene, "scene file")->required();
  command->add_option("--set", a.overrides, "override a key")->allow_extra_args(false);
  return command;
}

CLI::App* add_export(CLI::App& app, ExportArguments& a) {
  CLI::App* command = app.add_subcommand("export", "take a result to other programs");
  command->add_option("folder", a.folder, "result folder")->required();
  command->add_option("--format", a.format, "obj, ply, pc2, usda, glb or html")->required();
  command->add_option("-o,--output", a.output,
                      "output folder, or file for usda, glb and html (default: inside the result folder)");
  return command;
}

CLI::App* add_view(CLI::App& app, ViewArguments& a) {
  CLI::App* command = app.add_subcommand("view", "look at a result in the browser");
  command->add_option("folder", a.folders, "result folder; two are shown side by side")->required()->expected(1, 2);
  command->add_option("--port", a.port, "of the page (default: 8080; 0: any free one)")->check(CLI::Range(0, 65535));
  command->add_flag("--send-drags", a.sends_drags)->group("");
  return command;
}

CLI::App* add_render(CLI::App& app, RenderArguments& a) {
  CLI::App* command = app.add_subcommand("render", "make a picture or a video of a result");
  command->add_option("folder", a.folder, "result folder")->required();
  command->add_option("-o,--output", a.output, "PNG file (default: picture.png)");
  command->add_option("--frame", a.frame, "last, all, a number, or several with commas for a strip (default: last)");
  command->add_option("--size", a.size, "pixels, like 1280x720");
  command->add_option("--camera", a.camera, "scene (default) or fitted");
  command->add_option("--from", a.from, "where the camera is: x,y,z in m");
  command->add_option("--to", a.to, "what it looks at: x,y,z in m");
  command->add_option("--direction", a.direction, "x,y,z from the motion to a fitted camera");
  command->add_option("--colour,--color", a.quantity,
                      "by a quantity: speed, stretch, contact_force or a field of the result");
  command->add_option("--range", a.range, "low,high of the colours (default: over the motion)");
  command->add_option("--ground", a.ground, "its height in m, or none");
  command->add_option("--video", a.video, "MP4 file, through ffmpeg");
  command->add_flag("--wireframe", a.wireframe, "draw the edges of triangles");
  command->add_option("--samples", a.samples, "per pixel (default: 16)")->check(CLI::Range(1, 4096));
  add_threads(command, a.threads);
  return command;
}

CLI::App* add_plot(CLI::App& app, PlotArguments& a) {
  CLI::App* command = app.add_subcommand("plot", "draw curves of a result as SVG");
  command->add_option("folder", a.folder, "result folder")->required();
  command
      ->add_option("what", a.words,
                   "probes or columns of probes.csv, or iterations, residual: pliant plot out/bar energy tip.y")
      ->required();
  command->add_option("-o,--output", a.output, "SVG file (default: <what>.svg)");
  command->add_option("--title", a.title, "above the chart (default: the folder's name)");
  command->add_flag("--log", a.log, "logarithmic axis (default: where it fits)");
  command->add_flag("--linear", a.linear, "linear axis");
  return command;
}

CLI::App* add_compare(CLI::App& app, CompareArguments& a) {
  CLI::App* command = app.add_subcommand("compare", "run one scene by several methods and show which one to take");
  command->add_option("scene", a.scene, "scene file (YAML or JSON)")->required();
  command->add_option("--methods", a.methods, "with commas between them: newton, quasi_newton, projection");
  command->add_option("--iterations", a.iterations, "counts to show on one step (default: 1,2,5,10,20,50)");
  command->add_option("--at", a.at, "time of that step in s (default: half of the run)");
  command->add_option("--set", a.overrides, "override a key")->allow_extra_args(false);
  command->add_option("-o,--output", a.output, "folder (default: out/<scene name>-compared)");
  add_threads(command, a.threads);
  return command;
}

CLI::App* add_import(CLI::App& app, ImportArguments& a) {
  CLI::App* command = app.add_subcommand("import", "make a scene file from a robot description");
  command->add_option("file", a.file, "URDF file")->required();
  command->add_option("-o,--output", a.output, "scene file (default: <name of the URDF file>.yaml)");
  command->add_flag("--fixed-base", a.fixed_base, "fix the root link to the world");
  command->add_option("--pose", a.pose, "where a joint stands at first, in degrees or m, e.g. --pose elbow=30")
      ->allow_extra_args(false);
  return command;
}

CLI::App* add_info(CLI::App& app, InfoArguments& a) {
  CLI::App* command = app.add_subcommand("info", "version, build, libraries, cores");
  command->add_flag("--materials", a.materials, "list the material presets");
  return command;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Pliant simulates soft bodies. Start with: pliant run examples/flagship/flagship.yaml"};
  app.set_version_flag("--version", version());
  app.require_subcommand(1);

  RunArguments run_arguments;
  CheckArguments check_arguments;
  ExportArguments export_arguments;
  ViewArguments view_arguments;
  RenderArguments render_arguments;
  PlotArguments plot_arguments;
  CompareArguments compare_arguments;
  ImportArguments import_arguments;
  InfoArguments info_arguments;

  const CLI::App* run_command = add_run(app, run_arguments);
  const CLI::App* check_command = add_check(app, check_arguments);
  const CLI::App* export_command = add_export(app, export_arguments);
  const CLI::App* view_command = add_view(app, view_arguments);
  const CLI::App* render_command = add_render(app, render_arguments);
  const CLI::App* plot_command = add_plot(app, plot_arguments);
  const CLI::App* compare_command = add_compare(app, compare_arguments);
  const CLI::App* import_command = add_import(app, import_arguments);
  const CLI::App* info_command = add_info(app, info_arguments);

  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return fmt::format("pliant: {}; see pliant --help\n", error.what());
  });
  if (const std::string sentence = unknown_command(app, argc, argv); !sentence.empty())
    return complain(sentence, kBadInput);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kBadInput;
  }
  std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit shows as a write error, not as death
  return guarded([&] {
    if (run_command->parsed()) return cli::run(run_arguments);
    if (check_command->parsed()) return cli::check(check_arguments);
    if (export_command->parsed()) return cli::export_result(export_arguments);
    if (render_command->parsed()) return cli::render(render_arguments);
    if (plot_command->parsed()) return cli::plot(plot_arguments);
    if (view_command->parsed()) return cli::view(view_arguments);
    if (compare_command->parsed()) return cli::compare(compare_arguments);
    if (import_command->parsed()) return cli::import_robot(import_arguments);
    if (info_command->parsed()) return cli::info(info_arguments);
    return static_cast<int>(kBadInput);
  });
}
