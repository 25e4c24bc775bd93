#include "pliant/dynamics/revision.h"

#include <algorithm>

#include "pliant/assert.h"

namespace pliant {
namespace {

BlockVector carried(const BlockVector& values, const std::vector<int>& source) {
  if (values.size() == 0) return {};
  BlockVector next(static_cast<int>(source.size()));
  for (int b = 0; b < next.size(); ++b) next[b] = values[source[b]];
  return next;
}

}  // namespace

State carry_over(const State& state, const Model& model, const Model& next, const std::vector<int>& source) {
  PLIANT_ASSERT(static_cast<int>(source.size()) == next.layout.block_count(), "every block comes from somewhere");
  PLIANT_ASSERT(model.pins.size() == next.pins.size(), "tears neither make nor end pins");
  PLIANT_ASSERT(model.rods.edges.size() == next.rods.edges.size(), "rods are not torn");
  State carried_state = state;
  for (BlockVector State::*values : {&State::positions, &State::velocities, &State::accelerations,
                                     &State::previous_positions, &State::previous_velocities})
    carried_state.*values = carried(state.*values, source);
  // Anchors of a pin: those of its blocks, then those of its clamped edges.
  carried_state.pin_anchors.assign(static_cast<std::size_t>(next.anchor_count()), Vec3::Zero());
  for (std::size_t p = 0; p < next.pins.size(); ++p) {
    const ScriptedPin &from = model.pins[p], &to = next.pins[p];
    for (std::size_t i = 0; i < to.blocks.size(); ++i) {
      const auto found = std::find(from.blocks.begin(), from.blocks.end(), source[to.blocks[i]]);
      PLIANT_ASSERT(found != from.blocks.end(), "copies of a vertex are pinned like the vertex");
      carried_state.pin_anchors[to.first_anchor + i] =
          state.pin_anchors[from.first_anchor + static_cast<std::size_t>(found - from.blocks.begin())];
    }
    for (std::size_t e = 0; e < to.edges.size(); ++e) {
      carried_state.pin_anchors[to.first_anchor + to.blocks.size() + e] =
          state.pin_anchors[from.first_anchor + from.blocks.size() + e];
    }
  }
  carried_state.stick = {};  // pairs of the torn surface have other numbers
  carried_state.forces = {};
  carried_state.sleep = {};  // all wake
  return carried_state;
}

}  // namespace pliant
