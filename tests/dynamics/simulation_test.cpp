// Whole steps: discrete free fall, observed orders in time, momentum and energy, pins and their forces, retries, and
// the same bits for any number of threads.
#include "pliant/dynamics/simulation.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "tests/dynamics/rod_model.h"
#include "tests/dynamics/soft_model.h"

namespace pliant {
namespace {

using testing::BlockOptions;
using testing::distance;
using testing::Law;
using testing::momentum;
using testing::SoftModel;

constexpr IntegratorKind kAll[] = {IntegratorKind::backward_euler,    IntegratorKind::bdf2,
                                   IntegratorKind::implicit_midpoint, IntegratorKind::newmark,
                                   IntegratorKind::symplectic_euler,  IntegratorKind::quasi_static};
constexpr IntegratorKind kSecondOrder[] = {IntegratorKind::bdf2, IntegratorKind::implicit_midpoint,
                                           IntegratorKind::newmark};
const BlockOptions kTiny{.cells = {2, 1, 1}};

void run(Simulation& simulation, int steps, double step) {
  for (int n = 0; n < steps; ++n) ASSERT_TRUE(simulation.advance(step).reached);
}

// --- Free flight ---

// Fallen height after n steps of BDF2 started with backward Euler, in units of g h²: the two-step formulas by
// themselves.
double bdf2_fall(int steps) {
  double v_old = 0, v = 1, x_old = 0, x = 1;
  for (int n = 1; n < steps; ++n) {
    const double v_next = (1 + 2 * v - 0.5 * v_old) / 1.5;
    const double x_next = (v_next + 2 * x - 0.5 * x_old) / 1.5;
    v_old = v, v = v_next, x_old = x, x = x_next;
  }
  return x;
}

TEST(Simulation, FreeFlightIsTheDiscreteParabola) {
  const double h = 0.01;
  const int n = 25;
  const Vec3 g(0, -9.81, 0), v0(0.7, 2, -0.3);
  for (const IntegratorKind kind : kAll) {
    if (kind == IntegratorKind::quasi_static) continue;
    for (const bool is_consistent : {false, true}) {
      if (is_consistent && kind == IntegratorKind::symplectic_euler) continue;
      SoftModel model({.cells = {2, 2, 1}, .is_consistent = is_consistent}, g);
      model.throw_with(v0);
      const BlockVector start = model.state.positions;
      Simulation simulation = std::move(model).start(kind);
      run(simulation, n, h);
      const bool is_exact = kind == IntegratorKind::implicit_midpoint || kind == IntegratorKind::newmark;
      const double fall = kind == IntegratorKind::bdf2 ? bdf2_fall(n) : is_exact ? 0.5 * n * n : 0.5 * n * (n + 1);
      for (int i = 0; i < start.size(); ++i) {
        EXPECT_LT((simulation.state().positions[i] - (start[i] + n * h * v0 + h * h * fall * g)).norm(), 1e-12)
            << static_cast<int>(kind);
        EXPECT_LT((simulation.state().velocities[i] - (v0 + n * h * g)).norm(), 1e-10) << static_cast<int>(kind);
      }
    }
  }
}

TEST(Simulation, LinearMomentumIsExact) {
  for (const IntegratorKind kind : kAll) {
    if (kind == IntegratorKind::quasi_static) continue;
    SoftModel model({.cells = {2, 2, 1}}, Vec3::Zero());
    model.bend(0.02);
    model.throw_with(Vec3(1, 2, -3), Vec3(4, 0, 2));
    Simulation simulation = std::move(model).start(kind);
    const Vec3 start = momentum(simulation);
    run(simulation, 20, kind == IntegratorKind::symplectic_euler ? 0.001 : 0.005);
    EXPECT_LT((momentum(simulation) - start).norm(), 1e-11 * start.norm()) << static_cast<int>(kind);
  }
}

TEST(Simulation, MidpointKeepsAngularMomentum) {
  SoftModel model({.cells = {2, 2, 1}}, Vec3::Zero());
  model.bend(0.02);
  model.throw_with(Vec3::Zero(), Vec3(8, 3, -5));
  Simulation simulation = std::move(model).start(IntegratorKind::implicit_midpoint, 1e-12);
  const auto angular = [&] {
    Vec3 sum = Vec3::Zero();
    for (int i = 0; i < simulation.state().positions.size(); ++i) {
      sum += simulation.model().inertia.masses()[i] *
             Vec3(simulation.state().positions[i]).cross(Vec3(simulation.state().velocities[i]));
    }
    return sum;
  };
  const Vec3 start = angular();
  run(simulation, 40, 0.005);
  EXPECT_LT((angular() - start).norm(), 1e-8 * start.norm());
}

// --- Order in time ---

BlockVector bent_motion(IntegratorKind kind, int steps, bool is_varying = false, bool is_consistent = false) {
  SoftModel model({.cells = {2, 1, 1}, .is_consistent = is_consistent}, Vec3(0, -5, 0));
  for (const int i : model.lower_end) model.pin({i});
  model.bend(0.02);
  Simulation simulation = std::move(model).start(kind, 1e-11);
  const double end = 0.06;
  for (int n = 0; n < steps; ++n) {
    // A varying step repeats the fractions 1.4, 0.6, 1 of the nominal one.
    const double fraction = !is_varying ? 1 : n % 3 == 0 ? 1.4 : n % 3 == 1 ? 0.6 : 1.0;
    EXPECT_TRUE(simulation.advance(fraction * end / steps).reached);
  }
  EXPECT_NEAR(simulation.state().time, end, 1e-12);
  return simulation.state().positions;
}

double observed_order(IntegratorKind kind, const BlockVector& reference, int steps, bool is_varying = false,
                      bool is_consistent = false) {
  const double coarse = distance(bent_motion(kind, steps, is_varying, is_consistent), reference);
  const double fine = distance(bent_motion(kind, 2 * steps, is_varying, is_consistent), reference);
  return std::log2(coarse / fine);
}

TEST(Simulation, OrdersInTimeAreThoseOfTheSchemes) {
  const BlockVector reference = bent_motion(IntegratorKind::newmark, 1536);
  EXPECT_GT(observed_order(IntegratorKind::backward_euler, reference, 96), 0.9);
  EXPECT_GT(observed_order(IntegratorKind::symplectic_euler, reference, 96), 0.9);
  for (const IntegratorKind kind : kSecondOrder)
    EXPECT_GT(observed_order(kind, reference, 48), 1.9) << static_cast<int>(kind);
  EXPECT_GT(observed_order(IntegratorKind::bdf2, reference, 48, true), 1.9);
}

TEST(Simulation, ConsistentMassKeepsTheOrder) {
  const BlockVector reference = bent_motion(IntegratorKind::implicit_midpoint, 768, false, true);
  for (const IntegratorKind kind : kSecondOrder) {
    EXPECT_GT(observed_order(kind, reference, 48, false, true), 1.9) << static_cast<int>(kind);
  }
}

// --- Energy ---

TEST(Simulation, MidpointAndNewmarkKeepTheEnergyOfALinearOscillation) {
  for (const IntegratorKind kind :
       {IntegratorKind::implicit_midpoint, IntegratorKind::newmark, IntegratorKind::backward_euler}) {
    BlockOptions options = kTiny;
    options.law = Law::linear;
    SoftModel model(options, Vec3(0, -1, 0));
    for (const int i : model.lower_end) model.pin({i});
    model.bend(0.001);
    Simulation simulation = std::move(model).start(kind, 1e-12);
    const double start = simulation.energies().total();
    double last = start;
    double largest_exchange = 0;
    for (int n = 0; n < 200; ++n) {
      ASSERT_TRUE(simulation.advance(0.005).reached);
      const EnergyBalance balance = simulation.energies();
      largest_exchange = std::max(largest_exchange, balance.kinetic);
      if (kind == IntegratorKind::backward_euler) {
        EXPECT_LE(balance.total(), last + 1e-12 * std::abs(start));
        last = balance.total();
      } else {
        EXPECT_NEAR(balance.total(), start, 1e-9 * largest_exchange + 1e-14);
      }
    }
    EXPECT_GT(largest_exchange, 1e-6);
    if (kind == IntegratorKind::backward_euler) {
      EXPECT_LT(last, start - 0.1 * largest_exchange);
    }
  }
}

TEST(Simulation, DragSlowsFreeBlocksAndLeavesScriptedOnesAlone) {
  SoftModel model(kTiny, Vec3::Zero());
  model.model.drag = 3;
  model.throw_with(Vec3(1, 0, 0));
  SoftModel held(kTiny, Vec3::Zero());
  held.model.drag = 3;
  held.pin(held.lower_end).motion = ScriptedMotion(Move{Vec3(1, 0, 0)});
  Simulation free = std::move(model).start(IntegratorKind::backward_euler);
  Simulation pinned = std::move(held).start(IntegratorKind::backward_euler);
  run(free, 10, 0.01);
  run(pinned, 10, 0.01);
  EXPECT_NEAR(free.state().velocities[3][0], std::pow(1.03, -10), 1e-12);
  for (const HeldBlock& block : {HeldBlock{0, {}}}) EXPECT_NEAR(pinned.state().velocities[block.block][0], 1, 1e-12);
}

// --- Pins ---

TEST(Simulation, MovingPinsReachTheirTargetsAndNeverDrift) {
  const double rate = 2.5;
  const Vec3 axis = Vec3(1, 0.3, -0.2).normalized(), centre(0.1, 0, 0.05);
  for (const IntegratorKind kind : kAll) {
    SoftModel model(kTiny);
    model.pin(model.lower_end).motion = ScriptedMotion(Rotate{axis, centre, rate});
    model.pin(model.upper_end).motion = ScriptedMotion(Move{Vec3(0.2, 0.1, 0)});
    const State start = model.state;
    const std::vector<int> lower = model.lower_end, upper = model.upper_end;
    Simulation simulation = std::move(model).start(kind, 1e-6);
    run(simulation, 40, 0.005);
    const Mat3 turn = Eigen::AngleAxisd(rate * 0.2, axis).toRotationMatrix();
    for (const int i : lower) {
      EXPECT_LT((simulation.state().positions[i] - (centre + turn * (start.positions[i] - centre))).norm(), 1e-15)
          << static_cast<int>(kind);
    }
    for (const int i : upper) {
      EXPECT_LT((simulation.state().positions[i] - (start.positions[i] + Vec3(0.04, 0.02, 0))).norm(), 1e-15);
      if (kind != IntegratorKind::quasi_static) {
        EXPECT_LT((simulation.state().velocities[i] - Vec3(0.2, 0.1, 0)).norm(), 1e-12);
      }
    }
  }
}

TEST(Simulation, HeldDirectionsStayWhileFreeOnesMove) {
  const Vec3 oblique = Vec3(1, -2, 2).normalized();
  for (const IntegratorKind kind : kAll) {
    if (kind == IntegratorKind::quasi_static) continue;  // without a hold across there is no rest
    SoftModel model(kTiny, Vec3(3, -9.81, 1));
    ScriptedPin& first = model.pin(model.lower_end);
    first.holds_all = false;
    first.directions = {Vec3::UnitY()};
    ScriptedPin& second = model.pin(model.upper_end);
    second.holds_all = false;
    second.directions = {oblique};
    const State start = model.state;
    const std::vector<int> lower = model.lower_end, upper = model.upper_end;
    Simulation simulation = std::move(model).start(kind, 1e-6);
    run(simulation, 200, 0.002);
    for (const int i : lower) {
      EXPECT_EQ(simulation.state().positions[i][1], start.positions[i][1]);
      EXPECT_GT(std::abs(simulation.state().positions[i][0] - start.positions[i][0]), 1e-3);
    }
    for (const int i : upper) {
      const Vec3 way = simulation.state().positions[i] - start.positions[i];
      EXPECT_LT(std::abs(oblique.dot(way)), 4e-16) << static_cast<int>(kind);
      EXPECT_GT(way.norm(), 1e-3);
    }
  }
}

TEST(Simulation, SeveralPinsOnOneVertexEachHoldTheirPart) {
  for (const IntegratorKind kind : {IntegratorKind::backward_euler, IntegratorKind::symplectic_euler}) {
    SoftModel model(kTiny);
    ScriptedPin& along = model.pin(model.lower_end);
    along.holds_all = false;
    along.directions = {Vec3::UnitX()};
    along.motion = ScriptedMotion(Move{Vec3(0.5, 7, 7)});
    ScriptedPin& across = model.pin(model.lower_end);
    across.holds_all = false;
    across.directions = {Vec3::UnitY(), Vec3::UnitZ()};
    const State start = model.state;
    const std::vector<int> lower = model.lower_end;
    Simulation simulation = std::move(model).start(kind, 1e-6);
    for (int n = 0; n < 20; ++n) {
      const AdvanceReport report = simulation.advance(0.005);
      ASSERT_TRUE(report.reached);
      EXPECT_TRUE(is_success(report.steps[0].solve.status));
    }
    for (const int i : lower)
      EXPECT_LT((simulation.state().positions[i] - (start.positions[i] + Vec3(0.05, 0, 0))).norm(), 1e-15);
  }
}

TEST(Simulation, PinsSetInLaterWhereTheyFindTheBodyAndRelease) {
  SoftModel model(kTiny);
  ScriptedPin& pin = model.pin(model.lower_end);
  pin.from = 0.05;
  pin.until = 0.1;
  const std::vector<int> lower = model.lower_end;
  const double start = model.state.positions[lower[0]][1];
  Simulation simulation = std::move(model).start(IntegratorKind::backward_euler);
  run(simulation, 5, 0.01);
  const BlockVector found = simulation.state().positions;
  EXPECT_NEAR(found[lower[0]][1], start - 9.81 * 1e-4 * 15, 1e-12);
  run(simulation, 5, 0.01);
  for (const int i : lower) EXPECT_EQ(Vec3(simulation.state().positions[i]), Vec3(found[i]));
  run(simulation, 1, 0.01);
  for (const int i : lower) EXPECT_LT(simulation.state().positions[i][1], found[i][1]);
}

// A pin that sets in between two steps' ends moves from where it finds its vertices: it does not jump by what its
// script did before.
TEST(Simulation, APinThatSetsInLateDoesNotJump) {
  SoftModel model(kTiny);
  ScriptedPin& pin = model.pin(model.lower_end);
  pin.from = 0.034;
  pin.motion = ScriptedMotion(Move{Vec3(1, 0, 0)});
  Simulation simulation = std::move(model).start(IntegratorKind::backward_euler);
  run(simulation, 4, 0.01);  // the first step that begins after 0.034 s begins at 0.04 s
  const BlockVector caught = simulation.state().positions;
  const int vertex = simulation.model().pins[0].blocks[0];
  for (int n = 1; n <= 3; ++n) {
    run(simulation, 1, 0.01);
    const Vec3 expected = caught[vertex] + Vec3(0.01 * n, 0, 0);
    EXPECT_LT((simulation.state().positions[vertex] - expected).norm(), 1e-14) << n;
  }
}

// Newmark takes part of a step's acceleration from the last one: a pin that lets go must not leave its zero there. All
// of a block is held and then falls freely, exactly −½ g t².
TEST(Simulation, NewmarkFallsAtOnceWhenReleased) {
  SoftModel model(kTiny);
  std::vector<int> everything(model.model.layout.block_count());
  std::iota(everything.begin(), everything.end(), 0);
  model.pin(everything).until = 0.05;
  Simulation simulation = std::move(model).start(IntegratorKind::newmark);
  run(simulation, 5, 0.01);
  const BlockVector held = simulation.state().positions;
  run(simulation, 10, 0.01);
  const double fall = 0.5 * 9.81 * 0.1 * 0.1;
  EXPECT_NEAR(simulation.state().positions[0][1] - held[0][1], -fall, 1e-9 * fall);
}

// --- Forces of pins ---

Vec3 total(const BlockVector& forces) {
  Vec3 sum = Vec3::Zero();
  for (int i = 0; i < forces.size(); ++i) sum += forces[i];
  return sum;
}

TEST(Simulation, PinForcesCarryWeightAndLoadAtRest) {
  const Vec3 push(0.3, 0.2, -0.1);
  const auto hanging = [&] {
    SoftModel model(kTiny);
    model.pin(model.lower_end);
    model.push(model.upper_end, push);
    return model;
  };
  SoftModel at_rest = hanging();
  const double mass = at_rest.mass;
  Simulation statics = std::move(at_rest).start(IntegratorKind::quasi_static);
  EXPECT_EQ(total(statics.pin_forces()), Vec3::Zero());
  run(statics, 1, 0.01);
  const Vec3 expected = -push + mass * Vec3(0, 9.81, 0);
  EXPECT_LT((total(statics.pin_forces()) - expected).norm(), 1e-8 * expected.norm());
  for (const IntegratorKind kind : kAll) {
    SoftModel model = hanging();
    model.state = statics.state();
    Simulation simulation = std::move(model).start(kind);
    run(simulation, 3, 0.001);
    EXPECT_LT((total(simulation.pin_forces()) - expected).norm(), 1e-6 * expected.norm()) << static_cast<int>(kind);
  }
}

TEST(Simulation, PinForcesChangeTheMomentum) {
  // Σ f_pin = Δp/h − m g, in every step of a swinging block
  for (const IntegratorKind kind : {IntegratorKind::backward_euler, IntegratorKind::implicit_midpoint}) {
    for (const bool is_consistent : {false, true}) {
      BlockOptions options = kTiny;
      options.is_consistent = is_consistent;
      SoftModel model(options);
      model.pin(model.lower_end);
      model.bend(0.01);
      const double mass = model.mass, h = 0.005;
      Simulation simulation = std::move(model).start(kind, 1e-12);
      for (int n = 0; n < 10; ++n) {
        const Vec3 before = momentum(simulation);
        run(simulation, 1, h);
        const Vec3 expected = (momentum(simulation) - before) / h + mass * Vec3(0, 9.81, 0);
        EXPECT_LT((total(simulation.pin_forces()) - expected).norm(), 1e-8 * mass * 9.81) << static_cast<int>(kind);
      }
    }
  }
}

TEST(Simulation, SoftPinsGiveWayByLoadOverStiffness) {
  const double stiffness = 500;
  for (const IntegratorKind kind : {IntegratorKind::quasi_static, IntegratorKind::backward_euler}) {
    SoftModel model(kTiny);
    std::vector<int> everything;
    for (int i = 0; i < model.state.positions.size(); ++i) everything.push_back(i);
    model.soft_pin(everything, stiffness);
    const double mass = model.mass;
    const BlockVector start = model.state.positions;
    Simulation simulation = std::move(model).start(kind);
    // backward Euler damps the oscillation away
    run(simulation, kind == IntegratorKind::quasi_static ? 1 : 400, kind == IntegratorKind::quasi_static ? 0.01 : 0.1);
    for (int i = 0; i < start.size(); ++i) {
      EXPECT_LT((simulation.state().positions[i] - (start[i] - Vec3(0, mass * 9.81 / stiffness, 0))).norm(), 1e-9);
    }
    EXPECT_LT((total(simulation.pin_forces()) - mass * Vec3(0, 9.81, 0)).norm(), 1e-6);
  }
}

TEST(Simulation, MovingSoftPinsKeepTheOrderOfMidpoint) {
  // Their targets count at the time at which forces do.
  const auto motion = [](int steps) {
    SoftModel model(kTiny, Vec3::Zero());
    model.soft_pin(model.lower_end, 50);
    Keyframes wave;
    for (int k = 0; k <= 400; ++k)
      wave.keys.push_back({k * 0.0005, 0.02 * Vec3(0, 1 - std::cos(20 * k * 0.0005), 0), Vec4(1, 0, 0, 0)});
    model.model.pins.back().motion = ScriptedMotion(wave);
    Simulation simulation = std::move(model).start(IntegratorKind::implicit_midpoint, 1e-11);
    run(simulation, steps, 0.08 / steps);
    return simulation.state().positions;
  };
  const BlockVector reference = motion(640);
  EXPECT_GT(std::log2(distance(motion(20), reference) / distance(motion(40), reference)), 1.8);
}

// --- Retries ---

// Not finite for steps longer than `longest`, or after `last` seconds.
class Fussy final : public Energy {
 public:
  Fussy(double longest, double last) : longest_(longest), last_(last) {}
  void evaluate(const Configuration& q, Accumulator& out) const override {
    if (q.step <= longest_ && q.controls.time <= last_) return;
    if (out.value != nullptr) *out.value += std::numeric_limits<double>::quiet_NaN();
    if (out.gradient != nullptr) (*out.gradient)[2][0] += std::numeric_limits<double>::quiet_NaN();
  }
  [[nodiscard]] std::string name() const override { return "fussy"; }

