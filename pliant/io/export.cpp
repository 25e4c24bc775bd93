#include "pliant/io/export.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "pliant/input_error.h"
#include "pliant/io/atomic_file.h"
#include "pliant/io/obj.h"
#include "pliant/io/ply.h"
#include "pliant/io/point_cache.h"
#include "pliant/io/result_reader.h"
#include "pliant/mesh/embedding.h"
#include "pliant/mesh/surface.h"

namespace pliant::io {
namespace {

std::vector<Vec4i> tets_of(const BodyMesh& mesh) {
  std::vector<Vec4i> tets(mesh.cell_count());
  for (std::size_t i = 0; i < tets.size(); ++i) tets[i] = Eigen::Map<const Vec4i>(&mesh.cells[4 * i]);
  return tets;
}

// What is drawn of a body in one revision, and how its vertices follow from the body's.
class DrawnMesh {
 public:
  explicit DrawnMesh(const BodyMesh& mesh) {
    if (mesh.surface) {
      embedded_ = mesh.surface;
      tets_ = tets_of(mesh);
      drawn_ = mesh.surface->surface;
    } else if (mesh.shape == CellShape::tetrahedron) {
      BoundarySurface boundary = boundary_surface({mesh.rest_positions, tets_of(mesh)});
      drawn_ = std::move(boundary.surface);
      source_vertex_ = std::move(boundary.tet_vertex);
    } else {
      drawn_.vertices = mesh.rest_positions;
      drawn_.texture = mesh.texture;
      if (mesh.shape == CellShape::triangle)
        for (std::size_t i = 0; i < mesh.cells.size(); i += 3)
          drawn_.triangles.emplace_back(mesh.cells[i], mesh.cells[i + 1], mesh.cells[i + 2]);
      else
        loose_cells_ = mesh.cells;
      shape_ = mesh.shape;
    }
  }

  [[nodiscard]] std::vector<Vec3> vertices(std::vector<Vec3> positions) const {
    if (embedded_) return evaluate(*embedded_, tets_, positions);
    if (source_vertex_.empty()) return positions;
    std::vector<Vec3> result;
    for (const int vertex : source_vertex_) result.push_back(positions[static_cast<std::size_t>(vertex)]);
    return result;
  }
  // The drawn mesh with its vertices in the rest pose.
  [[nodiscard]] const TriangleMesh& mesh() const { return drawn_; }
  // Segments or points, which a triangle mesh cannot hold, as OBJ statements; `first`: number of vertices before.
  [[nodiscard]] std::string obj_statements(std::size_t first) const {
    std::ostringstream text;
    const auto corners = static_cast<std::size_t>(shape_);
    for (std::size_t i = 0; i < loose_cells_.size(); ++i) {
      if (i % corners == 0) text << (shape_ == CellShape::segment ? "l" : "p");
      text << ' ' << first + static_cast<std::size_t>(loose_cells_[i]) + 1 << ((i + 1) % corners == 0 ? "\n" : "");
    }
    return text.str();
  }

 private:
  TriangleMesh drawn_;
  std::vector<int> source_vertex_;  // tet boundaries: the body's vertex behind each drawn one
  std::optional<EmbeddedSurface> embedded_;
  std::vector<Vec4i> tets_;
  std::vector<int> loose_cells_;
  CellShape shape_ = CellShape::triangle;
};

void append_mesh(TriangleMesh& all, const TriangleMesh& mesh, std::vector<Vec3> vertices) {
  const int first = static_cast<int>(all.vertices.size());
  // Texture is for all vertices or none: bodies without one get zeros when another has it.
  if (!mesh.texture.empty() || !all.texture.empty()) {
    all.texture.resize(all.vertices.size(), Vec2::Zero());
    all.texture.insert(all.texture.end(), mesh.texture.begin(), mesh.texture.end());
    all.texture.resize(all.vertices.size() + vertices.size(), Vec2::Zero());
  }
  all.vertices.insert(all.vertices.end(), vertices.begin(), vertices.end());
  for (const Vec3i& corners : mesh.triangles) all.triangles.emplace_back(corners + Vec3i::Constant(first));
}

void write_obj_file(const std::filesystem::path& path, const TriangleMesh& mesh, const std::string& statements) {
  std::ostringstream text;
  write_obj(text, mesh, path.string());
  text << statements;
  write_file_atomically(path, text.str());
}

class Export {
 public:
  Export(const std::filesystem::path& folder, const std::filesystem::path& output)
      : reader_(open_result(folder)), output_(output) {
    make_folder(output);
  }

