// A run's checkpoint: the state and everything a continued run needs to write on as if never stopped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "pliant/dynamics/model.h"
#include "pliant/io/checkpoint.h"
#include "pliant/scene/run_summary.h"
#include "pliant/scene/tearing.h"

namespace pliant {

// How far a run has come, besides its state.
struct RunPosition {
  std::int64_t nominal_step = 0;  // done
  std::int64_t frames = 0;        // in result.h5
  std::int64_t rows = 0;          // in probes.csv
  std::int64_t next_frame = 1;    // number k of the next frame time k/fps
  // Times of nominal steps are origin_time + (k − origin_step) · step: no rounding piles up.
  double origin_time = 0;  // s
  std::int64_t origin_step = 0;
};

// Tears between two steps.
struct TearEvent {
  std::int64_t step = 0;    // steps taken before it
  std::int64_t frames = 0;  // in result.h5 at that moment
  std::vector<scene::Tear> tears;
};

// What made the model of a checkpoint.
struct CheckpointOrigin {
  std::string scene_text;        // as written to scene.yaml
  std::vector<TearEvent> tears;  // so far
};

struct RunCheckpoint {
  CheckpointOrigin origin;
  State state;
  RunPosition position;
  RunSummary summary;  // counters so far
};

void write_checkpoint(const std::filesystem::path& file, const Model& model, const RunCheckpoint& checkpoint);
// Throws InputError when the file is missing or damaged.
[[nodiscard]] CheckpointOrigin read_checkpoint_origin(const std::filesystem::path& file);
// Throws InputError when the file is missing, damaged, or of another model: that of the run after its tears.
[[nodiscard]] RunCheckpoint read_checkpoint(const std::filesystem::path& file, const Model& model);

// Frames, twists and spins of a rod from a checkpoint that holds one of this name, with as many edges and joints; false
// when it does not. `state` has room for all rods of the model.
[[nodiscard]] bool read_rod(const io::CheckpointReader& checkpoint, const Model& model, const ModelBody& body,
                            State& state);

}  // namespace pliant
