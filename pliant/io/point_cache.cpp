#include "pliant/io/point_cache.h"

#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <vector>

#include "pliant/assert.h"
#include "pliant/input_error.h"

namespace pliant::io {
namespace {

static_assert(std::endian::native == std::endian::little, "point caches are written as they are in memory");

struct Header {
  std::array<char, 12> name = {'P', 'O', 'I', 'N', 'T', 'C', 'A', 'C', 'H', 'E', '2', '\0'};
  std::int32_t version = 1;
  std::int32_t point_count = 0;
  float first_frame = 0;
  float frames_per_sample = 1;
  std::int32_t sample_count = 0;
};
static_assert(sizeof(Header) == 32);

}  // namespace

PointCacheWriter::PointCacheWriter(const std::filesystem::path& path, const Layout& layout)
    : file_(path), layout_(layout) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (layout.point_count > kMost || layout.sample_count > kMost)
    throw InputError(path.string(), "a point cache cannot hold so many points or frames; export to ply instead");
  Header header;
  header.point_count = static_cast<std::int32_t>(layout.point_count);
  header.sample_count = static_cast<std::int32_t>(layout.sample_count);
  header.first_frame = static_cast<float>(layout.first_frame);
  file_.write(std::as_bytes(std::span(&header, 1)));
}

void PointCacheWriter::append(std::span<const Vec3> points) {
  PLIANT_ASSERT(static_cast<std::int64_t>(points.size()) == layout_.point_count, "a sample has every point");
  std::vector<float> values;
  values.reserve(3 * points.size());
  for (const Vec3& point : points)
    for (int axis = 0; axis < 3; ++axis) values.push_back(static_cast<float>(point[axis]));
  file_.write(std::as_bytes(std::span(values)));
  ++samples_written_;
}

void PointCacheWriter::finish() {
  PLIANT_ASSERT(samples_written_ == layout_.sample_count, "a point cache has as many samples as announced");
  file_.finish();
}

}  // namespace pliant::io
