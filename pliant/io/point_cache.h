// PC2 point caches: the moving vertices of one mesh, as Blender's Mesh Cache modifier and others read them.
//
// File, little endian: "POINTCACHE2" and a zero byte; version 1 (int32), points (int32), first frame (float32), frames
// per sample (float32), samples (int32); then x y z (float32, m) of every point of sample 0, of sample 1, …
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "pliant/io/atomic_file.h"
#include "pliant/math/types.h"

namespace pliant::io {

class PointCacheWriter {
 public:
  struct Layout {
    std::int64_t point_count = 0;
    std::int64_t sample_count = 0;  // one per frame
    std::int64_t first_frame = 0;
  };
  // Throws WriteError; InputError when a count exceeds what the format can hold.
  PointCacheWriter(const std::filesystem::path& path, const Layout& layout);

  void append(std::span<const Vec3> points);  // m
  // After sample_count samples: the file takes its name.
  void finish();

 private:
  AtomicFile file_;
  Layout layout_;
  std::int64_t samples_written_ = 0;
};

}  // namespace pliant::io
