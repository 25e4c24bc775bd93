// Blocks of contacts reach the matrix through their places as they do one by one, in any cut of the rows.
#include "pliant/contact/contact_scatter.h"

#include <gtest/gtest.h>

#include <random>

namespace pliant::contact {
namespace {

using Matrix12 = Eigen::Matrix<double, 12, 12>;

struct Scatter {
  std::vector<MappedPoint> points;
  std::array<int, 4> point;
  Matrix12 local;  // symmetric

  [[nodiscard]] Mat3 block(std::size_t i, std::size_t j) const {
    return local.block<3, 3>(3 * static_cast<int>(i), 3 * static_cast<int>(j));
  }
  [[nodiscard]] std::shared_ptr<const sparse::BlockPattern> pattern(int rows) const {
    sparse::PatternBuilder builder(rows);
    std::vector<int> blocks;
    for (const int p : point) {
      if (p >= 0) blocks.insert(blocks.end(), points[p].block.begin(), points[p].block.begin() + points[p].count);
    }
    builder.couple(blocks);
    return builder.build();
  }
  // Σ w_k w_l H_ij over everything, dense.
  [[nodiscard]] Eigen::MatrixXd expected(int rows) const {
    Eigen::MatrixXd weights = Eigen::MatrixXd::Zero(12, 3 * rows);
    for (int i = 0; i < 4; ++i) {
      const int p = point[static_cast<std::size_t>(i)];
      if (p < 0) continue;
      for (int k = 0; k < points[p].count; ++k)
        weights.block<3, 3>(3 * i, 3 * points[p].block[k]) += points[p].weight[k] * Mat3::Identity();
    }
    return weights.transpose() * local * weights;
  }
};

Matrix12 random_symmetric() {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> number(-1, 1);
  Matrix12 h;
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j < 12; ++j) h(i, j) = number(random);
  }
  return h + h.transpose();
}

Eigen::MatrixXd dense(const sparse::SymmetricBlockMatrix& matrix) {
  const int rows = matrix.row_count();
  Eigen::MatrixXd h = Eigen::MatrixXd::Zero(3 * rows, 3 * rows);
  for (int i = 0; i < rows; ++i) {
    for (int j = i; j < rows; ++j) {
      const int slot = matrix.pattern().find(i, j);
      if (slot < 0) continue;
      h.block<3, 3>(3 * i, 3 * j) = matrix.block(slot);
      h.block<3, 3>(3 * j, 3 * i) = matrix.block(slot).transpose();
    }
  }
  return h;
}

void expect_scattered(const Scatter& s, bool is_simple) {
  constexpr int kRows = 9;
  sparse::SymmetricBlockMatrix whole(s.pattern(kRows)), cut(whole.shared_pattern());
  ContactSlots slots;
  ASSERT_TRUE(locate(s.point, s.points, whole.pattern(), slots));
  EXPECT_EQ(slots.is_simple, is_simple);
  const auto block_of = [&](std::size_t i, std::size_t j) { return s.block(i, j); };
  scatter(slots, s.point, s.points, {0, kRows}, whole, block_of);
  EXPECT_LT((dense(whole) - s.expected(kRows)).norm(), 1e-13);
  for (int row = 0; row < kRows; ++row) {
    sparse::SymmetricBlockMatrix one(whole.shared_pattern());
    scatter(slots, s.point, s.points, {row, row + 1}, one, block_of);
    if (!touches(s.point, s.points, {row, row + 1})) {
      EXPECT_EQ(dense(one).norm(), 0);
    }
    scatter(slots, s.point, s.points, {row, row + 1}, cut, block_of);
  }
  EXPECT_EQ(dense(cut), dense(whole));
}

TEST(ContactScatter, OfVertices) {
  Scatter s{{MappedPoint::vertex(5), MappedPoint::vertex(2), MappedPoint::vertex(8), MappedPoint::vertex(3)},
            {2, 0, 3, 1},
            random_symmetric()};
  expect_scattered(s, true);
  s.points[3] = {};  // of an obstacle
  expect_scattered(s, true);
  s.point = {0, 1, -1, -1};  // with a plane
  expect_scattered(s, true);
}

TEST(ContactScatter, OfCarriedPointsAndOfAPointTwice) {
  Scatter s{{MappedPoint::vertex(5),
             {{7, 1, 4, 0}, {0.1, 0.2, 0.3, 0.4}, 4},
             MappedPoint::vertex(8),
             {{1, 6, -1, -1}, {0.5, 0.5, 0, 0}, 2}},
            {2, 0, 3, 1},
            random_symmetric()};
  expect_scattered(s, false);
  s.point = {0, 0, 2, 1};  // a round segment
  expect_scattered(s, false);
}

TEST(ContactScatter, SaysWhatAPatternLacks) {
  const Scatter s{
      {MappedPoint::vertex(0), MappedPoint::vertex(1), MappedPoint::vertex(2), {{1, 3, -1, -1}, {0.5, 0.5, 0, 0}, 2}},
      {0, 1, 2, -1},
      random_symmetric()};
  sparse::PatternBuilder builder(4);
  builder.couple(std::array{0, 1});
  const auto pattern = builder.build();
  ContactSlots slots;
  EXPECT_FALSE(locate(s.point, s.points, *pattern, slots));
  EXPECT_TRUE(locate({0, 1, -1, -1}, s.points, *pattern, slots));
  EXPECT_FALSE(locate({0, 3, -1, -1}, s.points, *pattern, slots));
}

}  // namespace
}  // namespace pliant::contact