 private:
  double longest_, last_;
};

Simulation fussy(double longest, double last, int retries, IntegratorKind kind = IntegratorKind::backward_euler) {
  SoftModel model(kTiny);
  model.bend(0.01);
  model.model.energies.push_back(std::make_unique<Fussy>(longest, last));
  model.model.roles.push_back(EnergyRole::load);
  SimulationOptions options;
  options.integrator.kind = kind;
  options.retries = retries;
  return Simulation(std::move(model.model), std::move(model.state), options);
}

TEST(Simulation, AFailingStepIsTakenInParts) {
  for (const IntegratorKind kind : {IntegratorKind::backward_euler, IntegratorKind::bdf2, IntegratorKind::newmark}) {
    Simulation simulation = fussy(0.003, 1, 6, kind);
    std::vector<double> times;
    const AdvanceReport report = simulation.advance(0.01, 0.01, [&] { times.push_back(simulation.state().time); });
    ASSERT_TRUE(report.reached);
    ASSERT_EQ(times.size(), 4U);
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(times[k], 0.0025 * (k + 1), 1e-15);
    EXPECT_EQ(simulation.state().time, 0.01);
    EXPECT_EQ(report.steps.size(), 4U);
    EXPECT_EQ(report.retries, 3);
    EXPECT_EQ(simulation.state().step_count, 4);
    EXPECT_EQ(report.failure.solve.status, solver::SolveStatus::not_finite);
    EXPECT_EQ(report.failure.solve.not_finite_in, "fussy");
    EXPECT_EQ(report.failed_at, "body 'block', vertex 2");

    // The parts are ordinary steps: the same as taking them one by one.
    Simulation by_hand = fussy(0.003, 1, 6, kind);
    for (int k = 1; k <= 4; ++k) ASSERT_TRUE(by_hand.advance(0.0025, 0.0025 * k, [] {}).reached);
    EXPECT_LT(distance(by_hand.state().positions, simulation.state().positions), 1e-14);
  }
}

TEST(Simulation, GivingUpLeavesTheLastAcceptedStateToTheBit) {
  for (const IntegratorKind kind : {IntegratorKind::backward_euler, IntegratorKind::bdf2, IntegratorKind::newmark,
                                    IntegratorKind::implicit_midpoint}) {
    Simulation simulation = fussy(1, 0.0155, 2, kind);
    run(simulation, 1, 0.01);
    std::uint64_t last = hash(simulation.state());
    int accepted = 0;
    const AdvanceReport report = simulation.advance(0.01, 0.02, [&] {
      last = hash(simulation.state());
      ++accepted;
    });
    EXPECT_FALSE(report.reached);
    EXPECT_EQ(accepted, 1);  // to 0.015
    EXPECT_NEAR(simulation.state().time, 0.015, 1e-15);
    EXPECT_EQ(hash(simulation.state()), last);
    EXPECT_NEAR(report.failure.step, 0.0025, 1e-15);
    // Nor does another attempt change it.
    EXPECT_FALSE(simulation.advance(0.01, 0.025, [] {}).reached);
    EXPECT_EQ(hash(simulation.state()), last);
  }
}

TEST(Simulation, SymplecticEulerSaysWhenItBlowsUp) {
  SoftModel model({.cells = {2, 2, 1}, .young = 1e9});
  model.bend(0.01);
  Simulation simulation = std::move(model).start(IntegratorKind::symplectic_euler);
  AdvanceReport report;
  for (int n = 0; n < 1000 && report.reached; ++n) report = simulation.advance(0.05);
  EXPECT_FALSE(report.reached);
  EXPECT_EQ(report.failure.solve.status, solver::SolveStatus::not_finite);
  EXPECT_TRUE(sparse::all_finite(simulation.state().positions));
}

// --- Determinism ---

TEST(Simulation, SameBitsForAnyThreadCount) {
  const auto final_hash = [](solver::NewtonLinear linear, std::array<int, 3> cells, int threads) {
    set_thread_count(threads);
    SoftModel model({.size = Vec3(0.6, 0.3, 0.3), .cells = cells, .is_consistent = true});
    model.pin(model.lower_end);
    SimulationOptions options;
    options.newton.linear = linear;
    options.newton.linear_tolerance = 1e-4;
    Simulation simulation(std::move(model.model), std::move(model.state), options);
    for (int n = 0; n < 2; ++n) EXPECT_TRUE(simulation.advance(0.01).reached);
    return hash(simulation.state());
  };
  for (const solver::NewtonLinear linear :
       {solver::NewtonLinear::cholesky, solver::NewtonLinear::pcg, solver::NewtonLinear::multigrid}) {
    // More than parallel::kSumBlock blocks for the iterative ones, so that their sums have several parts.
    const std::array<int, 3> cells =
        linear != solver::NewtonLinear::cholesky ? std::array{24, 12, 12} : std::array{10, 5, 5};
    const std::uint64_t one = final_hash(linear, cells, 1);
    for (const int threads : {2, 3, 8}) EXPECT_EQ(final_hash(linear, cells, threads), one) << threads;
  }
  set_thread_count(0);
}

// --- History ---

TEST(Simulation, HistoryOfAnotherIntegratorIsDropped) {
  SoftModel first(kTiny);
  first.bend(0.01);
  Simulation bdf2 = std::move(first).start(IntegratorKind::bdf2);
  run(bdf2, 3, 0.005);
  SoftModel second(kTiny);
  second.state = bdf2.state();
  Simulation euler = std::move(second).start(IntegratorKind::backward_euler);
  EXPECT_EQ(euler.state().previous_positions.size(), 0);
  run(euler, 1, 0.005);
  SoftModel third(kTiny);
  third.state = euler.state();
  Simulation newmark = std::move(third).start(IntegratorKind::newmark);
  EXPECT_EQ(newmark.state().accelerations.size(), 0);
  run(newmark, 1, 0.005);
  EXPECT_EQ(newmark.state().accelerations.size(), newmark.state().positions.size());
}

// --- Rods ---

using pliant::testing::material_director;
using pliant::testing::RodModel;

Vec3 turned_about(const Vec3& axis, double angle, const Vec3& v) { return Eigen::AngleAxisd(angle, axis) * v; }

// A clamped edge turns about its own axis through many turns: its section follows the pin, and the angle counts on.
TEST(Simulation, AClampedEdgeTurnsWithItsPin) {
  RodModel rod({.edges = 4});
  const double rate = 50;  // rad/s: half a radian a step
  rod.pin_edge(0, true).motion = ScriptedMotion(Rotate{Vec3::UnitX(), Vec3::Zero(), rate});
  Simulation simulation = std::move(rod).start();
  const Vec3 start = material_director(simulation, 0);
  for (int i = 1; i <= 60; ++i) {
    ASSERT_TRUE(simulation.advance(0.01).reached);
    const double angle = rate * simulation.state().time;
    EXPECT_LT((material_director(simulation, 0) - turned_about(Vec3::UnitX(), angle, start)).norm(), 1e-12) << i;
    EXPECT_NEAR(simulation.state().positions[1][0], angle, 1e-11);
  }
  // Almost five turns; the rest of the rod comes along, and nothing moves sideways.
  EXPECT_GT(simulation.state().positions[1][0], 29);
  EXPECT_NEAR(simulation.state().positions[7][0], 30, 5);
  for (int i = 0; i < 9; i += 2) EXPECT_LT(simulation.state().positions[i].tail<2>().norm(), 1e-9);
}

// The pin turns the edge end over end: the section goes where the pin takes it, however the frames are transported.
TEST(Simulation, AClampedEdgeIsSwungRound) {
  for (const Vec3& axis :
       {Vec3(0, 0, 1), Vec3(0, 1, 0), Vec3(Vec3(1, 2, 3).normalized()), Vec3(Vec3(2, -1, 0.1).normalized())}) {
    RodModel rod({.edges = 3});
    rod.pin_edge(0, true).motion = ScriptedMotion(Rotate{axis, Vec3(0.1, 0.2, 0), 40});
    Simulation simulation = std::move(rod).start();
    const Vec3 start = material_director(simulation, 0);
    double before = 0;
    for (int i = 1; i <= 80; ++i) {  // five turns
      ASSERT_TRUE(simulation.advance(0.01).reached);
      const Vec3 wanted = turned_about(axis, 40 * simulation.state().time, start);
      EXPECT_LT((material_director(simulation, 0) - wanted).norm(), 1e-10) << i;
      const double theta = simulation.state().positions[1][0];
      EXPECT_LT(std::abs(theta - before), 1) << i;  // no jump by a turn
      before = theta;
    }
  }
}

// Where the twist is free, turning an edge about its own axis turns nothing.
TEST(Simulation, AnEdgeWithFreeTwistIsNotTurned) {
  RodModel rod({.edges = 4});
  rod.pin_edge(0, false).motion = ScriptedMotion(Rotate{Vec3::UnitX(), Vec3::Zero(), 50});
  Simulation simulation = std::move(rod).start();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(simulation.advance(0.01).reached);
  for (int i = 1; i < 9; i += 2) EXPECT_NEAR(simulation.state().positions[i][0], 0, 1e-12);
}

// A pin that sets in later holds the section as it finds it, and lets it go.
TEST(Simulation, ALateClampHoldsTheTwistItFinds) {
  RodModel rod({.edges = 3});
  for (const RodEdge& edge : rod.model.rods.edges) rod.state.velocities[edge.twist][0] = 10;
  ScriptedPin& pin = rod.pin_edge(1, true);
  pin.from = 0.05;
  pin.until = 0.1;
  Simulation simulation = std::move(rod).start();
  double held = 0;
  for (int i = 1; i <= 20; ++i) {
    ASSERT_TRUE(simulation.advance(0.01).reached);
    const double theta = simulation.state().positions[3][0];
    if (i <= 5) {
      EXPECT_NEAR(theta, 0.1 * i, 1e-9);  // a rigid spin
      held = theta;
    } else if (i <= 10) {
      EXPECT_NEAR(theta, held, 1e-12);
    }
  }
  EXPECT_GT(std::abs(simulation.state().positions[3][0] - held), 1e-3);
}

// After every step, whatever the integrator, the frames belong to the new positions.
TEST(Simulation, FramesBelongToThePositions) {
  for (const IntegratorKind kind :
       {IntegratorKind::backward_euler, IntegratorKind::bdf2, IntegratorKind::implicit_midpoint,
        IntegratorKind::newmark, IntegratorKind::symplectic_euler, IntegratorKind::quasi_static}) {
    const bool is_explicit = kind == IntegratorKind::symplectic_euler;
    RodModel rod({.edges = 6, .length = 0.3, .radius = 5e-3, .young = 1e5, .shear = 4e4}, Vec3(0, -9.81, 0));
    rod.pin_edge(0, true).motion = ScriptedMotion(Rotate{Vec3::UnitX(), Vec3::Zero(), 5});
    Simulation simulation = std::move(rod).start(kind);
    const RodTopology& rods = simulation.model().rods;
    for (int i = 0; i < 10; ++i) {
      const RodFrames before = simulation.state().rod_frames;
      ASSERT_TRUE(simulation.advance(is_explicit ? 2e-4 : 0.01).reached) << static_cast<int>(kind);
      const State& state = simulation.state();
      for (int e = 0; e < 6; ++e) {
        EXPECT_NEAR(state.rod_frames.directors[e].norm(), 1, 1e-14);
        EXPECT_NEAR(state.rod_frames.directors[e].dot(tangent(rods.edges[e], state.positions)), 0, 1e-14);
      }
      for (int j = 0; j < 5; ++j) {
        const double angle = reference_twist(tangent(rods.edges[j], state.positions), state.rod_frames.directors[j],
                                             tangent(rods.edges[j + 1], state.positions),
                                             state.rod_frames.directors[j + 1], before.reference_twist[j]);
        EXPECT_NEAR(state.rod_frames.reference_twist[j], angle, 1e-14);
      }
    }
    EXPECT_LT(simulation.state().positions[12][1], 0);  // it has moved
    EXPECT_TRUE(std::isfinite(simulation.energies().total()));
  }
}

// A rod spun at one end in free flight keeps its momentum about the axis.
TEST(Simulation, SpinOfAFreeRodIsKept) {
  RodModel rod({.edges = 5});
  const std::span<const double> masses = rod.model.inertia.masses();
  rod.state.velocities[1][0] = 30;
  double start = 0;
  for (const RodEdge& edge : rod.model.rods.edges) start += masses[edge.twist] * rod.state.velocities[edge.twist][0];
  Simulation simulation = std::move(rod).start();
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(simulation.advance(0.01).reached);
  double end = 0;
  for (const RodEdge& edge : simulation.model().rods.edges)
    end += simulation.model().inertia.masses()[edge.twist] * simulation.state().velocities[edge.twist][0];
  EXPECT_NEAR(end, start, 1e-9 * start);
}

}  // namespace
}  // namespace pliant
