// TetGen meshes: points in a .node file, tetrahedra in an .ele file beside it, both ASCII.
//
// Numbering from 0 or 1 is taken from the first point. Attributes, markers and regions are skipped. Second-order tets
// (TetGen's -o2) are errors. TetGen orders corners the other way round than Pliant; the reader makes volumes positive.
#pragma once

#include <istream>
#include <string>

#include "pliant/mesh/meshes.h"

namespace pliant::io {

struct TetgenFile {
  std::istream& in;
  std::string name;  // as the user knows it, for messages
};

// Throws InputError.
TetMesh read_tetgen(const TetgenFile& nodes, const TetgenFile& elements);

}  // namespace pliant::io
