#include "pliant/io/gmsh.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "pliant/io/mesh_file_output.h"
#include "pliant/io/text_scanner.h"

namespace pliant::io {

namespace {

// The element types of the MSH file format [Gmsh reference manual, chapter "Gmsh file formats"].
struct ElementKind {
  int type;
  int dimension;
  int node_count;
  const char* name;
};
constexpr int kTriangle = 2;
constexpr int kQuadrangle = 3;
constexpr int kTet = 4;
constexpr int kMostNodes = 125;
constexpr std::array<ElementKind, 33> kElementKinds = {{
    {15, 0, 1, "points"},
    {1, 1, 2, "lines"},
    {8, 1, 3, "3-node lines"},
    {26, 1, 4, "4-node lines"},
    {27, 1, 5, "5-node lines"},
    {28, 1, 6, "6-node lines"},
    {kTriangle, 2, 3, "triangles"},
    {9, 2, 6, "6-node triangles"},
    {20, 2, 9, "9-node triangles"},
    {21, 2, 10, "10-node triangles"},
    {22, 2, 12, "12-node triangles"},
    {23, 2, 15, "15-node triangles"},
    {24, 2, 15, "15-node triangles"},
    {25, 2, 21, "21-node triangles"},
    {kQuadrangle, 2, 4, "quadrangles"},
    {16, 2, 8, "8-node quadrangles"},
    {10, 2, 9, "9-node quadrangles"},
    {kTet, 3, 4, "tetrahedra"},
    {11, 3, 10, "10-node tetrahedra"},
    {29, 3, 20, "20-node tetrahedra"},
    {30, 3, 35, "35-node tetrahedra"},
    {31, 3, 56, "56-node tetrahedra"},
    {5, 3, 8, "hexahedra"},
    {17, 3, 20, "20-node hexahedra"},
    {12, 3, 27, "27-node hexahedra"},
    {92, 3, 64, "64-node hexahedra"},
    {93, 3, kMostNodes, "125-node hexahedra"},
    {6, 3, 6, "prisms"},
    {18, 3, 15, "15-node prisms"},
    {13, 3, 18, "18-node prisms"},
    {7, 3, 5, "pyramids"},
    {19, 3, 13, "13-node pyramids"},
    {14, 3, 14, "14-node pyramids"},
}};

// From the tags of nodes, which are arbitrary, to their place in the file.
class NodeTags {
 public:
  void add(std::int64_t tag) { nodes_.push_back({tag, static_cast<std::int64_t>(nodes_.size())}); }

  void sort(const TextScanner& in) {
    std::sort(nodes_.begin(), nodes_.end());
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      if (nodes_[i].tag == nodes_[i - 1].tag) {
        in.fail("two nodes have the tag " + std::to_string(nodes_[i].tag) + "; save the mesh again from Gmsh");
      }
    }
    // Tags are distinct and sorted, so equal spans mean that none is left out.
    consecutive_ = !nodes_.empty() && nodes_.front().tag >= 0 &&
                   nodes_.back().tag - nodes_.front().tag == static_cast<std::int64_t>(nodes_.size()) - 1;
  }

  int find(const TextScanner& in, std::int64_t tag) const {
    if (nodes_.empty()) in.fail("elements stand before the nodes they use; put $Nodes before $Elements");
    if (consecutive_ && tag >= nodes_.front().tag && tag <= nodes_.back().tag) {
      return checked_index(in, nodes_[tag - nodes_.front().tag].place, 0, nodes_.size());
    }
    const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), Node{tag, 0});
    if (found == nodes_.end() || found->tag != tag) {
      in.fail("node " + std::to_string(tag) + " does not exist in $Nodes; save the mesh again from Gmsh");
    }
    return checked_index(in, found->place, 0, nodes_.size());
  }

 private:
  struct Node {
    std::int64_t tag;
    std::int64_t place;
    auto operator<=>(const Node&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 misreads it
  };
  std::vector<Node> nodes_;
  bool consecutive_ = false;
};

