// Pattern of P by rows and by columns, its values, and the two transfers.
#include "pliant/linear/multigrid/smoothed_prolongator.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "pliant/assert.h"
#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

constexpr int kRowGrain = 1024;     // rows per task
constexpr int kCoarseGrain = 4096;  // coarse nodes per task
// A lumped diagonal block must keep this share of every pivot's diagonal entry, or the row is not lumped.
constexpr double kSmallestLumpedPivot = 0.05;

// Inverse of a symmetric block that is safely positive definite against `reference`; false where it is not.
template <int B>
bool invert_lumped(const Eigen::Matrix<float, B, B>& lumped, const float* reference,
                   Eigen::Matrix<float, B, B>& inverse) {
  const Eigen::Matrix<float, B, B> symmetric = 0.5F * (lumped + lumped.transpose());
  if constexpr (B == 3) {
    const Eigen::Matrix3d a = symmetric.template cast<double>();
    Eigen::Matrix3d result;
    if (!invert_with_pivots(a.data(), {reference[0], reference[4], reference[8]}, kSmallestLumpedPivot, result.data()))
      return false;
    inverse = result.template cast<float>();
    return true;
  } else {
    const Eigen::LLT<Eigen::Matrix<float, B, B>> cholesky(symmetric);
    if (cholesky.info() != Eigen::Success) return false;
    for (int k = 0; k < B; ++k) {
      const float pivot = cholesky.matrixLLT()(k, k);
      if (!(pivot * pivot > kSmallestLumpedPivot * reference[k + B * k])) return false;
    }
    inverse = cholesky.solve(Eigen::Matrix<float, B, B>::Identity());
    return true;
  }
}

}  // namespace

parallel::Coloring color_by_columns(const std::vector<int>& piece_start, const SparseRows& rows, int column_count) {
  std::vector<int> touch_start{0}, touched, seen(column_count, -1);
  for (int k = 0; k + 1 < static_cast<int>(piece_start.size()); ++k) {
    for (int e = rows.start[piece_start[k]]; e < rows.start[piece_start[k + 1]]; ++e) {
      if (seen[rows.column[e]] == k) continue;
      seen[rows.column[e]] = k;
      touched.push_back(rows.column[e]);
    }
    touch_start.push_back(static_cast<int>(touched.size()));
  }
  return parallel::color_items(touch_start, touched, column_count);
}

std::size_t Prolongator::memory_bytes() const { return rows.memory_bytes() + sizeof(float) * values.capacity(); }

ProlongatorSmoothing::ProlongatorSmoothing(const LevelPattern& pattern, const Strength& strength,
                                           const Aggregates& aggregates, Prolongator& result)
    : inside_(pattern.inside.column.size()),
      below_(pattern.inside.column.size()),
      before_(pattern.before.column.size()),
      after_(pattern.after.column.size()),
      own_(pattern.row_count()) {
  // The aggregates of every node and of its strong neighbours.
  const int rows = pattern.row_count();
  const std::vector<int>& of_node = aggregates.of_node;
  result.rows = SparseRows{};
  result.rows.start.reserve(rows + 1);
  std::vector<int>& columns = result.rows.column;
  for (int i = 0; i < rows; ++i) {
    const auto first = static_cast<std::ptrdiff_t>(columns.size());
    if (of_node[i] >= 0) {
      columns.push_back(of_node[i]);
      for (int k = strength.strong.start[i]; k < strength.strong.start[i + 1]; ++k) {
        const int a = of_node[strength.strong.column[k]];
        if (a >= 0 && std::find(columns.begin() + first, columns.end(), a) == columns.end()) columns.push_back(a);
      }
      std::sort(columns.begin() + first, columns.end());
    }
    result.rows.start.push_back(static_cast<int>(columns.size()));
    PLIANT_ASSERT(result.rows.start[i + 1] - result.rows.start[i] < kNotInterpolated,
                  "places in a row of the prolongator are counted in 16 bits");
  }

  // Where each neighbour adds.
  const auto place_of = [&](int row, int node) -> std::uint16_t {
    const auto first = columns.begin() + result.rows.start[row], last = columns.begin() + result.rows.start[row + 1];
    if (of_node[node] < 0 || first == last) return kNotInterpolated;
    return static_cast<std::uint16_t>(std::find(first, last, of_node[node]) - first);
  };
  parallel_for(rows, kRowGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      own_[i] = place_of(i, i);
      for (int e = pattern.inside.start[i]; e < pattern.inside.start[i + 1]; ++e) {
        inside_[e] = strength.inside[e] == 0 ? kWeak : place_of(i, pattern.inside.column[e]);
        below_[e] = strength.inside[e] == 0 ? kWeak : place_of(pattern.inside.column[e], i);
      }
      for (int e = pattern.before.start[i]; e < pattern.before.start[i + 1]; ++e)
        before_[e] = strength.before[e] == 0 ? kWeak : place_of(i, pattern.before.column[e]);
      for (int e = pattern.after.start[i]; e < pattern.after.start[i + 1]; ++e)
        after_[e] = strength.after[e] == 0 ? kWeak : place_of(i, pattern.after.column[e]);
    }
  });

  result.coarse_count = aggregates.count;
  result.piece_start = pattern.piece_start;
  result.pieces = color_by_columns(pattern.piece_start, result.rows, aggregates.count);
}

