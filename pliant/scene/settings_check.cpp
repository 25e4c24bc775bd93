// What must hold between the values of a scene: names that resolve, times in order, shapes that fit their body.
#include "pliant/scene/settings_check.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "pliant/input_error.h"
#include "pliant/scene/body_meshes.h"
#include "pliant/scene/presets.h"
#include "pliant/scene/schema_names.h"
#include "pliant/scene/settings.h"

namespace pliant::scene {
namespace {

// Copies beyond this are surely a typing error; each becomes a body with a name.
constexpr double kMostCopies = 1e6;

void require_name(const std::string& name, const Source& place, const std::string& what) {
  if (name.empty()) throw InputError(place, "the name of a " + what + " must not be empty");
  const auto is_bad = [](char c) {
    return c == '.' || c == '/' || c == ',' || c == '"' || c == '\'' || static_cast<unsigned char>(c) < 32 || c == 127;
  };
  if (std::any_of(name.begin(), name.end(), is_bad)) {
    throw InputError(place, "the name '" + name + "' of a " + what +
                                " must not contain dots, slashes, commas, quotes or control characters, because names "
                                "stand in paths and table columns");
  }
}

template <class Item>
void require_unique_names(const std::vector<Item>& items, const std::string& what) {
  std::vector<const Item*> sorted;
  for (const Item& item : items) sorted.push_back(&item);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Item* a, const Item* b) { return a->name < b->name; });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i]->name != sorted[i - 1]->name) continue;
    const std::string& first = sorted[i - 1]->source.place;
    throw InputError(sorted[i]->source, "the name '" + sorted[i]->name + "' is already taken by another " + what +
                                            (first.empty() ? "" : " at " + first) + "; names must be unique");
  }
}

template <class Keyframes>
void require_increasing(const Keyframes& keyframes, const Source& place, const std::string& what) {
  if (keyframes.empty()) throw InputError(place, what + " needs at least one keyframe");
  for (std::size_t i = 1; i < keyframes.size(); ++i) {
    if (keyframes[i].t > keyframes[i - 1].t) continue;
    throw InputError(place, "keyframes of " + what + " must have increasing t, got " + number_text(keyframes[i].t) +
                                " s after " + number_text(keyframes[i - 1].t) + " s");
  }
}

void check_motion(const Motion& motion, const Source& place, const std::string& what) {
  const auto* keyed = std::get_if<KeyframeMotion>(&motion);
  if (keyed == nullptr) return;
  require_increasing(keyed->keyframes, place, what);
  if (!keyed->repeat) return;
  const Keyframe &first = keyed->keyframes.front(), &last = keyed->keyframes.back();
  if (keyed->keyframes.size() < 2) throw InputError(place, what + ".repeat needs at least two keyframes");
  // A jump would throw what it moves across the scene in one step.
  if (first.position != last.position || !(first.rotation == last.rotation))
    throw InputError(place, what + ".repeat: the last keyframe must have position and rotation of the first");
}

void check_where(const Selection& where, const Source& place, const std::string& what) {
  if (const auto* vertices = std::get_if<VertexSelection>(&where); vertices != nullptr && vertices->vertices.empty()) {
    throw InputError(place, what + ".where.vertices must list at least one vertex");
  }
  const auto* box = std::get_if<BoxSelection>(&where);
  if (box != nullptr && (box->min.array() > box->max.array()).any()) {
    throw InputError(place, what + ".where.box must have min at most max along every axis; swap the two");
  }
}

void check_until(double from, const std::optional<double>& until, const Source& place, const std::string& what) {
  if (until && *until <= from) {
    throw InputError(place, what + ".until must be later than " + what + ".from, got " + number_text(*until) +
                                " s with from at " + number_text(from) + " s");
  }
}

// ---- materials ----------------------------------------------------------------------------------------------------

void check_curve(const SplineCurve& curve, const Material& material, const std::string& key) {
  const std::vector<Vec2>& points = curve.points;
  const std::string what = "materials." + material.name + "." + key;
  const bool may_be_absent = key != "a";
  if (points.empty() && may_be_absent) return;
  // A cubic needs four control points.
  if (points.size() < 4) {
    throw InputError(material.source, what + " needs at least 4 points, got " + std::to_string(points.size()));
  }
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i][0] > points[i - 1][0]) continue;
    throw InputError(material.source, what + " needs points of strictly increasing stretch, got " +
                                          number_text(points[i][0]) + " after " + number_text(points[i - 1][0]));
  }
  if (points.front()[0] < 0.0)
    throw InputError(material.source, what + " has a negative stretch; stretch is at least 0");
}

