#include "pliant/scene/build_model.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <numbers>
#include <utility>

#include "pliant/energy/load/gravity.h"
#include "pliant/energy/load/wind.h"
#include "pliant/energy/rigid/rigidity.h"
#include "pliant/input_error.h"
#include "pliant/io/checkpoint.h"
#include "pliant/linear/banded.h"
#include "pliant/scene/build_bodies.h"
#include "pliant/scene/build_contact.h"
#include "pliant/scene/build_joints.h"
#include "pliant/scene/build_loads.h"
#include "pliant/scene/build_pieces.h"
#include "pliant/scene/build_pins.h"
#include "pliant/scene/cloth_energies.h"
#include "pliant/scene/random.h"
#include "pliant/scene/rod_energies.h"
#include "pliant/scene/run_checkpoint.h"
#include "pliant/scene/schema_names.h"
#include "pliant/scene/selection.h"
#include "pliant/scene/solid_energies.h"

namespace pliant {
namespace {

using namespace scene;

constexpr double kRadiansPerDegree = std::numbers::pi / 180;

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
    const std::vector<int> blocks = body.place_blocks();
    if (values.size() != 3 * blocks.size()) {
      throw InputError(scene_body.source, fmt::format("body '{}' has {} vertices here and {} in '{}'", body.name,
                                                      blocks.size(), values.size() / 3, start.state.written));
    }
    BlockVector& target = quantity[0] == 'p' ? state.positions : state.velocities;
    for (std::size_t v = 0; v < blocks.size(); ++v) {
      target[blocks[v]] = Vec3(values[3 * v], values[3 * v + 1], values[3 * v + 2]);
    }
  }
}

// By mass, of vertices.
Vec3 centre_of(const ModelBody& body, const std::vector<double>& masses) {
  Vec3 sum = Vec3::Zero();
  double total = 0;
  for (std::size_t v = 0; v < body.rest.vertices.size(); ++v) {
    const double mass = masses[body.block_of_vertex[v]];
    sum += mass * body.rest.vertices[v];
    total += mass;
  }
  return sum / total;
}

void set_rigid_start(const Body& wanted, const ModelBody& body, const RigidBody& rigid, State& state) {
  const RigidFrame& frame = rigid.frame;
  state.positions[frame.centre] = rigid.rest_centre;
  set_rotation(frame, rigid.rest_rotation, state.positions);
  state.velocities[frame.centre] = wanted.velocity;
  set_angular_velocity(frame, kRadiansPerDegree * wanted.angular_velocity, state.positions, state.velocities);
  if (std::holds_alternative<ScatterStart>(wanted.start)) {
    throw InputError(wanted.source,
                     fmt::format("start: {{scatter: true}} of body '{}' is for bodies that deform, and a "
                                 "rigid body does not; remove the key",
                                 wanted.name));
  }
  if (const auto* from = std::get_if<StateStart>(&wanted.start)) load_state(*from, wanted, body, state);
}

void set_start(const PlacedBody& placed, const ModelBody& body, const BlockData& data, Random random, State& state) {
  const Body& wanted = *placed.body;
  const Vec3 centre = centre_of(body, data.masses);
  const Vec3 omega = kRadiansPerDegree * wanted.angular_velocity;
  const Vec3 velocity = wanted.emitter ? wanted.emitter->velocity : wanted.velocity;
  for (std::size_t v = 0; v < placed.mesh.vertices.size(); ++v) {
    const Vec3& x = placed.mesh.vertices[v];
    state.positions[body.block_of_vertex[v]] = x;
    state.velocities[body.block_of_vertex[v]] = velocity + omega.cross(x - centre);
  }
  if (!placed.start.empty()) {  // torn since
    for (std::size_t v = 0; v < placed.start.size(); ++v) state.positions[body.block_of_vertex[v]] = placed.start[v];
    return;
  }
  if (std::holds_alternative<ScatterStart>(wanted.start)) scatter(placed.mesh, body, random, state);
  if (const auto* from = std::get_if<StateStart>(&wanted.start)) load_state(*from, wanted, body, state);
}

// Frames of a rod at the places where its vertices start, without twist between them.
void fit_frames(const PlacedBody& placed, const ModelBody& body, const Model& model, State& state) {
  const RodFrames frames = rod_frames_at(placed, body, model.rods, state.positions);
  std::copy(frames.directors.begin(), frames.directors.end(), state.rod_frames.directors.begin() + body.first_rod_edge);
  std::copy(frames.reference_twist.begin(), frames.reference_twist.end(),
            state.rod_frames.reference_twist.begin() + rod_joints(model, body)[0]);
}

