// The light that reaches a pixel: sun with soft shadows, sky with ambient occlusion, a ground with a faint grid.
//
// Radiance of a matt surface with reflectance a (everything divided by π):
//   L = a (S V_s max(0, n·s) + A · mean over the cosine-weighted hemisphere of V(d) sky(d)) + a small highlight
//   S, A   strengths of sun and sky; s direction to the sun, a disc of tangent radius kSunRadius
//   V      1 where nothing is in the way; blocked sky directions return a little of the surface's own colour instead
// Deviations from light as it is: nothing bounces twice; the ground shows its light relative to an unshadowed place,
// so that it meets the background without a line. Shadow rays of smooth-shaded triangles start on the curved surface
// that the normals stand for [Hanika2021, "Hacking the Shadow Terminator"], and grazing sun fades out before the
// triangles turn away from it [Chiang2019, "Taming the Shadow Terminator"]: else coarse meshes show saw teeth.
#pragma once

#include <optional>
#include <span>

#include "pliant/picture/camera.h"
#include "pliant/picture/image.h"
#include "pliant/picture/tracer.h"

namespace pliant::picture {

enum class MeshLines { hidden, shown };

struct Look {
  Vec3 origin = Vec3::Zero();    // m, the world point at the shapes' (0, 0, 0)
  double size = 1;               // m, diagonal of the motion: scales shadow offsets, grid and fading
  Vec3 up = Vec3::UnitY();       // unit
  std::optional<double> ground;  // m, height along `up`; null: none
  MeshLines lines = MeshLines::hidden;
  int samples = 16;      // places per pixel
  int sun_rays = 1;      // per sample
  int ambient_rays = 2;  // per sample
};

class Shader {
 public:
  // Refers to the tracer, the shapes and the camera.
  Shader(const Tracer& tracer, std::span<const Shape> shapes, const Camera& camera, const Look& look);

  // Mean linear light of a pixel, before tone mapping.
  [[nodiscard]] Vec3f pixel(int column, int row) const;

  [[nodiscard]] const Vec3f& sun() const { return sun_; }

 private:
  struct Spot;   // a place where a sample meets a surface
  struct Batch;  // the samples of a pixel that are traced together
  struct Light {
    Vec3f ambient;
    float sun;
    bool is_plain;  // nothing was in the way, nor could much be
  };

  void add_samples(int column, int row, int first, int end, Batch& batch) const;
  void light_samples(int column, int row, int first, Batch& batch) const;
  [[nodiscard]] Vec3f background(const Vec3f& direction) const;
  [[nodiscard]] Vec3f sky(const Vec3f& origin, const Vec3f& direction) const;
  [[nodiscard]] Vec3f sun_direction(const Eigen::Vector2f& point) const;
  [[nodiscard]] std::optional<Spot> ground_spot(const LightRay& ray) const;
  [[nodiscard]] Spot shape_spot(const LightRay& ray, const Hit& hit, const Vec2& place) const;
  void smooth_triangle(const Shape& shape, const Hit& hit, Spot& spot) const;
  [[nodiscard]] float line_share(const Shape& shape, const Hit& hit, const Vec2& place) const;
  [[nodiscard]] float grid_share(const Vec3f& point, float distance) const;
  [[nodiscard]] Vec3f radiance(const Spot& spot, const Light& light) const;

  const Tracer& tracer_;
  std::span<const Shape> shapes_;
  const Camera& camera_;
  Look look_;
  Vec3f up_, sun_, sun_across_, sun_along_;
  Vec3f ground_across_, ground_along_;  // directions of the grid
  Vec3f middle_ = Vec3f::Zero();        // of a sphere around the shapes, and its radius
  float radius_ = 0;
  float size_, ground_height_ = 0, grid_spacing_ = 1;
  Vec3f open_ground_light_;  // where nothing is in the way
};

// Highlights rolled off gently towards white, then sRGB.
[[nodiscard]] Rgb8 tone_mapped(const Vec3f& light);

}  // namespace pliant::picture
