// A scene of one thin body, as text that tests add to, and its energies at a configuration.
#pragma once

#include <algorithm>
#include <fstream>
#include <string>

#include "pliant/scene/build_model.h"
#include "pliant/scene/reader.h"

namespace pliant::testing {

struct ThinScene {
  std::string kind = "cloth";
  std::string mesh = "{grid: {size: [1, 1], cells: [2, 2]}}";
  std::string material = "model: st_venant_kirchhoff, young: 1.0e5, poisson: 0.3, thickness: 1.0e-3, density: 300";
  std::string body = "";  // more keys of the body
  std::string more = "";  // more top-level keys, each on lines of its own
  std::string gravity = "[0, 0, 0]";
  std::string folder = "";  // what file names are relative to
  bool touches = false;     // leaves contact as the text says; otherwise there is none

  [[nodiscard]] std::string text() const {
    return "pliant: 1\ntime: {end: 0.05}\ngravity: " + gravity + "\nmaterials:\n  stuff: {" + material +
           "}\nbodies:\n  - {name: thing, kind: " + kind + ", mesh: " + mesh + ", material: stuff" + body + "}\n" +
           more;
  }
  [[nodiscard]] Scene parse() const {
    Scene scene;
    if (folder.empty()) {
      scene = parse_scene(text(), "scene.yaml");
    } else {
      std::ofstream(folder + "/scene.yaml") << text();
      scene = read_scene(folder + "/scene.yaml");
    }
    if (!touches) scene.contact.method = scene::ContactMethod::none;
    return scene;
  }
  [[nodiscard]] BuiltScene built() const { return build(parse()); }
};

// Energies of some roles at `now`, having moved there from `before` in `step` seconds. Frames are those at the start.
struct Evaluated {
  double value = 0;      // J
  BlockVector gradient;  // N
};
inline Evaluated evaluate(const BuiltScene& built, const BlockVector& now, const BlockVector& before, double step,
                          double time = 0) {
  Controls controls;
  for (const LoadCurve& load : built.model.loads) controls.load_values.push_back(load.at(time));
  for (const RestAnimation& animation : built.model.rest_animations)
    controls.rest_lengths.push_back(animation.at(time));
  Evaluated result;
  result.gradient.resize(now.size());
  Accumulator out;
  out.value = &result.value;
  out.gradient = &result.gradient;
  const Configuration q{now, before, step, controls, 1, nullptr, &built.state.rod_frames};
  for (const auto& energy : built.model.energies) energy->evaluate(q, out);
  return result;
}
inline Evaluated evaluate(const BuiltScene& built, const BlockVector& now) {
  return evaluate(built, now, built.state.positions, 0);
}

inline double largest(const BlockVector& v) {
  double most = 0;
  for (int i = 0; i < v.size(); ++i) most = std::max(most, Vec3(v[i]).norm());
  return most;
}

}  // namespace pliant::testing
