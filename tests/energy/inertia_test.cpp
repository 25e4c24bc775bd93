// Inertia: lumped and consistent masses, their product, their matrix and their inverse.
#include "pliant/energy/inertia.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "tests/energy/energy_checks.h"
#include "tests/energy/weight_checks.h"

namespace pliant {
namespace {

using checks::dense;
using checks::flat;
using checks::make_bent_box;
using checks::TetModel;

constexpr double kDensity = 700;  // kg/m³

std::vector<double> lumped(const TetModel& model) {
  std::vector<double> masses(model.rest.size(), 0.0);
  for (const Vec4i& t : model.tets) {
    Mat3 edges;
    for (int i = 0; i < 3; ++i) edges.col(i) = model.rest[t[i + 1]] - model.rest[t[0]];
    for (const int v : t) masses[v] += kDensity * edges.determinant() / 24;
  }
  return masses;
}

Inertia consistent(const TetModel& model) {
  Inertia inertia(lumped(model));
  inertia.add_consistent(model.elements, std::vector<double>(model.tets.size(), kDensity));
  return inertia;
}

Eigen::MatrixXd matrix_of(const Inertia& inertia, const TetModel& model, double factor = 1) {
  sparse::SymmetricBlockMatrix matrix(model.pattern);
  matrix.set_zero();
  inertia.add_to(matrix, factor);
  return dense(matrix);
}

BlockVector wave(int count) {
  BlockVector x(count);
  for (int i = 0; i < count; ++i) x[i] = Vec3(std::sin(i), std::cos(2 * i), std::sin(3 * i + 1));
  return x;
}

TEST(Inertia, LumpedIsADiagonal) {
  const TetModel model = make_bent_box({2, 1, 1});
  const Inertia inertia(lumped(model));
  EXPECT_TRUE(inertia.is_lumped());
  const Eigen::MatrixXd m = matrix_of(inertia, model, 3);
  for (int i = 0; i < m.rows(); ++i) EXPECT_EQ(m(i, i), 3 * inertia.masses()[i / 3]);
  EXPECT_EQ(Eigen::MatrixXd(m - Eigen::MatrixXd(m.diagonal().asDiagonal())).norm(), 0);
}

// ∫ ρ N_i N_j over each tet, by a quadrature rule that is exact for quadratic functions.
Eigen::MatrixXd integrated(const TetModel& model) {
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(3 * model.rest.size(), 3 * model.rest.size());
  const double near = 0.58541019662496852, far = 0.1381966011250105;
  for (const Vec4i& t : model.tets) {
    Mat3 edges;
    for (int i = 0; i < 3; ++i) edges.col(i) = model.rest[t[i + 1]] - model.rest[t[0]];
    const double weight = kDensity * edges.determinant() / 6 / 4;
    for (int q = 0; q < 4; ++q) {
      for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 4; ++b) {
          const double n = (a == q ? near : far) * (b == q ? near : far);
          for (int axis = 0; axis < 3; ++axis) m(3 * t[a] + axis, 3 * t[b] + axis) += weight * n;
        }
      }
    }
  }
  return m;
}

TEST(Inertia, ConsistentIsTheIntegralOfShapeFunctions) {
  const TetModel model = make_bent_box({2, 2, 1});
  const Inertia inertia = consistent(model);
  EXPECT_FALSE(inertia.is_lumped());
  const Eigen::MatrixXd expected = integrated(model), m = matrix_of(inertia, model);
  EXPECT_LT((m - expected).norm(), 1e-13 * expected.norm());
}

TEST(Inertia, ConsistentKeepsMassAndRigidMotions) {
  // Row sums are the lumped masses: total mass and momentum of a translation agree.
  const TetModel model = make_bent_box({2, 2, 2});
  const Inertia inertia = consistent(model);
  BlockVector ones(model.now.size()), product(model.now.size());
  for (int i = 0; i < ones.size(); ++i) ones[i] = Vec3(1, -2, 0.5);
  inertia.multiply(ones, product);
  for (int i = 0; i < ones.size(); ++i) {
    EXPECT_LT((product[i] - inertia.masses()[i] * ones[i]).norm(), 1e-12 * inertia.masses()[i]);
  }
}

