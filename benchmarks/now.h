// The clock of the benchmarks that take turns. [s]
#pragma once

#include <time.h>

#include <chrono>

#include "pliant/parallel/parallel.h"

namespace pliant {

// One thread: its processor time, so that other programs on the machine count little. More: the time of the wall.
inline double now() {
  if (thread_count() == 1) {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace pliant
