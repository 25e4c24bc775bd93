// Fuzz target of the URDF reader and of what is made of it. A text is a scene that reads back, or an InputError with a place and
// a sentence. No file of the machine is reachable by the names of meshes.
#include "pliant/io/urdf.h"
#include "pliant/scene/import_urdf.h"
#include "pliant/scene/reader.h"
#include "tests/fuzz/fuzz_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(bytes), size));
  pliant::scene::UrdfImport wanted;
  wanted.file = "/nonexistent/fuzz.urdf";
  wanted.output = "/nonexistent/fuzz.yaml";
  try {
    const pliant::io::UrdfRobot robot = pliant::io::read_urdf(in, "fuzz.urdf");
    pliant::fuzz::require(robot.joints.size() + 1 == robot.links.size());
    const pliant::scene::ImportedScene scene = pliant::scene::import_urdf(robot, wanted);
    pliant::fuzz::require(
        static_cast<int>(pliant::parse_scene(scene.text, "fuzz.yaml", {.folder = "/nonexistent"}).bodies.size()) ==
        scene.body_count);
  } catch (const pliant::InputError& error) {
    pliant::fuzz::require(!error.place().empty() && error.sentence().size() > 5);
  }
  return 0;
}
