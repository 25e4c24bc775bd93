// What nobody should simulate, under projection: collapsed nets, flat elements, overlaps, extreme friction, steps and masses. No number
// may ever be none, and nothing may fly off faster than what drives it allows. [validation/projection.md]
#include <random>

#include "pliant/scene/verification.h"
#include "tests/scene/small_scene.h"
#include "tests/support/places.h"
#include "tests/validation/projection_case.h"

namespace pliant::validation::projection_robustness_test {
namespace {

const std::string kGround = "  - {name: floor, kind: obstacle, mesh: {plane: {}}}\n";
const std::string kProbes = "probes: [{name: energy, quantity: energy}]\n";
const std::string kCloth =
    "{model: orthotropic_st_venant_kirchhoff, surface_density: 0.3, young_warp: 4.0e5, young_weft: 4.0e5, poisson: "
    "0.3, "
    "shear: 8.0e4, thickness: 5.0e-4, bending: {model: hinge_tan, stiffness: 2.0e-5}}";
const std::string kNet =
    "{model: springs, surface_density: 0.3, stretch_stiffness: 500, shear_stiffness: 200, bend_stiffness: 5}";
const std::string kJelly = "{model: corotated, young: 5.0e4, poisson: 0.35, density: 1000}";

// m/s, of points and of centres of rigid bodies, whose other blocks are axes; not a number as soon as one of any block is not.
double fastest(const Simulation& simulation) {
  const State& state = simulation.state();
  std::vector<unsigned char> is_axis(static_cast<std::size_t>(state.velocities.size()), 0);
  for (const auto& rigid : simulation.model().rigids)
    std::fill_n(is_axis.begin() + rigid.frame.centre + 1, 3, static_cast<unsigned char>(1));
  double most = 0;
  for (int b = 0; b < state.velocities.size(); ++b) {
    const double speed = Vec3(state.velocities[b]).norm();
    if (!std::isfinite(speed) || !Vec3(state.positions[b]).allFinite()) return std::nan("");
    if (is_axis[static_cast<std::size_t>(b)] == 0) most = std::max(most, speed);
  }
  return most;
}

// Largest speed of a whole run.
double fastest_of(SceneCase& run) {
  double most = 0;
  run.run([&] {
    const double now = fastest(run.simulation());
    if (!(now <= most)) most = now;
    ASSERT_TRUE(std::isfinite(most));
  });
  return most;
}

// --- Steps, friction, masses ---

// One of each kind falls on the floor and on each other. Up to 16 ms energy never exceeds what there was at the start; a step of
// 33 ms with this budget does not keep that, and is asked for numbers only.
TEST(ProjectionRobustness, AnyStepAndAnyFriction) {
  const std::string bodies =
      kGround + "  - {name: cloth, kind: cloth, mesh: {grid: {size: [0.4, 0.4], cells: [6, 6]}}, material: " + kCloth +
      ", position: [0, 0.3, 0]}\n"
      "  - {name: net, kind: springs, mesh: {grid: {size: [0.3, 0.3], cells: [4, 4]}}, material: " +
      kNet +
      ", position: [0.5, 0.2, 0]}\n"
      "  - {name: block, kind: solid, mesh: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2]}}, material: " +
      kJelly +
      ", position: [0.5, 0.1, 0]}\n"
      "  - {name: box, kind: rigid, mesh: {box: {size: [0.1, 0.06, 0.08], cells: [1, 1, 1]}}, material: {density: "
      "500}, position: [0, 0.4, 0], copies: {count: [2, 1, 2], spacing: [0.15, 0, 0.15], random_rotation: true}}\n"
      "  - {name: sand, kind: particles, material: {radius: 0.015, radius_spread: 0.3, density: 2000}, count: 20, "
      "mesh: "
      "{box: {size: [0.15, 0.15, 0.15]}}, position: [0, 0.1, 0]}\n"
      "pins: [{body: cloth, where: {vertices: [0, 6]}}]\n"
      "joints: [{name: hook, type: ball, bodies: [box.0, box.1], at: [0.05, 0.4, 0]}]\n" +
      kProbes;
  for (const double step : {0.001, 0.005, 0.016, 0.033}) {
    for (const double friction : {0.0, 2.0}) {
      const ProjectionRun run{.step = step, .end = step < 0.002 ? 0.2 : 0.66, .iterations = "20", .friction = friction};
      SceneCase mixed(projection_scene(run, bodies));
      const double start = mixed.value("energy.total");
      double most = 0, gain = -start;
      mixed.run([&] {
        most = std::max(most, fastest(mixed.simulation()));
        gain = std::max(gain, mixed.value("energy.total") - start);
        ASSERT_TRUE(std::isfinite(fastest(mixed.simulation())));
      });
      record(fmt::format("step {}, friction {}: fastest", step, friction), most);
      record(fmt::format("step {}, friction {}: gain / start", step, friction), gain / start);
      if (step < 0.02) {
        EXPECT_LT(gain, 0) << step << ", " << friction;
      }
    }
  }
}

// A box of 0.1 m on a box of 1 g, under it, or on a cloth of 48 g that is held along its border.
enum class Heavy { on_light, under_light, on_cloth };
std::string heavy_box(Heavy place, double mass) {
  const auto box = [](const std::string& of, double weight, double height) {
    return fmt::format(
        "  - {{name: {}, kind: rigid, mesh: {{box: {{size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}}}, material: {{density: "
        "{}}}, position: [0, {}, 0]}}\n",
        of, 1000 * weight, height);
  };
  const std::string cloth =
      "  - {name: light, kind: cloth, mesh: {grid: {size: [0.4, 0.4], cells: [6, 6]}}, material: " + kCloth +
      ", position: [0, 0.2, 0]}\n";
  std::string bodies = kGround, pins;
  if (place == Heavy::on_light) bodies += box("light", 0.001, 0.051) + box("heavy", mass, 0.153);
  if (place == Heavy::under_light) bodies += box("heavy", mass, 0.051) + box("light", 0.001, 0.153);
  if (place == Heavy::on_cloth) {
    bodies += cloth + box("heavy", mass, 0.3);
    pins = "pins: [{body: light, where: {boundary: true}}]\n";
  }
  return bodies + pins +
         "probes: [{name: speed, body: heavy, quantity: mean_velocity}, {name: heavy, body: heavy, quantity: "
         "mean_position}, {name: light, body: light, quantity: mean_position}]\n";
}

// What stays above what it is on. With too few iterations for its mass a heavy box comes to lie in a light one.
TEST(ProjectionRobustness, MassRatios) {
  struct Case {
    Heavy place;
    double mass;  // kg
    std::string iteration, iterations;
    double asked = 0.095;  // m
  };
  const Case cases[] = {
      {Heavy::on_light, 100, "conjugate_residual", "100"}, {Heavy::on_light, 1, "conjugate_residual", "30"},
      {Heavy::on_light, 1, "gauss_seidel", "300", 0.09},   {Heavy::on_light, 0.1, "gauss_seidel", "30"},
      {Heavy::under_light, 100, "gauss_seidel", "30"},     {Heavy::under_light, 100, "conjugate_residual", "30"}};
  for (const Case& c : cases) {
    ProjectionRun settings{.step = 0.01, .end = 0.6, .iterations = c.iterations};
    settings.iteration = c.iteration;
    SceneCase pile(projection_scene(settings, heavy_box(c.place, c.mass)));
    double least = 1;
    pile.run([&] {
      const double above = pile.value("heavy.y") - pile.value("light.y");
      least = std::min(least, c.place == Heavy::on_light ? above : -above);
      ASSERT_TRUE(std::isfinite(fastest(pile.simulation())));
    });
    const std::string name = fmt::format("{} kg {} 1 g, {} {}", c.mass, c.place == Heavy::on_light ? "on" : "under",
                                         c.iterations, c.iteration);
    record(name + ": least distance of the centres [m]", least);
    EXPECT_GT(least, c.asked) << name;
  }
  // On the cloth after 0.6 s: newton with the same step has it at 0.2119 and 0.1318 m.
  for (const auto& [mass, height, tolerance] : {std::tuple(0.3, 0.2119, 2e-3), {3.0, 0.1318, 1.2e-2}}) {
    SceneCase cloth(projection_scene({.step = 0.01, .end = 0.6}, heavy_box(Heavy::on_cloth, mass)));
    cloth.run();
    record(fmt::format("{} kg on a cloth: height [m]", mass), cloth.value("heavy.y"));
    EXPECT_NEAR(cloth.value("heavy.y"), height, tolerance);
  }
}

// 10⁵ times as heavy with 30 sweeps: nothing holds it, but nothing can drive it faster than its fall, √(2 g H) with H its
// height above the floor.
TEST(ProjectionRobustness, NoMassRatioThrowsAnything) {
  for (const auto& [place, mass] :
       {std::pair(Heavy::on_light, 100.0), {Heavy::under_light, 100.0}, {Heavy::on_cloth, 300.0}}) {
    SceneCase pile(projection_scene({.step = 0.01, .end = 0.6}, heavy_box(place, mass)));
    double most = 0, heavy = 0;
    pile.run([&] {
      most = std::max(most, fastest(pile.simulation()));
      heavy = std::max(heavy, vector_at(pile, "speed").norm());
      ASSERT_TRUE(std::isfinite(fastest(pile.simulation())));
    });
    record("fastest of all", most);
    record("fastest of the heavy box", heavy);
    EXPECT_LT(heavy, std::sqrt(2 * 9.81 * 0.25));
  }
}

// --- Overlaps ---

// Twelve boxes and balls and twelve grains at random places of a cube of a size [m] over the floor.
std::string strewn(unsigned seed, double size) {
  std::mt19937 random(seed);
  const auto somewhere = [&] {
    const auto next = [&] { return size * static_cast<double>(random()) / 4294967296.0; };
    const double x = next(), y = next(), z = next();
    return fmt::format("[{:.6f}, {:.6f}, {:.6f}]", x, y + 0.1, z);
  };
  std::string bodies = kGround;
  for (int i = 0; i < 12; ++i)
    bodies += fmt::format(
        "  - {{name: b{}, kind: rigid, mesh: {}, material: {{density: 500}}, position: {}}}\n", i,
        i % 3 == 0 ? "{sphere: {radius: 0.04}}" : "{box: {size: [0.1, 0.06, 0.08], cells: [1, 1, 1]}}", somewhere());
  for (int i = 0; i < 12; ++i)
    bodies += fmt::format(
        "  - {{name: g{}, kind: particles, material: {{radius: 0.02}}, mesh: {{box: {{size: [0.043, "
        "0.043, 0.043]}}}}, position: {}}}\n",
        i, somewhere());
  return bodies;
}

// Read from a scene they are refused. A state that has them is pushed apart: what overlaps by a depth d leaves with d/h, and d is at
// most a box's diagonal of 0.14 m.
TEST(ProjectionRobustness, RandomOverlaps) {
  const double h = 0.01, room = 20;
  for (const unsigned seed : {1U, 2U, 3U}) {
    EXPECT_INPUT_ERROR(build(projection_scene({}, strewn(seed, 0.2))), "bodies intersect at the start");
    SceneCase heap(projection_scene({.step = h, .end = 0.5, .friction = 0.5}, strewn(seed, room)),
                   [&](const Model& model, State& state) {
                     const auto gather = [&](int block) {
                       state.positions[block] = Vec3(0.2 / room * state.positions[block]);
                     };
                     for (const auto& rigid : model.rigids) gather(rigid.frame.centre);
                     for (const ModelBody& body : model.bodies) {
                       if (body.kind == BodyKind::particles) gather(body.block_of_vertex[0]);
                     }
                   });
    const double most = fastest_of(heap);
    record(fmt::format("seed {}: fastest", seed), most);
    EXPECT_LT(most, 0.14 / h);
    // Some began in the floor; all end on it. Grains have the least radius.
    double lowest = 1;
    for (const auto& rigid : heap.simulation().model().rigids)
      lowest = std::min(lowest, heap.simulation().state().positions[rigid.frame.centre].y());
    for (const ModelBody& body : heap.simulation().model().bodies) {
      if (body.kind == BodyKind::particles)
        lowest = std::min(lowest, heap.simulation().state().positions[body.block_of_vertex[0]].y());
    }
    EXPECT_GT(lowest, 0.02);
  }
}

// --- Meshes that are not convex ---

// Two rigid scans, neither convex, of 0.1 kg, without weight; b turned by 180°.
std::string two_bunnies(double apart, double speed) {
  const std::string bunny =
      fmt::format("kind: rigid, mesh: {{file: {}/data/bunny.obj}}, scale: 0.015, material: {{density: 150}}",
                  test::source_folder().string());
  return fmt::format(
             "  - {{name: a, {0}, velocity: [{1}, 0, 0]}}\n"
             "  - {{name: b, {0}, velocity: [-{1}, 0, 0], position: [{2}, 0, 0], rotation: {{axis: [0, 1, 0], "
             "degrees: 180}}}}\n",
             bunny, speed, apart) +
         kProbes;
}
bool has_overlap(const Simulation& simulation) {
  return !scene::judge_state(simulation.model(), simulation.state().positions, simulation.state().time).is_clean();
}

// They meet with 2 m/s: what they do to each other costs energy, and they never come into one another.
TEST(ProjectionRobustness, HollowMeshesMeetWithoutGain) {
  for (const double step : {0.012, 0.006}) {
    for (const char* const iterations : {"60", "200"}) {
      SceneCase run(projection_scene({.step = step, .end = 0.5, .iterations = iterations, .gravity = "[0, 0, 0]"},
                                     two_bunnies(0.25, 1)));
      const double start = run.value("energy.total");
      int overlaps = 0;
      double gain = 0;
      run.run([&] {
        overlaps += has_overlap(run.simulation()) ? 1 : 0;
        gain = std::max(gain, run.value("energy.total") - start);
      });
      record(fmt::format("step {}, {} iterations: energy left", step, iterations), run.value("energy.total") / start);
      EXPECT_EQ(overlaps, 0);
      EXPECT_LE(gain, 1e-12);
      EXPECT_LT(run.value("energy.total"), 0.5 * start);  // they have met
    }
  }
}

// Put into each other at the start, 2 cm deep, they part, and not with a bang: 0.2 of an overlap is taken back in a step.
TEST(ProjectionRobustness, HollowMeshesPart) {
  EXPECT_INPUT_ERROR(build(projection_scene({}, two_bunnies(0.1, 0))), "bodies intersect at the start");
  const double h = 0.006;
  SceneCase run(
      projection_scene({.step = h, .end = 1, .iterations = "60", .gravity = "[0, 0, 0]"}, two_bunnies(0.3, 0)),
      [&](const Model& model, State& state) { state.positions[model.rigids[1].frame.centre] -= Vec3(0.2, 0, 0); });
  EXPECT_TRUE(has_overlap(run.simulation()));
  const double most = fastest_of(run);
  record("fastest", most);
  EXPECT_LT(most, 0.2 * 0.02 / h);
  EXPECT_FALSE(has_overlap(run.simulation()));
}

// --- Collapsed elements ---

// All points of a body to one place, to a line, to a plane: x_i *= keep_i.
void collapse(const Model& model, State& state, const Vec3& keep) {
  for (const int block : model.bodies[0].block_of_vertex)
    state.positions[block] = Vec3(state.positions[block].cwiseProduct(keep));
}

TEST(ProjectionRobustness, CollapsedElements) {
  const std::string bodies[] = {
      "  - {name: a, kind: springs, mesh: {grid: {size: [0.3, 0.3], cells: [3, 3]}}, material: " + kNet + "}\n",
      "  - {name: a, kind: cloth, mesh: {grid: {size: [0.3, 0.3], cells: [3, 3]}}, material: " + kCloth + "}\n",
      "  - {name: a, kind: solid, mesh: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2]}}, material: " + kJelly + "}\n",
      "  - {name: a, kind: solid, mesh: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2]}}, material: {model: "
      "st_venant_kirchhoff, young: 5.0e4, poisson: 0.35, density: 1000}}\n"};
  for (const std::string& body : bodies) {
    for (const Vec3& keep : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 0, 1), Vec3(1, 1, 0)}) {
      for (const std::string iteration : {"gauss_seidel", "accelerated_jacobi", "conjugate_residual"}) {
        ProjectionRun run{.step = 0.01, .end = 0.3, .gravity = "[0, 0, 0]"};
        run.iteration = iteration;
        Scene scene = projection_scene(run, body);
        scene.contact.method = scene::ContactMethod::none;
        SceneCase flat(scene, [&](const Model& model, State& state) { collapse(model, state, keep); });
        const double most = fastest_of(flat);
        record("fastest", most);
        EXPECT_LT(most, 0.5 / 0.01) << body << keep.transpose() << iteration;
      }
    }
  }
}

