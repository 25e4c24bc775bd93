// Overrides: by key, by name and by index of list items; messages name the option.
#include "pliant/scene/override.h"

#include <gtest/gtest.h>

#include "pliant/input_error.h"
#include "pliant/scene/reader.h"

namespace pliant {
namespace {

const std::string kScene =
    "pliant: 1\ntime: {end: 1}\nbodies:\n  - {name: block, mesh: {box: {}}}\n  - {name: ball, mesh: {sphere: {}}}\n"
    "materials:\n  soft: {young: 100}\n";

Scene with(const std::vector<std::string>& overrides) {
  return parse_scene(kScene, "scene.yaml", {.folder = {}, .overrides = overrides});
}

std::string error_with(const std::string& option) {
  try {
    (void)with({option});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Override, SetsKeysByPath) {
  const Scene scene = with({"time.step=0.005", "solver.newton.linear=pcg", "bodies.ball.position=[0, 2, 0]",
                            "bodies.0.scale=3", "materials.soft.young=2.5e3", "title=a=b", "time.step=0.25"});
  EXPECT_EQ(scene.time.step, 0.25);  // the last one wins
  EXPECT_EQ(scene.time.end, 1.0);
  EXPECT_EQ(scene.solver.newton.linear, scene::LinearMethod::pcg);
  EXPECT_EQ(scene.body("ball").position, Vec3(0, 2, 0));
  EXPECT_EQ(scene.body("block").scale, 3.0);
  EXPECT_EQ(scene.material("soft").young, 2500.0);
  EXPECT_EQ(scene.title, "a=b");
}

TEST(Override, ReplacesMapsAndLists) {
  const Scene scene = with({"bodies.block.mesh={sphere: {radius: 2}}", "pins=[{body: ball}]", "gravity=[0, 0, 0]"});
  EXPECT_EQ(std::get<scene::SphereMesh>(scene.body("block").mesh.shape).radius, 2.0);
  EXPECT_EQ(scene.pins.at(0).body, "ball");
  EXPECT_EQ(scene.gravity, Vec3(0, 0, 0));
}

TEST(Override, MessagesNameTheOption) {
  const auto expect_parts = [](const std::string& option, const std::vector<std::string>& parts) {
    const std::string error = error_with(option);
    EXPECT_EQ(error.find("--set " + option), 0u) << error;
    for (const std::string& part : parts)
      EXPECT_NE(error.find(part), std::string::npos) << error << "\nlacks: " << part;
  };
  expect_parts("time.step=abc", {"time.step: expected a number in s, got text 'abc'"});
  expect_parts("time.step=-1", {"must be above 0 s"});
  expect_parts("time.stp=1", {"unknown key 'stp' in time", "'step'"});
  expect_parts("bodies.bal.scale=2", {"no item named 'bal'", "did you mean 'ball'?"});
  expect_parts("bodies.7.scale=2", {"has 2 items"});
  expect_parts("time.end.x=2", {"'time.end' is a single value"});
  expect_parts("time", {"key=value"});
  expect_parts("=3", {"key=value"});
  expect_parts("time..step=3", {"empty name"});
  expect_parts("time.step=[", {"not valid YAML"});
  expect_parts("time.step=", {"got nothing"});
}

}  // namespace
}  // namespace pliant
