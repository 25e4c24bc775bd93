// The command line: pliant run | check | export | info.
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
  bool verify = false, view = false;
  CLI::App* run_command = app.add_subcommand("run", "simulate a scene");
  run_command->add_option("scene", run_arguments.scene, "scene file (YAML or JSON)")->required();
  run_command->add_option("--set", run_arguments.overrides, "override a key, e.g. --set time.step=0.005")
      ->allow_extra_args(false);
  run_command->add_option("-o,--output", run_arguments.output, "result folder (default: out/<scene name>)");
  run_command->add_option("--threads", run_arguments.threads, "number of threads (default: one per core)")
      ->check(CLI::Range(1, 1024));
  run_command->add_flag("--resume", run_arguments.resume, "go on from the last checkpoint in the result folder");
  run_command->add_flag("--verify", verify, "judge every step for intersections");
  run_command->add_flag("--view", view, "watch in the browser");

  CheckArguments check_arguments;
  CLI::App* check_command = app.add_subcommand("check", "validate a scene without running it");
  check_command->add_option("scene", check_arguments.scene, "scene file")->required();
  check_command->add_option("--set", check_arguments.overrides, "override a key")->allow_extra_args(false);

  ExportArguments export_arguments;
  CLI::App* export_command = app.add_subcommand("export", "take a result to other programs");
  export_command->add_option("folder", export_arguments.folder, "result folder")->required();
  export_command->add_option("--format", export_arguments.format, "obj, ply or pc2")->required();
  export_command->add_option("-o,--output", export_arguments.output, "output folder (default: <folder>/<format>)");

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
    if (run_command->parsed() && view)
      throw InputError("--view is not built yet in this version; look at the result with ParaView");
    if (run_command->parsed()) return cli::run(run_arguments);
    if (check_command->parsed()) return cli::check(check_arguments);
    if (export_command->parsed()) return cli::export_result(export_arguments);
    if (info_command->parsed()) return cli::info(info_arguments);
    return static_cast<int>(kBadInput);
  });
}
