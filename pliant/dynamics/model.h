// What is fixed while a scene runs: bodies, masses, energies, scripts, and the layout of the unknowns. Built once
// (scene/build_model.h, or by hand), never changed; a change of topology makes a model of the next revision.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pliant/configuration/dof_layout.h"
#include "pliant/configuration/rod_frames.h"
#include "pliant/configuration/state.h"
#include "pliant/contact/surface_map.h"
#include "pliant/dynamics/scripted_motion.h"
#include "pliant/energy/energy.h"
#include "pliant/energy/inertia.h"
#include "pliant/mesh/meshes.h"

namespace pliant {

// What an energy counts as in the balance that users see.
enum class EnergyRole { elastic, gravity, load, dissipation };

struct ModelBody {
  std::string name;
  TetMesh rest;                             // as built, in the user's vertex order
  std::vector<int> block_of_vertex;         // per vertex of `rest`
  std::vector<int> vertex_of_block;         // per block of the body, counted from its first
  std::optional<EmbeddedSurface> embedded;  // the surface the user gave, when it was tetrahedralised
  double density = 0;                       // kg/m³
};

// Vertices that are held together, and how they move.
struct ScriptedPin {
  std::vector<int> blocks;
  int first_anchor = 0;          // into State::pin_anchors: places of the blocks, then material directors of the edges
  // Edges of rods whose both ends are in `blocks`: their material frames are held too and turn with the motion.
  struct ClampedEdge {
    int edge = 0;          // into Model::rods
    int from = 0, to = 0;  // into `blocks`
  };
  std::vector<ClampedEdge> edges;
  bool holds_all = true;         // all three directions
  std::vector<Vec3> directions;  // otherwise: held unit directions
  ScriptedMotion motion;
  double from = 0;                                         // s
  double until = std::numeric_limits<double>::infinity();  // s
  int soft_pin = -1;                                       // into Controls::soft_pin_active; −1 = hard
};

struct Model {
  int revision = 0;
  DofLayout layout;
  std::vector<ModelBody> bodies;
  SurfaceMap surface;
  RodTopology rods;

  Inertia inertia;
  std::vector<std::unique_ptr<Energy>> energies;
  std::vector<EnergyRole> roles;                        // one per energy
  std::shared_ptr<const sparse::BlockPattern> pattern;  // shared with the matrices and solvers made from it

  std::vector<ScriptedPin> pins;
  std::vector<LoadCurve> loads;
  int soft_pin_count = 0;

  Vec3 gravity = Vec3::Zero();  // m/s²
  double drag = 0;              // 1/s
  double diagonal = 1;          // m, of the box around everything at the start

  // "body 'bar', vertex 12", for messages about a block.
  [[nodiscard]] std::string describe_block(int block) const;
  [[nodiscard]] int anchor_count() const;
};

}  // namespace pliant
