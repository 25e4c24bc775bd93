// Norms of blocks, the largest of each row, and the comparison.
#include "pliant/linear/multigrid/strength.h"

#include <algorithm>
#include <cmath>

#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

constexpr int kStrengthGrain = 1024;  // rows per task

template <int B>
float block_norm(const float* a) {
  float sum = 0;
  for (int k = 0; k < B * B; ++k) sum += a[k] * a[k];
  return std::sqrt(sum);
}

}  // namespace

template <int B>
Strength find_strength(const LevelMatrix<B>& matrix, float threshold) {
  const LevelPattern& pattern = matrix.pattern;
  const int rows = matrix.row_count();
  std::vector<float> scale(rows), largest(rows, 0.0F);  // ‖A_ii‖^-½
  std::vector<float> before(pattern.before.column.size()), after(pattern.after.column.size());
  const auto norms_of = [&](const SparseRows& side, const std::vector<float>& blocks, std::vector<float>& s, int i) {
    for (int e = side.start[i]; e < side.start[i + 1]; ++e) {
      s[e] = block_norm<B>(blocks.data() + at_block<B>(e)) * scale[i] * scale[side.column[e]];
      largest[i] = std::max(largest[i], s[e]);
    }
  };
  parallel_for(rows, kStrengthGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const float norm = block_norm<B>(matrix.diagonal.data() + at_block<B>(i));
      scale[i] = norm > 0 ? 1 / std::sqrt(norm) : 0.0F;
    }
  });
  parallel_for(rows, kStrengthGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      norms_of(pattern.before, matrix.before, before, i);
      norms_of(pattern.after, matrix.after, after, i);
    }
  });

  Strength result;
  result.before.resize(before.size());
  result.after.resize(after.size());
  std::vector<int> count(rows);
  const auto judge = [&](const SparseRows& side, const std::vector<float>& s, std::vector<std::uint8_t>& strong,
                         int i) {
    for (int e = side.start[i]; e < side.start[i + 1]; ++e) {
      const float enough = std::min(threshold, 0.5F * std::min(largest[i], largest[side.column[e]]));
      strong[e] = s[e] > std::max(enough, Strength::kNegligible) ? 1 : 0;
      count[i] += strong[e];
    }
  };
  parallel_for(rows, kStrengthGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      judge(pattern.before, before, result.before, i);
      judge(pattern.after, after, result.after, i);
    }
  });

  // The strong ones as a graph.
  result.strong.start.resize(rows + 1);
  for (int i = 0; i < rows; ++i) result.strong.start[i + 1] = result.strong.start[i] + count[i];
  result.strong.column.resize(result.strong.start.back());
  result.weight.resize(result.strong.start.back());
  parallel_for(rows, kStrengthGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      int next = result.strong.start[i];
      const auto take = [&](const SparseRows& side, const std::vector<float>& s,
                            const std::vector<std::uint8_t>& strong) {
        for (int e = side.start[i]; e < side.start[i + 1]; ++e) {
          if (strong[e] == 0) continue;
          result.strong.column[next] = side.column[e];
          result.weight[next++] = s[e];
        }
      };
      take(pattern.before, before, result.before);
      take(pattern.after, after, result.after);
    }
  });
  return result;
}

template Strength find_strength<3>(const LevelMatrix<3>&, float);
template Strength find_strength<6>(const LevelMatrix<6>&, float);

}  // namespace pliant::linear
