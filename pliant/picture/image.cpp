#include "pliant/picture/image.h"

#include <algorithm>
#include <cmath>

namespace pliant::picture {

Image::Image(int columns, int rows, Rgb8 colour) : width(columns), height(rows) {
  rgb.resize(3 * static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = colour[i % 3];
}

Rgb8 Image::at(int column, int row) const {
  const std::size_t i = offset(column, row);
  return {rgb[i], rgb[i + 1], rgb[i + 2]};
}

void Image::set(int column, int row, Rgb8 colour) {
  std::copy(colour.begin(), colour.end(), rgb.begin() + static_cast<std::ptrdiff_t>(offset(column, row)));
}

void Image::blend(int column, int row, Rgb8 colour, double share) {
  if (column < 0 || row < 0 || column >= width || row >= height || !(share > 0)) return;
  const double kept = 1 - std::min(share, 1.0);
  const std::size_t first = offset(column, row);
  for (std::size_t c = 0; c < 3; ++c)
    rgb[first + c] = static_cast<std::uint8_t>(std::lround(kept * rgb[first + c] + (1 - kept) * colour[c]));
}

void Image::blend_box(int column, int row, int columns, int rows, Rgb8 colour, double share) {
  for (int y = row; y < row + rows; ++y)
    for (int x = column; x < column + columns; ++x) blend(x, y, colour, share);
}

Image side_by_side(std::span<const Image> images, int gap) {
  int width = images.empty() ? 0 : gap * (static_cast<int>(images.size()) - 1), height = 0;
  for (const Image& image : images) width += image.width, height = std::max(height, image.height);
  Image strip(width, height);
  int left = 0;
  for (const Image& image : images) {
    const int top = (height - image.height) / 2;
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) strip.set(left + x, top + y, image.at(x, y));
    left += image.width + gap;
  }
  return strip;
}

double srgb_from_linear(double light) {
  const double x = std::clamp(light, 0.0, 1.0);
  return x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
}

Rgb8 to_bytes(const Vec3& srgb) {
  Rgb8 bytes{};
  for (int c = 0; c < 3; ++c)
    bytes[static_cast<std::size_t>(c)] = static_cast<std::uint8_t>(std::lround(255 * std::clamp(srgb[c], 0.0, 1.0)));
  return bytes;
}

}  // namespace pliant::picture
