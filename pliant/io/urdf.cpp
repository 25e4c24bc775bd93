#include "pliant/io/urdf.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <map>
#include <string_view>

#include "pliant/input_error.h"
#include "pliant/io/plain_text.h"
#include "pliant/io/text_scanner.h"
#include "pliant/io/xml.h"

namespace pliant::io {
namespace {

// Beyond, a product of a few numbers of the file would no longer be finite. Far above any robot in SI units.
constexpr double kLargestUrdfNumber = 1e30;

class UrdfReader {
 public:
  explicit UrdfReader(const std::string& file) { robot_.file = file; }

  UrdfRobot read(const XmlElement& root) {
    if (root.name != "robot") fail(root, "the outermost element of a URDF file is <robot>, got <" + root.name + ">");
    if (const std::string* name = root.attribute("name")) robot_.name = *name;
    for (const XmlElement& e : root.children) {
      if (e.name == "link") {
        read_link(e);
      } else if (e.name == "joint") {
        joint_elements_.push_back(&e);  // after all links, whatever the order
      } else if (e.name != "material") {
        ignore(e);
      }
    }
    if (robot_.links.empty()) fail(root, "the robot has no <link>");
    for (const XmlElement* e : joint_elements_) read_joint(*e);
    make_tree(root);
    for (const auto& [element, where] : ignored_) {
      robot_.notes.push_back("<" + element + "> is ignored (line " + std::to_string(where.first) +
                             (where.second > 1 ? " and " + std::to_string(where.second - 1) + " more)" : ")"));
    }
    return std::move(robot_);
  }

 private:
  [[noreturn]] void fail(const XmlElement& e, const std::string& sentence) const {
    throw InputError(robot_.place(e.line), sentence);
  }

  void ignore(const XmlElement& e) {
    if (e.name.substr(0, 6) == "xacro:")
      fail(e, "<" + e.name + "> is a macro of xacro; expand the file first: xacro robot.urdf.xacro > robot.urdf");
    auto& [line, count] = ignored_.try_emplace(e.name, e.line, 0).first->second;
    ++count;
  }

  // A misspelt or newer attribute must not change the robot in silence.
  void allow_only(const XmlElement& e, std::initializer_list<std::string_view> names) const {
    for (const XmlAttribute& a : e.attributes) {
      if (std::find(names.begin(), names.end(), a.name) != names.end()) continue;
      std::string known;
      for (const std::string_view name : names) known += (known.empty() ? "" : ", ") + std::string(name);
      fail(e, "<" + e.name + "> has no attribute " + in_quotes(a.name) + "; it has " + known);
    }
  }

  [[nodiscard]] const std::string& text(const XmlElement& e, std::string_view name) const {
    const std::string* value = e.attribute(name);
    if (value == nullptr || value->empty()) fail(e, "<" + e.name + "> needs the attribute " + std::string(name));
    return *value;
  }

  // N numbers with blanks between them.
  template <int N>
  [[nodiscard]] Eigen::Matrix<double, N, 1> numbers(const XmlElement& e, std::string_view name) const {
    const std::string_view value = text(e, name);
    Eigen::Matrix<double, N, 1> result;
    int count = 0;
    bool is_right = true;
    for (std::size_t at = value.find_first_not_of(' '); at != std::string_view::npos && is_right;) {
      const std::size_t end = std::min(value.find(' ', at), value.size());
      std::string_view word = value.substr(at, end - at);
      if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
      double number = 0;
      is_right = count < N && parse_number(word, number) && std::abs(number) <= kLargestUrdfNumber;  // false for nan
      if (is_right) result[count++] = number;
      at = value.find_first_not_of(' ', end);
    }
    if (!is_right || count < N) {
      fail(e, std::string(name) + " of <" + e.name + "> must be " +
                  (N == 1 ? "a number" : std::to_string(N) + " numbers with blanks between them") + ", got " +
                  in_quotes(value));
    }
    return result;
  }
  [[nodiscard]] double number(const XmlElement& e, std::string_view name) const { return numbers<1>(e, name)[0]; }
  [[nodiscard]] double number_or(const XmlElement& e, std::string_view name, double otherwise) const {
    return e.attribute(name) == nullptr ? otherwise : number(e, name);
  }
  [[nodiscard]] double positive(const XmlElement& e, std::string_view name) const {
    const double value = number(e, name);
    if (value <= 0) fail(e, std::string(name) + " of <" + e.name + "> must be above 0, got " + text(e, name));
    return value;
  }
  [[nodiscard]] double not_negative(const XmlElement& e, std::string_view name) const {
    const double value = number_or(e, name, 0);
    if (value < 0) fail(e, std::string(name) + " of <" + e.name + "> must not be negative, got " + text(e, name));
    return value;
  }

