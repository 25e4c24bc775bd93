// Scenes that several engines are to run: boxes and balls on a floor, and nothing that only one engine knows.
#pragma once

#include <string>
#include <vector>

#include "pliant/contact/manifold/convex_shape.h"

namespace pliant::peers {

struct PeerBody {
  contact::ConvexShape shape;    // a box or a ball
  contact::Pose pose;            // at the start
  Vec3 velocity = Vec3::Zero();  // m/s
  double density = 1000;         // kg/m³
  bool is_fixed = false;
};

// Above the floor y = 0, under gravity of 9.81 m/s², friction 0.5 between all, steps of 1/60 s.
struct PeerScene {
  std::string name;
  std::vector<PeerBody> bodies;
  int iterations = 10;  // per step
  int steps = 240;
  int top = -1;  // the body whose sinking is told, if it is to stand
  static constexpr double kStep = 1.0 / 60, kGravity = 9.81, kFriction = 0.5;
};

// The scenes of the comparison. `scale` below 1 makes them smaller, for a quick look.
[[nodiscard]] std::vector<PeerScene> peer_scenes(double scale);

// What an engine did.
struct PeerRun {
  std::vector<double> step_seconds;
  std::vector<std::vector<contact::Pose>> poses;  // of all bodies after every kSampled steps, and at the end
  std::string note;                               // why it did not run to its end, or empty
  static constexpr int kSampled = 20;
  [[nodiscard]] double median_seconds() const;  // of the second half of the steps
};

}  // namespace pliant::peers