// --- Bad input ---

TEST(ProjectionRobustness, BadInputIsSaidInASentence) {
  const auto with = [](const std::string& solver, const std::string& body) {
    return build(parse_scene("pliant: 1\ntime: {step: 0.01, end: 0.1}\n" + solver + "bodies:\n" + body, "bad.yaml"));
  };
  const std::string method = "solver: {method: projection}\n";
  const std::string box = "  - {name: a, kind: rigid, mesh: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}\n";
  EXPECT_INPUT_ERROR(with("solver: {method: projection, projection: {iterations: 0}}\n", box), "iterations");
  EXPECT_INPUT_ERROR(with("solver: {method: projection, projection: {relaxation: 2.5}}\n", box), "relaxation");
  EXPECT_INPUT_ERROR(with(method + "contact: {friction: -0.1}\n", box), "friction");
  EXPECT_INPUT_ERROR(with(method + "contact: {restitution: 1.5}\n", box), "restitution");
  for (const std::string integrator : {"newmark", "bdf2"}) {
    const std::string grain =
        "  - {name: a, kind: particles, material: {radius: 0.1}, mesh: {box: {size: [1, 1, 1]}}}\n";
    EXPECT_INPUT_ERROR(parse_scene("pliant: 1\ntime: {step: 0.01, end: 0.1, integrator: " + integrator + "}\n" +
                                       method + "contact: {restitution: 0.5}\nbodies:\n" + grain,
                                   "bad.yaml"),
                       "restitution needs time.integrator backward_euler");
  }
  EXPECT_INPUT_ERROR(build(parse_scene("pliant: 1\ntime: {step: 0.01, end: 0.1, integrator: newmark}\n" + method +
                                           "bodies:\n  - {name: a, kind: particles, material: {radius: 0.1}, mesh: "
                                           "{box: {size: [1, 1, 1]}}}\n",
                                       "bad.yaml")),
                     "needs time.integrator backward_euler or bdf2");
  const std::string boxes =
      "  - {name: a, kind: rigid, mesh: {box: {size: [1, 1, 1]}}, material: {density: 1}}\n"
      "  - {name: b, kind: rigid, mesh: {box: {size: [1, 1, 1]}}, material: {density: 1}, position: [2, 0, 0]}\n";
  const auto newmark = [&](const std::string& bodies) {
    return build(parse_scene(
        "pliant: 1\ntime: {step: 0.01, end: 0.1, integrator: newmark}\n" + method + "bodies:\n" + bodies, "bad.yaml"));
  };
  EXPECT_INPUT_ERROR(newmark(boxes), "use it or contact: {method: none}");     // bdf2 and newton would refuse them too
  EXPECT_FALSE(newmark(boxes.substr(0, boxes.find('\n') + 1)).model.contact);  // alone there is nothing to touch
  EXPECT_INPUT_ERROR(
      with(method, "  - {name: a, kind: particles, material: {radius: 0}, mesh: {box: {size: [1, 1, 1]}}}\n"),
      "radius");
  EXPECT_INPUT_ERROR(with(method,
                          "  - {name: a, kind: springs, mesh: {strand: {length: 0, segments: 2}}, material: {model: "
                          "springs, linear_density: 1, stretch_stiffness: 10}}\n"),
                     "length");
  EXPECT_INPUT_ERROR(with(method,
                          "  - {name: a, kind: solid, mesh: {box: {size: [1, 1, 1]}}, material: {model: neo_hookean, "
                          "young: 1.0e5, poisson: 0.3, density: 1000}}\n"),
                     "neo_hookean");
}