  // The one child of this name, or nullptr.
  [[nodiscard]] const XmlElement* child(const XmlElement& e, std::string_view name) const {
    const XmlElement* found = nullptr;
    for (const XmlElement& c : e.children) {
      if (c.name != name) continue;
      if (found != nullptr) fail(c, "<" + e.name + "> has more than one <" + c.name + ">; keep one");
      found = &c;
    }
    return found;
  }
  [[nodiscard]] const XmlElement& needed_child(const XmlElement& e, const std::string& name) const {
    const XmlElement* found = child(e, name);
    if (found == nullptr) fail(e, "<" + e.name + "> needs <" + name + ">");
    return *found;
  }
  // Notes what is none of these.
  void ignore_others(const XmlElement& e, std::initializer_list<std::string_view> names) {
    for (const XmlElement& c : e.children) {
      if (std::find(names.begin(), names.end(), c.name) == names.end()) ignore(c);
    }
  }

  [[nodiscard]] UrdfFrame frame_of(const XmlElement& e) const {
    UrdfFrame frame;
    const XmlElement* origin = child(e, "origin");
    if (origin == nullptr) return frame;
    allow_only(*origin, {"xyz", "rpy"});
    if (origin->attribute("xyz") != nullptr) frame.position = numbers<3>(*origin, "xyz");
    if (origin->attribute("rpy") != nullptr) {
      const Vec3 rpy = numbers<3>(*origin, "rpy");
      frame.rotation = (Eigen::AngleAxisd(rpy[2], Vec3::UnitZ()) * Eigen::AngleAxisd(rpy[1], Vec3::UnitY()) *
                        Eigen::AngleAxisd(rpy[0], Vec3::UnitX()))
                           .toRotationMatrix();
    }
    return frame;
  }

  // --- Links ---

  void read_link(const XmlElement& e) {
    UrdfLink link;
    link.name = text(e, "name");
    link.line = e.line;
    if (!link_of_name_.emplace(link.name, static_cast<int>(robot_.links.size())).second)
      fail(e, "there are two links named " + in_quotes(link.name) + "; rename one");
    if (const XmlElement* inertial = child(e, "inertial")) link.inertial = read_inertial(*inertial);
    for (const XmlElement& c : e.children) {
      if (c.name == "collision") link.collision.push_back(read_shape(c));
      if (c.name == "visual") link.visual.push_back(read_shape(c));
    }
    ignore_others(e, {"inertial", "collision", "visual"});
    robot_.links.push_back(std::move(link));
  }

