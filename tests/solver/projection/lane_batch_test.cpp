// Batches of soft constraints: an element by itself ends at the minimum that Newton finds, products are those of the dense
// matrix, lanes that only fill up do nothing.
#include "pliant/solver/projection/lane_batch.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include "pliant/energy/cloth/hinge_bending.h"
#include "pliant/solver/projection/target_batch.h"
#include "tests/support/dense_algebra.h"

namespace pliant::solver {
namespace {

constexpr double kLaneStep = 0.01, kLaneWeight = 1 / (kLaneStep * kLaneStep);

double uniform(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

// Points at random with masses at random.
template <class Real>
Movers<Real> make_movers(int count, unsigned seed) {
  std::mt19937 random(seed);
  Movers<Real> movers;
  movers.points.resize(static_cast<std::size_t>(count));
  for (Mover<Real>& point : movers.points) {
    for (Real& x : point.x) x = static_cast<Real>(uniform(random, -1, 1));
    point.w = static_cast<Real>(uniform(random, 0.5, 2));
  }
  return movers;
}

BlockVector places(const Movers<double>& movers) {
  BlockVector x(static_cast<int>(movers.points.size()));
  for (int b = 0; b < x.size(); ++b) x[b] = movers.points[static_cast<std::size_t>(b)].position();
  return x;
}

SoftTet one_tet(SolidStrain strain, const std::array<int, 4>& block, const Movers<double>& movers) {
  SoftTet tet{block};
  Mat3 edges;
  for (int i = 0; i < 3; ++i)
    edges.col(i) = movers.points[block[i + 1]].position() - movers.points[block[0]].position();
  if (edges.determinant() < 0) {
    std::swap(tet.block[2], tet.block[3]);
    edges.col(1).swap(edges.col(2));
  }
  tet.rest_inverse = edges.inverse();
  tet.volume = std::abs(edges.determinant()) / 6;
  tet.mu = 2e4;
  tet.lambda = 3e4;
  tet.strain = strain;
  return tet;
}

// --- One element against Newton's method in its positions ---

// Σ m/2 w |x − x̃|² + ½ (c − c_b)ᵀ K (c − c_b): gradient, for one element over all its blocks.
template <class Kernel>
Eigen::VectorXd step_gradient(const typename Kernel::Element& element, const Eigen::VectorXd& x,
                              const Eigen::VectorXd& target, const Eigen::VectorXd& start,
                              const Movers<double>& movers) {
  constexpr int kRows = Kernel::kRows, kBlocks = Kernel::kBlocks;
  double rest[Kernel::kRestCount], compliance[kPacked<kRows>], here[kBlocks][3], before[kBlocks][3];
  Kernel::set_rest(element, rest);
  Kernel::set_compliance(element, compliance);
  for (int i = 0; i < 3 * kBlocks; ++i) here[i / 3][i % 3] = x[i], before[i / 3][i % 3] = start[i];
  ConstraintValue<double, kRows, kBlocks> value, old;
  if constexpr (requires { Kernel::template set_rest_at<double>(before, rest); }) {
    if (element.is_rate) Kernel::template set_rest_at<double>(before, rest);
  }
  Kernel::template evaluate<double>(rest, here, value);
  Kernel::template evaluate<double>(rest, before, old);
  Eigen::Matrix<double, kRows, kRows> inverse;
  Eigen::Matrix<double, kRows, 1> c;
  for (int i = 0; i < kRows; ++i) {
    c[i] = value.c[i] - (element.is_rate ? old.c[i] : 0);
    for (int j = 0; j < kRows; ++j) inverse(i, j) = compliance[packed(i, j)] * (element.is_rate ? kLaneStep : 1);
  }
  const Eigen::Matrix<double, kRows, 1> force = inverse.inverse() * c;
  Eigen::VectorXd gradient = kLaneWeight * (x - target);
  for (int b = 0; b < kBlocks; ++b) {
    gradient.segment<3>(3 * b) /= movers.points[element.block[b]].w;
    for (int i = 0; i < kRows; ++i) {
      for (int a = 0; a < 3; ++a) gradient[3 * b + a] += force[i] * value.gradient[i][b][a];
    }
  }
  return gradient;
}

template <class Kernel>
Eigen::VectorXd minimiser(const typename Kernel::Element& element, const Eigen::VectorXd& target,
                          const Eigen::VectorXd& start, const Movers<double>& movers) {
  Eigen::VectorXd x = target;
  for (int k = 0; k < 12; ++k) {
    const Eigen::VectorXd g = step_gradient<Kernel>(element, x, target, start, movers);
    Eigen::MatrixXd hessian(x.size(), x.size());
    for (int i = 0; i < x.size(); ++i) {
      Eigen::VectorXd up = x, down = x;
      up[i] += 1e-6, down[i] -= 1e-6;
      hessian.col(i) = (step_gradient<Kernel>(element, up, target, start, movers) -
                        step_gradient<Kernel>(element, down, target, start, movers)) /
                       2e-6;
    }
    x -= test::solve(hessian, g);
  }
  return x;
}

// The element starts bent by `way` and is solved until nothing changes. Directions that turn on the way add up to a path
// that is not quite the end's own (errata R1c of [Francu2016]); for small ways the difference is of second order.
template <class Kernel>
double distance_from_minimum(typename Kernel::Element element, const Movers<double>& rest, double way) {
  std::mt19937 random(17);
  Movers<double> movers = rest;
  const BlockVector before = places(rest);
  for (auto& point : movers.points)
    point.move(way * Vec3(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)));
  constexpr int kSize = 3 * Kernel::kBlocks;
  Eigen::VectorXd target(kSize), start(kSize), found(kSize);
  for (int i = 0; i < kSize; ++i) {
    target[i] = movers.points[element.block[i / 3]].x[i % 3];
    start[i] = before[element.block[i / 3]][i % 3];
  }
  LaneBatch<Kernel, double> batch(std::vector{element}, before.size(), element.is_rate);
  batch.begin({kLaneStep, kLaneWeight, before, Controls{}}, movers);
  for (int k = 0; k < 100; ++k) batch.relax(1, movers);
  for (int i = 0; i < kSize; ++i) found[i] = movers.points[element.block[i / 3]].x[i % 3];
  const Eigen::VectorXd expected = minimiser<Kernel>(element, target, start, movers);
  EXPECT_GT((expected - target).norm(), 0.05 * way);  // it does something
  return (found - expected).norm() / (expected - target).norm();
}

TEST(LaneBatch, ALinkEndsAtTheMinimum) {
  const Movers<double> rest = make_movers<double>(2, 5);
  for (const double stiffness : {1.0, 1e4, 1e12}) {
    SoftLink link{{0, 1}, (rest.points[0].position() - rest.points[1].position()).norm(), stiffness};
    // A link's direction is that of its end: exact for any way.
    if (stiffness > 1) {
      EXPECT_LT(distance_from_minimum<LinkKernel>(link, rest, 0.5), 1e-6) << stiffness;
    }
  }
  SoftLink dashpot{{0, 1}, 0, 2e3, true};
  EXPECT_LT(distance_from_minimum<LinkKernel>(dashpot, rest, 0.5), 1e-6);
}

TEST(LaneBatch, AnElementEndsAtTheMinimumOfSmallWays) {
  const Movers<double> rest = make_movers<double>(4, 6);
  SoftTriangle triangle{{2, 0, 1}};
  for (int i = 0; i < 3; ++i)
    triangle.squared_length[i] =
        (rest.points[triangle.block[(i + 1) % 3]].position() - rest.points[triangle.block[(i + 2) % 3]].position())
            .squaredNorm();
  triangle.stiffness << 3e4, 1e4, -5e3, 1e4, 4e4, 2e3, -5e3, 2e3, 2e4;
  const std::array<int, 4> block{3, 1, 0, 2};
  const auto at = [&](int i) {
    return rest.points[static_cast<std::size_t>(block[static_cast<std::size_t>(i)])].position();
  };
  const double angle = cloth::hinge_angle(at(0), at(1), at(2), at(3));
  const SoftHinge hinge{block, angle, 2e3, HingeMeasure::tangent};
  for (const double way : {1e-2, 1e-3}) {
    EXPECT_LT(distance_from_minimum<TriangleKernel>(triangle, rest, way), 5 * way);
    EXPECT_LT(
        (distance_from_minimum<TetKernel<SolidStrain::green>>(one_tet(SolidStrain::green, block, rest), rest, way)),
        5 * way);
    EXPECT_LT(
        (distance_from_minimum<TetKernel<SolidStrain::polar>>(one_tet(SolidStrain::polar, block, rest), rest, way)),
        5 * way);
    // Directions of small strains never turn.
    EXPECT_LT(
        (distance_from_minimum<TetKernel<SolidStrain::small>>(one_tet(SolidStrain::small, block, rest), rest, way)),
        1e-8);
  }
  EXPECT_LT((distance_from_minimum<HingeKernel<HingeMeasure::tangent>>(hinge, rest, 1e-3)), 0.01);
  EXPECT_LT(
      (distance_from_minimum<HingeKernel<HingeMeasure::sine>>({block, 0, 20, HingeMeasure::sine, true}, rest, 1e-3)),
      0.01);
}

// --- All rows at once ---

struct Linked {
  Movers<double> movers = make_movers<double>(12, 9);
  BlockVector before = places(movers);
  std::vector<SoftTet> tets;
  Controls controls;
  Linked() {
    movers.points[4].w = 0;
    for (const auto& block : {std::array{0, 1, 2, 3}, {3, 4, 5, 6}, {6, 7, 8, 9}, {9, 10, 11, 0}, {2, 5, 8, 11}}) {
      tets.push_back(one_tet(SolidStrain::green, block, movers));
      tets.back().mu = 300;
      tets.back().lambda = 500;
    }
    std::mt19937 random(3);
    for (auto& point : movers.points)
      point.move(0.2 * Vec3(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)));
  }
  [[nodiscard]] ProjectionStep step() const { return {kLaneStep, kLaneWeight, before, controls}; }
};

// W Jᵀ d
Impulses response(const Batch<double>& batch, const Eigen::VectorXd& d, const Movers<double>& movers, bool weighted) {
  Impulses out;
  out.force.assign(movers.points.size(), Vec3::Zero());
  batch.pull_back({d.data(), static_cast<std::size_t>(d.size())}, out);
  for (std::size_t i = 0; weighted && i < out.force.size(); ++i) out.force[i] *= movers.points[i].w;
  return out;
}

Eigen::MatrixXd dense_product(const Batch<double>& batch, const Movers<double>& movers) {
  const int rows = batch.row_count();
  Eigen::MatrixXd a(rows, rows);
  for (int i = 0; i < rows; ++i) {
    const Eigen::VectorXd d = Eigen::VectorXd::Unit(rows, i);
    Eigen::VectorXd p = Eigen::VectorXd::Zero(rows);
    batch.multiply(response(batch, d, movers, true), {d.data(), static_cast<std::size_t>(rows)},
                   {p.data(), static_cast<std::size_t>(rows)});
    a.col(i) = p;
  }
  return a;
}

// J by differences of the residual: of row and coordinate.
Eigen::MatrixXd dense_jacobian(Batch<double>& batch, const Movers<double>& movers) {
  const auto rows = static_cast<std::size_t>(batch.row_count());
  Eigen::MatrixXd j(batch.row_count(), 3 * static_cast<int>(movers.points.size()));
  for (int c = 0; c < j.cols(); ++c) {
    Eigen::VectorXd up(j.rows()), down(j.rows());
    Movers<double> moved = movers;
    moved.points[static_cast<std::size_t>(c / 3)].x[c % 3] += 1e-5;
    batch.linearise(moved, {up.data(), rows});
    moved.points[static_cast<std::size_t>(c / 3)].x[c % 3] -= 2e-5;
    batch.linearise(moved, {down.data(), rows});
    j.col(c) = (up - down) / 2e-5;
  }
  return j;
}

// Constraints of the kernel are quadratic in the positions: central differences are exact but for rounding.
TEST(LaneBatch, ProductsAreThoseOfTheDenseMatrix) {
  Linked l;
  LaneBatch<TetKernel<SolidStrain::green>, double> batch(l.tets, 12, false);
  batch.begin(l.step(), l.movers);
  const Eigen::MatrixXd j = dense_jacobian(batch, l.movers);
  std::vector<double> residual(static_cast<std::size_t>(batch.row_count()));
  batch.linearise(l.movers, residual);
  Eigen::MatrixXd weights = Eigen::MatrixXd::Zero(j.cols(), j.cols());
  for (int c = 0; c < j.cols(); ++c) weights(c, c) = l.movers.points[static_cast<std::size_t>(c / 3)].w;
  const Eigen::MatrixXd product = dense_product(batch, l.movers), coupling = j * weights * j.transpose();

  // Off the blocks of one element there is no compliance; on them it is that of the material. Lanes lie side by side.
  Eigen::MatrixXd compliance = product - coupling;
  double largest = 0;
  for (int a = 0; a < product.rows(); ++a) {
    for (int b = 0; b < product.rows(); ++b) {
      const bool same = a % 4 == b % 4 && a / 24 == b / 24;
      if (!same) {
        EXPECT_NEAR(compliance(a, b), 0, 1e-10 * product.norm());
      }
      largest = std::max(largest, std::abs(compliance(a, b)));
    }
  }
  double expected = 0;
  for (const SoftTet& t : l.tets) expected = std::max(expected, kLaneWeight / (t.mu * t.volume));
  EXPECT_NEAR(largest, expected, 1e-6 * expected);

  // Symmetric, positive definite on real rows, nothing on rows that fill up.
  EXPECT_LT((product - product.transpose()).norm(), 1e-12 * product.norm());
  const Eigen::VectorXd eigenvalues = test::eigenvalues(product);
  const int real = 6 * static_cast<int>(l.tets.size());
  EXPECT_NEAR(eigenvalues[eigenvalues.size() - real - 1], 0, 1e-12 * eigenvalues.maxCoeff());
  EXPECT_GT(eigenvalues[eigenvalues.size() - real], 1e-6 * eigenvalues.maxCoeff());

  // Jᵀ d.
  const Eigen::VectorXd d = Eigen::VectorXd::LinSpaced(product.rows(), -1, 1);
  const Impulses pulled = response(batch, d, l.movers, false);
  const Eigen::VectorXd force = j.transpose() * d;
  for (int b = 0; b < 12; ++b)
    EXPECT_LT((pulled.force[static_cast<std::size_t>(b)] - force.segment<3>(3 * b)).norm(), 1e-8 * force.norm());
}

// D⁻¹ is the inverse of the element's own block of A.
TEST(LaneBatch, PreconditionerInvertsBlocks) {
  Linked l;
  LaneBatch<TetKernel<SolidStrain::green>, double> batch(l.tets, 12, false);
  batch.begin(l.step(), l.movers);
  std::vector<double> residual(static_cast<std::size_t>(batch.row_count()));
  batch.linearise(l.movers, residual);
  const Eigen::MatrixXd product = dense_product(batch, l.movers);
  const Eigen::VectorXd r = Eigen::Map<Eigen::VectorXd>(residual.data(), product.rows());
  Eigen::VectorXd z(product.rows());
  batch.precondition(residual, {z.data(), residual.size()});
  Eigen::VectorXd back = Eigen::VectorXd::Zero(product.rows());
  for (int a = 0; a < product.rows(); ++a) {
    for (int b = 0; b < product.rows(); ++b) {
      if (a % 4 == b % 4 && a / 24 == b / 24) back[a] += product(a, b) * z[b];
    }
  }
  EXPECT_LT((back - r).norm(), 1e-11 * r.norm());
}

// A sweep by hand, element by element in the order of colours, is a sweep of the batch; accepted changes are what
// write_multipliers tells.
TEST(LaneBatch, FillingLanesDoNothing) {
  Linked l;
  const std::vector<SoftTet> lone{l.tets[0]};
  LaneBatch<TetKernel<SolidStrain::green>, double> batch(lone, 12, false);
  Movers<double> movers = l.movers;
  batch.begin(l.step(), movers);
  batch.relax(1, movers);
  std::vector<double> multipliers(static_cast<std::size_t>(batch.row_count()));
  ASSERT_EQ(multipliers.size(), 24U);
  batch.write_multipliers(multipliers);
  for (std::size_t i = 0; i < multipliers.size(); ++i) EXPECT_EQ(multipliers[i] != 0, i % 4 == 0) << i;
  for (int b = 4; b < 12; ++b) EXPECT_EQ(movers.points[b].position(), l.movers.points[b].position());
  for (int b = 0; b < 4; ++b) EXPECT_NE(movers.points[b].position(), l.movers.points[b].position());
}

// What a sweep moves is W Jᵀ Λ of its multipliers: momentum and what is held stay.
TEST(LaneBatch, SweepsKeepMomentumAndWhatIsHeld) {
  Linked l;
  LaneBatch<TetKernel<SolidStrain::green>, double> batch(l.tets, 12, false);
  const Vec3 held = l.movers.points[4].position();
  Movers<double> movers = l.movers;
  batch.begin(l.step(), movers);
  for (int k = 0; k < 5; ++k) batch.relax(1.2, movers);
  EXPECT_EQ(movers.points[4].position(), held);
  movers = l.movers;
  movers.points[4].w = 1;
  batch.begin(l.step(), movers);
  for (int k = 0; k < 5; ++k) batch.relax(1.2, movers);
  Vec3 momentum = Vec3::Zero();
  for (std::size_t b = 0; b < 12; ++b)
    momentum += (movers.points[b].position() - l.movers.points[b].position()) / movers.points[b].w;
  EXPECT_LT(momentum.norm(), 1e-14);
}

TEST(LaneBatch, SinglePrecisionFollows) {
  Linked l;
  Movers<float> coarse;
  for (const auto& point : l.movers.points) {
    Mover<float>& added = coarse.points.emplace_back();
    for (int a = 0; a < 3; ++a) added.x[a] = static_cast<float>(point.x[a]);
    added.w = static_cast<float>(point.w);
  }
  LaneBatch<TetKernel<SolidStrain::green>, double> fine_batch(l.tets, 12, false);
  LaneBatch<TetKernel<SolidStrain::green>, float> coarse_batch(l.tets, 12, false);
  Movers<double> fine = l.movers;
  fine_batch.begin(l.step(), fine);
  coarse_batch.begin(l.step(), coarse);
  for (int k = 0; k < 10; ++k) fine_batch.relax(1, fine), coarse_batch.relax(1, coarse);
  for (std::size_t b = 0; b < 12; ++b)
    EXPECT_LT((fine.points[b].position() - coarse.points[b].position()).norm(), 1e-5);
}

// --- Soft pins ---

// One sweep is the whole answer: w m (x − x̃) = −k D (x − t).
TEST(TargetBatch, OneSweepIsTheImplicitStep) {
  Movers<double> movers = make_movers<double>(2, 4);
  const Movers<double> start = movers;
  const BlockVector before = places(movers);
  SoftTarget pin{1, Vec3(0.3, -0.2, 0.9), 700, Vec3(1, 0, 1).asDiagonal()};
  TargetBatch<double> batch;
  batch.set_targets({pin});
  batch.begin({kLaneStep, kLaneWeight, before, Controls{}}, movers);
  for (int k = 0; k < 3; ++k) batch.relax(1, movers);
  const Vec3 x = movers.points[1].position(), from = start.points[1].position();
  const Vec3 balance = kLaneWeight / start.points[1].w * (x - from) + pin.stiffness * pin.directions * (x - pin.target);
  EXPECT_LT(balance.norm(), 1e-11 * kLaneWeight);
  EXPECT_EQ(movers.points[0].position(), start.points[0].position());
}

}  // namespace
}  // namespace pliant::solver
