#include "pliant/energy/solid/volume_preservation.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <functional>
#include <limits>

#include "tests/energy/solid/law_checks.h"

namespace pliant::checks {
namespace {

using solid::VolumePreservation;

Vec3 nearest(const Vec3& s) {
  const double stretches[3] = {s[0], s[1], s[2]};
  double t[3];
  VolumePreservation::nearest<double>(nullptr, stretches, t);
  return Vec3(t[0], t[1], t[2]);
}

// The same without the equation in one unknown: Newton in logarithms, t = (eᵘ, eᵛ, e⁻ᵘ⁻ᵛ), from many starts.
Vec3 nearest_of_many_starts(const Vec3& s) {
  const auto stretches = [](const Vec2& w) { return Vec3(std::exp(w[0]), std::exp(w[1]), std::exp(-w[0] - w[1])); };
  Vec3 best = Vec3::Ones();
  double least = std::numeric_limits<double>::infinity();
  for (int a = -1; a <= 2; ++a) {
    for (int b = -1; b <= 2; ++b) {
      Vec2 w(0.8 * a, 0.8 * b);
      for (int iteration = 0; iteration < 200; ++iteration) {
        const Vec3 t = stretches(w), first = t.cwiseProduct(t - s), second = t.cwiseProduct(2 * t - s);
        const Vec2 gradient(first[0] - first[2], first[1] - first[2]);
        Mat2 hessian;
        hessian << second[0] + second[2], second[2], second[2], second[1] + second[2];
        const Eigen::SelfAdjointEigenSolver<Mat2> eigen(hessian);
        const Vec2 turned_gradient = eigen.eigenvectors().transpose() * gradient;
        Vec2 step =
            -eigen.eigenvectors() * turned_gradient.cwiseQuotient(eigen.eigenvalues().cwiseAbs().cwiseMax(1e-9));
        const double value = (t - s).squaredNorm();
        // Short steps are below the rounding of the value.
        while (step.norm() > 1e-6 && (stretches(w + step) - s).squaredNorm() > value) step *= 0.5;
        w += step;
        if (step.norm() < 1e-9) break;  // what is left is its square
      }
      const double distance = (stretches(w) - s).norm();
      if (distance < least - 1e-12) least = distance, best = stretches(w);
    }
  }
  return best;
}

// ∂t/∂s by the implicit function theorem: (1 − η ∇²c) dt − ∇c dη = ds, ∇c·dt = 0, with c = t₀t₁t₂.
Mat3 nearest_change(const Vec3& s, const Vec3& t) {
  const Vec3 q(t[1] * t[2], t[0] * t[2], t[0] * t[1]);
  const double eta = q.dot(t - s) / q.squaredNorm();
  Eigen::Matrix4d kkt = Eigen::Matrix4d::Zero();
  kkt.topLeftCorner<3, 3>() << 1, -eta * t[2], -eta * t[1], -eta * t[2], 1, -eta * t[0], -eta * t[1], -eta * t[0], 1;
  kkt.topRightCorner<3, 1>() = -q;
  kkt.bottomLeftCorner<1, 3>() = q.transpose();
  return kkt.fullPivLu().inverse().topLeftCorner<3, 3>();
}

struct VolumeCase {
  using Law = VolumePreservation;
  static Law law() { return {}; }
  static std::vector<std::vector<double>> parameters(int count) { return random_moduli(count, {{0.5, 2.0}}); }
  static oracle::LawPointer oracle(const double* p) {
    const double k = p[0];
    return oracle::of_stretches(
        {[k](const Vec3& s) { return k / 2 * (s - nearest_of_many_starts(s)).squaredNorm(); },
         [k](const Vec3& s) { return Vec3(k * (s - nearest_of_many_starts(s))); },
         [k](const Vec3& s) { return Mat3(k * (Mat3::Identity() - nearest_change(s, nearest_of_many_starts(s)))); }});
  }
  static Vec2 lame(const double* p) { return Vec2(0, p[0] / 3); }
  static constexpr bool kTurns = true;
};
INSTANTIATE_TYPED_TEST_SUITE_P(VolumePreservation, LawTest, VolumeCase);

TEST(VolumePreservation, ReferenceValues) {
  const auto expect = [](const Vec3& s, const Vec3& t, double tolerance) {
    EXPECT_LE((nearest(s) - t).cwiseAbs().maxCoeff(), tolerance) << s.transpose();
  };
  expect(Vec3(1.2, 0.9, 0.8), Vec3(1.236659, 0.947830, 0.853139), 5e-7);
  expect(Vec3(2, 1, 1), Vec3(1.895131, 0.726408, 0.726408), 5e-7);
  expect(Vec3(1.5, 1.5, 1.5), Vec3(1, 1, 1), 1e-14);
  expect(Vec3(1.2, 0.7, -0.3), Vec3(1.528245, 1.140025, 0.573975), 5e-7);
  expect(Vec3(0, 0, 0), Vec3(1, 1, 1), 1e-14);
  expect(Vec3(4, 1, 0.25), Vec3(4, 1, 0.25), 1e-14);
}

// Sequential quadratic programming as the reference suggests it ends at the same stretches.
TEST(VolumePreservation, EqualsSequentialQuadraticProgramming) {
  Random random(3);
  for (int k = 0; k < 200; ++k) {
    Vec3 s(random.between(0.5, 1.5), random.between(0.5, 1.5), random.between(-0.3, 1.5));
    std::sort(s.data(), s.data() + 2, std::greater<>());
    if (std::abs(s[2]) > s[1]) std::swap(s[1], s[2]);
    std::sort(s.data(), s.data() + 2, std::greater<>());
    Vec3 d = Vec3::Zero();
    for (int iteration = 0; iteration < 500; ++iteration) {
      const Vec3 t = s + d, q(t[1] * t[2], t[0] * t[2], t[0] * t[1]);
      d = q * (q.dot(d) - (t.prod() - 1)) / q.squaredNorm();
    }
    if (std::abs((s + d).prod() - 1) > 1e-12) continue;  // it does not always converge
    EXPECT_LE((nearest(s) - s - d).norm(), 1e-9) << s.transpose();
  }
}

// Determinant one, and nothing nearer: also where the smallest stretch is negative and where two minima compete.
TEST(VolumePreservation, IsNearestAmongPositiveStretches) {
  Random random(7);
  for (int k = 0; k < 400; ++k) {
    const double size = std::exp(random.between(-3, 3)), low = random.between(-1, 1);
    Vec3 s(random.between(0.8, 1), random.between(0.8, 1), low);
    if (k % 2 == 0)
      s = Vec3(1.9, 1.9, 1.9) + random.vector(0.3);
    else
      s *= size;
    std::sort(s.data(), s.data() + 3, std::greater<>());
    if (std::abs(s[2]) > s[1]) s[2] = -s[1];
    const Vec3 t = nearest(s), other = nearest_of_many_starts(s);
    EXPECT_NEAR(t.prod(), 1, 1e-13);
    EXPECT_GT(t.minCoeff(), 0);
    EXPECT_LE((t - s).norm(), (other - s).norm() + 1e-10) << s.transpose();
  }
}

// Beyond a twofold stretch squeezing one direction is nearer than shrinking all, where linearisations end.
TEST(VolumePreservation, LargeStretchesSqueezeOneDirection) {
  const Vec3 t = nearest(Vec3(2.5, 2.5, 2.5));
  EXPECT_LT((t - Vec3::Constant(2.5)).norm(), (Vec3::Ones() - Vec3::Constant(2.5)).norm() - 0.1);
  EXPECT_LT(t[2], 0.2);
  EXPECT_NEAR(t[0], t[1], 1e-14);
}

// No matrix of determinant one is nearer.
TEST(VolumePreservation, IsTheDistanceToUnitDeterminants) {
  Random random(31);
  for (const Vec3& s : {Vec3(1.4, 0.8, -0.3), Vec3(1.3, 1.2, 1.1), Vec3(0.8, 0.6, 0.5), Vec3(3, 2.8, 2.5)}) {
    const Mat3 f = turned(s, random);
    const auto [psi, stress] = at(VolumePreservation{}, std::array{2.0}, f);
    const Mat3 nearest_gradient = f - stress / 2;
    EXPECT_NEAR(nearest_gradient.determinant(), 1, 1e-12);
    EXPECT_NEAR(psi, stress.squaredNorm() / 4, 1e-13 * psi);
    for (int k = 0; k < 2000; ++k) {
      Mat3 other = nearest_gradient;
      for (int c = 0; c < 3; ++c) other.col(c) += random.vector(k % 2 == 0 ? 0.05 : 1);
      const double determinant = other.determinant();
      other /= std::cbrt(determinant);  // also of negative ones
      EXPECT_LE(psi, (f - other).squaredNorm() + 1e-12);
    }
  }
}

// Shears and stretches that keep the volume are free, however large.
TEST(VolumePreservation, DeformationsOfUnitDeterminantAreFree) {
  Random random(9);
  Mat3 shear = Mat3::Identity();
  shear(0, 1) = 2.5;
  for (const Mat3& f : {shear, turned(Vec3(4, 1, 0.25), random), turned(Vec3(1.25, 1, 0.8), random)}) {
    const auto [psi, stress] = at(VolumePreservation{}, std::array{1e3}, f);
    EXPECT_LE(psi, 1e-24);
    EXPECT_LE(stress.norm(), 1e-11);
  }
}

// Where two minima meet or the fold begins, all is finite and the projected Hessian semi-definite.
TEST(VolumePreservation, KinksStayFinite) {
  Random random(10);
  std::vector<Mat3> gradients;
  for (const double s : {1.7, 1.9, 1.92, 1.95, 1.99, 2.0, 2.0001, 2.1, 3.0, 40.0}) {
    gradients.push_back(turned(Vec3(s, s, s), random));
    gradients.push_back(turned(Vec3(1.05 * s, s, s), random));
    gradients.push_back(turned(Vec3(s, s, 0.98 * s), random));
  }
  const TetModel soup = make_soup(gradients);
  const std::vector<std::vector<double>> stiffness{std::vector<double>(soup.tet_count(), 3)};
  const solid::HyperelasticTets<VolumePreservation> energy(soup.elements, {}, stiffness);
  for (const HessianKind kind : {HessianKind::exact, HessianKind::projected, HessianKind::warped}) {
    const Evaluation result = evaluate(energy, soup, kind);
    EXPECT_TRUE(std::isfinite(result.value));
    EXPECT_TRUE(flat(result.gradient).allFinite());
    EXPECT_TRUE(dense(result.hessian).allFinite());
  }
  expect_projected_is_semidefinite(energy, soup);
}

}  // namespace
}  // namespace pliant::checks
