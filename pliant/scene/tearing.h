// Tears and cuts of a scene: what gives way after a step, and the model that takes over.
//
// A body tears where an element is stretched beyond its limit. `splitting` parts the elements around one vertex of the
// most stretched element of a neighbourhood by the plane across the stretch, so that a tear grows by two edges (or by
// the faces around a vertex) per step; `removal` takes elements out. A cut does either along a plane through the body.
// Both open the mesh between steps and build the model anew (mesh/tear.h keeps it a manifold); mass and momentum stay,
// those of removed elements at their vertices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pliant/mesh/tear.h"
#include "pliant/scene/build_model.h"
#include "pliant/scene/placed_body.h"
#include "pliant/scene/scene.h"

namespace pliant::scene {

// What happens to a body at once.
struct Tear {
  int body = 0;         // of the model
  MeshOpening opening;  // of its present elements
};

class Tearing {
 public:
  // start: of revision 0. Throws InputError when a body that is to tear cannot.
  Tearing(const Scene& scene, std::vector<PlacedBody> placed, const Model& model, State start);

  // Whether any of this can happen in the scene.
  [[nodiscard]] bool is_possible() const { return is_possible_; }
  // What gives way in a state that was reached by a step from `begin` seconds on; cuts that meet nothing leave a sentence
  // in `notes`.
  [[nodiscard]] std::vector<Tear> find(const Model& model, const State& state, double begin,
                                       std::vector<std::string>& notes) const;

  struct Revision {
    BuiltScene built;         // its state is that of t = 0, with copies beside their vertices
    std::vector<int> source;  // per block: the block of the model before that it comes from
    int vertices_added = 0, elements_removed = 0;
  };
  // Tears bodies of `model`, the present one.
  [[nodiscard]] Revision apply(const std::vector<Tear>& tears, const Model& model);

 private:
  [[nodiscard]] static bool is_due(const Cut& cut, double begin, double end);

  const Scene& scene_;
  std::vector<PlacedBody> placed_;
  std::vector<int> placed_of_body_;                    // per body of the model
  std::vector<std::vector<const Cut*>> cuts_of_body_;  // in scene_
  State start_;                                        // at t = 0, of the present revision
  bool is_possible_ = false;
};

}  // namespace pliant::scene
