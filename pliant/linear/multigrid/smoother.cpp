// Gauss-Seidel sweeps over coloured pieces, and Chebyshev's polynomial.
#include "pliant/linear/multigrid/smoother.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "pliant/assert.h"
#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

constexpr int kSmootherGrain = 1024;  // rows per task
// The interval of the Chebyshev polynomial: the radius is estimated from below, smooth errors are left to the coarse
// level.
constexpr double kRadiusSafety = 1.1, kIntervalRatio = 10;

// sums += (row i of one part) · z
template <int B>
inline void add_row(const SparseRows& side, const std::vector<float>& blocks, int i, const float* z, RowSums<B>& sums) {
  for (int e = side.start[i]; e < side.start[i + 1]; ++e)
    sums.add(blocks.data() + at_block<B>(e), load_floats<BlockRegister<B>>(z + at_node<B>(side.column[e])));
}

// y_j −= A_ijᵀ x for the couplings of row i inside its piece, j after i; y begins with row `origin`
template <int B>
inline void subtract_below(const LevelMatrix<B>& matrix, int i, BlockRegister<B> x, float* y, int origin) {
  const TransposedProduct<B> transposed(-x);
  const SparseRows& inside = matrix.pattern.inside;
  for (int e = inside.start[i]; e < inside.start[i + 1]; ++e) {
    const float* block = matrix.inside.data() + at_block<B>(e);
    __builtin_prefetch(block + 512);
    transposed.add(block, y + at_node<B>(inside.column[e] - origin));
  }
}

// Calls task(piece, other) for the pieces of a colour, two at a time where there are enough for all threads; without a
// second one `other` is −1. Every row of a sweep waits for the one before it: rows of two pieces in turn fill the time.
template <class Task>
void for_each_pair_of_color(const parallel::Coloring& pieces, int color, const Task& task) {
  const int first = pieces.color_start[color], count = pieces.color_start[color + 1] - first;
  const int stride = count >= 2 * thread_count() ? 2 : 1;
  parallel_for((count + stride - 1) / stride, 1, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      const int at = stride * k;
      task(pieces.items[first + at], stride == 2 && at + 1 < count ? pieces.items[first + at + 1] : -1);
    }
  });
}

// z = (D + L)⁻¹ r in a row. z_j holds the right-hand side less what rows before j have added, until it is j's turn.
template <int B>
inline void sweep_row_forwards(const LevelMatrix<B>& matrix, int i, float* z) {
  const LevelPattern& pattern = matrix.pattern;
  auto right_side = load_floats<BlockRegister<B>>(z + at_node<B>(i));
  if (pattern.before.start[i] != pattern.before.start[i + 1]) {
    RowSums<B> sums;
    add_row<B>(pattern.before, matrix.before, i, z, sums);
    right_side -= sums.total();
  }
  const auto x = symmetric_product<B>(matrix.inverse.data() + at_block<B>(i), right_side);
  store_floats(z + at_node<B>(i), x);
  subtract_below<B>(matrix, i, x, z, 0);
}

// z = (D + L)⁻¹ r, and −U z as far as it lies inside pieces.
template <int B>
void sweep_forwards_from_zero(const LevelMatrix<B>& matrix, const float* r, float* z, float* residual) {
  const LevelPattern& pattern = matrix.pattern;
  const auto task = [&](int piece, int other) {
    const int first = pattern.piece_start[piece], count = pattern.piece_start[piece + 1] - first;
    const int other_first = other < 0 ? 0 : pattern.piece_start[other];
    const int other_count = other < 0 ? 0 : pattern.piece_start[other + 1] - other_first;
    std::copy_n(r + at_node<B>(first), at_node<B>(count), z + at_node<B>(first));
    std::copy_n(r + at_node<B>(other_first), at_node<B>(other_count), z + at_node<B>(other_first));
    const int both = std::min(count, other_count);
    for (int k = 0; k < both; ++k) {
      sweep_row_forwards<B>(matrix, first + k, z);
      sweep_row_forwards<B>(matrix, other_first + k, z);
    }
    for (int k = both; k < count; ++k) sweep_row_forwards<B>(matrix, first + k, z);
    for (int k = both; k < other_count; ++k) sweep_row_forwards<B>(matrix, other_first + k, z);
    for (const auto& [begin, end] : {std::pair{first, first + count}, {other_first, other_first + other_count}}) {
      for (int i = begin; i < end; ++i) {
        RowSums<B> sums;
        add_row<B>(pattern.inside, matrix.inside, i, z, sums);
        store_floats(residual + at_node<B>(i), -sums.total());
      }
    }
  };
  for (int c = 0; c < pattern.pieces.color_count(); ++c) for_each_pair_of_color(pattern.pieces, c, task);
}

