// All kinds in one solve under projection: the same bits for any number of threads, momentum that one kind hands to another,
// masses that differ by 10⁵ in one pile, and energy against the work of what moves from outside. [validation/projection.md]
#include <map>
#include <numbers>

#include "pliant/parallel/parallel.h"
#include "tests/validation/projection_case.h"

namespace pliant::validation::projection_coupling_test {
namespace {

const std::string kGround = "  - {name: floor, kind: obstacle, mesh: {plane: {}}}\n";
const std::string kCloth =
    "{model: orthotropic_st_venant_kirchhoff, surface_density: 0.3, young_warp: 400, young_weft: 400, poisson: 0.3, "
    "shear: 80, thickness: 5.0e-4, bending: {model: hinge_tan, stiffness: 2.0e-5}}";
const std::string kJelly = "{model: corotated, young: 5.0e4, poisson: 0.35, density: 1000}";

// --- Threads ---

// Cloth (triangles, hinges), a net (links), a soft block (tets), boxes on joints, towers (manifolds) and grains, all of which
// fall on a floor and on each other.
Scene everything(const std::string& iteration) {
  ProjectionRun run{.step = 0.005, .end = 0.15, .iterations = "10"};
  run.iteration = iteration;
  return projection_scene(
      run,
      kGround +
          "  - {name: cloth, kind: cloth, mesh: {grid: {size: [0.6, 0.6], cells: [20, 20]}}, material: " + kCloth +
          ", position: [0, 0.25, 0], velocity: [0, -1, 0]}\n"
          "  - {name: net, kind: springs, mesh: {grid: {size: [0.4, 0.4], cells: [20, 20]}}, material: {model: "
          "springs, "
          "surface_density: 0.3, stretch_stiffness: 500, shear_stiffness: 200, bend_stiffness: 5}, position: [0.6, "
          "0.16, 0], velocity: [0, -1, 0]}\n"
          "  - {name: block, kind: solid, mesh: {box: {size: [0.2, 0.1, 0.2], cells: [6, 3, 6]}}, material: " +
          kJelly +
          ", position: [0.6, 0.08, 0], velocity: [0, -1, 0]}\n"
          "  - {name: box, kind: rigid, mesh: {box: {size: [0.06, 0.03, 0.04], cells: [1, 1, 1]}}, material: {density: "
          "500}, position: [0, 0.3, 0], velocity: [0, -2, 0], copies: {count: [4, 2, 4], spacing: [0.085, 0.085, "
          "0.085], random_rotation: true}}\n"
          "  - {name: tower, kind: rigid, mesh: {box: {size: [0.05, 0.05, 0.05], cells: [1, 1, 1]}}, material: "
          "{density: 500}, position: [-1, 0.0255, 0], copies: {count: [5, 5, 5], spacing: [0.07, 0.051, 0.07]}}\n"
          "  - {name: sand, kind: particles, material: {radius: 0.01, radius_spread: 0.3, density: 2000}, count: 400, "
          "mesh: {box: {size: [0.3, 0.2, 0.3]}}, position: [0, 0.12, 0], velocity: [0, -1, 0]}\n"
          "joints: [{name: hook, type: ball, bodies: [box.0, box.1], at: [0.04, 0.3, 0]}, {name: hinge, type: hinge, "
          "bodies: [box.2, box.3], at: [0.1, 0.3, 0], axis: [0, 0, 1], motor: {speed: 90}}]\n"
          "probes: [{name: sand_cloth, bodies: [sand, cloth], quantity: contact_force}, {name: box_cloth, bodies: "
          "[box, "
          "cloth], quantity: contact_force}, {name: net_block, bodies: [net, block], quantity: contact_force}, {name: "
          "tower_floor, bodies: [tower, floor], quantity: contact_force}]\n");
}

TEST(ProjectionCoupling, SameBitsForAnyNumberOfThreads) {
  for (const std::string iteration : {"gauss_seidel", "accelerated_jacobi", "conjugate_residual"}) {
    State reference;
    for (const int threads : {1, 2, 3, 8}) {
      set_thread_count(threads);
      SceneCase run(everything(iteration));
      std::map<std::string, double> pushed;  // N, the most
      run.run([&] {
        if (threads > 1) return;
        for (const char* const pair : {"sand_cloth", "box_cloth", "net_block", "tower_floor"})
          pushed[pair] = std::max(pushed[pair], vector_at(run, pair).norm());
      });
      if (threads == 1) {
        reference = run.simulation().state();
        for (const auto& [pair, force] : pushed) EXPECT_GT(force, 0.1) << pair;
      }
      EXPECT_TRUE(run.simulation().state() == reference) << iteration << ", " << threads << " threads";
    }
  }
  set_thread_count(0);
}

// --- Momentum ---

// kg m/s, of a body's points or centre.
Vec3 momentum(const Simulation& simulation, std::size_t body) {
  const Model& model = simulation.model();
  const BlockVector& velocities = simulation.state().velocities;
  const ModelBody& of = model.bodies[body];
  if (of.rigid >= 0) {
    const RigidFrame& frame = model.rigids[static_cast<std::size_t>(of.rigid)].frame;
    return frame.mass * Vec3(velocities[frame.centre]);
  }
  Vec3 p = Vec3::Zero();
  for (const int block : of.block_of_vertex)
    p += model.inertia.masses()[static_cast<std::size_t>(block)] * Vec3(velocities[block]);
  return p;
}

// Two free bodies without weight meet: what one loses the other gains, to rounding. Where soft bodies meet each other what a
// budget left beyond a surface is held back on its way (ProjectedContact::keep_apart), and that is not done to both alike.
TEST(ProjectionCoupling, MixedPairsKeepTheirMomentum) {
  const std::string cloth =
      "  - {name: a, kind: cloth, mesh: {grid: {size: [0.4, 0.4], cells: [8, 8]}}, material: " + kCloth + "}\n";
  const std::string grain =
      "  - {name: b, kind: particles, material: {radius: 0.02, density: 1000}, mesh: {box: {size: [0.043, 0.043, "
      "0.043]}}, position: [0.02, 0.06, 0.03], velocity: [0.3, -1, 0]}\n";
  const std::string box =
      "  - {name: b, kind: rigid, mesh: {box: {size: [0.1, 0.05, 0.08], cells: [1, 1, 1]}}, material: {density: 300}, "
      "position: [0.02, 0.09, 0.03], rotation: {axis: [1, 0.3, 0.2], degrees: 25}, velocity: [0.3, -1, 0]}\n";
  const std::string soft =
      "  - {name: a, kind: solid, mesh: {box: {size: [0.2, 0.1, 0.2], cells: [4, 2, 4]}}, material: " + kJelly +
      ", position: [0, -0.05, 0]}\n";
  const std::string jelly =
      "  - {name: b, kind: solid, mesh: {box: {size: [0.1, 0.05, 0.08], cells: [2, 1, 2]}}, material: " + kJelly +
      ", position: [0.02, 0.09, 0.03], rotation: {axis: [1, 0.3, 0.2], degrees: 25}, velocity: [0.3, -1, 0]}\n";
  const std::vector<std::array<std::string, 3>> pairs = {
      {"grain on cloth", cloth, grain},      {"box on cloth", cloth, box},
      {"box on soft block", soft, box},      {"grain on soft block", soft, grain},
      {"soft block on cloth", cloth, jelly}, {"soft block on soft block", soft, jelly}};
  for (const auto& [name, first, second] : pairs) {
    for (const double friction : {0.0, 0.5}) {
      const ProjectionRun run{.step = 0.005, .end = 0.4, .gravity = "[0, 0, 0]", .friction = friction};
      SceneCase meeting(projection_scene(run, first + second));
      const Simulation& simulation = meeting.simulation();
      const auto total = [&] { return Vec3(momentum(simulation, 0) + momentum(simulation, 1)); };
      const Vec3 start = total();
      double worst = 0;
      meeting.run([&] { worst = std::max(worst, (total() - start).norm() / start.norm()); });
      record(fmt::format("{}, friction {}: momentum, relative error", name, friction), worst);
      record("handed over, of all", momentum(simulation, 0).norm() / start.norm());
      EXPECT_GT(momentum(simulation, 0).norm(), 0.02 * start.norm()) << name;  // they have met
      const bool is_held_back = name.find("soft block on") == 0;
      EXPECT_LT(worst, is_held_back ? 2e-2 : 2e-11) << name << ", friction " << friction;
    }
  }
}

// --- Masses ---

// Forty grains or boxes of inverse masses 0.01 to 1000 per kg, evenly in their logarithms and in no order, fall into a heap.
std::string unequal(const std::string& kind) {
  constexpr int kCount = 40;
  const double radius = 0.04, ball = 4.0 / 3 * std::numbers::pi * radius * radius * radius, box = 0.08 * 0.06 * 0.07;
  std::string bodies = kGround;
  for (int i = 0; i < kCount; ++i) {
    const double mass = std::pow(10.0, -3 + 5.0 * ((i * 23) % kCount) / (kCount - 1));  // kg
    const std::string place = fmt::format("[{}, {}, {}]", 0.13 * (i % 2) + 0.01 * (i % 3), 0.06 + 0.11 * (i / 4),
                                          0.13 * (i / 2 % 2) + 0.012 * (i % 5));
    bodies += kind == "grains"
                  ? fmt::format(
                        "  - {{name: a{}, kind: particles, material: {{radius: {}, density: {}}}, mesh: {{box: "
                        "{{size: [0.085, 0.085, 0.085]}}}}, position: {}}}\n",
                        i, radius, mass / ball, place)
                  : fmt::format(
                        "  - {{name: a{}, kind: rigid, mesh: {{box: {{size: [0.08, 0.06, 0.07], cells: [1, 1, "
                        "1]}}}}, material: {{density: {}}}, position: {}, rotation: {{axis: [0.3, {}, 1], degrees: "
                        "{}}}}}\n",
                        i, mass / box, place, 0.1 * (i % 7), 17 * i);
  }
  return bodies + "probes: [{name: energy, quantity: energy}, {name: contacts, quantity: contacts}]\n";
}

// Energy is never more than at the start: what a light one bore between heavy ones does not send it spinning where one of these
// is gone (starting_forces.h).
TEST(ProjectionCoupling, InverseMassesFromAHundredthToAThousand) {
  for (const auto& [kind, iterations] :
       {std::pair("grains", "30"), {"grains", "300"}, {"boxes", "30"}, {"boxes", "300"}}) {
    Scene scene =
        projection_scene({.step = 0.005, .end = 1.5, .iterations = iterations, .friction = 0.4}, unequal(kind));
    SceneCase heap(scene);
    const double start = heap.value("energy.total");
    double last = start, gain = -start, deepest = 0, most = 0;
    heap.run([&] {
      const double now = heap.value("energy.total");
      gain = std::max(gain, now - last);
      most = std::max(most, now);
      last = now;
      deepest = std::max(deepest, -heap.value("contacts.smallest_gap"));
    });
    double lowest = 1;
    for (const ModelBody& body : heap.simulation().model().bodies) {
      const int block =
          body.rigid >= 0 ? heap.simulation().model().rigids[body.rigid].frame.centre : body.block_of_vertex[0];
      lowest = std::min(lowest, heap.simulation().state().positions[block].y());
    }
    record(fmt::format("{}, {} iterations: largest gain in a step / energy at the start", kind, iterations),
           gain / start);
    record("most energy / that at the start", most / start);
    record("deepest overlap [m]", deepest);
    record("kinetic energy at the end / energy at the start", heap.value("energy.kinetic") / start);
    record("lowest centre [m]", lowest);
    EXPECT_LE(most, start) << kind;
    EXPECT_LT(gain, (kind == std::string("grains") ? 0.1 : 1e-2) * start) << kind;
    EXPECT_GT(lowest, 0.02) << kind;                                // no one is pressed through the floor
    EXPECT_LT(heap.value("energy.kinetic"), 1e-3 * start) << kind;  // nor turns by whole turns, unseen
  }
}

// --- Work from outside ---

// A plate lifts two boxes by 0.45 m and carries them sideways: what they gain is at most what the plate has done, Σ F·v h, and
// m g H at the end. The rest is lost where the plate starts and stops all at once.
TEST(ProjectionCoupling, AMovingObstacleGivesWhatItDoes) {
  for (const double step : {0.004, 0.002}) {
    const ProjectionRun run{.step = step, .end = 1, .iterations = "100", .friction = 0.5};
    SceneCase lift(projection_scene(
        run,
        "  - {name: plate, kind: obstacle, mesh: {box: {size: [1, 0.1, 1], cells: [1, 1, 1]}}, position: [0, -0.05, "
        "0], "
        "motion: {keyframes: [{t: 0}, {t: 0.2}, {t: 0.8, position: [0.3, 0.45, 0]}, {t: 1, position: [0.3, 0.45, "
        "0]}]}}\n"
        "  - {name: box, kind: rigid, mesh: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}, material: {density: "
        "500}, position: [0, 0.0501, 0], copies: {count: [1, 2, 1], spacing: [0, 0.1001, 0]}}\n"
        "probes: [{name: energy, quantity: energy}, {name: push, body: plate, quantity: contact_force}]\n"));
    const double start = lift.value("energy.total");
    double work = 0, worst = -1e9, before = 0;
    lift.run([&] {
      const double t = lift.simulation().state().time;
      const double part = std::clamp((t - 0.2) / 0.6, 0.0, 1.0);
      const Vec3 moved = (part - before) * Vec3(0.3, 0.5, 0);
      before = part;
      work -= vector_at(lift, "push").dot(moved);  // the probe is the force on the plate
      worst = std::max(worst, lift.value("energy.total") - start - work);
    });
    record(fmt::format("step {}: gain above the work [J]", step), worst);
    record("gain [J]", lift.value("energy.total") - start);
    record("work [J]", work);
    EXPECT_LT(worst, 1e-6 * work);
    EXPECT_NEAR(lift.value("energy.total") - start, 1 * 9.81 * 0.45, 5e-3);
    EXPECT_GT(work, 1 * 9.81 * 0.45);
  }
}

}  // namespace
}  // namespace pliant::validation::projection_coupling_test
