#include "pliant/picture/png.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "pliant/picture/sampling.h"
#include "tests/io/result_scene.h"

namespace pliant::picture {
namespace {

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

// Names and contents of the chunks; their checksums are compared on the way.
std::map<std::string, std::string> chunks_of(const std::string& file) {
  std::map<std::string, std::string> chunks;
  EXPECT_EQ(file.substr(0, 8), "\x89PNG\r\n\x1a\n");
  for (std::size_t at = 8; at < file.size();) {
    const std::size_t size = number_at(file, at);
    const auto* covered = reinterpret_cast<const Bytef*>(file.data() + at + 4);
    EXPECT_EQ(number_at(file, at + 8 + size), crc32(0, covered, static_cast<uInt>(size + 4)));
    chunks[file.substr(at + 4, 4)] = file.substr(at + 8, size);
    at += size + 12;
  }
  return chunks;
}

// Undoes the filters as a decoder does, row after row.
std::vector<std::uint8_t> unfiltered(const std::string& rows, std::size_t width, std::size_t height) {
  const std::size_t size = 3 * width;
  std::vector<std::uint8_t> pixels(size * height);
  for (std::size_t y = 0; y < height; ++y) {
    const int filter = rows[y * (size + 1)];
    for (std::size_t i = 0; i < size; ++i) {
      const int a = i >= 3 ? pixels[y * size + i - 3] : 0, b = y > 0 ? pixels[(y - 1) * size + i] : 0;
      const int c = i >= 3 && y > 0 ? pixels[(y - 1) * size + i - 3] : 0;
      const int pa = std::abs(b - c), pb = std::abs(a - c), pc = std::abs(a + b - 2 * c);
      const int paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
      const int predicted[] = {0, a, b, (a + b) / 2, paeth};
      pixels[y * size + i] =
          static_cast<std::uint8_t>(static_cast<unsigned char>(rows[y * (size + 1) + 1 + i]) + predicted[filter]);
    }
  }
  return pixels;
}

// Smooth in one half, noise in the other: all filters are used.
Image test_image(int width, int height) {
  Image image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const auto noise = static_cast<std::uint8_t>(mixed(static_cast<std::uint32_t>(x + 1000 * y)));
      const auto ramp = static_cast<std::uint8_t>(3 * x + 2 * y);
      image.set(x, y, y < height / 2 ? Rgb8{ramp, static_cast<std::uint8_t>(255 - ramp), 7} : Rgb8{noise, ramp, noise});
    }
  }
  return image;
}

TEST(Png, DecodesToTheSameBytes) {
  const io::testing::TemporaryFolder folder;
  for (const auto& [width, height] : {std::pair{1, 1}, std::pair{53, 31}}) {
    const Image image = test_image(width, height);
    write_png(folder / "a.png", image);
    auto chunks = chunks_of(io::testing::content(folder / "a.png"));
    ASSERT_EQ(chunks.count("IEND"), 1U);
    EXPECT_EQ(number_at(chunks["IHDR"], 0), static_cast<std::uint32_t>(width));
    EXPECT_EQ(number_at(chunks["IHDR"], 4), static_cast<std::uint32_t>(height));
    EXPECT_EQ(chunks["IHDR"].substr(8), std::string("\x08\x02\0\0\0", 5));

    std::string rows(static_cast<std::size_t>((3 * width + 1) * height), '\0');
    uLongf size = rows.size();
    ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size,
                         reinterpret_cast<const Bytef*>(chunks["IDAT"].data()), chunks["IDAT"].size()),
              Z_OK);
    ASSERT_EQ(size, rows.size());
    EXPECT_EQ(unfiltered(rows, static_cast<std::size_t>(width), static_cast<std::size_t>(height)), image.rgb);
  }
}

TEST(Png, UnwritablePlaceIsAnErrorOfWriting) {
  EXPECT_THROW(write_png("/nonexistent/folder/a.png", Image(2, 2)), io::WriteError);
}

}  // namespace
}  // namespace pliant::picture