void check_material(const Material& material) {
  if (material.name.empty()) throw InputError(material.source, "the name of a material must not be empty");
  if (material.model == MaterialModel::mooney_rivlin && material.c1 + material.c2 <= 0.0) {
    throw InputError(material.source,
                     "materials." + material.name + " needs c1 + c2 above 0 Pa, or it does not resist shear");
  }
  if (material.model != MaterialModel::spline) return;
  check_curve(material.a, material, "a");
  check_curve(material.b, material, "b");
  check_curve(material.c, material, "c");
}

void check_material_name(const Body& body, const std::vector<Material>& materials) {
  const auto is_it = [&body](const Material& material) { return material.name == body.material; };
  if (std::any_of(materials.begin(), materials.end(), is_it)) return;
  const std::string what = "bodies." + body.name + ".material: ";
  std::vector<std::string> known;
  for (const Material& material : materials) known.push_back(material.name);
  for (const MaterialPreset& preset : material_presets()) known.push_back(preset.material.name);
  throw InputError(body.source, what + "there is no material or preset named '" + body.material + "'" +
                                    suggestion(body.material, known));
}

// A stiffness of links that a mesh does not have would be expected to act.
void check_spring_kinds(const Body& body, const Material& material) {
  const std::string what = "materials." + material.name;
  if (material.shear_stiffness > 0 && !has_cells(body.mesh)) {
    throw InputError(material.source, what +
                                          ".shear_stiffness acts across the cells of a grid (diagonal, alternating "
                                          "or irregular), and the mesh of body '" +
                                          body.name + "' has none; remove the key");
  }
  if (material.bend_stiffness > 0 && std::holds_alternative<BoxMesh>(body.mesh.shape)) {
    throw InputError(material.source, what + ".bend_stiffness acts in sheets and chains, and the links of box '" +
                                          body.name + "' all follow edges; remove the key");
  }
}

// Moments of inertia that a body can have: positive, and none larger than the sum of the others.
void check_rigid_mass(const Material& material) {
  const std::string what = "materials." + material.name + ".inertia ";
  const std::vector<double>& entries = material.inertia;
  if (material.center_of_mass && entries.empty()) {
    throw InputError(material.source, "materials." + material.name +
                                          ".center_of_mass needs mass and inertia beside it, which are about it");
  }
  if (entries.empty()) return;
  if (!material.total_mass) throw InputError(material.source, what + "needs mass in kg beside it");
  if (entries.size() != 3 && entries.size() != 9) {
    throw InputError(material.source,
                     what + "needs three moments or nine entries, got " + std::to_string(entries.size()));
  }
  const Mat3 inertia = inertia_matrix(material);
  if (!inertia.isApprox(inertia.transpose(), 1e-9))
    throw InputError(material.source, what + "must be symmetric: entry (i, j) equals entry (j, i)");
  const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(inertia).eigenvalues();
  if (moments[0] > 0 && moments[2] <= (1 + 1e-9) * (moments[0] + moments[1])) return;
  throw InputError(material.source, what + "has the principal moments " + number_text(moments[0]) + ", " +
                                        number_text(moments[1]) + ", " + number_text(moments[2]) +
                                        " kg m²; they must be above 0, and none larger than the sum of the others");
}

