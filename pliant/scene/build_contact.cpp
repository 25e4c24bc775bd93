#include "pliant/scene/build_contact.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pliant/input_error.h"
#include "pliant/mesh/signed_distance.h"
#include "pliant/mesh/surface.h"
#include "pliant/scene/build_bodies.h"
#include "pliant/scene/separate_bodies.h"
#include "pliant/scene/verification.h"

namespace pliant::scene {
namespace {

using contact::ContactSurface;
using contact::SurfacePart;

constexpr double kDistanceOfDiagonal = 1e-3, kDistanceOfEdge = 0.5;
constexpr int kMostListed = 100000;         // intersections at the start
constexpr double kDistanceOfRadius = 0.05;  // of grains: gaps at which they are filled in (grains.h)
constexpr double kWidthOfLine = 0.1;        // of the mean length of its segments
constexpr double kInsideOfExtent = 1e-9;    // of a shape's size: rounding of what begins on its surface

// A solid's boundary or what it carries, cloth's triangles, segments of rods and springs, grains.
SurfacePart part_of(const ModelBody& body, const SurfaceMap& map, std::size_t index, const BlockVector& positions) {
  SurfacePart part;
  part.name = body.name;
  const int first = map.first_point[index], last = map.first_point[index + 1];
  if (last > first) {
    part.points.assign(map.points.begin() + first, map.points.begin() + last);
    for (int t = map.first_triangle[index]; t < map.first_triangle[index + 1]; ++t)
      part.triangles.emplace_back(map.triangles[t] - Vec3i::Constant(first));
  } else {
    for (const int block : body.block_of_vertex) part.points.push_back(MappedPoint::vertex(block));
    part.segments = body.segments;
    part.segment_width = 2 * body.radius;
    part.is_loose = body.kind == BodyKind::particles;
    for (int v = 0; v < static_cast<int>(body.radii.size()); ++v) part.segments.push_back({v, v});
  }
  for (const MappedPoint& point : part.points) part.rest.push_back(point.evaluate(positions));
  // Lines without a radius need an area to press on, too.
  if (part.segment_width == 0 && !part.segments.empty()) {
    double length = 0;
    for (const auto& [a, b] : part.segments) length += (part.rest[a] - part.rest[b]).norm();
    part.segment_width = kWidthOfLine * length / static_cast<double>(part.segments.size());
  }
  return part;
}

bool can_open(const Scene& scene, const Body& body) {
  return body.tearing ||
         std::any_of(scene.cuts.begin(), scene.cuts.end(), [&](const Cut& cut) { return cut.body == body.name; });
}

// Bodies of the surface that rigid contact meets as meshes, and those it meets at all.
struct PieceKinds {
  std::vector<unsigned char> is_piece, is_mesh;
  PieceKinds(const Model& model, int body_count)
      : is_piece(static_cast<std::size_t>(body_count), 0), is_mesh(static_cast<std::size_t>(body_count), 0) {
    for (const contact::ContactPiece& piece : model.pieces) {
      is_piece[static_cast<std::size_t>(piece.body)] = 1;
      is_mesh[static_cast<std::size_t>(piece.body)] = piece.mesh ? 1 : 0;
    }
  }
  // Whether constraints part them when they overlap: rigid bodies and obstacles, but not two meshes (contact/manifold/).
  [[nodiscard]] bool have_manifold(const std::array<int, 2>& body) const {
    const auto a = static_cast<std::size_t>(body[0]), b = static_cast<std::size_t>(body[1]);
    return is_piece[a] != 0 && is_piece[b] != 0 && (is_mesh[a] == 0 || is_mesh[b] == 0);
  }
};

// Surfaces have one thickness per body.
void check_grains(const Scene& scene, const Body& body, const ModelBody& grains) {
  if (contact_response(scene) == ContactMethod::penalty) {
    throw InputError(body.source,
                     fmt::format("contact.method: penalty is not for particles, and body '{}' is made of them; use "
                                 "solver.method newton, or contact: false of the body",
                                 body.name));
  }
  if (contact_response(scene) == ContactMethod::projected) return;
  const auto [least, most] = std::minmax_element(grains.radii.begin(), grains.radii.end());
  if (*least == *most) return;
  throw InputError(body.source,
                   fmt::format("particles of several radii have contact under solver.method projection only, and those "
                               "of body '{}' spread; set radius_spread: 0 in its material, or contact: false",
                               body.name));
}

void set_grain_radii(const Model& model, ContactSurface& surface) {
  std::vector<std::size_t> next(model.bodies.size(), 0);  // points of a body are in the order of its vertices
  for (int i = 0; i < surface.first_obstacle_point; ++i) {
    const int body = surface.body_of_point[i];
    if (!surface.has_loose_points(body)) continue;
    surface.grain_radius.resize(surface.points.size(), 0);
    surface.grain_radius[i] = model.bodies[body].radii[next[body]++];
  }
}

// The gap at which two bodies push each other, when one of them has its own: half of it is each body's. [m]
std::optional<double> own_distance(std::optional<double> a, std::optional<double> b, double of_scene) {
  if (!a && !b) return {};
  return 0.5 * (a.value_or(of_scene) + b.value_or(of_scene));
}

// What of a body the rules of its pairs depend on; bodies that are alike in it are of one kind.
struct RuleKind {
  bool is_enabled = true, touches_itself = true;
  double friction = 0, radius = 0;
  std::optional<double> distance;
  std::string name;                                   // of those that contact.pairs names, and so is the radius
  auto operator<=>(const RuleKind&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 misreads it
};

// The friction of a pair: its own entry, else the geometric mean of the two bodies' coefficients. radius: of grains and
// round obstacles, which a pair's thickness comes on top of. distance: m, of the scene.
contact::PairRule rule_of(const ContactSettings& settings, const RuleKind& a, const RuleKind& b, double distance) {
  contact::PairRule rule;
  rule.is_enabled = a.is_enabled && b.is_enabled;
  rule.friction = std::sqrt(a.friction * b.friction);
  rule.distance = own_distance(a.distance, b.distance, distance);
  for (const ContactPair& pair : settings.pairs) {
    const std::string &one = pair.bodies[0], &other = pair.bodies[1];
    if (!((a.name == one && b.name == other) || (a.name == other && b.name == one))) continue;
    rule.is_enabled = rule.is_enabled && pair.enabled;
    if (pair.friction) rule.friction = *pair.friction;
    if (pair.thickness) rule.thickness = *pair.thickness + a.radius + b.radius;
    if (pair.distance) rule.distance = pair.distance;
  }
  return rule;
}

std::vector<RuleKind> rule_kinds(const Scene& scene, const std::vector<const Body*>& bodies,
                                 const std::vector<double>& radius) {
  std::set<std::string> named;
  for (const ContactPair& pair : scene.contact.pairs) named.insert(pair.bodies.begin(), pair.bodies.end());
  std::vector<RuleKind> kinds;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const Body& body = *bodies[b];
    // The lips of a tear begin at distance zero, where a barrier has no value: a body that tears passes through itself.
    const bool touches_itself = body.contact.self && body.kind != BodyKind::rigid && !can_open(scene, body);
    const bool is_named = named.contains(body.name);
    kinds.push_back({body.contact.enabled, touches_itself, body.contact.friction.value_or(scene.contact.friction),
                     is_named ? radius[b] : 0, body.contact.distance, is_named ? body.name : std::string()});
  }
  return kinds;
}

// Bodies of a joint pass through each other, unless it says otherwise.
void let_joined_pass(const std::vector<Joint>& joints, ContactSurface& surface) {
  std::map<std::string, int> body_of_name;
  for (int b = 0; b < surface.body_count(); ++b) body_of_name.emplace(surface.body_names[b], b);
  for (const Joint& joint : joints) {
    if (joint.contact || joint.bodies.size() != 2 || joint.bodies[0] == joint.bodies[1]) continue;
    const auto one = body_of_name.find(joint.bodies[0]), other = body_of_name.find(joint.bodies[1]);
    if (one == body_of_name.end() || other == body_of_name.end()) continue;
    surface.rules.change(one->second, other->second, [](contact::PairRule& rule) { rule.is_enabled = false; });
  }
}

void set_rules(const Scene& scene, const std::vector<const Body*>& bodies, const std::vector<double>& radius,
               double distance, ContactSurface& surface) {
  std::map<RuleKind, int> number;
  std::vector<RuleKind> kinds;
  std::vector<int> kind_of_body;
  for (const RuleKind& kind : rule_kinds(scene, bodies, radius)) {
    const auto [found, is_new] = number.emplace(kind, static_cast<int>(kinds.size()));
    if (is_new) kinds.push_back(kind);
    kind_of_body.push_back(found->second);
  }
  surface.rules = contact::PairRules(std::move(kind_of_body));
  for (int i = 0; i < surface.rules.kind_count(); ++i) {
    for (int j = 0; j <= i; ++j) surface.rules.set_of_kinds(i, j, rule_of(scene.contact, kinds[i], kinds[j], distance));
    contact::PairRule itself = surface.rules.of_kinds(i, i);
    itself.is_enabled = itself.is_enabled && kinds[i].touches_itself;
    surface.rules.set_of_itself(i, itself);
  }
  let_joined_pass(scene.joints, surface);
}

double contact_distance(const Scene& scene, const Model& model, const ContactSurface& surface) {
  if (scene.contact.distance) return *scene.contact.distance;
  double distance = std::min(kDistanceOfDiagonal * model.diagonal, kDistanceOfEdge * surface.shortest_edge);
  for (const ModelBody& body : model.bodies) {
    if (body.kind == BodyKind::particles) distance = std::min(distance, kDistanceOfRadius * body.radius);
  }
  return distance;
}

// Nothing breaks where a distance is long, but what starts within it is thrown apart. [m]
void note_long_distances(const std::vector<const Body*>& bodies, double of_scene, double shortest_edge,
                         std::vector<std::string>& notes) {
  const auto note = [&](const std::string& whose, double distance) {
    if (distance <= shortest_edge) return;
    notes.push_back(
        fmt::format("contact.distance{}, {:.3g} m, is longer than the shortest edge of what moves, {:.3g} m: bodies "
                    "push each other from farther away than their shape is resolved; a shorter one is better",
                    whose, distance, shortest_edge));
  };
  note("", of_scene);
  for (const Body* body : bodies) {
    if (body->contact.distance) note(fmt::format(" of body '{}'", body->name), *body->contact.distance);
  }
}

BlockFilter held_at_start(const Model& model) {
  BlockFilter filter(model.layout.block_count());
  for (const ScriptedPin& pin : model.pins) {
    if (!pin.holds_all || pin.soft_pin >= 0 || pin.from > 0) continue;
    for (const int block : pin.blocks) filter.hold(block);
  }
  for (const Birth& birth : model.births) {
    if (birth.time > kTimeTolerance) filter.hold(birth.block);
  }
  return filter;
}

// Of a step that goes nowhere.
Controls controls_at_start(const Model& model) {
  Controls controls;
  controls.filter = held_at_start(model);
  for (const Birth& birth : model.births) {
    if (birth.time > kTimeTolerance) controls.to_come.push_back(birth.block);
  }
  controls.obstacle_before = controls.obstacle_points = model.obstacle_points(0);
  return controls;
}

// Says what was moved, the farthest first.
void move_apart(const Model& model, const contact::ContactOptions& options, const Controls& controls,
                BlockVector& positions, std::vector<std::string>& notes) {
  constexpr std::size_t kMostNamed = 5;
  const Separation separation = separate_bodies(model, options, controls, positions);
  std::vector<std::size_t> moved;
  for (std::size_t b = 0; b < separation.moved.size(); ++b) {
    if (!separation.moved[b].isZero(0)) moved.push_back(b);
  }
  if (moved.empty()) return;
  std::stable_sort(moved.begin(), moved.end(), [&](std::size_t a, std::size_t b) {
    return separation.moved[a].squaredNorm() > separation.moved[b].squaredNorm();
  });
  std::string list;
  for (std::size_t i = 0; i < std::min(kMostNamed, moved.size()); ++i) {
    const Vec3& way = separation.moved[moved[i]];
    list += fmt::format("{}'{}' by {:.3g} m ({:.3g}, {:.3g}, {:.3g})", i > 0 ? ", " : "", model.bodies[moved[i]].name,
                        way.norm(), way[0], way[1], way[2]);
  }
  if (moved.size() > kMostNamed) list += fmt::format(" and {} others by less", moved.size() - kMostNamed);
  notes.push_back(fmt::format("bodies were moved apart in {} rounds: {}", separation.rounds, list));
}

// What check_start looks at.
struct Start {
  const Scene& scene;
  const BlockVector& positions;
  const contact::ContactOptions& options;
  const Controls& controls;
  std::vector<std::string>& notes;
};

// The shape that an obstacle's mesh stands for; none if its generator makes no such shape.
std::optional<contact::Shape> shape_of(const Body& body) {
  using contact::ShapeKind;
  contact::Shape shape;
  if (const auto* sphere = std::get_if<SphereMesh>(&body.mesh.shape)) {
    shape.radius = body.scale * sphere->radius;
  } else if (const auto* box = std::get_if<BoxMesh>(&body.mesh.shape)) {
    shape.kind = ShapeKind::box;
    shape.half_size = 0.5 * body.scale * box->size;
  } else if (const auto* capsule = std::get_if<CapsuleMesh>(&body.mesh.shape)) {
    shape.kind = ShapeKind::capsule;
    shape.radius = body.scale * capsule->radius;
    shape.half_height = 0.5 * body.scale * capsule->height;
  } else if (const auto* torus = std::get_if<TorusMesh>(&body.mesh.shape)) {
    shape.kind = ShapeKind::torus;
    shape.radius = body.scale * torus->radius;
    shape.tube = body.scale * torus->tube;
  } else {
    return {};
  }
  return shape;
}

// Whether an obstacle is met as its shape. Edges of a box would poke through the faces between points that its shape
// meets, so boxes are meshes unless the scene says otherwise.
bool is_met_as_shape(const Scene& scene, const Body& body) {
  if (body.contact.shape == ContactShape::analytic) {
    if (scene.contact.penalty.step_limit) {
      throw InputError(
          body.source,
          fmt::format("contact.shape: analytic of body '{}' cannot be had with contact.penalty.step_limit, "
                      "whose detection knows meshes; remove one of the two",
                      body.name));
    }
    return true;
  }
  const bool is_smooth = shape_of(body) && !std::holds_alternative<BoxMesh>(body.mesh.shape);
  return body.contact.shape == ContactShape::automatic && is_smooth && !scene.contact.penalty.step_limit;
}

bool has_inside(BodyKind kind) { return kind == BodyKind::solid || kind == BodyKind::rigid; }

// Three points of a mesh that are far apart.
std::array<int, 3> corners_of(const std::vector<Vec3>& x) {
  std::array<int, 3> corner{0, 0, 0};
  double longest = 0, widest = 0;
  for (int i = 0; i < static_cast<int>(x.size()); ++i) {
    if (const double length = (x[i] - x[0]).squaredNorm(); length > longest) {
      longest = length;
      corner[1] = i;
    }
  }
  for (int i = 0; i < static_cast<int>(x.size()); ++i) {
    if (const double area = (x[corner[1]] - x[0]).cross(x[i] - x[0]).squaredNorm(); area > widest) {
      widest = area;
      corner[2] = i;
    }
  }
  return corner;
}

// Points that move on their own, of other bodies than this one that it may touch.
template <class IsInside>
bool holds_any(const ContactSurface& surface, const BlockFilter& held, int body, const IsInside& is_inside) {
  for (int i = 0; i < surface.first_obstacle_point; ++i) {
    const int other = surface.body_of_point[i];
    if (other == body || !surface.rule(body, other).is_enabled) continue;
    bool is_free = false;
    for (int k = 0; k < surface.points[i].count; ++k)
      is_free = is_free || held.held_directions(surface.points[i].block[k]) < 3;
    if (is_free && is_inside(surface.rest_points[i])) return true;
  }
  return false;
}

// A closed body that holds no others deeper than `depth` [m] at the start. What holds some is a container: it is met as a
// mesh, from the side on which they are.
bool is_solid(const SurfacePart& part, int body, double depth, const BlockFilter& held, const ContactSurface& surface) {
  const mesh::SignedDistance distance(TriangleMesh{part.rest, part.triangles, {}, {}});
  Eigen::AlignedBox3d box;
  for (const Vec3& x : part.rest) box.extend(x);
  return distance.closed() && !holds_any(surface, held, body, [&](const Vec3& x) {
           return box.contains(x) && distance.inside(x) && (depth == 0 || distance.closest_point(x).distance > depth);
         });
}

// Obstacles that springs meet as shapes, and bodies with an inside.
void add_insides(const Scene& scene, const std::vector<PlacedBody>& placed, const std::vector<SurfacePart>& parts,
                 const Model& model, ContactSurface& surface, std::vector<std::string>& notes) {
  const BlockFilter held = held_at_start(model);
  std::vector<const PlacedBody*> obstacles;
  for (const PlacedBody& body : placed) {
    if (body.body->kind == BodyKind::obstacle) obstacles.push_back(&body);
  }
  surface.is_solid.assign(static_cast<std::size_t>(surface.body_count()), 0);
  int first_point = surface.first_obstacle_point;
  for (int b = 0; b < surface.body_count(); ++b) {
    const SurfacePart& part = parts[static_cast<std::size_t>(b)];
    const int index = b - static_cast<int>(model.bodies.size()), first = first_point;
    if (index >= 0) first_point += static_cast<int>(part.rest.size());
    if (part.triangles.empty() || (index < 0 && !has_inside(model.bodies[static_cast<std::size_t>(b)].kind))) continue;
    if (index >= 0 && is_met_as_shape(scene, *obstacles[static_cast<std::size_t>(index)]->body)) {
      const PlacedBody& obstacle = *obstacles[static_cast<std::size_t>(index)];
      const contact::Shape shape = *shape_of(*obstacle.body);
      const contact::Pose pose{obstacle.turn, obstacle.shift};
      const bool is_container = holds_any(surface, held, b, [&](const Vec3& x) {
        return height_above(shape, pose.to_own(x)).distance < -kInsideOfExtent * shape.extent();
      });
      if (!is_container) {
        const std::array<int, 3> corner = corners_of(part.rest);
        surface.shapes.push_back(
            {b, contact::CarriedShape(shape, pose, {corner[0] + first, corner[1] + first, corner[2] + first},
                                      {part.rest[corner[0]], part.rest[corner[1]], part.rest[corner[2]]})});
        continue;
      }
      notes.push_back(fmt::format("obstacle '{}' has bodies inside it: it is met as a mesh, from there", part.name));
    }
    surface.is_solid[static_cast<std::size_t>(b)] = is_solid(part, b, 0, held, surface) ? 1 : 0;
  }
}

// Rigid bodies and obstacles that constraints meet as meshes; not soft ones, whose normals turn too much. What begins within
// the contact distance of a surface is not held by it.
void add_solid_meshes(const std::vector<SurfacePart>& parts, const Model& model, double distance,
                      ContactSurface& surface) {
  const BlockFilter held = held_at_start(model);
  surface.is_solid.assign(static_cast<std::size_t>(surface.body_count()), 0);
  for (const contact::ContactPiece& piece : model.pieces) {
    const auto b = static_cast<std::size_t>(piece.body);
    if (piece.mesh && is_solid(parts[b], piece.body, distance, held, surface)) surface.is_solid[b] = 1;
  }
}

// Bodies that intersect, or are nearer than their thicknesses, before the first step.
void check_start(const Start& start, Model& model, ContactSurface& surface) {
  const Scene& scene = start.scene;
  const PieceKinds kinds(model, surface.body_count());
  const auto mend = [&](int a, int b, const std::string& found) {
    if (scene.contact.initial_intersections != InitialIntersections::ignore) {
      const bool has_tried = scene.contact.initial_intersections == InitialIntersections::separate && a != b;
      const std::string sentence = (has_tried ? "bodies could not be moved apart: " : "") + found;
      throw InputError(scene.source,
                       sentence + (a == b ? ". Repair the mesh, or switch it off by contact: {self: false} of "
                                            "the body, or contact.initial_intersections: ignore"
                                          : fmt::format(". Move them apart, or set contact.initial_intersections: "
                                                        "{}ignore to let these bodies pass through each other, or "
                                                        "contact.method: none",
                                                        has_tried ? "" : "separate to have that done, or ")));
    }
    surface.rules.change(a, b, [](contact::PairRule& rule) { rule.is_enabled = false; });
    start.notes.push_back(found + ": contact between them is off");
  };
  for (;;) {
    contact::Judgement judgement = judge_state(model, start.positions, 0, kMostListed);
    std::erase_if(judgement.first, [&](const contact::Intersection& found) {
      return kinds.have_manifold({found.body[0], found.body[1]});
    });
    if (judgement.first.empty()) break;
    std::string list;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, judgement.first.size()); ++i)
      list += (i > 0 ? "; " : "") + describe(model, judgement.first[i]);
    mend(judgement.first[0].body[0], judgement.first[0].body[1],
         fmt::format("bodies intersect at the start ({} edges through triangles): {}", judgement.count, list));
  }
  // Springs and constraints do not mind what is near.
  const ContactMethod response = contact_response(scene);
  if (response == ContactMethod::projected) return;
  if (response == ContactMethod::penalty && !scene.contact.penalty.step_limit) return;
  contact::ContactPotential potential(model.contact, start.options);
  for (;;) {
    potential.begin_step({start.positions, start.controls, 1, StickMemory{}});
    const auto touch = potential.touch();
    if (!touch) return;
    mend(touch->first_body, touch->second_body,
         fmt::format("body '{}' and body '{}' touch at the start, or are nearer than their thicknesses, near "
                     "({:.4g}, {:.4g}, {:.4g})",
                     surface.body_names[touch->first_body], surface.body_names[touch->second_body], touch->point[0],
                     touch->point[1], touch->point[2]));
  }
}

}  // namespace

