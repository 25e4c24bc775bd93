#include "pliant/io/obj.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "pliant/io/mesh_file_cells.h"
#include "pliant/io/mesh_file_output.h"
#include "pliant/io/text_scanner.h"

namespace pliant::io {

namespace {

// Statements that say nothing about positions, texture coordinates or polygons.
constexpr std::array<std::string_view, 41> kSkipped = {
    "vn",    "vp",     "o",   "g",    "s",     "mg",       "usemtl",   "mtllib", "usemap",     "maplib",    "l",
    "p",     "cstype", "deg", "bmat", "step",  "curv",     "curv2",    "surf",   "parm",       "trim",      "hole",
    "scrv",  "sp",     "end", "con",  "bevel", "c_interp", "d_interp", "lod",    "shadow_obj", "trace_obj", "ctech",
    "stech", "call",   "csh", "bsp",  "bzp",   "cdc",      "cdp",      "res"};

class ObjReader {
 public:
  ObjReader(std::string_view text, const std::string& name) : in_(text, name, {LineEnds::end_statements, '#', true}) {}

  TriangleMesh read() {
    for (bool more = in_.has_word_below(); more; more = in_.next_statement()) read_statement();
    if (mesh_.vertices.empty()) in_.fail("the file has no vertices ('v x y z'); is it an OBJ file?");
    if (mesh_.triangles.empty()) in_.fail("the file has no faces ('f 1 2 3'); export the mesh with its faces");
    if (!texture_is_per_vertex_ || texture_.empty()) mesh_.texture.clear();
    if (texture_is_per_vertex_ || !every_corner_has_texture_) mesh_.corner_texture.clear();
    // Vertices after the last face have none of their own.
    if (!mesh_.texture.empty()) mesh_.texture.resize(mesh_.vertices.size(), Vec2::Zero());
    return std::move(mesh_);
  }

 private:
  void read_statement() {
    const std::string_view keyword = in_.word("a statement");
    if (keyword == "v") {
      mesh_.vertices.push_back(scan_point(in_));
    } else if (keyword == "vt") {
      const double u = in_.number("the texture coordinate u");
      const double v = in_.has_word() ? in_.number("the texture coordinate v") : 0.0;
      texture_.emplace_back(u, v);
    } else if (keyword == "f") {
      read_face();
    } else if (std::find(kSkipped.begin(), kSkipped.end(), keyword) == kSkipped.end()) {
      in_.fail(in_quotes(keyword) + " is no OBJ statement; expected v, vt, vn, f, o, g, s, usemtl or mtllib");
    }
  }

  void read_face() {
    corners_.clear();
    corner_texture_.clear();
    while (in_.has_word()) {
      std::string_view word = in_.word("a corner");
      const std::string_view whole = word;
      const int vertex = index(take_index(word, whole), mesh_.vertices.size(), "vertex");
      std::optional<int> texture;
      if (word.starts_with('/')) {
        word.remove_prefix(1);
        if (!word.empty() && word[0] != '/')
          texture = index(take_index(word, whole), texture_.size(), "texture vertex");
      }
      if (word.starts_with('/')) {  // a normal, checked for form only
        word.remove_prefix(1);
        take_index(word, whole);
      }
      if (!word.empty()) fail_corner(whole);
      corners_.push_back(vertex);
      note_texture(vertex, texture);
      corner_texture_.push_back(texture ? texture_[*texture] : Vec2(Vec2::Zero()));
    }
    add_polygon(in_, corners_, mesh_.triangles);
    add_corner_texture();
  }

  // The integer at the beginning of `rest`, removed from it.
  std::int64_t take_index(std::string_view& rest, std::string_view whole) {
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc()) fail_corner(whole);
    rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
    return number;
  }

  // Numbers from 1 upwards, or from −1 (the last one above this line) downwards.
  int index(std::int64_t number, std::size_t size, const char* what) {
    const std::int64_t count = static_cast<std::int64_t>(size);
    if (number < 0 && number >= -count) number += count + 1;
    if (number < 1 || number > count) {
      in_.fail(std::string("the face uses ") + what + " " + std::to_string(number) + ", but " + std::to_string(count) +
               " stand above this line (the first is 1, the last is also -1); correct the index");
    }
    return checked_index(in_, number, 1, size);
  }

  [[noreturn]] void fail_corner(std::string_view whole) {
    in_.fail(in_quotes(whole) + " is no corner of a face; write 3, 3/1, 3//2 or 3/1/2 with whole numbers");
  }

  // Of the triangles that the face became.
  void add_corner_texture() {
    while (every_corner_has_texture_ && mesh_.corner_texture.size() < mesh_.triangles.size()) {
      std::array<Vec2, 3>& uv = mesh_.corner_texture.emplace_back();
      const Vec3i& triangle = mesh_.triangles[mesh_.corner_texture.size() - 1];
      for (int c = 0; c < 3; ++c) {
        uv[c] = corner_texture_[std::find(corners_.begin(), corners_.end(), triangle[c]) - corners_.begin()];
      }
    }
  }

  // Keeps the coordinates of the first corner at each vertex, until another corner disagrees.
  void note_texture(int vertex, std::optional<int> texture) {
    if (!texture) texture_is_per_vertex_ = every_corner_has_texture_ = false;
    if (!texture_is_per_vertex_) return;
    if (mesh_.texture.size() < mesh_.vertices.size()) {
      mesh_.texture.resize(mesh_.vertices.size(), Vec2::Zero());
      has_texture_.resize(mesh_.vertices.size(), 0);
    }
    const Vec2& here = texture_[*texture];
    if (has_texture_[vertex] && mesh_.texture[vertex] != here) texture_is_per_vertex_ = false;
    mesh_.texture[vertex] = here;
    has_texture_[vertex] = 1;
  }

  TextScanner in_;
  TriangleMesh mesh_;
  std::vector<Vec2> texture_;         // as the file lists them
  std::vector<char> has_texture_;     // per vertex
  std::vector<int> corners_;          // of the face being read
  std::vector<Vec2> corner_texture_;  // of the face being read
  bool texture_is_per_vertex_ = true, every_corner_has_texture_ = true;
};

}  // namespace

TriangleMesh read_obj(std::istream& in, const std::string& name) {
  const std::string text = read_everything(in, name);
  return ObjReader(text, name).read();
}

void write_obj(std::ostream& out, const TriangleMesh& mesh, const std::string& name) {
  MeshOutput file(out, name);
  for (const Vec3& x : mesh.vertices) {
    file.text("v ").number(x[0]).text(" ").number(x[1]).text(" ").number(x[2]).text("\n");
  }
  for (const Vec2& t : mesh.texture) file.text("vt ").number(t[0]).text(" ").number(t[1]).text("\n");
  for (const Vec3i& triangle : mesh.triangles) {
    file.text("f");
    for (const int corner : triangle) {
      file.text(" ").integer(corner + 1LL);
      if (!mesh.texture.empty()) file.text("/").integer(corner + 1LL);
    }
    file.text("\n");
  }
  file.finish();
}

void write_obj(const std::filesystem::path& path, const TriangleMesh& mesh) {
  std::ofstream file = open_for_writing(path);
  write_obj(file, mesh, path.string());
  close_written(file, path);
}

}  // namespace pliant::io