// What lies between pieces.
template <int B>
void subtract_between_pieces(const LevelMatrix<B>& matrix, const float* z, float* residual) {
  const LevelPattern& pattern = matrix.pattern;
  parallel_for(matrix.row_count(), kSmootherGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      if (pattern.after.start[i] == pattern.after.start[i + 1]) continue;
      RowSums<B> sums;
      add_row<B>(pattern.after, matrix.after, i, z, sums);
      const auto inside = load_floats<BlockRegister<B>>(residual + at_node<B>(i));
      store_floats(residual + at_node<B>(i), inside - sums.total());
    }
  });
}

// What a sweep backwards gives besides z: nothing, or L d with d = z − z' as far as it lies inside pieces, and d itself.
struct NoChanges {};
struct Changes {
  float *d, *lower_d;
};

// One piece on the way back.
template <int B, class Wanted>
class BackwardSweep {
 public:
  // s = r − L z with the old z, and − U z between pieces, whose rows after this one are done.
  BackwardSweep(const LevelMatrix<B>& matrix, int piece, const float* r, float* z, Wanted wanted)
      : matrix_(matrix),
        first_(matrix.pattern.piece_start[piece]),
        count_(matrix.pattern.piece_start[piece + 1] - first_),
        right_side_(r + at_node<B>(first_), r + at_node<B>(first_ + count_)),
        z_(z),
        wanted_(wanted) {
    const LevelPattern& pattern = matrix.pattern;
    if constexpr (kHasChanges) std::fill_n(wanted_.lower_d + at_node<B>(first_), at_node<B>(count_), 0.0F);
    for (int i = first_; i < first_ + count_; ++i) {
      subtract_below<B>(matrix, i, load_floats<BlockRegister<B>>(z + at_node<B>(i)), right_side_.data(), first_);
      const bool is_inside = pattern.before.start[i] == pattern.before.start[i + 1] &&
                             pattern.after.start[i] == pattern.after.start[i + 1];
      if (is_inside) continue;
      RowSums<B> sums;
      add_row<B>(pattern.before, matrix.before, i, z, sums);
      add_row<B>(pattern.after, matrix.after, i, z, sums);
      float* s = right_side_.data() + at_node<B>(i - first_);
      store_floats(s, load_floats<BlockRegister<B>>(s) - sums.total());
    }
  }
  [[nodiscard]] int row_count() const { return count_; }
  // z = D⁻¹ (s − U z) in row k of the piece. Columns far away first: that of the row done last may not be ready yet.
  void sweep_row(int k) {
    const SparseRows& inside = matrix_.pattern.inside;
    const int i = first_ + k;
    RowSums<B> sums;
    for (int e = inside.start[i + 1] - 1; e >= inside.start[i]; --e)
      sums.add(matrix_.inside.data() + at_block<B>(e),
               load_floats<BlockRegister<B>>(z_ + at_node<B>(inside.column[e])));
    const auto left = load_floats<BlockRegister<B>>(right_side_.data() + at_node<B>(k)) - sums.total();
    const auto x = symmetric_product<B>(matrix_.inverse.data() + at_block<B>(i), left);
    if constexpr (kHasChanges) {
      const BlockRegister<B> d = load_floats<BlockRegister<B>>(z_ + at_node<B>(i)) - x;
      store_floats(wanted_.d + at_node<B>(i), d);
      subtract_below<B>(matrix_, i, -d, wanted_.lower_d, 0);
    }
    store_floats(z_ + at_node<B>(i), x);
  }

 private:
  static constexpr bool kHasChanges = std::is_same_v<Wanted, Changes>;

  const LevelMatrix<B>& matrix_;
  int first_, count_;
  std::vector<float> right_side_;
  float* z_;
  Wanted wanted_;
};

template <int B, class Wanted>
void sweep_backwards(const LevelMatrix<B>& matrix, const float* r, float* z, Wanted wanted) {
  const parallel::Coloring& pieces = matrix.pattern.pieces;
  const auto task = [&](int piece, int other) {
    BackwardSweep<B, Wanted> sweep(matrix, piece, r, z, wanted);
    if (other < 0) {
      for (int k = sweep.row_count() - 1; k >= 0; --k) sweep.sweep_row(k);
      return;
    }
    BackwardSweep<B, Wanted> other_sweep(matrix, other, r, z, wanted);
    int k = sweep.row_count() - 1, l = other_sweep.row_count() - 1;
    for (; k > l; --k) sweep.sweep_row(k);
    for (; l > k; --l) other_sweep.sweep_row(l);
    for (; k >= 0; --k) {
      sweep.sweep_row(k);
      other_sweep.sweep_row(k);
    }
  };
  for (int c = pieces.color_count() - 1; c >= 0; --c) for_each_pair_of_color(pieces, c, task);
}

