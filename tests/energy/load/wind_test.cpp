#include "pliant/energy/load/wind.h"

#include "tests/energy/cloth/sheet_model.h"
#include "tests/support/dense_algebra.h"

namespace pliant {
namespace {

using namespace checks;
using cloth_checks::attached;
using cloth_checks::make_sheet;
using cloth_checks::Sheet;

// A unit square of two triangles with normal z, at rest at z = 0.
Sheet make_plate(double tilt = 0) {
  Sheet s;
  const Vec2 corners[] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  s.model.now.resize(4), s.model.before.resize(4);
  const Mat3 turn = Eigen::AngleAxisd(tilt, Vec3::UnitX()).toRotationMatrix();
  for (int v = 0; v < 4; ++v) s.model.before[v] = turn * Vec3(corners[v].x(), corners[v].y(), 0);
  s.model.now = s.model.before;
  s.sheet.triangles = {{0, 1, 2}, {3, 0, 2}};
  return s;
}

Wind make_wind(Sheet& s, const WindOptions& options) {
  return attached(Wind(s.sheet.triangles, s.model.now.size(), options), s.model);
}

BlockVector uniform(int count, const Vec3& v) {
  BlockVector x(count);
  for (int i = 0; i < count; ++i) x[i] = v;
  return x;
}

Vec3 total_force(const Wind& wind, const Configuration& q) {
  BlockVector gradient(q.now.size());
  Accumulator out;
  out.gradient = &gradient;
  wind.evaluate(q, out);
  Vec3 sum = Vec3::Zero();
  for (int v = 0; v < gradient.size(); ++v) sum -= gradient[v];
  return sum;
}

TEST(Wind, PassesTheChecksOfAnEnergy) {
  Sheet s = make_sheet();
  const Wind wind = make_wind(s, {.velocity = {3, -2, 5}, .drag = 1.1, .lift = 0.7});
  for (const double step : {0.01, 0.0}) {
    s.model.step = step;
    expect_derivatives_converge(wind, s.model);
    expect_views_agree(wind, s.model);
    expect_adds(wind, s.model);
    expect_projected_is_semidefinite(wind, s.model);
  }
  Sheet large = make_sheet({40, 30});
  const Wind same = make_wind(large, {.velocity = {3, -2, 5}, .lift = 0.7});
  expect_same_bits_for_any_thread_count(same, large.model);
}

// ½ ρ A C_D w² on a plate that faces the wind; none on one that lies along it; the same in statics and dynamics.
TEST(Wind, PlateInTheWind) {
  for (const double step : {0.0, 0.01}) {
    Sheet s = make_plate();
    s.model.step = step;
    const Wind facing = make_wind(s, {.velocity = {0, 0, 7}, .density = 1.3, .drag = 1.1, .lift = 0.5});
    EXPECT_LE((total_force(facing, s.model.configuration()) - Vec3(0, 0, 0.5 * 1.3 * 1.1 * 49)).norm(), 1e-12);
    const Wind along = make_wind(s, {.velocity = {7, 0, 0}, .density = 1.3, .drag = 1.1, .lift = 0.5});
    EXPECT_LE(total_force(along, s.model.configuration()).norm(), 1e-12);
    const Wind none = make_wind(s, {.drag = 1.1, .lift = 0.5});
    EXPECT_EQ(total_force(none, s.model.configuration()).norm(), 0);
  }
}

// Which side is up does not matter.
TEST(Wind, OrientationDoesNotMatter) {
  Sheet s = make_plate(0.4), reversed = s;
  for (Vec3i& t : reversed.sheet.triangles) std::swap(t[0], t[1]);
  const WindOptions options{.velocity = {1, 2, 3}, .lift = 0.8};
  const Vec3 a = total_force(make_wind(s, options), s.model.configuration());
  const Vec3 b = total_force(make_wind(reversed, options), reversed.model.configuration());
  EXPECT_LE((a - b).norm(), 1e-13);
}

// Pure lift on a plate at 45°: ½ ρ C_L w² cos 45° sin 45°, perpendicular to the wind, away from the side it meets.
TEST(Wind, LiftIsPerpendicularToTheWind) {
  Sheet s = make_plate(M_PI / 4);  // normal (0, −1, 1)/√2
  const Vec3 w(0, 0, 6);
  const Wind wind = make_wind(s, {.velocity = w, .density = 1.2, .drag = 0, .lift = 0.9});
  const Vec3 force = total_force(wind, s.model.configuration());
  EXPECT_NEAR(force.dot(w), 0, 1e-12);
  EXPECT_LE((force - Vec3(0, -0.5 * 1.2 * 0.9 * 36 * 0.5, 0)).norm(), 1e-12);

  // A moving sheet: perpendicular to the relative velocity at the start of the step.
  const BlockVector velocity = uniform(4, Vec3(1, 2, -3));
  const Configuration q{s.model.now, s.model.before, 0.01, s.model.controls, 1, &velocity};
  EXPECT_NEAR(total_force(wind, q).dot(Vec3(1, 2, -3) - w), 0, 1e-12);
  EXPECT_GT(total_force(wind, q).norm(), 1);
}

// Falls with backward Euler until drag carries its weight: v² = 2 m g/(ρ A C_D).
TEST(Wind, TerminalVelocityOfAPlate) {
  const double mass = 0.2, g = 9.81, step = 0.02;
  Sheet s = make_plate();
  const Wind wind = make_wind(s, {.density = 1.2, .drag = 1.1});
  BlockVector velocity = uniform(4, Vec3(0, 0, -1e-3)), now = s.model.before;
  double speed = 1e-3;
  for (int i = 0; i < 2000; ++i) {
    // Motion is along z and equal for all corners; force is linear in the end velocity: F(v) = F(0) + slope v.
    const auto force = [&](double v) {
      now = s.model.before;
      for (int c = 0; c < 4; ++c) now[c] += Vec3(0, 0, -v * step);
      return total_force(wind, {now, s.model.before, step, s.model.controls, 1, &velocity}).z();
    };
    const double f0 = force(0), slope = force(1) - f0;
    const double next = (speed + step * (g - f0 / mass)) / (1 + step * slope / mass);
    EXPECT_GE(next, speed * (1 - 1e-12));  // never overshoots
    speed = next;
    velocity = uniform(4, Vec3(0, 0, -speed));
  }
  EXPECT_NEAR(speed, std::sqrt(2 * mass * g / (1.2 * 1.1)), 1e-9);
}

// Drag takes energy out of motion relative to still air, also with huge steps: it stops but never turns round.
TEST(Wind, DragDissipatesWhateverTheStep) {
  Sheet s = make_sheet();
  Random random(71);
  const Wind wind = make_wind(s, {.drag = 1.2});
  BlockVector velocity(s.model.now.size());
  for (int v = 0; v < velocity.size(); ++v) velocity[v] = random.vector(5) + Vec3(3, 1, 20);
  for (const double step : {1e-3, 1.0, 1e3}) {
    s.model.now = s.model.before;
    sparse::add_scaled(s.model.now, step, velocity);
    const Configuration q{s.model.now, s.model.before, step, s.model.controls, 1, &velocity};
    BlockVector gradient(s.model.now.size());
    Accumulator out;
    out.gradient = &gradient;
    wind.evaluate(q, out);
    EXPECT_GT(sparse::dot(gradient, velocity), 0);

    // A backward Euler step of masses m: (M/h² + H) dx = M v/h, without any other force.
    const double mass = 1e-4;
    sparse::SymmetricBlockMatrix hessian(s.model.pattern);
    hessian.set_zero();
    Accumulator matrix;
    matrix.hessian = &hessian;
    wind.evaluate(q, matrix);
    Eigen::MatrixXd system = dense(hessian);
    system.diagonal().array() += mass / (step * step);
    const Eigen::VectorXd end = test::solve(system, mass / step * flat(velocity)) / step;
    EXPECT_LT(end.norm(), flat(velocity).norm());
    EXPECT_GT(end.dot(flat(velocity)), 0);
  }
}

}  // namespace
}  // namespace pliant
