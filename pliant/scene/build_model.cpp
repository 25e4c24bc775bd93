#include "pliant/scene/build_model.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <numbers>
#include <utility>

#include "pliant/energy/load/gravity.h"
#include "pliant/input_error.h"
#include "pliant/io/checkpoint.h"
#include "pliant/mesh/mass_properties.h"
#include "pliant/mesh/ordering.h"
#include "pliant/mesh/surface.h"
#include "pliant/scene/build_loads.h"
#include "pliant/scene/build_pins.h"
#include "pliant/scene/placed_body.h"
#include "pliant/scene/random.h"
#include "pliant/scene/selection.h"
#include "pliant/scene/solid_energies.h"

namespace pliant {
namespace {

using namespace scene;

constexpr double kRadiansPerDegree = std::numbers::pi / 180;

// Blocks follow a Hilbert curve inside each body: neighbours in space are neighbours in memory (docs/benchmarks.md).
ModelBody add_body(const PlacedBody& placed, const Scene& scene, DofLayout& layout) {
  ModelBody body;
  body.name = placed.name;
  body.rest = placed.mesh;
  body.embedded = placed.embedded;
  body.density = scene.material(placed.body->material).density;
  const int first = layout.add_body(placed.name, static_cast<int>(placed.mesh.vertices.size()));
  body.vertex_of_block = hilbert_order(placed.mesh.vertices);
  body.block_of_vertex = inverse_order(body.vertex_of_block);
  for (int& block : body.block_of_vertex) block += first;
  return body;
}

// What a body's surface is made of: the surface the user gave, or the boundary of the tets.
void add_surface(const ModelBody& body, SurfaceMap& map) {
  const int first = static_cast<int>(map.points.size());
  const auto shift = [&](const Vec3i& t) { return Vec3i(t + Vec3i::Constant(first)); };
  if (body.embedded) {
    for (std::size_t v = 0; v < body.embedded->surface.vertices.size(); ++v) {
      map.points.push_back(embedded_point(body, static_cast<int>(v)));
    }
    for (const Vec3i& t : body.embedded->surface.triangles) map.triangles.push_back(shift(t));
  } else {
    const BoundarySurface boundary = boundary_surface(body.rest);
    for (const int v : boundary.tet_vertex) map.points.push_back(MappedPoint::vertex(body.block_of_vertex[v]));
    for (const Vec3i& t : boundary.surface.triangles) map.triangles.push_back(shift(t));
  }
  map.first_point.push_back(static_cast<int>(map.points.size()));
  map.first_triangle.push_back(static_cast<int>(map.triangles.size()));
}

void scatter(const TetMesh& mesh, const ModelBody& body, Random& random, State& state) {
  Vec3 low = mesh.vertices.front(), high = low;
  for (const Vec3& x : mesh.vertices) {
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  for (const int block : body.block_of_vertex) {
    for (int axis = 0; axis < 3; ++axis) state.positions[block][axis] = random.between(low[axis], high[axis]);
  }
}

// Positions and velocities of a body of the same name and size in a checkpoint of an earlier run.
void load_state(const StateStart& start, const Body& scene_body, const ModelBody& body, State& state) {
  const io::CheckpointReader checkpoint(start.state.resolved);
  for (const char* quantity : {"positions", "velocities"}) {
    const std::string entry = fmt::format("bodies/{}/{}", body.name, quantity);
    if (!checkpoint.has(entry)) {
      throw InputError(scene_body.source, fmt::format("'{}' holds no body named '{}'", start.state.written, body.name));
    }
    const std::vector<double> values = checkpoint.doubles(entry);
    if (values.size() != 3 * body.block_of_vertex.size()) {
      throw InputError(scene_body.source,
                       fmt::format("body '{}' has {} vertices here and {} in '{}'", body.name,
                                   body.block_of_vertex.size(), values.size() / 3, start.state.written));
    }
    BlockVector& target = quantity[0] == 'p' ? state.positions : state.velocities;
    for (std::size_t v = 0; v < body.block_of_vertex.size(); ++v) {
      target[body.block_of_vertex[v]] = Vec3(values[3 * v], values[3 * v + 1], values[3 * v + 2]);
    }
  }
}

void set_start(const PlacedBody& placed, const ModelBody& body, Random random, State& state) {
  const Body& wanted = *placed.body;
  const Vec3 centre = mass_properties(placed.mesh, 1).center;
  const Vec3 omega = kRadiansPerDegree * wanted.angular_velocity;
  for (std::size_t v = 0; v < placed.mesh.vertices.size(); ++v) {
    const Vec3& x = placed.mesh.vertices[v];
    state.positions[body.block_of_vertex[v]] = x;
    state.velocities[body.block_of_vertex[v]] = wanted.velocity + omega.cross(x - centre);
  }
  if (std::holds_alternative<ScatterStart>(wanted.start)) scatter(placed.mesh, body, random, state);
  if (const auto* from = std::get_if<StateStart>(&wanted.start)) load_state(*from, wanted, body, state);
}

SimulationOptions options_of(const Scene& scene) {
  SimulationOptions options;
  options.integrator.kind = static_cast<IntegratorKind>(scene.time.integrator);
  static_assert(static_cast<int>(IntegratorKind::quasi_static) == static_cast<int>(Integrator::quasi_static) &&
                static_cast<int>(IntegratorKind::newmark) == static_cast<int>(Integrator::implicit_midpoint) + 1);
  options.integrator.newmark_beta = scene.time.newmark.beta;
  options.integrator.newmark_gamma = scene.time.newmark.gamma;
  options.retries = scene.time.retries;
  solver::NewtonOptions& newton = options.newton;
  switch (scene.solver.newton.linear) {
    case LinearMethod::cholesky:
      newton.linear = solver::NewtonLinear::cholesky;
      break;
    case LinearMethod::pcg:
      newton.linear = solver::NewtonLinear::pcg;
      break;
    default:
      newton.linear = solver::NewtonLinear::automatic;
  }
  switch (scene.solver.newton.hessian) {
    case HessianForm::projected:
      newton.hessian = HessianKind::projected;
      break;
    case HessianForm::exact:
      newton.hessian = HessianKind::exact;
      break;
    case HessianForm::warped:
      newton.hessian = HessianKind::warped;
      break;
  }
  newton.tolerance = scene.solver.tolerance;
  newton.max_iterations = scene.solver.max_iterations;
  newton.iterations = scene.solver.newton.iterations;
  newton.linear_tolerance = scene.solver.linear.tolerance;
  newton.linear_max_iterations = scene.solver.linear.max_iterations;
  newton.deterministic_blas = scene.solver.linear.deterministic;
  return options;
}

// Combinations that no method can do, said before the first step.
void check_combinations(const Scene& scene) {
  for (const Body& body : scene.bodies) {
    const Material& material = scene.material(body.material);
    if (scene.solver.newton.hessian == HessianForm::warped && material.model != MaterialModel::corotated) {
      throw InputError(
          body.source,
          fmt::format("solver.newton.hessian: warped exists for the corotated model only, and body '{}' is made of "
                      "another; use projected or exact",
                      body.name));
    }
    if (scene.time.integrator == Integrator::symplectic_euler && material.mass == MassForm::consistent) {
      throw InputError(
          body.source,
          fmt::format("symplectic_euler needs lumped masses; set mass: lumped in the material of body '{}'",
                      body.name));
    }
    if (material.model == MaterialModel::linear && material.extrapolate_below) {
      throw InputError(material.source,
                       "extrapolate_below needs a law of the stretches; the linear model has none, remove the key");
    }
  }
}

double box_diagonal(const std::vector<PlacedBody>& bodies) {
  Eigen::AlignedBox3d box;
  for (const PlacedBody& body : bodies) {
    for (const Vec3& x : body.mesh.vertices) box.extend(x);
  }
  return box.isEmpty() ? 1 : box.diagonal().norm();
}

}  // namespace

BuiltScene build(const Scene& scene) {
  check_combinations(scene);
  const std::vector<PlacedBody> placed = place_bodies(scene);
  BuiltScene built;
  Model& model = built.model;
  model.gravity = scene.gravity;
  model.drag = scene.drag;
  model.diagonal = box_diagonal(placed);

  // Layout, surfaces, and the rest position and mass of every block.
  std::vector<SolidPart> parts;
  model.surface.first_point = {0};
  model.surface.first_triangle = {0};
  for (const PlacedBody& body : placed) {
    model.bodies.push_back(add_body(body, scene, model.layout));
    add_surface(model.bodies.back(), model.surface);
    SolidPart part{&scene.material(body.body->material), body.mesh.tets, body.turn};
    for (Vec4i& tet : part.tets) {
      for (int& corner : tet) corner = model.bodies.back().block_of_vertex[corner];
    }
    parts.push_back(std::move(part));
    for (const std::string& note : body.notes) built.notes.push_back(fmt::format("{}: {}", body.name, note));
  }
  std::vector<Vec3> rest(model.layout.block_count());
  std::vector<double> masses(model.layout.block_count());
  for (const ModelBody& body : model.bodies) {
    const std::vector<double> lumped = lumped_masses(body.rest, body.density);
    for (std::size_t v = 0; v < lumped.size(); ++v) {
      rest[body.block_of_vertex[v]] = body.rest.vertices[v];
      masses[body.block_of_vertex[v]] = lumped[v];
    }
  }

  // Energies and start state.
  model.inertia = Inertia(masses);
  add_solid_energies(parts, rest, model);
  if (!scene.gravity.isZero(0)) {
    model.energies.push_back(std::make_unique<Gravity>(masses, scene.gravity));
    model.roles.push_back(EnergyRole::gravity);
  }
  built.state.positions.resize(model.layout.block_count());
  built.state.velocities.resize(model.layout.block_count());
  for (std::size_t b = 0; b < placed.size(); ++b) {
    set_start(placed[b], model.bodies[b], Random(scene.seed, 1000 + b), built.state);
  }

  add_pins(scene, built.state, model);
  add_loads(scene, built.state, model);
  built.options = options_of(scene);
  return built;
}

}  // namespace pliant
