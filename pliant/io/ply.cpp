#include "pliant/io/ply.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "pliant/io/mesh_file_cells.h"
#include "pliant/io/mesh_file_output.h"
#include "pliant/io/text_scanner.h"

namespace pliant::io {

namespace {

enum class Scalar { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

struct ScalarName {
  std::string_view name;
  Scalar type;
};
constexpr std::array<ScalarName, 16> kScalarNames = {{{"char", Scalar::int8},
                                                      {"int8", Scalar::int8},
                                                      {"uchar", Scalar::uint8},
                                                      {"uint8", Scalar::uint8},
                                                      {"short", Scalar::int16},
                                                      {"int16", Scalar::int16},
                                                      {"ushort", Scalar::uint16},
                                                      {"uint16", Scalar::uint16},
                                                      {"int", Scalar::int32},
                                                      {"int32", Scalar::int32},
                                                      {"uint", Scalar::uint32},
                                                      {"uint32", Scalar::uint32},
                                                      {"float", Scalar::float32},
                                                      {"float32", Scalar::float32},
                                                      {"double", Scalar::float64},
                                                      {"float64", Scalar::float64}}};

bool is_integer(Scalar type) { return type != Scalar::float32 && type != Scalar::float64; }

// What a property means to us.
enum class Role { skipped, x, y, z, u, v, corners };

struct Property {
  Scalar type = Scalar::float32;
  Scalar length_type = Scalar::uint8;  // of a list
  bool is_list = false;
  Role role = Role::skipped;
};

struct Element {
  std::string_view name;
  std::int64_t count = 0;  // as announced; loops end earlier when the data does
  std::vector<Property> properties;
};

class PlyReader {
 public:
  PlyReader(std::string_view text, const std::string& name)
      : in_(text, name, {LineEnds::end_statements, '\0', false}) {}

  TriangleMesh read() {
    read_header();
    in_.set_line_ends(LineEnds::are_blanks);
    for (const Element& element : elements_) {
      if (element.name == "vertex") {
        read_vertices(element);
      } else if (element.name == "face") {
        read_faces(element);
      } else {
        skip(element);
      }
    }
    if (ascii_ && in_.has_word_below()) {
      in_.fail("the data goes on after the last element; correct the counts in the header");
    }
    if (mesh_.vertices.empty()) in_.fail("the file has no vertices; export the mesh again");
    if (mesh_.triangles.empty()) {
      in_.fail("the file has no faces (point clouds and triangle strips cannot be used); export it with faces");
    }
    return std::move(mesh_);
  }

 private:
  // --- header ---

  void read_header() {
    if (!in_.has_word() || in_.word("'ply'") != "ply")
      in_.fail("the file does not begin with 'ply'; is it a PLY file?");
    bool format_known = false;
    while (in_.next_statement()) {
      const std::string_view keyword = in_.word("a header line");
      if (keyword == "end_header") {
        if (!format_known) in_.fail("the header has no 'format' line; add one such as 'format ascii 1.0'");
        in_.skip_line();  // exactly one: binary data begins behind it
        return;
      } else if (keyword == "format") {
        read_format();
        format_known = true;
      } else if (keyword == "element") {
        read_element();
      } else if (keyword == "property") {
        read_property();
      } else if (keyword != "comment" && keyword != "obj_info") {
        in_.fail(in_quotes(keyword) +
                 " is no PLY header line; expected format, element, property, comment or end_header");
      }
    }
    in_.fail("the file ends inside the header; it is truncated, so export or copy it again");
  }

  void read_format() {
    const std::string_view format = in_.word("the format");
    ascii_ = format == "ascii";
    if (format == "binary_big_endian") {
      order_ = std::endian::big;
    } else if (!ascii_ && format != "binary_little_endian") {
      in_.fail("format " + in_quotes(format) + " is unknown; use ascii, binary_little_endian or binary_big_endian");
    }
  }

