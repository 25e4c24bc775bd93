// Contact forces per vertex: what the contacts of a step do to the vertices of every body's mesh.
//
//   f_v = Σ over contacts  s · f        s the vertex's share: positive on the first body, negative on the second
//
// Shares are the weights of the closest points (ContactForce::share). A point that a tet carries passes its part on to the
// corners by its barycentric weights. A rigid body or an obstacle that a method meets as a whole bears a contact at the
// nearest triangle of its mesh, with the barycentric weights of the place there. So forces add up to what acts on the body,
// and those of two bodies on each other to nothing. Left out: the part of the barrier between nearly parallel edges that turns them
// (contact/barrier.h), which adds nothing to any sum.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "pliant/configuration/state.h"
#include "pliant/contact/contact_force.h"
#include "pliant/dynamics/model.h"
#include "pliant/mesh/signed_distance.h"

namespace pliant {

// N, per vertex of the mesh; `rest` of a body, `mesh` of an obstacle.
struct BodyVertexForces {
  std::vector<Vec3> normal, friction;
};

class VertexForces {
 public:
  // Bodies of the model, then its obstacles. The model must have contact; its revisions may differ from call to call.
  [[nodiscard]] std::vector<BodyVertexForces> find(const Model& model, const State& state,
                                                   std::span<const contact::ContactForce> forces);

 private:
  void bear_at_points(const Model& model, const contact::ContactForce& force, double sign, BodyVertexForces& out) const;
  void bear_at_triangle(const Model& model, const State& state, const contact::ContactForce& force, double sign,
                        BodyVertexForces& out);

  std::vector<int> first_point_;               // per body of the surface
  std::map<int, mesh::SignedDistance> trees_;  // of bodies that are met as a whole: these never tear
};

}  // namespace pliant
