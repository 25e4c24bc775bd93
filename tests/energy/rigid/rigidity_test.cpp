// The energy of rigid bodies: derivatives, no torque, zero for every rotation, how stiff.
#include "pliant/energy/rigid/rigidity.h"

#include "pliant/math/rotation.h"
#include "tests/energy/energy_checks.h"
#include "tests/support/dense_algebra.h"

namespace pliant::rigid {
namespace {

using namespace checks;

constexpr double kStep = 0.01;

struct Bodies {
  TetModel model;  // without tets
  std::vector<RigidFrame> frames;

  [[nodiscard]] Rigidity energy() {
    Rigidity made(frames, kStep, model.now.size());
    sparse::PatternBuilder builder(model.now.size());
    made.couple(builder);
    model.pattern = builder.build();
    made.find_slots(*model.pattern);
    return made;
  }
};

// Bodies of several shapes, the last a plate; axes turned anyhow and strained by up to `strain`.
Bodies make_bodies(int count, double strain) {
  Random random(17);
  Bodies bodies;
  bodies.model.now.resize(4 * count), bodies.model.before.resize(4 * count);
  for (int b = 0; b < count; ++b) {
    const Vec3 second(random.between(0.1, 1), random.between(0.1, 1), b + 1 == count ? 1e-4 : random.between(0.1, 1));
    const double scale = 1e-4;
    const RigidFrame frame =
        rigid_frame(4 * b, random.between(0.01, 0.02), scale * (Vec3::Constant(second.sum()) - second));
    bodies.frames.push_back(frame);
    bodies.model.now[4 * b] = random.vector();
    set_rotation(frame, random.rotation(), bodies.model.now);
    for (int i = 0; i < 3; ++i) bodies.model.now[frame.axis(i)] += random.vector(strain * frame.length);
  }
  bodies.model.before = bodies.model.now;
  return bodies;
}

TEST(Rigidity, PassesTheChecksOfEveryEnergy) {
  Bodies bodies = make_bodies(5, 0.3);
  const Rigidity energy = bodies.energy();
  expect_derivatives_converge(energy, bodies.model, 1e-3);
  expect_views_agree(energy, bodies.model);
  expect_adds(energy, bodies.model);
  expect_projected_is_semidefinite(energy, bodies.model);
  Bodies many = make_bodies(2000, 0.1);
  const Rigidity large = many.energy();
  expect_same_bits_for_any_thread_count(large, many.model);
}

// Σ aᵢ × fᵢ = 0 of every body, and nothing pulls at centres.
TEST(Rigidity, ExertsNoTorque) {
  Bodies bodies = make_bodies(5, 0.3);
  const BlockVector g = gradient_of(bodies.energy(), bodies.model);
  for (const RigidFrame& frame : bodies.frames) {
    Vec3 torque = Vec3::Zero();
    double size = 0;
    for (int i = 0; i < 3; ++i) {
      const Vec3 part = Vec3(bodies.model.now[frame.axis(i)]).cross(Vec3(g[frame.axis(i)]));
      torque += part;
      size += part.norm();
    }
    EXPECT_LE(torque.norm(), 1e-14 * size);
    EXPECT_TRUE(g[frame.centre].isZero(0));
  }
}

TEST(Rigidity, RotationsCostNothing) {
  Bodies bodies = make_bodies(5, 0);
  const Rigidity energy = bodies.energy();
  double scale = 0;
  for (const RigidFrame& f : bodies.frames) scale += kRigidity * f.mass * f.length * f.length / (kStep * kStep);
  EXPECT_LE(value_of(energy, bodies.model), 1e-28 * scale);
}

// One axis longer by a part e: E = k_ii (e + e²/2)².
TEST(Rigidity, StretchCostsWhatTheFormulaSays) {
  Bodies bodies = make_bodies(1, 0);
  const Rigidity energy = bodies.energy();
  const RigidFrame& frame = bodies.frames[0];
  const double k = kRigidity * frame.mass * frame.length * frame.length / (kStep * kStep);
  for (int i = 0; i < 3; ++i) {
    TetModel longer = bodies.model;
    longer.now[frame.axis(i)] *= 1.01;
    const double expected = k * frame.extent()[i] * std::pow(0.01 + 0.5e-4, 2);
    EXPECT_NEAR(value_of(energy, longer), expected, 1e-10 * expected);
  }
}

// The stand-in bounds the Hessian at rest: no quasi-Newton step is too long.
TEST(Rigidity, WeightsBoundTheHessianAtRest) {
  Bodies bodies = make_bodies(3, 0);
  const Rigidity energy = bodies.energy();
  sparse::SymmetricScalarMatrix weights(bodies.model.pattern);
  weights.set_zero();
  energy.add_weights(bodies.model.controls, kStep, weights);
  Eigen::MatrixXd difference = -dense(evaluate(energy, bodies.model).hessian);
  double largest = 0;
  for (int b = 0; b < bodies.model.now.size(); ++b) {
    const double w = weights.values()[static_cast<std::size_t>(bodies.model.pattern->diagonal_slot(b))];
    largest = std::max(largest, w);
    for (int c = 0; c < 3; ++c) difference(3 * b + c, 3 * b + c) += w;
  }
  EXPECT_GE(test::eigenvalues(difference).minCoeff(), -1e-12 * largest);
}

}  // namespace
}  // namespace pliant::rigid
