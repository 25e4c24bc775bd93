// One implicit step of a bent hinge: minimising the incremental potential against finding a root of its gradient.
//
// Two triangles of 1 cm² in all, flat at rest with the moved corner at (0, 0, 2) cm, start bent by a right angle, at
// rest, without gravity [Tamstorf2016, section 6.5]. Thickness 1 mm, Y = 100 MPa, ν = 0, 0.1 kg/m², lumped masses,
// backward Euler:  W(δ) = ½ δᵀMδ + τ² E(q + δ),  f = ∇W = Mδ + τ² ∇E,  K = M + τ² ∇²E;  done when |f| < 1e-13 (SI).
// Both take Newton directions and halve the step; they differ in the merit function, W or |f|, and in what they do with
// an indefinite K: the minimiser shifts it by σI until it is positive definite, the root finder solves with it as it
// is. Stretching: St. Venant-Kirchhoff from edge lengths, E = sᵀTs, s_i = ½(|e_i|² − |ē_i|²) [Tamstorf2016, section
// 4.5]. docs/validation/asymmetric_hinge.md has the table.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "pliant/energy/cloth/hinge_bending.h"
#include "pliant/mesh/hinges.h"
#include "tests/support/dense_algebra.h"

namespace pliant {
namespace {

using cloth::HingeLaw;
using Vec12 = Eigen::Matrix<double, 12, 1>;
using Mat12 = Eigen::Matrix<double, 12, 12>;

constexpr double kThickness = 1e-3, kYoung = 1e8, kAreaDensity = 0.1;  // m, Pa, kg/m²
constexpr int kIterationLimit = 5000;
constexpr double kTolerance = 1e-13;
const std::array<std::array<int, 3>, 2> kTriangles = {{{0, 1, 2}, {3, 2, 1}}};

struct StepDerivatives {
  double value = 0;
  Vec12 gradient = Vec12::Zero();
  Mat12 hessian = Mat12::Zero();
};

// --- Stretching ---

struct EdgeLengthMembrane {
  std::array<int, 3> corner;
  Vec3 rest_squares;  // |ē_i|²
  Mat3 t;             // N/m³

  EdgeLengthMembrane(const std::array<int, 3>& corners, const std::array<Vec3, 4>& rest) : corner(corners) {
    std::array<Vec3, 3> e;
    for (int i = 0; i < 3; ++i) {
      e[i] = rest[corner[(i + 2) % 3]] - rest[corner[(i + 1) % 3]];
      rest_squares[i] = e[i].squaredNorm();
    }
    const double area = 0.5 * e[0].cross(e[1]).norm();
    const auto d = [&](int a, int b) { return e[a % 3].dot(e[b % 3]); };
    // ν = 0: T = Y h/(32 A³) ½ T₂
    for (int i = 0; i < 3; ++i) {
      for (int l = 0; l < 3; ++l) {
        const int j = i + 1, k = i + 2, m = l + 1, n = l + 2;
        t(i, l) = kYoung * kThickness / (64 * area * area * area) * (d(k, m) * d(j, n) + d(k, n) * d(j, m));
      }
    }
  }

