// Quasi-Newton without history on distance energies is Projective Dynamics: the same iterates as a local/global loop
// written here on its own, full steps that never raise g, and the minimum that Newton finds.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <random>

#include "pliant/energy/solid/arap.h"
#include "pliant/energy/solid/strain_limit.h"
#include "pliant/energy/solid/volume_preservation.h"
#include "pliant/solver/newton/newton.h"
#include "pliant/solver/quasi_newton/quasi_newton.h"
#include "tests/solver/quasi_newton/dense_step.h"
#include "tests/support/dense_algebra.h"

namespace pliant::solver {
namespace {

using testing::BlockOptions;
using testing::BlockStep;
using testing::DenseStep;

enum class Set { rotations, limits, unit_volume };

struct Term {
  Set set;
  double stiffness;  // Pa
};
constexpr double kLeast = 0.93, kMost = 1.08;

const std::vector<std::vector<Term>> kStacks = {
    {{Set::rotations, 3e3}},
    {{Set::limits, 8e3}},
    {{Set::unit_volume, 5e3}},
    {{Set::rotations, 1e3}, {Set::limits, 8e3}, {Set::unit_volume, 5e3}},
};

// A block of these terms alone.
BlockStep projective_step(const std::vector<Term>& terms, const std::array<int, 3>& cells) {
  BlockStep step(BlockOptions{.cells = cells});
  step.energies.clear();
  const auto add = [&](auto law, const std::vector<double>& parameters) {
    std::vector<std::vector<double>> lists;
    for (const double p : parameters) lists.emplace_back(step.block.mesh.tets.size(), p);
    step.energies.push_back(std::make_unique<solid::HyperelasticTets<decltype(law)>>(step.block.elements, law, lists));
  };
  for (const Term& term : terms) {
    if (term.set == Set::rotations) add(solid::Arap{}, {term.stiffness});
    if (term.set == Set::limits) add(solid::StrainLimit{}, {term.stiffness, kLeast, kMost});
    if (term.set == Set::unit_volume) add(solid::VolumePreservation{}, {term.stiffness});
  }
  step.step = 1.0 / 30;
  step.inertia_weight = 900;
  return step;
}

// --- The local/global loop ---

// The nearest stretches; unit volume by sequential quadratic programming [Liu2018, sec. 6.2].
Vec3 projected(Set set, const Vec3& s) {
  if (set == Set::rotations) return Vec3::Ones();
  if (set == Set::limits) return s.cwiseMax(kLeast).cwiseMin(kMost);
  Vec3 d = Vec3::Zero();
  for (int iteration = 0; iteration < 500; ++iteration) {
    const Vec3 t = s + d, q(t[1] * t[2], t[0] * t[2], t[0] * t[1]);
    d = q * (q.dot(d) - (t.prod() - 1)) / q.squaredNorm();
  }
  return s + d;
}

Mat3 projected(Set set, const Mat3& f) {
  auto [u, v, s] = test::jacobi_svd(f);
  if (u.determinant() < 0) u.col(2) = -u.col(2), s[2] = -s[2];
  if (v.determinant() < 0) v.col(2) = -v.col(2), s[2] = -s[2];
  return u * projected(set, s).asDiagonal() * v.transpose();
}

struct LocalGlobal {
  struct Element {
    Vec4i tet;
    Eigen::Matrix<double, 4, 3> g;  // gradients of the shape functions, 1/m
    double volume;
  };
  const BlockStep& step;
  std::vector<Term> terms;
  std::vector<Element> elements;
  Eigen::MatrixXd a, y, x;

  LocalGlobal(const BlockStep& s, std::vector<Term> t) : step(s), terms(std::move(t)) {
    const int count = step.block.count();
    a = Eigen::MatrixXd::Zero(count, count);
    y.resize(count, 3);
    for (int i = 0; i < count; ++i) {
      a(i, i) = step.inertia_weight * step.block.masses[i];
      y.row(i) = step.target[i].transpose();
    }
    for (const Vec4i& tet : step.block.mesh.tets) {
      Mat3 edges;
      for (int c = 0; c < 3; ++c)
        edges.col(c) = step.block.mesh.vertices[tet[c + 1]] - step.block.mesh.vertices[tet[0]];
      Element e{tet, {}, std::abs(edges.determinant()) / 6};
      e.g.bottomRows<3>() = edges.inverse();
      e.g.row(0) = -e.g.bottomRows<3>().colwise().sum();
      for (const Term& term : terms) {
        for (int i = 0; i < 4; ++i) {
          for (int j = 0; j < 4; ++j) a(tet[i], tet[j]) += term.stiffness * e.volume * e.g.row(i).dot(e.g.row(j));
        }
      }
      elements.push_back(e);
    }
    x = y;
  }

