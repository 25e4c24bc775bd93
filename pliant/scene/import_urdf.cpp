#include "pliant/scene/import_urdf.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <fstream>
#include <numbers>
#include <set>

#include "pliant/input_error.h"
#include "pliant/io/atomic_file.h"
#include "pliant/io/text_scanner.h"
#include "pliant/math/rotation.h"
#include "pliant/scene/reader.h"
#include "pliant/scene/urdf_shapes.h"
#include "pliant/scene/yaml_document.h"

namespace pliant::scene {
namespace {

using io::in_quotes;
using io::UrdfJoint;
using io::UrdfJointType;
using io::UrdfRobot;
using io::UrdfShape;

constexpr double kDegreesPerRadian = 180 / std::numbers::pi;
// Far above any robot; a file may come from anyone, and pairs grow with the square of the shapes.
constexpr std::size_t kMostBodies = 10'000, kMostPairs = 100'000;

// --- YAML ---

// Twelve digits, and nothing for what is below `smallest`: what rounding leaves of turns by 90 degrees must not fill the
// file. Far below every tolerance of a run.
YamlNode rounded(double value, double smallest = 1e-12) {
  return yaml_scalar(std::abs(value) < smallest ? "0" : fmt::format("{:.12g}", value));
}

YamlNode rounded_row(std::span<const double> values, double smallest = 1e-12) {
  YamlNode row = yaml_sequence();
  for (const double value : values) row.items.push_back(rounded(value, smallest));
  return row;
}
YamlNode rounded_row(const Vec3& x) { return rounded_row(std::span(x.data(), 3)); }

YamlNode yaml_of(std::initializer_list<std::pair<const char*, YamlNode>> entries) {
  YamlNode map = yaml_map();
  for (const auto& [key, value] : entries) {
    map.keys.push_back({key, 0});
    map.items.push_back(value);
  }
  return map;
}

void put(YamlNode& map, const char* key, YamlNode value) {
  map.keys.push_back({key, 0});
  map.items.push_back(std::move(value));
}

YamlNode mesh_node(const MeshSource& mesh) {
  if (const auto* box = std::get_if<BoxMesh>(&mesh.shape)) {
    const Vec3 cells = box->cells.cast<double>();
    return yaml_of({{"box", yaml_of({{"size", rounded_row(box->size)}, {"cells", rounded_row(cells)}})}});
  }
  if (const auto* sphere = std::get_if<SphereMesh>(&mesh.shape)) {
    return yaml_of(
        {{"sphere", yaml_of({{"radius", rounded(sphere->radius)}, {"subdivisions", rounded(*sphere->subdivisions)}})}});
  }
  if (const auto* cylinder = std::get_if<CylinderMesh>(&mesh.shape)) {
    return yaml_of({{"cylinder", yaml_of({{"radius", rounded(cylinder->radius)},
                                          {"height", rounded(cylinder->height)},
                                          {"segments", rounded(cylinder->segments)}})}});
  }
  return yaml_of({{"file", yaml_text(std::get<FileMesh>(mesh.shape).file.written)}});
}

// About an axis whose largest component is positive; null: none.
YamlNode rotation_node(const Mat3& rotation) {
  const Vec3 turn = math::vector_from_rotation(rotation);
  const double angle = turn.norm();
  if (angle < 1e-12) return {};
  int largest = 0;
  turn.cwiseAbs().maxCoeff(&largest);
  const double sign = turn[largest] < 0 ? -1 : 1;
  return yaml_of({{"axis", rounded_row(sign / angle * turn)}, {"degrees", rounded(sign * angle * kDegreesPerRadian)}});
}

// Mass, inertia along the mesh's axes, and the centre of mass where it is not the mesh's origin.
// share: of the body, 0 to 1.
YamlNode material_node(const MassProperties& mass, double share, const UrdfSurface& surface) {
  const Mat3& turn = surface.place.rotation;
  Mat3 inertia = share * turn.transpose() * mass.inertia * turn;
  inertia = 0.5 * (inertia + inertia.transpose()).eval();
  const double size = inertia.norm(), smallest = 1e-12 * size;
  const Vec3 moments = inertia.diagonal();
  const bool is_principal = (inertia - Mat3(moments.asDiagonal())).norm() < 1e-12 * size;
  YamlNode node = yaml_of({{"mass", rounded(share * mass.mass, 0)}});
  put(node, "inertia",
      is_principal ? rounded_row(std::span(moments.data(), 3), smallest)
                   : rounded_row(std::span<const double>(inertia.data(), 9), smallest));
  const Vec3 centre = surface.place.inverse() * mass.center;
  const bool is_generated = !std::holds_alternative<FileMesh>(surface.mesh.shape);  // those are centred
  if (!is_generated || centre.norm() > 1e-12) put(node, "center_of_mass", rounded_row(centre));
  return node;
}

// --- The importer ---

class UrdfImporter {
 public:
  UrdfImporter(const UrdfRobot& robot, const UrdfImport& wanted)
      : robot_(robot), wanted_(wanted), parts_(urdf_parts(robot, wanted.base, wanted.pose)) {
    result_.notes = robot.notes;
    result_.notes.insert(result_.notes.end(), parts_.notes.begin(), parts_.notes.end());
  }

