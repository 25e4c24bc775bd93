// Pieces, colours and the split into L, D, U; products and inverses of diagonal blocks.
#include "pliant/linear/multigrid/level_matrix.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

// Rows per piece: enough that rows at the edge of a piece are few, few enough for some pieces of every colour. A level
// of up to two pieces is not worth threads.
constexpr int kPieceRows = 1024;
constexpr int kLevelGrain = 1024;  // rows per task
// Eigenvalues of a diagonal block below this share of its largest are raised to it: single precision has seven digits.
constexpr double kSmallestBlockEigenvalue = 1e-5;

// Smallest colour no touching piece with a lower number has.
std::vector<int> color_pieces(const SparseRows& neighbours, const std::vector<int>& piece_start,
                              const std::vector<int>& piece_of) {
  const int pieces = static_cast<int>(piece_start.size()) - 1;
  std::vector<int> color(pieces, 0), seen;
  for (int p = 0; p < pieces; ++p) {
    seen.assign(pieces + 1, 0);
    for (int k = neighbours.start[piece_start[p]]; k < neighbours.start[piece_start[p + 1]]; ++k) {
      const int q = piece_of[neighbours.column[k]];
      if (q < p) seen[color[q]] = 1;
    }
    color[p] = static_cast<int>(std::find(seen.begin(), seen.end(), 0) - seen.begin());
  }
  return color;
}

parallel::Coloring coloring_of(const std::vector<int>& color) {
  parallel::Coloring result;
  result.color_start.assign(1, 0);
  for (int c = 0; static_cast<std::size_t>(result.color_start.back()) < color.size(); ++c) {
    for (int p = 0; p < static_cast<int>(color.size()); ++p) {
      if (color[p] == c) result.items.push_back(p);
    }
    result.color_start.push_back(static_cast<int>(result.items.size()));
  }
  return result;
}

// A stored block, column by column, times `scale` to one row by row.
inline void copy_transposed(const double* values, int slot, double scale, float* to) {
  const double* from = values + 9 * static_cast<std::size_t>(slot);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) to[3 * r + c] = static_cast<float>(scale * from[r + 3 * c]);
  }
}

template <int B>
using SquareBlock = Eigen::Matrix<double, B, B>;

// a⁻¹, true; or where a is not safely positive definite the inverse of one that is, false.
template <int B>
bool invert_block(const SquareBlock<B>& a, SquareBlock<B>& inverse) {
  const double largest = a.diagonal().cwiseAbs().maxCoeff();
  if constexpr (B == 3) {
    if (invert_with_pivots(a.data(), std::array{largest, largest, largest}, kSmallestBlockEigenvalue, inverse.data()))
      return true;
  }
  const Eigen::LLT<SquareBlock<B>> cholesky(a);
  if (cholesky.info() == Eigen::Success &&
      cholesky.matrixLLT().diagonal().cwiseAbs2().minCoeff() > kSmallestBlockEigenvalue * largest) {
    inverse = cholesky.solve(SquareBlock<B>::Identity());
    return true;
  }
  const Eigen::SelfAdjointEigenSolver<SquareBlock<B>> eigen(a);
  const double size = eigen.eigenvalues().cwiseAbs().maxCoeff();
  inverse.setIdentity();  // where nothing acts on a node any positive scale will do
  if (size == 0) return false;
  const Eigen::Matrix<double, B, 1> raised = eigen.eigenvalues().cwiseAbs().cwiseMax(kSmallestBlockEigenvalue * size);
  inverse = eigen.eigenvectors() * raised.cwiseInverse().asDiagonal() * eigen.eigenvectors().transpose();
  return false;
}

}  // namespace

