// Pattern of P by rows and by columns, its values, and the two transfers.
#include "pliant/linear/multigrid/smoothed_prolongator.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "pliant/assert.h"
#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

constexpr int kRowGrain = 1024;    // rows per task
constexpr int kCoarseGrain = 128;  // coarse nodes per task
// A lumped diagonal block must keep this share of every pivot's diagonal entry, or the row is not lumped.
constexpr float kSmallestLumpedPivot = 0.05F;

// Inverse of a symmetric block that is safely positive definite against `reference`; false where it is not.
template <int B>
bool invert_lumped(const Eigen::Matrix<float, B, B>& lumped, const float* reference,
                   Eigen::Matrix<float, B, B>& inverse) {
  const Eigen::LLT<Eigen::Matrix<float, B, B>> cholesky(0.5F * (lumped + lumped.transpose()));
  if (cholesky.info() != Eigen::Success) return false;
  for (int k = 0; k < B; ++k) {
    const float pivot = cholesky.matrixLLT()(k, k);
    if (!(pivot * pivot > kSmallestLumpedPivot * reference[k + B * k])) return false;
  }
  inverse = cholesky.solve(Eigen::Matrix<float, B, B>::Identity());
  return true;
}

}  // namespace

std::size_t Prolongator::memory_bytes() const {
  return rows.memory_bytes() + of_coarse.memory_bytes() + sizeof(float) * values.capacity() +
         sizeof(int) * row_of_entry.capacity();
}

ProlongatorSmoothing::ProlongatorSmoothing(const LevelPattern& pattern, const Strength& strength,
                                           const Aggregates& aggregates, Prolongator& result)
    : before_(pattern.before.column.size()), after_(pattern.after.column.size()), own_(pattern.row_count()) {
  const int rows = pattern.row_count();
  result.rows = SparseRows{};
  result.rows.start.reserve(rows + 1);
  result.row_of_entry.clear();
  std::vector<int> columns;
  for (int i = 0; i < rows; ++i) {
    // The aggregates of the node and of its strong neighbours.
    columns.clear();
    if (aggregates.of_node[i] >= 0) {
      columns.push_back(aggregates.of_node[i]);
      for (int k = strength.strong.start[i]; k < strength.strong.start[i + 1]; ++k) {
        const int a = aggregates.of_node[strength.strong.column[k]];
        if (a >= 0 && std::find(columns.begin(), columns.end(), a) == columns.end()) columns.push_back(a);
      }
      std::sort(columns.begin(), columns.end());
    }
    PLIANT_ASSERT(columns.size() < kNotInterpolated, "places in a row of the prolongator are counted in 16 bits");

    // Where each of them adds.
    const auto place_of = [&](int node) -> std::uint16_t {
      const int a = aggregates.of_node[node];
      if (a < 0 || columns.empty()) return kNotInterpolated;
      return static_cast<std::uint16_t>(std::lower_bound(columns.begin(), columns.end(), a) - columns.begin());
    };
    own_[i] = place_of(i);
    for (int e = pattern.before.start[i]; e < pattern.before.start[i + 1]; ++e)
      before_[e] = strength.before[e] == 0 ? kWeak : place_of(pattern.before.column[e]);
    for (int e = pattern.after.start[i]; e < pattern.after.start[i + 1]; ++e)
      after_[e] = strength.after[e] == 0 ? kWeak : place_of(pattern.after.column[e]);
    result.rows.column.insert(result.rows.column.end(), columns.begin(), columns.end());
    result.rows.start.push_back(static_cast<int>(result.rows.column.size()));
    result.row_of_entry.resize(result.rows.column.size(), i);
  }

  // The same entries by columns.
  result.of_coarse.start.assign(aggregates.count + 1, 0);
  for (const int a : result.rows.column) ++result.of_coarse.start[a + 1];
  for (int a = 0; a < aggregates.count; ++a) result.of_coarse.start[a + 1] += result.of_coarse.start[a];
  result.of_coarse.column.resize(result.rows.column.size());
  std::vector<int> next(result.of_coarse.start.begin(), result.of_coarse.start.end() - 1);
  for (int e = 0; e < static_cast<int>(result.rows.column.size()); ++e)
    result.of_coarse.column[next[result.rows.column[e]]++] = e;
}

