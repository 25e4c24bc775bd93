#include "pliant/configuration/rod_frames.h"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "pliant/parallel/parallel.h"

namespace pliant {
namespace {

constexpr int kEdgesPerPiece = 512;

// The part of v that is perpendicular to the unit vector t, at unit length.
Vec3 perpendicular(const Vec3& v, const Vec3& t) {
  const Vec3 rest = v - v.dot(t) * t;
  const double length = rest.norm();
  return length > 1e-8 * v.norm() ? Vec3(rest / length) : Vec3(t.unitOrthogonal());
}

}  // namespace

Vec3 parallel_transport(const Vec3& v, const Vec3& from, const Vec3& to) {
  const double cosine = from.dot(to);
  if (cosine < -1 + 1e-12) return v - 2 * v.dot(from) * from;
  const Vec3 axis = from.cross(to);
  return cosine * v + axis.cross(v) + axis * (axis.dot(v) / (1 + cosine));
}

Vec3 tangent(const RodEdge& edge, const BlockVector& positions) {
  const Vec3 along = positions[edge.to] - positions[edge.from];
  const double length = along.norm();
  return length > 0 ? Vec3(along / length) : Vec3(Vec3::UnitX());
}

double reference_twist(const Vec3& tangent_before, const Vec3& director_before, const Vec3& tangent_after,
                       const Vec3& director_after, double near) {
  const Vec3 carried = parallel_transport(director_before, tangent_before, tangent_after);
  const double angle = std::atan2(tangent_after.dot(carried.cross(director_after)), carried.dot(director_after));
  constexpr double kTurn = 2 * std::numbers::pi;
  return angle + kTurn * std::round((near - angle) / kTurn);
}

void transport(const RodTopology& rods, const BlockVector& from, const BlockVector& to, RodFrames& frames) {
  parallel_for(static_cast<int>(rods.edges.size()), kEdgesPerPiece, [&](int begin, int end) {
    for (int e = begin; e < end; ++e) {
      const Vec3 now = tangent(rods.edges[e], to);
      const Vec3 carried = parallel_transport(frames.directors[e], tangent(rods.edges[e], from), now);
      frames.directors[e] = perpendicular(carried, now);  // against the drift of rounding
    }
  });
  parallel_for(static_cast<int>(rods.joints.size()), kEdgesPerPiece, [&](int begin, int end) {
    for (int j = begin; j < end; ++j) {
      const auto [before, after] = rods.joints[j];
      frames.reference_twist[j] =
          reference_twist(tangent(rods.edges[before], to), frames.directors[before], tangent(rods.edges[after], to),
                          frames.directors[after], frames.reference_twist[j]);
    }
  });
}

RodFrames frames_along(const RodTopology& rods, const BlockVector& positions, const Vec3& up) {
  RodFrames frames;
  frames.directors.assign(rods.edges.size(), Vec3::Zero());
  frames.reference_twist.assign(rods.joints.size(), 0.0);
  std::vector<int> follows(rods.edges.size(), -1);  // the edge before, unless it comes later (a closed rod's last)
  for (const RodJoint& joint : rods.joints) {
    if (joint.before < joint.after) follows[joint.after] = joint.before;
  }
  for (std::size_t e = 0; e < rods.edges.size(); ++e) {
    const Vec3 along = tangent(rods.edges[e], positions);
    const Vec3 wanted = follows[e] < 0 ? up
                                       : parallel_transport(frames.directors[follows[e]],
                                                            tangent(rods.edges[follows[e]], positions), along);
    frames.directors[e] = perpendicular(wanted, along);
  }
  for (std::size_t j = 0; j < rods.joints.size(); ++j) {
    const auto [before, after] = rods.joints[j];
    frames.reference_twist[j] = reference_twist(tangent(rods.edges[before], positions), frames.directors[before],
                                                tangent(rods.edges[after], positions), frames.directors[after], 0);
  }
  return frames;
}

}  // namespace pliant
