#include "tests/energy/energy_checks.h"

#include <gtest/gtest-spi.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cstring>

#include "pliant/mesh/box_mesh.h"
#include "pliant/parallel/parallel.h"
#include "tests/support/dense_algebra.h"

namespace pliant::checks {

// --- Models ---

Vec3 Random::vector(double size) {
  const double x = between(-size, size), y = between(-size, size), z = between(-size, size);
  return {x, y, z};
}

Mat3 Random::rotation() {
  const Vec3 axis = vector().normalized();
  return Eigen::AngleAxisd(between(0.3, 3.0), axis).toRotationMatrix();
}

void TetModel::finish() {
  const int count = static_cast<int>(rest.size());
  elements = std::make_shared<solid::TetElements>(tets, rest);
  sparse::PatternBuilder builder(count);
  elements->couple(builder);
  pattern = builder.build();
  elements->find_slots(*pattern);
  now.resize(count), before.resize(count);
  for (int v = 0; v < count; ++v) now[v] = moved[v], before[v] = rest[v];
}

void move(TetModel& model, const Mat3& rotation, const Vec3& shift) {
  for (int v = 0; v < model.now.size(); ++v) model.now[v] = (rotation * model.now[v] + shift).eval();
}

// Separate tets of random shape; tet t has the deformation gradient gradients[t].
TetModel make_soup(const std::vector<Mat3>& gradients, unsigned seed) {
  Random random(seed);
  TetModel model;
  for (std::size_t t = 0; t < gradients.size(); ++t) {
    Mat3 edges;
    do {
      for (int i = 0; i < 3; ++i) edges.col(i) = random.vector();
    } while (std::abs(edges.determinant()) < 0.3);
    const Vec3 corner = random.vector(), shift = random.vector();
    const int first = static_cast<int>(model.rest.size());
    for (int i = 0; i < 4; ++i) {
      model.rest.push_back(i == 0 ? corner : corner + edges.col(i - 1));
      model.moved.push_back(gradients[t] * model.rest.back() + shift);
    }
    model.tets.emplace_back(first, first + 1, first + 2, first + 3);
  }
  model.finish();
  return model;
}

// A box of jittered cells, bent, twisted and shaken by `noise` of a cell; no tet turns inside out for noise ≤ 0.1.
TetModel make_bent_box(std::array<int, 3> cells, double noise, unsigned seed) {
  Random random(seed);
  TetModel model;
  const TetMesh box = make_box({Vec3(cells[0], cells[1], cells[2]), cells});
  model.tets = box.tets;
  const double length = cells[2];
  for (const Vec3& x : box.vertices) {
    const Vec3 corner = x + random.vector(0.1);
    const Mat3 turn = Eigen::AngleAxisd(0.7 * corner.z() / length, Vec3(0.2, 0.3, 1).normalized()).toRotationMatrix();
    model.rest.push_back(corner);
    model.moved.push_back(turn * Vec3(1.15 * corner.x(), 0.9 * corner.y() + 0.1 * corner.x(), 1.1 * corner.z()) +
                          random.vector(noise));
  }
  model.finish();
  return model;
}

// --- Evaluation ---

Evaluation evaluate(const Energy& energy, const TetModel& model, HessianKind kind) {
  Evaluation result{0, BlockVector(model.now.size()), sparse::SymmetricBlockMatrix(model.pattern)};
  result.hessian.set_zero();
  Accumulator out{&result.value, &result.gradient, &result.hessian, kind};
  energy.evaluate(model.configuration(), out);
  return result;
}

double value_of(const Energy& energy, const TetModel& model) {
  double value = 0;
  Accumulator out{.value = &value};
  energy.evaluate(model.configuration(), out);
  return value;
}

BlockVector gradient_of(const Energy& energy, const TetModel& model) {
  BlockVector gradient(model.now.size());
  Accumulator out{.gradient = &gradient};
  energy.evaluate(model.configuration(), out);
  return gradient;
}

Eigen::VectorXd flat(const BlockVector& x) {
  Eigen::VectorXd y(3 * x.size());
  for (int i = 0; i < x.size(); ++i) y.segment<3>(3 * i) = x[i];
  return y;
}

Eigen::MatrixXd dense(const sparse::SymmetricBlockMatrix& a) {
  Eigen::MatrixXd full = Eigen::MatrixXd::Zero(3 * a.row_count(), 3 * a.row_count());
  for (int i = 0; i < a.row_count(); ++i) {
    for (int slot = a.pattern().row_start()[i]; slot < a.pattern().row_start()[i + 1]; ++slot) {
      const int j = a.pattern().column()[slot];
      full.block<3, 3>(3 * i, 3 * j) = a.block(slot);
      full.block<3, 3>(3 * j, 3 * i) = a.block(slot).transpose();
    }
  }
  return full;
}

// --- Checks ---

void expect_close(const Eigen::MatrixXd& expected, const Eigen::MatrixXd& actual, double tolerance, double scale,
                  const std::string& what) {
  EXPECT_LE((actual - expected).norm(), tolerance * (expected.norm() + scale)) << what;
}

// Errors of central differences at h, h/2, h/4, h/8 fall with the second order, or are down to rounding.
void expect_second_order(const std::array<double, 4>& errors, double scale, const char* what) {
  if (errors[3] <= 1e-10 * scale) return;
  const double order = std::log2(errors[0] / errors[3]) / 3;
  EXPECT_GT(order, 1.8) << what << ": errors " << errors[0] << " " << errors[1] << " " << errors[2] << " " << errors[3];
  EXPECT_LT(order, 2.3) << what << ": errors " << errors[0] << " " << errors[1] << " " << errors[2] << " " << errors[3];
  EXPECT_LT(errors[3], 1e-3 * scale) << what;
}

// Gradient against differences of the value, Hessian against differences of the gradient, along random directions.
void expect_derivatives_converge(const Energy& energy, TetModel model, double largest_step) {
  const Evaluation exact = evaluate(energy, model);
  const Eigen::VectorXd gradient = flat(exact.gradient);
  const Eigen::MatrixXd hessian = dense(exact.hessian);
  const BlockVector here = model.now;
  Random random(11);
  for (int trial = 0; trial < 3; ++trial) {
    BlockVector direction(here.size());
    for (int v = 0; v < here.size(); ++v) direction[v] = random.vector();
    const Eigen::VectorXd d = flat(direction);
    std::array<double, 4> gradient_error{}, hessian_error{};
    double h = largest_step;
    for (int level = 0; level < 4; ++level, h /= 2) {
      double side_value[2];
      Eigen::VectorXd side_gradient[2];
      for (int side = 0; side < 2; ++side) {
        sparse::combine(model.now, 1, here, side == 0 ? -h : h, direction);
        side_value[side] = value_of(energy, model);
        side_gradient[side] = flat(gradient_of(energy, model));
      }
      gradient_error[level] = std::abs((side_value[1] - side_value[0]) / (2 * h) - gradient.dot(d));
      hessian_error[level] = ((side_gradient[1] - side_gradient[0]) / (2 * h) - hessian * d).norm();
    }
    expect_second_order(gradient_error, gradient.norm() * d.norm() + std::abs(exact.value), "gradient");
    expect_second_order(hessian_error, hessian.norm() * d.norm() + gradient.norm(), "hessian");
  }
}

// Value alone, gradient alone and all three at once agree.
void expect_views_agree(const Energy& energy, const TetModel& model) {
  for (const HessianKind kind : {HessianKind::exact, HessianKind::projected}) {
    const Evaluation all = evaluate(energy, model, kind);
    EXPECT_NEAR(value_of(energy, model), all.value, 1e-12 * std::abs(all.value));
    expect_close(flat(all.gradient), flat(gradient_of(energy, model)), 1e-12, 1e-3 * std::abs(all.value));
    // Asking for the Hessian alone gives the same bits.
    sparse::SymmetricBlockMatrix alone(model.pattern);
    alone.set_zero();
    Accumulator out{.hessian = &alone, .hessian_kind = kind};
    energy.evaluate(model.configuration(), out);
    EXPECT_EQ((dense(alone) - dense(all.hessian)).norm(), 0);
  }
}

// Results are added to what is there.
void expect_adds(const Energy& energy, const TetModel& model) {
  const Evaluation once = evaluate(energy, model);
  Evaluation twice = evaluate(energy, model);
  Accumulator out{&twice.value, &twice.gradient, &twice.hessian, HessianKind::exact};
  energy.evaluate(model.configuration(), out);
  EXPECT_NEAR(twice.value, 2 * once.value, 1e-12 * std::abs(once.value));
  expect_close(Eigen::VectorXd(2 * flat(once.gradient)), flat(twice.gradient), 1e-12);
  expect_close(Eigen::MatrixXd(2 * dense(once.hessian)), dense(twice.hessian), 1e-12);
}

void expect_no_net_force(const Energy& energy, const TetModel& model) {
  const BlockVector g = gradient_of(energy, model);
  Vec3 sum = Vec3::Zero();
  for (int v = 0; v < g.size(); ++v) sum += g[v];
  EXPECT_LE(sum.norm(), 1e-12 * flat(g).norm() * g.size());
}

void expect_no_net_torque(const Energy& energy, const TetModel& model) {
  const BlockVector g = gradient_of(energy, model);
  Vec3 sum = Vec3::Zero();
  double reach = 0;
  for (int v = 0; v < g.size(); ++v)
    sum += Vec3(model.now[v]).cross(Vec3(g[v])), reach = std::max(reach, model.now[v].norm());
  EXPECT_LE(sum.norm(), 1e-12 * flat(g).norm() * reach * g.size());
}

// A rigid motion leaves the value and turns gradient and Hessian with the body.
void expect_rotation_invariant(const Energy& energy, const TetModel& model) {
  const Evaluation before = evaluate(energy, model, HessianKind::projected);
  const Mat3 rotation = Random(21).rotation();
  TetModel turned_model = model;
  move(turned_model, rotation, Vec3(3, -2, 1));
  const Evaluation after = evaluate(energy, turned_model, HessianKind::projected);
  EXPECT_NEAR(after.value, before.value, 1e-11 * std::abs(before.value));
  const int count = model.now.size();
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(3 * count, 3 * count);
  for (int v = 0; v < count; ++v) all.block<3, 3>(3 * v, 3 * v) = rotation;
  expect_close(Eigen::VectorXd(all * flat(before.gradient)), flat(after.gradient), 1e-10);
  expect_close(Eigen::MatrixXd(all * dense(before.hessian) * all.transpose()), dense(after.hessian), 1e-10);
}

void expect_projected_is_semidefinite(const Energy& energy, const TetModel& model) {
  const Eigen::MatrixXd h = dense(evaluate(energy, model, HessianKind::projected).hessian);
  const Eigen::VectorXd values = test::eigenvalues(h);
  EXPECT_GE(values.minCoeff(), -1e-10 * values.cwiseAbs().maxCoeff());
}

// Equal bits for 1, 2, 3 and 8 threads.
void expect_same_bits_for_any_thread_count(const Energy& energy, const TetModel& model) {
  set_thread_count(1);
  const Evaluation one = evaluate(energy, model, HessianKind::projected);
  const double value = value_of(energy, model);
  const std::size_t bytes = 9 * sizeof(double) * static_cast<std::size_t>(model.pattern->slot_count());
  for (const int threads : {2, 3, 8}) {
    set_thread_count(threads);
    const Evaluation many = evaluate(energy, model, HessianKind::projected);
    EXPECT_EQ(many.value, one.value) << threads;
    EXPECT_EQ(value_of(energy, model), value) << threads;
    EXPECT_TRUE(many.gradient == one.gradient) << threads;
    EXPECT_EQ(std::memcmp(many.hessian.values(), one.hessian.values(), bytes), 0) << threads;
  }
  set_thread_count(0);
}

// --- Comparison with the oracle ---

Mat3 turned(const Vec3& stretches, Random& random) {
  const Mat3 u = random.rotation(), v = random.rotation();
  return u * stretches.asDiagonal() * v.transpose();
}

std::vector<Mat3> gradients_of_all_classes() {
  const Vec3 stretches[] = {
      {1.001, 0.998, 1.0005}, {1 + 1e-6, 1, 1 - 2e-6}, {2.5, 1.4, 0.4},  {1.8, 0.7, 0.3}, {3, 2, 1.5},
      {0.5, 0.4, 0.3},        {1.2, 0.9, 1e-7},        {1.4, 0.6, 1e-3}, {0.9, 0.7, 0},   {1.3, 0.9, -0.4},
      {1.1, 0.8, -0.2},       {1.0, 0.9, -0.7},        {1.2, 1.2, 1.2},  {1.4, 1.4, 0.8}, {1.3, 0.7, 0.7},
      {0.6, 0.6, 0.6},        {1.1, 1.1, -0.3},        {1, 1, 1},
  };
  Random random(3);
  std::vector<Mat3> gradients{Mat3::Identity()};
  for (const Vec3& s : stretches) {
    for (int repetition = 0; repetition < 2; ++repetition) gradients.push_back(turned(s, random));
  }
  return gradients;
}

oracle::Mat12 element_matrix(const sparse::SymmetricBlockMatrix& hessian, int t) {
  oracle::Mat12 k;
  for (int i = 0; i < 4; ++i) {
    for (int j = i; j < 4; ++j) {
      k.block<3, 3>(3 * i, 3 * j) = hessian.block(hessian.pattern().slot(4 * t + i, 4 * t + j));
      k.block<3, 3>(3 * j, 3 * i) = k.block<3, 3>(3 * i, 3 * j).transpose().eval();
    }
  }
  return k;
}

void expect_soup_equals_oracle(const Energy& energy, const TetModel& soup, const oracle::LawOf& law_of,
                               double modulus) {
  for (const HessianKind kind : {HessianKind::exact, HessianKind::projected}) {
    const Evaluation ours = evaluate(energy, soup, kind);
    double value = 0, volume = 0;
    for (int t = 0; t < soup.tet_count(); ++t) {
      const oracle::Element element = oracle::element_of(soup.mesh(), t);
      const oracle::ElementResult plain = oracle::evaluate(
          *law_of(t), element, kind == HessianKind::exact ? oracle::Kind::exact : oracle::Kind::projected);
      value += plain.value;
      volume += element.volume;
      oracle::Vec12 gradient;
      for (int c = 0; c < 4; ++c) gradient.segment<3>(3 * c) = ours.gradient[4 * t + c];
      const double slope = element.from.norm(), scale = modulus * element.volume * slope;
      expect_close(plain.gradient, gradient, 1e-10, scale, "gradient of state " + std::to_string(t));
      expect_close(plain.hessian, element_matrix(ours.hessian, t), 1e-10, scale * slope,
                   "hessian of state " + std::to_string(t));
    }
    EXPECT_NEAR(ours.value, value, 1e-10 * (std::abs(value) + 1e-2 * modulus * volume));
  }
}

void expect_assembled_equals_oracle(const Energy& energy, const TetModel& model, const oracle::LawOf& law_of) {
  for (const HessianKind kind : {HessianKind::exact, HessianKind::projected}) {
    const oracle::Total plain = oracle::assemble(
        model.mesh(), law_of, kind == HessianKind::exact ? oracle::Kind::exact : oracle::Kind::projected);
    const Evaluation ours = evaluate(energy, model, kind);
    EXPECT_NEAR(ours.value, plain.value, 1e-10 * std::abs(plain.value));
    expect_close(plain.gradient, flat(ours.gradient), 1e-10);
    expect_close(Eigen::MatrixXd(plain.hessian), dense(ours.hessian), 1e-10);
  }
}

void expect_projection_leaves_definite_elements(const Energy& energy, const TetModel& soup,
                                                const oracle::LawOf& law_of) {
  const Evaluation exact = evaluate(energy, soup), projected = evaluate(energy, soup, HessianKind::projected);
  int definite = 0;
  for (int t = 0; t < soup.tet_count(); ++t) {
    const oracle::Mat9 a = oracle::stress_derivative(*law_of(t), oracle::element_of(soup.mesh(), t).f);
    if (oracle::smallest_eigenvalue(a) < -1e-12 * a.norm()) continue;
    ++definite;
    expect_close(element_matrix(exact.hessian, t), element_matrix(projected.hessian, t), 1e-12);
  }
  EXPECT_GE(definite, 3);
}

// --- The checks can fail ---

namespace {

// Linear in the positions, with a gradient that is wrong by one part in 1e5, and a bogus Hessian.
class WrongEnergy final : public Energy {
 public:
  void evaluate(const Configuration& q, Accumulator& out) const override {
    for (int v = 0; v < q.now.size(); ++v) {
      if (out.value != nullptr) *out.value += q.now[v].sum();
      if (out.gradient != nullptr) (*out.gradient)[v] += Vec3::Constant(1 + 1e-5);
      if (out.hessian != nullptr) out.hessian->block(out.hessian->pattern().diagonal_slot(v)) -= Mat3::Identity();
    }
  }
  [[nodiscard]] std::string name() const override { return "wrong"; }
};

TEST(EnergyChecks, SeeWrongOrder) {
  EXPECT_NONFATAL_FAILURE(expect_second_order({1e-3, 5e-4, 2.5e-4, 1.25e-4}, 1, "first order"), "first order");
  expect_second_order({1e-3, 2.5e-4, 6.25e-5, 1.5625e-5}, 1, "second order");
}

TEST(EnergyChecks, SeeWrongDerivativesForcesAndMatrices) {
  const TetModel model = make_bent_box({1, 1, 1});
  const auto failures_of = [](const auto& check) {
    testing::TestPartResultArray results;
    {
      testing::ScopedFakeTestPartResultReporter reporter(
          testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
      check();
    }
    return results.size();
  };
  const WrongEnergy wrong;
  EXPECT_GT(failures_of([&] { expect_derivatives_converge(wrong, model); }), 0);
  EXPECT_GT(failures_of([&] { expect_no_net_force(wrong, model); }), 0);
  EXPECT_GT(failures_of([&] { expect_no_net_torque(wrong, model); }), 0);
  EXPECT_GT(failures_of([&] { expect_rotation_invariant(wrong, model); }), 0);
  EXPECT_GT(failures_of([&] { expect_projected_is_semidefinite(wrong, model); }), 0);
}

}  // namespace
}  // namespace pliant::checks
