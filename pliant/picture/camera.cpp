#include "pliant/picture/camera.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "pliant/assert.h"
#include "pliant/input_error.h"

namespace pliant::picture {
namespace {

struct ViewFrame {
  Vec3 right, up, backward;
};

ViewFrame view_frame(const Vec3& towards_camera, const Vec3& up) {
  ViewFrame frame;
  frame.backward = towards_camera.normalized();
  Vec3 right = up.cross(frame.backward);
  // Seen exactly from above or below: any horizontal direction serves as right.
  if (right.norm() < 1e-9 * up.norm()) right = frame.backward.unitOrthogonal();
  frame.right = right.normalized();
  frame.up = frame.backward.cross(frame.right);
  return frame;
}

// Smallest interval conditions of one picture direction, see the header.
struct Sides {
  double tangent;
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  void add(double x, double z) {
    lowest = std::min(lowest, x - tangent * z);
    highest = std::max(highest, x + tangent * z);
  }
  [[nodiscard]] double middle() const { return (lowest + highest) / 2; }
  // Of a camera at coordinate c.
  [[nodiscard]] double distance(double c) const { return std::max(c - lowest, highest - c) / tangent; }
};

void check_view(const CameraView& view) {
  if (!(view.degrees > 0 && view.degrees < 180))
    throw InputError("the camera's angle is " + std::to_string(view.degrees) +
                     " degrees; it must lie between 0 and 180");
  if (!(view.up.norm() > 0)) throw InputError("the camera's up direction is zero; give e.g. [0, 1, 0]");
  if (view.from && view.to && !((*view.from - *view.to).norm() > 0))
    throw InputError("the camera stands where it looks to; move `from` away from `to`");
}

}  // namespace

Camera::Camera(const CameraView& view, int width, int height)
    : place_(view.from.value_or(Vec3::Zero())), centre_x_(width / 2.0), centre_y_(height / 2.0) {
  PLIANT_ASSERT(view.from && view.to, "a camera is fitted before it is used");
  const ViewFrame frame = view_frame(place_ - *view.to, view.up);
  right_ = frame.right;
  up_ = frame.up;
  backward_ = frame.backward;
  pixel_size_ = std::tan(view.degrees * std::numbers::pi / 360) / centre_y_;
}

Camera::Ray Camera::ray(double x, double y) const {
  const Vec3 direction = (x - centre_x_) * pixel_size_ * right_ + (centre_y_ - y) * pixel_size_ * up_ - backward_;
  return {place_, direction.normalized()};
}

Vec3 Camera::project(const Vec3& point) const {
  const Vec3 offset = point - place_;
  const double depth = -offset.dot(backward_);
  return {centre_x_ + offset.dot(right_) / (depth * pixel_size_), centre_y_ - offset.dot(up_) / (depth * pixel_size_),
          depth};
}

CameraView fitted_view(const CameraView& view, const Fitting& fitting) {
  PLIANT_ASSERT(!fitting.points.empty(), "there is something to fit");
  check_view(view);
  CameraView fitted = view;
  const io::Box bounds = bounds_of(fitting.points);
  const Vec3 centre = (bounds.low + bounds.high) / 2;
  if (!fitted.to) fitted.to = centre;
  if (fitted.from) {
    // A camera in the very middle of the motion looks against the fitted direction.
    if (!((*fitted.from - *fitted.to).norm() > 0)) fitted.to = *fitted.from - fitting.direction;
    return fitted;
  }

  // The smallest distance at which all points are inside.
  const ViewFrame frame = view_frame(fitting.direction, view.up);
  const double tangent = std::tan(view.degrees * std::numbers::pi / 360) * (1 - 2 * fitting.margin);
  Sides across{tangent * fitting.aspect}, upright{tangent};
  double nearest = -std::numeric_limits<double>::infinity();
  for (const Vec3& point : fitting.points) {
    const double depth = point.dot(frame.backward);
    across.add(point.dot(frame.right), depth);
    upright.add(point.dot(frame.up), depth);
    nearest = std::max(nearest, depth);
  }
  const bool is_free = !view.to;  // a given `to` stays in the middle of the picture
  const double x = is_free ? across.middle() : view.to->dot(frame.right);
  const double y = is_free ? upright.middle() : view.to->dot(frame.up);
  double z = std::max(across.distance(x), upright.distance(y));
  // A motion without extent is seen from a metre away.
  if (!(z - nearest > 1e-9 * (1 + std::abs(nearest)))) z = nearest + 1;
  fitted.from = x * frame.right + y * frame.up + z * frame.backward;
  fitted.to = x * frame.right + y * frame.up + (is_free ? centre : *view.to).dot(frame.backward) * frame.backward;
  return fitted;
}

io::Box bounds_of(std::span<const Vec3> points) {
  io::Box box;
  if (!points.empty()) box.low = box.high = points[0];
  for (const Vec3& point : points) {
    box.low = box.low.cwiseMin(point);
    box.high = box.high.cwiseMax(point);
  }
  return box;
}

}  // namespace pliant::picture
