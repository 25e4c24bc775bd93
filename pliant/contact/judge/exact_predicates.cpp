#include "pliant/contact/judge/exact_predicates.h"

#include <array>
#include <cmath>

namespace pliant::contact {

namespace {

constexpr double kHalfUlp = 0x1p-53;  // largest relative error of one rounded operation
// Bounds of the filters, relative to the sum of magnitudes of the terms. Roundings on the way of one term:
//   orient2d   2 differences, 1 product, 1 sum                  = 4, taken as 5
//   orient3d   3 differences, 2 products, 3 sums                = 8, taken as 10
// The rest covers squares of kHalfUlp and the rounding of the bound itself. A compiler that contracts a·b + c to one
// operation removes roundings, so the bounds hold then as well.
constexpr double kFilter2d = 5 * kHalfUlp;
constexpr double kFilter3d = 10 * kHalfUlp;

struct SumOfTwo {
  double rounded;
  double error;
};

// a + b = rounded + error, exactly [Knuth; Shewchuk1997, theorem 7].
SumOfTwo two_sum(double a, double b) {
  const double s = a + b;
  const double b_in_s = s - a;
  return {s, (a - (s - b_in_s)) + (b - b_in_s)};
}

// A call that is never inlined, so that the product is rounded before anything is added to it: compilers may contract
// a·b + c to one operation across statements (g++ does by default), and then two_sum would be wrong.
[[gnu::noinline]] double rounded_product(double a, double b) { return a * b; }

// A number as the exact sum of doubles that do not overlap, smallest first, none of them zero. `Capacity`: how many
// numbers are added at most.
template <int Capacity>
class Expansion {
 public:
  // Grow-expansion [Shewchuk1997, theorem 10], dropping zeros.
  void add(double x) {
    int kept = 0;
    for (int i = 0; i < count_; ++i) {
      const auto [rounded, error] = two_sum(x, terms_[i]);
      if (error != 0) terms_[kept++] = error;
      x = rounded;
    }
    if (x != 0) terms_[kept++] = x;
    count_ = kept;
  }
  void add_product(double a, double b) {
    const double p = rounded_product(a, b);
    add(std::fma(a, b, -p));
    add(p);
  }
  template <int A, int B>
  void add_product(const Expansion<A>& a, const Expansion<B>& b) {
    for (const double x : a) {
      for (const double y : b) add_product(x, y);
    }
  }
  [[nodiscard]] Expansion operator-() const {
    Expansion negative = *this;
    for (int i = 0; i < count_; ++i) negative.terms_[i] = -terms_[i];
    return negative;
  }
  // Of the largest term, which outweighs the others together.
  [[nodiscard]] int sign() const { return count_ == 0 ? 0 : (terms_[count_ - 1] > 0 ? 1 : -1); }
  [[nodiscard]] const double* begin() const { return terms_.data(); }
  [[nodiscard]] const double* end() const { return terms_.data() + count_; }

 private:
  std::array<double, Capacity> terms_;  // only the first count_ are set
  int count_ = 0;
};

using ExactDifference = Expansion<2>;
using ExactMinor = Expansion<16>;  // two products of differences: 2 · (2 · 2) products of two doubles

ExactDifference exact_difference(double a, double b) {
  ExactDifference difference;
  difference.add(a);
  difference.add(-b);
  return difference;
}

// a d − b c
ExactMinor exact_minor(const ExactDifference& a, const ExactDifference& b, const ExactDifference& c,
                       const ExactDifference& d) {
  ExactMinor minor;
  minor.add_product(a, d);
  minor.add_product(-b, c);
  return minor;
}

}  // namespace

int orient2d(const Vec2& a, const Vec2& b, const Vec2& c) {
  const double left = (b.x() - a.x()) * (c.y() - a.y());
  const double right = (b.y() - a.y()) * (c.x() - a.x());
  const double determinant = left - right;
  const double magnitude = std::abs(left) + std::abs(right);
  if (std::abs(determinant) > kFilter2d * magnitude) return determinant > 0 ? 1 : -1;
  if (magnitude == 0) return 0;  // nothing underflows: both products are zero
  return orient2d_by_expansions(a, b, c);
}

int orient2d_by_expansions(const Vec2& a, const Vec2& b, const Vec2& c) {
  return exact_minor(exact_difference(b.x(), a.x()), exact_difference(b.y(), a.y()), exact_difference(c.x(), a.x()),
                     exact_difference(c.y(), a.y()))
      .sign();
}

int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const double ux = b.x() - a.x(), uy = b.y() - a.y(), uz = b.z() - a.z();
  const double vx = c.x() - a.x(), vy = c.y() - a.y(), vz = c.z() - a.z();
  const double wx = d.x() - a.x(), wy = d.y() - a.y(), wz = d.z() - a.z();
  const double yz = uy * vz, zy = uz * vy, zx = uz * vx, xz = ux * vz, xy = ux * vy, yx = uy * vx;
  const double determinant = wx * (yz - zy) + wy * (zx - xz) + wz * (xy - yx);
  const double magnitude = std::abs(wx) * (std::abs(yz) + std::abs(zy)) + std::abs(wy) * (std::abs(zx) + std::abs(xz)) +
                           std::abs(wz) * (std::abs(xy) + std::abs(yx));
  if (std::abs(determinant) > kFilter3d * magnitude) return determinant > 0 ? 1 : -1;
  if (magnitude == 0) return 0;  // nothing underflows: all products are zero
  return orient3d_by_expansions(a, b, c, d);
}

int orient3d_by_expansions(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  std::array<ExactDifference, 3> u, v, w;
  for (int i = 0; i < 3; ++i) {
    u[i] = exact_difference(b[i], a[i]);
    v[i] = exact_difference(c[i], a[i]);
    w[i] = exact_difference(d[i], a[i]);
  }
  Expansion<192> determinant;  // three products of a minor and a difference: 3 · 2 · (16 · 2)
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    determinant.add_product(exact_minor(u[j], u[k], v[j], v[k]), w[i]);
  }
  return determinant.sign();
}

}  // namespace pliant::contact
