// Gauss-Seidel sweeps over coloured pieces, and Chebyshev's polynomial.
#include "pliant/linear/multigrid/smoother.h"

#include <algorithm>
#include <vector>

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

// z = (D + L)⁻¹ r, and −U z as far as it lies inside pieces.
template <int B>
void sweep_forwards_from_zero(const LevelMatrix<B>& matrix, const float* r, float* z, float* residual) {
  const LevelPattern& pattern = matrix.pattern;
  parallel::for_each_item(pattern.pieces, [&](int piece) {
    // z_j holds the right-hand side less what rows before j have added, until it is j's turn.
    const int first = pattern.piece_start[piece], last = pattern.piece_start[piece + 1];
    std::copy(r + at_node<B>(first), r + at_node<B>(last), z + at_node<B>(first));
    for (int i = first; i < last; ++i) {
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
    for (int i = first; i < last; ++i) {
      RowSums<B> sums;
      add_row<B>(pattern.inside, matrix.inside, i, z, sums);
      store_floats(residual + at_node<B>(i), -sums.total());
    }
  });
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

template <int B>
void sweep_piece_backwards(const LevelMatrix<B>& matrix, int piece, const float* r, float* z) {
  const LevelPattern& pattern = matrix.pattern;
  const int first = pattern.piece_start[piece], last = pattern.piece_start[piece + 1];
  // r − L z with the old z, and − U z between pieces, whose rows after this one are done.
  std::vector<float> right_side(r + at_node<B>(first), r + at_node<B>(last));
  for (int i = first; i < last; ++i) {
    subtract_below<B>(matrix, i, load_floats<BlockRegister<B>>(z + at_node<B>(i)), right_side.data(), first);
    const bool is_inside =
        pattern.before.start[i] == pattern.before.start[i + 1] && pattern.after.start[i] == pattern.after.start[i + 1];
    if (is_inside) continue;
    RowSums<B> sums;
    add_row<B>(pattern.before, matrix.before, i, z, sums);
    add_row<B>(pattern.after, matrix.after, i, z, sums);
    float* s = right_side.data() + at_node<B>(i - first);
    store_floats(s, load_floats<BlockRegister<B>>(s) - sums.total());
  }
  // z = D⁻¹ (… − U z) from the last row up.
  for (int i = last - 1; i >= first; --i) {
    RowSums<B> sums;
    add_row<B>(pattern.inside, matrix.inside, i, z, sums);
    const auto left = load_floats<BlockRegister<B>>(right_side.data() + at_node<B>(i - first)) - sums.total();
    store_floats(z + at_node<B>(i), symmetric_product<B>(matrix.inverse.data() + at_block<B>(i), left));
  }
}

template <int B>
void sweep_backwards(const LevelMatrix<B>& matrix, const float* r, float* z) {
  const parallel::Coloring& pieces = matrix.pattern.pieces;
  for (int c = pieces.color_count() - 1; c >= 0; --c) {
    const int first = pieces.color_start[c];
    parallel_for(pieces.color_start[c + 1] - first, 1, [&](int begin, int end) {
      for (int k = end - 1; k >= begin; --k) sweep_piece_backwards<B>(matrix, pieces.items[first + k], r, z);
    });
  }
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
    sweep_backwards<B>(matrix, r, z);
  } else {
    apply_polynomial(matrix, r, z, Start::given);
  }
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
