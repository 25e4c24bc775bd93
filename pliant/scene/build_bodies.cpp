#include "pliant/scene/build_bodies.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "pliant/input_error.h"
#include "pliant/mesh/mass_properties.h"
#include "pliant/mesh/ordering.h"
#include "pliant/mesh/surface.h"
#include "pliant/scene/build_contact.h"
#include "pliant/scene/build_pins.h"
#include "pliant/scene/build_rigid.h"
#include "pliant/scene/selection.h"

namespace pliant::scene {
namespace {

// Blocks follow a Hilbert curve inside each body: neighbours in space are neighbours in memory (docs/benchmarks.md).
void number_by_space(ModelBody& body, DofLayout& layout) {
  const int first = layout.add_body(body.name, static_cast<int>(body.rest.vertices.size()));
  body.vertex_of_block = hilbert_order(body.rest.vertices);
  body.block_of_vertex = inverse_order(body.vertex_of_block);
  for (int& block : body.block_of_vertex) block += first;
}

// Blocks of a rod alternate: x0 θ0 x1 θ1 …; matrices are then banded, with a half bandwidth of ten scalars.
void number_along_chains(ModelBody& body, const std::vector<Chain>& chains, DofLayout& layout, RodTopology& rods) {
  std::vector<BlockKind> kinds;
  const int first = layout.block_count();
  body.first_rod_edge = static_cast<int>(rods.edges.size());
  body.block_of_vertex.resize(body.rest.vertices.size());
  for (const Chain& chain : chains) {
    const int count = static_cast<int>(chain.vertices.size()), edges = chain.closed ? count : count - 1;
    const int first_edge = static_cast<int>(rods.edges.size());
    std::vector<int> twist_blocks;
    for (int i = 0; i < count; ++i) {
      body.block_of_vertex[chain.vertices[i]] = first + static_cast<int>(kinds.size());
      body.vertex_of_block.push_back(chain.vertices[i]);
      kinds.push_back(BlockKind::point);
      if (i >= edges) continue;
      twist_blocks.push_back(first + static_cast<int>(kinds.size()));
      body.vertex_of_block.push_back(-1 - static_cast<int>(body.segments.size() + i));
      kinds.push_back(BlockKind::rod_twist);
    }
    for (int i = 0; i < edges; ++i) {
      const int a = chain.vertices[i], b = chain.vertices[(i + 1) % count];
      body.segments.push_back({a, b});
      body.segment_length.push_back((body.rest.vertices[b] - body.rest.vertices[a]).norm());
      rods.edges.push_back({body.block_of_vertex[a], body.block_of_vertex[b], twist_blocks[i]});
      if (i > 0) rods.joints.push_back({first_edge + i - 1, first_edge + i});
    }
    if (chain.closed) rods.joints.push_back({first_edge + edges - 1, first_edge});
  }
  layout.add_body(body.name, kinds, body.radius);
}

// Poured grains are neighbours when they are born together.
void number_by_birth(ModelBody& body, DofLayout& layout) {
  const int count = static_cast<int>(body.rest.vertices.size()), first = layout.add_body(body.name, count);
  for (int v = 0; v < count; ++v) {
    body.vertex_of_block.push_back(v);
    body.block_of_vertex.push_back(first + v);
  }
}

// Triangles laid flat. Texture coordinates say how; without them u follows the mesh's x axis and v its −z axis, as far
// as they lie in the triangle.
std::vector<std::array<Vec2, 3>> flat_triangles(const PlacedBody& placed) {
  if (!placed.corners.empty()) return placed.corners;
  std::vector<std::array<Vec2, 3>> flat;
  const Vec3 u_axis = placed.turn.col(0), v_axis = -placed.turn.col(2);
  for (const Vec3i& t : placed.triangles) {
    const Vec3& origin = placed.mesh.vertices[t[0]];
    const Vec3 a = placed.mesh.vertices[t[1]] - origin, b = placed.mesh.vertices[t[2]] - origin;
    const Vec3 normal = a.cross(b).normalized();
    Vec3 u = u_axis - u_axis.dot(normal) * normal;
    if (u.norm() < 0.01) u = (v_axis - v_axis.dot(normal) * normal).cross(normal);
    u.normalize();
    const Vec3 v = normal.cross(u);
    flat.push_back({Vec2(0, 0), Vec2(a.dot(u), a.dot(v)), Vec2(b.dot(u), b.dot(v))});
  }
  return flat;
}

// --- Masses ---

void add_solid_masses(const ModelBody& body, const Material& material, std::vector<double>& masses) {
  const std::vector<double> lumped = lumped_masses(body.rest, material.density);
  for (std::size_t v = 0; v < lumped.size(); ++v) masses[body.block_of_vertex[v]] = lumped[v];
}

void add_cloth_masses(const ModelBody& body, const std::vector<double>& of_triangles, std::vector<double>& masses) {
  for (std::size_t t = 0; t < body.triangles.size(); ++t) {
    for (const int v : body.triangles[t]) masses[body.block_of_vertex[v]] += of_triangles[t] / 3;
  }
}

void add_spring_masses(const ModelBody& body, const Material& material, const Body& wanted,
                       std::vector<double>& masses) {
  if (!body.triangles.empty()) {
    const double density = surface_density_of(material, wanted);
    const std::vector<double> areas = vertex_areas(body.rest.vertices, body.triangles);
    for (std::size_t v = 0; v < areas.size(); ++v) masses[body.block_of_vertex[v]] += density * areas[v];
    return;
  }
  if (!material.linear_density) {
    throw InputError(material.source,
                     fmt::format("material '{}' needs linear_density [kg/m]: body '{}' is made of links "
                                 "without area",
                                 material.name, wanted.name));
  }
  for (std::size_t s = 0; s < body.segments.size(); ++s) {
    const double share = 0.5 * *material.linear_density * body.segment_length[s];
    for (const int v : body.segments[s]) masses[body.block_of_vertex[v]] += share;
  }
}

void add_rod_masses(const ModelBody& body, const Material& material, const RodTopology& rods, BlockData& data) {
  const rod::Section section = section_of(material);
  for (std::size_t s = 0; s < body.segments.size(); ++s) {
    const double length = body.segment_length[s], share = 0.5 * material.density * section.area * length;
    for (const int v : body.segments[s]) data.masses[body.block_of_vertex[v]] += share;
    data.masses[rods.edges[body.first_rod_edge + s].twist] = material.density * section.polar_moment * length;
  }
}

void add_grain_masses(const ModelBody& body, const Material& material, std::vector<double>& masses) {
  for (std::size_t v = 0; v < body.radii.size(); ++v)
    masses[body.block_of_vertex[v]] = 4.0 / 3.0 * std::numbers::pi * std::pow(body.radii[v], 3) * material.density;
}

void add_masses(const ModelBody& body, const Material& material, const Body& wanted, const RodTopology& rods,
                BlockData& data) {
  switch (body.kind) {
    case BodyKind::cloth:
      add_cloth_masses(body, element_masses(body, material, wanted), data.masses);
      break;
    case BodyKind::springs:
      if (!body.rest.tets.empty()) {
        add_solid_masses(body, material, data.masses);
      } else {
        add_spring_masses(body, material, wanted, data.masses);
      }
      break;
    case BodyKind::rod:
      add_rod_masses(body, material, rods, data);
      break;
    case BodyKind::particles:
      add_grain_masses(body, material, data.masses);
      break;
    default:
      add_solid_masses(body, material, data.masses);
  }
}

// --- Rods ---

template <class Value>
void append(const std::vector<Value>& more, std::vector<Value>& all) {
  all.insert(all.end(), more.begin(), more.end());
}

// Directors at rest, and the twist asked for, spread evenly.
void set_frames(const PlacedBody& placed, const ModelBody& body, const RodTopology& rods, BlockData& data) {
  BlockVector positions(static_cast<int>(data.rest.size()));
  for (const int block : body.block_of_vertex) positions[block] = data.rest[block];
  const RodFrames frames = rod_frames_at(placed, body, rods, positions);
  append(frames.directors, data.frames.directors);
  append(frames.reference_twist, data.frames.reference_twist);
  for (const Chain& chain : placed.chains) {
    const int count = static_cast<int>(chain.vertices.size()), edges = chain.closed ? count : count - 1;
    const int spread = chain.closed ? edges : std::max(1, edges - 1);
    for (int i = 0; i < edges; ++i) data.twists.push_back(chain.initial_twist * i / spread);
  }
}

// --- Rigid bodies ---

void set_rigid_blocks(const RigidBody& rigid, BlockData& data) {
  const RigidFrame& frame = rigid.frame;
  data.rest[frame.centre] = rigid.rest_centre;
  data.masses[frame.centre] = frame.mass;
  for (int i = 0; i < 3; ++i) {
    data.rest[frame.axis(i)] = frame.length * rigid.rest_rotation.col(i);
    data.masses[frame.axis(i)] = frame.axis_mass[i];
  }
}

// --- Surfaces ---

// What a body's surface is made of: the surface the user gave, its triangles, or the boundary of the tets.
void add_surface(const ModelBody& body, SurfaceMap& map) {
  const int first = static_cast<int>(map.points.size());
  const auto shift = [&](const Vec3i& t) { return Vec3i(t + Vec3i::Constant(first)); };
  if (body.embedded) {
    for (std::size_t v = 0; v < body.embedded->surface.vertices.size(); ++v) {
      map.points.push_back(embedded_point(body, static_cast<int>(v)));
    }
    for (const Vec3i& t : body.embedded->surface.triangles) map.triangles.push_back(shift(t));
  } else if (!body.rest.tets.empty()) {
    const BoundarySurface boundary = boundary_surface(body.rest);
    for (const int v : boundary.tet_vertex) map.points.push_back(MappedPoint::vertex(body.block_of_vertex[v]));
    for (const Vec3i& t : boundary.surface.triangles) map.triangles.push_back(shift(t));
  } else if (!body.triangles.empty()) {
    for (std::size_t v = 0; v < body.rest.vertices.size(); ++v) map.points.push_back(body.point(static_cast<int>(v)));
    for (const Vec3i& t : body.triangles) map.triangles.push_back(shift(t));
  }
  map.first_point.push_back(static_cast<int>(map.points.size()));
  map.first_triangle.push_back(static_cast<int>(map.triangles.size()));
}

void add_body(const PlacedBody& placed, const Material& material, Model& model) {
  ModelBody body;
  body.name = placed.name;
  body.kind = placed.body->kind;
  body.rest = placed.mesh;
  body.embedded = placed.embedded;
  body.triangles = placed.triangles;
  body.texture = placed.texture;
  body.origin = placed.origin;
  body.first_border = placed.first_border;
  if (body.kind == BodyKind::cloth) body.flat = flat_triangles(placed);
  if (body.kind == BodyKind::rod) {
    body.radius = section_of(material).bounding_radius;
    number_along_chains(body, placed.chains, model.layout, model.rods);
  } else if (!placed.births.empty()) {
    number_by_birth(body, model.layout);
  } else if (body.kind == BodyKind::rigid) {
    add_rigid_body(placed, material, body, model);
  } else {
    number_by_space(body, model.layout);
  }
  body.radii = placed.radii;
  body.is_poured = !placed.births.empty();
  if (!body.radii.empty()) body.radius = *std::max_element(body.radii.begin(), body.radii.end());
  for (std::size_t v = 0; v < placed.births.size(); ++v)
    model.births.push_back({body.block_of_vertex[v], placed.births[v]});
  for (const Link& link : placed.links) {
    if (link.kind != Link::Kind::stretch) continue;
    body.segments.push_back({link.from, link.to});
    body.segment_length.push_back((body.rest.vertices[link.to] - body.rest.vertices[link.from]).norm());
  }
  add_surface(body, model.surface);
  model.bodies.push_back(std::move(body));
}

// The sphere or capsule that the vertices of an obstacle lie on.
RoundShape round_shape_of(const PlacedBody& placed, const Vec3& centre) {
  const double scale = placed.body->scale;
  if (const auto* sphere = std::get_if<SphereMesh>(&placed.body->mesh.shape)) return {{centre}, scale * sphere->radius};
  const auto& capsule = std::get<CapsuleMesh>(placed.body->mesh.shape);
  const Vec3 half = 0.5 * scale * capsule.height * (placed.turn * Vec3::UnitY());
  return {{centre - half, centre + half}, scale * capsule.radius};
}

// Of an obstacle that barriers meet as its exact shape.
RoundShape checked_round_shape(const PlacedBody& placed, const Vec3& centre, const ScriptedMotion& motion) {
  const auto& mesh = placed.body->mesh.shape;
  if (!std::holds_alternative<SphereMesh>(mesh) && !std::holds_alternative<CapsuleMesh>(mesh)) {
    throw InputError(placed.body->source,
                     fmt::format("contact.shape: analytic of the obstacle '{}' needs a sphere or a capsule under "
                                 "contact.method barrier (a box is exact as its mesh); use contact.shape: mesh",
                                 placed.name));
  }
  for (const Vec3& axis : {Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY())}) {
    if (!motion.turns(axis)) continue;
    throw InputError(placed.body->source,
                     fmt::format("the obstacle '{}' turns, and friction would not feel it: with contact.shape: "
                                 "analytic it may only move; use contact.shape: mesh",
                                 placed.name));
  }
  return round_shape_of(placed, centre);
}

void add_obstacle(const PlacedBody& placed, ContactMethod response, Model& model) {
  Vec3 centre = Vec3::Zero();
  for (const Vec3& x : placed.mesh.vertices) centre += x / static_cast<double>(placed.mesh.vertices.size());
  Obstacle obstacle{placed.name,
                    {placed.mesh.vertices, placed.triangles, placed.texture, {}},
                    scripted_motion(placed.body->motion, centre)};
  if (std::holds_alternative<PlaneMesh>(placed.body->mesh.shape)) {
    obstacle.half_space = placed.turn * Vec3::UnitY();
    if (obstacle.motion.turns(*obstacle.half_space)) {
      throw InputError(placed.body->source,
                       fmt::format("the plane '{}' may move and turn about its normal, but not tilt; "
                                   "use a box for a floor that tilts",
                                   placed.name));
    }
  }
  if (placed.body->contact.shape == ContactShape::analytic && response == ContactMethod::barrier)
    obstacle.round = checked_round_shape(placed, centre, obstacle.motion);
  model.obstacles.push_back(std::move(obstacle));
}

}  // namespace