  void read_element() {
    Element element;
    element.name = in_.word("the name of an element");
    element.count = in_.count("the count of an element");
    bool* seen = element.name == "vertex" ? &vertex_seen_ : element.name == "face" ? &face_seen_ : nullptr;
    if (seen && std::exchange(*seen, true)) {
      in_.fail("element " + in_quotes(element.name) + " is declared twice; keep one");
    }
    elements_.push_back(std::move(element));
  }

  void read_property() {
    if (elements_.empty()) in_.fail("a property stands before any element; put 'element vertex …' first");
    Property property;
    std::string_view word = in_.word("the type of a property");
    property.is_list = word == "list";
    if (property.is_list) {
      property.length_type = scalar(in_.word("the type of the list's length"));
      if (!is_integer(property.length_type)) in_.fail("the length of a list must have an integer type; use uchar");
      word = in_.word("the type of the list's entries");
    }
    property.type = scalar(word);
    property.role = role(elements_.back(), in_.word("the name of a property"), property.is_list);
    if (property.role == Role::corners && !is_integer(property.type)) {
      in_.fail("the corners of faces must have an integer type; use int");
    }
    elements_.back().properties.push_back(property);
  }

  Scalar scalar(std::string_view word) const {
    for (const ScalarName& known : kScalarNames) {
      if (known.name == word) return known.type;
    }
    in_.fail("type " + in_quotes(word) + " is unknown; use char, uchar, short, ushort, int, uint, float or double");
  }

  static Role role(const Element& element, std::string_view name, bool is_list) {
    if (element.name == "face" && is_list && (name == "vertex_indices" || name == "vertex_index")) return Role::corners;
    if (element.name != "vertex" || is_list) return Role::skipped;
    if (name == "x") return Role::x;
    if (name == "y") return Role::y;
    if (name == "z") return Role::z;
    if (name == "s" || name == "u" || name == "texture_u" || name == "texcoord_u") return Role::u;
    if (name == "t" || name == "v" || name == "texture_v" || name == "texcoord_v") return Role::v;
    return Role::skipped;
  }

  static bool has(const Element& element, Role role) {
    for (const Property& property : element.properties) {
      if (property.role == role) return true;
    }
    return false;
  }

  // --- data ---

  void read_vertices(const Element& element) {
    if (!has(element, Role::x) || !has(element, Role::y) || !has(element, Role::z)) {
      in_.fail("element vertex lacks a property x, y or z; export the mesh with 3-D positions");
    }
    const bool textured = has(element, Role::u) && has(element, Role::v);
    const std::size_t expected = believable_count(in_, element.count, 3);
    mesh_.vertices.reserve(expected);
    if (textured) mesh_.texture.reserve(expected);
    for (std::int64_t i = 0; i < element.count; ++i) {
      std::array<double, 5> value{};  // x y z u v
      for (const Property& property : element.properties) {
        if (property.role == Role::skipped) {
          skip(property);
        } else {
          value[static_cast<int>(property.role) - static_cast<int>(Role::x)] = number(property.type);
        }
      }
      mesh_.vertices.emplace_back(value[0], value[1], value[2]);
      if (textured) mesh_.texture.emplace_back(value[3], value[4]);
    }
  }

  void read_faces(const Element& element) {
    if (element.count > 0 && !has(element, Role::corners)) {
      in_.fail("element face lacks 'property list uchar int vertex_indices'; export the mesh with its faces");
    }
    mesh_.triangles.reserve(believable_count(in_, element.count, 4));
    std::vector<int> corners;
    for (std::int64_t i = 0; i < element.count; ++i) {
      for (const Property& property : element.properties) {
        if (property.role != Role::corners) {
          skip(property);
          continue;
        }
        corners.clear();
        const std::int64_t length = list_length(property);
        for (std::int64_t k = 0; k < length; ++k) {
          corners.push_back(checked_index(in_, integer(property.type), 0, mesh_.vertices.size()));
        }
        add_polygon(in_, corners, mesh_.triangles);
      }
    }
  }

  void skip(const Element& element) {
    // Rows without properties take no bytes, so their number says nothing about the size of the file.
    if (element.properties.empty()) return;
    for (std::int64_t i = 0; i < element.count; ++i) {
      for (const Property& property : element.properties) skip(property);
    }
  }

