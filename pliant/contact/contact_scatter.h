// Where the second derivatives of a contact go in a matrix of blocks.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "pliant/configuration/mapped_point.h"
#include "pliant/math/types.h"
#include "pliant/sparse/block_pattern.h"
#include "pliant/sparse/symmetric_block_matrix.h"

namespace pliant::contact {

// The places of one contact's blocks. Most contacts are of vertices that are blocks of their own: these are looked up once
// per pattern. The others (points inside tets, of rigid bodies) couple up to sixteen blocks, found as they are added.
struct ContactSlots {
  // Points i and j, i < j, in the order 01 02 03 12 13 23.
  static constexpr int kFirst[6] = {0, 0, 0, 1, 1, 2}, kSecond[6] = {1, 2, 3, 2, 3, 3};
  bool is_simple = false;
  std::array<int, 4> row{-1, -1, -1, -1};           // of points with unknowns
  std::array<int, 6> slot{-1, -1, -1, -1, -1, -1};  // of pairs of them
};

// Returns whether the pattern stores all blocks of the contact.
bool locate(const std::array<int, 4>& point, const std::vector<MappedPoint>& points,
            const sparse::BlockPattern& pattern, ContactSlots& slots);

// Whether any of its blocks may be in these rows.
[[nodiscard]] bool touches(const std::array<int, 4>& point, const std::vector<MappedPoint>& points,
                           sparse::BlockPattern::RowRange rows);

// Adds a contact's second derivative, of which block_of(i, j), i ≤ j, is the part of points i and j, to the given rows.
template <class BlockOf>
void scatter(const ContactSlots& slots, const std::array<int, 4>& point, const std::vector<MappedPoint>& points,
             sparse::BlockPattern::RowRange rows, sparse::SymmetricBlockMatrix& matrix, BlockOf&& block_of);

// --- Implementation ---

// Of points that are blocks of their own.
template <class BlockOf>
void scatter_vertices(const ContactSlots& slots, sparse::BlockPattern::RowRange rows,
                      sparse::SymmetricBlockMatrix& matrix, BlockOf&& block_of) {
  const auto is_mine = [&](int row) { return row >= rows.first && row < rows.last; };
  for (std::size_t i = 0; i < 4; ++i) {
    const int row = slots.row[i];
    if (row >= 0 && is_mine(row)) matrix.block(matrix.pattern().diagonal_slot(row)) += block_of(i, i);
  }
  for (std::size_t k = 0; k < 6; ++k) {
    if (slots.slot[k] < 0) continue;
    const auto i = static_cast<std::size_t>(ContactSlots::kFirst[k]),
               j = static_cast<std::size_t>(ContactSlots::kSecond[k]);
    const bool is_upper = slots.row[i] < slots.row[j];
    if (!is_mine(slots.row[is_upper ? i : j])) continue;
    if (is_upper) {
      matrix.block(slots.slot[k]) += block_of(i, j);
    } else {
      matrix.block(slots.slot[k]) += block_of(i, j).transpose();
    }
  }
}

// Of points that several blocks carry.
template <class BlockOf>
void scatter_mapped(const std::array<int, 4>& point, const std::vector<MappedPoint>& points,
                    sparse::BlockPattern::RowRange rows, sparse::SymmetricBlockMatrix& matrix, BlockOf&& block_of) {
  const auto is_mine = [&](int row) { return row >= rows.first && row < rows.last; };
  for (std::size_t i = 0; i < 4; ++i) {
    if (point[i] < 0 || points[point[i]].count == 0) continue;
    const MappedPoint& a = points[point[i]];
    for (std::size_t j = i; j < 4; ++j) {
      if (point[j] < 0 || points[point[j]].count == 0) continue;
      const MappedPoint& b = points[point[j]];
      const Mat3 block = block_of(i, j);
      for (int k = 0; k < a.count; ++k) {
        for (int l = 0; l < b.count; ++l) {
          const int row = a.block[k], column = b.block[l];
          if (!is_mine(std::min(row, column))) continue;
          const double weight = a.weight[k] * b.weight[l];
          if (row == column) {
            matrix.block(matrix.pattern().diagonal_slot(row)) +=
                weight * (i == j ? block : Mat3(block + block.transpose()));
          } else if (row < column) {
            // Of a point's own blocks both orders come by; the upper half takes one.
            matrix.block(matrix.pattern().find(row, column)) += weight * block;
          } else if (i != j) {
            matrix.block(matrix.pattern().find(column, row)) += weight * block.transpose();
          }
        }
      }
    }
  }
}

template <class BlockOf>
void scatter(const ContactSlots& slots, const std::array<int, 4>& point, const std::vector<MappedPoint>& points,
             sparse::BlockPattern::RowRange rows, sparse::SymmetricBlockMatrix& matrix, BlockOf&& block_of) {
  if (slots.is_simple) {
    scatter_vertices(slots, rows, matrix, block_of);
  } else {
    scatter_mapped(point, points, rows, matrix, block_of);
  }
}

}  // namespace pliant::contact
