#include "pliant/picture/png.h"

#include <zlib.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "pliant/assert.h"
#include "pliant/io/atomic_file.h"

namespace pliant::picture {
namespace {

constexpr std::size_t kPixelBytes = 3;
constexpr int kCompression = 6;  // 0 to 9: beyond 6 the time doubles for one percent of the size

using Bytes = std::vector<std::uint8_t>;

void append_number(Bytes& bytes, std::uint32_t number) {
  for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(number >> shift));
}

void append_chunk(Bytes& file, std::string_view name, const Bytes& content) {
  append_number(file, static_cast<std::uint32_t>(content.size()));
  const std::size_t begin = file.size();
  file.insert(file.end(), name.begin(), name.end());
  file.insert(file.end(), content.begin(), content.end());
  // The checksum covers the name and the content, not the length.
  const uLong crc = crc32(0, file.data() + begin, static_cast<uInt>(file.size() - begin));
  append_number(file, static_cast<std::uint32_t>(crc));
}

// The neighbour (left, above, above left) closest to left + above − above_left.
int paeth(int left, int above, int above_left) {
  const int estimate = left + above - above_left;
  const int from_left = std::abs(estimate - left), from_above = std::abs(estimate - above);
  const int from_corner = std::abs(estimate - above_left);
  if (from_left <= from_above && from_left <= from_corner) return left;
  return from_above <= from_corner ? above : above_left;
}

int prediction(int filter, int left, int above, int above_left) {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return (left + above) / 2;
    case 4:
      return paeth(left, above, above_left);
    default:
      return 0;
  }
}

// The row minus what a filter predicts, with the filter's number in front.
Bytes filtered_row(int filter, std::span<const std::uint8_t> row, std::span<const std::uint8_t> row_above) {
  Bytes result{static_cast<std::uint8_t>(filter)};
  result.reserve(row.size() + 1);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const int left = i >= kPixelBytes ? row[i - kPixelBytes] : 0;
    const int above_left = i >= kPixelBytes ? row_above[i - kPixelBytes] : 0;
    result.push_back(static_cast<std::uint8_t>(row[i] - prediction(filter, left, row_above[i], above_left)));
  }
  return result;
}

long magnitude_sum(const Bytes& bytes) {
  long sum = 0;
  for (const std::uint8_t byte : bytes) sum += std::abs(static_cast<std::int8_t>(byte));
  return sum;
}

Bytes filtered_pixels(const Image& image) {
  const std::size_t row_size = kPixelBytes * static_cast<std::size_t>(image.width);
  Bytes pixels, row_above(row_size, 0);
  pixels.reserve((row_size + 1) * static_cast<std::size_t>(image.height));
  for (int y = 0; y < image.height; ++y) {
    const std::span row(image.rgb.data() + static_cast<std::size_t>(y) * row_size, row_size);
    Bytes best;
    long smallest = std::numeric_limits<long>::max();
    for (int filter = 0; filter < 5; ++filter) {
      Bytes candidate = filtered_row(filter, row, row_above);
      const long sum = magnitude_sum(candidate);
      if (sum >= smallest) continue;
      smallest = sum;
      best = std::move(candidate);
    }
    pixels.insert(pixels.end(), best.begin(), best.end());
    row_above.assign(row.begin(), row.end());
  }
  return pixels;
}

Bytes compressed(const Bytes& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  Bytes result(size);
  const int status = compress2(result.data(), &size, bytes.data(), static_cast<uLong>(bytes.size()), kCompression);
  PLIANT_ASSERT(status == Z_OK, "zlib compresses into a buffer of the size it asked for");
  result.resize(size);
  return result;
}

}  // namespace

std::vector<std::byte> png_bytes(const Image& image) {
  PLIANT_ASSERT(image.width > 0 && image.height > 0, "an image has pixels");
  Bytes file{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  Bytes header;
  append_number(header, static_cast<std::uint32_t>(image.width));
  append_number(header, static_cast<std::uint32_t>(image.height));
  // 8 bits per channel, RGB, zlib, the five filters, not interlaced.
  header.insert(header.end(), {8, 2, 0, 0, 0});
  append_chunk(file, "IHDR", header);
  append_chunk(file, "sRGB", {0});  // rendering intent: perceptual
  append_chunk(file, "IDAT", compressed(filtered_pixels(image)));
  append_chunk(file, "IEND", {});
  const auto* begin = reinterpret_cast<const std::byte*>(file.data());
  return {begin, begin + file.size()};
}

void write_png(const std::filesystem::path& path, const Image& image) {
  io::write_file_atomically(path, png_bytes(image));
}

}  // namespace pliant::picture