LevelPattern::LevelPattern(const SparseRows& neighbours) {
  // Pieces of equally many rows, and their colours.
  const int rows = neighbours.row_count();
  const int count = rows <= 2 * kPieceRows ? 1 : (rows + kPieceRows - 1) / kPieceRows;
  std::vector<int> piece_of(rows);
  for (int p = 0; p <= count; ++p) piece_start.push_back(static_cast<int>(static_cast<long long>(rows) * p / count));
  for (int p = 0; p < count; ++p)
    std::fill(piece_of.begin() + piece_start[p], piece_of.begin() + piece_start[p + 1], p);
  const std::vector<int> color = color_pieces(neighbours, piece_start, piece_of);
  pieces = coloring_of(color);

  // Columns of the same piece, and of others visited before and after.
  for (SparseRows* side : {&inside, &before, &after}) side->start.reserve(rows + 1);
  inside.column.reserve(neighbours.column.size() / 2);
  for (int i = 0; i < rows; ++i) {
    const int piece = piece_of[i];
    for (int k = neighbours.start[i]; k < neighbours.start[i + 1]; ++k) {
      const int j = neighbours.column[k];
      if (piece_of[j] != piece) {
        (color[piece_of[j]] < color[piece] ? before : after).column.push_back(j);
      } else if (j > i) {
        inside.column.push_back(j);
      }
    }
    for (SparseRows* side : {&inside, &before, &after}) side->start.push_back(static_cast<int>(side->column.size()));
  }

  // Rows of U in ascending order reach every row of L in the order of its columns.
  std::vector<int> next(before.start.begin(), before.start.end() - 1);
  mirror.resize(after.column.size());
  for (int i = 0; i < rows; ++i) {
    for (int e = after.start[i]; e < after.start[i + 1]; ++e) mirror[e] = next[after.column[e]]++;
  }
}

std::size_t LevelPattern::memory_bytes() const {
  return inside.memory_bytes() + before.memory_bytes() + after.memory_bytes() + sizeof(int) * mirror.capacity();
}

SparseRows neighbours_of(const sparse::BlockPattern& pattern) {
  const int rows = pattern.row_count();
  const auto row_start = pattern.row_start();
  const auto column = pattern.column();
  SparseRows result;
  result.start.assign(rows + 1, 0);
  for (int i = 0; i < rows; ++i) {
    for (int k = row_start[i] + 1; k < row_start[i + 1]; ++k) {
      ++result.start[i + 1];
      ++result.start[column[k] + 1];
    }
  }
  for (int i = 0; i < rows; ++i) result.start[i + 1] += result.start[i];
  result.column.resize(result.start.back());
  // Smaller columns first: row i gets them from the rows above before its own turn comes.
  std::vector<int> next(result.start.begin(), result.start.end() - 1);
  for (int i = 0; i < rows; ++i) {
    for (int k = row_start[i] + 1; k < row_start[i + 1]; ++k) {
      result.column[next[i]++] = column[k];
      result.column[next[column[k]]++] = i;
    }
  }
  return result;
}

template <int B>
void LevelMatrix<B>::reset(LevelPattern new_pattern) {
  pattern = std::move(new_pattern);
  const auto rows = static_cast<std::size_t>(pattern.row_count());
  size_blocks(diagonal, B * B * rows);
  size_blocks(inverse, B * B * rows);
  size_blocks(inside, B * B * pattern.inside.column.size());
  size_blocks(before, B * B * pattern.before.column.size());
  size_blocks(after, B * B * pattern.after.column.size());
}

template <int B>
void LevelMatrix<B>::mirror_after() {
  parallel_for(row_count(), kLevelGrain, [&](int begin, int end) {
    for (int e = pattern.after.start[begin]; e < pattern.after.start[end]; ++e) {
      const float* from = after.data() + at_block<B>(e);
      float* to = before.data() + at_block<B>(pattern.mirror[e]);
      for (int r = 0; r < B; ++r) {
        for (int c = 0; c < B; ++c) to[c + B * r] = from[r + B * c];
      }
    }
  });
}

template <int B>
bool LevelMatrix<B>::invert_diagonal() {
  const double raised = parallel_sum(row_count(), [&](int begin, int end) {
    double sum = 0;  // how many are raised; what is not finite makes it so
    for (int i = begin; i < end; ++i) {
      const SquareBlock<B> a =
          Eigen::Map<const Eigen::Matrix<float, B, B>>(diagonal.data() + at_block<B>(i)).template cast<double>();
      sum += (0 * a).sum();
      if (!std::isfinite(sum)) break;
      SquareBlock<B> result;
      if (!invert_block<B>(0.5 * (a + a.transpose()), result)) sum += 1;
      Eigen::Map<Eigen::Matrix<float, B, B>>(inverse.data() + at_block<B>(i)) = result.template cast<float>();
    }
    return sum;
  });
  has_exact_inverses = raised == 0;
  return std::isfinite(raised);
}

