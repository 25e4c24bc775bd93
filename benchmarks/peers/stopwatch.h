// Seconds of work: processor time of the process with one thread, so that other programs do not count; else wall time.
#pragma once

#include <time.h>

namespace pliant::peers {

class Stopwatch {
 public:
  explicit Stopwatch(int threads) : clock_(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC), start_(now()) {}
  [[nodiscard]] double seconds() const { return now() - start_; }

 private:
  [[nodiscard]] double now() const {
    timespec t{};
    clock_gettime(clock_, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }
  clockid_t clock_;
  double start_;
};

}  // namespace pliant::peers
