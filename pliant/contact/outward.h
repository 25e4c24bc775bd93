// Which way is out of a solid, at a triangle of its surface, at an edge, at a vertex.
//
//   N = Σ α_t n_t    over the triangles around, α_t their angle at a vertex and 1 elsewhere              [Baerentzen2005]
//
// Seen from the nearest point of a closed surface, what is outside is on the side of N, also at sharp edges and tips.
// Two solids that touch look at each other: with n from the second to the first, N₂·n ≥ 0 ≥ N₁·n. Where it is the other
// way round on both sides they overlap; where on one side only, the two parts do not meet at all: one of them is the far
// side of something thin, or reaches past the other.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pliant/contact/contact_geometry.h"
#include "pliant/contact/contact_surface.h"

namespace pliant::contact {

enum class Meeting { touch, overlap, none };

class Outward {
 public:
  explicit Outward(const ContactSurface& surface);

  // N, not a unit vector; zero where nothing is around. corners: one to three points of a triangle. x: m, of all points.
  [[nodiscard]] Vec3 normal(std::span<const int> corners, std::span<const Vec3> x) const;
  // How parts of two bodies meet whose closest points have these weights, with the normal from the second to the first.
  // Unless both bodies are solid it is a touch.
  [[nodiscard]] Meeting meeting(PairKind kind, const std::array<int, 4>& point, const std::array<double, 4>& weight,
                                const Vec3& normal, std::span<const Vec3> x) const;

 private:
  [[nodiscard]] Vec3 normal_of_side(const std::array<int, 4>& point, const std::array<double, 4>& weight, int first,
                                    int last, std::span<const Vec3> x) const;

  const ContactSurface& surface_;
  std::vector<int> first_around_, around_;  // triangles of solids around each point
};

}  // namespace pliant::contact