template <int B>
void LevelMatrix<B>::multiply(const float* x, float* y) const {
  using Register = BlockRegister<B>;
  const auto at = [x](int j) { return load_floats<Register>(x + at_node<B>(j)); };
  parallel_for(pattern.piece_count(), 1, [&](int begin, int end) {
    const int first = pattern.piece_start[begin], last = pattern.piece_start[end];
    std::fill(y + at_node<B>(first), y + at_node<B>(last), 0.0F);
    for (int i = first; i < last; ++i) {
      RowSums<B> sums;
      const TransposedProduct<B> transposed(at(i));
      sums.add(diagonal.data() + at_block<B>(i), at(i));
      for (int e = pattern.inside.start[i]; e < pattern.inside.start[i + 1]; ++e) {
        sums.add(inside.data() + at_block<B>(e), at(pattern.inside.column[e]));
        transposed.add(inside.data() + at_block<B>(e), y + at_node<B>(pattern.inside.column[e]));
      }
      for (int e = pattern.before.start[i]; e < pattern.before.start[i + 1]; ++e)
        sums.add(before.data() + at_block<B>(e), at(pattern.before.column[e]));
      for (int e = pattern.after.start[i]; e < pattern.after.start[i + 1]; ++e)
        sums.add(after.data() + at_block<B>(e), at(pattern.after.column[e]));
      const auto above = BlockShape<B>::clear_padding(load_floats<Register>(y + at_node<B>(i)));
      store_floats(y + at_node<B>(i), above + sums.total());
    }
  });
}

template <int B>
std::size_t LevelMatrix<B>::memory_bytes() const {
  return sizeof(float) *
             (diagonal.capacity() + inverse.capacity() + inside.capacity() + before.capacity() + after.capacity()) +
         pattern.memory_bytes();
}

template struct LevelMatrix<3>;
template struct LevelMatrix<6>;

FinestCopy::FinestCopy(const sparse::BlockPattern& from, const LevelPattern& to) : slot_(to.after.column.size()) {
  for (int i = 0; i < to.row_count(); ++i) {
    for (int e = to.after.start[i]; e < to.after.start[i + 1]; ++e) {
      const int j = to.after.column[e];
      slot_[e] = i < j ? from.slot(i, j) : -1 - from.slot(j, i);
    }
  }
}

void FinestCopy::copy(const sparse::SymmetricBlockMatrix& from, double scale, LevelMatrix<3>& to) const {
  const LevelPattern& pattern = to.pattern;
  parallel_for(to.row_count(), kLevelGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const int diagonal = from.pattern().diagonal_slot(i);
      copy_transposed(from.values(), diagonal, scale, to.diagonal.data() + at_block<3>(i));
      // Columns of the same piece follow the diagonal.
      int slot = diagonal + 1;
      for (int e = pattern.inside.start[i]; e < pattern.inside.start[i + 1]; ++e, ++slot)
        copy_transposed(from.values(), slot, scale, to.inside.data() + at_block<3>(e));
      for (int e = pattern.after.start[i]; e < pattern.after.start[i + 1]; ++e) {
        float* here = to.after.data() + at_block<3>(e);
        float* there = to.before.data() + at_block<3>(pattern.mirror[e]);
        const bool is_transposed = slot_[e] < 0;
        if (is_transposed) std::swap(here, there);
        copy_transposed(from.values(), is_transposed ? -1 - slot_[e] : slot_[e], scale, here);
        for (int k = 0; k < 9; ++k) there[3 * (k % 3) + k / 3] = here[k];
      }
    }
  });
}

bool FinestCopy::is_copy(const sparse::SymmetricBlockMatrix& from, double scale, const LevelMatrix<3>& to) const {
  const auto differs = [&](int slot, const float* block) {
    float copied[9];
    copy_transposed(from.values(), slot, scale, copied);
    return !std::equal(copied, copied + 9, block);
  };
  const LevelPattern& pattern = to.pattern;
  return parallel_max(to.row_count(), 0, [&](int begin, int end) {
           for (int i = begin; i < end; ++i) {
             int slot = from.pattern().diagonal_slot(i);
             if (differs(slot, to.diagonal.data() + at_block<3>(i))) return 1.0;
             ++slot;
             for (int e = pattern.inside.start[i]; e < pattern.inside.start[i + 1]; ++e, ++slot) {
               if (differs(slot, to.inside.data() + at_block<3>(e))) return 1.0;
             }
             for (int e = pattern.after.start[i]; e < pattern.after.start[i + 1]; ++e) {
               const bool is_transposed = slot_[e] < 0;
               const float* block =
                   is_transposed ? to.before.data() + at_block<3>(pattern.mirror[e]) : to.after.data() + at_block<3>(e);
               if (differs(is_transposed ? -1 - slot_[e] : slot_[e], block)) return 1.0;
             }
           }
           return 0.0;
         }) == 0;
}

}  // namespace pliant::linear
