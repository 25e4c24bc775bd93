// Two passes over the graph of strong connections.
#include "pliant/linear/multigrid/aggregation.h"

#include <algorithm>
#include <array>

#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

constexpr int kPieceNodes = 8192;  // nodes per piece of pass 1
constexpr int kSpecial = -1, kFree = -2;

// Pass 1 on nodes [first, last), which no other thread touches.
class BallMaker {
 public:
  BallMaker(const SparseRows& strong, const std::vector<std::uint8_t>& is_special, int radius)
      : strong_(strong), is_special_(is_special), radius_(radius) {}

  // An aggregate is named after the node in its middle for now.
  void make(int first, int last, std::vector<int>& of_node) {
    for (int i = first; i < last; ++i) {
      if (of_node[i] != kFree || !find_free_ball(i, first, last, of_node)) continue;
      for (const int j : ball_) of_node[j] = i;
    }
  }

 private:
  // All nodes at most `radius` strong steps from i; false when one of them is taken or outside [first, last).
  bool find_free_ball(int i, int first, int last, const std::vector<int>& of_node) {
    ball_.assign(1, i);
    std::size_t begin = 0;
    for (int r = 0; r < radius_; ++r) {
      const std::size_t end = ball_.size();
      for (; begin < end; ++begin) {
        for (int k = strong_.start[ball_[begin]]; k < strong_.start[ball_[begin] + 1]; ++k) {
          const int j = strong_.column[k];
          if (is_special_[j] != 0) continue;
          if (j < first || j >= last || of_node[j] != kFree) return false;
          if (std::find(ball_.begin(), ball_.end(), j) == ball_.end()) ball_.push_back(j);
        }
      }
    }
    return true;
  }

  const SparseRows& strong_;
  const std::vector<std::uint8_t>& is_special_;
  int radius_;
  std::vector<int> ball_;
};

// One round of pass 2: free nodes join the aggregate that most of their strong neighbours are in, of several the one met
// first.
bool join_neighbours(const SparseRows& strong, const std::vector<int>& from, std::vector<int>& to) {
  return parallel_sum(strong.row_count(), [&](int begin, int end) {
           int joined = 0;
           std::vector<std::array<int, 2>> votes;  // aggregate, strong neighbours in it
           for (int i = begin; i < end; ++i) {
             if (from[i] != kFree) continue;
             votes.clear();
             for (int k = strong.start[i]; k < strong.start[i + 1]; ++k) {
               const int a = from[strong.column[k]];
               if (a < 0) continue;
               auto vote = std::find_if(votes.begin(), votes.end(), [a](const auto& v) { return v[0] == a; });
               if (vote == votes.end()) vote = votes.insert(vote, {a, 0});
               ++(*vote)[1];
             }
             if (votes.empty()) continue;
             to[i] = (*std::max_element(votes.begin(), votes.end(),
                                        [](const auto& v, const auto& w) { return v[1] < w[1]; }))[0];
             ++joined;
           }
           return static_cast<double>(joined);
         }) > 0;
}

// Aggregates numbered in the order of their first nodes, with their members.
Aggregates number_aggregates(std::vector<int> of_node) {
  Aggregates result;
  const int nodes = static_cast<int>(of_node.size());
  std::vector<int> number(nodes, -1);
  for (int& a : of_node) {
    if (a < 0) {
      a = kSpecial;
      continue;
    }
    if (number[a] < 0) number[a] = result.count++;
    a = number[a];
  }
  result.of_node = std::move(of_node);
  result.members.start.assign(result.count + 1, 0);
  for (const int a : result.of_node) {
    if (a >= 0) ++result.members.start[a + 1];
  }
  for (int a = 0; a < result.count; ++a) result.members.start[a + 1] += result.members.start[a];
  result.members.column.resize(result.members.start.back());
  std::vector<int> next(result.members.start.begin(), result.members.start.end() - 1);
  for (int i = 0; i < nodes; ++i) {
    if (result.of_node[i] >= 0) result.members.column[next[result.of_node[i]]++] = i;
  }
  return result;
}

}  // namespace

Aggregates aggregate(const Strength& strength, std::span<const std::uint8_t> excluded, int radius) {
  const SparseRows& strong = strength.strong;
  const int nodes = strong.row_count();
  std::vector<int> of_node(nodes, kFree);
  std::vector<std::uint8_t> is_special(nodes, 0);
  for (int i = 0; i < nodes; ++i) {
    const bool is_alone = strong.start[i] == strong.start[i + 1];
    if (!is_alone && (excluded.empty() || excluded[i] == 0)) continue;
    is_special[i] = 1;
    of_node[i] = kSpecial;
  }

  // Pass 1: piece by piece, then across pieces.
  const int pieces = (nodes + kPieceNodes - 1) / kPieceNodes;
  parallel_for(pieces, 1, [&](int begin, int end) {
    BallMaker maker(strong, is_special, radius);
    for (int p = begin; p < end; ++p) maker.make(p * kPieceNodes, std::min(nodes, (p + 1) * kPieceNodes), of_node);
  });
  BallMaker(strong, is_special, radius).make(0, nodes, of_node);

  // Pass 2, until a round changes nothing.
  std::vector<int> joined = of_node;
  while (join_neighbours(strong, of_node, joined)) of_node = joined;
  return number_aggregates(std::move(of_node));
}

}  // namespace pliant::linear
