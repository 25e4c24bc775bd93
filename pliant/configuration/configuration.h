// Where everything is, as energies see it: the iterate, the configuration the step started from, and the time between.
#pragma once

#include "pliant/configuration/controls.h"
#include "pliant/configuration/rod_frames.h"
#include "pliant/sparse/block_vector.h"

namespace pliant {

struct Configuration {
  const BlockVector& now;     // m, the iterate (for θ < 1 the point θ q + (1 − θ) before)
  const BlockVector& before;  // m, the last accepted configuration
  double step = 0;            // s, from before to now: θ h; 0 when quasi-static
  const Controls& controls;
  double theta = 1;                       // where `now` stands between before (0) and the end of the step (1)
  const BlockVector* velocity = nullptr;  // m/s, at the start of the step; null = at rest
  const RodFrames* frames = nullptr;      // of rods, at `before`; null when there are none
};

}  // namespace pliant
