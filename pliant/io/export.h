// Takes a result to other programs: sequences of OBJ or PLY files, PC2 point caches, USD, glTF.
//
//   obj, ply   output/frame_0000.obj, …: all bodies of a frame in one file, positions as in the result
//   pc2        output/<body>.obj (mesh in the first frame) and output/<body>.pc2 (its moving vertices); bodies that
//   were
//              cut get <body>.1.obj, <body>.1.pc2 and so on for their later meshes
//
// What is exported of a body: its embedded surface when it has one, the boundary of its tets, its triangles; segments
// and points are written as OBJ lines and points, and in PLY as vertices without faces.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace pliant::io {

enum class ExportFormat { obj, ply, pc2, usda, glb };

// Throws InputError for names that are unknown.
[[nodiscard]] ExportFormat export_format_from(const std::string& name);

struct ExportReport {
  std::int64_t frame_count = 0;
  std::int64_t kept_frames = 0;  // fewer than all in glb files of long animations
  std::int64_t file_count = 0;
};

// Creates the folder `output`; files of the same names are replaced. Throws InputError and WriteError.
[[nodiscard]] ExportReport export_result(const std::filesystem::path& folder, ExportFormat format,
                                         const std::filesystem::path& output);

}  // namespace pliant::io
