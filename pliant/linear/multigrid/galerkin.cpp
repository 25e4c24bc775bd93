// Symbolic and numeric triple product.
#include "pliant/linear/multigrid/galerkin.h"

#include <algorithm>

#include "pliant/assert.h"
#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

constexpr int kClearGrain = 1 << 16;  // floats per task
constexpr int kFoldGrain = 1024;      // coarse rows per task

void clear(std::vector<float>& values) {
  parallel_for(static_cast<int>((values.size() + kClearGrain - 1) / kClearGrain), 1, [&](int begin, int end) {
    const std::size_t last = std::min(values.size(), static_cast<std::size_t>(end) * kClearGrain);
    std::fill(values.begin() + static_cast<std::ptrdiff_t>(begin) * kClearGrain,
              values.begin() + static_cast<std::ptrdiff_t>(last), 0.0F);
  });
}

// Calls body(j) for the row itself and the columns of U, in the order of place_.
template <class Body>
inline void for_each_coupled(const LevelPattern& pattern, int i, const Body& body) {
  body(i);
  for (int e = pattern.inside.start[i]; e < pattern.inside.start[i + 1]; ++e) body(pattern.inside.column[e]);
  for (int e = pattern.after.start[i]; e < pattern.after.start[i + 1]; ++e) body(pattern.after.column[e]);
}

// block ← block + blockᵀ
void fold(float* block) {
  for (int r = 0; r < kCoarseBlock; ++r) {
    for (int c = 0; c <= r; ++c) {
      const float sum = block[kCoarseBlock * r + c] + block[kCoarseBlock * c + r];
      block[kCoarseBlock * r + c] = block[kCoarseBlock * c + r] = sum;
    }
  }
}

// Numbers on the diagonal for the dropped unknowns of a coarse node.
void fill_dropped(unsigned dropped, float* block) {
  float sum = 0;
  int kept = 0;
  for (int k = 0; k < kCoarseBlock; ++k) {
    if ((dropped >> k & 1U) != 0) continue;
    sum += block[7 * k];
    ++kept;
  }
  const float mean = kept > 0 && sum > 0 ? sum / static_cast<float>(kept) : 1.0F;
  for (int k = 0; k < kCoarseBlock; ++k) {
    if ((dropped >> k & 1U) != 0) block[7 * k] = mean;
  }
}

// target += leftᵀ right, 6×6 row by row; rows of left and right are so many floats apart.
template <int B, int LeftStride, int RightStride>
inline void add_transposed_left(const float* left, const float* right, float* target) {
  Float8 source[B];
  for (int k = 0; k < B; ++k) source[k] = load_floats<Float8>(right + RightStride * k);
  for (int r = 0; r < kCoarseBlock; ++r) {
    Float8 sum = load_six(target + kCoarseBlock * r);
    for (int k = 0; k < B; ++k) sum += left[LeftStride * k + r] * source[k];
    store_six(target + kCoarseBlock * r, sum);
  }
}

}  // namespace

// (W P)_i, 8 floats per row and column.
template <int B>
class GalerkinRow {
 public:
  void reset(int columns) {
    if (static_cast<int>(buffer_.size()) < 8 * B * columns) buffer_.resize(8 * B * columns);
    std::fill_n(buffer_.begin(), 8 * B * columns, 0.0F);
  }
  [[nodiscard]] const float* rows(int place) const { return buffer_.data() + 8 * B * place; }
  // += scale · a · (rows of one entry of P)
  void add(const float* a, float scale, const float* p, int place) {
    float* rows = buffer_.data() + 8 * B * place;
    Float8 source[B];
    for (int k = 0; k < B; ++k) source[k] = scale * load_floats<Float8>(p + kCoarseBlock * k);
    for (int r = 0; r < B; ++r) {
      auto sum = load_floats<Float8>(rows + 8 * r);
      for (int k = 0; k < B; ++k) sum += source[k] * a[B * r + k];
      store_floats(rows + 8 * r, sum);
    }
  }

 private:
  std::vector<float> buffer_;
};

// --- Patterns ---

Galerkin::Galerkin(const LevelPattern& fine, const Prolongator& prolongator, LevelMatrix<kCoarseBlock>& coarse) {
  find_product(fine, prolongator);
  coarse.reset(LevelPattern(find_coarse_neighbours(prolongator)));
  find_targets(prolongator, coarse.pattern);
  // What row i adds to couples columns of (W P)_i, among which are those of P_i.
  pieces_ = color_by_columns(prolongator.piece_start, product_, prolongator.coarse_count);
}

