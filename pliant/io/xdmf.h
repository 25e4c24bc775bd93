// result.xdmf: the description with which ParaView opens result.h5.
//
// One temporal collection per body, with a grid per frame whose points are a slab of `positions` (frame, all vertices,
// xyz). Fields become attributes: one component a scalar, three a vector, six a symmetric tensor, others are left out.
// A spatial collection per frame was tried instead: ParaView then renames the bodies in every frame (sheet[1], …).
// XDMF 2: of the readers ParaView offers, choose "XDMF Reader"; its Xdmf3 readers do not read slabs of datasets.
// The XDMF file holds no numbers except times; it must stay in the folder of its result.h5.
#pragma once

#include <filesystem>
#include <string>

#include "pliant/io/result_file_types.h"

namespace pliant::io {

// The text for a result in the file named `data_file` (relative to the XDMF file).
[[nodiscard]] std::string xdmf_text(const ResultOutline& outline, const std::string& data_file);

// Writes folder/result.xdmf. Throws WriteError.
void write_xdmf(const std::filesystem::path& folder, const ResultOutline& outline);

}  // namespace pliant::io
