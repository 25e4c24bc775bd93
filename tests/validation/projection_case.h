// Scenes in a few lines for the tests of solver.method projection.
#pragma once

#include <cmath>
#include <string>

#include "tests/validation/scene_case.h"

namespace pliant::validation {

struct ProjectionRun {
  double step = 0.01, end = 1;    // s
  std::string iterations = "30";  // or null: until the tolerance
  std::string cone = "cylinder";
  std::string gravity = "[0, -9.81, 0]";  // m/s²
  double friction = 0.4;
  double tolerance = 1e-8;
  int max_iterations = 20000;
  std::string contact = "";  // more keys of contact
  std::string iteration = "gauss_seidel";
};

// bodies and what follows them: lines of a scene file, without the key bodies.
inline Scene projection_scene(const ProjectionRun& run, const std::string& bodies) {
  return parse_scene(fmt::format("pliant: 1\ntime: {{step: {}, end: {}}}\ngravity: {}\n"
                                 "solver: {{method: projection, tolerance: {}, max_iterations: {}, projection: "
                                 "{{iteration: {}, iterations: {}, friction_cone: {}}}}}\n"
                                 "contact: {{friction: {:.17g}{}}}\nbodies:\n{}",
                                 run.step, run.end, run.gravity, run.tolerance, run.max_iterations, run.iteration,
                                 run.iterations, run.cone, run.friction, run.contact, bodies),
                     "projection_test.yaml");
}

// Gravity as a floor sees it that is tilted by an angle with this tangent.
inline std::string gravity_on_slope(double tangent) {
  const double cosine = 1 / std::sqrt(1 + tangent * tangent);
  return fmt::format("[{:.17g}, {:.17g}, 0]", 9.81 * tangent * cosine, -9.81 * cosine);
}

inline Vec3 vector_at(SceneCase& scene, const std::string& probe) {
  return {scene.value(probe + ".x"), scene.value(probe + ".y"), scene.value(probe + ".z")};
}

}  // namespace pliant::validation
