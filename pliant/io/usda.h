// USD as text: a whole result in one .usda file, for Houdini, Blender, Omniverse and others.
//
//   DrawnResult result(folder);
//   write_usda(result, "drape.usda");
//
// One prim per body: triangles are a Mesh, rods BasisCurves (linear, with widths), particles Points (with widths). What
// deforms has a sample of its points per frame; what moves as a whole has a translation and an orientation per frame.
// A body that was cut has one prim per mesh (sheet, sheet_1, …), of which one is visible at a time.
// Each body has a UsdPreviewSurface of its colour. Lengths in m, Y up.
//
// Time codes are frames: timeCodesPerSecond is the mean frame rate, and the code of a frame is its time [s] times that.
// Positions are single precision (USD's point3f), written with the fewest digits that read back as the same number.
// A sample equal to both its neighbours is left out: interpolation gives it back.
//
// Source: OpenUSD's text file format and its schemas UsdGeom and UsdShade.
// Deviation: prim names allow only letters, digits and _, so other characters become _; the name of the body is kept as
// displayName and in customData.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "pliant/io/drawn_result.h"

namespace pliant::io {

// Streams: needs the memory of a few frames of one body. A file of that name is replaced once the new one is complete.
// Throws WriteError, and InputError for results without frames or with positions that are not finite.
void write_usda(DrawnResult& result, const std::filesystem::path& file);

// Segments (two corners each) as curves: vertex after vertex, ending where not exactly two segments meet. Every segment
// is in one curve; a closed curve repeats its first vertex.
[[nodiscard]] std::vector<std::vector<int>> curves_of_segments(std::span<const int> corners);

}  // namespace pliant::io
