#include "pliant/scene/build_pins.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <numbers>

#include "pliant/energy/attachment/soft_pin.h"
#include "pliant/input_error.h"
#include "pliant/scene/selection.h"

namespace pliant::scene {
namespace {

// Held unit directions of a pin that does not hold everything.
std::vector<Vec3> held_directions(const Pin& pin) {
  if (pin.direction) return {pin.direction->normalized()};
  std::vector<Vec3> directions;
  if (pin.axes.x) directions.push_back(Vec3::UnitX());
  if (pin.axes.y) directions.push_back(Vec3::UnitY());
  if (pin.axes.z) directions.push_back(Vec3::UnitZ());
  return directions;
}

// Springs that share the pin's stiffness by mass.
void add_springs(const ScriptedPin& pin, double stiffness, const Model& model, std::vector<SoftPin::Spring>& springs) {
  Mat3 projector = Mat3::Identity();
  if (!pin.holds_all) {
    projector.setZero();
    for (const Vec3& d : pin.directions) projector += d * d.transpose();
  }
  double total = 0;
  for (const int block : pin.blocks) {
    // Axes of a rigid body repeat the mass of its centre; their springs resist turning as its points would.
    if (model.layout.kind(block) != BlockKind::rigid_axis) total += model.inertia.masses()[block];
  }
  for (std::size_t v = 0; v < pin.blocks.size(); ++v) {
    const int block = pin.blocks[v];
    springs.push_back({block, pin.first_anchor + static_cast<int>(v), pin.soft_pin,
                       stiffness * model.inertia.masses()[block] / total, projector});
  }
}

// A rigid body is held as a whole or not at all.
void check_rigid_pin(const Pin& pin, const ModelBody& body, const ScriptedPin& scripted) {
  if (body.rigid < 0 || (std::holds_alternative<AllSelection>(pin.where) && scripted.holds_all)) return;
  throw InputError(pin.source,
                   fmt::format("body '{}' is rigid: a pin holds all of it (where: {{all: true}}, all axes) or nothing; "
                               "to hold one of its points or directions, use a joint",
                               body.name));
}

// The middle of what is pinned, m.
Vec3 centre_of_pin(const std::vector<int>& blocks, const Model& model, const BlockVector& positions) {
  Vec3 sum = Vec3::Zero();
  int count = 0;
  for (const int block : blocks) {
    if (model.layout.kind(block) == BlockKind::rigid_axis) continue;  // a direction
    sum += positions[block];
    ++count;
  }
  return sum / count;
}

// Edges of the body with both ends in the pin. Blocks of a pin are ascending.
void clamp_edges(const Model& model, int body, ScriptedPin& pin) {
  const ModelBody& rod = model.bodies[body];
  if (rod.kind != BodyKind::rod) return;
  const auto place_of = [&](int block) {
    const auto found = std::lower_bound(pin.blocks.begin(), pin.blocks.end(), block);
    return found != pin.blocks.end() && *found == block ? static_cast<int>(found - pin.blocks.begin()) : -1;
  };
  for (std::size_t s = 0; s < rod.segments.size(); ++s) {
    const int edge = rod.first_rod_edge + static_cast<int>(s);
    const int from = place_of(model.rods.edges[edge].from), to = place_of(model.rods.edges[edge].to);
    if (from >= 0 && to >= 0) pin.edges.push_back({edge, from, to});
  }
}

// Strands grow out of an obstacle: the first edge of each moves with it.
ScriptedPin root_pin(const Scene& scene, const PlacedBody& strands, const Model& model) {
  const int body = bodies_named(model, strands.name).front();
  ScriptedPin pin;
  for (const Chain& chain : strands.chains) {
    for (int i = 0; i < 2; ++i) pin.blocks.push_back(model.bodies[body].block_of_vertex[chain.vertices[i]]);
  }
  std::sort(pin.blocks.begin(), pin.blocks.end());
  clamp_edges(model, body, pin);
  const std::string& ground = std::get<StrandsMesh>(strands.body->mesh.shape).on;
  for (const Obstacle& obstacle : model.obstacles) {
    if (obstacle.name == scene.body(ground).name) pin.motion = obstacle.motion;
  }
  return pin;
}

}  // namespace

ScriptedMotion scripted_motion(const Motion& motion, const Vec3& centre) {
  if (const auto* move = std::get_if<MoveMotion>(&motion)) return ScriptedMotion(Move{move->velocity});
  if (const auto* rotate = std::get_if<RotateMotion>(&motion)) {
    return ScriptedMotion(
        Rotate{rotate->axis.normalized(), rotate->center, rotate->degrees_per_second * std::numbers::pi / 180});
  }
  Keyframes keyframes;
  keyframes.centre = centre;
  const auto& keyed = std::get<KeyframeMotion>(motion);
  keyframes.repeats = keyed.repeat;
  for (const Keyframe& key : keyed.keyframes) {
    const Eigen::Quaterniond turn(rotation_matrix(key.rotation));
    keyframes.keys.push_back({key.t / keyed.speed, key.position, Vec4(turn.w(), turn.x(), turn.y(), turn.z())});
  }
  return ScriptedMotion(keyframes);
}

void add_pins(const Scene& scene, const State& start, const std::vector<const PlacedBody*>& rooted, Model& model) {
  std::vector<SoftPin::Spring> springs;
  int anchors = 0;
  for (const Pin& wanted : scene.pins) {
    for (const int body : bodies_named(model, wanted.body)) {
      ScriptedPin pin;
      pin.blocks = blocks_of(select(model, start, body, wanted.where, wanted.source));
      pin.first_anchor = anchors;
      pin.holds_all = !wanted.direction && wanted.axes.x && wanted.axes.y && wanted.axes.z;
      if (!pin.holds_all) pin.directions = held_directions(wanted);
      check_rigid_pin(wanted, model.bodies[body], pin);
      pin.motion = scripted_motion(wanted.motion, centre_of_pin(pin.blocks, model, start.positions));
      pin.from = wanted.from;
      if (wanted.until) pin.until = *wanted.until;
      if (wanted.stiffness) {
        pin.soft_pin = model.soft_pin_count++;
        add_springs(pin, *wanted.stiffness, model, springs);
      }
      if (pin.holds_all && pin.soft_pin < 0 && wanted.twist == PinTwist::held) clamp_edges(model, body, pin);
      anchors += static_cast<int>(pin.blocks.size() + pin.edges.size());
      model.pins.push_back(std::move(pin));
    }
  }
  for (const PlacedBody* strands : rooted) {
    ScriptedPin pin = root_pin(scene, *strands, model);
    pin.first_anchor = anchors;
    anchors += static_cast<int>(pin.blocks.size() + pin.edges.size());
    model.pins.push_back(std::move(pin));
  }
  if (!springs.empty()) {
    model.energies.push_back(std::make_unique<SoftPin>(std::move(springs)));
    model.roles.push_back(EnergyRole::elastic);
  }
}

}  // namespace pliant::scene
