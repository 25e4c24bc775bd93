// All seven iterations of projection with contact and friction: slopes hold and let go, a stack stands, and once converged they
// end where Gauss-Seidel ends. [validation/projection.md]
#include "tests/validation/projection_case.h"

namespace pliant::validation::projection_iterations_test {
namespace {

const std::string kIterations[] = {"gauss_seidel",       "sor",   "jacobi", "improved_jacobi", "accelerated_jacobi",
                                   "conjugate_residual", "minres"};
const std::string kFloor = "  - {name: floor, kind: obstacle, mesh: {plane: {}}}\n";
const std::string kBox =
    "  - {name: a, kind: rigid, mesh: {box: {size: [0.2, 0.1, 0.2], cells: [1, 1, 1]}}, material: {density: 1000}, "
    "position: [0, 0.0501, 0]}\n";
const std::string kGrain =
    "  - {name: a, kind: particles, material: {radius: 0.01}, mesh: {box: {size: [0.022, 0.022, 0.022]}}, position: "
    "[0, "
    "0.0108, 0]}\n";
const std::string kBlock =
    "  - {name: a, kind: solid, mesh: {box: {size: [0.2, 0.1, 0.2], cells: [2, 1, 2]}}, material: {model: corotated, "
    "young: 2.0e5, poisson: 0.3, density: 1000, damping: {stiffness_proportional: 0.005}}, position: [0, 0.0505, 0]}\n";

// Below the friction angle a box, a grain and a soft block stay, above it they slide with g (sin θ − μ cos θ).
TEST(ProjectionIterations, SlopesHoldAndLetGo) {
  const double friction = 0.4;
  for (const std::string& iteration : kIterations) {
    for (const auto& [what, body, tolerance] :
         {std::tuple("box", kBox, 1e-3), {"grain", kGrain, 1e-3}, {"soft block", kBlock, 3e-3}}) {
      const bool is_soft = what == std::string("soft block");
      for (const double side : {0.9, 1.2}) {
        ProjectionRun run{.step = 0.005,
                          .end = 0.5,
                          .iterations = "200",
                          .gravity = gravity_on_slope(friction * side),
                          .friction = friction,
                          .contact = ", distance: 1.0e-4"};
        run.iteration = iteration;
        SceneCase slope(projection_scene(
            run, kFloor + body +
                     "probes: [{name: at, body: a, quantity: mean_position}, {name: speed, body: a, quantity: "
                     "mean_velocity}]\n"));
        double start = 0, speed = 0;
        slope.run([&] {
          if (std::abs(slope.simulation().state().time - 0.25) > 1e-9) return;
          start = slope.value("at.x");
          speed = slope.value("speed.x");
        });
        const double theory = 9.81 * friction * (side - 1) / std::hypot(1, friction * side);
        const double way = slope.value("at.x") - start, acceleration = 4 * (slope.value("speed.x") - speed);
        if (side < 1) {
          record(fmt::format("{}, {}: creep in a quarter of a second [m]", iteration, what), way);
          // 200 iterations leave something of a soft block's forces, jacobi and minres most.
          const double creep = !is_soft ? 1e-12 : iteration == "jacobi" ? 2e-4 : 1e-5;
          EXPECT_LT(std::abs(way), creep) << iteration << ", " << what;
        } else {
          record(fmt::format("{}, {}: acceleration / theory", iteration, what), acceleration / theory);
          EXPECT_NEAR(acceleration, theory, tolerance * theory) << iteration << ", " << what;
        }
      }
    }
  }
}

// Six boxes on each other for two seconds: the floor bears their weight, and none moves.
TEST(ProjectionIterations, AStackStands) {
  for (const std::string& iteration : kIterations) {
    ProjectionRun run{.end = 2, .iterations = "100", .friction = 0.5};
    run.iteration = iteration;
    SceneCase stack(projection_scene(
        run, kFloor + "  - {name: box, kind: rigid, mesh: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}, material: "
                      "{density: 500}, position: [0, 0.0501, 0], copies: {count: [1, 6, 1], spacing: [0, 0.1001, 0]}}\n"
                      "probes: [{name: top, body: box.5, quantity: pose}, {name: push, body: floor, quantity: "
                      "contact_force}, {name: energy, quantity: energy}]\n"));
    double sideways = 0;
    stack.run([&] { sideways = std::max(sideways, std::hypot(stack.value("top.x"), stack.value("top.z"))); });
    const double weight = 6 * 0.5 * 9.81;
    record(iteration + ": sideways [m]", sideways);
    record("floor / weight", -stack.value("push.y") / weight);
    record("top sank by [m]", 0.0501 + 5 * 0.1001 - stack.value("top.y"));
    record("kinetic energy [J]", stack.value("energy.kinetic"));
    EXPECT_LT(sideways, 1e-3) << iteration;
    EXPECT_NEAR(-stack.value("push.y"), weight, 0.01 * weight) << iteration;
    EXPECT_LT(0.601 - 0.05 - stack.value("top.y"), 2e-3) << iteration;
  }
}

// A box falls on a ball and the floor: iterated to a tolerance, the state after a while is that of Gauss-Seidel. With 1e-9
// conjugate_residual stops at its limit in 15 of 30 steps, at up to 5e-7.
TEST(ProjectionIterations, ConvergedTheyAgree) {
  State reference;
  for (const std::string& iteration : kIterations) {
    ProjectionRun run{.step = 0.005, .end = 0.15, .iterations = "null", .friction = 0.3, .tolerance = 1e-6};
    run.max_iterations = 200000;
    run.iteration = iteration;
    SceneCase scene(projection_scene(
        run, kFloor +
                 "  - {name: ball, kind: rigid, mesh: {sphere: {radius: 0.05}}, material: {density: 500}, position: "
                 "[0.01, 0.0501, 0]}\n"
                 "  - {name: box, kind: rigid, mesh: {box: {size: [0.1, 0.04, 0.08], cells: [1, 1, 1]}}, material: "
                 "{density: 500}, position: [0.02, 0.13, 0], rotation: {axis: [0, 0, 1], degrees: 10}, velocity: [0, "
                 "-1, 0]}\n"));
    scene.run();
    const State& state = scene.simulation().state();
    if (iteration == "gauss_seidel") reference = state;
    double farthest = 0;
    for (int b = 0; b < state.positions.size(); ++b)
      farthest = std::max(farthest, (state.positions[b] - reference.positions[b]).norm());
    record(iteration + ": farthest from gauss_seidel [m]", farthest);
    EXPECT_LT(farthest, 1e-4) << iteration;
  }
}

}  // namespace
}  // namespace pliant::validation::projection_iterations_test
