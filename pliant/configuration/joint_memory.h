// What joints remember from step to step (constraint/joint.h).
#pragma once

#include <vector>

namespace pliant {

struct JointMemory {
  std::vector<double> coordinates;    // rad or m, per joint, whole turns of hinges included
  std::vector<double> forces;         // N, per joint: what pulled at its anchors in the last step
  std::vector<unsigned char> broken;  // per joint: 1 = gone for good
  [[nodiscard]] bool operator==(const JointMemory& other) const = default;
};

}  // namespace pliant
