// Parts bodies that intersect, or are nearer than they may be, before the first step: each as a whole, without turning.
//
// Again and again, until the judge finds nothing and every gap is open, each meeting i of two bodies says where the first
// should go (n_i) and how far (d_i):
//
//   an edge through a triangle    out of the triangle's plane, until its deeper end is half the contact distance above it;
//                                 out: of a closed surface its outside, else the side where the middle of the edge's body is
//   primitives without a gap      along the line of their closest points, until the gap is half the contact distance
//
// The two part along Σ n_i/d_i², as far as the longest d_i of those that face about the same way: the shallow meetings
// decide. (With Σ d_i n_i edges that run along a face and through its neighbours push sideways, much further than needed;
// along the shallowest n_i alone a box on a ball is pushed to and fro.) At most a tenth of the smaller body at a time; they
// share the way, and one that cannot move (obstacles, bodies with a pin) leaves all of it to the other. This is for bodies
// that overlap somewhat. A body that intersects itself stays as it is.
#pragma once

#include <vector>

#include "pliant/contact/contact_potential.h"
#include "pliant/dynamics/model.h"

namespace pliant::scene {

struct Separation {
  std::vector<Vec3> moved;  // m, per body of the model
  int rounds = 0;
  bool is_apart = false;  // no two bodies intersect or touch
};

// model.contact must be there; controls: of the start. positions [m] are changed.
[[nodiscard]] Separation separate_bodies(const Model& model, const contact::ContactOptions& options,
                                         const Controls& controls, BlockVector& positions);

}  // namespace pliant::scene