  ImportedScene import() {
    YamlNode bodies = yaml_sequence(), joints = yaml_sequence();
    for (const UrdfPart& part : parts_.parts) add_bodies(part, bodies, joints);
    for (const UrdfPart& part : parts_.parts) add_joint(part, joints);
    note_what_is_left();
    result_.body_count = static_cast<int>(bodies.items.size());
    result_.joint_count = static_cast<int>(joints.items.size());
    if (result_.body_count == 0)
      throw InputError(robot_.place(robot_.links[robot_.root].line), "the robot has neither a mass nor a shape");

    YamlNode scene = yaml_of({{"pliant", yaml_scalar("1")},
                              {"title", yaml_text(robot_.name.empty() ? "robot" : scene_name(robot_.name))},
                              {"time", yaml_of({{"step", yaml_scalar("0.005")}, {"end", yaml_scalar("2")}})},
                              {"bodies", bodies}});
    if (result_.joint_count > 0) put(scene, "joints", joints);
    if (!apart_.items.empty()) put(scene, "contact", yaml_of({{"pairs", apart_}}));
    result_.text =
        fmt::format("# Made from {} by `pliant import`; y is up.\n", in_quotes(wanted_.file.filename().string()));
    for (const std::string& sentence : result_.notes) result_.text += "# Note: " + sentence + ".\n";
    result_.text += write_yaml(scene);
    return std::move(result_);
  }

 private:
  // A shape on its way to become a body.
  struct NamedSurface {
    std::string name;
    UrdfSurface surface;
  };

  void note(const std::string& sentence) { result_.notes.push_back(sentence); }

  // Bodies of a link are named after it: arm, arm_2, arm_3.
  std::string body_name(int link, std::size_t index) {
    std::string name = scene_name(robot_.links[link].name);
    if (index > 0) name += "_" + std::to_string(index + 1);
    if (!names_.insert(name).second)
      throw InputError(robot_.place(robot_.links[link].line), "two bodies would be named " + name + "; rename a link");
    if (index == 0 && name != robot_.links[link].name)
      note("link " + in_quotes(robot_.links[link].name) + " is named " + name + " in the scene");
    return name;
  }

  void add_surfaces(int link, const std::vector<UrdfShape>& shapes, std::vector<NamedSurface>& surfaces) {
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      UrdfSurface surface =
          urdf_surface(robot_, shapes[s], parts_.world_from_link[link], {wanted_.file, wanted_.output});
      surfaces.push_back({body_name(link, s), std::move(surface)});
    }
  }

