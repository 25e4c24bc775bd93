// Signs of determinants against integers of 1024 bits, for points that are nearly or exactly in line or in plane.
#include "pliant/contact/judge/exact_predicates.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>

namespace pliant::contact {
namespace {

// Two's complement, 16 × 64 bits: sums and products modulo 2¹⁰²⁴, enough for three factors of 300 bits.
class WideInteger {
 public:
  // x · 2^kShift, which must be an integer.
  explicit WideInteger(double x) {
    int exponent = 0;
    const double fraction = std::frexp(std::abs(x), &exponent);
    const auto digits = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
    const int shift = exponent - 53 + kShift;
    EXPECT_TRUE(digits == 0 || (shift >= 0 && shift < 256)) << x;
    if (digits == 0) return;
    words_[shift / 64] = digits << (shift % 64);
    if (shift % 64 != 0) words_[shift / 64 + 1] = digits >> (64 - shift % 64);
    if (x < 0) *this = WideInteger() - *this;
  }
  WideInteger operator-(const WideInteger& other) const {
    WideInteger difference;
    std::uint64_t borrow = 0;
    for (int i = 0; i < kWords; ++i) {
      const unsigned __int128 d = static_cast<unsigned __int128>(words_[i]) - other.words_[i] - borrow;
      difference.words_[i] = static_cast<std::uint64_t>(d);
      borrow = (d >> 64) != 0 ? 1 : 0;
    }
    return difference;
  }
  WideInteger operator+(const WideInteger& other) const { return *this - (WideInteger() - other); }
  WideInteger operator*(const WideInteger& other) const {
    WideInteger product;
    for (int i = 0; i < kWords; ++i) {
      std::uint64_t carry = 0;
      for (int j = 0; i + j < kWords; ++j) {
        const unsigned __int128 p =
            static_cast<unsigned __int128>(words_[i]) * other.words_[j] + product.words_[i + j] + carry;
        product.words_[i + j] = static_cast<std::uint64_t>(p);
        carry = static_cast<std::uint64_t>(p >> 64);
      }
    }
    return product;
  }
  [[nodiscard]] int sign() const {
    if ((words_[kWords - 1] >> 63) != 0) return -1;
    for (const std::uint64_t word : words_) {
      if (word != 0) return 1;
    }
    return 0;
  }

 private:
  static constexpr int kWords = 16;
  static constexpr int kShift = 200;
  WideInteger() = default;
  std::array<std::uint64_t, kWords> words_{};
};

int wide_orient2d(const Vec2& a, const Vec2& b, const Vec2& c) {
  const auto d = [](double l, double r) { return WideInteger(l) - WideInteger(r); };
  return (d(b.x(), a.x()) * d(c.y(), a.y()) - d(b.y(), a.y()) * d(c.x(), a.x())).sign();
}

int wide_orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const auto u = [&](int i) { return WideInteger(b[i]) - WideInteger(a[i]); };
  const auto v = [&](int i) { return WideInteger(c[i]) - WideInteger(a[i]); };
  const auto w = [&](int i) { return WideInteger(d[i]) - WideInteger(a[i]); };
  return (w(0) * (u(1) * v(2) - u(2) * v(1)) + w(1) * (u(2) * v(0) - u(0) * v(2)) + w(2) * (u(0) * v(1) - u(1) * v(0)))
      .sign();
}

// Coordinates of the kinds that are hard: short ones that give exact zeros, long ones that give nearly zero, and
// neighbours of very different size, whose differences are not doubles.
class HardPoints {
 public:
  // Every third case is of short numbers throughout and may be degenerate exactly.
  void next_case() { is_short_ = std::uniform_int_distribution<int>(0, 2)(random_) == 0; }
  double coordinate() {
    switch (is_short_ ? 0 : std::uniform_int_distribution<int>(0, 3)(random_)) {
      case 0:
        return std::uniform_int_distribution<int>(-8, 8)(random_);
      case 1:
        return unit();
      case 2:
        return std::ldexp(unit(), std::uniform_int_distribution<int>(-60, 20)(random_));
      default:
        return 1e3 + std::ldexp(unit(), -20);
    }
  }
  template <int N>
  Eigen::Matrix<double, N, 1> point() {
    Eigen::Matrix<double, N, 1> x;
    for (double& c : x) c = coordinate();
    return x;
  }
  // −2 … 2 neighbouring doubles further, in each coordinate; often not at all.
  template <int N>
  void nudge(Eigen::Matrix<double, N, 1>& x) {
    if (is_short_ && coin()) return;
    for (double& c : x) {
      const int steps = std::uniform_int_distribution<int>(-4, 4)(random_);
      for (int i = 0; i < std::abs(steps) && std::abs(steps) <= 2; ++i) c = std::nextafter(c, steps > 0 ? 1e9 : -1e9);
      if (std::abs(c) < 1e-30) c = 0;  // stay within the reach of WideInteger
    }
  }
  // Short in every second case, at least.
  double factor() {
    return is_short_ || coin() ? 0.25 * std::uniform_int_distribution<int>(-8, 8)(random_) : 2 * unit();
  }
  bool coin() { return std::uniform_int_distribution<int>(0, 1)(random_) == 1; }