// Which models make which kinds of bodies.
void check_model(const Body& body, const std::vector<Material>& materials) {
  const Material& material =
      *std::find_if(materials.begin(), materials.end(), [&](const Material& m) { return m.name == body.material; });
  const MaterialModel model = material.model;
  const bool is_thin = model == MaterialModel::orthotropic_st_venant_kirchhoff || model == MaterialModel::elastic_rod ||
                       model == MaterialModel::springs;
  const bool shared = model == MaterialModel::neo_hookean || model == MaterialModel::corotated ||
                      model == MaterialModel::st_venant_kirchhoff;
  if (body.kind == BodyKind::rigid) return check_rigid_mass(material);
  if (material.total_mass || !material.inertia.empty() || material.center_of_mass) {
    const char* key = material.total_mass ? "mass in kg" : material.center_of_mass ? "center_of_mass" : "inertia";
    throw InputError(material.source, "materials." + material.name + "." + key + " is for rigid bodies, and body '" +
                                          body.name + "' is of kind " + word_for(body.kind) + "; give density instead");
  }
  bool fits = !is_thin;
  const char* models = "neo_hookean, stable_neo_hookean, corotated, st_venant_kirchhoff and the other laws of solids";
  if (body.kind == BodyKind::cloth) {
    fits = shared || model == MaterialModel::orthotropic_st_venant_kirchhoff;
    models = "st_venant_kirchhoff, orthotropic_st_venant_kirchhoff, neo_hookean or corotated";
  } else if (body.kind == BodyKind::rod) {
    fits = model == MaterialModel::elastic_rod;
    models = "elastic_rod";
  } else if (body.kind == BodyKind::springs) {
    fits = model == MaterialModel::springs;
    models = "springs";
  }
  if (!fits) {
    throw InputError(body.source, "bodies." + body.name + ": a body of kind " + word_for(body.kind) +
                                      " needs a model " + models + ", and material '" + material.name + "' is " +
                                      word_for(model));
  }
  const bool has_poisson = shared || model == MaterialModel::stable_neo_hookean || model == MaterialModel::linear;
  if (body.kind == BodyKind::solid && has_poisson && material.poisson >= 0.5) {
    throw InputError(material.source, "materials." + material.name + ".poisson must be below 0.5 for a solid, got " +
                                          number_text(material.poisson));
  }
  if (body.kind == BodyKind::springs) check_spring_kinds(body, material);
  if (material.radius) {
    throw InputError(material.source, "materials." + material.name + ".radius acts in particles only, and body '" +
                                          body.name + "' is of kind " + word_for(body.kind) + "; remove the key");
  }
}

// ---- particles ----------------------------------------------------------------------------------------------------

void check_emitter(const Body& body) {
  const Emitter& emitter = *body.emitter;
  const std::string what = "bodies." + body.name;
  const char* key = !body.position.isZero(0)           ? "position"
                    : !body.rotation.turns.empty()     ? "rotation"
                    : body.scale != 1                  ? "scale"
                    : !(body.copies == Copies{})       ? "copies"
                    : !body.velocity.isZero(0)         ? "velocity"
                    : !body.angular_velocity.isZero(0) ? "angular_velocity"
                                                       : nullptr;
  if (key != nullptr) {
    throw InputError(body.source, what + "." + key +
                                      " is not used with an emitter, whose from and velocity say where particles "
                                      "start; remove the key");
  }
  const auto* box = std::get_if<BoxOpening>(&emitter.from);
  if (box != nullptr && (box->min.array() > box->max.array()).any())
    throw InputError(body.source, what + ".emitter.from.box must have min at most max along every axis; swap the two");
}

void check_grains(const Body& body, const std::vector<Material>& materials) {
  const Material& material =
      *std::find_if(materials.begin(), materials.end(), [&](const Material& m) { return m.name == body.material; });
  if (!material.radius) {
    throw InputError(body.source, "bodies." + body.name + ": particles need a material with a radius [m], and '" +
                                      material.name + "' has none; write material: {density: 2500, radius: 2.0e-3}");
  }
  if (std::holds_alternative<ScatterStart>(body.start)) {
    throw InputError(body.source,
                     "bodies." + body.name + ".start: scatter would put particles into each other; remove the key");
  }
  if (body.emitter) check_emitter(body);
}

// ---- bodies -------------------------------------------------------------------------------------------------------