  // The collision shapes of a part; without any, the visual ones, or the box of its inertia, which touch nothing.
  std::vector<NamedSurface> surfaces_of(const UrdfPart& part, bool& touches) {
    std::vector<NamedSurface> surfaces;
    for (const int l : part.links) add_surfaces(l, robot_.links[l].collision, surfaces);
    touches = !surfaces.empty();
    if (touches) return surfaces;
    for (const int l : part.links) {
      const std::vector<UrdfShape>& shapes = robot_.links[l].visual;
      try {
        add_surfaces(l, shapes, surfaces);
      } catch (const InputError& error) {  // what is only seen is no reason to refuse the robot
        note("link " + in_quotes(robot_.links[l].name) + ": visual shapes are left out: " + error.sentence());
      }
    }
    const int link = part.main_link;
    if (!surfaces.empty())
      note("link " + in_quotes(robot_.links[link].name) +
           " has no collision shape: it looks like its visual one and touches nothing");
    if (!surfaces.empty() || part.is_fixed) return surfaces;
    note("link " + in_quotes(robot_.links[link].name) +
         " has no shape: it is shown as the box of its inertia and touches nothing");
    surfaces.push_back({body_name(link, 0), inertia_box(part.mass)});
    return surfaces;
  }

  void add_bodies(const UrdfPart& part, YamlNode& bodies, YamlNode& joints) {
    bool touches = true;
    std::vector<std::string>& names = bodies_of_part_.emplace_back();
    const std::vector<NamedSurface> surfaces = surfaces_of(part, touches);
    for (const auto& [name, surface] : surfaces) {
      YamlNode body = yaml_of({{"name", yaml_text(name)},
                               {"kind", yaml_scalar(part.is_fixed ? "obstacle" : "rigid")},
                               {"mesh", mesh_node(surface.mesh)}});
      const double share = 1.0 / static_cast<double>(surfaces.size());
      if (!part.is_fixed) put(body, "material", material_node(part.mass, share, surface));
      if (surface.scale != 1) put(body, "scale", rounded(surface.scale, 0));
      if (surface.place.translation.norm() > 1e-12) put(body, "position", rounded_row(surface.place.translation));
      if (YamlNode turn = rotation_node(surface.place.rotation); turn.kind == YamlNode::Kind::map)
        put(body, "rotation", std::move(turn));
      if (!touches) put(body, "contact", yaml_scalar("false"));
      bodies.items.push_back(std::move(body));
      if (bodies.items.size() > kMostBodies) throw InputError(robot_.file, "the robot has more than 10000 shapes");
      if (!names.empty() && !part.is_fixed) add_fixed_joint(part, name, joints);
      names.push_back(name);
    }
    if (names.empty()) return;  // nothing of the root is there but the world
    for (const int l : part.links) {
      const io::UrdfLink& link = robot_.links[l];
      if (names_.count(scene_name(link.name)) == 0)
        note(fmt::format("link {} has no body of its own: {} {}", in_quotes(link.name),
                         link.inertial ? "its mass goes to" : "it is a frame of", names.front()));
    }
    if (names.size() > 1 && !part.is_fixed)
      note(fmt::format("bodies {} move as one: each has the same share of mass and inertia, about their common centre",
                       fmt::join(names, ", ")));
  }

  // Holds another body of the same part to the first, and keeps it from touching those before it.
  void add_fixed_joint(const UrdfPart& part, const std::string& name, YamlNode& joints) {
    const std::vector<std::string>& before = bodies_of_part_.back();
    joints.items.push_back(yaml_of({{"name", yaml_text(name + "-" + before.front())},
                                    {"type", yaml_scalar("fixed")},
                                    {"bodies", pair_of(name, before.front())},
                                    {"at", rounded_row(part.mass.center)}}));
    for (std::size_t b = 1; b < before.size(); ++b) keep_apart(name, before[b]);
  }

  static YamlNode pair_of(const std::string& first, const std::string& second) {
    YamlNode pair = yaml_sequence();
    pair.items = {yaml_text(first), yaml_text(second)};
    return pair;
  }

  void keep_apart(const std::string& first, const std::string& second) {
    apart_.items.push_back(yaml_of({{"bodies", pair_of(first, second)}, {"enabled", yaml_scalar("false")}}));
    if (apart_.items.size() > kMostPairs)
      throw InputError(robot_.file, "the robot has more than 100000 pairs of shapes that must not touch; merge shapes");
  }

