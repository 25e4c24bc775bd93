// Vector arithmetic against dense vectors, and the same bits for any thread count.
#include "pliant/sparse/block_vector.h"

#include <gtest/gtest.h>

#include <limits>

#include "pliant/parallel/parallel.h"
#include "tests/sparse/grid_matrix.h"

namespace pliant::sparse {
namespace {

// One block, an odd number, and more than one block of a sum.
class BlockVectorSizes : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Sizes, BlockVectorSizes, ::testing::Values(1, 7, 4096, 10001));

TEST_P(BlockVectorSizes, DotIsTheSumOfProducts) {
  const BlockVector x = test::random_vector(GetParam(), 1), y = test::random_vector(GetParam(), 2);
  EXPECT_NEAR(dot(x, y), test::dense(x).dot(test::dense(y)), 1e-13 * 3 * GetParam());
}

TEST_P(BlockVectorSizes, CombinationsAreLinear) {
  const BlockVector x = test::random_vector(GetParam(), 3), y = test::random_vector(GetParam(), 4);
  BlockVector z(GetParam()), w = y;
  combine(z, 2, x, -3, y);
  EXPECT_LT((test::dense(z) - (2 * test::dense(x) - 3 * test::dense(y))).cwiseAbs().maxCoeff(), 1e-15);
  add_scaled(w, 0.5, x);
  EXPECT_LT((test::dense(w) - (test::dense(y) + 0.5 * test::dense(x))).cwiseAbs().maxCoeff(), 1e-15);
  scale(w, 4);
  EXPECT_LT((test::dense(w) - (4 * test::dense(y) + 2 * test::dense(x))).cwiseAbs().maxCoeff(), 4e-15);
  EXPECT_TRUE(test::padding_is_zero(z) && test::padding_is_zero(w));
  set_zero(w);
  EXPECT_EQ(w, BlockVector(GetParam()));
}

TEST_P(BlockVectorSizes, OneBadEntryIsFound) {
  BlockVector x = test::random_vector(GetParam(), 5);
  EXPECT_TRUE(all_finite(x));
  x[GetParam() - 1][2] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(all_finite(x));
  x[GetParam() - 1][2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(all_finite(x));
}

TEST(BlockVector, DotHasTheSameBitsForAnyThreadCount) {
  const BlockVector x = test::random_vector(50000, 6), y = test::random_vector(50000, 7);
  set_thread_count(1);
  const double expected = dot(x, y);
  for (const int threads : {2, 3, 8}) {
    set_thread_count(threads);
    EXPECT_EQ(dot(x, y), expected) << threads << " threads";
  }
  set_thread_count(0);
}

TEST(BlockVector, IsAlignedForWideLoads) {
  const BlockVector x(3);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(x.data()) % 32, 0u);
  EXPECT_EQ(BlockVector().data(), nullptr);
}

}  // namespace
}  // namespace pliant::sparse