// The twist asked for, or that of an earlier run. Rods that turn as a whole spin about their tangents too.
void set_twists(const std::vector<const PlacedBody*>& moving, const BlockData& data, const Model& model, State& state) {
  state.rod_frames = data.frames;
  for (std::size_t b = 0; b < moving.size(); ++b) {
    const ModelBody& body = model.bodies[b];
    if (body.kind != BodyKind::rod) continue;
    const Body& wanted = *moving[b]->body;
    if (std::holds_alternative<ScatterStart>(wanted.start)) fit_frames(*moving[b], body, model, state);
    const Vec3 omega = kRadiansPerDegree * wanted.angular_velocity;
    for (std::size_t s = 0; s < body.segments.size(); ++s) {
      const RodEdge& edge = model.rods.edges[body.first_rod_edge + s];
      state.positions[edge.twist][0] = data.twists[body.first_rod_edge + s];
      state.velocities[edge.twist][0] = omega.dot(tangent(edge, state.positions));
    }
    const auto* from = std::get_if<StateStart>(&wanted.start);
    if (from == nullptr || read_rod(io::CheckpointReader(from->state.resolved), model, body, state)) continue;
    throw InputError(wanted.source, fmt::format("'{}' holds no rod named '{}' with as many edges and joints",
                                                from->state.written, body.name));
  }
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
    case LinearMethod::banded:
      newton.linear = solver::NewtonLinear::banded;
      break;
    case LinearMethod::multigrid:
      newton.linear = solver::NewtonLinear::multigrid;
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
  const QuasiNewtonSettings& quasi_newton = scene.solver.quasi_newton;
  if (scene.solver.method == SolverMethod::quasi_newton)
    options.method = quasi_newton.then_newton ? StepMethod::quasi_newton_then_newton : StepMethod::quasi_newton;
  options.quasi_newton.history = quasi_newton.history;
  options.quasi_newton.iterations = quasi_newton.iterations;
  options.quasi_newton.tolerance = scene.solver.tolerance;
  options.quasi_newton.max_iterations = scene.solver.max_iterations;
  options.quasi_newton.storage = static_cast<linear::FactorStorage>(quasi_newton.factor);
  static_assert(static_cast<int>(linear::FactorStorage::float32) ==
                    static_cast<int>(FactorPrecision::float_precision) &&
                static_cast<int>(linear::FactorStorage::float16) == static_cast<int>(FactorPrecision::half_precision));
  options.after_tears = static_cast<AfterTears>(quasi_newton.after_tears);
  static_assert(static_cast<int>(AfterTears::keep) == static_cast<int>(MatrixAfterTears::keep) &&
                static_cast<int>(AfterTears::background) == static_cast<int>(MatrixAfterTears::background));
  options.background_steps = quasi_newton.background_steps;
  const ProjectionSettings& projection = scene.solver.projection;
  if (scene.solver.method == SolverMethod::projection) options.method = StepMethod::projection;
  options.projection.iteration = static_cast<solver::ProjectionIteration>(projection.iteration);
  static_assert(static_cast<int>(solver::ProjectionIteration::minres) == static_cast<int>(ProjectionOrder::minres));
  options.projection.iterations = projection.iterations;
  options.projection.tolerance = scene.solver.tolerance;
  options.projection.max_iterations = scene.solver.max_iterations;
  options.projection.precision = static_cast<solver::ProjectionPrecision>(projection.precision);
  options.projection.cone = static_cast<solver::FrictionCone>(projection.friction_cone);
  static_assert(static_cast<int>(solver::FrictionCone::box) == static_cast<int>(FrictionForm::box));
  options.projection.relaxation = projection.relaxation;
  options.projection.is_warm = projection.warm_start;
  options.projection.looks = projection.looks;
  options.projection.velocity_level = projection.velocity_level;
  options.sleep = {projection.sleep_after.value_or(0), projection.sleep_speed, 0};
  options.projected.restitution = scene.contact.restitution;
  // What gravity does in two steps is rest, no impact.
  options.projected.slowest = 2 * scene.gravity.norm() * scene.time.step;
  const PenaltySettings& penalty = scene.contact.penalty;
  options.penalty.stiffness = penalty.stiffness.value_or(0);
  options.penalty.limit = penalty.step_limit ? contact::StepLimit::first_touch : contact::StepLimit::none;
  options.penalty.release = static_cast<contact::Release>(penalty.release);
  static_assert(static_cast<int>(contact::Release::when_separating) == static_cast<int>(TermRelease::separating));
  return options;
}

