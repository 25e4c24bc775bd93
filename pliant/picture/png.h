// PNG files: 8-bit RGB, marked as sRGB [W3C PNG specification, third edition].
//
// A file is a signature and chunks (length, name, bytes, CRC): IHDR with the size, sRGB, IDAT with the pixels, IEND.
// The pixels are rows of one filter byte and 3 · width bytes, in one zlib stream. Of the five filters each row takes
// the one whose bytes, read as signed numbers, have the smallest sum of magnitudes: that usually compresses best.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "pliant/picture/image.h"

namespace pliant::picture {

[[nodiscard]] std::vector<std::byte> png_bytes(const Image& image);

// The file appears complete or not at all. Throws io::WriteError.
void write_png(const std::filesystem::path& path, const Image& image);

}  // namespace pliant::picture
