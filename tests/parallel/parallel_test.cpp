// Loops visit every item once; sums and maxima follow their specification to the bit.
#include "pliant/parallel/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "pliant/assert.h"

namespace pliant {
namespace {

class Threads : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_thread_count(GetParam()); }
  void TearDown() override { set_thread_count(0); }
};
INSTANTIATE_TEST_SUITE_P(Counts, Threads, ::testing::Values(1, 2, 3, 8));

TEST_P(Threads, LoopVisitsEveryItemOnceInSmallPieces) {
  for (const int count : {0, 1, 99, 100, 101, 12345}) {
    std::vector<int> visits(count, 0);
    parallel_for(count, 100, [&](int begin, int end) {
      ASSERT_LE(end - begin, 100);
      for (int i = begin; i < end; ++i) ++visits[i];
    });
    EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), count);
  }
}

// 1/(i + 1)² summed as the specification says: fixed blocks, added in order. Not one bit may differ.
TEST_P(Threads, SumAddsFixedBlocksInOrder) {
  const auto piece = [](int begin, int end) {
    double sum = 0;
    for (int i = begin; i < end; ++i) sum += 1.0 / ((i + 1.0) * (i + 1.0));
    return sum;
  };
  for (const int count : {1, parallel::kSumBlock, parallel::kSumBlock + 1, 1000000}) {
    double expected = 0;
    for (int begin = 0; begin < count; begin += parallel::kSumBlock) {
      expected += piece(begin, std::min(count, begin + parallel::kSumBlock));
    }
    EXPECT_EQ(parallel_sum(count, piece), expected);
  }
  EXPECT_NEAR(parallel_sum(1000000, piece), M_PI * M_PI / 6 - 1e-6, 1e-9);
  EXPECT_EQ(parallel_sum(0, piece), 0);
  // Of smaller blocks.
  double expected = 0;
  for (int begin = 0; begin < 1000; begin += 7) expected += piece(begin, std::min(1000, begin + 7));
  EXPECT_EQ(parallel_sum(1000, piece, 7), expected);
}

TEST_P(Threads, MaximumFindsTheLargestAndKeepsNaN) {
  const auto largest = [](int worst, double value, int count) {
    return parallel_max(
        count, -1, [&](int begin, int end) { return begin <= worst && worst < end ? value : 0.5 * begin / count; });
  };
  EXPECT_EQ(largest(70000, 7.0, 100000), 7.0);
  EXPECT_TRUE(std::isnan(largest(70000, std::numeric_limits<double>::quiet_NaN(), 100000)));
  EXPECT_EQ(parallel_max(0, -1, [](int, int) { return 5.0; }), -1);
  EXPECT_EQ(parallel_max(10, -1, [](int, int) { return -5.0; }), -1);
}

TEST_P(Threads, LoopsMayNestAndThrow) {
  std::vector<int> visits(64 * 64, 0);
  parallel_for(64, 1, [&](int row, int) {
    parallel_for(64, 8, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) ++visits[64 * row + i];
    });
  });
  EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), 64 * 64);
  EXPECT_THROW(parallel_for(100, 1,
                            [](int begin, int) {
                              if (begin == 57) throw std::runtime_error("stop");
                            }),
               std::runtime_error);
}

TEST(ThreadCount, IsWhatWasAskedForAndZeroMeansAllCores) {
  set_thread_count(3);
  EXPECT_EQ(thread_count(), 3);
  set_thread_count(0);
  EXPECT_GE(thread_count(), 1);
  EXPECT_THROW(parallel_for(10, 0, [](int, int) {}), InternalError);
}

}  // namespace
}  // namespace pliant
