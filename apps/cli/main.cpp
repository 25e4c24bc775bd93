// The command line: pliant run | check | view | render | plot | export | info.
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

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Pliant simulates soft bodies. Start with: pliant run examples/flagship/flagship.yaml"};
  app.set_version_flag("--version", version());
  app.require_subcommand(1);

  RunArguments run_arguments;
  bool verify = false;
  CLI::App* run_command = app.add_subcommand("run", "simulate a scene");
  run_command->add_option("scene", run_arguments.scene, "scene file (YAML or JSON)")->required();
  run_command->add_option("--set", run_arguments.overrides, "override a key, e.g. --set time.step=0.005")
      ->allow_extra_args(false);
  run_command->add_option("-o,--output", run_arguments.output, "result folder (default: out/<scene name>)");
  run_command->add_option("--threads", run_arguments.threads, "number of threads (default: one per core)")
      ->check(CLI::Range(1, 1024));
  run_command->add_flag("--resume", run_arguments.resume, "go on from the last checkpoint in the result folder");
  run_command->add_flag("--verify", verify, "judge every step for intersections");
  run_command->add_flag("--view", run_arguments.view, "watch in the browser while it runs, and pull at things");
  run_command->add_option("--port", run_arguments.port, "of --view (default: 8080)")->check(CLI::Range(0, 65535));
  run_command->add_option("--replay", run_arguments.replay, "repeat what was pulled: an interaction.csv");

  CheckArguments check_arguments;
  CLI::App* check_command = app.add_subcommand("check", "validate a scene without running it");
  check_command->add_option("scene", check_arguments.scene, "scene file")->required();
  check_command->add_option("--set", check_arguments.overrides, "override a key")->allow_extra_args(false);

  ExportArguments export_arguments;
  CLI::App* export_command = app.add_subcommand("export", "take a result to other programs");
  export_command->add_option("folder", export_arguments.folder, "result folder")->required();
  export_command->add_option("--format", export_arguments.format, "obj, ply, pc2, usda, glb or html")->required();
  export_command->add_option("-o,--output", export_arguments.output,
                             "output folder, or file for usda, glb and html (default: inside the result folder)");

  ViewArguments view_arguments;
  CLI::App* view_command = app.add_subcommand("view", "look at a result in the browser");
  view_command->add_option("folder", view_arguments.folders, "result folder; two are shown side by side")
      ->required()
      ->expected(1, 2);
  view_command->add_option("--port", view_arguments.port, "of the page (default: 8080; 0: any free one)")
      ->check(CLI::Range(0, 65535));
  view_command->add_flag("--send-drags", view_arguments.sends_drags)->group("");

  RenderArguments render_arguments;
  CLI::App* render_command = app.add_subcommand("render", "make a picture or a video of a result");
  render_command->add_option("folder", render_arguments.folder, "result folder")->required();
  render_command->add_option("-o,--output", render_arguments.output, "PNG file (default: picture.png)");
  render_command->add_option("--frame", render_arguments.frame,
                             "last, all, a number, or several with commas for a strip (default: last)");
  render_command->add_option("--size", render_arguments.size, "pixels, like 1280x720");
  render_command->add_option("--camera", render_arguments.camera, "scene (default) or fitted");
  render_command->add_option("--from", render_arguments.from, "where the camera is: x,y,z in m");
  render_command->add_option("--to", render_arguments.to, "what it looks at: x,y,z in m");
  render_command->add_option("--direction", render_arguments.direction, "x,y,z from the motion to a fitted camera");
  render_command->add_option("--colour,--color", render_arguments.quantity,
                             "by a quantity: speed, stretch, contact_force or a field of the result");
  render_command->add_option("--range", render_arguments.range, "low,high of the colours (default: over the motion)");
  render_command->add_option("--ground", render_arguments.ground, "its height in m, or none");
  render_command->add_option("--video", render_arguments.video, "MP4 file, through ffmpeg");
  render_command->add_flag("--wireframe", render_arguments.wireframe, "draw the edges of triangles");
  render_command->add_option("--samples", render_arguments.samples, "per pixel (default: 16)")
      ->check(CLI::Range(1, 4096));
  render_command->add_option("--threads", render_arguments.threads, "number of threads")->check(CLI::Range(1, 1024));

  PlotArguments plot_arguments;
  CLI::App* plot_command = app.add_subcommand("plot", "draw curves of a result as SVG");
  plot_command->add_option("folder", plot_arguments.folder, "result folder")->required();
  plot_command
      ->add_option("what", plot_arguments.words,
                   "probes or columns of probes.csv, or iterations, residual: pliant plot out/bar energy tip.y")
      ->required();
  plot_command->add_option("-o,--output", plot_arguments.output, "SVG file (default: <what>.svg)");
  plot_command->add_option("--title", plot_arguments.title, "above the chart (default: the folder's name)");
  plot_command->add_flag("--log", plot_arguments.log, "logarithmic axis (default: where it fits)");
  plot_command->add_flag("--linear", plot_arguments.linear, "linear axis");

  InfoArguments info_arguments;
  CLI::App* info_command = app.add_subcommand("info", "version, build, libraries, cores");
  info_command->add_flag("--materials", info_arguments.materials, "list the material presets");

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
    if (run_command->parsed() && verify)
      throw InputError("--verify is not built yet in this version: there is no contact to judge");
    if (run_command->parsed()) return cli::run(run_arguments);
    if (check_command->parsed()) return cli::check(check_arguments);
    if (export_command->parsed()) return cli::export_result(export_arguments);
    if (render_command->parsed()) return cli::render(render_arguments);
    if (plot_command->parsed()) return cli::plot(plot_arguments);
    if (view_command->parsed()) return cli::view(view_arguments);
    if (info_command->parsed()) return cli::info(info_arguments);
    return static_cast<int>(kBadInput);
  });
}
