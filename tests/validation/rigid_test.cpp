// Rigid bodies against theory: free flight, flips of a T-handle at the period of the elliptic functions, Coulomb's law on a
// slope, weight and strain in a stack, a body that a pin turns. [validation/dynamics.md]
#include <cmath>

#include "pliant/energy/rigid/rigidity.h"
#include "tests/support/places.h"
#include "tests/validation/scene_case.h"
#include "tests/validation/slope_case.h"

namespace pliant::validation::rigid_test {
namespace {

Scene scene_of(const std::string& text) { return parse_scene("pliant: 1\n" + text, "rigid_test"); }

Vec3 vector_of(SceneCase& scene, const std::string& probe) {
  return {scene.value(probe + ".x"), scene.value(probe + ".y"), scene.value(probe + ".z")};
}

// The centre falls on backward Euler's parabola, and the angular momentum stays.
TEST(Rigid, FreeFlight) {
  SceneCase box(
      scene_of("time: {step: 0.01, end: 1}\n"
               "bodies:\n"
               "  - {name: box, kind: rigid, mesh: {box: {size: [0.1, 0.2, 0.3]}}, material: steel,\n"
               "     position: [1, 2, 3], velocity: [2, 3, -1], angular_velocity: [300, -500, 200]}\n"
               "probes: [{name: box, body: box, quantity: pose}, {name: energy, quantity: energy},\n"
               "         {name: momentum, body: box, quantity: angular_momentum}]\n"));
  const Vec3 start = vector_of(box, "box"), spin = vector_of(box, "momentum");
  int n = 0;
  double worst_place = 0, worst_spin = 0;
  box.run([&] {
    ++n;
    const Vec3 expected = start + n * 0.01 * Vec3(2, 3, -1) + 1e-4 * n * (n + 1) / 2 * Vec3(0, -9.81, 0);
    worst_place = std::max(worst_place, (vector_of(box, "box") - expected).norm());
    worst_spin = std::max(worst_spin, (vector_of(box, "momentum") - spin).norm() / spin.norm());
  });
  record("place error", worst_place);
  record("angular momentum, relative error", worst_spin);
  EXPECT_LT(worst_place, 1e-12);
  EXPECT_LT(worst_spin, 1e-12);
}

// Half the period of ω between flips: 2 K(k)/rate with the moments, energy and momentum of the handle.
double time_between_flips(const Vec3& moments, double twice_energy, double squared) {
  Vec3 i = moments;
  std::sort(i.begin(), i.end());
  double a = (i[2] - i[1]) * (squared - twice_energy * i[0]), b = (i[1] - i[0]) * (twice_energy * i[2] - squared);
  if (squared < twice_energy * i[1]) std::swap(a, b);
  return 2 * std::comp_ellint_1(std::sqrt(b / a)) / std::sqrt(a / i.prod());
}

TEST(Rigid, HandleFlipsInTime) {
  SceneCase handle(read_scene(test::source_folder() / "examples/t_handle/t_handle.yaml"));
  const double energy = handle.value("energy.total");
  const double expected = time_between_flips(handle.simulation().model().rigids[0].frame.inertia(), 2 * energy,
                                             vector_of(handle, "momentum").squaredNorm());
  // The stem's tip goes from one side of the centre to the other: both ways once in a period.
  const auto height = [&] {
    return handle.value("foot.3.y") + handle.value("foot.12.y") - 2 * handle.value("handle.y");
  };
  double last = height(), worst = 0;
  std::vector<double> flips;
  handle.run([&] {
    const double now = height(), time = handle.simulation().state().time, h = handle.scene().time.step;
    if (now * last < 0) flips.push_back(time - h * now / (now - last));
    last = now;
    worst = std::max(worst, std::abs(handle.value("energy.total") / energy - 1));
  });
  ASSERT_GE(flips.size(), 3U);
  record("time between flips", flips[1] - flips[0]);
  record("theory", expected);
  record("energy, relative error", worst);
  EXPECT_NEAR(0.5 * (flips[2] - flips[0]), expected, 1e-3 * expected);
  EXPECT_LT(worst, 1e-8);
}

const std::string kSlope =
    "contact: {friction: 0.4}\n"
    "bodies:\n"
    "  - {name: block, kind: rigid, mesh: {box: {size: [0.2, 0.1, 0.2], cells: [1, 1, 1]}}, material: {density: "
    "1000},\n"
    "     position: [0, 0.0502, 0]}\n"
    "  - {name: floor, kind: obstacle, mesh: {plane: {}}}\n"
    "probes: [{name: at, body: block, quantity: mean_position}, {name: speed, body: block, quantity: mean_velocity},\n"
    "         {name: push, quantity: contact_force, body: block}]\n";

Scene slope(double angle, double end) {
  return scene_of(fmt::format("time: {{step: 0.01, end: {}}}\ngravity: [{:.17g}, {:.17g}, 0]\n", end,
                              kGravity * std::sin(angle), -kGravity * std::cos(angle)) +
                  kSlope);
}

TEST(Rigid, HoldsBelowTheFrictionAngle) {
  const double angle = 0.98 * std::atan(0.4);
  SceneCase block(slope(angle, 2));
  expect_holds(block, angle, 1e-6);
}

TEST(Rigid, SlidesAboveTheFrictionAngle) {
  const double angle = 1.3 * std::atan(0.4);
  SceneCase block(slope(angle, 1));
  expect_slides(block, angle, 0.4);
}

// Ten boxes fall a millimetre onto each other: the floor bears them, they stay above each other, and their strain is what the
// stiffness of the energy says.
TEST(Rigid, StackStands) {
  SceneCase stack(
      scene_of("time: {step: 0.01, end: 1}\n"
               "bodies:\n"
               "  - {name: box, kind: rigid, mesh: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}},\n"
               "     material: {density: 500}, position: [0, 0.051, 0],\n"
               "     copies: {count: [1, 10, 1], spacing: [0, 0.101, 0]}}\n"
               "  - {name: floor, kind: obstacle, mesh: {plane: {}}}\n"
               "probes: [{name: top, body: box.9, quantity: pose}, {name: energy, quantity: energy},\n"
               "         {name: strain, body: box.0, quantity: stretch_max},\n"
               "         {name: push, quantity: contact_force, body: floor}]\n"));
  double worst = 0;
  stack.run([&] { worst = std::max(worst, stack.value("strain") - 1); });
  // Of a cube with ℓ = half its side and extents 1/√3, pressed from above by nine weights and from below by ten.
  const double h = stack.scene().time.step, length = 0.05;
  const double theory = 19 * std::sqrt(3.0) * kGravity * h * h / (2 * rigid::kRigidity * length);
  record("strain when they land", worst);
  record("strain at rest", stack.value("strain") - 1);
  record("theory", theory);
  EXPECT_NEAR(stack.value("strain") - 1, theory, 1e-3 * theory);
  EXPECT_LT(worst, 2 * theory);
  EXPECT_NEAR(stack.value("push.y"), -10 * 0.5 * kGravity, 1e-4);
  EXPECT_LT(std::hypot(stack.value("top.x"), stack.value("top.z")), 1e-6);
  EXPECT_LT(stack.value("energy.kinetic"), 1e-12);
}

// Turned by a pin at half a turn per second, then let go: it spins on.
TEST(Rigid, PinTurnsTheBody) {
  SceneCase box(
      scene_of("time: {step: 0.01, end: 1}\ngravity: [0, 0, 0]\n"
               "bodies: [{name: box, kind: rigid, mesh: {box: {size: [0.1, 0.2, 0.3]}}, material: steel}]\n"
               "pins: [{body: box, until: 0.5, motion: {rotate: {axis: [0, 1, 0], degrees_per_second: 180}}}]\n"
               "probes: [{name: spin, body: box, quantity: angular_velocity},\n"
               "         {name: box, body: box, quantity: pose}]\n"));
  box.run();
  EXPECT_LT((vector_of(box, "spin") - Vec3(0, std::numbers::pi, 0)).norm(), 1e-10);
  EXPECT_NEAR(std::abs(box.value("box.qy")), 1, 1e-10);
}

}  // namespace
}  // namespace pliant::validation::rigid_test
