// A scene of one small soft block, as text that tests add to, and the sentence an action fails with.
#pragma once

#include <string>

#include "pliant/input_error.h"
#include "pliant/scene/reader.h"

namespace pliant::testing {

struct SceneText {
  std::string time = "end: 0.05, step: 0.01";
  std::string material = "model: neo_hookean, density: 1000, young: 2.0e4, poisson: 0.3";
  std::string body = "";  // more keys of the body: ", velocity: [1, 0, 0]"
  std::string more = "";  // more top-level keys, each on lines of its own
  std::string mesh = "{box: {size: [0.3, 0.2, 0.1], cells: [3, 2, 1]}}";
  bool touches = false;  // leaves contact as the text says; otherwise there is none

  [[nodiscard]] std::string text() const {
    return "pliant: 1\ntime: {" + time + "}\nmaterials:\n  soft: {" + material +
           "}\nbodies:\n  - {name: block, mesh: " + mesh + ", material: soft" + body + "}\n" + more;
  }
  [[nodiscard]] Scene parse() const {
    Scene scene = parse_scene(text(), "scene.yaml");
    if (!touches) scene.contact.method = scene::ContactMethod::none;
    return scene;
  }
};

// With contact as the text says.
inline SceneText touching(const std::string& more) {
  SceneText text;
  text.touches = true;
  text.more = more;
  return text;
}

// What an InputError says, with its place; empty when there is none.
template <class Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace pliant::testing

// `action` throws an InputError whose sentence contains `part`.
#define EXPECT_INPUT_ERROR(action, part)                                                        \
  do {                                                                                          \
    const std::string said = ::pliant::testing::error_of([&] { static_cast<void>(action); });   \
    EXPECT_NE(said.find(part), std::string::npos) << "said: " << said << "\nwithout: " << part; \
  } while (false)
