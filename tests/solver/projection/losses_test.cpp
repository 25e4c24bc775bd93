// Losses become the damping of their elements; the rest stay as they are.
#include "pliant/solver/projection/losses.h"

#include <gtest/gtest.h>

namespace pliant::solver {
namespace {

TEST(Losses, JoinTheirElements) {
  SoftElements soft;
  soft.links = {{{0, 1}, 1, 100}, {{1, 2}, 1, 50}, {{1, 0}, 1, 3, true}, {{2, 3}, 1, 7, true}};
  SoftTet tet;
  tet.block = {0, 1, 2, 3};
  tet.mu = 10;
  SoftTet loss = tet;
  loss.block = {3, 1, 0, 2};
  loss.mu = 0.5;
  loss.is_rate = true;
  soft.tets = {tet, loss};
  soft.hinges = {{{0, 1, 2, 3}, 0, 4, HingeMeasure::sine}, {{0, 1, 2, 3}, 0, 1, HingeMeasure::sine, true}};
  merge_losses(soft);
  ASSERT_EQ(soft.links.size(), 3u);  // a loss without a link stays
  EXPECT_DOUBLE_EQ(soft.links[0].damping, 0.03);
  EXPECT_EQ(soft.links[1].damping, 0);
  EXPECT_TRUE(soft.links[2].is_rate);
  ASSERT_EQ(soft.tets.size(), 1u);
  EXPECT_DOUBLE_EQ(soft.tets[0].damping, 0.05);
  EXPECT_EQ(soft.hinges.size(), 2u);
}

}  // namespace
}  // namespace pliant::solver