void Galerkin::find_product(const LevelPattern& fine, const Prolongator& prolongator) {
  const int rows = fine.row_count();
  const SparseRows& p = prolongator.rows;
  product_.start.reserve(rows + 1);
  place_start_.reserve(rows + 1);
  place_start_.push_back(0);
  std::size_t places = 0;
  for (int i = 0; i < rows; ++i) {
    if (p.start[i] == p.start[i + 1]) continue;
    for_each_coupled(fine, i, [&](int j) { places += static_cast<std::size_t>(p.start[j + 1] - p.start[j]); });
  }
  place_.reserve(places);
  std::vector<int> place_of(prolongator.coarse_count, -1);
  for (int i = 0; i < rows; ++i) {
    const std::size_t first = product_.column.size();
    if (p.start[i] != p.start[i + 1]) {
      // Columns in the order in which they are met.
      for_each_coupled(fine, i, [&](int j) {
        for (int e = p.start[j]; e < p.start[j + 1]; ++e) {
          int& place = place_of[p.column[e]];
          if (place < 0) {
            place = static_cast<int>(product_.column.size() - first);
            product_.column.push_back(p.column[e]);
          }
          place_.push_back(static_cast<std::uint16_t>(place));
        }
      });
      PLIANT_ASSERT(product_.column.size() - first < 0xFFFF, "places in a row of the product are counted in 16 bits");
      for (std::size_t k = first; k < product_.column.size(); ++k) place_of[product_.column[k]] = -1;
    }
    place_start_.push_back(place_.size());
    product_.start.push_back(static_cast<int>(product_.column.size()));
  }
}

SparseRows Galerkin::find_coarse_neighbours(const Prolongator& prolongator) const {
  // The rows of P that have a coarse node.
  const SparseRows& p = prolongator.rows;
  SparseRows fine_of;
  fine_of.start.assign(prolongator.coarse_count + 1, 0);
  for (const int a : p.column) ++fine_of.start[a + 1];
  for (int a = 0; a < prolongator.coarse_count; ++a) fine_of.start[a + 1] += fine_of.start[a];
  fine_of.column.resize(p.column.size());
  std::vector<int> next(fine_of.start.begin(), fine_of.start.end() - 1);
  for (int i = 0; i < p.row_count(); ++i) {
    for (int e = p.start[i]; e < p.start[i + 1]; ++e) fine_of.column[next[p.column[e]]++] = i;
  }

  // The pairs of C, each once in either order.
  std::vector<std::vector<int>> partners(prolongator.coarse_count);
  std::vector<int> seen(prolongator.coarse_count, -1);
  for (int a = 0; a < prolongator.coarse_count; ++a) {
    seen[a] = a;
    for (int k = fine_of.start[a]; k < fine_of.start[a + 1]; ++k) {
      const int i = fine_of.column[k];
      for (int q = product_.start[i]; q < product_.start[i + 1]; ++q) {
        const int b = product_.column[q];
        if (seen[b] == a) continue;
        seen[b] = a;
        partners[a].push_back(b);
        partners[b].push_back(a);
      }
    }
  }
  SparseRows result;
  for (std::vector<int>& row : partners) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    result.column.insert(result.column.end(), row.begin(), row.end());
    result.start.push_back(static_cast<int>(result.column.size()));
  }
  return result;
}

void Galerkin::find_targets(const Prolongator& prolongator, const LevelPattern& coarse) {
  // The block (a, b), or (b, a) where that is the stored one.
  const auto find_in = [](const SparseRows& side, int row, int column) {
    const auto first = side.column.begin() + side.start[row], last = side.column.begin() + side.start[row + 1];
    const auto found = std::lower_bound(first, last, column);
    return found != last && *found == column ? found - side.column.begin() : -1;
  };
  const auto target_of = [&](int a, int b) {
    if (a == b) return Target(Part::diagonal, static_cast<std::size_t>(a), false);
    if (const auto e = find_in(coarse.inside, std::min(a, b), std::max(a, b)); e >= 0)
      return Target(Part::inside, static_cast<std::size_t>(e), a > b);
    if (const auto e = find_in(coarse.after, a, b); e >= 0)
      return Target(Part::after, static_cast<std::size_t>(e), false);
    return Target(Part::after, static_cast<std::size_t>(find_in(coarse.after, b, a)), true);
  };
  PLIANT_ASSERT(coarse.upper_count() < (std::size_t{1} << 29U), "blocks of the coarse matrix are counted in 29 bits");
  const SparseRows& p = prolongator.rows;
  target_start_.reserve(p.row_count() + 1);
  target_start_.push_back(0);
  for (int i = 0; i < p.row_count(); ++i) {
    const auto targets = static_cast<std::size_t>(p.start[i + 1] - p.start[i]) *
                         static_cast<std::size_t>(product_.start[i + 1] - product_.start[i]);
    target_start_.push_back(target_start_.back() + targets);
  }
  target_.reserve(target_start_.back());
  for (int i = 0; i < p.row_count(); ++i) {
    for (int e = p.start[i]; e < p.start[i + 1]; ++e) {
      for (int q = product_.start[i]; q < product_.start[i + 1]; ++q)
        target_.push_back(target_of(p.column[e], product_.column[q]));
    }
  }
}

