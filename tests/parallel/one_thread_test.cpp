#include "pliant/parallel/one_thread.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/parallel_for.h>

#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

namespace pliant {
namespace {

// The threads that a loop as a foreign library would write it runs on. Its pieces last long enough for others to come.
std::set<std::thread::id> threads_of_a_foreign_loop() {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  tbb::parallel_for(0, 200, [&](int) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  return threads;
}

TEST(OneThread, ForeignLoopsStayOnTheCaller) {
  const std::set<std::thread::id> caller = {std::this_thread::get_id()};
  for (const int count : {1, 2, 8}) {
    set_thread_count(count);
    parallel_for(1000, 1, [](int, int) {});  // workers exist and look for work
    run_on_one_thread([&] { EXPECT_EQ(threads_of_a_foreign_loop(), caller) << count << " threads"; });
  }
  set_thread_count(0);
}

TEST(OneThread, OwnLoopsStayOnTheCaller) {
  set_thread_count(3);
  run_on_one_thread([&] {
    const std::thread::id caller = std::this_thread::get_id();
    parallel_for(100, 1, [&](int, int) { EXPECT_EQ(std::this_thread::get_id(), caller); });
  });
  set_thread_count(0);
}

TEST(OneThread, HandsOnWhatWasThrown) {
  EXPECT_THROW(run_on_one_thread([] { throw std::runtime_error("inside"); }), std::runtime_error);
}

}  // namespace
}  // namespace pliant
