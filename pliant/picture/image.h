// A finished picture: 8-bit sRGB, rows from top to bottom.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/io/drawn_result.h"
#include "pliant/math/types.h"

namespace pliant::picture {

using Rgb8 = std::array<std::uint8_t, 3>;

struct Image {
  int width = 0, height = 0;      // pixels
  std::vector<std::uint8_t> rgb;  // 3 × width × height

  Image() = default;
  Image(int columns, int rows, Rgb8 colour = {255, 255, 255});

  [[nodiscard]] Rgb8 at(int column, int row) const;
  void set(int column, int row, Rgb8 colour);
  // Covers a share of the pixel, 0 to 1, by a colour; places outside the image are ignored.
  void blend(int column, int row, Rgb8 colour, double share);
  // The same for a rectangle.
  void blend_box(int column, int row, int columns, int rows, Rgb8 colour, double share);

 private:
  [[nodiscard]] std::size_t offset(int column, int row) const {
    return 3 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(width) + static_cast<std::size_t>(column));
  }
};

// Pictures from left to right, `gap` white pixels between them; lower ones are centred.
[[nodiscard]] Image side_by_side(std::span<const Image> images, int gap);

// Between light, which adds up, and the numbers of sRGB [IEC 61966-2-1], which eyes find evenly spaced; both 0 to 1.
[[nodiscard]] double srgb_from_linear(double light);
using io::linear_from_srgb;
[[nodiscard]] Rgb8 to_bytes(const Vec3& srgb);

}  // namespace pliant::picture
