#include "benchmarks/peers/measures.h"

#include <algorithm>
#include <cmath>

#include "pliant/contact/manifold/rigid_pairs.h"

namespace pliant::peers {

Penetration penetration_of(const PeerScene& scene, std::span<const contact::Pose> poses) {
  constexpr double kTouching = 1e-3;
  const contact::ConvexShape floor = contact::half_space_shape();
  std::vector<contact::RigidPiece> pieces;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    pieces.push_back({&scene.bodies[i].shape, nullptr, poses[i], kTouching / 2});
  }
  pieces.push_back({&floor, nullptr, {}, kTouching / 2});
  const auto is_fixed = [&](int i) { return i == static_cast<int>(scene.bodies.size()) || scene.bodies[i].is_fixed; };
  contact::RigidPairs pairs;
  pairs.find(pieces, [&](int i, int j) { return !is_fixed(i) || !is_fixed(j); });
  Penetration found;
  for (const contact::RigidPair& pair : pairs.pairs()) {
    double depth = 0;
    for (const contact::ContactPoint& point : pairs.points(pair)) depth = std::max(depth, -point.gap);
    found.largest = std::max(found.largest, depth);
    found.mean += depth;
    ++found.pairs;
  }
  if (found.pairs > 0) found.mean /= found.pairs;
  return found;
}

Quality quality_of(const PeerScene& scene, const PeerRun& run) {
  Quality quality;
  if (run.poses.empty()) return quality;
  const std::size_t half = run.poses.size() / 2;
  for (std::size_t k = 0; k < run.poses.size(); ++k) {
    const Penetration there = penetration_of(scene, run.poses[k]);
    quality.largest_ever = std::max(quality.largest_ever, there.largest);
    if (k >= half) quality.mean_late += there.mean / static_cast<double>(run.poses.size() - half);
    if (k + 1 == run.poses.size()) quality.end = there;
  }
  const std::vector<contact::Pose>& last = run.poses.back();
  int moving = 0;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].is_fixed) continue;
    Vec3 way = last[i].shift - scene.bodies[i].pose.shift;
    way[1] = 0;
    quality.drift += way.norm();
    ++moving;
  }
  if (moving > 0) quality.drift /= moving;
  if (scene.top >= 0) quality.sinking = scene.bodies[scene.top].pose.shift[1] - last[scene.top].shift[1];
  return quality;
}

bool is_as_good(const PeerScene& scene, const Quality& run, const Quality& other) {
  if (scene.top >= 0) return std::abs(run.sinking) <= std::abs(other.sinking);
  return run.end.mean <= other.end.mean && run.mean_late <= other.mean_late;
}

}  // namespace pliant::peers
