// Reference frames of rods [Bergou2008; Bergou2010].
//
// Every edge of a rod carries a unit director d₁ perpendicular to its tangent t, and d₂ = t × d₁. The material frame is
// the reference frame turned about t by the edge's twist angle θ, which is an unknown:
//   m₁ = cos θ d₁ + sin θ d₂,   m₂ = −sin θ d₁ + cos θ d₂
// From one configuration to the next, directors follow their tangents by parallel transport, the turn that takes one
// tangent to the other and has no part about them: so θ changes only by spin about the tangent. Frames are always taken
// along from the last accepted configuration, never from an iterate: an energy then depends on the unknowns alone.
#pragma once

#include <vector>

#include "pliant/math/types.h"
#include "pliant/sparse/block_vector.h"

namespace pliant {

struct RodEdge {
  int from = 0, to = 0;  // blocks of its vertices
  int twist = 0;         // block of its angle θ, rad in the first entry
};
// Where edge `before` ends and edge `after` begins.
struct RodJoint {
  int before = 0, after = 0;  // indices of edges
};
// All rods of a model. A closed rod has as many joints as edges, an open one has one joint less.
struct RodTopology {
  std::vector<RodEdge> edges;
  std::vector<RodJoint> joints;
};

struct RodFrames {
  std::vector<Vec3> directors;          // d₁ per edge
  std::vector<double> reference_twist;  // rad per joint: from the transported director of `before` to that of `after`;
                                        // counted through, so that it may exceed ±π
  [[nodiscard]] bool operator==(const RodFrames& other) const = default;
};

// The vector v, perpendicular or not to the unit vector `from`, turned by the smallest turn that takes `from` to `to`.
// P v = (t·t′) v + (t×t′)×v + (t×t′)((t×t′)·v)/(1 + t·t′). Opposite vectors have no smallest turn; v is then mirrored.
[[nodiscard]] Vec3 parallel_transport(const Vec3& v, const Vec3& from, const Vec3& to);

// Unit tangent of an edge; the x axis for an edge without length.
[[nodiscard]] Vec3 tangent(const RodEdge& edge, const BlockVector& positions);

// The angle m_ref at a joint, rad, as near as a multiple of 2π allows to `near`.
[[nodiscard]] double reference_twist(const Vec3& tangent_before, const Vec3& director_before, const Vec3& tangent_after,
                                     const Vec3& director_after, double near);

// Takes the frames along from one configuration to another.
void transport(const RodTopology& rods, const BlockVector& from, const BlockVector& to, RodFrames& frames);

// Frames without reference twist (except around a closed rod): the first director of each rod is as near as possible to
// `up`, the others follow along the rod by parallel transport.
[[nodiscard]] RodFrames frames_along(const RodTopology& rods, const BlockVector& positions, const Vec3& up);

}  // namespace pliant