ContactMethod contact_response(const Scene& scene) {
  const ContactMethod asked = scene.contact.method;
  const bool is_newton = scene.solver.method == SolverMethod::newton;
  const bool is_explicit = scene.time.integrator == Integrator::symplectic_euler;
  const bool is_projection = scene.solver.method == SolverMethod::projection;
  const bool hands_over = scene.solver.method == SolverMethod::quasi_newton && scene.solver.quasi_newton.then_newton;
  if (asked == ContactMethod::projected && !is_projection)
    throw InputError(scene.source,
                     "contact.method: projected is for solver.method projection; use contact.method: auto");
  if (asked == ContactMethod::penalty && (is_newton || is_projection || is_explicit || hands_over)) {
    throw InputError(scene.source,
                     fmt::format("contact.method: penalty is for solver.method quasi_newton{}; use {}",
                                 is_explicit  ? " with an implicit integrator, and symplectic_euler solves nothing"
                                 : hands_over ? " alone, and solver.quasi_newton.then_newton hands over to newton"
                                              : ", and this scene is solved by another method",
                                 (is_newton || is_projection) && !is_explicit ? "contact.method: auto"
                                                                              : "contact.method: auto or none"));
  }
  if (asked == ContactMethod::barrier && !(is_newton && !is_explicit)) {
    throw InputError(scene.source,
                     fmt::format("contact.method: barrier is for solver.method newton{}; use {}",
                                 is_explicit  ? " with an implicit integrator, and symplectic_euler solves nothing"
                                 : hands_over ? " alone, and solver.quasi_newton.then_newton begins with quasi_newton"
                                              : "",
                                 is_explicit || hands_over ? "contact.method: none"
                                                           : fmt::format("contact.method: auto, which is {} here",
                                                                         is_projection ? "projected" : "penalty")));
  }
  if (asked == ContactMethod::none || is_explicit || hands_over) return ContactMethod::none;
  // Newmark has no contact under projection, and nothing can touch a rigid body that is alone.
  const bool is_lone = scene.bodies.size() == 1 && scene.bodies.front().kind == BodyKind::rigid &&
                       scene.bodies.front().copies.count.prod() == 1;
  const bool is_newmark = scene.time.integrator == Integrator::newmark;
  if (asked == ContactMethod::automatic && is_projection && is_newmark && is_lone) return ContactMethod::none;
  return is_newton ? ContactMethod::barrier : is_projection ? ContactMethod::projected : ContactMethod::penalty;
}

