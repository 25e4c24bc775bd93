// Bullet, as Debian packs it: single precision, one thread.
#pragma once

#include "benchmarks/peers/cloth_scene.h"
#include "benchmarks/peers/peer_scene.h"

namespace pliant::peers {

[[nodiscard]] PeerRun run_bullet(const PeerScene& scene);
[[nodiscard]] ClothRun run_bullet(const ClothScene& scene);
// Whether this build of Bullet can use threads at all.
[[nodiscard]] bool bullet_has_threads();

}  // namespace pliant::peers