// Keeps the first of cells that have the same corners; `key` brings equal cells to the same corner order.
template <class Cell, class Key>
void remove_repeated(std::vector<Cell>& cells, Key key) {
  using Corners = std::array<int, Cell::SizeAtCompileTime>;
  std::vector<std::pair<Corners, std::size_t>> sorted;
  sorted.reserve(cells.size());
  for (const Cell& cell : cells) {
    Corners corners;
    std::copy(cell.begin(), cell.end(), corners.begin());
    key(corners);
    sorted.emplace_back(corners, sorted.size());
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<char> repeated(cells.size(), 0);
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].first == sorted[i - 1].first) repeated[sorted[i].second] = 1;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!repeated[i]) cells[kept++] = cells[i];
  }
  cells.resize(kept);
}

// Drops the vertices that no cell uses and renumbers the corners.
template <class Cell>
void drop_unused(std::vector<Vec3>& vertices, std::vector<Cell>& cells) {
  std::vector<int> new_index(vertices.size(), -1);
  for (const Cell& cell : cells) {
    for (const int corner : cell) new_index[corner] = 0;
  }
  int kept = 0;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (new_index[i] < 0) continue;
    vertices[kept] = vertices[i];
    new_index[i] = kept++;
  }
  vertices.resize(kept);
  for (Cell& cell : cells) {
    for (int& corner : cell) corner = new_index[corner];
  }
}

class GmshReader {
 public:
  GmshReader(std::string_view text, const std::string& name) : in_(text, name, {LineEnds::are_blanks, '\0', false}) {}

  AnyMesh read() {
    while (in_.has_word()) {
      const std::string_view section = in_.word("a section");
      if (section == "$MeshFormat") {
        read_format();
      } else if (section == "$Nodes") {
        read_nodes();
      } else if (section == "$Elements") {
        read_elements();
      } else if (!section.starts_with('$') || !in_.skip_past("$End" + std::string(section.substr(1)))) {
        in_.fail("found " + in_quotes(section) +
                 " where a section such as $Nodes … $EndNodes should stand; is the file "
                 "a complete Gmsh .msh file?");
      }
    }
    return finished_mesh();
  }

 private:
  AnyMesh finished_mesh() {
    const bool repeats = version_ < 3.0;
    if (!tets_.tets.empty()) {
      if (repeats) remove_repeated(tets_.tets, [](auto& corners) { std::sort(corners.begin(), corners.end()); });
      drop_unused(tets_.vertices, tets_.tets);
      return std::move(tets_);
    }
    if (unreadable_surface_) {
      in_.fail(std::string("the file has ") + unreadable_surface_ +
               ", but only linear elements can be read; save it with Mesh.ElementOrder = 1");
    }
    if (surface_.triangles.empty()) {
      in_.fail(
          "the file has neither tetrahedra nor triangles; mesh the volume in Gmsh (Mesh > 3D) and save all elements");
    }
    if (repeats) {
      // Turned so that the smallest corner is first: a triangle and its mirror image stay different.
      remove_repeated(surface_.triangles, [](auto& corners) {
        std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
      });
    }
    surface_.vertices = std::move(tets_.vertices);
    drop_unused(surface_.vertices, surface_.triangles);
    return std::move(surface_);
  }

  void read_format() {
    version_ = in_.number("the version of the format");
    const bool known = (version_ >= 2.0 && version_ < 3.0) || version_ == 4.1;
    if (!known) in_.fail("only formats 2.2 and 4.1 can be read; save the mesh with Mesh.MshFileVersion = 4.1");
    binary_ = in_.integer("the file type") == 1;
    const std::int64_t data_size = in_.integer("the data size");
    if (binary_) {
      if (data_size != 8) in_.fail("binary files need a data size of 8; save the mesh in ASCII");
      in_.skip_line();
      const std::int32_t one = in_.binary<std::int32_t>(order_, "the mark of the byte order");
      if (one != 1) order_ = order_ == std::endian::little ? std::endian::big : std::endian::little;
    }
    end_section("$EndMeshFormat");
  }

  void begin_section() {
    if (version_ == 0.0)
      in_.fail("the file does not begin with $MeshFormat; is it a Gmsh .msh file of version 2.2 or 4.1?");
    if (binary_ && version_ > 4.0) in_.skip_line();  // 2.2 has a count in text first
  }