RodFrames rod_frames_at(const PlacedBody& placed, const ModelBody& body, const RodTopology& rods,
                        const BlockVector& positions) {
  RodFrames all;
  const Vec3 up = placed.turn * placed.body->up;
  int edge = body.first_rod_edge;
  for (const Chain& chain : placed.chains) {
    const int count = static_cast<int>(chain.vertices.size()), edges = chain.closed ? count : count - 1;
    RodTopology one;
    one.edges.assign(rods.edges.begin() + edge, rods.edges.begin() + edge + edges);
    for (int i = 1; i < edges; ++i) one.joints.push_back({i - 1, i});
    if (chain.closed) one.joints.push_back({edges - 1, 0});
    const RodFrames frames = frames_along(one, positions, up.cross(tangent(one.edges.front(), positions)));
    append(frames.directors, all.directors);
    append(frames.reference_twist, all.reference_twist);
    edge += edges;
  }
  return all;
}

rod::Section section_of(const Material& material) {
  if (const auto* circle = std::get_if<CircleSection>(&material.section)) return rod::circle(circle->radius);
  if (const auto* ellipse = std::get_if<EllipseSection>(&material.section))
    return rod::ellipse(ellipse->radii[0], ellipse->radii[1]);
  const Vec2 sides = std::get<RectangleSection>(material.section).sides;
  return rod::rectangle(sides[0], sides[1]);
}

