// A gelatin bar, held at one end, sags under its weight: the library without the command line.
#include <pliant/pliant.h>

#include <cstdio>
#include <utility>

constexpr const char* kScene = R"(
pliant: 1
time: {end: 1}
bodies:
  - {name: bar, material: gelatin, mesh: {box: {size: [0.4, 0.1, 0.1], cells: [16, 4, 4]}}}
pins:
  - {body: bar, where: {box: {min: [-0.21, -1, -1], max: [-0.19, 1, 1]}}}
)";

int main() try {
  pliant::BuiltScene built = pliant::build(pliant::parse_scene(kScene, "hello"));
  pliant::Simulation simulation(std::move(built.model), std::move(built.state), built.options);
  // Vertices keep the order of their mesh; unknowns do not. The last vertex of a box is a corner of its far end.
  const int tip = simulation.model().bodies[0].block_of_vertex.back();
  for (int step = 0; step < 100; ++step) {
    const pliant::AdvanceReport report = simulation.advance(0.01);
    if (!report.reached) {
      std::printf("could not go on at %s\n", report.failed_at.c_str());
      return 1;
    }
    const pliant::Vec3 x = simulation.state().positions[tip];
    if (step % 10 == 9)
      std::printf("t = %.2f s  tip at (%.4f, %.4f, %.4f) m\n", simulation.state().time, x[0], x[1], x[2]);
  }
  return 0;
} catch (const pliant::InputError& error) {
  std::printf("%s\n", error.what());
  return 2;
}
