#include "pliant/io/tetgen.h"

#include <cstdint>
#include <string_view>

#include "pliant/io/mesh_file_cells.h"
#include "pliant/io/text_scanner.h"

namespace pliant::io {

namespace {

constexpr TextSyntax kSyntax = {LineEnds::end_statements, '#', false};

void require_row(TextScanner& in, std::int64_t row, std::int64_t count) {
  if (in.next_statement()) return;
  in.fail("the file ends after " + std::to_string(row) + " of " + std::to_string(count) +
          " rows; it is truncated, or the count in its first line is wrong");
}

void require_end(TextScanner& in) {
  if (in.next_statement()) in.fail("there are more rows than the first line announces; correct the count there");
}

void require_number(const TextScanner& in, std::int64_t number, std::int64_t expected) {
  if (number == expected) return;
  in.fail("the row is numbered " + std::to_string(number) + ", but " + std::to_string(expected) +
          " comes next; number the rows without gaps, from 0 or 1");
}

// Returns the number of the first point: 0 or 1.
std::int64_t read_points(TextScanner& in, TetMesh& mesh) {
  if (!in.has_word_below()) in.fail("the file has no first line 'points 3 attributes markers'; write it again");
  const std::int64_t count = in.count("the count of points");
  if (in.integer("the dimension") != 3) in.fail("the points do not have dimension 3; only 3-D meshes can be read");
  std::int64_t first = 0;
  mesh.vertices.reserve(believable_count(in, count, 8));
  for (std::int64_t i = 0; i < count; ++i) {
    require_row(in, i, count);
    const std::int64_t number = in.integer("the number of the point");
    if (i == 0) first = number == 1 ? 1 : 0;
    require_number(in, number, first + i);
    mesh.vertices.push_back(scan_point(in));
  }
  require_end(in);
  if (mesh.vertices.empty()) in.fail("the file has no points; write it again");
  return first;
}

void read_tets(TextScanner& in, std::int64_t first_point, TetMesh& mesh) {
  if (!in.has_word_below()) in.fail("the file has no first line 'tets 4 attributes'; write it again");
  const std::int64_t count = in.count("the count of tetrahedra");
  const std::int64_t corner_count = in.has_word() ? in.integer("the corners per tetrahedron") : 4;
  if (corner_count != 4) {
    in.fail("the tetrahedra have " + std::to_string(corner_count) +
            " corners, but only linear ones (4) can be read; run TetGen without -o2");
  }
  mesh.tets.reserve(believable_count(in, count, 10));
  for (std::int64_t i = 0; i < count; ++i) {
    require_row(in, i, count);
    const std::int64_t number = in.integer("the number of the tetrahedron");
    require_number(in, number, first_point + i);
    Vec4i corners;
    for (int& corner : corners) {
      corner = checked_index(in, in.integer("the index of a corner"), first_point, mesh.vertices.size());
    }
    add_tet(in, corners, mesh);
  }
  require_end(in);
  if (mesh.tets.empty()) in.fail("the file has no tetrahedra; run TetGen with -p or -r so that it makes some");
}

}  // namespace

TetMesh read_tetgen(const TetgenFile& nodes, const TetgenFile& elements) {
  TetMesh mesh;
  const std::string node_text = read_everything(nodes.in, nodes.name);
  TextScanner node_scanner(node_text, nodes.name, kSyntax);
  const std::int64_t first_point = read_points(node_scanner, mesh);

  const std::string element_text = read_everything(elements.in, elements.name);
  TextScanner element_scanner(element_text, elements.name, kSyntax);
  read_tets(element_scanner, first_point, mesh);
  return mesh;
}

}  // namespace pliant::io
