#include "pliant/contact/contact_quality.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace pliant::contact {
namespace {

// Of the strongest friction in the step: weaker ones come and go at the edge of the contact distance, and where they point
// moves nothing.
constexpr double kFaint = 1e-3;

double normal_force(const ContactForce& c) { return c.normal.dot(c.force - c.friction); }

double degrees_between(const Vec3& a, const Vec3& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b)) * 180 / std::numbers::pi;
}

// Grows with the angle between a and b, from 0 to 2.
double turn_between(const Vec3& a, const Vec3& b) {
  const double sizes = std::sqrt(a.squaredNorm() * b.squaredNorm());
  return sizes > 0 ? 1 - a.dot(b) / sizes : 0;
}

}  // namespace

void ContactQuality::include(const ContactQuality& other) {
  cone_violation = std::max(cone_violation, other.cone_violation);
  relative_cone_violation = std::max(relative_cone_violation, other.relative_cone_violation);
  friction_angle = std::max(friction_angle, other.friction_angle);
  complementarity = std::max(complementarity, other.complementarity);
}

double fischer_burmeister(double a, double b) {
  const double root = std::sqrt(a * a + b * b), sum = a + b;
  // a + b − √ = 2ab/(a + b + √) without cancellation where both are positive.
  return sum > 0 ? 2 * a * b / (sum + root) : sum - root;
}

ContactQuality contact_quality(std::span<const ContactForce> contacts) {
  // What the step's forces are large against.
  double largest_normal = 0, largest_cone = 0, largest_friction = 0;
  for (const ContactForce& c : contacts) {
    const double normal = normal_force(c), friction = c.friction.norm();
    largest_normal = std::max(largest_normal, normal);
    largest_cone = std::max({largest_cone, c.friction_coefficient * normal, friction});
    largest_friction = std::max(largest_friction, friction);
  }
  ContactQuality quality;
  const ContactForce* askew = nullptr;  // the one whose friction is the least opposed to its slip
  double most_askew = 0;
  for (const ContactForce& c : contacts) {
    const double normal = normal_force(c), friction = c.friction.norm();
    const double violation = friction - c.friction_coefficient * std::max(0.0, normal);
    quality.cone_violation = std::max(quality.cone_violation, violation);
    if (friction > kFaint * largest_friction && c.slip.squaredNorm() > c.stick_displacement * c.stick_displacement) {
      const double turn = turn_between(c.friction, -c.slip);
      if (turn > most_askew) {
        most_askew = turn;
        askew = &c;
      }
    }
    const double relative_force = largest_normal > 0 ? normal / largest_normal : 0;
    const double residual = std::abs(fischer_burmeister(c.gap / c.distance, relative_force));
    quality.complementarity = std::max(quality.complementarity, residual);
  }
  if (askew != nullptr) quality.friction_angle = degrees_between(askew->friction, -askew->slip);
  if (largest_cone > 0) quality.relative_cone_violation = quality.cone_violation / largest_cone;
  return quality;
}

}  // namespace pliant::contact