void check_mesh(const Body& body) {
  const std::string what = "bodies." + body.name + ".mesh";
  const MeshSource& mesh = body.mesh;
  const auto is_one_of = [&]<class... Shapes>() { return (std::holds_alternative<Shapes>(mesh.shape) || ...); };
  const bool is_line = is_one_of.operator()<StrandMesh, StrandsMesh>();
  const bool has_inside = body.kind == BodyKind::solid || body.kind == BodyKind::rigid;
  if (has_inside && (is_line || is_one_of.operator()<GridMesh, PlaneMesh, TubeMesh>())) {
    throw InputError(mesh.source, what + ": grid, plane, tube and strands have no volume; a body of kind " +
                                      word_for(body.kind) + " needs box, sphere, cylinder, capsule, torus or file");
  }
  if (body.kind == BodyKind::particles && !body.emitter &&
      (is_line || is_one_of.operator()<GridMesh, PlaneMesh, TubeMesh>())) {
    throw InputError(mesh.source, what +
                                      ": particles fill a closed mesh: box, sphere, cylinder, capsule, torus or file; "
                                      "or they come from an emitter");
  }
  if (body.kind == BodyKind::rod && !is_line)
    throw InputError(mesh.source, what + ": a rod is a line; it needs strand or strands");
  if ((body.kind == BodyKind::cloth || body.kind == BodyKind::obstacle) && is_line) {
    throw InputError(mesh.source, what +
                                      ": a line has no area; cloth and obstacles need grid, tube, sphere, cylinder, "
                                      "capsule, torus or file");
  }
  if (body.kind == BodyKind::springs && is_one_of.operator()<StrandsMesh, PlaneMesh>())
    throw InputError(mesh.source, what + ": springs need grid, strand, box or a surface");
  const auto* sphere = std::get_if<SphereMesh>(&mesh.shape);
  if (sphere != nullptr && sphere->cells && sphere->subdivisions) {
    throw InputError(mesh.source, what + ".sphere: cells and subdivisions exclude each other; keep one");
  }
  if (sphere != nullptr && sphere->cells && body.kind != BodyKind::solid) {
    throw InputError(mesh.source, what + ".sphere: cells make a solid, and a body of kind " + word_for(body.kind) +
                                      " is a surface; use subdivisions");
  }
  const auto* torus = std::get_if<TorusMesh>(&mesh.shape);
  if (torus != nullptr && torus->tube >= torus->radius) {
    throw InputError(mesh.source, what + ".torus: tube must be below radius (" + number_text(torus->radius) +
                                      " m), or the tube meets itself; got " + number_text(torus->tube));
  }
}

// Strands stand where the obstacle stands that they grow on.
void check_strands(const Body& body) {
  if (!std::holds_alternative<StrandsMesh>(body.mesh.shape)) return;
  const char* key = !body.position.isZero(0)       ? "position"
                    : !body.rotation.turns.empty() ? "rotation"
                    : body.scale != 1              ? "scale"
                    : !(body.copies == Copies{})   ? "copies"
                                                   : nullptr;
  if (key == nullptr) return;
  throw InputError(body.source, "bodies." + body.name + "." + key +
                                    " is not used for strands, which stand on an obstacle; place the obstacle '" +
                                    std::get<StrandsMesh>(body.mesh.shape).on + "' instead");
}

// The shapes of bodies that deform are not known.
void check_contact_shape(const Body& body) {
  if (body.contact.shape != ContactShape::analytic) return;
  const bool is_shape =
      std::holds_alternative<SphereMesh>(body.mesh.shape) || std::holds_alternative<CapsuleMesh>(body.mesh.shape) ||
      std::holds_alternative<BoxMesh>(body.mesh.shape) || std::holds_alternative<TorusMesh>(body.mesh.shape);
  if (body.kind == BodyKind::obstacle && is_shape) return;
  throw InputError(body.source, "bodies." + body.name +
                                    ".contact.shape: analytic is for obstacles whose mesh is a sphere or a capsule, "
                                    "under contact.method penalty also a box or torus; remove the key");
}

void check_body(const Body& body, const std::vector<Material>& materials) {
  require_name(body.name, body.source, "body");
  check_mesh(body);
  check_strands(body);
  check_contact_shape(body);
  if (body.kind != BodyKind::obstacle) {  // an obstacle has no inside
    check_material_name(body, materials);
    if (body.kind == BodyKind::particles) {
      check_grains(body, materials);
    } else {
      check_model(body, materials);
    }
  }
  if (body.animated_rest) {
    require_increasing(body.animated_rest->keyframes, body.source, "bodies." + body.name + ".animated_rest");
    for (const ScalarKeyframe& key : body.animated_rest->weight.keyframes) {
      if (key.value >= 0 && key.value <= 1) continue;
      throw InputError(body.source, "bodies." + body.name + ".animated_rest.weight must be from 0 to 1, got " +
                                        number_text(key.value));
    }
  }
  if (body.copies.count.cast<double>().prod() > kMostCopies) {
    throw InputError(body.source, "bodies." + body.name + ".copies.count asks for more than a million copies");
  }
  check_motion(body.motion, body.source, "bodies." + body.name + ".motion");
}

