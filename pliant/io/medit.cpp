#include "pliant/io/medit.h"

#include <array>
#include <string_view>
#include <utility>

#include "pliant/io/text_scanner.h"

namespace pliant::io {

namespace {

class MeditReader {
 public:
  MeditReader(std::string_view text, const std::string& name) : in_(text, name, {LineEnds::are_blanks, '#', false}) {}

  AnyMesh read() {
    if (!in_.has_word() || in_.word("a keyword") != "MeshVersionFormatted") {
      in_.fail("the file does not begin with 'MeshVersionFormatted'; is it a Medit .mesh file in ASCII?");
    }
    in_.integer("the version");
    while (in_.has_word()) {
      const std::string_view keyword = in_.word("a keyword");
      if (keyword == "End") break;
      read_section(keyword);
    }
    if (!tets_.tets.empty()) return std::move(tets_);
    if (surface_.triangles.empty()) in_.fail("the file has neither tetrahedra nor triangles; export it with its cells");
    surface_.vertices = std::move(tets_.vertices);
    return std::move(surface_);
  }

 private:
  void read_section(std::string_view keyword) {
    if (keyword == "Dimension") {
      if (in_.integer("the dimension") != 3) in_.fail("only meshes of dimension 3 can be read; add a z coordinate");
    } else if (keyword == "Vertices") {
      read_vertices();
    } else if (keyword == "Tetrahedra") {
      read_tets();
    } else if (keyword == "Triangles") {
      read_polygons<3>();
    } else if (keyword == "Quadrilaterals") {
      read_polygons<4>();
    } else if (keyword == "Hexahedra" || keyword == "Prisms" || keyword == "Pyramids" || keyword == "TetrahedraP2" ||
               keyword == "Hexaedra" || keyword == "Pentahedra") {
      if (in_.count("the count") > 0) {
        in_.fail("the file has " + std::string(keyword) + ", but only linear tetrahedra can be read; convert them");
      }
    } else {
      skip_section(keyword);
    }
  }

  void read_vertices() {
    const std::int64_t count = in_.count("the count of vertices");
    tets_.vertices.reserve(tets_.vertices.size() + believable_count(in_, count, 8));
    for (std::int64_t i = 0; i < count; ++i) {
      tets_.vertices.push_back(scan_point(in_));
      skip_reference();
    }
  }

  void read_tets() {
    const std::int64_t count = in_.count("the count of tetrahedra");
    tets_.tets.reserve(tets_.tets.size() + believable_count(in_, count, 10));
    for (std::int64_t i = 0; i < count; ++i) {
      const std::array<int, 4> corners = scan_corners<4>();
      add_tet(in_, Vec4i(corners.data()), tets_);
      skip_reference();
    }
  }

  template <int Corners>
  void read_polygons() {
    const std::int64_t count = in_.count("the count of faces");
    for (std::int64_t i = 0; i < count; ++i) {
      const std::array<int, Corners> corners = scan_corners<Corners>();
      add_polygon(in_, corners, surface_.triangles);
      skip_reference();
    }
  }

  template <int Corners>
  std::array<int, Corners> scan_corners() {
    std::array<int, Corners> corners;
    for (int& corner : corners) {
      corner = checked_index(in_, in_.integer("the index of a corner"), 1, tets_.vertices.size());
    }
    return corners;
  }

  void skip_reference() { in_.number("the reference number"); }

  // Sections we do not know hold numbers only, so the next letter begins the next keyword.
  void skip_section(std::string_view keyword) {
    if (keyword.empty() || !is_letter(keyword[0])) {
      in_.fail("found " + in_quotes(keyword) + " where a keyword should stand; correct the count of the section above");
    }
    while (in_.has_word()) {
      if (is_letter(in_.peek())) return;
      in_.number("an entry");
    }
  }

  static bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

  TextScanner in_;
  TetMesh tets_;  // holds the vertices of both kinds while reading
  TriangleMesh surface_;
};

}  // namespace

AnyMesh read_medit(std::istream& in, const std::string& name) {
  const std::string text = read_everything(in, name);
  return MeditReader(text, name).read();
}

}  // namespace pliant::io
