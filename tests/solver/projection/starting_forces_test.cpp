// A light box between heavy ones that loses one of them begins without force, and so do those below it that it would hold up.
#include "pliant/solver/projection/starting_forces.h"

#include <gtest/gtest.h>

#include <numbers>
#include <vector>

namespace pliant::solver {
namespace {

// Boxes of these masses and 0.1 m above each other on a floor, touching by one edge each (arm 0.05 m), so that what is not
// balanced turns them. Pair i is below box i; the last carries `load` on its other edge.
struct Tower {
  contact::ProjectedPairs pairs;
  std::vector<Turner> turners;
  std::vector<Vec3> starts;

  explicit Tower(const std::vector<double>& masses, double load) {
    for (std::size_t i = 0; i < masses.size(); ++i) {
      Turner& turner = turners.emplace_back();
      turner.inverse = 6 / (masses[i] * 0.01) * Mat3::Identity();
      turner.lever = Mat3::Identity();
      add(static_cast<int>(i), static_cast<int>(i) - 1, load);
    }
  }
  // A push upwards on the first, at the edge between them.
  void add(int first, int second, double force) {
    contact::ProjectedPair& pair = pairs.pairs.emplace_back();
    pair.rigid = {first, second};
    pair.local = {Vec3(0.05, -0.05, 0), Vec3(0.05, 0.05, 0)};
    starts.emplace_back(0, force, 0);
  }
  [[nodiscard]] std::vector<bool> are_kept(double most_turn = kMostTurnAtStart) {
    drop_spinning_starts(pairs, turners, most_turn, starts);
    std::vector<bool> kept;
    for (const Vec3& start : starts) kept.push_back(!start.isZero(0));
    return kept;
  }
};

// 1e-3 kg m turn a box of 1 g by 0.05 · 1e-3 · 6e5 = 30 rad, one of 100 g by 0.3.
TEST(StartingForces, AreDroppedWhereTheyWouldSpin) {
  EXPECT_EQ(Tower({1e-3}, 1e-3).are_kept(), std::vector<bool>({false}));
  EXPECT_EQ(Tower({1e-3}, 3e-4).are_kept(), std::vector<bool>({true}));
  EXPECT_EQ(Tower({0.1}, 1e-3).are_kept(), std::vector<bool>({true}));
}

// Of forces of the same step half a turn is too much: a whole one leads to where a body was.
TEST(StartingForces, OfTheSameStepDoNotTurnByWholeTurns) {
  const double whole_turn = 2 * std::numbers::pi / (0.05 * 6e5);  // kg m, on a box of 1 g
  EXPECT_EQ(Tower({1e-3}, whole_turn).are_kept(), std::vector<bool>({true}));
  EXPECT_EQ(Tower({1e-3}, whole_turn).are_kept(kMostTurnFound), std::vector<bool>({false}));
  EXPECT_EQ(Tower({1e-3}, 0.4 * whole_turn).are_kept(kMostTurnFound), std::vector<bool>({true}));
}

TEST(StartingForces, AreKeptInBalance) {
  Tower tower({1e-3, 1e-3, 0.1}, 1e-3);
  EXPECT_EQ(tower.are_kept(), std::vector<bool>({true, true, true}));
}

// Without the load on it the uppermost box of 1 g spins, then the one below it, but not the heavy one at the bottom.
TEST(StartingForces, AreDroppedDownToWhatIsHeavy) {
  EXPECT_EQ(Tower({0.1, 1e-3, 1e-3}, 1e-3).are_kept(), std::vector<bool>({true, false, false}));
  EXPECT_EQ(Tower({1e-3, 1e-3, 1e-3}, 1e-3).are_kept(), std::vector<bool>({false, false, false}));
}

// What is held cannot be turned, and grains have no turners.
TEST(StartingForces, OfWhatCannotTurnAreKept) {
  Tower held({1e-3}, 1);
  held.turners[0].inverse.setZero();
  EXPECT_EQ(held.are_kept(), std::vector<bool>({true}));
  Tower none({}, 0);
  none.add(-1, -1, 1);
  EXPECT_EQ(none.are_kept(), std::vector<bool>({true}));
}

}  // namespace
}  // namespace pliant::solver
