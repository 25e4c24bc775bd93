// Elements of one kind with N blocks each (a spring has 2, a triangle 3, a hinge 4, a joint of a rod 5): who is coupled
// with whom, where their matrices go, and loops over them that give the same bits for any number of threads.
//
// Elements are worked off in chunks of neighbours in the list, so a list that follows the numbering of the blocks
// (order_by_blocks) is fast. Chunks that share a block have different colours and never run side by side.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "pliant/math/types.h"
#include "pliant/parallel/coloring.h"
#include "pliant/sparse/block_pattern.h"
#include "pliant/sparse/symmetric_block_matrix.h"

namespace pliant {

// What a loop over elements changes. `nothing`: all chunks may run side by side.
enum class Writes { nothing, blocks };

template <int N>
class ElementBatch {
 public:
  using Element = std::array<int, N>;
  static constexpr int kPairs = N * (N + 1) / 2;
  // Where the upper half of an element's matrix goes, row by row: (0,0) (0,1) … (0,N−1) (1,1) …. A negative number ~s
  // stands for slot s of the transposed block: the matrix stores one half only.
  using Slots = std::array<int, kPairs>;

  ElementBatch() = default;
  ElementBatch(std::vector<Element> elements, int block_count, int chunk_size = 128);

  [[nodiscard]] int count() const { return static_cast<int>(elements_.size()); }
  [[nodiscard]] std::span<const Element> elements() const { return elements_; }
  [[nodiscard]] const Element& operator[](int e) const { return elements_[e]; }
  [[nodiscard]] const Slots& slots(int e) const { return slots_[e]; }

  void couple(sparse::PatternBuilder& builder) const {
    for (const Element& element : elements_) builder.couple(element);
  }
  // Once, when the pattern of the whole model is known.
  void find_slots(const sparse::BlockPattern& pattern);

  // Calls visit(first, last) on ranges of elements and returns the sum of what it returns [J], added in a fixed order.
  double for_each_chunk(Writes writes, parallel::FunctionRef<double(int, int)> visit) const;

 private:
  int chunk_size_ = 128;
  std::vector<Element> elements_;
  std::vector<Slots> slots_;
  parallel::Coloring coloring_;
};

// Position of block (i, j), i ≤ j, in ElementBatch<N>::Slots.
template <int N>
constexpr int pair_index(int i, int j) {
  return i * N - i * (i - 1) / 2 + (j - i);
}

// Adds a block of an element's matrix at a slot of ElementBatch::Slots.
inline void add_block(sparse::SymmetricBlockMatrix& matrix, int slot, const Mat3& block) {
  if (slot >= 0) {
    matrix.block(slot) += block;
  } else {
    matrix.block(~slot) += block.transpose();
  }
}

// The order in which elements ascend by their smallest block, then the next ones: order[k] is the k-th element.
template <int N>
std::vector<int> order_by_blocks(std::span<const std::array<int, N>> elements) {
  std::vector<std::array<int, N>> sorted(elements.begin(), elements.end());
  for (auto& element : sorted) std::sort(element.begin(), element.end());
  std::vector<int> order(elements.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return sorted[a] < sorted[b]; });
  return order;
}

template <int N>
ElementBatch<N>::ElementBatch(std::vector<Element> elements, int block_count, int chunk_size)
    : chunk_size_(chunk_size), elements_(std::move(elements)) {
  std::vector<int> touch_start{0}, touched;
  for (int first = 0; first < count(); first += chunk_size_) {
    std::vector<int> blocks;
    const int last = std::min(count(), first + chunk_size_);
    for (int e = first; e < last; ++e) blocks.insert(blocks.end(), elements_[e].begin(), elements_[e].end());
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    touched.insert(touched.end(), blocks.begin(), blocks.end());
    touch_start.push_back(static_cast<int>(touched.size()));
  }
  coloring_ = parallel::color_items(touch_start, touched, block_count);
}

template <int N>
void ElementBatch<N>::find_slots(const sparse::BlockPattern& pattern) {
  slots_.resize(elements_.size());
  parallel_for(count(), 1024, [&](int begin, int end) {
    for (int e = begin; e < end; ++e) {
      for (int i = 0; i < N; ++i) {
        for (int j = i; j < N; ++j) {
          const int a = elements_[e][i], b = elements_[e][j];
          slots_[e][pair_index<N>(i, j)] = a <= b ? pattern.slot(a, b) : ~pattern.slot(b, a);
        }
      }
    }
  });
}

template <int N>
double ElementBatch<N>::for_each_chunk(Writes writes, parallel::FunctionRef<double(int, int)> visit) const {
  const int chunk_count = (count() + chunk_size_ - 1) / chunk_size_;
  std::vector<double> energy(chunk_count);
  const auto run = [&](int chunk) {
    const int first = chunk * chunk_size_;
    energy[chunk] = visit(first, std::min(count(), first + chunk_size_));
  };
  if (writes == Writes::blocks) {
    parallel::for_each_item(coloring_, run);
  } else {
    parallel_for(chunk_count, 1, [&](int begin, int end) {
      for (int chunk = begin; chunk < end; ++chunk) run(chunk);
    });
  }
  return std::accumulate(energy.begin(), energy.end(), 0.0);
}

}  // namespace pliant
