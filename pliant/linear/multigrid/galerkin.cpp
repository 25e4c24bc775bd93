// Symbolic and numeric triple product.
#include "pliant/linear/multigrid/galerkin.h"

#include <algorithm>

#include "pliant/assert.h"
#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

constexpr int kProductPieceRows = 512;  // fine rows per piece
constexpr int kClearGrain = 1 << 16;    // floats per task

void clear(std::vector<float>& values) {
  parallel_for(static_cast<int>((values.size() + kClearGrain - 1) / kClearGrain), 1, [&](int begin, int end) {
    const std::size_t last = std::min(values.size(), static_cast<std::size_t>(end) * kClearGrain);
    std::fill(values.begin() + static_cast<std::ptrdiff_t>(begin) * kClearGrain,
              values.begin() + static_cast<std::ptrdiff_t>(last), 0.0F);
  });
}

// Calls body(j) for the row itself and its neighbours, in the order of place_.
template <class Body>
void for_each_coupled(const LevelPattern& pattern, int i, const Body& body) {
  body(i);
  for (int e = pattern.before.start[i]; e < pattern.before.start[i + 1]; ++e) body(pattern.before.column[e]);
  for (int e = pattern.after.start[i]; e < pattern.after.start[i + 1]; ++e) body(pattern.after.column[e]);
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

}  // namespace

// (A P)_i, 8 floats per row and column.
template <int B>
class GalerkinRow {
 public:
  void reset(int columns) {
    if (static_cast<int>(buffer_.size()) < 8 * B * columns) buffer_.resize(8 * B * columns);
    std::fill_n(buffer_.begin(), 8 * B * columns, 0.0F);
  }
  // += a · (rows of one entry of P)
  void add(const float* a, const float* p, int place) {
    float* rows = buffer_.data() + 8 * B * place;
    Float8 source[B];
    for (int k = 0; k < B; ++k) source[k] = load_floats<Float8>(p + kCoarseBlock * k);
    for (int r = 0; r < B; ++r) {
      auto sum = load_floats<Float8>(rows + 8 * r);
      for (int k = 0; k < B; ++k) sum += source[k] * a[r + B * k];
      store_floats(rows + 8 * r, sum);
    }
  }
  // target += pᵀ (A P)_place, 6×6 column by column
  void add_to(const float* p, int place, float* target) const {
    const float* rows = buffer_.data() + 8 * B * place;
    Float8 source[B];
    for (int k = 0; k < B; ++k) source[k] = load_floats<Float8>(p + kCoarseBlock * k);
    for (int c = 0; c < kCoarseBlock; ++c) {
      Float8 sum = load_six(target + kCoarseBlock * c);
      for (int k = 0; k < B; ++k) sum += source[k] * rows[8 * k + c];
      store_six(target + kCoarseBlock * c, sum);
    }
  }

 private:
  std::vector<float> buffer_;
};

Galerkin::Galerkin(const LevelPattern& fine, const Prolongator& prolongator, LevelMatrix<kCoarseBlock>& coarse) {
  const int rows = fine.row_count();
  const SparseRows& p = prolongator.rows;
  product_.start.reserve(rows + 1);
  place_start_.reserve(rows + 1);
  place_start_.push_back(0);
  std::vector<int> columns, place_of(prolongator.coarse_count(), -1);
  for (int i = 0; i < rows; ++i) {
    columns.clear();
    if (p.start[i] != p.start[i + 1]) {
      for_each_coupled(fine, i, [&](int j) {
        for (int e = p.start[j]; e < p.start[j + 1]; ++e) {
          if (place_of[p.column[e]] >= 0) continue;
          place_of[p.column[e]] = 0;
          columns.push_back(p.column[e]);
        }
      });
      std::sort(columns.begin(), columns.end());
      PLIANT_ASSERT(columns.size() < 0xFFFF, "places in a row of the product are counted in 16 bits");
      for (std::size_t k = 0; k < columns.size(); ++k) place_of[columns[k]] = static_cast<int>(k);
      for_each_coupled(fine, i, [&](int j) {
        for (int e = p.start[j]; e < p.start[j + 1]; ++e)
          place_.push_back(static_cast<std::uint16_t>(place_of[p.column[e]]));
      });
      for (const int a : columns) place_of[a] = -1;
    }
    place_start_.push_back(place_.size());
    product_.column.insert(product_.column.end(), columns.begin(), columns.end());
    product_.start.push_back(static_cast<int>(product_.column.size()));
  }

  // The coarse pattern, and where each product of blocks goes in it.
  coarse.reset(LevelPattern(find_coarse_neighbours(prolongator)));
  find_targets(prolongator, coarse.pattern);

  // Pieces of fine rows that touch common coarse rows get different colours.
  const int count = std::max(1, (rows + kProductPieceRows - 1) / kProductPieceRows);
  std::vector<int> touch_start{0}, touched;
  for (int k = 0; k <= count; ++k) piece_start_.push_back(static_cast<int>(static_cast<long long>(rows) * k / count));
  for (int k = 0; k < count; ++k) {
    for (int e = p.start[piece_start_[k]]; e < p.start[piece_start_[k + 1]]; ++e) touched.push_back(p.column[e]);
    const auto first = touched.begin() + touch_start.back();
    std::sort(first, touched.end());
    touched.erase(std::unique(first, touched.end()), touched.end());
    touch_start.push_back(static_cast<int>(touched.size()));
  }
  pieces_ = parallel::color_items(touch_start, touched, prolongator.coarse_count());
}

