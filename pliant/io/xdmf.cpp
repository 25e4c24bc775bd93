#include "pliant/io/xdmf.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "pliant/io/atomic_file.h"
#include "pliant/io/plain_text.h"
#include "pliant/io/result_file_outline.h"

namespace pliant::io {
namespace {

std::string_view topology_type(CellShape shape) {
  switch (shape) {
    case CellShape::point:
      return "Polyvertex";
    case CellShape::segment:
      return "Polyline";
    case CellShape::triangle:
      return "Triangle";
    case CellShape::tetrahedron:
      return "Tetrahedron";
  }
  return "";
}

// "" when ParaView has no such attribute.
std::string_view attribute_type(int components) {
  switch (components) {
    case 1:
      return "Scalar";
    case 3:
      return "Vector";
    case 6:
      return "Tensor6";
    default:
      return "";
  }
}

struct Slab {
  std::string dataset;  // "result.h5:/bodies/…"
  int revision = 0;
  std::int64_t row = 0;  // of how many
  std::int64_t row_count = 0;
  std::int64_t points = 0;
  int components = 3;
  StoredAs stored_as = StoredAs::float64;
};

class XdmfText {
 public:
  XdmfText(const ResultOutline& outline, const std::string& data_file) : outline_(outline), data_file_(data_file) {}

  std::string write() {
    add("<?xml version=\"1.0\" ?>\n<Xdmf Version=\"2.0\">\n<Domain>\n");
    for (const BodyOutline& body : outline_.bodies) add_body(body);
    add("</Domain>\n</Xdmf>\n");
    return std::move(text_);
  }

 private:
  template <typename... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }

  void add_body(const BodyOutline& body) {
    add("<Grid Name=\"{}\" GridType=\"Collection\" CollectionType=\"Temporal\">\n", escape_xml(body.name));
    for (std::int64_t frame = 0; frame < outline_.frame_count(); ++frame) add_frame(body, frame);
    add("</Grid>\n");
  }

  void add_frame(const BodyOutline& body, std::int64_t frame) {
    const int index = body.revision_at(frame);
    const RevisionOutline& revision = body.revisions[static_cast<std::size_t>(index)];
    if (revision.vertex_count == 0 || revision.cell_count == 0) return;
    const std::string path = escape_xml(data_file_ + ":/" + revision_path(body.name, index));
    const bool is_last = index + 1 == static_cast<int>(body.revisions.size());
    const std::int64_t end =
        is_last ? outline_.frame_count() : body.revisions[static_cast<std::size_t>(index) + 1].first_frame;
    Slab slab{path + "/positions", index, frame - revision.first_frame, end - revision.first_frame,
              revision.vertex_count};

    add("<Grid Name=\"{}\" GridType=\"Uniform\">\n", escape_xml(body.name));
    add("<Time Value=\"{}\"/>\n", outline_.times[static_cast<std::size_t>(frame)]);
    const int corners = static_cast<int>(revision.shape);
    add("<Topology TopologyType=\"{}\" NumberOfElements=\"{}\"", topology_type(revision.shape), revision.cell_count);
    if (corners <= 2) add(" NodesPerElement=\"{}\"", corners);
    add(">\n<DataItem Format=\"HDF\" NumberType=\"Int\" Precision=\"4\" Dimensions=\"{} {}\">{}/cells</DataItem>\n",
        revision.cell_count, corners, path);
    add("</Topology>\n<Geometry GeometryType=\"XYZ\">\n");
    add_slab(slab);
    add("</Geometry>\n");
    for (const FieldDescription& field : revision.fields) {
      if (attribute_type(field.components).empty()) continue;
      const bool at_vertices = field.place == FieldPlace::vertex;
      slab.dataset = path + "/" + escape_xml(field.name);
      slab.points = at_vertices ? revision.vertex_count : revision.cell_count;
      slab.components = field.components;
      slab.stored_as = field.stored_as;
      add("<Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"{}\">\n", escape_xml(field.name),
          attribute_type(field.components), at_vertices ? "Node" : "Cell");
      add_slab(slab);
      add("</Attribute>\n");
    }
    add("</Grid>\n");
  }

  // Start, stride and count along each axis, then the whole dataset.
  void add_slab(const Slab& slab) {
    const bool bytes = slab.stored_as == StoredAs::uint8;
    const int precision = bytes ? 1 : slab.stored_as == StoredAs::float32 ? 4 : 8;
    // ParaView takes the first text inside this element for the name of the data, and shows the last frame again when
    // the name is the same; without any text it complains. So a comment names revision and frame.
    add("<DataItem ItemType=\"HyperSlab\" Dimensions=\"{} {}\"><!--revision {} row {}-->\n", slab.points,
        slab.components, slab.revision, slab.row);
    add("<DataItem Dimensions=\"3 3\" Format=\"XML\">{} 0 0 1 1 1 1 {} {}</DataItem>\n", slab.row, slab.points,
        slab.components);
    add("<DataItem Format=\"HDF\" NumberType=\"{}\" Precision=\"{}\" Dimensions=\"{} {} {}\">{}</DataItem>\n",
        bytes ? "UChar" : "Float", precision, slab.row_count, slab.points, slab.components, slab.dataset);
    add("</DataItem>\n");
  }

  const ResultOutline& outline_;
  const std::string& data_file_;
  std::string text_;
};

}  // namespace

std::string xdmf_text(const ResultOutline& outline, const std::string& data_file) {
  return XdmfText(outline, data_file).write();
}

void write_xdmf(const std::filesystem::path& folder, const ResultOutline& outline) {
  write_file_atomically(folder / "result.xdmf", xdmf_text(outline, "result.h5"));
}

}  // namespace pliant::io
