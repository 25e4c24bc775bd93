// From a model to the one that takes its place after a tear: what moves is carried over, block by block.
#pragma once

#include <vector>

#include "pliant/dynamics/model.h"

namespace pliant {

// The state of `next`, whose block b comes from block source[b] of `model`: copies of a torn vertex start with its
// place, velocity and history. Pins stay as they are; copies of a pinned vertex share its anchor. Rods are not torn.
[[nodiscard]] State carry_over(const State& state, const Model& model, const Model& next,
                               const std::vector<int>& source);

}  // namespace pliant