void check_solid(const Scene& scene, const Body& body, const Material& material) {
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
        fmt::format("symplectic_euler needs lumped masses; set mass: lumped in the material of body '{}'", body.name));
  }
  if (material.model == MaterialModel::linear && material.extrapolate_below) {
    throw InputError(material.source,
                     "extrapolate_below needs a law of the stretches; the linear model has none, remove the key");
  }
  const char* key = material.thickness              ? "thickness"
                    : material.surface_density      ? "surface_density"
                    : material.bending == Bending{} ? nullptr
                                                    : "bending";
  if (key != nullptr) {
    throw InputError(material.source, fmt::format("{} acts in cloth only, and body '{}' of material '{}' is a solid; "
                                                  "remove the key, or make the body cloth",
                                                  key, body.name, material.name));
  }
}

// Cloth, rods and springs: what only solids have would be expected to act.
void check_thin(const Scene& scene, const Body& body, const Material& material) {
  const std::string kind = word_for(body.kind);
  if (scene.solver.newton.hessian == HessianForm::warped) {
    throw InputError(
        body.source,
        fmt::format("solver.newton.hessian: warped exists for solids of the corotated model only, and body "
                    "'{}' is of kind {}; use projected or exact",
                    body.name, kind));
  }
  const char* key = material.fibre                          ? "fibre"
                    : material.extrapolate_below            ? "extrapolate_below"
                    : material.mass == MassForm::consistent ? "mass: consistent"
                    : material.volume                       ? "volume"
                                                            : nullptr;
  if (key == nullptr) return;
  throw InputError(material.source, fmt::format("{} acts in solids only, and body '{}' of material '{}' is of kind {}; "
                                                "remove the key",
                                                key, body.name, material.name, kind));
}

// A rigid body's turning is written for backward Euler, and for impulses in the middle of the step, as projection has them under
// newmark (dynamics/rigid_motion.h). The constant matrix of quasi_newton is as
// stiff against turning as against strain (energy/rigid/rigidity.h): in ten iterations a box that stands on an edge does not tip.
void check_rigid(const Scene& scene, const Body& body) {
  if (scene.solver.method == SolverMethod::quasi_newton && !scene.solver.quasi_newton.then_newton) {
    throw InputError(body.source, fmt::format("body '{}' is rigid, and quasi_newton cannot turn rigid bodies; use "
                                              "solver.method: newton or projection",
                                              body.name));
  }
  const bool is_projected = scene.solver.method == SolverMethod::projection;
  if (scene.time.integrator == Integrator::backward_euler) return;
  if (scene.time.integrator == Integrator::newmark && is_projected) return;
  throw InputError(body.source,
                   fmt::format("body '{}' is rigid, and rigid bodies need time.integrator: backward_euler, "
                               "or newmark under solver.method: projection; this scene has {} under {}",
                               body.name, word_for(scene.time.integrator), word_for(scene.solver.method)));
}

// Combinations that no method can do, said before the first step.
void check_combinations(const Scene& scene) {
  for (const Body& body : scene.bodies) {
    if (body.kind == BodyKind::solid) check_solid(scene, body, scene.material(body.material));
    if (body.kind == BodyKind::rigid) check_rigid(scene, body);
    if (body.kind == BodyKind::cloth || body.kind == BodyKind::rod || body.kind == BodyKind::springs)
      check_thin(scene, body, scene.material(body.material));
  }
}

// The first body that brings an energy of this name; null when none is known to.
const Body* body_with_energy(const Scene& scene, const std::string& name) {
  for (const Body& body : scene.bodies) {
    if (body.kind == BodyKind::obstacle || body.kind == BodyKind::rigid) continue;
    const scene::Material& material = scene.material(body.material);
    const bool bends_as_rod = name == "elastic_rods" && body.kind == BodyKind::rod;
    if (bends_as_rod || name == scene::word_for(material.model) || (name == "fibre" && material.fibre)) return &body;
  }
  return nullptr;
}