 private:
  double unit() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
  std::mt19937_64 random_{20240611};
  bool is_short_ = false;
};

constexpr int kHardCases = 120000;

TEST(ExactPredicates, Orient2dIsTheSignOfIntegers) {
  HardPoints points;
  std::array<int, 3> seen{};
  for (int i = 0; i < kHardCases; ++i) {
    points.next_case();
    const Vec2 a = points.point<2>(), b = points.point<2>();
    Vec2 c = a + points.factor() * (b - a);
    points.nudge<2>(c);
    const int expected = wide_orient2d(a, b, c);
    ++seen[expected + 1];
    ASSERT_EQ(orient2d(a, b, c), expected) << i;
    ASSERT_EQ(orient2d_by_expansions(a, b, c), expected) << i;
    ASSERT_EQ(orient2d(c, b, a), -expected) << i;
  }
  for (const int count : seen) EXPECT_GT(count, kHardCases / 20);
}

TEST(ExactPredicates, Orient3dIsTheSignOfIntegers) {
  HardPoints points;
  std::array<int, 3> seen{};
  int undecided_by_doubles = 0;
  for (int i = 0; i < kHardCases; ++i) {
    points.next_case();
    const Vec3 a = points.point<3>(), b = points.point<3>(), c = points.point<3>();
    Vec3 d = a + points.factor() * (b - a) + points.factor() * (c - a);
    points.nudge<3>(d);
    const int expected = wide_orient3d(a, b, c, d);
    ++seen[expected + 1];
    ASSERT_EQ(orient3d(a, b, c, d), expected) << i;
    ASSERT_EQ(orient3d_by_expansions(a, b, c, d), expected) << i;
    ASSERT_EQ(orient3d(d, b, c, a), -expected) << i;
    const double rounded = (b - a).cross(c - a).dot(d - a);
    if ((rounded > 0) - (rounded < 0) != expected) ++undecided_by_doubles;
  }
  for (const int count : seen) EXPECT_GT(count, kHardCases / 20);
  EXPECT_GT(undecided_by_doubles, kHardCases / 10);  // the cases are hard indeed
}

TEST(ExactPredicates, IntegersOfFortyBits) {
  // Differences are doubles, products are not: __int128 holds the determinant.
  std::mt19937_64 random(7);
  std::uniform_int_distribution<std::int64_t> far(-(1LL << 39), 1LL << 39), near(-3, 3), factor(-2, 2);
  const auto vector = [](const std::array<std::int64_t, 3>& x) {
    return Vec3(static_cast<double>(x[0]), static_cast<double>(x[1]), static_cast<double>(x[2]));
  };
  for (int i = 0; i < kHardCases; ++i) {
    std::array<std::int64_t, 3> a, b, c, d;
    const std::int64_t s = factor(random), t = factor(random);
    for (int k = 0; k < 3; ++k) {
      a[k] = far(random);
      b[k] = a[k] + far(random) / 4;
      c[k] = a[k] + far(random) / 4;
      d[k] = a[k] + s * (b[k] - a[k]) + t * (c[k] - a[k]) + near(random);
    }
    __int128 determinant = 0;
    for (int k = 0; k < 3; ++k) {
      const int l = (k + 1) % 3, m = (k + 2) % 3;
      const __int128 minor =
          static_cast<__int128>(b[l] - a[l]) * (c[m] - a[m]) - static_cast<__int128>(b[m] - a[m]) * (c[l] - a[l]);
      determinant += minor * (d[k] - a[k]);
    }
    const int expected = (determinant > 0) - (determinant < 0);
    ASSERT_EQ(orient3d(vector(a), vector(b), vector(c), vector(d)), expected) << i;
  }
}

TEST(ExactPredicates, SignsAreAsDrawn) {
  EXPECT_EQ(orient2d({0, 0}, {1, 0}, {0, 1}), 1);
  EXPECT_EQ(orient2d({0, 0}, {0, 1}, {1, 0}), -1);
  EXPECT_EQ(orient3d({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}), 1);
  EXPECT_EQ(orient3d({0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}), -1);
}

TEST(ExactPredicates, TheWholeRangeOfExponents) {
  // A point off the plane by the smallest allowed coordinate, next to the largest ones.
  const double big = kLargestExact, tiny = kSmallestExact;
  EXPECT_EQ(orient3d({big, 0, 0}, {0, big, 0}, {-big, -big, 0}, {0, 0, tiny}), 1);
  EXPECT_EQ(orient3d({tiny, 0, 0}, {0, tiny, 0}, {0, 0, 0}, {0, 0, tiny}), 1);
  EXPECT_EQ(orient3d({tiny, tiny, 1}, {-tiny, tiny, 1}, {0, -tiny, 1}, {0, 0, std::nextafter(1.0, 2.0)}), 1);
  // d is off the line x = y = z by one unit in the last place of the smallest number.
  const double next = std::nextafter(tiny, 1.0);
  EXPECT_EQ(orient3d({big, big, big}, {1, 1, 1}, {0, 0, 1}, {tiny, next, tiny}),
            -orient3d({big, big, big}, {1, 1, 1}, {0, 0, 1}, {next, tiny, tiny}));
  EXPECT_NE(orient3d({big, big, big}, {1, 1, 1}, {0, 0, 1}, {tiny, next, tiny}), 0);
  EXPECT_EQ(orient2d({big, big}, {tiny, tiny}, {1, 1}), 0);
  EXPECT_EQ(orient2d({tiny, tiny}, {big, big}, {tiny, next}), 1);
}

}  // namespace
}  // namespace pliant::contact
