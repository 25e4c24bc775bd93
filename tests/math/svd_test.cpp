// The decomposition's definition, relative to ‖F‖, for four matrices at a time and for one: F = U S Vᵀ, U and V
// rotations, s0 ≥ s1 ≥ |s2|, and the stretches of Eigen's JacobiSVD with the sign of det F on the last. A million matrices
// in all.
#include "pliant/math/svd.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <functional>
#include <random>

#include "pliant/math/rotation.h"
#include "pliant/math/svd_kernel.h"

namespace pliant::math {
namespace {

// The errors of the definition, summed; measured 4e-15.
constexpr double kBound = 2e-14;

// Largest violation of the definition. Scaled by a power of two first, so that the check itself cannot overflow.
double error_of(const Mat3& f, const Svd3& svd) {
  const double scale = inverse_power_of_two(f.cwiseAbs().maxCoeff());
  const Mat3 unit = scale * f;
  const Vec3 s = scale * svd.stretches;
  const double size = std::max(unit.norm(), 1e-300);
  if (!(s[0] >= s[1] && s[1] >= std::fabs(s[2]))) return 1;
  const double residual = (unit - svd.u * s.asDiagonal() * svd.v.transpose()).norm() / size;
  const double u_error = (svd.u.transpose() * svd.u - Mat3::Identity()).norm();
  const double v_error = (svd.v.transpose() * svd.v - Mat3::Identity()).norm();
  const double handedness = std::fabs(svd.u.determinant() - 1) + std::fabs(svd.v.determinant() - 1);
  const Eigen::JacobiSVD<Mat3> eigen(unit);
  if (eigen.info() != Eigen::Success) return 1;
  Vec3 reference = eigen.singularValues();
  const double determinant = unit.determinant();
  // Where the determinant is rounding, so is its sign.
  if (std::fabs(determinant) > 1e-14 * size * size * size)
    reference[2] = std::copysign(reference[2], determinant);
  else
    reference[2] = std::copysign(reference[2], s[2]);
  const double stretch_error = (reference - s).norm() / size;
  const double error = residual + u_error + v_error + handedness + stretch_error;
  return std::isfinite(error) ? error : 1;
}

std::array<Svd3, kLaneCount> wide_svd(const std::array<Mat3, kLaneCount>& f) {
  Lanes entries[3][3];
  for (int k = 0; k < kLaneCount; ++k)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) entries[i][j][k] = f[k](i, j);
  SvdLanes<Lanes> svd;
  signed_svd(entries, svd);
  std::array<Svd3, kLaneCount> result;
  for (int k = 0; k < kLaneCount; ++k)
    for (int j = 0; j < 3; ++j) {
      result[k].stretches[j] = svd.s[j][k];
      for (int i = 0; i < 3; ++i) result[k].u(i, j) = svd.u[i][j][k], result[k].v(i, j) = svd.v[i][j][k];
    }
  return result;
}

class SvdTest : public ::testing::Test {
 protected:
  double normal() { return normal_(random_); }
  Mat3 gaussian() {
    return Mat3::NullaryExpr([this] { return normal(); });
  }
  Mat3 rotation() { return rotation_from_vector(3 * Vec3(normal(), normal(), normal())); }
  Mat3 with_stretches(const Vec3& s) { return rotation() * s.asDiagonal() * rotation().transpose(); }

  // Worst error over batches of four matrices, in lanes and one by one.
  double worst_over(int count, const std::function<Mat3()>& make) {
    double worst = 0;
    for (int n = 0; n < count; n += kLaneCount) {
      std::array<Mat3, kLaneCount> f;
      for (Mat3& matrix : f) matrix = make();
      const std::array<Svd3, kLaneCount> svd = wide_svd(f);
      for (int k = 0; k < kLaneCount; ++k) worst = std::max(worst, error_of(f[k], svd[k]));
      worst = std::max(worst, error_of(f[0], signed_svd(f[0])));
    }
    return worst;
  }