// Constraint projection needs energies that are squares of constraints, and a step whose energies count at its end.
void check_projection(const Scene& scene, const Model& model) {
  using enum Integrator;
  const Integrator integrator = scene.time.integrator;
  if (integrator != backward_euler && integrator != bdf2 && integrator != newmark)
    throw InputError(scene.source,
                     "solver.method: projection works with time.integrator backward_euler, bdf2 or newmark; use one of "
                     "them, or solver.method: newton");
  if (!model.inertia.is_lumped())
    throw InputError(scene.source, "solver.method: projection needs lumped masses; set mass: lumped in the materials");
  std::vector<unsigned char> is_load;
  for (const EnergyRole role : model.roles)
    is_load.push_back(role == EnergyRole::gravity || role == EnergyRole::load ? 1 : 0);
  const std::string name = solver::not_projectable(model.energies, is_load);
  if (name.empty()) return;
  const Body* body = body_with_energy(scene, name);
  throw InputError(
      body != nullptr ? body->source : scene.source,
      fmt::format("{}solver.method: projection cannot take the energy '{}'. It takes springs, solids that are "
                  "st_venant_kirchhoff, corotated, linear or arap, and cloth that is st_venant_kirchhoff or "
                  "orthotropic_st_venant_kirchhoff; use one of these, or solver.method: newton or quasi_newton",
                  body != nullptr ? fmt::format("body '{}': ", body->name) : "", name));
}

double box_diagonal(const std::vector<PlacedBody>& bodies) {
  Eigen::AlignedBox3d box;
  for (const PlacedBody& body : bodies) {
    if (std::holds_alternative<PlaneMesh>(body.body->mesh.shape)) continue;  // has no end
    for (const Vec3& x : body.mesh.vertices) box.extend(x);
  }
  return box.isEmpty() ? 1 : box.diagonal().norm();
}

// Energies that couple blocks first: they decide the sparsity pattern.
void add_energies(const Scene& scene, const std::vector<const PlacedBody*>& moving, const BlockData& data,
                  Model& model) {
  ModelParts parts(model);
  std::vector<SolidPart> solids;
  std::vector<Vec3i> sheets;  // triangles that meet the wind
  for (std::size_t b = 0; b < moving.size(); ++b) {
    const PlacedBody& placed = *moving[b];
    const ModelBody& body = model.bodies[b];
    const Material& material = scene.material(placed.body->material);
    if (body.kind == BodyKind::solid) {
      SolidPart part{&material, body.rest.tets, placed.turn};
      for (Vec4i& tet : part.tets) {
        for (int& corner : tet) corner = body.block_of_vertex[corner];
      }
      solids.push_back(std::move(part));
    }
    if (body.kind == BodyKind::cloth) add_cloth_energies(placed, body, material, parts);
    if (body.kind == BodyKind::rigid) continue;
    for (const Vec3i& t : body.triangles)
      sheets.emplace_back(body.block_of_vertex[t[0]], body.block_of_vertex[t[1]], body.block_of_vertex[t[2]]);
  }
  add_solid_energies(solids, data.rest, parts);
  add_rod_energies(scene, moving, data, parts);
  add_spring_energies(scene, moving, parts);
  if (!model.rigids.empty()) {
    std::vector<RigidFrame> frames;
    for (const RigidBody& rigid : model.rigids) frames.push_back(rigid.frame);
    parts.add(std::make_unique<rigid::Rigidity>(frames, scene.time.step, model.layout.block_count()),
              EnergyRole::elastic);
  }
  add_joints(scene, parts);
  if ((scene.wind.drag > 0 || scene.wind.lift > 0) && !sheets.empty()) {
    parts.add(std::make_unique<pliant::Wind>(
                  sheets, model.layout.block_count(),
                  WindOptions{scene.wind.velocity, scene.wind.air_density, scene.wind.drag, scene.wind.lift}),
              EnergyRole::load);
  }
  parts.build_pattern();
  if (!scene.gravity.isZero(0))
    parts.add_uncoupled(std::make_unique<Gravity>(data.weights, scene.gravity), EnergyRole::gravity);
}