// Rows [first, last) of A_F P̂, 8 floats per row and entry, and the lumped diagonal.
template <int B>
class ProlongatorSmoothing::Piece {
 public:
  Piece(const ProlongatorSmoothing& places, const LevelMatrix<B>& matrix, const TentativeProlongator& tentative,
        const SparseRows& rows)
      : places_(places), matrix_(matrix), hat_(tentative.values.data()), rows_(rows) {}

  void sum(int first, int last) {
    first_ = first;
    lumped_.assign(matrix_.diagonal.begin() + static_cast<std::ptrdiff_t>(at_block<B>(first)),
                   matrix_.diagonal.begin() + static_cast<std::ptrdiff_t>(at_block<B>(last)));
    is_lumped_.assign(last - first, 0);
    sums_.assign(8 * B * static_cast<std::size_t>(rows_.start[last] - rows_.start[first]), 0.0F);
    const LevelPattern& pattern = matrix_.pattern;
    for (int i = first; i < last; ++i) {
      for (int e = pattern.inside.start[i]; e < pattern.inside.start[i + 1]; ++e) {
        const int j = pattern.inside.column[e];
        const float* a = matrix_.inside.data() + at_block<B>(e);
        add(i, j, a, places_.inside_[e]);
        float transposed[B * B];
        for (int k = 0; k < B * B; ++k) transposed[B * (k % B) + k / B] = a[k];
        add(j, i, transposed, places_.below_[e]);
      }
      for (int e = pattern.before.start[i]; e < pattern.before.start[i + 1]; ++e)
        add(i, pattern.before.column[e], matrix_.before.data() + at_block<B>(e), places_.before_[e]);
      for (int e = pattern.after.start[i]; e < pattern.after.start[i + 1]; ++e)
        add(i, pattern.after.column[e], matrix_.after.data() + at_block<B>(e), places_.after_[e]);
    }
  }

  // Row i of P = P̂ − ω D_F⁻¹ (A_F P̂)
  void write(int i, float omega, float* p) const {
    using Block = Eigen::Matrix<float, B, B>;
    Block inverse;
    const Eigen::Map<const Block> lumped(lumped_.data() + at_block<B>(i - first_));
    if (is_lumped_[i - first_] == 0 || !invert_lumped<B>(lumped, matrix_.diagonal.data() + at_block<B>(i), inverse))
      inverse = Eigen::Map<const Block>(matrix_.inverse.data() + at_block<B>(i));
    const int count = rows_.start[i + 1] - rows_.start[i];
    for (int k = 0; k < count; ++k) {
      const float* sums = sums_.data() + sum_at(i, k);
      for (int r = 0; r < B; ++r) {
        Float8 row{};
        for (int c = 0; c < B; ++c) row -= omega * inverse(r, c) * load_floats<Float8>(sums + 8 * c);
        if (k == places_.own_[i])
          row += (1 - omega) * load_floats<Float8>(hat_ + at_block<B, kCoarseBlock>(i) + kCoarseBlock * r);
        store_six(p + at_block<B, kCoarseBlock>(k) + kCoarseBlock * r, row);
      }
    }
  }

