// Supernodes joined further than factoring joins them, for solves.
//
// A small block costs more for its rows, which are gathered and scattered one by one, than for its numbers. A child is
// joined with its parent when the estimated time of one sweep up and down falls, zeros that come in included:
//
//   t(w columns, r rows, padded to whole vectors) = entry · (2r − w) w + row · (2r − w) + block
//
// Unlike in a factorisation any child can be joined, not only the one that stands next to the parent: its columns move.
// The rows below the joined block are those below the parent, because they contain what the child has.
#pragma once

#include <span>
#include <vector>

#include "pliant/linear/supernodal_cholesky.h"

namespace pliant::linear {

// Processor cycles.
struct SweepCosts {
  double entry;
  double row = 3, block = 200;
  int simd_size;  // rows are padded to multiples of it
};

struct MergedSupernodes {
  SupernodalStructure structure;             // of the joined ones; no values
  std::vector<int> member_start{0}, member;  // supernode s holds member[member_start[s] .. member_start[s + 1])
  std::vector<int> place;                    // of a column of the original factor among those of the joined ones

  [[nodiscard]] std::span<const int> members(int s) const {
    return std::span(member).subspan(static_cast<std::size_t>(member_start[s]),
                                     static_cast<std::size_t>(member_start[s + 1] - member_start[s]));
  }
  [[nodiscard]] std::size_t memory_bytes() const {
    return structure.memory_bytes() + sizeof(int) * (member_start.capacity() + member.capacity() + place.capacity());
  }
};

[[nodiscard]] MergedSupernodes merge_supernodes(const SupernodalStructure& original, const SweepCosts& costs);

}  // namespace pliant::linear
