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

// Calls body(i) for every row; rows of one piece in ascending order on one thread.
template <class Body>
void for_each_row_of_pieces(const LevelPattern& pattern, const Body& body) {
  parallel_for(pattern.piece_count(), 1, [&](int begin, int end) {
    for (int i = pattern.piece_start[begin]; i < pattern.piece_start[end]; ++i) body(i);
  });
}

}  // namespace

// Entries of one part of the matrix.
struct StrengthSide {
  const SparseRows& rows;
  std::vector<float> s;
  std::vector<std::uint8_t> is_strong;

  explicit StrengthSide(const SparseRows& of) : rows(of), s(of.column.size()), is_strong(of.column.size()) {}
};

template <int B>
Strength find_strength(const LevelMatrix<B>& matrix, float threshold) {
  const LevelPattern& pattern = matrix.pattern;
  const int rows = matrix.row_count();
  std::vector<float> scale(rows), largest(rows, 0.0F);  // ‖A_ii‖^-½
  parallel_for(rows, kStrengthGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const float norm = block_norm<B>(matrix.diagonal.data() + at_block<B>(i));
      scale[i] = norm > 0 ? 1 / std::sqrt(norm) : 0.0F;
    }
  });

  // s of every entry, and the largest of every row. A coupling inside a piece belongs to both its rows.
  StrengthSide inside(pattern.inside), before(pattern.before), after(pattern.after);
  for_each_row_of_pieces(pattern, [&](int i) {
    const auto norms_of = [&](StrengthSide& side, const std::vector<float>& blocks, bool is_both) {
      for (int e = side.rows.start[i]; e < side.rows.start[i + 1]; ++e) {
        const int j = side.rows.column[e];
        side.s[e] = block_norm<B>(blocks.data() + at_block<B>(e)) * scale[i] * scale[j];
        largest[i] = std::max(largest[i], side.s[e]);
        if (is_both) largest[j] = std::max(largest[j], side.s[e]);
      }
    };
    norms_of(inside, matrix.inside, true);
    norms_of(before, matrix.before, false);
    norms_of(after, matrix.after, false);
  });

  // Which are strong, and how many in a row.
  Strength result;
  std::vector<int> count(rows + 1, 0);
  for_each_row_of_pieces(pattern, [&](int i) {
    for (StrengthSide* side : {&inside, &before, &after}) {
      for (int e = side->rows.start[i]; e < side->rows.start[i + 1]; ++e) {
        const int j = side->rows.column[e];
        const float enough = std::min(threshold, 0.5F * std::min(largest[i], largest[j]));
        side->is_strong[e] = side->s[e] > std::max(enough, Strength::kNegligible) ? 1 : 0;
        count[i] += side->is_strong[e];
        if (side == &inside) count[j] += side->is_strong[e];
      }
    }
  });

  // The strong ones as a graph.
  result.strong.start.resize(rows + 1);
  for (int i = 0; i < rows; ++i) result.strong.start[i + 1] = result.strong.start[i] + count[i];
  result.strong.column.resize(result.strong.start.back());
  std::copy(result.strong.start.begin(), result.strong.start.end(), count.begin());  // where a row's next one goes
  for_each_row_of_pieces(pattern, [&](int i) {
    for (StrengthSide* side : {&inside, &before, &after}) {
      for (int e = side->rows.start[i]; e < side->rows.start[i + 1]; ++e) {
        if (side->is_strong[e] == 0) continue;
        result.strong.column[count[i]++] = side->rows.column[e];
        if (side == &inside) result.strong.column[count[side->rows.column[e]]++] = i;
      }
    }
  });
  result.inside = std::move(inside.is_strong);
  result.before = std::move(before.is_strong);
  result.after = std::move(after.is_strong);
  return result;
}

template Strength find_strength<3>(const LevelMatrix<3>&, float);
template Strength find_strength<6>(const LevelMatrix<6>&, float);

}  // namespace pliant::linear
