// Slots of coupled pairs, and the promises of the row pieces that products rely on.
#include "pliant/sparse/block_pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "pliant/assert.h"
#include "tests/sparse/grid_matrix.h"

namespace pliant::sparse {
namespace {

TEST(BlockPattern, HoldsEveryCoupledPairOnceDiagonalFirst) {
  PatternBuilder builder(6);
  builder.couple(std::array{4, 1, 2});
  builder.couple(std::array{2, 4});
  builder.couple(std::array{5, 0});
  const auto pattern = builder.build();
  const std::vector<int> start(pattern->row_start().begin(), pattern->row_start().end());
  const std::vector<int> column(pattern->column().begin(), pattern->column().end());
  EXPECT_EQ(start, (std::vector<int>{0, 2, 5, 7, 8, 9, 10}));
  EXPECT_EQ(column, (std::vector<int>{0, 5, 1, 2, 4, 2, 4, 3, 4, 5}));
  EXPECT_EQ(pattern->slot(1, 4), 4);
  EXPECT_EQ(pattern->slot(3, 3), 7);
  EXPECT_EQ(pattern->diagonal_slot(2), 5);
  EXPECT_THROW((void)pattern->slot(0, 3), InternalError);
}

TEST(BlockPattern, SurvivesManyRepeatsOfTheSamePair) {
  // More repeats than the builder keeps before it compacts a row.
  PatternBuilder builder(300);
  for (int k = 0; k < 1000; ++k) builder.couple(std::array{0, 1 + k % 150, 299});
  const auto pattern = builder.build();
  EXPECT_EQ(pattern->row_start()[1], 1 + 150 + 1);
  EXPECT_TRUE(std::is_sorted(pattern->column().begin(), pattern->column().begin() + 152));
}

TEST(BlockPattern, EmptyHasNoRows) {
  const auto pattern = PatternBuilder(0).build();
  EXPECT_EQ(pattern->row_count(), 0);
  EXPECT_EQ(pattern->slot_count(), 0);
}

class RowPiecesOfGrid : public ::testing::Test {
 protected:
  std::shared_ptr<const BlockPattern> pattern_ = test::Grid{20}.pattern();
  const BlockPattern::RowPieces& pieces_ = pattern_->row_pieces();

  std::set<int> written(int piece) const {
    const auto first = pattern_->column().begin() + pattern_->row_start()[pieces_.piece_start[piece]];
    const auto last = pattern_->column().begin() + pattern_->row_start()[pieces_.piece_start[piece + 1]];
    return {first, last};
  }
};

TEST_F(RowPiecesOfGrid, CoverAllRowsInOrder) {
  ASSERT_GT(pieces_.piece_start.size(), 5u);
  EXPECT_EQ(pieces_.piece_start.front(), 0);
  EXPECT_EQ(pieces_.piece_start.back(), pattern_->row_count());
  EXPECT_TRUE(std::is_sorted(pieces_.piece_start.begin(), pieces_.piece_start.end()));
}

// A model of 20,000 vertices: pieces as long as a layer and a half of the cube, in two colours of equal size.
TEST(RowPieces, TwoAndFourThreadsShareASmallMatrixEvenly) {
  const auto pattern = test::Grid{27}.pattern();
  const parallel::Coloring& coloring = pattern->row_pieces().coloring;
  EXPECT_EQ(coloring.color_count(), 2);
  const int piece_count = static_cast<int>(coloring.items.size());
  for (const int threads : {2, 4}) {
    int busiest = 0;
    for (int c = 0; c < coloring.color_count(); ++c) {
      busiest += (coloring.color_start[c + 1] - coloring.color_start[c] + threads - 1) / threads;
    }
    EXPECT_EQ(busiest * threads, piece_count);
  }
}

TEST_F(RowPiecesOfGrid, OneColorWritesDifferentRows) {
  const auto& coloring = pieces_.coloring;
  EXPECT_LT(coloring.color_count(), static_cast<int>(coloring.items.size()));
  for (int c = 0; c < coloring.color_count(); ++c) {
    std::set<int> seen;
    for (int k = coloring.color_start[c]; k < coloring.color_start[c + 1]; ++k) {
      for (const int row : written(coloring.items[k])) EXPECT_TRUE(seen.insert(row).second) << "row " << row;
    }
  }
}

TEST_F(RowPiecesOfGrid, EveryRowIsClearedOnceBeforeItIsWritten) {
  std::vector<int> cleared(pattern_->row_count(), 0);
  for (const int piece : pieces_.coloring.items) {
    for (int k = pieces_.clear_start[piece]; k < pieces_.clear_start[piece + 1]; ++k) {
      for (int row = pieces_.clear[k].first; row < pieces_.clear[k].last; ++row) ++cleared[row];
    }
    for (const int row : written(piece)) ASSERT_EQ(cleared[row], 1) << "row " << row;
  }
  EXPECT_EQ(std::count(cleared.begin(), cleared.end(), 1), pattern_->row_count());
}

}  // namespace
}  // namespace pliant::sparse
