// PC2: the bytes other programs expect.
#include "pliant/io/point_cache.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "pliant/assert.h"
#include "pliant/input_error.h"
#include "tests/io/result_scene.h"

namespace pliant::io {
namespace {

using testing::TemporaryFolder;

template <typename T>
T value_at(const std::string& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, &bytes.at(offset), sizeof(T));
  return value;
}

TEST(PointCache, HasTheFormatsBytes) {
  const TemporaryFolder folder;
  PointCacheWriter cache(folder / "a.pc2", {2, 3, 7});
  for (int sample = 0; sample < 3; ++sample) cache.append(testing::wave(2, sample));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.pc2"));
  cache.finish();

  std::ifstream stream(folder / "a.pc2", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  ASSERT_EQ(bytes.size(), 32u + 3 * 2 * 3 * 4);
  EXPECT_EQ(bytes.substr(0, 12), std::string("POINTCACHE2\0", 12));
  EXPECT_EQ(value_at<std::int32_t>(bytes, 12), 1);
  EXPECT_EQ(value_at<std::int32_t>(bytes, 16), 2);
  EXPECT_EQ(value_at<float>(bytes, 20), 7.0f);
  EXPECT_EQ(value_at<float>(bytes, 24), 1.0f);
  EXPECT_EQ(value_at<std::int32_t>(bytes, 28), 3);
  for (std::size_t sample = 0; sample < 3; ++sample)
    for (std::size_t i = 0; i < 6; ++i) {
      const Vec3 point = testing::wave(2, static_cast<double>(sample))[i / 3];
      EXPECT_EQ(value_at<float>(bytes, 32 + 4 * (6 * sample + i)), static_cast<float>(point[static_cast<int>(i % 3)]));
    }
}

TEST(PointCache, NeedsAllItsSamples) {
  const TemporaryFolder folder;
  PointCacheWriter cache(folder / "a.pc2", {2, 3, 0});
  EXPECT_THROW(cache.append(testing::wave(3, 0)), InternalError);
  EXPECT_THROW(cache.finish(), InternalError);
}

TEST(PointCache, RefusesMoreThanTheFormatCanCount) {
  const TemporaryFolder folder;
  EXPECT_THROW(PointCacheWriter(folder / "a.pc2", {std::int64_t{1} << 31, 1, 0}), InputError);
}

}  // namespace
}  // namespace pliant::io
