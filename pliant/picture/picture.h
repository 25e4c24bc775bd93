// Pictures of results.
//
//   io::DrawnResult result("out/bunny");
//   PictureMaker maker(result, {.quantity = "speed"});
//   write_png("bunny.png", maker.frame(result.frame_count() - 1));
//
// The camera, the ground and the colours are fixed once for the whole motion: frames of a video do not jump. The bits
// of a picture do not depend on the number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pliant/io/drawn_result.h"
#include "pliant/picture/camera.h"
#include "pliant/picture/image.h"
#include "pliant/picture/shading.h"
#include "pliant/picture/smooth_normals.h"

namespace pliant::picture {

struct PictureOptions {
  int width = 1280, height = 720;  // pixels
  CameraView camera;
  Vec3 direction = Vec3(0.6, 0.35, 1).normalized();  // from the motion towards a fitted camera
  std::string quantity;                              // of DrawnResult::quantities(); empty: one colour per body
  std::optional<std::array<double, 2>> range;        // of the quantity's colours, its unit; null: over the motion
  bool wireframe = false;                            // the lines between triangles
  int samples = 16;                                  // per pixel
  bool has_ground = true;
  std::optional<double> ground;  // m, along the camera's up; null: the lowest point of the motion
};

class PictureMaker {
 public:
  // Throws InputError when the result has no frames, or not the quantity, or the view or the size cannot be used.
  PictureMaker(io::DrawnResult& result, PictureOptions options);

  // Throws InputError when there is no such frame.
  [[nodiscard]] Image frame(std::int64_t frame);

  [[nodiscard]] const Camera& camera() const { return camera_; }
  [[nodiscard]] const Look& look() const { return look_; }
  [[nodiscard]] std::array<double, 2> range() const { return range_; }
  // What one frame shows.
  [[nodiscard]] std::vector<Shape> shapes(std::int64_t frame);

 private:
  // points: m, what the camera must show.
  PictureMaker(io::DrawnResult& result, PictureOptions options, const std::vector<Vec3>& points);
  [[nodiscard]] Shape triangle_shape(int body, int revision, const std::vector<Vec3>& vertices);

  io::DrawnResult& result_;
  PictureOptions options_;
  Camera camera_;
  Look look_;
  io::QuantityDescription quantity_;
  std::array<double, 2> range_ = {0, 1};
  std::map<std::pair<int, int>, SmoothNormals> normals_;  // by body and revision
};

// Every pixel of a picture, many at a time.
[[nodiscard]] Image traced_image(const Shader& shader, int width, int height);

}  // namespace pliant::picture