TEST(Inertia, ProductAndMatrixAgree) {
  const TetModel model = make_bent_box({3, 2, 2});
  for (const Inertia& inertia : {Inertia(lumped(model)), consistent(model)}) {
    const BlockVector x = wave(model.now.size());
    BlockVector y(x.size());
    inertia.multiply(x, y);
    const Eigen::VectorXd expected = matrix_of(inertia, model) * flat(x);
    EXPECT_LT((flat(y) - expected).norm(), 1e-13 * expected.norm());
  }
}

TEST(Inertia, MixedBodiesKeepTheirOwnForm) {
  // Two bodies side by side in one layout; only the first is consistent.
  const TetModel first = make_bent_box({1, 1, 1}, 0.06, 3), second = make_bent_box({1, 2, 1}, 0.06, 4);
  TetModel both = first;
  const int offset = static_cast<int>(first.rest.size());
  both.rest.insert(both.rest.end(), second.rest.begin(), second.rest.end());
  both.moved = both.rest;
  for (const Vec4i& t : second.tets) both.tets.push_back(t + Vec4i::Constant(offset));
  both.finish();
  auto part = std::make_shared<solid::TetElements>(first.tets, both.rest);
  part->find_slots(*both.pattern);
  Inertia inertia(lumped(both));
  inertia.add_consistent(part, std::vector<double>(first.tets.size(), kDensity));
  const Eigen::MatrixXd m = matrix_of(inertia, both);
  EXPECT_LT((m.topLeftCorner(3 * offset, 3 * offset) - integrated(first)).norm(), 1e-12 * m.norm());
  const Eigen::MatrixXd rest = m.bottomRightCorner(m.rows() - 3 * offset, m.cols() - 3 * offset);
  for (int i = 0; i < rest.rows(); ++i) EXPECT_EQ(rest(i, i), inertia.masses()[offset + i / 3]);
  EXPECT_EQ(Eigen::MatrixXd(rest - Eigen::MatrixXd(rest.diagonal().asDiagonal())).norm(), 0);
}

TEST(Inertia, SolveInvertsOnTheFreeDirections) {
  const TetModel model = make_bent_box({3, 2, 2});
  for (const Inertia& inertia : {Inertia(lumped(model)), consistent(model)}) {
    BlockFilter filter(model.now.size());
    filter.hold(3);
    filter.hold(5, Vec3(1, 2, -1).normalized());
    const BlockVector b = wave(model.now.size());
    BlockVector x(b.size()), residual(b.size());
    inertia.solve(b, filter, x);
    inertia.multiply(x, residual);
    sparse::add_scaled(residual, -1, b);
    filter.apply(residual);
    EXPECT_LT(flat(residual).norm(), 1e-13 * flat(b).norm());
    EXPECT_EQ(Vec3(x[3]), Vec3::Zero());
    EXPECT_NEAR(x[5].dot(Vec3(1, 2, -1)), 0, 1e-15 * flat(x).norm());
  }
}

TEST(Inertia, SameBitsForAnyThreadCount) {
  const TetModel model = make_bent_box({6, 6, 6});
  const Inertia inertia = consistent(model);
  const BlockVector x = wave(model.now.size());
  set_thread_count(1);
  BlockVector one(x.size());
  inertia.multiply(x, one);
  const Eigen::MatrixXd matrix_of_one = matrix_of(inertia, model);
  for (const int threads : {2, 3, 8}) {
    set_thread_count(threads);
    BlockVector many(x.size());
    inertia.multiply(x, many);
    EXPECT_TRUE(many == one) << threads;
    EXPECT_EQ((matrix_of(inertia, model) - matrix_of_one).norm(), 0) << threads;
  }
  set_thread_count(0);
}

TEST(Inertia, ScalarMatrixIsTheBlockMatrix) {
  const TetModel model = make_bent_box({2, 2, 1});
  for (const Inertia& inertia : {Inertia(lumped(model)), consistent(model)}) {
    sparse::SymmetricScalarMatrix matrix(model.pattern);
    inertia.add_to(matrix, 3);
    checks::expect_close(matrix_of(inertia, model, 3), checks::on_coordinates(dense(matrix)), 1e-14);
  }
}

}  // namespace
}  // namespace pliant
