// Contact and friction under projection against theory: Coulomb's law on slopes, stopping distances, momentum, energy, towers,
// bodies of very different mass, a body about to rock. [validation/projection.md]
#include <numbers>

#include "tests/validation/projection_case.h"

namespace pliant::validation::projection_contact_test {
namespace {

constexpr double kFall = 9.81;  // m/s²

const std::string kFloor = "  - {name: floor, kind: obstacle, mesh: {plane: {}}}\n";

// A box of 4 kg or a grain of 1 cm that lies on a floor, with a velocity.
std::string lying(const std::string& what, const Vec3& velocity = Vec3::Zero()) {
  const std::string thrown =
      fmt::format("velocity: [{:.17g}, {:.17g}, {:.17g}]", velocity[0], velocity[1], velocity[2]);
  const std::string probes =
      "probes: [{name: at, body: a, quantity: mean_position}, {name: speed, body: a, quantity: mean_velocity},\n"
      "         {name: push, body: a, quantity: contact_force}, {name: energy, quantity: energy}]\n";
  if (what == "grain")
    return kFloor +
           "  - {name: a, kind: particles, material: {radius: 0.01}, mesh: {box: {size: [0.022, 0.022, 0.022]}}, "
           "position: [0, 0.0108, 0], " +
           thrown + "}\n" + probes;
  return kFloor +
         "  - {name: a, kind: rigid, mesh: {box: {size: [0.2, 0.1, 0.2], cells: [1, 1, 1]}}, material: {density: "
         "1000}, position: [0, 0.0501, 0], " +
         thrown + "}\n" + probes;
}

TEST(ProjectionContact, SlopesHoldAndLetGoAtTheFrictionAngle) {
  for (const std::string what : {"box", "grain"}) {
    for (const std::string cone : {"cylinder", "cone", "box"}) {
      for (const double side : {-1e-3, 1e-3}) {
        ProjectionRun run{.end = 1.5,
                          .iterations = "100",
                          .cone = cone,
                          .gravity = gravity_on_slope(0.4 * (1 + side)),
                          .contact = ", distance: 1.0e-4"};
        SceneCase block(projection_scene(run, lying(what)));
        double start = 0, speed = 0;
        block.run([&] {
          if (std::abs(block.simulation().state().time - 0.5) < 1e-9) {
            start = block.value("at.x");
            speed = block.value("speed.x");
          }
        });
        const double cosine = 1 / std::hypot(1, 0.4 * (1 + side));
        const double theory = kFall * cosine * 0.4 * side;
        const double acceleration = block.value("speed.x") - speed;
        if (side < 0) {
          record(what + ", " + cone + ": creep in a second", block.value("at.x") - start);
          EXPECT_LT(std::abs(block.value("at.x") - start), 1e-9);
        } else {
          record(what + ", " + cone + ": acceleration / theory", acceleration / theory);
          EXPECT_NEAR(acceleration, theory, 1e-3 * theory);
        }
      }
    }
  }
}

// v²/(2 μ g) less half a step's way: speed falls at the start of each step. The box is allowed to be √2 stronger across.
TEST(ProjectionContact, StoppingDistanceIsTheSameInAllDirections) {
  const double v = 2, h = 0.005, friction = 0.4, theory = v * v / (2 * friction * kFall) - 0.5 * v * h;
  for (const std::string what : {"box", "grain"}) {
    for (const std::string cone : {"cylinder", "cone", "box"}) {
      double least = 1e9, most = 0, lift = 0;
      for (const double degrees : {0.0, 10.0, 22.5, 45.0, 60.0}) {
        const double angle = degrees * std::numbers::pi / 180;
        const ProjectionRun run{.step = h, .end = 0.6, .cone = cone, .contact = ", distance: 1.0e-4"};
        SceneCase block(projection_scene(run, lying(what, {v * std::cos(angle), 0, v * std::sin(angle)})));
        const Vec3 start = vector_at(block, "at");
        block.run([&] { lift = std::max(lift, block.value("at.y") - start.y()); });
        const Vec3 way = vector_at(block, "at") - start;
        least = std::min(least, std::hypot(way.x(), way.z()));
        most = std::max(most, std::hypot(way.x(), way.z()));
      }
      record(what + ", " + cone + ": least way / theory", least / theory);
      record(what + ", " + cone + ": most way / theory", most / theory);
      record(what + ", " + cone + ": lift", lift);
      EXPECT_LT(lift, 1e-12);
      if (cone == "box") {
        EXPECT_GT(least, 0.99 * theory / std::numbers::sqrt2);
      } else {
        EXPECT_NEAR(least, theory, 1e-2 * theory);
        EXPECT_LT(most - least, 1e-3 * theory);
      }
    }
  }
}

// Linear momentum always; angular momentum without friction, whose two forces act a gap apart until the bodies touch.
TEST(ProjectionContact, CollidingFreeBodiesKeepMomentum) {
  for (const auto& [restitution, friction] : {std::pair(0.0, 0.0), {0.7, 0.0}, {0.0, 0.4}, {0.7, 0.4}}) {
    ProjectionRun run{.step = 0.005,
                      .end = 1,
                      .iterations = "30",
                      .gravity = "[0, 0, 0]",
                      .friction = friction,
                      .contact = fmt::format(", restitution: {}", restitution)};
    SceneCase bodies(projection_scene(
        run,
        "  - {name: a, kind: rigid, mesh: {box: {size: [0.2, 0.1, 0.15], cells: [1, 1, 1]}}, material: {density: "
        "1000}, "
        "velocity: [1, 0.1, 0], angular_velocity: [100, 200, -50]}\n"
        "  - {name: b, kind: rigid, mesh: {box: {size: [0.1, 0.2, 0.15], cells: [1, 1, 1]}}, material: {density: "
        "3000}, "
        "position: [0.4, 0.05, 0.03], angular_velocity: [0, -100, 70]}\n"
        "  - {name: c, kind: rigid, mesh: {sphere: {radius: 0.08}}, material: {density: 500}, position: [0.2, 0.3, 0], "
        "velocity: [0, -1, 0]}\n"
        "probes: [{name: energy, quantity: energy}]\n"));
    const Simulation& simulation = bodies.simulation();
    const State& state = simulation.state();
    const auto sums = [&] {
      Vec3 p = Vec3::Zero();
      for (const auto& rigid : simulation.model().rigids) p += rigid.frame.mass * state.velocities[rigid.frame.centre];
      return p;
    };
    const auto turning = [&] {
      Vec3 l = Vec3::Zero();
      for (const auto& rigid : simulation.model().rigids) {
        const Vec3 x = state.positions[rigid.frame.centre], v = state.velocities[rigid.frame.centre];
        l += rigid.frame.mass * x.cross(v) + angular_momentum(rigid.frame, state.positions, state.velocities);
      }
      return l;
    };
    const auto speeds = [&] {
      std::vector<Vec3> v;
      for (const auto& rigid : simulation.model().rigids) v.push_back(state.velocities[rigid.frame.centre]);
      return v;
    };
    const Vec3 start = sums(), turning_at_start = turning();
    const std::vector<Vec3> before = speeds();
    const double energy = bodies.value("energy.total");
    double worst = 0, worst_turning = 0, last = energy, gain = -energy;
    bodies.run([&] {
      worst = std::max(worst, (sums() - start).norm() / start.norm());
      worst_turning = std::max(worst_turning, (turning() - turning_at_start).norm() / turning_at_start.norm());
      gain = std::max(gain, bodies.value("energy.total") - last);
      last = bodies.value("energy.total");
    });
    record(fmt::format("restitution {}, friction {}: momentum, relative error", restitution, friction), worst);
    record("angular momentum, relative error", worst_turning);
    record("largest gain in a step / energy at the start", gain / energy);
    record("energy left", last / energy);
    EXPECT_LT(worst_turning, friction == 0 ? 1e-12 : 0.01);
    EXPECT_LT(worst, 1e-12);
    EXPECT_LT(gain, 1e-5 * energy);  // what parts an overlap of 0.7 mm
    EXPECT_LT(last, 0.99 * energy);
    // All three have been hit.
    for (std::size_t k = 0; k < before.size(); ++k) EXPECT_GT((speeds()[k] - before[k]).norm(), 0.05) << k;
  }
}

// A ball let go 0.2 m above the floor, until it rests.
struct Bounce {
  double first = 0, missing = 0;  // m: where it falls from, what of e² of that the first rebound lacks
  double gain = 0;                // largest of energy in a step, over that at the start
  int bounces = 0;
};
Bounce bounce(const std::string& body, double rest, double restitution, double step) {
  const ProjectionRun run{
      .step = step, .end = 2, .contact = fmt::format(", restitution: {}, distance: 1.0e-4", restitution)};
  SceneCase ball(projection_scene(
      run,
      kFloor + body +
          "probes: [{name: at, body: a, quantity: mean_position}, {name: speed, body: a, quantity: mean_velocity}, "
          "{name: energy, quantity: energy}]\n"));
  const double slop = 1e-3;  // m: what is as near as that stays as it is
  const double energy = ball.value("energy.total"), kept = restitution * restitution;
  Bounce found{.first = ball.value("at.y") - rest, .gain = -1};
  double from = found.first, last = energy, before = 0, highest = 0;
  ball.run([&] {
    const double speed = ball.value("speed.y"), height = ball.value("at.y") - rest;
    if (before < 0 && speed > 0) {
      if (++found.bounces > 1) from = highest;
      highest = 0;
    }
    before = speed;
    highest = std::max(highest, height);
    if (found.bounces == 1) found.missing = kept * found.first - highest;
    if (found.bounces > 0 && highest > slop) {
      EXPECT_LT(highest, kept * from + 1e-12) << body << restitution;
    }
    found.gain = std::max(found.gain, (ball.value("energy.total") - last) / energy);
    last = ball.value("energy.total");
  });
  return found;
}

// It never comes back higher than e² of where it fell from, energy grows in no step, and what it comes back lower by is what the
// integrator takes, m g² h²/2 in every step of its flight: v h for e = 1, of the first order in the step.
TEST(ProjectionContact, BallsReboundWithinTheirEnergy) {
  const std::string ball =
      "  - {name: a, kind: rigid, mesh: {sphere: {radius: 0.05}}, material: {density: 1000}, position: [0, 0.25005, "
      "0]}\n";
  const std::string grain =
      "  - {name: a, kind: particles, material: {radius: 0.01}, mesh: {box: {size: [0.022, 0.022, 0.022]}}, position: "
      "[0, 0.21, 0]}\n";
  for (const auto& [body, rest] : {std::pair(ball, 0.05005), {grain, 0.01005}}) {
    for (const double restitution : {0.5, 0.9, 1.0}) {
      for (const double step : {0.004, 0.002}) {
        const Bounce found = bounce(body, rest, restitution, step);
        const double way = std::sqrt(2 * kFall * found.first) * step;  // in the step of the impact
        record(fmt::format("restitution {}, step {}: gain in a step / energy", restitution, step), found.gain);
        record("first height missing from e² H, over v h", found.missing / way);
        EXPECT_GT(found.bounces, 1);
        EXPECT_LT(found.gain, 1e-12);
        EXPECT_LT(found.missing, way);
      }
    }
  }
}

// Boxes that fall askew bounce, spin and rub. Each corner by itself keeps its bound; impacts with friction may gain all the same,
// as they do with Newton's coefficient [Kane's paradox]: seen from e = 0.8 on.
TEST(ProjectionContact, BouncingBoxes) {
  for (const auto& [friction, restitution, most] :
       {std::tuple(0.0, 0.5, 1e-12), {0.0, 1.0, 1e-12}, {0.5, 0.5, 1e-12}, {0.5, 0.7, 1e-12}, {0.5, 1.0, 0.04}}) {
    double gain = -1, left = 0;
    for (unsigned seed = 1; seed <= 6; ++seed) {
      const ProjectionRun run{
          .step = 0.005, .friction = friction, .contact = fmt::format(", restitution: {}", restitution)};
      Scene scene = projection_scene(
          run, kFloor +
                   "  - {name: a, kind: rigid, mesh: {box: {size: [0.1, 0.06, 0.08], cells: [1, 1, 1]}}, material: "
                   "{density: 500}, position: [0, 0.3, 0], velocity: [1, 0, 0.3], copies: {count: [4, 1, 4], "
                   "spacing: [0.3, 0, 0.3], random_rotation: true}}\n"
                   "probes: [{name: energy, quantity: energy}]\n");
      scene.seed = seed;
      SceneCase boxes(scene);
      const double start = boxes.value("energy.total");
      double last = start;
      boxes.run([&] {
        const double now = boxes.value("energy.total");
        gain = std::max(gain, (now - last) / start);
        last = now;
      });
      left = std::max(left, last / start);
    }
    record(fmt::format("friction {}, restitution {}: largest gain in a step", friction, restitution), gain);
    record("energy left, at most", left);
    EXPECT_LT(gain, most) << friction << ", " << restitution;
    EXPECT_LT(left, 1);
  }
}

// A box of 0.1 × 0.2 m turns over its lower edge when tan θ passes width/height = 0.5.
TEST(ProjectionContact, RocksWhereTheWeightPassesItsEdge) {
  for (const double side : {0.98, 1.02}) {
    const ProjectionRun run{.end = 1, .gravity = gravity_on_slope(0.5 * side), .friction = 1};
    SceneCase box(projection_scene(
        run, kFloor + "  - {name: a, kind: rigid, mesh: {box: {size: [0.1, 0.2, 0.1], cells: [1, 1, 1]}}, material: "
                      "{density: 1000}, position: [0, 0.1001, 0]}\nprobes: [{name: a, body: a, quantity: pose}]\n"));
    box.run();
    const double turned = 2 * std::asin(std::abs(box.value("a.qz")));
    record(side < 1 ? "turned below the threshold [rad]" : "turned above it [rad]", turned);
    if (side < 1) {
      EXPECT_LT(turned, 1e-3);
    } else {
      EXPECT_GT(turned, 0.1);
    }
  }
}

// With 30 sweeps of gauss_seidel it sways more and more and falls after 1.9 s; with 100 its top goes 1.9 mm to and fro.
TEST(ProjectionContact, TowerOfTwentyBoxesStandsStill) {
  const ProjectionRun run{.end = 10, .friction = 0.5, .iteration = "conjugate_residual"};
  SceneCase tower(projection_scene(
      run, kFloor +
               "  - {name: box, kind: rigid, mesh: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}, material: "
               "{density: 500}, position: [0, 0.0501, 0], copies: {count: [1, 20, 1], spacing: [0, 0.1001, 0]}}\n"
               "probes: [{name: top, body: box.19, quantity: pose}, {name: push, body: floor, quantity: contact_force},"
               " {name: energy, quantity: energy}]\n"));
  double sideways = 0;
  tower.run([&] { sideways = std::max(sideways, std::hypot(tower.value("top.x"), tower.value("top.z"))); });
  record("largest way of the top sideways", sideways);
  record("floor / weight", -tower.value("push.y") / (20 * 0.5 * kFall));
  record("kinetic energy", tower.value("energy.kinetic"));
  EXPECT_LT(sideways, 1e-3);  // a hundredth of a box
  EXPECT_NEAR(tower.value("push.y"), -20 * 0.5 * kFall, 0.02 * 20 * 0.5 * kFall);
}

// Twenty boxes of all orientations above a floor.
std::string heap_of_boxes() {
  std::string bodies = kFloor;
  for (int i = 0; i < 5; ++i) {
    bodies += fmt::format(
        "  - {{name: layer{}, kind: rigid, mesh: {{box: {{size: [0.1, 0.06, 0.08], cells: [1, 1, 1]}}}}, material: "
        "{{density: 20}}, position: [{}, {}, -0.05], copies: {{count: [2, 1, 2], spacing: [0.16, 0, 0.16], "
        "random_rotation: true}}}}\n",
        i, -0.06 + 0.01 * i, 0.1 + 0.16 * i);
  }
  return bodies + "probes: [{name: energy, quantity: energy}, {name: contacts, quantity: contacts}]\n";
}

// Heaps of twenty boxes of all orientations fall: what is kinetic and potential does not grow, no box is deep in another, and at
// the end they lie still. Twelve, as one may be lucky: with contacts of where a step begins alone, one corner in a thousand
// arrived unseen, up to 5 cm deep, and parting raised up to 0.7 % of the energy in a step. With 300 iterations one of 24 heaps
// gains 7e-6 in a step, the others less than 1e-6.
TEST(ProjectionContact, HeapsDoNotGainEnergy) {
  for (const auto& [iterations, most, usual, most_unusual] :
       {std::tuple("30", 2e-3, 1e-4, 3), {"300", 2e-5, 1e-6, 2}}) {
    double gain = 0, least = 0, kinetic = 0;
    int unusual = 0;  // heaps
    for (unsigned seed = 1; seed <= 12; ++seed) {
      const ProjectionRun run{.end = 2.5, .iterations = iterations, .friction = 0.5};
      Scene scene = projection_scene(run, heap_of_boxes());
      scene.seed = seed;
      SceneCase heap(scene);
      const double start = heap.value("energy.total");
      double last = start, own_gain = 0;
      heap.run([&] {
        const double now = heap.value("energy.total");
        own_gain = std::max(own_gain, (now - last) / start);
        last = now;
        least = std::min(least, heap.value("contacts.smallest_gap"));
      });
      gain = std::max(gain, own_gain);
      unusual += own_gain > usual ? 1 : 0;
      kinetic = std::max(kinetic, heap.value("energy.kinetic") / start);
    }
    record(fmt::format("{} iterations: largest gain in a step / energy at the start", iterations), gain);
    record("smallest gap, m", least);
    record("kinetic energy at the end / energy at the start", kinetic);
    record(fmt::format("heaps that gain more than {} of it in a step", usual), unusual);
    EXPECT_LT(gain, most);
    EXPECT_LE(unusual, most_unusual);
    EXPECT_GT(least, -0.01);
    EXPECT_LT(kinetic, 1e-9);
  }
}

// Boxes that keep off everything by 2 cm, two of them by 5 cm from each other, fall by 0.3 m: contact begins where they say, on
// the way and in looks, and not only where the boxes themselves come near.
TEST(ProjectionContact, BodiesRestOnTheirThickness) {
  const ProjectionRun run{.end = 1.5, .contact = ", pairs: [{bodies: [two, three], thickness: 0.05}]"};
  std::string bodies = kFloor;
  for (const auto& [name, height] : {std::pair("one", 0.37), {"two", 0.52}, {"three", 0.68}}) {
    bodies += fmt::format(
        "  - {{name: {}, kind: rigid, mesh: {{box: {{size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}}}, material: {{density: "
        "500}}, position: [0, {}, 0], contact: {{thickness: 0.02}}}}\n",
        name, height);
  }
  SceneCase tower(projection_scene(run, bodies +
                                            "probes: [{name: one, body: one, quantity: mean_position}, {name: two, "
                                            "body: two, quantity: mean_position}, {name: three, body: three, quantity: "
                                            "mean_position}, {name: energy, quantity: energy}]\n"));
  const double start = tower.value("energy.total");
  double last = start, gain = 0;
  tower.run([&] {
    gain = std::max(gain, tower.value("energy.total") - last);
    last = tower.value("energy.total");
  });
  EXPECT_NEAR(tower.value("one.y"), 0.07, 1e-3);
  EXPECT_NEAR(tower.value("two.y"), 0.21, 2e-3);
  EXPECT_NEAR(tower.value("three.y"), 0.36, 3e-3);
  EXPECT_LT(gain, 1e-5 * start);  // 8e-3 of it where contact begins at the boxes themselves
  record("boxes with a thickness: largest gain in a step / energy at the start", gain / start);
  record("lowest centre less 7 cm [m]", tower.value("one.y") - 0.07);
}

// Without looking again a step is solved once, and corners arrive unseen.
TEST(ProjectionContact, LooksKeepCornersFromArrivingUnseen) {
  double least[2] = {0, 0};
  for (const int looks : {0, 5}) {
    for (unsigned seed = 1; seed <= 4; ++seed) {
      Scene scene = projection_scene({.end = 1.5, .friction = 0.5}, heap_of_boxes());
      scene.seed = seed;
      scene.solver.projection.looks = looks;
      SceneCase heap(scene);
      heap.run([&] { least[looks / 5] = std::min(least[looks / 5], heap.value("contacts.smallest_gap")); });
    }
    record(fmt::format("{} looks: smallest gap, m", looks), least[looks / 5]);
  }
  EXPECT_LT(least[0], -0.01);
  EXPECT_GT(least[1], -0.005);
}

// A wheel of 32 corners that rolls down a slope, turning by most of a facet in a step: what is kinetic and potential does not
// grow. With arms of where the step ends it drove itself.
TEST(ProjectionContact, AWheelWithCornersDoesNotDriveItself) {
  for (const double step : {0.005, 0.0025}) {
    const ProjectionRun run{.step = step, .end = 2, .gravity = gravity_on_slope(std::tan(0.17)), .friction = 0.6};
    SceneCase wheel(projection_scene(
        run, kFloor +
                 "  - {name: a, kind: rigid, mesh: {cylinder: {radius: 0.06, height: 0.1, segments: 32}}, material: "
                 "{density: 1000}, rotation: {axis: [1, 0, 0], degrees: 90}, position: [0, 0.0601, 0]}\n"
                 "probes: [{name: energy, quantity: energy}, {name: a, body: a, quantity: pose}]\n"));
    double last = wheel.value("energy.total"), gain = 0;
    const double start = wheel.value("energy.kinetic");
    wheel.run([&] {
      const double now = wheel.value("energy.total");
      gain = std::max(gain, now - last);
      last = now;
    });
    const double kinetic = wheel.value("energy.kinetic") - start;
    record(fmt::format("step {}: largest gain in a step / kinetic energy at the end", step), gain / kinetic);
    record("way, m", wheel.value("a.x"));
    EXPECT_LT(gain, 1e-3 * kinetic);
    EXPECT_GT(wheel.value("a.x"), 0.5);
  }
}

// Painlevé's chalk: a rod at 45 degrees, its lower end sliding ahead on the board. Below μ = 4/3 no rod of any slope jams: it
// slides on and lies down. Above, the end catches and the rod hops over it.
TEST(ProjectionContact, ChalkHopsAtLargeFriction) {
  for (const double friction : {0.3, 0.8, 1.5, 3.0}) {
    const ProjectionRun run{.step = 0.001, .end = 0.1, .iterations = "100", .friction = friction};
    SceneCase rod(projection_scene(
        run,
        kFloor +
            "  - {name: rod, kind: rigid, shape: capsule, mesh: {capsule: {radius: 0.005, height: 0.1}}, material: "
            "{density: 1000}, position: [0, 0.0405, 0], rotation: {axis: [0, 0, 1], degrees: 45}, velocity: [2, "
            "0, 0]}\n"
            "probes: [{name: rod, body: rod, quantity: pose}, {name: energy, quantity: energy}]\n"));
    const double start = rod.value("rod.y");
    const double energy = rod.value("energy.total");
    double highest = 0, last = energy, gain = -energy;
    rod.run([&] {
      highest = std::max(highest, rod.value("rod.y"));
      gain = std::max(gain, rod.value("energy.total") - last);
      last = rod.value("energy.total");
    });
    record(fmt::format("friction {}: rise of the centre", friction), highest - start);
    record("largest gain in a step / energy at the start", gain / energy);
    EXPECT_LT(gain, 1e-12 * energy);
    if (friction < 4.0 / 3) {
      EXPECT_LT(highest, start);
    } else {
      EXPECT_GT(highest, start + 0.005);
    }
  }
}

// Tilted boxes of 4 cm at 50 m/s, half a metre in a step, meet it with one corner and turn: of 12 one went through, as the
// corner that was found first is not the one that arrives.
TEST(ProjectionContact, TiltedBoxesDoNotPassAWall) {
  for (const double degrees : {10.0, 30.0, 45.0, 60.0}) {
    for (const double away : {0.5, 0.43, 0.37}) {
      const ProjectionRun run{.end = 0.3, .gravity = "[0, 0, 0]", .friction = 0.3};
      SceneCase box(projection_scene(
          run,
          fmt::format("  - {{name: wall, kind: obstacle, mesh: {{box: {{size: [0.01, 2, 2], cells: [1, 1, 1]}}}}}}\n"
                      "  - {{name: a, kind: rigid, mesh: {{box: {{size: [0.04, 0.04, 0.04], cells: [1, 1, 1]}}}}, "
                      "material: {{density: 500}}, velocity: [50, 0, 0], rotation: {{axis: [0.3, 0.5, 1], degrees: "
                      "{}}}, position: [-{}, 0, 0]}}\n"
                      "probes: [{{name: at, body: a, quantity: pose}}]\n",
                      degrees, away)));
      double farthest = -1;
      box.run([&] { farthest = std::max(farthest, box.value("at.x")); });
      EXPECT_LT(farthest, -0.02) << degrees << ", " << away;
    }
  }
}

// A grain of 2 cm against a wall of 1 cm: it stays before it, however far it would go in a step.
// Grains, and a rigid ball, which ends at rest before the wall.
TEST(ProjectionContact, WhatIsFastDoesNotPassAWall) {
  const std::string grains =
      "kind: particles, mesh: {box: {size: [0.022, 0.022, 0.022]}}, material: {radius: 0.01}, position: [-0.333, 0.01, "
      "0.02]";
  const std::string ball =
      "kind: rigid, mesh: {sphere: {radius: 0.02}}, material: {density: 1000}, position: [-0.3, 0, 0]";
  for (const std::string& what : {grains, ball}) {
    for (const double speed : {5.0, 50.0, 500.0}) {
      const ProjectionRun run{.end = 0.1, .gravity = "[0, 0, 0]"};
      SceneCase bullet(projection_scene(
          run, "  - {name: wall, kind: obstacle, mesh: {box: {size: [0.01, 1, 1], cells: [1, 1, 1]}}}\n  - {name: a, " +
                   what + fmt::format(", velocity: [{}, 0, 0]}}\n", speed) +
                   "probes: [{name: at, body: a, quantity: mean_position}]\n"));
      bullet.run();
      const double radius = what == ball ? 0.02 : 0.01;
      EXPECT_LT(bullet.value("at.x"), -0.005 - radius + 1e-9);
      EXPECT_GT(bullet.value("at.x"), -0.005 - 1.5 * radius);
    }
  }
}

// A body of 8 kg or 4 kg meets a loose cloth of 0.2 kg at up to 0.8 m in a step, four times its size, or the cloth meets the
// body: it takes the cloth along on its front, the rest of it folds around. Before contact was looked for again on the way
// that the cloth is pulled, it was left behind.
TEST(ProjectionContact, ClothDoesNotLetFastBodiesThrough) {
  const std::string box = "{box: {size: [0.2, 0.2, 0.2], cells: [1, 1, 1]}}", ball = "{sphere: {radius: 0.1}}";
  for (const std::string& what : {box, box + ", rotation: {axis: [1, 0.3, 0.7], degrees: 40}", ball}) {
    for (const double speed : {10.0, 50.0}) {
      for (const bool is_cloth_thrown : {false, true}) {
        const ProjectionRun run{.step = 1.0 / 60, .end = 0.2, .gravity = "[0, 0, 0]", .friction = 0.3};
        SceneCase meeting(projection_scene(
            run,
            fmt::format("  - {{name: a, kind: rigid, mesh: {}, material: {{density: 1000}}, position: [0.013, 0.5, "
                        "0.017], velocity: [0, {}, 0]}}\n"
                        "  - {{name: cloth, kind: cloth, mesh: {{grid: {{size: [1, 1], cells: [16, 16]}}}}, material: "
                        "cotton, velocity: [0, {}, 0], contact: {{self: false}}}}\n",
                        what, is_cloth_thrown ? 0 : -speed, is_cloth_thrown ? speed : 0) +
                "probes: [{name: at, body: a, quantity: mean_position}, {name: mean, body: cloth, quantity: "
                "mean_position}, {name: low, body: cloth, quantity: min_position}]\n"));
        meeting.run();
        const double centre = meeting.value("at.y"), mean = meeting.value("mean.y");
        record(fmt::format("{} at {} m/s: cloth behind the body [m]", what.substr(1, 3), speed), mean - centre);
        EXPECT_LT(meeting.value("low.y"), centre - 0.08) << what << speed;  // some of it is before the body
        EXPECT_LT(mean, centre + 0.3) << what << speed;
      }
    }
  }
}

}  // namespace
}  // namespace pliant::validation::projection_contact_test
