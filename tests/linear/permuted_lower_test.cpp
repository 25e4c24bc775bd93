// The permuted lower triangle against a dense permutation.
#include "pliant/linear/permuted_lower.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "tests/sparse/grid_matrix.h"

namespace pliant::linear {
namespace {

class PermutedLowerOfGrid : public ::testing::Test {
 protected:
  void SetUp() override {
    std::iota(order_.begin(), order_.end(), 0);
    std::shuffle(order_.begin(), order_.end(), std::mt19937(1));
    test::fill_randomly(matrix_, 2);
    lower_ = PermutedLower(matrix_.pattern(), order_);
    values_.resize(lower_.entry_count());
  }

  test::Grid grid_{3};
  sparse::SymmetricBlockMatrix matrix_{grid_.pattern()};
  std::vector<int> order_ = std::vector<int>(grid_.size());
  PermutedLower lower_;
  std::vector<double> values_;
};

TEST_F(PermutedLowerOfGrid, EntriesAreThoseOfThePermutedMatrix) {
  ASSERT_EQ(lower_.copy_values(matrix_, values_), PermutedLower::Finite::yes);
  Eigen::MatrixXd rebuilt = Eigen::MatrixXd::Zero(lower_.size(), lower_.size());
  for (std::int64_t c = 0; c < lower_.size(); ++c) {
    EXPECT_EQ(lower_.row_index()[lower_.column_start()[c]], c) << "the diagonal comes first";
    for (std::int64_t k = lower_.column_start()[c]; k < lower_.column_start()[c + 1]; ++k) {
      ASSERT_TRUE(k == lower_.column_start()[c] || lower_.row_index()[k] > lower_.row_index()[k - 1]);
      rebuilt(lower_.row_index()[k], c) = values_[k];
    }
  }
  const Eigen::MatrixXd full = test::dense(matrix_);
  for (int p = 0; p < grid_.size(); ++p) {
    for (int q = 0; q <= p; ++q) {
      const Mat3 expected = full.block<3, 3>(3 * order_[p], 3 * order_[q]);
      Mat3 found = rebuilt.block<3, 3>(3 * p, 3 * q);
      if (p == q) found = found.selfadjointView<Eigen::Lower>();
      ASSERT_EQ(found, expected) << p << ", " << q;
    }
  }
}

TEST_F(PermutedLowerOfGrid, VectorsGoThereAndBack) {
  const BlockVector v = test::random_vector(grid_.size(), 3);
  std::vector<double> permuted(lower_.size());
  BlockVector back(grid_.size());
  lower_.permute(v, permuted);
  for (int k = 0; k < grid_.size(); ++k) EXPECT_EQ(permuted[3 * k + 1], v[order_[k]][1]);
  lower_.permute_back(permuted, back);
  EXPECT_EQ(back, v);
}

TEST_F(PermutedLowerOfGrid, BadNumbersAreReported) {
  for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    for (const int slot : {0, 1, matrix_.pattern().slot_count() - 1}) {
      const Mat3 before = matrix_.block(slot);
      matrix_.block(slot)(2, 1) = bad;
      EXPECT_EQ(lower_.copy_values(matrix_, values_), PermutedLower::Finite::no);
      matrix_.block(slot) = before;
    }
  }
  EXPECT_EQ(lower_.copy_values(matrix_, values_), PermutedLower::Finite::yes);
}

}  // namespace
}  // namespace pliant::linear
