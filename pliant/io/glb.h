// Binary glTF 2.0: a whole result in one .glb file that plays in browsers, on phones and in 3D programs.
//
//   DrawnResult result(folder);
//   const GlbReport report = write_glb(result, "drape.glb", {.max_targets = 60});
//
// One node with one mesh per body, and per mesh of a body that was cut; the one to show has scale 1, the others 0.
//   triangles    as drawn, with normals and texture coordinates
//   rods         tubes of eight sides
//   particles    a small sphere each; bodies of very many particles are points, as spheres would take 42 times the room
// What moves as a whole has a translation and a rotation in every frame. What deforms is animated by morph targets:
//
//   x(t) = x₀ + Σ wₖ(t) (xₖ − x₀)      wₖ = 1 at the time of kept frame k, 0 at the other kept frames, linear between
//
// so that kept frames are shown exactly and frames between two of them are mixed. x₀ is the first kept frame.
// Positions are single precision, m, Y up. Times are s since the first frame. Colours are linear, as glTF wants them.
//
// Source: Khronos, glTF 2.0 specification (2021), sections 3.6 (buffers), 3.7 (meshes), 3.11 (animations), 4 (GLB).
// Deviation: not every frame is kept. A graphics card holds all targets at once, and viewers slow down or give up
// beyond a few hundred; for every frame use usda.
#pragma once

#include <cstdint>
#include <filesystem>

#include "pliant/io/drawn_result.h"

namespace pliant::io {

struct GlbOptions {
  // Most frames kept of a deforming mesh, spread evenly, first and last included; at least 2. The first is the mesh
  // itself, each other one a morph target.
  int max_targets = 60;
  // Bodies of more particles than this become points. At 60 frames a sphere takes 30 kB, a point 0.7 kB.
  int sphere_limit = 1000;
};

struct GlbReport {
  std::int64_t frame_count = 0;       // of the result
  std::int64_t kept_frame_count = 0;  // of those, shown exactly as computed; all of them when nothing deforms
};

// Goes through the kept frames twice, once for the sizes and bounds that stand in front, and holds one at a time.
// A file of that name is replaced once the new one is complete. Throws WriteError, and InputError for results without
// frames, positions that are not finite, options out of range, and files beyond glTF's 4 GB.
[[nodiscard]] GlbReport write_glb(DrawnResult& result, const std::filesystem::path& file,
                                  const GlbOptions& options = {});

}  // namespace pliant::io