// What pins, loads and probes may call a body: its name, or name.i for one of several copies.
class BodyNames {
 public:
  explicit BodyNames(const std::vector<Body>& bodies) : bodies_(bodies) {}

  const Body& require(const std::string& name, const Source& place, const std::string& what) const {
    const std::size_t dot = name.rfind('.');
    for (const Body& body : bodies_) {
      if (body.name == name) return body;
      if (dot != std::string::npos && name.compare(0, dot, body.name) == 0 && is_copy(body, name.substr(dot + 1)))
        return body;
    }
    std::vector<std::string> known;
    for (const Body& body : bodies_) known.push_back(body.name);
    throw InputError(place, what + ": there is no body named '" + name + "'" + suggestion(name, known));
  }
  // An obstacle has no unknowns: it can be neither held nor pushed nor measured.
  void require_moving(const std::string& name, const Source& place, const std::string& what) const {
    if (require(name, place, what).kind != BodyKind::obstacle) return;
    throw InputError(place, what + ": '" + name +
                                "' is an obstacle, which only its motion moves; name a body of another kind, or set "
                                "motion in the obstacle");
  }

 private:
  static bool is_copy(const Body& body, const std::string& index) {
    const int count = body.copies.count.prod();
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (count < 2 || index.empty() || index.size() > 7 || !std::all_of(index.begin(), index.end(), is_digit))
      return false;
    return std::stoi(index) < count;
  }

  const std::vector<Body>& bodies_;
};

// ---- what acts and what is measured ---------------------------------------------------------------------------------

void check_pins_and_loads(const Scene& scene, const BodyNames& names) {
  for (const Pin& pin : scene.pins) {
    names.require_moving(pin.body, pin.source, "pins.body");
    check_where(pin.where, pin.source, "pins");
    check_motion(pin.motion, pin.source, "pins.motion");
    check_until(pin.from, pin.until, pin.source, "pins");
    if (!pin.direction && !pin.axes.x && !pin.axes.y && !pin.axes.z) {
      throw InputError(pin.source, "pins.axes must hold at least one of x, y, z");
    }
  }
  for (const Load& load : scene.loads) {
    names.require_moving(load.body, load.source, "loads.body");
    check_where(load.where, load.source, "loads");
    check_until(load.from, load.until, load.source, "loads");
    for (const auto* curve : {&load.force, &load.torque, &load.traction}) {
      if (*curve) require_increasing((*curve)->keyframes, load.source, "loads");
    }
    if (load.pressure) require_increasing(load.pressure->keyframes, load.source, "loads.pressure");
  }
}

void check_joints(const Scene& scene, const BodyNames& names) {
  require_unique_names(scene.joints, "joint");
  for (const Joint& joint : scene.joints) {
    require_name(joint.name, joint.source, "joint");
    if (joint.bodies.empty() || joint.bodies.size() > 2) {
      throw InputError(joint.source, "joints." + joint.name +
                                         ".bodies must name two bodies, or one to join it to the " + "world, got " +
                                         std::to_string(joint.bodies.size()));
    }
    std::vector<const Body*> bodies;
    for (const std::string& name : joint.bodies)
      bodies.push_back(&names.require(name, joint.source, "joints." + joint.name + ".bodies"));
    check_joint(joint, bodies);
  }
  if (!scene.joints.empty() && scene.time.integrator == Integrator::symplectic_euler)
    throw InputError(scene.joints.front().source,
                     "joints are stiff and need an implicit integrator; use backward_euler");
}