  void add(const Vec12& x, StepDerivatives& out) const {
    Vec3 s;
    Eigen::Matrix<double, 12, 3> slope = Eigen::Matrix<double, 12, 3>::Zero();
    for (int i = 0; i < 3; ++i) {
      const int from = 3 * corner[(i + 1) % 3], to = 3 * corner[(i + 2) % 3];
      const Vec3 e = x.segment<3>(to) - x.segment<3>(from);
      s[i] = 0.5 * (e.squaredNorm() - rest_squares[i]);
      slope.block<3, 1>(to, i) = e;
      slope.block<3, 1>(from, i) = -e;
    }
    const Vec3 r = 2 * t * s;
    out.value += s.dot(t * s);
    out.gradient += slope * r;
    out.hessian += slope * (2 * t) * slope.transpose();
    for (int i = 0; i < 3; ++i) {
      const int from = 3 * corner[(i + 1) % 3], to = 3 * corner[(i + 2) % 3];
      out.hessian.block<3, 3>(from, from) += r[i] * Mat3::Identity();
      out.hessian.block<3, 3>(to, to) += r[i] * Mat3::Identity();
      out.hessian.block<3, 3>(from, to) -= r[i] * Mat3::Identity();
      out.hessian.block<3, 3>(to, from) -= r[i] * Mat3::Identity();
    }
  }
};

// --- The step ---

class HingeStep {
 public:
  HingeStep(std::array<Vec3, 4> rest, const Vec3& moved, HingeLaw law, double rigidity, double time_step)
      : squared_step_(time_step * time_step),
        membranes_{EdgeLengthMembrane(kTriangles[0], rest), EdgeLengthMembrane(kTriangles[1], rest)},
        bending_(make_bending(rest, law, rigidity)) {
    sparse::PatternBuilder builder(4);
    bending_.couple(builder);
    pattern_ = builder.build();
    bending_.find_slots(*pattern_);
    mass_.setZero();
    for (const auto& t : kTriangles) {
      const double area = 0.5 * (rest[t[1]] - rest[t[0]]).cross(rest[t[2]] - rest[t[0]]).norm();
      for (const int v : t) mass_.segment<3>(3 * v).array() += kAreaDensity * area / 3;
    }
    rest[3] = moved;
    for (int v = 0; v < 4; ++v) start_.segment<3>(3 * v) = rest[v];
  }

  // W, f, K at the increment δ
  [[nodiscard]] StepDerivatives operator()(const Vec12& increment) const {
    const Vec12 x = start_ + increment;
    StepDerivatives result;
    for (const EdgeLengthMembrane& membrane : membranes_) membrane.add(x, result);
    BlockVector now(4), gradient(4);
    for (int v = 0; v < 4; ++v) now[v] = x.segment<3>(3 * v);
    sparse::SymmetricBlockMatrix hessian(pattern_);
    hessian.set_zero();
    const Controls controls;
    Accumulator out{&result.value, &gradient, &hessian, HessianKind::exact};
    bending_.evaluate({now, now, 0, controls}, out);
    for (int i = 0; i < 4; ++i) {
      result.gradient.segment<3>(3 * i) += gradient[i];
      for (int j = i; j < 4; ++j) {
        const Mat3 block = hessian.block(pattern_->slot(i, j));
        result.hessian.block<3, 3>(3 * i, 3 * j) += block;
        if (i != j) result.hessian.block<3, 3>(3 * j, 3 * i) += block.transpose();
      }
    }
    result.value = squared_step_ * result.value + 0.5 * increment.dot(mass_.cwiseProduct(increment));
    result.gradient = squared_step_ * result.gradient + mass_.cwiseProduct(increment);
    result.hessian = squared_step_ * result.hessian;
    result.hessian.diagonal() += mass_;
    return result;
  }
  [[nodiscard]] double smallest_mass() const { return mass_.minCoeff(); }

 private:
  static cloth::HingeBending make_bending(const std::array<Vec3, 4>& rest, HingeLaw law, double rigidity) {
    const SheetHinges found = find_hinges(kTriangles);
    cloth::HingeParameters parameters = cloth::hinge_at_rest(found.hinges[0], rest);
    parameters.stiffness = rigidity;
    return {law, kTriangles, found.hinges, std::vector{parameters}};
  }