contact::ContactOptions add_contact(const Scene& scene, const std::vector<PlacedBody>& placed, BlockVector& positions,
                                    bool is_first, Model& model, std::vector<std::string>& notes) {
  std::vector<const Body*> bodies, obstacles;
  for (const PlacedBody& body : placed)
    (body.body->kind == BodyKind::obstacle ? obstacles : bodies).push_back(body.body);
  std::vector<SurfacePart> moving, still;
  std::vector<double> radius(model.bodies.size(), 0);  // m, of grains and round obstacles
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    moving.push_back(part_of(model.bodies[b], model.surface, b, positions));
    moving.back().thickness = bodies[b]->contact.thickness.value_or(model.bodies[b].radius);
    if (model.bodies[b].kind != BodyKind::particles || !bodies[b]->contact.enabled) continue;
    check_grains(scene, *bodies[b], model.bodies[b]);
    radius[b] = model.bodies[b].radius;
  }
  for (std::size_t o = 0; o < model.obstacles.size(); ++o) {
    SurfacePart part;
    part.name = model.obstacles[o].name;
    part.thickness = obstacles[o]->contact.thickness.value_or(0);
    part.rest = model.obstacles[o].contact_points();
    radius.push_back(0);
    if (const auto& round = model.obstacles[o].round) {
      part.is_round = true;
      part.segments = {{0, static_cast<int>(part.rest.size()) - 1}};
      part.thickness += round->radius;
      radius.back() = round->radius;
    } else {
      part.triangles = model.obstacles[o].mesh.triangles;
    }
    still.push_back(std::move(part));
  }
  auto surface = std::make_shared<ContactSurface>(contact::join(moving, still));
  set_grain_radii(model, *surface);
  int point = surface->first_obstacle_point;
  for (const Obstacle& obstacle : model.obstacles) {
    if (obstacle.half_space) surface->planes.push_back({point, *obstacle.half_space});
    point += static_cast<int>(obstacle.contact_points().size());
  }
  bodies.insert(bodies.end(), obstacles.begin(), obstacles.end());
  contact::ContactOptions options;
  options.distance = contact_distance(scene, model, *surface);
  set_rules(scene, bodies, radius, options.distance, *surface);
  options.stick_displacement = scene.contact.stick_displacement;
  options.friction_iterations = scene.contact.friction_iterations;
  options.has_memory = scene.contact.friction_memory;
  if (!scene.contact.distance)
    notes.push_back(fmt::format("contact distance {:.3g} m (contact.distance sets it)", options.distance));
  note_long_distances(bodies, options.distance, surface->shortest_edge, notes);
  model.contact = surface;
  moving.insert(moving.end(), still.begin(), still.end());
  const ContactMethod response = contact_response(scene);
  if (response == ContactMethod::penalty && !scene.contact.penalty.step_limit)
    add_insides(scene, placed, moving, model, *surface, notes);
  if (response == ContactMethod::projected) add_solid_meshes(moving, model, options.distance, *surface);
  if (!is_first) return options;
  const Controls controls = controls_at_start(model);
  if (scene.contact.initial_intersections == InitialIntersections::separate)
    move_apart(model, options, controls, positions, notes);
  check_start({scene, positions, options, controls, notes}, model, *surface);
  return options;
}

}  // namespace pliant::scene