template <int B>
void ProlongatorSmoothing::smooth(const LevelMatrix<B>& matrix, const TentativeProlongator& tentative, float omega,
                                  Prolongator& result) const {
  using Block = Eigen::Matrix<float, B, B>;
  using Rows = Eigen::Matrix<float, B, kCoarseBlock, Eigen::RowMajor>;
  const LevelPattern& pattern = matrix.pattern;
  const float* hat = tentative.values.data();
  size_blocks(result.values, B * kCoarseBlock * result.rows.column.size());
  parallel_for(matrix.row_count(), kRowGrain, [&](int begin, int end) {
    std::vector<Rows> sum;
    for (int i = begin; i < end; ++i) {
      const int first = result.rows.start[i], count = result.rows.start[i + 1] - first;
      if (count == 0) continue;
      // Σ A_ij P̂_j over strong neighbours; weak blocks go to the diagonal.
      sum.assign(count, Rows::Zero());
      Block lumped = Eigen::Map<const Block>(matrix.diagonal.data() + at_block<B>(i));
      const auto add = [&](const SparseRows& side, const std::vector<float>& blocks,
                           const std::vector<std::uint16_t>& places) {
        for (int e = side.start[i]; e < side.start[i + 1]; ++e) {
          if (places[e] == kNotInterpolated) continue;
          const Eigen::Map<const Block> a(blocks.data() + at_block<B>(e));
          if (places[e] == kWeak) {
            lumped += a;
            continue;
          }
          const float* p = hat + at_block<B, kCoarseBlock>(side.column[e]);
          sum[places[e]].noalias() += a.lazyProduct(Eigen::Map<const Rows>(p));
        }
      };
      add(pattern.before, matrix.before, before_);
      add(pattern.after, matrix.after, after_);
      Block inverse;
      if (!invert_lumped<B>(lumped, matrix.diagonal.data() + at_block<B>(i), inverse))
        inverse = Eigen::Map<const Block>(matrix.inverse.data() + at_block<B>(i));
      for (int k = 0; k < count; ++k) {
        Eigen::Map<Rows> p(result.values.data() + at_block<B, kCoarseBlock>(first + k));
        p.noalias() = -omega * inverse.lazyProduct(sum[k]);
        if (k == own_[i]) p += (1 - omega) * Eigen::Map<const Rows>(hat + at_block<B, kCoarseBlock>(i));
      }
    }
  });
}

template <int B>
void restrict_to_coarse(const Prolongator& prolongator, const float* fine, float* coarse) {
  parallel_for(prolongator.coarse_count(), kCoarseGrain, [&](int begin, int end) {
    for (int a = begin; a < end; ++a) {
      Float8 sum{};
      for (int k = prolongator.of_coarse.start[a]; k < prolongator.of_coarse.start[a + 1]; ++k) {
        const int e = prolongator.of_coarse.column[k];
        const float* p = prolongator.values.data() + at_block<B, kCoarseBlock>(e);
        const float* r = fine + at_node<B>(prolongator.row_of_entry[e]);
        for (int row = 0; row < B; ++row) sum += load_floats<Float8>(p + kCoarseBlock * row) * r[row];
      }
      store_floats(coarse + at_node<kCoarseBlock>(a), BlockShape<kCoarseBlock>::clear_padding(sum));
    }
  });
}

template <int B>
void add_prolonged(const Prolongator& prolongator, const float* coarse, float* fine) {
  parallel_for(prolongator.rows.row_count(), kRowGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      Float8 sum[B] = {};
      for (int e = prolongator.rows.start[i]; e < prolongator.rows.start[i + 1]; ++e) {
        const float* p = prolongator.values.data() + at_block<B, kCoarseBlock>(e);
        const auto z = load_floats<Float8>(coarse + at_node<kCoarseBlock>(prolongator.rows.column[e]));
        for (int row = 0; row < B; ++row) sum[row] += load_floats<Float8>(p + kCoarseBlock * row) * z;
      }
      for (int row = 0; row < B; ++row) fine[at_node<B>(i) + row] += sum_of(sum[row]);
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
