// Seconds of a clock that never jumps, for durations.
#pragma once

#include <chrono>

namespace pliant {

inline double wall_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace pliant