// L d between pieces, added to what lies inside them.
template <int B>
void add_between_pieces(const LevelMatrix<B>& matrix, const float* d, float* lower_d) {
  const LevelPattern& pattern = matrix.pattern;
  parallel_for(matrix.row_count(), kSmootherGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      auto sum = BlockShape<B>::clear_padding(load_floats<BlockRegister<B>>(lower_d + at_node<B>(i)));
      if (pattern.before.start[i] != pattern.before.start[i + 1]) {
        RowSums<B> sums;
        add_row<B>(pattern.before, matrix.before, i, d, sums);
        sum += sums.total();
      }
      store_floats(lower_d + at_node<B>(i), sum);
    }
  });
}

}  // namespace

template <int B>
void Smoother<B>::prepare(SmootherKind kind, double radius, int rows) {
  kind_ = kind;
  radius_ = radius;
  const std::size_t size = kind == SmootherKind::chebyshev ? at_node<B>(rows) : 0;
  for (std::vector<float>* v : {&direction_, &scratch_}) {
    if (v->size() != size) v->assign(size, 0.0F);
  }
}

template <int B>
void Smoother<B>::before(const LevelMatrix<B>& matrix, const float* r, float* z, float* residual) {
  if (kind_ == SmootherKind::gauss_seidel) {
    sweep_forwards_from_zero<B>(matrix, r, z, residual);
    subtract_between_pieces<B>(matrix, z, residual);
    return;
  }
  apply_polynomial(matrix, r, z, Start::zero);
  matrix.multiply(z, residual);
  parallel_for(matrix.row_count(), kSmootherGrain, [&](int begin, int end) {
    for (std::size_t k = at_node<B>(begin); k < at_node<B>(end); ++k) residual[k] = r[k] - residual[k];
  });
}

template <int B>
void Smoother<B>::after(const LevelMatrix<B>& matrix, const float* r, float* z) {
  if (kind_ == SmootherKind::gauss_seidel) {
    sweep_backwards<B>(matrix, r, z, NoChanges{});
  } else {
    apply_polynomial(matrix, r, z, Start::given);
  }
}

template <int B>
void Smoother<B>::after_with_residual(const LevelMatrix<B>& matrix, float* r, float* z, float* residual) {
  PLIANT_ASSERT(kind_ == SmootherKind::gauss_seidel, "only a sweep knows what it leaves");
  sweep_backwards<B>(matrix, r, z, Changes{r, residual});
  add_between_pieces<B>(matrix, r, residual);
}

// p = D⁻¹(r − A z), z += γ p;  p = D⁻¹(r − A z) + η p, z += γ' p
template <int B>
void Smoother<B>::apply_polynomial(const LevelMatrix<B>& matrix, const float* r, float* z, Start start) {
  const double high = kRadiusSafety * radius_, low = high / kIntervalRatio;
  const double middle = 0.5 * (high + low), half_width = 0.5 * (high - low);
  double gamma = 1 / middle, eta = 0;
  for (int order = 0; order < 2; ++order) {
    const bool is_zero = order == 0 && start == Start::zero;
    if (!is_zero) matrix.multiply(z, scratch_.data());
    const auto g = static_cast<float>(gamma), h = static_cast<float>(eta);
    parallel_for(matrix.row_count(), kSmootherGrain, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) {
        const std::size_t at = at_node<B>(i);
        using Register = BlockRegister<B>;
        auto left = load_floats<Register>(r + at);
        if (!is_zero) left -= load_floats<Register>(scratch_.data() + at);
        Register p = symmetric_product<B>(matrix.inverse.data() + at_block<B>(i), left);
        if (order > 0) p += h * load_floats<Register>(direction_.data() + at);
        store_floats(direction_.data() + at, p);
        store_floats(z + at, is_zero ? g * p : load_floats<Register>(z + at) + g * p);
      }
    });
    eta = 0.5 * half_width * gamma * half_width * gamma;
    gamma = 1 / (middle - eta / gamma);
  }
}

template class Smoother<3>;
template class Smoother<6>;

}  // namespace pliant::linear
