#include "pliant/parallel/background.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>

#include "pliant/parallel/parallel.h"

namespace pliant {
namespace {

TEST(BackgroundTask, GoesOnBesideItsCaller) {
  std::atomic<bool> is_asked = false, has_answered = false;
  BackgroundTask task([&] {
    while (!is_asked) std::this_thread::yield();
    has_answered = true;
  });
  EXPECT_FALSE(has_answered);
  is_asked = true;
  task.wait();
  EXPECT_TRUE(has_answered);
  task.wait();  // no harm
}

TEST(BackgroundTask, EndsBeforeItIsGone) {
  std::atomic<int> count = 0;
  {
    const BackgroundTask task([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ++count;
    });
  }
  EXPECT_EQ(count, 1);
}

TEST(BackgroundTask, HandsOnWhatWasThrown) {
  BackgroundTask task([] { throw std::runtime_error("no"); });
  EXPECT_THROW(task.wait(), std::runtime_error);
}

// Loops of the background stay on its thread, with the same sums, while loops of the caller run.
TEST(BackgroundTask, KeepsItsLoopsToItself) {
  set_thread_count(3);
  const auto sum = [] {
    return parallel_sum(50000, [](int begin, int end) {
      double s = 0;
      for (int i = begin; i < end; ++i) s += 1.0 / (1 + i);
      return s;
    });
  };
  std::set<std::thread::id> threads;
  double inside = 0;
  BackgroundTask task([&] {
    parallel_for(10000, 10, [&](int, int) { threads.insert(std::this_thread::get_id()); });
    inside = sum();
  });
  const double outside = sum();
  task.wait();
  EXPECT_EQ(threads.size(), 1u);
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
  EXPECT_EQ(inside, outside);
  set_thread_count(0);
}

}  // namespace
}  // namespace pliant