  ExportReport write_sequence(ExportFormat format) {
    for (std::int64_t frame = 0; frame < reader_.frame_count(); ++frame) {
      TriangleMesh all;
      std::string statements;
      for (int body = 0; body < body_count(); ++body) {
        const DrawnMesh& drawn = drawn_mesh(body, outline(body).revision_at(frame));
        statements += drawn.obj_statements(all.vertices.size());
        append_mesh(all, drawn.mesh(), drawn.vertices(reader_.positions(body, frame)));
      }
      std::string number = std::to_string(frame);
      if (number.size() < 4) number.insert(0, 4 - number.size(), '0');
      if (format == ExportFormat::obj)
        write_obj_file(output_ / ("frame_" + number + ".obj"), all, statements);
      else
        write_ply(output_ / ("frame_" + number + ".ply"), all);
      ++report_.file_count;
    }
    report_.frame_count = reader_.frame_count();
    return report_;
  }

  ExportReport write_point_caches() {
    for (int body = 0; body < body_count(); ++body)
      for (int revision = 0; revision < static_cast<int>(outline(body).revisions.size()); ++revision)
        write_point_cache(body, revision);
    report_.frame_count = reader_.frame_count();
    return report_;
  }

 private:
  [[nodiscard]] int body_count() const { return static_cast<int>(reader_.outline().bodies.size()); }
  [[nodiscard]] const BodyOutline& outline(int body) const {
    return reader_.outline().bodies[static_cast<std::size_t>(body)];
  }

  // Kept for all frames: finding a boundary costs far more than moving it.
  const DrawnMesh& drawn_mesh(int body, int revision) {
    const auto key = std::pair(body, revision);
    const auto found = drawn_.find(key);
    if (found != drawn_.end()) return found->second;
    return drawn_.emplace(key, DrawnMesh(reader_.mesh(body, revision))).first->second;
  }

  void write_point_cache(int body, int revision) {
    const BodyOutline& description = outline(body);
    const std::int64_t first = description.revisions[static_cast<std::size_t>(revision)].first_frame;
    const bool is_last = revision + 1 == static_cast<int>(description.revisions.size());
    const std::int64_t end =
        is_last ? reader_.frame_count() : description.revisions[static_cast<std::size_t>(revision) + 1].first_frame;
    if (first == end) return;

    const DrawnMesh& drawn = drawn_mesh(body, revision);
    const std::string name = description.name + (revision == 0 ? std::string() : '.' + std::to_string(revision));
    TriangleMesh mesh = drawn.mesh();
    mesh.vertices = drawn.vertices(reader_.positions(body, first));
    write_obj_file(output_ / (name + ".obj"), mesh, drawn.obj_statements(0));
    PointCacheWriter cache(output_ / (name + ".pc2"),
                           {static_cast<std::int64_t>(mesh.vertices.size()), end - first, first});
    for (std::int64_t frame = first; frame < end; ++frame) cache.append(drawn.vertices(reader_.positions(body, frame)));
    cache.finish();
    report_.file_count += 2;
  }

  ResultReader reader_;
  std::filesystem::path output_;
  std::map<std::pair<int, int>, DrawnMesh> drawn_;
  ExportReport report_;
};

}  // namespace

ExportFormat export_format_from(const std::string& name) {
  if (name == "obj") return ExportFormat::obj;
  if (name == "ply") return ExportFormat::ply;
  if (name == "pc2") return ExportFormat::pc2;
  if (name == "glb" || name == "html" || name == "usda")
    throw InputError("export to " + name + " is not built yet; use obj, ply or pc2");
  throw InputError("the export format '" + name + "' is unknown; use obj, ply or pc2");
}

ExportReport export_result(const std::filesystem::path& folder, ExportFormat format,
                           const std::filesystem::path& output) {
  Export run(folder, output);
  return format == ExportFormat::pc2 ? run.write_point_caches() : run.write_sequence(format);
}

}  // namespace pliant::io