  double squared_step_;
  std::array<EdgeLengthMembrane, 2> membranes_;
  cloth::HingeBending bending_;
  std::shared_ptr<const sparse::BlockPattern> pattern_;
  Vec12 mass_, start_;
};

// --- The two solvers ---

struct HingeOutcome {
  int iterations = 0;
  double residual = 0;
  Vec12 increment = Vec12::Zero();
  [[nodiscard]] bool converged() const { return residual < kTolerance; }
};

HingeOutcome minimize(const HingeStep& problem) {
  HingeOutcome outcome;
  StepDerivatives here = problem(outcome.increment);
  for (; outcome.iterations < kIterationLimit && here.gradient.norm() >= kTolerance; ++outcome.iterations) {
    // The first shift is small against the masses, which are the smallest eigenvalues of K where E is convex.
    std::optional<test::DenseCholesky> factor(here.hessian);
    for (double shift = 1e-3 * problem.smallest_mass(); !factor->is_positive_definite(); shift *= 4) {
      factor.emplace(here.hessian + shift * Mat12::Identity());
    }
    const Vec12 direction = -factor->solve(here.gradient);
    const double slope = direction.dot(here.gradient);
    // Near the solution differences of W drown in rounding: there a smaller |f| is accepted too.
    double length = 1;
    StepDerivatives next = problem(outcome.increment + direction);
    const double rounding = 1e-14 * std::abs(here.value);
    while (length > 1e-12 && !(next.value <= here.value + 1e-4 * length * slope) &&
           !(std::abs(next.value - here.value) <= rounding && next.gradient.norm() < here.gradient.norm())) {
      length /= 2;
      next = problem(outcome.increment + length * direction);
    }
    outcome.increment += length * direction;
    here = next;
  }
  outcome.residual = here.gradient.norm();
  return outcome;
}

HingeOutcome find_root(const HingeStep& problem) {
  HingeOutcome outcome;
  StepDerivatives here = problem(outcome.increment);
  for (; outcome.iterations < kIterationLimit && here.gradient.norm() >= kTolerance; ++outcome.iterations) {
    const Vec12 direction = -test::solve(here.hessian, here.gradient);
    double length = 1;
    StepDerivatives next = problem(outcome.increment + direction);
    while (length > 1e-12 && !(next.gradient.norm() <= (1 - 1e-4 * length) * here.gradient.norm())) {
      length /= 2;
      next = problem(outcome.increment + length * direction);
    }
    outcome.increment += length * direction;
    here = next;
  }
  outcome.residual = here.gradient.norm();
  return outcome;
}

// --- The experiment ---

struct HingeGeometry {
  const char* name;
  std::array<Vec3, 4> rest;  // m
};

// x0, the edge, and the corner that starts at (0, 1, 1) cm
const HingeGeometry kAsymmetric{"asymmetric", {Vec3(0, 0, 0), Vec3(0.01, 0, 0.01), Vec3(0, 0, 0.01), Vec3(0, 0, 0.02)}};
const HingeGeometry kSymmetric{"symmetric",
                               {Vec3(0, 0, 0), Vec3(0.005, 0, 0.01), Vec3(-0.005, 0, 0.01), Vec3(0, 0, 0.02)}};
const Vec3 kMoved(0, 0.01, 0.01);

std::string readable_outcome(const HingeOutcome& outcome) {
  if (outcome.converged()) return std::to_string(outcome.iterations);
  char text[64];
  std::snprintf(text, sizeof text, ">%d (%.0e)", outcome.iterations, outcome.residual);
  return text;
}

struct BothOutcomes {
  HingeOutcome minimum, root;
};

// rigidity D = Y h³/12; `factor` 3 is the thesis' k = D/2, 1 ours.
BothOutcomes run_both(const HingeGeometry& geometry, HingeLaw law, double factor, int steps_of_240) {
  const double rigidity = factor * kYoung * kThickness * kThickness * kThickness / 12;
  const HingeStep problem(geometry.rest, kMoved, law, rigidity, steps_of_240 / 240.0);
  const BothOutcomes pair{minimize(problem), find_root(problem)};
  const std::string key = std::string(geometry.name) + (law == HingeLaw::tan ? "_tan" : "_angle") +
                          (factor == 1 ? "_sixth" : "_half") + "_step" + std::to_string(steps_of_240);
  ::testing::Test::RecordProperty(key, readable_outcome(pair.minimum) + " / " + readable_outcome(pair.root));
  return pair;
}

TEST(AsymmetricHinge, MembraneDerivativesAreConsistent) {
  const HingeStep problem(kAsymmetric.rest, kMoved, HingeLaw::tan, 0.01, 0.01);
  Vec12 at, direction;
  for (int i = 0; i < 12; ++i) at[i] = 1e-3 * std::sin(i + 1.0), direction[i] = std::cos(3.0 * i);
  const double h = 1e-7;
  const StepDerivatives here = problem(at), ahead = problem(at + h * direction), back = problem(at - h * direction);
  EXPECT_NEAR((ahead.value - back.value) / (2 * h) / here.gradient.dot(direction), 1, 1e-7);
  EXPECT_LE(((ahead.gradient - back.gradient) / (2 * h) - here.hessian * direction).norm(),
            1e-7 * (here.hessian * direction).norm());
}

TEST(AsymmetricHinge, MinimisingNeedsFewerIterationsThanRootFinding) {
  for (const double factor : {3.0, 1.0}) {
    for (const HingeLaw law : {HingeLaw::angle, HingeLaw::tan}) {
      for (const int steps : {1, 5, 10}) {
        const BothOutcomes skew = run_both(kAsymmetric, law, factor, steps),
                           even = run_both(kSymmetric, law, factor, steps);
        EXPECT_TRUE(skew.minimum.converged() && even.minimum.converged());
        EXPECT_LE(even.minimum.iterations, even.root.iterations);
        EXPECT_GE(skew.root.iterations, 2 * skew.minimum.iterations);
        // The minimum keeps the centre of mass where it was.
        Vec3 drift = Vec3::Zero();
        for (int v = 0; v < 4; ++v) {
          const double share = v == 1 || v == 2 ? 2 : 1;
          drift += share * skew.minimum.increment.segment<3>(3 * v);
        }
        EXPECT_LE(drift.norm(), 1e-6);
      }
    }
  }
}

// Why the merit function matters, in one dimension: W = x⁴ − 6x² − 72x has its only minimum at 3. From 0 a step to the
// right lowers W and raises |W'|, a step to the left does the opposite [Tamstorf2016, section 6.4]; |W'| falls again
// beyond √3.
TEST(AsymmetricHinge, SmallerResidualIsNotSmallerEnergy) {
  const auto value = [](double x) { return x * x * x * x - 6 * x * x - 72 * x; };
  const auto slope = [](double x) { return 4 * x * x * x - 12 * x - 72; };
  EXPECT_EQ(slope(3), 0);
  EXPECT_LT(value(1), value(0));
  EXPECT_GT(std::abs(slope(1)), std::abs(slope(0)));
  EXPECT_GT(value(-1), value(0));
  EXPECT_LT(std::abs(slope(-1)), std::abs(slope(0)));
  EXPECT_GT(std::abs(slope(1.73)), std::abs(slope(0)));  // at √3 = 1.732 it is back where it was
  EXPECT_LT(std::abs(slope(1.74)), std::abs(slope(0)));

  // Newton's step from 0 is −6, away from the minimum because W'' = −12 there. Halved until |W'| falls it becomes −1.5
  // and raises W; no fraction of it lowers W, and the minimiser turns it round instead.
  double length = 1;
  while (std::abs(slope(-6 * length)) >= std::abs(slope(0))) length /= 2;
  EXPECT_EQ(length, 0.25);
  EXPECT_GT(value(-6 * length), value(0));
  for (double fraction = 1; fraction > 1e-6; fraction /= 2) EXPECT_GT(value(-6 * fraction), value(0));
  EXPECT_LT(value(6 * length), value(0));
}

}  // namespace
}  // namespace pliant