  void end_section(std::string_view mark) {
    const std::string_view word = in_.word("the end of the section");
    if (word != mark) {
      in_.fail("found " + in_quotes(word) + " where " + std::string(mark) +
               " should stand; correct the count of the section");
    }
  }

  // --- nodes ---

  void read_nodes() {
    begin_section();
    if (!tets_.vertices.empty()) in_.fail("the file has two $Nodes sections; save the mesh again from Gmsh");
    if (version_ > 4.0) {
      read_nodes_41();
    } else {
      read_nodes_22();
    }
    tags_.sort(in_);
    end_section("$EndNodes");
  }

  void read_nodes_22() {
    const std::int64_t count = in_.count("the count of nodes");
    if (binary_) in_.skip_line();
    tets_.vertices.reserve(believable_count(in_, count, 8));
    for (std::int64_t i = 0; i < count; ++i) {
      tags_.add(integer("the tag of a node"));
      tets_.vertices.push_back(point());
    }
  }

  void read_nodes_41() {
    const std::int64_t block_count = size("the count of node blocks");
    size("the count of nodes");
    size("the smallest node tag");
    size("the largest node tag");
    for (std::int64_t block = 0; block < block_count; ++block) {
      const std::int64_t dimension = integer("the dimension of an entity");
      integer("the tag of an entity");
      const bool parametric = integer("whether nodes are parametric") != 0;
      const std::int64_t count = size("the count of nodes in a block");
      if (dimension < 0 || dimension > 3) in_.fail("the dimension of an entity is not 0 to 3; save the mesh again");
      for (std::int64_t i = 0; i < count; ++i) tags_.add(size("the tag of a node"));
      for (std::int64_t i = 0; i < count; ++i) {
        tets_.vertices.push_back(point());
        if (!parametric) continue;
        for (std::int64_t k = 0; k < dimension; ++k) real("a parametric coordinate");
      }
    }
  }

  // --- elements ---

  void read_elements() {
    begin_section();
    if (version_ > 4.0) {
      read_elements_41();
    } else if (binary_) {
      read_elements_22_binary();
    } else {
      read_elements_22_ascii();
    }
    end_section("$EndElements");
  }

  void read_elements_22_ascii() {
    const std::int64_t count = in_.count("the count of elements");
    for (std::int64_t i = 0; i < count; ++i) {
      in_.integer("the tag of an element");
      const ElementKind& kind = checked_kind(in_.integer("the type of an element"));
      const std::int64_t tag_count = in_.count("the count of an element's tags");
      for (std::int64_t k = 0; k < tag_count; ++k) in_.integer("a tag");
      read_corners(kind);
    }
  }

  void read_elements_22_binary() {
    const std::int64_t count = in_.count("the count of elements");
    in_.skip_line();
    for (std::int64_t read = 0; read < count;) {
      const ElementKind& kind = checked_kind(integer("the type of an element"));
      const std::int64_t block_count = integer("the count of elements in a block");
      const std::int64_t tag_count = integer("the count of an element's tags");
      if (block_count < 0 || tag_count < 0) in_.fail("a count is negative; save the mesh again from Gmsh");
      for (std::int64_t i = 0; i < block_count; ++i) {
        integer("the tag of an element");
        for (std::int64_t k = 0; k < tag_count; ++k) integer("a tag");
        read_corners(kind);
      }
      read += block_count;
    }
  }

  void read_elements_41() {
    const std::int64_t block_count = size("the count of element blocks");
    size("the count of elements");
    size("the smallest element tag");
    size("the largest element tag");
    for (std::int64_t block = 0; block < block_count; ++block) {
      integer("the dimension of an entity");
      integer("the tag of an entity");
      const ElementKind& kind = checked_kind(integer("the type of the elements"));
      const std::int64_t count = size("the count of elements in a block");
      for (std::int64_t i = 0; i < count; ++i) {
        size("the tag of an element");
        read_corners(kind);
      }
    }
  }

  const ElementKind& checked_kind(std::int64_t type) {
    for (const ElementKind& kind : kElementKinds) {
      if (kind.type != type) continue;
      if (kind.dimension == 3 && kind.type != kTet) {
        in_.fail(std::string("the file has ") + kind.name +
                 ", but only linear tetrahedra can be read; mesh the volume with those (Mesh.ElementOrder = 1, no "
                 "recombination)");
      }
      if (kind.dimension == 2 && kind.type != kTriangle && kind.type != kQuadrangle) unreadable_surface_ = kind.name;
      return kind;
    }
    in_.fail("element type " + std::to_string(type) + " is unknown; save the mesh with linear tetrahedra only");
  }