  void add_joint(const UrdfPart& part, YamlNode& joints) {
    if (part.joint < 0) return;
    const UrdfJoint& joint = robot_.joints[part.joint];
    if (joint.type == UrdfJointType::floating) return;
    const RigidTransform& place = parts_.world_from_link[joint.child];
    const bool is_slider = joint.type == UrdfJointType::prismatic;
    const double unit = is_slider ? 1 : kDegreesPerRadian;
    const std::vector<std::string>& own = bodies_of_part_[parts_.part_of_link[joint.child]];
    const std::vector<std::string>& others = bodies_of_part_[parts_.part_of_link[joint.parent]];
    YamlNode bodies = yaml_sequence();
    bodies.items.push_back(yaml_text(own.front()));
    if (!others.empty()) bodies.items.push_back(yaml_text(others.front()));
    // What a joint leads to is not touched; the joint itself says so of the first bodies.
    for (const std::string& a : own) {
      for (const std::string& b : others) {
        if (a != own.front() || b != others.front()) keep_apart(a, b);
      }
    }
    YamlNode node = yaml_of({{"name", yaml_text(scene_name(joint.name))},
                             {"type", yaml_scalar(is_slider ? "slider" : "hinge")},
                             {"bodies", bodies},
                             {"at", rounded_row(place.translation)},
                             {"axis", rounded_row(place.rotation * joint.axis)}});
    if (joint.type != UrdfJointType::continuous) {
      // The coordinate of a joint is 0 where the scene begins.
      const double start = parts_.joint_value[part.joint];
      put(node, "limits",
          yaml_of(
              {{"lower", rounded(unit * (joint.lower - start))}, {"upper", rounded(unit * (joint.upper - start))}}));
    }
    if (joint.friction > 0) {
      put(node, "motor",
          yaml_of({{"speed", yaml_scalar("0")}, {is_slider ? "max_force" : "max_torque", rounded(joint.friction, 0)}}));
    }
    if (joint.damping > 0)
      note(fmt::format("joint {}: the damping {:.6g} is dropped, joints have none against their motion",
                       in_quotes(joint.name), joint.damping));
    if (joint.mimics) note("joint " + in_quotes(joint.name) + ": <mimic> is ignored, the joint moves freely");
    joints.items.push_back(std::move(node));
  }

  void note_what_is_left() {
    const bool has_drives = std::any_of(robot_.joints.begin(), robot_.joints.end(), [](const UrdfJoint& joint) {
      return joint.effort.value_or(0) > 0 || joint.velocity.value_or(0) > 0;
    });
    if (has_drives)
      note("effort and velocity of <limit> are dropped, joints have no drives yet: add motor with speed or position");
    const bool has_both = std::any_of(robot_.links.begin(), robot_.links.end(), [](const io::UrdfLink& link) {
      return !link.visual.empty() && !link.collision.empty();
    });
    if (has_both) note("visual shapes and colours are dropped where there are collision shapes");
  }

  const UrdfRobot& robot_;
  const UrdfImport& wanted_;
  UrdfParts parts_;
  std::set<std::string> names_;                           // of bodies
  std::vector<std::vector<std::string>> bodies_of_part_;  // names; empty: the world
  YamlNode apart_ = yaml_sequence();                      // contact.pairs
  ImportedScene result_;
};

void refuse_existing(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error))
    throw InputError(path.string(), "the file exists already; remove it, or name another with -o");
}

}  // namespace

ImportedScene import_urdf(const io::UrdfRobot& robot, const UrdfImport& wanted) {
  return UrdfImporter(robot, wanted).import();
}

ImportedScene import_urdf_file(const UrdfImport& wanted) {
  refuse_existing(wanted.output);
  std::ifstream in(wanted.file, std::ios::binary);
  if (!in) throw InputError(wanted.file.string(), "there is no such file; check the path");
  ImportedScene scene = import_urdf(io::read_urdf(in, wanted.file.string()), wanted);

  static_cast<void>(
      parse_scene(scene.text, wanted.output.string(), {.folder = wanted.output.parent_path(), .overrides = {}}));
  io::write_file_atomically(wanted.output, scene.text);
  return scene;
}

}  // namespace pliant::scene