  void skip(const Property& property) {
    const std::int64_t length = property.is_list ? list_length(property) : 1;
    for (std::int64_t k = 0; k < length; ++k) {
      if (ascii_) {
        in_.word("a property");  // may be nan, as long as nobody needs it
      } else if (is_integer(property.type)) {
        integer(property.type);
      } else {
        in_.bytes(property.type == Scalar::float32 ? 4 : 8, "the data");
      }
    }
  }

  std::int64_t list_length(const Property& property) {
    const std::int64_t length = integer(property.length_type);
    if (length < 0) in_.fail("the length of a list is " + std::to_string(length) + "; export the mesh again");
    return length;
  }

  std::int64_t integer(Scalar type) {
    if (ascii_) return in_.integer("an integer");
    switch (type) {
      case Scalar::int8:
        return in_.binary<std::int8_t>(order_, "the data");
      case Scalar::uint8:
        return in_.binary<std::uint8_t>(order_, "the data");
      case Scalar::int16:
        return in_.binary<std::int16_t>(order_, "the data");
      case Scalar::uint16:
        return in_.binary<std::uint16_t>(order_, "the data");
      case Scalar::int32:
        return in_.binary<std::int32_t>(order_, "the data");
      default:
        return in_.binary<std::uint32_t>(order_, "the data");
    }
  }

  double number(Scalar type) {
    if (ascii_) return in_.number("a coordinate");
    if (is_integer(type)) return static_cast<double>(integer(type));
    const double value = type == Scalar::float32 ? static_cast<double>(in_.binary<float>(order_, "the data"))
                                                 : in_.binary<double>(order_, "the data");
    if (!std::isfinite(value)) in_.fail("a coordinate is not finite; the program that wrote the file had failed");
    return value;
  }

  TextScanner in_;
  TriangleMesh mesh_;
  std::vector<Element> elements_;
  bool ascii_ = true;
  std::endian order_ = std::endian::little;
  bool vertex_seen_ = false;
  bool face_seen_ = false;
};

template <class Real>
void write_body(MeshOutput& file, const TriangleMesh& mesh) {
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    for (const double x : mesh.vertices[i]) file.binary(static_cast<Real>(x));
    if (mesh.texture.empty()) continue;
    for (const double t : mesh.texture[i]) file.binary(static_cast<Real>(t));
  }
  for (const Vec3i& triangle : mesh.triangles) {
    file.binary(std::uint8_t{3});
    for (const int corner : triangle) file.binary(static_cast<std::int32_t>(corner));
  }
}

}  // namespace

TriangleMesh read_ply(std::istream& in, const std::string& name) {
  const std::string text = read_everything(in, name);
  return PlyReader(text, name).read();
}

void write_ply(std::ostream& out, const TriangleMesh& mesh, const std::string& name, PlyPrecision precision) {
  const std::string real = precision == PlyPrecision::float32 ? "float" : "double";
  const auto property = [&real](const char* which) { return "property " + real + " " + which + "\n"; };
  MeshOutput file(out, name);
  file.text("ply\nformat binary_little_endian 1.0\nelement vertex ");
  file.integer(static_cast<long long>(mesh.vertices.size())).text("\n");
  file.text(property("x")).text(property("y")).text(property("z"));
  if (!mesh.texture.empty()) file.text(property("s")).text(property("t"));
  file.text("element face ").integer(static_cast<long long>(mesh.triangles.size()));
  file.text("\nproperty list uchar int vertex_indices\nend_header\n");
  if (precision == PlyPrecision::float32) {
    write_body<float>(file, mesh);
  } else {
    write_body<double>(file, mesh);
  }
  file.finish();
}

void write_ply(const std::filesystem::path& path, const TriangleMesh& mesh, PlyPrecision precision) {
  std::ofstream file = open_for_writing(path);
  write_ply(file, mesh, path.string(), precision);
  close_written(file, path);
}

}  // namespace pliant::io