double surface_density_of(const Material& material, const Body& body) {
  if (material.surface_density) return *material.surface_density;
  if (material.thickness) return material.density * *material.thickness;
  throw InputError(material.source,
                   fmt::format("material '{}' of body '{}' needs surface_density [kg/m²]", material.name, body.name));
}

std::vector<double> element_masses(const ModelBody& body, const Material& material, const Body& wanted) {
  if (body.kind == BodyKind::solid) {
    std::vector<double> masses = tet_volumes(body.rest);
    for (double& mass : masses) mass *= material.density;
    return masses;
  }
  const double density = surface_density_of(material, wanted);
  std::vector<double> masses;
  for (const std::array<Vec2, 3>& c : body.flat) {
    const Vec2 a = c[1] - c[0], b = c[2] - c[0];
    masses.push_back(0.5 * density * std::abs(a[0] * b[1] - a[1] * b[0]));
  }
  return masses;
}

BlockData add_bodies(const Scene& scene, const std::vector<PlacedBody>& placed, Model& model) {
  model.surface.first_point = {0};
  model.surface.first_triangle = {0};
  std::vector<const PlacedBody*> moving;
  for (const PlacedBody& body : placed) {
    if (body.body->kind == BodyKind::obstacle) {
      add_obstacle(body, contact_response(scene), model);
    } else {
      add_body(body, scene.material(body.body->material), model);
      moving.push_back(&body);
    }
  }
  std::stable_sort(model.births.begin(), model.births.end(),
                   [](const Birth& a, const Birth& b) { return a.time < b.time; });
  BlockData data;
  data.rest.assign(model.layout.block_count(), Vec3::Zero());
  data.masses.assign(model.layout.block_count(), 0.0);
  for (std::size_t b = 0; b < moving.size(); ++b) {
    const ModelBody& body = model.bodies[b];
    if (body.kind == BodyKind::rigid) {
      set_rigid_blocks(model.rigids[body.rigid], data);
      continue;
    }
    for (std::size_t v = 0; v < body.rest.vertices.size(); ++v)
      data.rest[body.block_of_vertex[v]] = body.rest.vertices[v];
    add_masses(body, scene.material(moving[b]->body->material), *moving[b]->body, model.rods, data);
    for (std::size_t v = 0; v < moving[b]->loose_mass.size(); ++v)
      data.masses[body.block_of_vertex[v]] += moving[b]->loose_mass[v];
    if (body.kind == BodyKind::rod) set_frames(*moving[b], body, model.rods, data);
  }
  data.weights = data.masses;
  for (const RodEdge& edge : model.rods.edges) data.weights[edge.twist] = 0;
  for (const RigidBody& rigid : model.rigids) {
    for (int i = 0; i < 3; ++i) data.weights[rigid.frame.axis(i)] = 0;
  }
  return data;
}

}  // namespace pliant::scene