// Two rings, one of them far heavier, fall on a sheet that does not move: contacts of meshes that are crossed all the same, which the
// iteration meets again with other directions.
TEST(ProjectionRobustness, CrossedMeshesAreMetAgain) {
  SceneCase run(
      parse_scene("pliant: 1\ntime: {step: 0.01, end: 1}\nsolver: {method: projection, projection: {iterations: 10}}\n"
                  "materials: {light: {density: 20}, heavy: {density: 8000}}\nbodies:\n"
                  "  - {name: ground, kind: obstacle, mesh: {grid: {size: [2, 2], cells: [8, 8]}}}\n"
                  "  - {name: low, kind: rigid, mesh: {torus: {radius: 0.1, tube: 0.03}}, material: light, position: "
                  "[0, 0.05, 0]}\n"
                  "  - {name: top, kind: rigid, mesh: {torus: {radius: 0.1, tube: 0.03}}, material: heavy, position: "
                  "[0.02, 0.2, 0]}\n"
                  "probes: [{name: energy, quantity: energy}]\n",
                  "rings.yaml"));
  const double start = run.value("energy.total");
  double most = 0;
  run.run([&] { most = std::max(most, run.value("energy.total") - start); });
  record("gain / energy at the start", most / start);
  EXPECT_LT(most, 1e-3 * start);
}

}  // namespace
}  // namespace pliant::validation::projection_robustness_test
