// What is in a picture, and which of it a ray meets first: Embree 3 behind a few plain types.
//
// Coordinates are single precision, relative to the middle of the motion: a scene far from the origin keeps its detail.
// Tubes are cones between spheres of the ends' radii, so bends are closed; balls are exact spheres.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pliant/math/types.h"

// Embree's own handle, so that its header stays out of this one.
struct RTCSceneTy;

namespace pliant::picture {

using Vec3f = Eigen::Vector3f;

enum class ShapeKind { triangles, tubes, balls };

// One body as it is drawn in one frame.
struct Shape {
  ShapeKind kind = ShapeKind::triangles;
  std::vector<Vec3f> vertices;        // m
  std::vector<Vec3i> triangles;       // triangles only: corners
  std::vector<int> segments;          // tubes only: two ends each
  std::vector<float> radius;          // m, tubes and balls: per vertex
  std::vector<Vec3f> normals;         // triangles only: unit
  std::vector<Vec3i> corner_normals;  // triangles only: index into normals per corner
  Vec3f colour = Vec3f::Zero();       // linear light, 0 to 1
  std::vector<float> value;           // per vertex, place in the colour map; empty: `colour` is used
};

struct LightRay {
  Vec3f origin, direction;
  float reach;  // in lengths of direction
};

struct Hit {
  int shape = -1;      // −1: none
  int primitive = -1;  // triangle, segment or ball
  float u = 0, v = 0;  // triangles: weights of the second and third corner; tubes: u from the first to the second end
  float distance = 0;  // in lengths of the ray's direction
  Vec3f normal = Vec3f::Zero();  // outward for tubes and balls, by the corners' order for triangles; any length
};

class Tracer {
 public:
  // Keeps its own copy of the geometry.
  explicit Tracer(std::span<const Shape> shapes);
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  // Both may be called from several threads; hits and answers are as many as rays.
  void find_nearest(std::span<const LightRay> rays, std::span<Hit> hits) const;
  // 1 where something is in the way.
  void find_blocked(std::span<const LightRay> rays, std::span<std::uint8_t> answers) const;

 private:
  RTCSceneTy* scene_ = nullptr;
};

}  // namespace pliant::picture
