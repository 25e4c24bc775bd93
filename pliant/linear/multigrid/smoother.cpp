// Gauss-Seidel sweeps over coloured pieces, and Chebyshev's polynomial.
#include "pliant/linear/multigrid/smoother.h"

#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

constexpr int kSmootherGrain = 1024;  // rows per task
// The interval of the Chebyshev polynomial: the radius is estimated from below, smooth errors are left to the coarse
// level.
constexpr double kRadiusSafety = 1.1, kIntervalRatio = 10;

// sum −= (row i of one side) · z
template <int B>
inline void subtract_side(const SparseRows& side, const std::vector<float>& blocks, int i, const float* z,
                          BlockRegister<B>& sum) {
  BlockRegister<B> even{}, odd{};
  int e = side.start[i];
  const int end = side.start[i + 1];
  for (; e + 1 < end; e += 2) {
    __builtin_prefetch(blocks.data() + at_block<B>(e) + 512);
    add_product<B>(blocks.data() + at_block<B>(e), z + at_node<B>(side.column[e]), even);
    add_product<B>(blocks.data() + at_block<B>(e + 1), z + at_node<B>(side.column[e + 1]), odd);
  }
  if (e < end) add_product<B>(blocks.data() + at_block<B>(e), z + at_node<B>(side.column[e]), even);
  sum -= even + odd;
}

// z_i = D⁻¹ sum
template <int B>
inline void solve_block(const LevelMatrix<B>& matrix, int i, BlockRegister<B> sum, float* z) {
  float right_side[BlockShape<B>::kStride];
  store_floats(right_side, sum);
  store_floats(z + at_node<B>(i), product<B>(matrix.inverse.data() + at_block<B>(i), right_side));
}

template <int B>
void sweep_forwards_from_zero(const LevelMatrix<B>& matrix, const float* r, float* z) {
  const LevelPattern& pattern = matrix.pattern;
  parallel::for_each_item(pattern.pieces, [&](int piece) {
    for (int i = pattern.piece_start[piece]; i < pattern.piece_start[piece + 1]; ++i) {
      auto sum = load_floats<BlockRegister<B>>(r + at_node<B>(i));
      subtract_side<B>(pattern.before, matrix.before, i, z, sum);
      solve_block<B>(matrix, i, sum, z);
    }
  });
}

// residual = −U z
template <int B>
void residual_after_sweep(const LevelMatrix<B>& matrix, const float* z, float* residual) {
  const LevelPattern& pattern = matrix.pattern;
  parallel_for(matrix.row_count(), kSmootherGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      BlockRegister<B> sum{};
      subtract_side<B>(pattern.after, matrix.after, i, z, sum);
      store_floats(residual + at_node<B>(i), BlockShape<B>::clear_padding(sum));
    }
  });
}

template <int B>
void sweep_backwards(const LevelMatrix<B>& matrix, const float* r, float* z) {
  const LevelPattern& pattern = matrix.pattern;
  for (int c = pattern.pieces.color_count() - 1; c >= 0; --c) {
    const int first = pattern.pieces.color_start[c];
    parallel_for(pattern.pieces.color_start[c + 1] - first, 1, [&](int begin, int end) {
      for (int k = end - 1; k >= begin; --k) {
        const int piece = pattern.pieces.items[first + k];
        for (int i = pattern.piece_start[piece + 1] - 1; i >= pattern.piece_start[piece]; --i) {
          auto sum = load_floats<BlockRegister<B>>(r + at_node<B>(i));
          subtract_side<B>(pattern.before, matrix.before, i, z, sum);
          subtract_side<B>(pattern.after, matrix.after, i, z, sum);
          solve_block<B>(matrix, i, sum, z);
        }
      }
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
    sweep_forwards_from_zero<B>(matrix, r, z);
    residual_after_sweep<B>(matrix, z, residual);
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
        float left[BlockShape<B>::kStride];
        store_floats(left, is_zero ? load_floats<Register>(r + at)
                                   : load_floats<Register>(r + at) - load_floats<Register>(scratch_.data() + at));
        Register p = product<B>(matrix.inverse.data() + at_block<B>(i), left);
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