 private:
  [[nodiscard]] std::size_t sum_at(int i, int place) const {
    return 8 * B * static_cast<std::size_t>(rows_.start[i] - rows_.start[first_] + place);
  }
  // A_ij P̂_j to its place in row i, or A_ij to the diagonal.
  void add(int i, int j, const float* a, std::uint16_t place) {
    if (place == kNotInterpolated) return;
    if (place == kWeak) {
      float* to = lumped_.data() + at_block<B>(i - first_);
      for (int k = 0; k < B * B; ++k) to[k] += a[k];
      is_lumped_[i - first_] = 1;
      return;
    }
    float* to = sums_.data() + sum_at(i, place);
    Float8 source[B];
    for (int k = 0; k < B; ++k) source[k] = load_floats<Float8>(hat_ + at_block<B, kCoarseBlock>(j) + kCoarseBlock * k);
    for (int r = 0; r < B; ++r) {
      auto row = load_floats<Float8>(to + 8 * r);
      for (int k = 0; k < B; ++k) row += a[B * r + k] * source[k];
      store_floats(to + 8 * r, row);
    }
  }

  const ProlongatorSmoothing& places_;
  const LevelMatrix<B>& matrix_;
  const float* hat_;
  const SparseRows& rows_;
  int first_ = 0;
  std::vector<float> lumped_, sums_;
  std::vector<std::uint8_t> is_lumped_;
};

template <int B>
void ProlongatorSmoothing::smooth(const LevelMatrix<B>& matrix, const TentativeProlongator& tentative, float omega,
                                  Prolongator& result) const {
  size_blocks(result.values, B * kCoarseBlock * result.rows.column.size());
  parallel_for(matrix.pattern.piece_count(), 1, [&](int begin, int end) {
    Piece<B> sums(*this, matrix, tentative, result.rows);
    for (int piece = begin; piece < end; ++piece) {
      const int first = result.piece_start[piece], last = result.piece_start[piece + 1];
      sums.sum(first, last);
      for (int i = first; i < last; ++i)
        sums.write(i, omega, result.values.data() + at_block<B, kCoarseBlock>(result.rows.start[i]));
    }
  });
}

template <int B>
void restrict_to_coarse(const Prolongator& prolongator, const float* fine, float* coarse) {
  std::fill_n(coarse, at_node<kCoarseBlock>(prolongator.coarse_count), 0.0F);
  const SparseRows& rows = prolongator.rows;
  parallel::for_each_item(prolongator.pieces, [&](int piece) {
    for (int i = prolongator.piece_start[piece]; i < prolongator.piece_start[piece + 1]; ++i) {
      const float* r = fine + at_node<B>(i);
      for (int e = rows.start[i]; e < rows.start[i + 1]; ++e) {
        const float* p = prolongator.values.data() + at_block<B, kCoarseBlock>(e);
        float* to = coarse + at_node<kCoarseBlock>(rows.column[e]);
        // `to` last: it waits for the fine row before, which is mostly of the same aggregates.
        Float8 sum = load_floats<Float8>(p) * r[0];
        for (int row = 1; row < B; ++row) sum += load_floats<Float8>(p + kCoarseBlock * row) * r[row];
        store_floats(to, load_floats<Float8>(to) + sum);
      }
    }
  });
  parallel_for(prolongator.coarse_count, kCoarseGrain, [&](int begin, int end) {
    for (int a = begin; a < end; ++a) {
      float* r = coarse + at_node<kCoarseBlock>(a);
      store_floats(r, BlockShape<kCoarseBlock>::clear_padding(load_floats<Float8>(r)));
    }
  });
}

template <int B>
void add_prolonged(const Prolongator& prolongator, const float* coarse, float* fine) {
  const SparseRows& rows = prolongator.rows;
  parallel_for(rows.row_count(), kRowGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      RowSums<B, Float8> sums;
      for (int e = rows.start[i]; e < rows.start[i + 1]; ++e)
        sums.template add<kCoarseBlock>(prolongator.values.data() + at_block<B, kCoarseBlock>(e),
                                        load_floats<Float8>(coarse + at_node<kCoarseBlock>(rows.column[e])));
      float* to = fine + at_node<B>(i);
      store_floats(to, load_floats<BlockRegister<B>>(to) + sums.total());
    }
  });
}

template void ProlongatorSmoothing::smooth<3>(const LevelMatrix<3>&, const TentativeProlongator&, float,
                                              Prolongator&) const;
template void ProlongatorSmoothing::smooth<6>(const LevelMatrix<6>&, const TentativeProlongator&, float,
                                              Prolongator&) const;
template void restrict_to_coarse<3>(const Prolongator&, const float*, float*);
template void restrict_to_coarse<6>(const Prolongator&, const float*, float*);
template void add_prolonged<3>(const Prolongator&, const float*, float*);
template void add_prolonged<6>(const Prolongator&, const float*, float*);

}  // namespace pliant::linear
