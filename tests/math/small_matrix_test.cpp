#include "pliant/math/small_matrix.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

#include "pliant/math/lanes.h"
#include "pliant/math/types.h"

namespace pliant::math {
namespace {

Mat3 random_matrix(unsigned seed) {
  std::mt19937 engine(seed);
  Mat3 m;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) m(r, c) = engine() / 2147483648.0 - 1;
  }
  return m;
}

struct Plain {
  double m[3][3];
  explicit Plain(const Mat3& a = Mat3::Zero()) {
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) m[r][c] = a(r, c);
    }
  }
  [[nodiscard]] Mat3 matrix() const {
    Mat3 a;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) a(r, c) = m[r][c];
    }
    return a;
  }
};

TEST(SmallMatrix, CofactorAndDeterminant) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Mat3 a = random_matrix(seed);
    const Plain f(a);
    Plain c;
    cofactor(f.m, c.m);
    EXPECT_LE((c.matrix() - a.determinant() * a.inverse().transpose()).norm(), 1e-12 * a.inverse().norm());
    EXPECT_NEAR(determinant(f.m), a.determinant(), 1e-14);
    EXPECT_NEAR(determinant(f.m, c.m), a.determinant(), 1e-14);
  }
}

// Cofactors exist where the inverse does not.
TEST(SmallMatrix, CofactorOfASingularMatrix) {
  const Plain f(Vec3(2, 3, 0).asDiagonal());
  Plain c;
  cofactor(f.m, c.m);
  EXPECT_EQ((c.matrix() - Mat3(Vec3(0, 0, 6).asDiagonal())).norm(), 0);
}

TEST(SmallMatrix, Products) {
  const Mat3 a = random_matrix(31), b = random_matrix(32);
  const Plain x(a), y(b);
  Plain product, transposed, square;
  multiply(x.m, y.m, product.m);
  multiply_transposed(x.m, y.m, transposed.m);
  gram(x.m, square.m);
  EXPECT_LE((product.matrix() - a * b).norm(), 1e-15);
  EXPECT_LE((transposed.matrix() - a * b.transpose()).norm(), 1e-15);
  EXPECT_LE((square.matrix() - a.transpose() * a).norm(), 1e-15);
  EXPECT_NEAR(inner(x.m, y.m), (a.transpose() * b).trace(), 1e-15);
  // Powers of a symmetric matrix commute.
  Plain fourth, sixth;
  multiply(square.m, square.m, fourth.m);
  multiply_symmetric(square.m, fourth.m, sixth.m);
  EXPECT_LE((sixth.matrix() - square.matrix() * square.matrix() * square.matrix()).norm(), 1e-14);
}

TEST(SmallMatrix, LanesEqualPlainNumbers) {
  Lanes f[3][3], c[3][3];
  Plain plain[kLaneCount];
  for (int lane = 0; lane < kLaneCount; ++lane) {
    plain[lane] = Plain(random_matrix(40 + lane));
    for (int r = 0; r < 3; ++r) {
      for (int k = 0; k < 3; ++k) f[r][k][lane] = plain[lane].m[r][k];
    }
  }
  cofactor(f, c);
  const Lanes j = determinant(f, c), norm = inner(f, f);
  for (int lane = 0; lane < kLaneCount; ++lane) {
    EXPECT_NEAR(j[lane], determinant(plain[lane].m), 1e-14);
    EXPECT_NEAR(norm[lane], inner(plain[lane].m, plain[lane].m), 1e-14);
  }
}

}  // namespace
}  // namespace pliant::math
