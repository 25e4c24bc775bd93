// A square cloth of 2 m that hangs by two corners: points in a square grid with stretch, shear and bend links.
#pragma once

#include <string>

namespace pliant::peers {

struct ClothScene {
  int points = 100;  // along a side
  int iterations = 10;
  int steps = 120;
};
struct ClothRun {
  double seconds_per_step = 0;  // median
  long long links = 0;
  double lowest = 0;  // m below the corners, at the end
  std::string note;
};

}  // namespace pliant::peers
