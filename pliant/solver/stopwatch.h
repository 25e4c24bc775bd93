// Adds the seconds of its life to a stage of a report; on request also the processor time of all threads in them, which other
// programs on the machine do not lengthen.
#pragma once

#include <chrono>
#include <ctime>

namespace pliant::solver {

class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds), start_(Clock::now()) {}
  Stopwatch(double& seconds, double& processor)
      : seconds_(seconds), processor_(&processor), start_(Clock::now()), processor_start_(processor_now()) {}
  ~Stopwatch() {
    seconds_ += std::chrono::duration<double>(Clock::now() - start_).count();
    if (processor_ != nullptr) *processor_ += processor_now() - processor_start_;
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  // s, of the process
  static double processor_now() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }

  double& seconds_;
  double* processor_ = nullptr;
  Clock::time_point start_;
  double processor_start_ = 0;  // s
};

}  // namespace pliant::solver
