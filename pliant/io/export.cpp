#include "pliant/io/export.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "pliant/input_error.h"
#include "pliant/io/atomic_file.h"
#include "pliant/io/drawn_result.h"
#include "pliant/io/glb.h"
#include "pliant/io/obj.h"
#include "pliant/io/ply.h"
#include "pliant/io/point_cache.h"
#include "pliant/io/usda.h"

namespace pliant::io {
namespace {

// Segments or points, which a triangle mesh cannot hold, as OBJ statements; `first`: number of vertices before.
std::string obj_statements(const DrawnMesh& drawn, std::size_t first) {
  if (drawn.shape() == CellShape::triangle) return {};
  std::ostringstream text;
  const auto corners = static_cast<std::size_t>(drawn.shape());
  for (std::size_t i = 0; i < drawn.cells().size(); ++i) {
    if (i % corners == 0) text << (drawn.shape() == CellShape::segment ? "l" : "p");
    text << ' ' << first + static_cast<std::size_t>(drawn.cells()[i]) + 1 << ((i + 1) % corners == 0 ? "\n" : "");
  }
  return text.str();
}

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
  Export(const std::filesystem::path& folder, const std::filesystem::path& output) : result_(folder), output_(output) {
    make_folder(output);
  }

  ExportReport write_sequence(ExportFormat format) {
    for (std::int64_t frame = 0; frame < result_.frame_count(); ++frame) {
      TriangleMesh all;
      std::string statements;
      for (int body = 0; body < body_count(); ++body) {
        const DrawnMesh& drawn = result_.drawn(body, result_.revision_at(body, frame));
        statements += obj_statements(drawn, all.vertices.size());
        append_mesh(all, drawn.mesh(), result_.vertices(body, frame));
      }
      std::string number = std::to_string(frame);
      if (number.size() < 4) number.insert(0, 4 - number.size(), '0');
      if (format == ExportFormat::obj)
        write_obj_file(output_ / ("frame_" + number + ".obj"), all, statements);
      else
        write_ply(output_ / ("frame_" + number + ".ply"), all);
      ++report_.file_count;
    }
    report_.frame_count = report_.kept_frames = result_.frame_count();
    return report_;
  }

  ExportReport write_point_caches() {
    for (int body = 0; body < body_count(); ++body)
      for (int revision = 0; revision < static_cast<int>(outline(body).revisions.size()); ++revision)
        write_point_cache(body, revision);
    report_.frame_count = report_.kept_frames = result_.frame_count();
    return report_;
  }

 private:
  [[nodiscard]] int body_count() const { return result_.body_count(); }
  [[nodiscard]] const BodyOutline& outline(int body) const {
    return result_.outline().bodies[static_cast<std::size_t>(body)];
  }

  void write_point_cache(int body, int revision) {
    const BodyOutline& description = outline(body);
    const std::int64_t first = description.revisions[static_cast<std::size_t>(revision)].first_frame;
    const bool is_last = revision + 1 == static_cast<int>(description.revisions.size());
    const std::int64_t end =
        is_last ? result_.frame_count() : description.revisions[static_cast<std::size_t>(revision) + 1].first_frame;
    if (first == end) return;

    const DrawnMesh& drawn = result_.drawn(body, revision);
    const std::string name = description.name + (revision == 0 ? std::string() : '.' + std::to_string(revision));
    TriangleMesh mesh = drawn.mesh();
    mesh.vertices = result_.vertices(body, first);
    write_obj_file(output_ / (name + ".obj"), mesh, obj_statements(drawn, 0));
    PointCacheWriter cache(output_ / (name + ".pc2"),
                           {static_cast<std::int64_t>(mesh.vertices.size()), end - first, first});
    for (std::int64_t frame = first; frame < end; ++frame) cache.append(result_.vertices(body, frame));
    cache.finish();
    report_.file_count += 2;
  }

  DrawnResult result_;
  std::filesystem::path output_;
  ExportReport report_;
};

}  // namespace

ExportFormat export_format_from(const std::string& name) {
  if (name == "obj") return ExportFormat::obj;
  if (name == "ply") return ExportFormat::ply;
  if (name == "pc2") return ExportFormat::pc2;
  if (name == "usda") return ExportFormat::usda;
  if (name == "glb") return ExportFormat::glb;
  throw InputError("the export format '" + name + "' is unknown; use obj, ply, pc2, usda, glb or html");
}

ExportReport export_result(const std::filesystem::path& folder, ExportFormat format,
                           const std::filesystem::path& output) {
  if (format == ExportFormat::usda || format == ExportFormat::glb) {
    DrawnResult result(folder);
    const std::int64_t count = result.frame_count();
    if (format == ExportFormat::glb) return {count, write_glb(result, output).kept_frame_count, 1};
    write_usda(result, output);
    return {count, count, 1};
  }
  Export run(folder, output);
  return format == ExportFormat::pc2 ? run.write_point_caches() : run.write_sequence(format);
}

}  // namespace pliant::io