  void iterate() {
    Eigen::MatrixXd right(y.rows(), 3);
    for (int i = 0; i < y.rows(); ++i) right.row(i) = step.inertia_weight * step.block.masses[i] * y.row(i);
    for (const Element& e : elements) {
      Mat3 f = Mat3::Zero();
      for (int i = 0; i < 4; ++i) f += x.row(e.tet[i]).transpose() * e.g.row(i);
      for (const Term& term : terms) {
        const Mat3 p = projected(term.set, f);
        for (int i = 0; i < 4; ++i)
          right.row(e.tet[i]) += term.stiffness * e.volume * (p * e.g.row(i).transpose()).transpose();
      }
    }
    x = test::solve(a, right);
  }
};

TEST(ProjectiveDynamics, HasTheIteratesOfQuasiNewtonWithoutHistory) {
  for (const std::vector<Term>& terms : kStacks) {
    BlockStep step = projective_step(terms, {2, 1, 1});
    step.target = step.block.bent(0.05);
    std::mt19937 engine(5);
    for (int i = 0; i < step.block.count(); ++i)
      step.target[i] += 0.01 * Vec3(engine() / 4294967296.0 - 0.5, engine() / 4294967296.0 - 0.5, 0.3);
    LocalGlobal loop(step, terms);
    double moved = 0;
    for (int iteration = 1; iteration <= 10; ++iteration) {
      loop.iterate();
      QuasiNewton solver({.history = 0,
                          .iterations = iteration,
                          .tolerance = 0,
                          .bounded = false,
                          .storage = linear::FactorStorage::float64});
      BlockVector q = step.before;
      const SolveReport report = solver.solve(step.problem(), q);
      EXPECT_EQ(report.status, SolveStatus::budgeted);
      EXPECT_EQ(report.line_search_trials, iteration);  // full steps
      for (int i = 0; i < q.size(); ++i) {
        EXPECT_LT((q[i] - loop.x.row(i).transpose()).norm(), 1e-10) << terms.size() << ", " << iteration;
        moved = std::max(moved, (q[i] - step.target[i]).norm());
      }
    }
    EXPECT_GT(moved, 1e-3);
  }
}

// --- Full steps never raise g ---

// Random places in a box: most tets inside out, stretched manifold, or flat.
TEST(ProjectiveDynamics, FullStepsNeverRaiseTheObjective) {
  std::mt19937 engine(11);
  const auto between = [&](double low, double high) { return low + (high - low) * (engine() / 4294967296.0); };
  int steps = 0;
  for (const std::vector<Term>& terms : kStacks) {
    BlockStep step = projective_step(terms, {1, 1, 1});
    for (int start = 0; start < 50; ++start) {
      const double size = std::exp(between(-2, 2));
      Eigen::VectorXd x(3 * step.block.count());
      for (int i = 0; i < step.block.count(); ++i) {
        step.target[i] = step.block.rest[i] + Vec3(between(-0.1, 0.1), between(-0.1, 0.1), between(-0.1, 0.1));
        for (int axis = 0; axis < 3; ++axis) x[3 * i + axis] = between(0, size * 0.3);
        if (start % 5 == 0) x.segment<3>(3 * i) = size * Vec3(step.block.rest[i]);  // blown up or shrunk evenly
      }
      DenseStep dense(step);
      const test::DenseCholesky a(dense.constant_matrix());
      double g = dense.value(x);
      for (int iteration = 0; iteration < 5; ++iteration, ++steps) {
        x -= a.solve(dense.gradient(x));
        const double after = dense.value(x);
        EXPECT_LE(after, g * (1 + 1e-13)) << terms.size() << " terms, start " << start << ", step " << iteration;
        g = after;
      }
    }
  }
  EXPECT_EQ(steps, 1000);
}

// --- The same minimum as Newton ---

void expect_newtons_end(const BlockStep& step) {
  QuasiNewton quasi({.history = 5, .iterations = {}, .tolerance = 1e-10, .max_iterations = 5000});
  Newton newton({.tolerance = 1e-10});
  BlockVector a = step.before, b = step.before;
  const SolveReport first = quasi.solve(step.problem(), a), second = newton.solve(step.problem(), b);
  EXPECT_TRUE(is_success(first.status)) << to_string(first.status);
  EXPECT_TRUE(is_success(second.status)) << to_string(second.status);
  EXPECT_LT(testing::distance(a, b), 1e-6 * testing::distance(b, step.before));
}

TEST(ProjectiveDynamics, EndsWhereNewtonEnds) {
  for (const std::vector<Term>& terms : kStacks) {
    BlockStep step = projective_step(terms, {3, 2, 1});
    step.energies.push_back(std::make_unique<Gravity>(step.block.masses, Vec3(0, -9.81, 0)));
    step.before = step.block.bent(0.02);
    step.target = step.block.bent(0.03);
    SCOPED_TRACE(terms.size());
    expect_newtons_end(step);
  }
}

// Beside a general law, whose constant matrix is only fitted.
TEST(ProjectiveDynamics, TermsBesideALawEndWhereNewtonEnds) {
  for (const testing::Law law : {testing::Law::stable_neo_hookean, testing::Law::corotated}) {
    BlockStep step(BlockOptions{.law = law});
    const auto size = step.block.mesh.tets.size();
    const std::vector<std::vector<double>> limit{std::vector<double>(size, 1e5), std::vector<double>(size, 0.95),
                                                 std::vector<double>(size, 1.05)},
        volume{std::vector<double>(size, 4e4)};
    step.energies.push_back(std::make_unique<solid::HyperelasticTets<solid::StrainLimit>>(step.block.elements,
                                                                                          solid::StrainLimit{}, limit));
    step.energies.push_back(std::make_unique<solid::HyperelasticTets<solid::VolumePreservation>>(
        step.block.elements, solid::VolumePreservation{}, volume));
    step.before = step.block.bent(0.02);
    step.target = step.block.bent(0.03);
    step.step = 1.0 / 30;
    step.inertia_weight = 900;
    expect_newtons_end(step);
  }
}

}  // namespace
}  // namespace pliant::solver