  void read_corners(const ElementKind& kind) {
    std::array<std::int64_t, kMostNodes> nodes;
    for (int k = 0; k < kind.node_count; ++k) {
      nodes[k] = version_ > 4.0 ? size("the tag of a corner") : integer("the tag of a corner");
    }
    if (kind.type != kTet && kind.type != kTriangle && kind.type != kQuadrangle) return;
    std::array<int, 4> corners{};
    for (int k = 0; k < kind.node_count; ++k) corners[k] = tags_.find(in_, nodes[k]);
    if (kind.type == kTet) {
      add_tet(in_, Vec4i(corners.data()), tets_);
    } else {
      add_polygon(in_, std::span(corners).first(kind.node_count), surface_.triangles);
    }
  }

  // --- values: words in ASCII files; int, size_t and double of the writer's machine in binary ones ---

  std::int64_t integer(const char* what) {
    return binary_ ? in_.binary<std::int32_t>(order_, what) : in_.integer(what);
  }

  std::int64_t size(const char* what) {
    if (!binary_) return in_.count(what);
    const std::uint64_t value = in_.binary<std::uint64_t>(order_, what);
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      in_.fail(std::string(what) + " is too large to be true; save the mesh again from Gmsh");
    }
    return static_cast<std::int64_t>(value);
  }

  double real(const char* what) {
    if (!binary_) return in_.number(what);
    const double value = in_.binary<double>(order_, what);
    if (!std::isfinite(value)) in_.fail(std::string(what) + " is not finite; mesh the geometry again");
    return value;
  }

  Vec3 point() {
    const double x = real("the x coordinate");
    const double y = real("the y coordinate");
    const double z = real("the z coordinate");
    return {x, y, z};
  }

  TextScanner in_;
  double version_ = 0.0;  // 0 until $MeshFormat is read
  bool binary_ = false;
  std::endian order_ = std::endian::native;
  NodeTags tags_;
  TetMesh tets_;  // holds the vertices of both kinds while reading
  TriangleMesh surface_;
  const char* unreadable_surface_ = nullptr;  // the kind of curved surface elements seen, if any
};

}  // namespace

AnyMesh read_gmsh(std::istream& in, const std::string& name) {
  const std::string text = read_everything(in, name);
  return GmshReader(text, name).read();
}

void write_gmsh(std::ostream& out, const TetMesh& mesh, const std::string& name) {
  const long long vertex_count = static_cast<long long>(mesh.vertices.size());
  const long long tet_count = static_cast<long long>(mesh.tets.size());
  MeshOutput file(out, name);
  file.text("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n");

  // One block each, of the volume with tag 1: counts, smallest and largest tag; then dimension, entity, kind, count.
  file.text("$Nodes\n1 ").integer(vertex_count).text(" 1 ").integer(vertex_count);
  file.text("\n3 1 0 ").integer(vertex_count).text("\n");
  for (long long tag = 1; tag <= vertex_count; ++tag) file.integer(tag).text("\n");
  for (const Vec3& x : mesh.vertices) {
    file.number(x[0]).text(" ").number(x[1]).text(" ").number(x[2]).text("\n");
  }
  file.text("$EndNodes\n$Elements\n1 ").integer(tet_count).text(" 1 ").integer(tet_count);
  file.text("\n3 1 ").integer(kTet).text(" ").integer(tet_count).text("\n");
  long long tag = 0;
  for (const Vec4i& tet : mesh.tets) {
    file.integer(++tag);
    for (const int corner : tet) file.text(" ").integer(corner + 1LL);
    file.text("\n");
  }
  file.text("$EndElements\n");
  file.finish();
}

void write_gmsh(const std::filesystem::path& path, const TetMesh& mesh) {
  std::ofstream file = open_for_writing(path);
  write_gmsh(file, mesh, path.string());
  close_written(file, path);
}

}  // namespace pliant::io
