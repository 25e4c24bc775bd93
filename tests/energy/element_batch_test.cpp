#include "pliant/energy/element_batch.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <mutex>
#include <random>

#include "pliant/parallel/parallel.h"

namespace pliant {
namespace {

// Elements of four different blocks that lie near each other, in random order.
std::vector<std::array<int, 4>> make_elements(int count, int block_count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::array<int, 4>> elements;
  for (int e = 0; e < count; ++e) {
    const int start = static_cast<int>(random() % static_cast<unsigned>(block_count - 8));
    std::array<int, 8> near;
    std::iota(near.begin(), near.end(), start);
    std::shuffle(near.begin(), near.end(), random);
    elements.push_back({near[0], near[1], near[2], near[3]});
  }
  return elements;
}

TEST(ElementBatch, OrderAscendsByTheSmallestBlocks) {
  const std::vector<std::array<int, 3>> elements{{5, 9, 1}, {2, 0, 7}, {1, 4, 5}, {7, 2, 0}, {0, 2, 3}};
  // Sorted corners: 1 5 9 | 0 2 7 | 1 4 5 | 0 2 7 | 0 2 3; equal ones keep their order.
  EXPECT_EQ(order_by_blocks<3>(elements), (std::vector<int>{4, 1, 3, 2, 0}));
  EXPECT_TRUE(order_by_blocks<3>(std::span<const std::array<int, 3>>{}).empty());
}

TEST(ElementBatch, PairsAreNumberedRowByRow) {
  int expected = 0;
  for (int i = 0; i < 5; ++i) {
    for (int j = i; j < 5; ++j) EXPECT_EQ(pair_index<5>(i, j), expected++);
  }
  EXPECT_EQ(expected, ElementBatch<5>::kPairs);
}

// The sum of dense element matrices, whichever way round their corners are numbered.
TEST(ElementBatch, BlocksGoWhereTheyBelong) {
  const int block_count = 20;
  ElementBatch<4> batch(make_elements(30, block_count, 1), block_count);
  sparse::PatternBuilder builder(block_count);
  batch.couple(builder);
  const auto pattern = builder.build();
  batch.find_slots(*pattern);
  sparse::SymmetricBlockMatrix matrix(pattern);
  matrix.set_zero();
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(3 * block_count, 3 * block_count);
  int transposed_count = 0;
  for (int e = 0; e < batch.count(); ++e) {
    const Eigen::MatrixXd half = Eigen::MatrixXd::Random(12, 12), k = half + half.transpose();
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        expected.block<3, 3>(3 * batch[e][i], 3 * batch[e][j]) += k.block<3, 3>(3 * i, 3 * j);
        if (j < i) continue;
        const int slot = batch.slots(e)[pair_index<4>(i, j)];
        EXPECT_EQ(slot<0, batch[e][i]> batch[e][j]);
        transposed_count += slot < 0 ? 1 : 0;
        add_block(matrix, slot, k.block<3, 3>(3 * i, 3 * j));
      }
    }
  }
  EXPECT_GT(transposed_count, 50);
  for (int i = 0; i < block_count; ++i) {
    for (int j = i; j < block_count; ++j) {
      const auto columns =
          pattern->column().subspan(pattern->row_start()[i], pattern->row_start()[i + 1] - pattern->row_start()[i]);
      const Mat3 block = expected.block<3, 3>(3 * i, 3 * j);
      if (std::find(columns.begin(), columns.end(), j) == columns.end()) {
        EXPECT_EQ(block.norm(), 0);
      } else {
        EXPECT_LE((matrix.block(pattern->slot(i, j)) - block).norm(), 1e-14);
      }
    }
  }
}

// Chunks that run at the same time never share a block. Each marks its blocks, lingers, and looks whether they are
// still its own.
TEST(ElementBatch, ChunksOfOneColourShareNoBlock) {
  const int block_count = 400;
  const ElementBatch<4> batch(make_elements(2000, block_count, 2), block_count, 16);
  set_thread_count(8);
  std::mutex mutex;
  std::vector<int> owner(block_count, -1);
  int visited = 0, conflicts = 0;
  batch.for_each_chunk(Writes::blocks, [&](int first, int last) {
    {
      const std::scoped_lock lock(mutex);
      visited += last - first;
      for (int e = first; e < last; ++e) {
        for (const int block : batch[e]) {
          conflicts += owner[block] != -1 && owner[block] != first ? 1 : 0;
          owner[block] = first;
        }
      }
    }
    volatile double work = 0;
    for (int i = 0; i < 20000; ++i) work = work + 1;
    const std::scoped_lock lock(mutex);
    for (int e = first; e < last; ++e) {
      for (const int block : batch[e]) owner[block] = -1;
    }
    return 0.0;
  });
  set_thread_count(0);
  EXPECT_EQ(visited, 2000);
  EXPECT_EQ(conflicts, 0);
}

// Sums of numbers of very different size: another order of addition would show.
TEST(ElementBatch, SumsHaveTheSameBitsForAnyThreadCount) {
  const int block_count = 3000;
  const ElementBatch<4> batch(make_elements(10000, block_count, 3), block_count);
  std::vector<double> sum_at_one;
  double energy_at_one[2] = {0, 0};
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    std::vector<double> sums(block_count, 0.0);
    const auto size = [](int e) { return std::exp(std::sin(12.9898 * e) * 20); };
    const double written = batch.for_each_chunk(Writes::blocks, [&](int first, int last) {
      double total = 0;
      for (int e = first; e < last; ++e) {
        for (const int block : batch[e]) sums[block] += size(e);
        total += size(e);
      }
      return total;
    });
    const double read = batch.for_each_chunk(Writes::nothing, [&](int first, int last) {
      double total = 0;
      for (int e = first; e < last; ++e) total += size(e);
      return total;
    });
    EXPECT_EQ(written, read);
    if (threads == 1) {
      sum_at_one = sums;
      energy_at_one[0] = written, energy_at_one[1] = read;
      double expected = 0;
      for (int e = 0; e < batch.count(); ++e) expected += 4 * size(e);
      EXPECT_NEAR(std::accumulate(sums.begin(), sums.end(), 0.0), expected, 1e-9 * expected);
    }
    EXPECT_EQ(sums, sum_at_one) << threads;
    EXPECT_EQ(written, energy_at_one[0]) << threads;
    EXPECT_EQ(read, energy_at_one[1]) << threads;
  }
  set_thread_count(0);
}

TEST(ElementBatch, EmptyBatchDoesNothing) {
  ElementBatch<2> batch({}, 5);
  EXPECT_EQ(batch.count(), 0);
  const auto never = [](int, int) -> double {
    ADD_FAILURE() << "no chunk expected";
    return 1;
  };
  EXPECT_EQ(batch.for_each_chunk(Writes::blocks, never), 0);
  EXPECT_EQ(batch.for_each_chunk(Writes::nothing, never), 0);
}

}  // namespace
}  // namespace pliant
