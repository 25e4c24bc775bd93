// A pinhole camera, and how it is placed so that a whole motion stays in the picture.
//
//   from ──────────> to         r right, u up, b backward (from `to` to `from`): an orthonormal frame
//     half height = tan(degrees / 2) · distance; pixel (0, 0) is the upper left corner of the upper left pixel
//
// Fitting: with the frame known, a point p = (x, y, z) in it is inside the left and right sides of the picture when
//   c_x − t c_z ≤ x − t z   and   c_x + t c_z ≥ x + t z,        t = tangent of the half width, less the margin,
// for the camera's place c. All points together give A = min(x − t z), B = max(x + t z), and the smallest distance is
// c_z = (B − A) / 2t with c_x = (A + B) / 2; likewise for y. The larger of the two distances serves both.
#pragma once

#include <optional>
#include <span>

#include "pliant/io/drawn_result.h"
#include "pliant/math/types.h"

namespace pliant::picture {

// As asked for; what is missing is fitted.
struct CameraView {
  std::optional<Vec3> from, to;  // m
  Vec3 up = Vec3::UnitY();
  double degrees = 35;  // from the lower to the upper side of the picture
};

class Camera {
 public:
  // `from` and `to` differ, and `up` is not along their difference.
  Camera(const CameraView& view, int width, int height);

  struct Ray {
    Vec3 origin, direction;  // m; of length 1
  };
  // Through a place in the picture, pixels.
  [[nodiscard]] Ray ray(double x, double y) const;
  // Where a point is seen: x, y in pixels, and its distance along the line of sight in metres (negative: behind).
  [[nodiscard]] Vec3 project(const Vec3& point) const;
  // Metres a pixel covers at a distance of 1 m.
  [[nodiscard]] double pixel_size() const { return pixel_size_; }

  [[nodiscard]] const Vec3& place() const { return place_; }
  [[nodiscard]] const Vec3& right() const { return right_; }
  [[nodiscard]] const Vec3& up() const { return up_; }
  [[nodiscard]] const Vec3& backward() const { return backward_; }

 private:
  Vec3 place_, right_, up_, backward_;
  double pixel_size_;
  double centre_x_, centre_y_;
};

// What a fitted camera must show, and how.
struct Fitting {
  std::span<const Vec3> points;    // m, at least one
  Vec3 direction = Vec3::UnitZ();  // from the points towards the camera, any length
  double aspect = 1;               // width over height of the picture
  double margin = 0.07;            // share of the picture that stays free at each side
};

// Fills what is missing in the view. Throws InputError when a given view has no direction or no sensible angle.
[[nodiscard]] CameraView fitted_view(const CameraView& view, const Fitting& fitting);

// Around all points.
[[nodiscard]] io::Box bounds_of(std::span<const Vec3> points);

}  // namespace pliant::picture
