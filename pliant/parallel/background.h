// Work that goes on beside the caller's: begun at once, waited for when its result is needed.
//
//   BackgroundTask task([&] { factor.factor(matrix); });      // what it refers to must outlive the task
//   …                                                         // time steps
//   task.wait();                                              // ready, at the latest now
//
// Loops inside it run on its own thread alone, so that it does not hold up those of the caller.
#pragma once

#include <functional>
#include <future>

namespace pliant {

class BackgroundTask {
 public:
  explicit BackgroundTask(std::function<void()> work);
  ~BackgroundTask();  // waits
  BackgroundTask(BackgroundTask&&) noexcept = default;
  BackgroundTask& operator=(BackgroundTask&&) noexcept = default;

  // Throws what the work has thrown.
  void wait();

 private:
  std::future<void> done_;
};

}  // namespace pliant
