// URDF robots as text for tests.
#pragma once

#include <sstream>
#include <string>

#include "pliant/io/urdf.h"

namespace pliant::testing {

inline io::UrdfRobot urdf(const std::string& inside) {
  std::istringstream in("<robot name='tested'>\n" + inside + "</robot>");
  return io::read_urdf(in, "tested.urdf");
}

// m = 1 kg, a ball's inertia, at a place in the link.
inline std::string inertial(const std::string& xyz = "0 0 0", const std::string& mass = "1") {
  return "<inertial><origin xyz='" + xyz + "'/><mass value='" + mass +
         "'/><inertia ixx='0.01' iyy='0.01' izz='0.01'/></inertial>";
}
inline std::string link(const std::string& name, const std::string& inside = inertial()) {
  return "<link name='" + name + "'>" + inside + "</link>\n";
}
// more: origin, axis, limit, …
inline std::string joint(const std::string& type, const std::string& parent, const std::string& child,
                         const std::string& more = "") {
  return "<joint name='" + parent + "_" + child + "' type='" + type + "'><parent link='" + parent + "'/><child link='" +
         child + "'/>" + more + "</joint>\n";
}
inline std::string collision(const std::string& geometry, const std::string& origin = "") {
  return "<collision>" + origin + "<geometry>" + geometry + "</geometry></collision>";
}

}  // namespace pliant::testing
