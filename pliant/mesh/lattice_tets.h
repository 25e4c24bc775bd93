// The five tets of a lattice cell, in the two mirrored forms that fit together when they alternate like a chessboard.
//
//        6-------7        Corner c of a cell has the bits x = 1, y = 2, z = 4. One tet joins four corners that are
//       /|      /|        diagonal neighbours of each other (0 3 5 6, or 1 2 4 7) and takes a third of the volume; the
//      4-------5 |        other four cut off the remaining corners, a sixth each. Every face of the cell is halved by
//      | 2-----|-3        the diagonal between its corners of the middle tet, so neighbouring cells must use opposite
//      |/      |/         forms.
//      0-------1
//
// Angles between faces, for a cube: 70.5° in the middle tet, 54.7° and 90° in the others.
#pragma once

#include <array>

namespace pliant::mesh {

using CellTets = std::array<std::array<int, 4>, 5>;

// All with positive volume. The first tet is the middle one.
inline constexpr CellTets kEvenCellTets{{{0, 3, 6, 5}, {1, 0, 5, 3}, {2, 3, 6, 0}, {4, 5, 0, 6}, {7, 6, 3, 5}}};
inline constexpr CellTets kOddCellTets{{{1, 2, 4, 7}, {0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}}};

// The form whose middle tet uses lattice vertices with even i + j + k, for the cell whose lowest vertex is (i, j, k).
inline constexpr const CellTets& cell_tets(int i, int j, int k) {
  return ((i + j + k) & 1) == 0 ? kEvenCellTets : kOddCellTets;
}

}  // namespace pliant::mesh
