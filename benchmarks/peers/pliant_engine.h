// Pliant under `solver.method: projection`, given the scenes as the text that a user would write.
#pragma once

#include <string>

#include "benchmarks/peers/cloth_scene.h"
#include "benchmarks/peers/peer_scene.h"

namespace pliant::peers {

struct PliantSettings {
  int threads = 1;
  int iterations = 10;
  bool until_rest = false;           // conjugate residuals until the tolerance, at most `iterations`, instead of sweeps
  double tolerance = 1e-4;           // of that
  std::string precision = "double";  // or float
  std::string iteration = "gauss_seidel";  // of a fixed budget
  int looks = 5;                           // for contacts that arrive within a step
};

[[nodiscard]] std::string scene_text(const PeerScene& scene, const PliantSettings& settings);
[[nodiscard]] std::string scene_text(const ClothScene& scene, const PliantSettings& settings);
[[nodiscard]] PeerRun run_pliant(const PeerScene& scene, const PliantSettings& settings);
[[nodiscard]] ClothRun run_pliant(const ClothScene& scene, const PliantSettings& settings);

}  // namespace pliant::peers