SparseRows Galerkin::find_coarse_neighbours(const Prolongator& prolongator) const {
  SparseRows result;
  std::vector<int> seen(prolongator.coarse_count(), -1);
  for (int a = 0; a < prolongator.coarse_count(); ++a) {
    const auto first = static_cast<std::ptrdiff_t>(result.column.size());
    seen[a] = a;
    for (int k = prolongator.of_coarse.start[a]; k < prolongator.of_coarse.start[a + 1]; ++k) {
      const int i = prolongator.row_of_entry[prolongator.of_coarse.column[k]];
      for (int q = product_.start[i]; q < product_.start[i + 1]; ++q) {
        const int b = product_.column[q];
        if (seen[b] == a) continue;
        seen[b] = a;
        result.column.push_back(b);
      }
    }
    std::sort(result.column.begin() + first, result.column.end());
    result.start.push_back(static_cast<int>(result.column.size()));
  }
  return result;
}

void Galerkin::find_targets(const Prolongator& prolongator, const LevelPattern& coarse) {
  const SparseRows& p = prolongator.rows;
  target_start_.assign(1, 0);
  for (int i = 0; i < p.row_count(); ++i) {
    for (int e = p.start[i]; e < p.start[i + 1]; ++e) {
      const int a = p.column[e];
      const auto first = coarse.after.column.begin() + coarse.after.start[a];
      const auto last = coarse.after.column.begin() + coarse.after.start[a + 1];
      for (int q = product_.start[i]; q < product_.start[i + 1]; ++q) {
        const int b = product_.column[q];
        const auto found = std::lower_bound(first, last, b);
        if (a == b) {
          target_.push_back(-2 - a);
        } else if (found != last && *found == b) {
          target_.push_back(static_cast<int>(found - coarse.after.column.begin()));
        } else {
          target_.push_back(kSkip);
        }
      }
    }
    target_start_.push_back(target_.size());
  }
}

template <int B>
void Galerkin::multiply(const LevelMatrix<B>& fine, const Prolongator& prolongator,
                        const std::vector<std::uint8_t>& dropped, LevelMatrix<kCoarseBlock>& coarse) const {
  clear(coarse.diagonal);
  clear(coarse.after);
  const SparseRows& p = prolongator.rows;
  const LevelPattern& pattern = fine.pattern;
  const float* values = prolongator.values.data();
  parallel::for_each_item(pieces_, [&](int piece) {
    GalerkinRow<B> row;
    for (int i = piece_start_[piece]; i < piece_start_[piece + 1]; ++i) {
      const int columns = product_.start[i + 1] - product_.start[i];
      if (columns == 0) continue;
      // (A P)_i
      row.reset(columns);
      const std::uint16_t* place = place_.data() + place_start_[i];
      const auto add = [&](const float* a, int j) {
        for (int e = p.start[j]; e < p.start[j + 1]; ++e) row.add(a, values + at_block<B, kCoarseBlock>(e), *place++);
      };
      add(fine.diagonal.data() + at_block<B>(i), i);
      for (int e = pattern.before.start[i]; e < pattern.before.start[i + 1]; ++e)
        add(fine.before.data() + at_block<B>(e), pattern.before.column[e]);
      for (int e = pattern.after.start[i]; e < pattern.after.start[i + 1]; ++e)
        add(fine.after.data() + at_block<B>(e), pattern.after.column[e]);

      // P_iᵀ (A P)_i
      const int* target = target_.data() + target_start_[i];
      for (int e = p.start[i]; e < p.start[i + 1]; ++e) {
        for (int k = 0; k < columns; ++k, ++target) {
          if (*target == kSkip) continue;
          float* to = *target >= 0 ? coarse.after.data() + at_block<kCoarseBlock>(*target)
                                   : coarse.diagonal.data() + at_block<kCoarseBlock>(-2 - *target);
          row.add_to(values + at_block<B, kCoarseBlock>(e), k, to);
        }
      }
    }
  });
  for (int a = 0; a < coarse.row_count(); ++a) {
    if (dropped[a] != 0) fill_dropped(dropped[a], coarse.diagonal.data() + at_block<kCoarseBlock>(a));
  }
  coarse.mirror_after();
}

template void Galerkin::multiply<3>(const LevelMatrix<3>&, const Prolongator&, const std::vector<std::uint8_t>&,
                                    LevelMatrix<kCoarseBlock>&) const;
template void Galerkin::multiply<6>(const LevelMatrix<6>&, const Prolongator&, const std::vector<std::uint8_t>&,
                                    LevelMatrix<kCoarseBlock>&) const;

std::size_t Galerkin::memory_bytes() const {
  return product_.memory_bytes() + sizeof(std::uint16_t) * place_.capacity() + sizeof(int) * target_.capacity() +
         sizeof(std::size_t) * (place_start_.capacity() + target_start_.capacity());
}

}  // namespace pliant::linear
