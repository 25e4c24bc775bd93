// How good a run is, by one measure for all engines: from the poses alone, with Pliant's own manifolds.
#pragma once

#include <span>

#include "benchmarks/peers/peer_scene.h"

namespace pliant::peers {

struct Penetration {
  double largest = 0;  // m
  double mean = 0;     // m, over pairs that overlap or are less than 1 mm apart; those apart count as 0
  int pairs = 0;
};
[[nodiscard]] Penetration penetration_of(const PeerScene& scene, std::span<const contact::Pose> poses);

struct Quality {
  Penetration end;          // after the last step
  double mean_late = 0;     // m, mean penetration over the second half of the samples
  double largest_ever = 0;  // m, over all samples
  double sinking = 0;       // m, of the top body
  double drift = 0;         // m, mean horizontal way of the bodies that move
};
[[nodiscard]] Quality quality_of(const PeerScene& scene, const PeerRun& run);

// Whether a run is as good as another by what its scene is judged by. Where a top is to stand: how far it went up or down.
// Elsewhere: mean penetration at the end and over the second half.
[[nodiscard]] bool is_as_good(const PeerScene& scene, const Quality& run, const Quality& other);

}  // namespace pliant::peers