void check_tears(const Scene& scene, const BodyNames& names) {
  const auto require_tearable = [&](const Body& body, const Source& place, const std::string& what) {
    if (body.kind != BodyKind::cloth && body.kind != BodyKind::solid) {
      throw InputError(place, what + ": cloth and solids can be torn and cut, and '" + body.name + "' is of kind " +
                                  word_for(body.kind));
    }
    if (body.animated_rest) {
      throw InputError(
          place,
          what + ": a cloth with animated_rest cannot be torn or cut; remove one of the two from '" + body.name + "'");
    }
    if (scene.material(body.material).mass == MassForm::consistent) {
      throw InputError(place,
                       what + ": tearing needs lumped masses; set mass: lumped in the material of '" + body.name + "'");
    }
  };
  for (const Body& body : scene.bodies) {
    if (body.tearing) require_tearable(body, body.source, "bodies." + body.name + ".tearing");
  }
  for (const Cut& cut : scene.cuts) {
    require_tearable(names.require(cut.body, cut.source, "cuts.body"), cut.source, "cuts.body");
    check_where(cut.where, cut.source, "cuts");
  }
}

// The last part of a column's name for a probe of this quantity; empty: the probe is one column.
std::vector<std::string> components_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::energy:
      return {"kinetic", "elastic", "gravity", "contact", "total"};
    case Quantity::contacts:
      return contact_components();
    case Quantity::pose:
      return pose_components();
    case Quantity::joint:
      return joint_components();
    case Quantity::stretch_max:
    case Quantity::stretch_min:
    case Quantity::volume:
    case Quantity::count_inside:
    case Quantity::heap_angle:
      return {};
    default:
      return {"x", "y", "z"};
  }
}

void check_column(const Expectation& e, const Probe& probe, const std::string& column) {
  const std::vector<std::string> components = components_of(probe.quantity);
  const std::string quantity = word_for(probe.quantity);
  if (components.empty()) {
    if (column.empty()) return;
    throw InputError(e.source,
                     "expect.probe '" + e.probe + "': " + quantity + " is one column, named '" + probe.name + "'");
  }
  const std::size_t dot = column.rfind('.');
  const std::string last = dot == std::string::npos ? column : column.substr(dot + 1);
  if (std::find(components.begin(), components.end(), last) == components.end()) {
    throw InputError(e.source, "expect.probe '" + e.probe + "' must end in a component of " + quantity +
                                   suggestion(last, components));
  }
  // Several listed vertices have one group of columns each: corner.20.y.
  const bool per_vertex = probe.quantity == Quantity::position || probe.quantity == Quantity::velocity;
  const auto* listed = std::get_if<VertexSelection>(&probe.where);
  if (!per_vertex) {
    if (dot == std::string::npos) return;
    throw InputError(e.source,
                     "expect.probe '" + e.probe + "' has a part too many; write '" + probe.name + "." + last + "'");
  }
  if (listed == nullptr || listed->vertices.size() < 2) return;
  std::vector<std::string> vertices;
  for (const int vertex : listed->vertices) vertices.push_back(std::to_string(vertex));
  const std::string given = dot == std::string::npos ? "" : column.substr(0, dot);
  if (std::find(vertices.begin(), vertices.end(), given) == vertices.end()) {
    throw InputError(e.source, "expect.probe '" + e.probe + "' must name one of the probe's vertices, such as '" +
                                   probe.name + "." + vertices.front() + "." + last + "'");
  }
}

void check_expectation(const Expectation& e, const Scene& scene) {
  const std::size_t dot = e.probe.find('.');
  const std::string name = e.probe.substr(0, dot);
  const auto found =
      std::find_if(scene.probes.begin(), scene.probes.end(), [&](const Probe& p) { return p.name == name; });
  if (found == scene.probes.end()) {
    std::vector<std::string> known;
    for (const Probe& probe : scene.probes) known.push_back(probe.name);
    throw InputError(e.source, "expect.probe: there is no probe named '" + name + "'" + suggestion(name, known));
  }
  check_column(e, *found, dot == std::string::npos ? "" : e.probe.substr(dot + 1));
  if (e.between && (*e.between)[0] > (*e.between)[1]) {
    throw InputError(e.source, "expect.between must give the lower bound first, got [" + number_text((*e.between)[0]) +
                                   ", " + number_text((*e.between)[1]) + "]");
  }
  if (e.at == Moment::at_time && e.at_seconds > scene.time.end) {
    throw InputError(e.source, "expect.at must not be later than time.end (" + number_text(scene.time.end) +
                                   " s), got " + number_text(e.at_seconds));
  }
}