  UrdfInertial read_inertial(const XmlElement& e) {
    UrdfInertial inertial;
    inertial.line = e.line;
    inertial.origin = frame_of(e);
    const XmlElement& mass = needed_child(e, "mass");
    allow_only(mass, {"value"});
    inertial.mass = number(mass, "value");
    if (inertial.mass < 0) fail(mass, "a mass must not be negative, got " + text(mass, "value"));
    ignore_others(e, {"origin", "mass", "inertia"});
    if (inertial.mass == 0) return inertial;
    const XmlElement& inertia = needed_child(e, "inertia");
    allow_only(inertia, {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"});
    // All numbers first: an exception in the middle of Eigen's << leaves a matrix half filled.
    const double xx = number(inertia, "ixx"), yy = number(inertia, "iyy"), zz = number(inertia, "izz");
    const double xy = number_or(inertia, "ixy", 0), xz = number_or(inertia, "ixz", 0),
                 yz = number_or(inertia, "iyz", 0);
    inertial.inertia << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    return inertial;
  }

  UrdfShape read_shape(const XmlElement& e) {
    UrdfShape shape;
    shape.line = e.line;
    shape.origin = frame_of(e);
    ignore_others(e, {"origin", "geometry", "material"});
    const XmlElement& geometry = needed_child(e, "geometry");
    if (geometry.children.size() != 1) fail(geometry, "<geometry> needs one of <box>, <cylinder>, <sphere> and <mesh>");
    const XmlElement& g = geometry.children.front();
    if (g.name == "box") {
      allow_only(g, {"size"});
      shape.size = numbers<3>(g, "size");
      if (shape.size.minCoeff() <= 0) fail(g, "size of <box> must be above 0, got " + text(g, "size"));
    } else if (g.name == "cylinder") {
      allow_only(g, {"radius", "length"});
      shape.geometry = UrdfGeometry::cylinder;
      shape.radius = positive(g, "radius");
      shape.length = positive(g, "length");
    } else if (g.name == "sphere") {
      allow_only(g, {"radius"});
      shape.geometry = UrdfGeometry::sphere;
      shape.radius = positive(g, "radius");
    } else if (g.name == "mesh") {
      allow_only(g, {"filename", "scale"});
      shape.geometry = UrdfGeometry::mesh;
      shape.file = text(g, "filename");
      if (g.attribute("scale") != nullptr) shape.scale = numbers<3>(g, "scale");
      if (shape.scale.minCoeff() <= 0) fail(g, "scale of <mesh> must be above 0, got " + text(g, "scale"));
    } else {
      fail(g, "there is no geometry <" + g.name + "> here; use <box>, <cylinder>, <sphere> or <mesh>");
    }
    return shape;
  }

  // --- Joints ---

  [[nodiscard]] UrdfJointType type_of(const XmlElement& e) const {
    static constexpr std::array<std::string_view, 6> kWords = {"revolute", "continuous", "prismatic",
                                                               "fixed",    "floating",   "planar"};
    const auto word = std::find(kWords.begin(), kWords.end(), text(e, "type"));
    if (word == kWords.end())
      fail(e, "there is no joint of type " + in_quotes(text(e, "type")) +
                  "; use revolute, continuous, prismatic, fixed or floating");
    return static_cast<UrdfJointType>(word - kWords.begin());
  }

  [[nodiscard]] int link_of(const XmlElement& joint, const std::string& end) const {
    const XmlElement& e = needed_child(joint, end);
    const auto found = link_of_name_.find(text(e, "link"));
    if (found == link_of_name_.end())
      fail(e, "joint " + in_quotes(text(joint, "name")) + ": there is no link named " + in_quotes(text(e, "link")));
    return found->second;
  }

  void read_joint(const XmlElement& e) {
    UrdfJoint joint;
    joint.name = text(e, "name");
    joint.line = e.line;
    if (!joint_line_.emplace(joint.name, e.line).second)
      fail(e, "there are two joints named " + in_quotes(joint.name) + "; rename one");
    joint.type = type_of(e);
    joint.parent = link_of(e, "parent");
    joint.child = link_of(e, "child");
    joint.origin = frame_of(e);
    if (const XmlElement* axis = child(e, "axis")) {
      allow_only(*axis, {"xyz"});
      joint.axis = numbers<3>(*axis, "xyz");
      if (joint.axis.norm() < 1e-9) fail(*axis, "an axis must not be zero; give a direction such as 0 0 1");
      joint.axis.normalize();
    }
    read_limits(e, joint);
    if (const XmlElement* dynamics = child(e, "dynamics")) {
      allow_only(*dynamics, {"damping", "friction"});
      joint.damping = not_negative(*dynamics, "damping");
      joint.friction = not_negative(*dynamics, "friction");
    }
    joint.mimics = child(e, "mimic") != nullptr;
    ignore_others(e, {"parent", "child", "origin", "axis", "limit", "dynamics", "mimic"});
    robot_.joints.push_back(std::move(joint));
  }

  void read_limits(const XmlElement& e, UrdfJoint& joint) {
    const bool is_limited = joint.type == UrdfJointType::revolute || joint.type == UrdfJointType::prismatic;
    const XmlElement* limit = child(e, "limit");
    if (limit == nullptr) {
      if (is_limited)
        fail(e, "joint " + in_quotes(joint.name) + " is " + text(e, "type") +
                    " and needs <limit lower=… upper=…>; a revolute joint without limits is of type continuous");
      return;
    }
    allow_only(*limit, {"lower", "upper", "effort", "velocity"});
    joint.lower = number_or(*limit, "lower", 0);  // the defaults of the format
    joint.upper = number_or(*limit, "upper", 0);
    if (is_limited && joint.lower > joint.upper)
      fail(*limit, "lower of <limit> must be at most upper, got " + text(*limit, "lower"));
    if (limit->attribute("effort") != nullptr) joint.effort = number(*limit, "effort");
    if (limit->attribute("velocity") != nullptr) joint.velocity = number(*limit, "velocity");
  }

  // --- The tree ---

  void make_tree(const XmlElement& root) {
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
      const UrdfJoint& joint = robot_.joints[j];
      UrdfLink& child = robot_.links[joint.child];
      if (child.joint >= 0) {
        throw InputError(robot_.place(joint.line), "link " + in_quotes(child.name) + " is the child of two joints, " +
                                                       in_quotes(robot_.joints[child.joint].name) + " and " +
                                                       in_quotes(joint.name) +
                                                       "; a robot is a tree: add a closing joint to the scene instead");
      }
      child.joint = static_cast<int>(j);
    }
    const auto is_root = [](const UrdfLink& link) { return link.joint < 0; };
    const auto first = std::find_if(robot_.links.begin(), robot_.links.end(), is_root);
    if (first == robot_.links.end()) fail(root, "the joints form a ring: every link is the child of another");
    const auto second = std::find_if(first + 1, robot_.links.end(), is_root);
    if (second != robot_.links.end()) {
      throw InputError(robot_.place(second->line), "links " + in_quotes(first->name) + " and " +
                                                       in_quotes(second->name) +
                                                       " are both without a parent; join them, fixed or floating");
    }
    robot_.root = static_cast<int>(first - robot_.links.begin());

    // Parents first: level by level from the root.
    std::vector<std::vector<int>> joints_below(robot_.links.size());
    for (std::size_t j = 0; j < robot_.joints.size(); ++j)
      joints_below[robot_.joints[j].parent].push_back(static_cast<int>(j));
    std::vector<UrdfJoint> ordered;
    std::vector<int> level = {robot_.root};
    for (std::size_t l = 0; l < level.size(); ++l) {
      for (const int j : joints_below[level[l]]) {
        level.push_back(robot_.joints[j].child);
        robot_.links[level.back()].joint = static_cast<int>(ordered.size());
        ordered.push_back(robot_.joints[j]);
      }
    }
    if (ordered.size() < robot_.joints.size()) fail(root, "some joints form a ring that the root does not reach");
    robot_.joints = std::move(ordered);
  }

  UrdfRobot robot_;
  std::vector<const XmlElement*> joint_elements_;
  std::map<std::string, int> link_of_name_;
  std::map<std::string, int> joint_line_;
  std::map<std::string, std::pair<int, int>> ignored_;  // by element: the first line, how often
};

}  // namespace

UrdfRobot read_urdf(std::istream& in, const std::string& name) {
  const std::string text = read_everything(in, name);
  return UrdfReader(name).read(parse_xml(text, name));
}

}  // namespace pliant::io