  std::mt19937_64 random_{4};
  std::normal_distribution<double> normal_;
};

TEST_F(SvdTest, RandomMatrices) {
  EXPECT_LT(worst_over(400'000, [this] { return gaussian(); }), kBound);
}

// Elements near rest: stretches equal up to a small strain, down to rounding.
TEST_F(SvdTest, ClusteredStretches) {
  int exponent = 0;
  const auto near_rest = [&]() -> Mat3 {
    exponent = (exponent + 1) % 18;
    return rotation() * (Mat3::Identity() + std::pow(10.0, -exponent) * gaussian());
  };
  EXPECT_LT(worst_over(100'000, near_rest), kBound);
  const auto pair = [&] {
    exponent = (exponent + 1) % 18;
    const double gap = std::pow(10.0, -exponent), other = std::fabs(normal());
    return with_stretches(Vec3(1 + gap, 1, -other));
  };
  EXPECT_LT(worst_over(100'000, pair), kBound);
}

// Rotations as rounding leaves them: FᵀF differs from the identity in the last bits only.
TEST_F(SvdTest, Rotations) {
  EXPECT_LT(worst_over(100'000, [this] { return rotation(); }), kBound);
}

TEST_F(SvdTest, InvertedMatrices) {
  EXPECT_LT(worst_over(100'000, [this] { return with_stretches(Vec3(1, std::fabs(normal()), -std::fabs(normal()))); }),
            kBound);
  EXPECT_LT(worst_over(40'000, [this] { return with_stretches(Vec3(1, 1, -1)); }), kBound);
  EXPECT_LT(worst_over(40'000, [this] { return with_stretches(Vec3(1, 0.5, -0.5)); }), kBound);
}

TEST_F(SvdTest, SingularMatrices) {
  for (const Vec3& s :
       {Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(1, 0.5, 0), Vec3(1, 1e-8, 0), Vec3(1, 1e-14, 0), Vec3(1, 1e-17, 0)})
    EXPECT_LT(worst_over(12'000, [&] { return with_stretches(s); }), kBound) << s.transpose();
  // Exact products have exact zero columns.
  EXPECT_LT(worst_over(2'000, [&]() -> Mat3 { return Vec3(normal(), normal(), normal()) * Vec3(0, 1, 0).transpose(); }),
            kBound);
  EXPECT_LT(worst_over(2'000, [&]() -> Mat3 { return Vec3(1, 2, 2) * Vec3(normal(), 0, normal()).transpose(); }),
            kBound);
}

TEST_F(SvdTest, GradedMatrices) {
  for (const Vec3& s : {Vec3(1, 1e-6, 1e-12), Vec3(1, 1e-6, -1e-12), Vec3(1, 1e-5, 0.9e-5), Vec3(1, 1e-8, -0.5e-8),
                        Vec3(1, 1, 1e-9), Vec3(1, 1e-15, 1e-16), Vec3(1, 1e-3, -1e-3)})
    EXPECT_LT(worst_over(12'000, [&] { return with_stretches(s); }), kBound) << s.transpose();
}

// A diagonal matrix determines even stretches far below rounding of the largest.
TEST_F(SvdTest, DiagonalMatricesKeepTinyStretches) {
  const Vec3 graded(1e-30, -2, 1e-18);
  const Svd3 svd = signed_svd(Mat3(graded.asDiagonal()));
  EXPECT_NEAR(svd.stretches[0], 2, 1e-15);
  EXPECT_NEAR(svd.stretches[1], 1e-18, 1e-32);
  EXPECT_NEAR(svd.stretches[2], -1e-30, 1e-44);
  const Svd3 identity = signed_svd(Mat3(Mat3::Identity()));
  EXPECT_LT((identity.stretches - Vec3(1, 1, 1)).norm(), 1e-15);
  EXPECT_TRUE((identity.u * identity.v.transpose()).isIdentity(1e-15));
}

TEST_F(SvdTest, ZeroMatrixGivesRotations) {
  const Svd3 svd = signed_svd(Mat3(Mat3::Zero()));
  EXPECT_EQ(svd.stretches, Vec3(0, 0, 0));
  EXPECT_LT(error_of(Mat3::Zero(), svd), kBound);
  EXPECT_TRUE((svd.u * svd.v.transpose()).isIdentity(1e-15)) << "nothing turned";
}

TEST_F(SvdTest, AnyScale) {
  for (double scale : {1e-300, 1e-150, 1e-40, 1e40, 1e150, 1e300}) {
    EXPECT_LT(worst_over(2'000, [&]() -> Mat3 { return scale * gaussian(); }), kBound) << scale;
    EXPECT_LT(worst_over(400, [&]() -> Mat3 { return scale * with_stretches(Vec3(1, 1e-6, -1e-12)); }), kBound)
        << scale;
  }
  // All scales side by side.
  int exponent = 0;
  const auto mixed = [&]() -> Mat3 { return std::pow(10.0, (exponent += 37) % 301 - 150) * gaussian(); };
  EXPECT_LT(worst_over(4'000, mixed), kBound);
}

// What a lane returns may not depend on its neighbours: singular, huge or not even a number.
TEST_F(SvdTest, LanesDoNotInfluenceEachOther) {
  const std::array<Mat3, 4> strange = {Mat3::Zero(), 1e200 * gaussian(), Mat3::Constant(std::nan("")), Mat3::Ones()};
  for (int n = 0; n < 1'000; ++n) {
    const Mat3 f = gaussian();
    const Svd3 among_equals = wide_svd({f, f, f, f})[0];
    for (int k = 0; k < kLaneCount; ++k) {
      std::array<Mat3, kLaneCount> batch = {f, f, f, f};
      batch[k] = strange[n % 4];
      const Svd3 among_strangers = wide_svd(batch)[(k + 1) % kLaneCount];
      EXPECT_EQ(among_strangers.stretches, among_equals.stretches);
      EXPECT_EQ(among_strangers.u, among_equals.u);
      EXPECT_EQ(among_strangers.v, among_equals.v);
    }
  }
}

// --- 3×2 ---

double error_of(const Mat32& f, const Svd32& svd) {
  const double size = std::max(f.norm(), 1e-300);
  if (!(svd.stretches[0] >= svd.stretches[1] && svd.stretches[1] >= 0)) return 1;
  const double residual = (f - svd.u * svd.stretches.asDiagonal() * svd.v.transpose()).norm() / size;
  const double u_error = (svd.u.transpose() * svd.u - Mat2::Identity()).norm();
  const double v_error = (svd.v.transpose() * svd.v - Mat2::Identity()).norm() + std::fabs(svd.v.determinant() - 1);
  const Vec2 reference = Eigen::JacobiSVD<Eigen::MatrixXd>(f).singularValues();
  const double error = residual + u_error + v_error + (reference - svd.stretches).norm() / size;
  return std::isfinite(error) ? error : 1;
}

TEST_F(SvdTest, ThinMatrices) {
  double worst = 0;
  for (int n = 0; n < 20'000; ++n) {
    const double small = std::pow(10.0, -(n % 20));
    Mat2 stretch_and_turn = Eigen::Rotation2Dd(normal()).toRotationMatrix();
    const Mat32 frame = rotation().leftCols<2>();
    const Mat32 matrices[] = {gaussian().leftCols<2>(), frame * Vec2(1, small).asDiagonal() * stretch_and_turn,
                              frame * Vec2(1 + small, 1).asDiagonal() * stretch_and_turn};
    for (const Mat32& f : matrices) worst = std::max(worst, error_of(f, thin_svd(f)));
  }
  EXPECT_LT(worst, kBound);
}

TEST_F(SvdTest, ThinDegenerateMatrices) {
  Mat32 one_column = Mat32::Zero();
  one_column(2, 1) = -3;
  for (const Mat32& f :
       {Mat32(Mat32::Zero()), one_column, Mat32(Mat32::Ones()), Mat32(1e-120 * one_column), Mat32(1e120 * one_column)})
    EXPECT_LT(error_of(f, thin_svd(f)), 2e-15);
}

}  // namespace
}  // namespace pliant::math