// The force on one body by all others, or on one by another.
void check_force_probe(const Probe& probe, const BodyNames& names) {
  const std::string place = "probes." + probe.name;
  const bool has_one = !probe.body.empty(), has_two = !probe.bodies.empty();
  if (has_one == has_two || (has_two && probe.bodies.size() != 2)) {
    throw InputError(probe.source,
                     place + ": contact_force needs body: for all contacts of one body, or bodies: with two");
  }
  if (has_one) (void)names.require(probe.body, probe.source, place + ".body");
  for (const std::string& name : probe.bodies) (void)names.require(name, probe.source, place + ".bodies");
}

void check_joint_probe(const Probe& probe, const std::vector<Joint>& joints) {
  std::vector<std::string> known;
  for (const Joint& joint : joints) known.push_back(joint.name);
  if (std::find(known.begin(), known.end(), probe.joint) != known.end()) return;
  throw InputError(probe.source, "probes." + probe.name + ".joint: there is no joint named '" + probe.joint + "'" +
                                     suggestion(probe.joint, known));
}

void check_contact(const ContactSettings& contact, SolverMethod method, Integrator integrator, const Source& place,
                   const BodyNames& names) {
  if (contact.restitution > 0 && method != SolverMethod::projection)
    throw InputError(place,
                     "contact.restitution needs solver.method projection: impacts are inelastic under the others; "
                     "remove the key or change the method");
  if (contact.restitution > 0 && integrator != Integrator::backward_euler)
    throw InputError(place,
                     "contact.restitution needs time.integrator backward_euler: the others remember speeds and "
                     "accelerations from before an impact, and a rebound would gain energy; remove the key");
  for (const ContactPair& pair : contact.pairs) {
    if (pair.bodies.size() != 2) {
      throw InputError(pair.source,
                       "contact.pairs.bodies must name two bodies, got " + std::to_string(pair.bodies.size()));
    }
    for (const std::string& name : pair.bodies) (void)names.require(name, pair.source, "contact.pairs.bodies");
  }
}

// Steps are counted in whole numbers, and a run of more would never end.
void check_step_count(const Scene& scene) {
  constexpr double kMostSteps = 1e12;
  const double count = scene.time.end / scene.time.step;
  if (count <= kMostSteps) return;
  throw InputError(scene.source, "time.end / time.step must be at most " + number_text(kMostSteps) + " steps, got " +
                                     number_text(count) + "; use a larger step or an earlier end");
}

}  // namespace

void check_scene(const Scene& scene) {
  check_ranges(scene);
  require_unique_names(scene.materials, "material");
  for (const Material& material : scene.materials) check_material(material);
  require_unique_names(scene.bodies, "body");
  for (const Body& body : scene.bodies) check_body(body, scene.materials);

  const BodyNames names(scene.bodies);
  check_pins_and_loads(scene, names);
  check_joints(scene, names);
  check_tears(scene, names);
  check_contact(scene.contact, scene.solver.method, scene.time.integrator, scene.source, names);
  require_unique_names(scene.probes, "probe");
  for (const Probe& probe : scene.probes) {
    require_name(probe.name, probe.source, "probe");
    if (probe.quantity == Quantity::contact_force) {
      check_force_probe(probe, names);
    } else if (probe.quantity == Quantity::joint) {
      check_joint_probe(probe, scene.joints);
    } else if (probe.quantity != Quantity::energy && probe.quantity != Quantity::contacts) {
      names.require_moving(probe.body, probe.source, "probes." + probe.name + ".body");
      const Body& body = names.require(probe.body, probe.source, "probes." + probe.name + ".body");
      if (is_of_rigid_bodies(probe.quantity) && body.kind != BodyKind::rigid) {
        throw InputError(probe.source, "probes." + probe.name + ": " + word_for(probe.quantity) +
                                           " is of rigid bodies, and '" + body.name + "' is of kind " +
                                           word_for(body.kind));
      }
    }
    check_where(probe.where, probe.source, "probes." + probe.name);
    if (probe.quantity == Quantity::count_inside && !std::holds_alternative<BoxSelection>(probe.where) &&
        !std::holds_alternative<SphereSelection>(probe.where)) {
      throw InputError(probe.source, "probes." + probe.name +
                                         ": count_inside needs where: {box: {min: […], max: […]}} or {sphere: …}");
    }
  }
  for (const Expectation& e : scene.expect) check_expectation(e, scene);
  check_step_count(scene);
}

}  // namespace pliant::scene