// --- Values ---

template <int B>
void Galerkin::multiply_piece(int piece, const LevelMatrix<B>& fine, const Prolongator& prolongator,
                              LevelMatrix<kCoarseBlock>& coarse) const {
  const SparseRows& p = prolongator.rows;
  const LevelPattern& pattern = fine.pattern;
  const float* values = prolongator.values.data();
  float* const parts[] = {coarse.diagonal.data(), coarse.inside.data(), coarse.after.data()};
  GalerkinRow<B> row;
  for (int i = prolongator.piece_start[piece]; i < prolongator.piece_start[piece + 1]; ++i) {
    const int columns = product_.start[i + 1] - product_.start[i];
    if (columns == 0) continue;
    // (W P)_i
    row.reset(columns);
    const std::uint16_t* place = place_.data() + place_start_[i];
    const auto add = [&](const float* a, float scale, int j) {
      for (int e = p.start[j]; e < p.start[j + 1]; ++e)
        row.add(a, scale, values + at_block<B, kCoarseBlock>(e), *place++);
    };
    add(fine.diagonal.data() + at_block<B>(i), 0.5F, i);
    for (int e = pattern.inside.start[i]; e < pattern.inside.start[i + 1]; ++e)
      add(fine.inside.data() + at_block<B>(e), 1, pattern.inside.column[e]);
    for (int e = pattern.after.start[i]; e < pattern.after.start[i + 1]; ++e)
      add(fine.after.data() + at_block<B>(e), 1, pattern.after.column[e]);

    // P_iᵀ (W P)_i
    const Target* target = target_.data() + target_start_[i];
    for (int e = p.start[i]; e < p.start[i + 1]; ++e) {
      const float* p_rows = values + at_block<B, kCoarseBlock>(e);
      for (int k = 0; k < columns; ++k, ++target) {
        float* to = parts[static_cast<int>(target->part())] + at_block<kCoarseBlock>(target->block());
        if (target->is_transposed()) {
          add_transposed_left<B, 8, kCoarseBlock>(row.rows(k), p_rows, to);
        } else {
          add_transposed_left<B, kCoarseBlock, 8>(p_rows, row.rows(k), to);
        }
      }
    }
  }
}

template <int B>
void Galerkin::multiply(const LevelMatrix<B>& fine, const Prolongator& prolongator,
                        const std::vector<std::uint8_t>& dropped, LevelMatrix<kCoarseBlock>& coarse) const {
  clear(coarse.diagonal);
  clear(coarse.inside);
  clear(coarse.after);
  parallel::for_each_item(pieces_, [&](int piece) { multiply_piece<B>(piece, fine, prolongator, coarse); });
  parallel_for(coarse.row_count(), kFoldGrain, [&](int begin, int end) {
    for (int a = begin; a < end; ++a) {
      float* block = coarse.diagonal.data() + at_block<kCoarseBlock>(a);
      fold(block);
      if (dropped[a] != 0) fill_dropped(dropped[a], block);
    }
  });
  coarse.mirror_after();
}

template void Galerkin::multiply<3>(const LevelMatrix<3>&, const Prolongator&, const std::vector<std::uint8_t>&,
                                    LevelMatrix<kCoarseBlock>&) const;
template void Galerkin::multiply<6>(const LevelMatrix<6>&, const Prolongator&, const std::vector<std::uint8_t>&,
                                    LevelMatrix<kCoarseBlock>&) const;

std::size_t Galerkin::memory_bytes() const {
  return product_.memory_bytes() + sizeof(std::uint16_t) * place_.capacity() + sizeof(Target) * target_.capacity() +
         sizeof(std::size_t) * (place_start_.capacity() + target_start_.capacity());
}

}  // namespace pliant::linear
