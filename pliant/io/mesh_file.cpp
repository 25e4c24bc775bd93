#include "pliant/io/mesh_file.h"

#include <fstream>
#include <string>
#include <utility>

#include "pliant/input_error.h"
#include "pliant/io/gmsh.h"
#include "pliant/io/medit.h"
#include "pliant/io/obj.h"
#include "pliant/io/ply.h"
#include "pliant/io/tetgen.h"

namespace pliant::io {

namespace {

namespace fs = std::filesystem;

std::string lower_suffix(const fs::path& path) {
  std::string suffix = path.extension().string();
  for (char& c : suffix) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return suffix;
}

std::ifstream open_mesh(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    throw InputError(path.string(), "the mesh file does not exist; check the path and its spelling");
  }
  if (status.type() == fs::file_type::directory) {
    throw InputError(path.string(), "this is a folder; name a mesh file in it");
  }
  // Pipes and devices may never end.
  if (status.type() != fs::file_type::regular && status.type() != fs::file_type::none) {
    throw InputError(path.string(), "this is not a regular file; copy the mesh to one");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path.string(), "the mesh file cannot be opened; check its permissions");
  return file;
}

TetMesh read_tetgen_pair(const fs::path& path) {
  // The partner's suffix follows the spelling that was given.
  const bool capitals = path.extension().string()[1] < 'a';
  const fs::path node_path =
      lower_suffix(path) == ".node" ? path : fs::path(path).replace_extension(capitals ? ".NODE" : ".node");
  const fs::path element_path =
      lower_suffix(path) == ".ele" ? path : fs::path(path).replace_extension(capitals ? ".ELE" : ".ele");
  std::ifstream nodes = open_mesh(node_path);
  std::ifstream elements = open_mesh(element_path);
  return read_tetgen({nodes, node_path.string()}, {elements, element_path.string()});
}

}  // namespace

AnyMesh read_mesh(const fs::path& path) {
  const std::string suffix = lower_suffix(path);
  if (suffix == ".node" || suffix == ".ele") return read_tetgen_pair(path);
  const bool known = suffix == ".obj" || suffix == ".ply" || suffix == ".msh" || suffix == ".mesh";
  if (!known) {
    throw InputError(path.string(),
                     (suffix.empty() ? "a mesh file needs a suffix" : "the suffix " + suffix + " is unknown") +
                         "; known are .obj, .ply, .msh, .mesh, .node and .ele");
  }
  std::ifstream file = open_mesh(path);
  if (suffix == ".obj") return read_obj(file, path.string());
  if (suffix == ".ply") return read_ply(file, path.string());
  if (suffix == ".msh") return read_gmsh(file, path.string());
  return read_medit(file, path.string());
}

TriangleMesh read_triangle_mesh(const fs::path& path) {
  AnyMesh mesh = read_mesh(path);
  if (auto* surface = std::get_if<TriangleMesh>(&mesh)) return std::move(*surface);
  throw InputError(path.string(),
                   "the file holds tetrahedra where a surface is needed; export its boundary as OBJ or PLY");
}

TetMesh read_tet_mesh(const fs::path& path) {
  AnyMesh mesh = read_mesh(path);
  if (auto* tets = std::get_if<TetMesh>(&mesh)) return std::move(*tets);
  throw InputError(
      path.string(),
      "the file holds a surface where tetrahedra are needed; give a tetrahedral mesh (.msh, .mesh, .node), "
      "or ask for 'tetrahedralize' on the body");
}

}  // namespace pliant::io
