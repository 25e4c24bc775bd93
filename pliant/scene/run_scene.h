// Runs a scene from start to end, or on from where it stopped, and writes its result folder.
//
//   result.h5, result.xdmf   what moved, frame by frame      probes.csv    one row per nominal step
//   scene.yaml               the scene with all defaults     summary.json  what was done
//   checkpoint.bin           the state, for --resume         convergence.csv   iterations and residual, row by row
//   interaction.csv          what was pulled, if anything
//
// Finished frames and rows survive a kill at any moment; a resumed run continues with the same bits.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "pliant/scene/interaction.h"
#include "pliant/scene/run_summary.h"
#include "pliant/scene/scene.h"

namespace pliant {

struct RunProgress {
  std::int64_t step = 0, step_count = 0;  // nominal steps
  double time = 0, end = 0;               // s
  int iterations = 0;                     // of the last nominal step
  bool converged = true;
  int retries = 0;  // of the last nominal step
  double wall_seconds = 0;
  double seconds_left = 0;  // estimate
};

struct RunOptions {
  std::filesystem::path folder;
  enum class Mode { fresh, resume } mode = Mode::fresh;
  const std::atomic<bool>* interrupted = nullptr;  // set by a signal handler: stop after the current step
  std::function<void(const RunProgress&)> on_progress;
  // Somebody who pulls: asked before every nominal step. What they do is recorded in interaction.csv.
  std::function<std::optional<Hand>()> hand;
  const Interaction* replay = nullptr;              // takes the place of `hand`
  bool verifies = false;                            // asks the judge of intersections after every step
  bool keeps_real_time = false;                     // waits rather than simulate faster than the clock
  std::function<void()> on_started;                 // the result folder is there, with its first frame
  std::function<void(const std::string&)> on_note;  // sentences about meshes and choices, before the first step
};

// Throws InputError (bad scene, nothing is written) and io::WriteError (disk full; finished frames stay).
[[nodiscard]] RunSummary run_scene(const Scene& scene, const RunOptions& options);

// Where a scene's result goes when nobody says otherwise: its `output.folder`, or out/<file name without suffix>.
[[nodiscard]] std::filesystem::path default_folder(const Scene& scene, const std::filesystem::path& scene_file);

}  // namespace pliant
