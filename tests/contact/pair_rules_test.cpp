// Rules of pairs against a table of all pairs, and what they take of memory.
#include "pliant/contact/pair_rules.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace pliant::contact {
namespace {

TEST(PairRules, SayForEveryPairWhatATableOfAllPairsWould) {
  constexpr int kBodies = 12;
  const std::vector<int> kinds = {0, 1, 2, 1, 0, 0, 2, 1, 1, 3, 0, 2};
  PairRules rules(kinds);
  ASSERT_EQ(rules.kind_count(), 4);
  std::array<std::array<double, kBodies>, kBodies> table{};
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j <= i; ++j) {
      PairRule rule;
      rule.friction = 10 * i + j;
      rules.set_of_kinds(i, j, rule);
    }
    PairRule itself;
    itself.friction = 100 + i;
    rules.set_of_itself(i, itself);
  }
  for (int a = 0; a < kBodies; ++a) {
    for (int b = 0; b < kBodies; ++b) {
      const auto [low, high] = std::minmax(kinds[a], kinds[b]);
      table[a][b] = a == b ? 100 + kinds[a] : 10 * high + low;
    }
  }
  std::mt19937 random(7);
  std::uniform_int_distribution<int> body(0, kBodies - 1);
  for (int k = 0; k < 30; ++k) {
    const int a = body(random), b = body(random);
    rules.change(a, b, [&](PairRule& rule) { rule.friction += 1000 + k; });
    table[a][b] += 1000 + k;
    if (a != b) table[b][a] = table[a][b];
  }
  for (int a = 0; a < kBodies; ++a) {
    for (int b = 0; b < kBodies; ++b) EXPECT_EQ(rules.between(a, b).friction, table[a][b]) << a << ' ' << b;
  }
  rules.change_all([](PairRule& rule) { rule.friction = 0.5; });
  for (int a = 0; a < kBodies; ++a) {
    for (int b = 0; b < kBodies; ++b) EXPECT_EQ(rules.between(a, b).friction, 0.5);
  }
}

TEST(PairRules, KnowWhetherAnyOfSomeBodiesMayTouch) {
  const std::vector<int> all = {0, 1, 2, 3}, ends = {0, 3}, middle = {1}, none;
  PairRules rules(std::vector<int>{0, 1, 1, 0});
  rules.change_all([](PairRule& rule) { rule.is_enabled = false; });
  EXPECT_FALSE(rules.let_any_touch(all));
  rules.change(1, 3, [](PairRule& rule) { rule.is_enabled = true; });
  EXPECT_TRUE(rules.let_any_touch(all));
  EXPECT_FALSE(rules.let_any_touch(ends));
  PairRule open;
  rules.set_of_kinds(0, 0, open);
  EXPECT_TRUE(rules.let_any_touch(ends));
  EXPECT_FALSE(rules.let_any_touch(middle));
  rules.change(1, 1, [](PairRule& rule) { rule.is_enabled = true; });
  EXPECT_TRUE(rules.let_any_touch(middle));
  EXPECT_FALSE(rules.let_any_touch(none));
  // A body that alone of its kind may touch itself, if that is not forbidden for it.
  PairRules one(1);
  EXPECT_TRUE(one.let_any_touch(std::vector<int>{0}));
  one.change(0, 0, [](PairRule& rule) { rule.is_enabled = false; });
  EXPECT_FALSE(one.let_any_touch(std::vector<int>{0}));
}

// A table of all pairs of a million bodies would have 48 TB.
TEST(PairRules, ManyBodiesAreFewKinds) {
  constexpr int kBodies = 1000000;
  PairRules rules(kBodies);
  EXPECT_EQ(rules.body_count(), kBodies);
  EXPECT_EQ(rules.kind_count(), 1);
  rules.change(17, kBodies - 1, [](PairRule& rule) { rule.is_enabled = false; });
  EXPECT_FALSE(rules.between(kBodies - 1, 17).is_enabled);
  EXPECT_TRUE(rules.between(17, 18).is_enabled);
}

}  // namespace
}  // namespace pliant::contact