// Contact wakes motions that a step does not resolve; these integrators do not damp them.
void check_contact_in_time(const Scene& scene, ContactMethod response, std::vector<std::string>& notes) {
  const Integrator integrator = scene.time.integrator;
  if (integrator == Integrator::newmark && response == ContactMethod::projected) {
    const bool has_rigid = std::any_of(scene.bodies.begin(), scene.bodies.end(),
                                       [](const Body& body) { return body.kind == BodyKind::rigid; });
    throw InputError(
        scene.source,
        fmt::format(
            "contact under solver.method: projection needs time.integrator {}: newmark does not damp what a "
            "budget of iterations leaves of a contact, and energy would grow; use {} or contact: {{method: none}}",
            has_rigid ? "backward_euler" : "backward_euler or bdf2",
            has_rigid ? "it" : "one of these, solver.method: newton,"));
  }
  const bool does_not_damp = integrator == Integrator::implicit_midpoint ||
                             (integrator == Integrator::newmark && scene.time.newmark.gamma <= 0.5);
  if (does_not_damp)
    notes.emplace_back(
        "contact with an integrator that does not damp: what impacts wake in thin bodies and stiff ones may gain "
        "energy where steps are too long for it; look at the probe energy, take shorter steps, or newmark with gamma "
        "0.6 or backward_euler");
}

// Names that no body has: a slip of the pen, as a rule.
void note_unused_materials(const Scene& scene, std::vector<std::string>& notes) {
  for (const scene::Material& material : scene.materials) {
    const bool is_used = std::any_of(scene.bodies.begin(), scene.bodies.end(),
                                     [&](const Body& body) { return body.material == material.name; });
    if (!is_used) notes.push_back(fmt::format("material '{}' is of no body", material.name));
  }
}

}  // namespace

BuiltScene build(const Scene& scene) { return build(scene, place_bodies(scene), 0); }

BuiltScene build(const Scene& scene, const std::vector<PlacedBody>& placed, int revision) {
  check_combinations(scene);
  BuiltScene built;
  Model& model = built.model;
  model.revision = revision;
  model.gravity = scene.gravity;
  model.drag = scene.drag;
  model.diagonal = box_diagonal(placed);
  std::vector<const PlacedBody*> moving, rooted;  // bodies with unknowns; strands among them
  for (const PlacedBody& body : placed) {
    if (body.body->kind != BodyKind::obstacle) moving.push_back(&body);
    if (std::holds_alternative<StrandsMesh>(body.body->mesh.shape)) rooted.push_back(&body);
    for (const std::string& note : body.notes) built.notes.push_back(fmt::format("{}: {}", body.name, note));
  }
  const BlockData data = add_bodies(scene, placed, model);
  const ContactMethod response = contact_response(scene);
  if (!moving.empty() && placed.size() > 1 && response == ContactMethod::none &&
      scene.contact.method != ContactMethod::none)
    built.notes.emplace_back(
        "no contact: it needs an implicit integrator, and solver.method newton (barrier), quasi_newton without "
        "then_newton (penalty) or projection (projected); bodies pass through each other");

  model.inertia = Inertia(data.masses);
  add_energies(scene, moving, data, model);
  if (scene.solver.method == SolverMethod::projection) check_projection(scene, model);
  built.state.positions.resize(model.layout.block_count());
  built.state.velocities.resize(model.layout.block_count());
  for (std::size_t b = 0; b < moving.size(); ++b) {
    const ModelBody& body = model.bodies[b];
    if (body.rigid >= 0) {
      set_rigid_start(*moving[b]->body, body, model.rigids[body.rigid], built.state);
      continue;
    }
    set_start(*moving[b], model.bodies[b], data, Random(scene.seed, 1000 + b), built.state);
  }
  set_twists(moving, data, model, built.state);

  add_pins(scene, built.state, rooted, model);
  add_loads(scene, built.state, model);
  built.options = options_of(scene);
  if (response == ContactMethod::projected) model.pieces = contact_pieces(placed, model);
  if (revision == 0) note_unused_materials(scene, built.notes);
  if (response != ContactMethod::none)
    built.options.contact = add_contact(scene, placed, built.state.positions, revision == 0, model, built.notes);
  if (model.contact) check_contact_in_time(scene, response, built.notes);
  built.options.sleep.margin = 2 * built.options.contact.distance;
  if (built.options.newton.linear == solver::NewtonLinear::banded && !linear::BandedCholesky::suits(*model.pattern)) {
    throw InputError(scene.source, "solver.newton.linear: banded is for scenes of open rods alone; use auto");
  }
  return built;
}

}  // namespace pliant
