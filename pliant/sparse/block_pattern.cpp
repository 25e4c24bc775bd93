// Building the pattern, and cutting its rows into coloured pieces for products.
#include "pliant/sparse/block_pattern.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "pliant/assert.h"

namespace pliant::sparse {
namespace {

// Pieces are long, because x and y are read anew where two pieces overlap: 32 pieces of a cube of 80³ vertices overlap
// by 40 %, 900 pieces by 100 %, which costs a tenth of the speed. But at least 4096 blocks (300 KB), so that handing
// out a piece costs nothing next to it. The number depends on the matrix only: the threads must not change the order of
// sums.
constexpr int kMaxPieces = 32;
constexpr int kMinBlocksPerPiece = 4096;
// Fewer, longer pieces that are also tried: a piece that does not reach beyond the next one needs two colours instead
// of three, and both threads of two get equally many. A cube of 27³ vertices is cut into 16 pieces in colours of 8 and
// 8 (of 32 pieces in colours of 11, 11 and 10 one thread would take 18).
constexpr int kFewerPieces[] = {24, 16, 8, 4, 2};
constexpr int kBlocksPerJoin = 1000;  // what the end of a colour costs: about 4 µs, at 4 ns per block

struct Cut {
  std::vector<int> piece_start;
  std::vector<int> touch_start{0}, touched;  // the rows that a piece writes to: its own and all its columns
  parallel::Coloring coloring;
};

// Cuts the rows where the number of blocks passes the next multiple of slots / pieces.
std::vector<int> cut_rows(std::span<const int> row_start, int piece_count) {
  const int rows = static_cast<int>(row_start.size()) - 1, slots = row_start[rows];
  std::vector<int> piece_start{0};
  for (int p = 1; p < piece_count; ++p) {
    const int wanted = static_cast<int>(static_cast<std::int64_t>(slots) * p / piece_count);
    const int row = static_cast<int>(std::lower_bound(row_start.begin(), row_start.end(), wanted) - row_start.begin());
    if (row > piece_start.back() && row < rows) piece_start.push_back(row);
  }
  if (rows > 0) piece_start.push_back(rows);
  return piece_start;
}

Cut make_cut(std::span<const int> row_start, std::span<const int> column, int piece_count) {
  const int rows = static_cast<int>(row_start.size()) - 1;
  Cut cut;
  cut.piece_start = cut_rows(row_start, piece_count);
  std::vector<int> last_toucher(rows, -1);
  for (std::size_t p = 0; p + 1 < cut.piece_start.size(); ++p) {
    for (int slot = row_start[cut.piece_start[p]]; slot < row_start[cut.piece_start[p + 1]]; ++slot) {
      if (last_toucher[column[slot]] == static_cast<int>(p)) continue;
      last_toucher[column[slot]] = static_cast<int>(p);
      cut.touched.push_back(column[slot]);
    }
    std::sort(cut.touched.begin() + cut.touch_start.back(), cut.touched.end());
    cut.touch_start.push_back(static_cast<int>(cut.touched.size()));
  }
  cut.coloring = parallel::color_items(cut.touch_start, cut.touched, rows);
  return cut;
}

// Blocks that the busiest thread works off in a product, joins counted as blocks, summed over 2, 4 and 8 threads: a
// choice that suits all, since it must not depend on how many there are.
double cost_of(const Cut& cut, int slots) {
  const double blocks_per_piece = slots / std::max(1.0, static_cast<double>(cut.piece_start.size()) - 1);
  double cost = 0;
  for (const int threads : {2, 4, 8}) {
    for (int c = 0; c < cut.coloring.color_count(); ++c) {
      const int pieces = cut.coloring.color_start[c + 1] - cut.coloring.color_start[c];
      const int busiest = (pieces + threads - 1) / threads;
      cost += busiest * blocks_per_piece + kBlocksPerJoin;
    }
  }
  return cost;
}

Cut best_cut(std::span<const int> row_start, std::span<const int> column) {
  const int slots = row_start.back();
  const int most = std::clamp(slots / kMinBlocksPerPiece, 1, kMaxPieces);
  Cut best = make_cut(row_start, column, most);
  // Two colours, evenly shared by 2, 4 and 8 threads, cannot be improved.
  const double ideal = slots * (1.0 / 2 + 1.0 / 4 + 1.0 / 8) + 3 * 2 * kBlocksPerJoin;
  for (const int piece_count : kFewerPieces) {
    if (piece_count >= most || cost_of(best, slots) <= ideal) continue;
    Cut fewer = make_cut(row_start, column, piece_count);
    if (cost_of(fewer, slots) < cost_of(best, slots)) best = std::move(fewer);
  }
  return best;
}

// The rows that each piece is the first to write, in the order of colours.
void find_rows_to_clear(std::span<const int> touch_start, std::span<const int> touched, int rows,
                        BlockPattern::RowPieces& pieces) {
  constexpr int kNobody = -1;
  std::vector<int> first_writer(rows, kNobody);
  for (const int piece : pieces.coloring.items) {
    for (int k = touch_start[piece]; k < touch_start[piece + 1]; ++k) {
      if (first_writer[touched[k]] == kNobody) first_writer[touched[k]] = piece;
    }
  }
  pieces.clear_start = {0};
  for (std::size_t p = 0; p + 1 < pieces.piece_start.size(); ++p) {
    for (int k = touch_start[p]; k < touch_start[p + 1]; ++k) {
      const int row = touched[k];
      if (first_writer[row] != static_cast<int>(p)) continue;
      const bool extends =
          static_cast<int>(pieces.clear.size()) > pieces.clear_start.back() && pieces.clear.back().last == row;
      if (extends) {
        ++pieces.clear.back().last;
      } else {
        pieces.clear.push_back({row, row + 1});
      }
    }
    pieces.clear_start.push_back(static_cast<int>(pieces.clear.size()));
  }
}

BlockPattern::RowPieces make_row_pieces(std::span<const int> row_start, std::span<const int> column) {
  Cut cut = best_cut(row_start, column);
  BlockPattern::RowPieces pieces;
  pieces.piece_start = std::move(cut.piece_start);
  pieces.coloring = std::move(cut.coloring);
  find_rows_to_clear(cut.touch_start, cut.touched, static_cast<int>(row_start.size()) - 1, pieces);
  return pieces;
}

}  // namespace

int BlockPattern::find(int i, int j) const {
  // The last column that is not beyond j, by halves, without branches on comparisons: contacts look up blocks of which
  // nothing can be predicted. Every row has its diagonal.
  const int* last = column_.data() + row_start_[i];
  for (int count = row_start_[i + 1] - row_start_[i]; count > 1;) {
    const int half = count / 2;
    last += half & -static_cast<int>(last[half] <= j);
    count -= half;
  }
  return *last == j ? static_cast<int>(last - column_.data()) : -1;
}

int BlockPattern::slot(int i, int j) const {
  const int found = find(i, j);
  PLIANT_ASSERT(found >= 0, "the pattern holds every coupled pair");
  return found;
}

void PatternBuilder::include(const BlockPattern& pattern) {
  for (int i = 0; i < pattern.row_count(); ++i) {
    const auto first = pattern.column_.begin() + pattern.row_start_[i];
    neighbours_[i].insert(neighbours_[i].end(), first + 1, pattern.column_.begin() + pattern.row_start_[i + 1]);
  }
}

void PatternBuilder::couple(std::span<const int> blocks) {
  for (const int i : blocks) {
    for (const int j : blocks) {
      if (i < j) neighbours_[i].push_back(j);
    }
    // Repeats pile up along shared edges: compact before they dominate memory.
    std::vector<int>& row = neighbours_[i];
    if (row.size() > 64 && row.size() == row.capacity()) {
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
    }
  }
}

std::shared_ptr<const BlockPattern> PatternBuilder::build() {
  auto pattern = std::make_shared<BlockPattern>();
  for (std::size_t row = 0; row < neighbours_.size(); ++row) {
    std::vector<int>& columns = neighbours_[row];
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    pattern->column_.push_back(static_cast<int>(row));
    pattern->column_.insert(pattern->column_.end(), columns.begin(), columns.end());
    pattern->row_start_.push_back(static_cast<int>(pattern->column_.size()));
    std::vector<int>().swap(columns);
  }
  pattern->row_pieces_ = make_row_pieces(pattern->row_start_, pattern->column_);
  return pattern;
}

}  // namespace pliant::sparse
