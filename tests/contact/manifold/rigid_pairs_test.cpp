// Pairs of bodies: none missing, sorted, the same for any number of threads and whatever came before.
#include "pliant/contact/manifold/rigid_pairs.h"

#include <gtest/gtest.h>

#include "pliant/parallel/parallel.h"
#include "tests/contact/manifold/manifold_scenery.h"

namespace pliant::contact {
namespace {

constexpr double kReach = 0.02;

struct Heap {
  std::vector<ConvexShape> shapes;
  CollisionMesh floor{TriangleMesh{{{-9, 0, -9}, {9, 0, -9}, {9, 0, 9}, {-9, 0, 9}}, {{0, 2, 1}, {0, 3, 2}}, {}}};
  std::vector<RigidPiece> pieces;

  explicit Heap(int count) {
    std::mt19937 random(1);
    shapes = {ball_shape(0.3), capsule_shape(0.2, 0.2), box_shape({0.3, 0.2, 0.25}), rock(random, 12, 0.35),
              half_space_shape()};
    const double size = 0.3 * std::cbrt(count);
    pieces.push_back({&shapes[4], nullptr, {Mat3::Identity(), {0, -0.5, 0}}, kReach / 2});
    pieces.push_back({nullptr, &floor, {}, kReach / 2});
    for (int i = 0; i < count; ++i) {
      pieces.push_back({&shapes[i % 4], nullptr, {random_turn(random), random_point(random, size)}, kReach / 2});
    }
  }
};

bool keep_moving(int i, int j) { return i > 1 || j > 1; }

// Some stay in their boxes of the first search, some go far beyond them; one meets what it was nowhere near.
TEST(RigidPairs, FoundAgainAmongTheFirstOnesIsWhatANewSearchFinds) {
  Heap heap(300);
  for (const double stray : {0.0, 0.5}) {
    for (RigidPiece& piece : heap.pieces) piece.reach = 0.1;
    RigidPairs first, again, anew;
    first.find(heap.pieces, keep_moving);
    std::mt19937 random(5);
    for (std::size_t i = 2; i < heap.pieces.size(); ++i) {
      RigidPiece& piece = heap.pieces[i];
      piece.reach = 0;
      piece.pose.shift += 0.05 * random_point(random, 1).normalized();
      if (i % 7 == 0) piece.pose.shift += stray * random_point(random, 1);
    }
    const auto keep = [](int i, int j) { return keep_moving(i, j) && (i + j) % 3 != 0; };
    again.find_again(first, heap.pieces, keep);
    anew.find(heap.pieces, keep);
    EXPECT_GT(anew.pairs().size(), 50U);
    ASSERT_EQ(again.pairs().size(), anew.pairs().size()) << stray;
    for (std::size_t k = 0; k < anew.pairs().size(); ++k) {
      EXPECT_EQ(again.pairs()[k].a, anew.pairs()[k].a);
      EXPECT_EQ(again.pairs()[k].b, anew.pairs()[k].b);
    }
    ASSERT_EQ(again.points().size(), anew.points().size());
    for (std::size_t k = 0; k < anew.points().size(); ++k) EXPECT_EQ(again.points()[k].gap, anew.points()[k].gap);
  }
}

TEST(RigidPairs, FindsWhatAllAgainstAllFinds) {
  const Heap heap(200);
  RigidPairs found;
  found.find(heap.pieces, keep_moving);
  std::vector<Pair> expected;
  std::size_t points = 0;
  for (int i = 0; i < static_cast<int>(heap.pieces.size()); ++i) {
    for (int j = std::max(i + 1, 2); j < static_cast<int>(heap.pieces.size()); ++j) {
      Manifold manifold;
      const RigidPiece &a = heap.pieces[i], &b = heap.pieces[j];
      if (a.mesh != nullptr) {
        collide_mesh(*a.mesh, a.pose, *b.shape, b.pose, kReach, manifold);
      } else {
        collide(*a.shape, a.pose, *b.shape, b.pose, kReach, manifold);
      }
      if (manifold.count == 0) continue;
      expected.emplace_back(i, j);
      points += manifold.count;
      const RigidPair* pair = found.find_pair(i, j);
      ASSERT_NE(pair, nullptr);
      ASSERT_EQ(pair->count, manifold.count);
      for (int k = 0; k < manifold.count; ++k) {
        EXPECT_EQ(found.points(*pair)[k].feature, manifold.points[k].feature);
        EXPECT_EQ(found.points(*pair)[k].gap, manifold.points[k].gap);
      }
    }
  }
  ASSERT_EQ(found.pairs().size(), expected.size());
  ASSERT_EQ(found.points().size(), points);
  EXPECT_GT(expected.size(), 200u);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(Pair(found.pairs()[k].a, found.pairs()[k].b), expected[k]);
  }
  EXPECT_EQ(found.find_pair(0, 1), nullptr);
}

TEST(RigidPairs, SameForAnyNumberOfThreadsAndAnyPast) {
  Heap heap(3000);
  RigidPairs first;
  set_thread_count(1);
  first.find(heap.pieces, keep_moving);
  for (const int threads : {2, 3, 8}) {
    set_thread_count(threads);
    RigidPairs other;
    Heap before(3000);
    for (RigidPiece& piece : before.pieces) piece.pose.shift += Vec3(0.1, 0.3, 0.2).cwiseProduct(piece.pose.shift);
    other.find(before.pieces, keep_moving);  // a tree of other places
    other.find(heap.pieces, keep_moving);
    ASSERT_EQ(first.pairs().size(), other.pairs().size());
    ASSERT_EQ(first.points().size(), other.points().size());
    for (std::size_t k = 0; k < first.pairs().size(); ++k) {
      ASSERT_EQ(first.pairs()[k].a, other.pairs()[k].a);
      ASSERT_EQ(first.pairs()[k].b, other.pairs()[k].b);
      ASSERT_EQ(first.pairs()[k].first, other.pairs()[k].first);
    }
    for (std::size_t k = 0; k < first.points().size(); ++k) {
      ASSERT_EQ(first.points()[k].gap, other.points()[k].gap);
      ASSERT_EQ(first.points()[k].on_a, other.points()[k].on_a);
      ASSERT_EQ(first.points()[k].feature, other.points()[k].feature);
    }
  }
  set_thread_count(0);
}

TEST(RigidPairs, NothingIsFine) {
  RigidPairs pairs;
  pairs.find({}, keep_moving);
  EXPECT_TRUE(pairs.pairs().empty());
  EXPECT_EQ(pairs.find_pair(0, 1), nullptr);
}

}  // namespace
}  // namespace pliant::contact
