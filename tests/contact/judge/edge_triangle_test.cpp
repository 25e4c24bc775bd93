// An edge and a triangle, case by case: crossing, touching, within one plane, without area or length.
#include "pliant/contact/judge/edge_triangle.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace pliant::contact {
namespace {

const Vec3 kCornerA(0, 0, 0), kCornerB(1, 0, 0), kCornerC(0, 1, 0);

// In all orders of ends and corners, which must not matter.
bool meets(const Vec3& p, const Vec3& q, const Vec3& a = kCornerA, const Vec3& b = kCornerB, const Vec3& c = kCornerC) {
  const bool answer = edge_meets_triangle(p, q, a, b, c);
  EXPECT_EQ(edge_meets_triangle(q, p, a, b, c), answer);
  EXPECT_EQ(edge_meets_triangle(p, q, b, c, a), answer);
  EXPECT_EQ(edge_meets_triangle(p, q, c, a, b), answer);
  EXPECT_EQ(edge_meets_triangle(p, q, b, a, c), answer);
  EXPECT_EQ(edge_meets_triangle(q, p, a, c, b), answer);
  return answer;
}

bool reenters(const Vec3& shared, const Vec3& other, const Vec3& b, const Vec3& c) {
  const bool answer = edge_reenters_triangle(shared, other, b, c);
  EXPECT_EQ(edge_reenters_triangle(shared, other, c, b), answer);
  return answer;
}

TEST(EdgeTriangle, Crossing) {
  EXPECT_TRUE(meets({0.2, 0.2, -1}, {0.3, 0.3, 1}));
  EXPECT_FALSE(meets({0.8, 0.8, -1}, {0.8, 0.8, 1}));
  EXPECT_FALSE(meets({0.2, 0.2, 1e-85}, {0.3, 0.3, 1}));  // not quite
  EXPECT_FALSE(meets({0.2, 0.2, 1e-15}, {0.3, 0.3, 1e-15}));
}

TEST(EdgeTriangle, TouchingCounts) {
  EXPECT_TRUE(meets({0.25, 0.25, 0}, {0.25, 0.25, 1}));  // an end on the face
  EXPECT_TRUE(meets({0.5, 0, 0}, {0.5, -1, 1}));         // an end on a side
  EXPECT_TRUE(meets({0.5, 0, -1}, {0.5, 0, 1}));         // through a side
  EXPECT_TRUE(meets({1, 0, -1}, {1, 0, 1}));             // through a corner
  EXPECT_TRUE(meets({0, 0, 0}, {-1, -1, 1}));            // an end on a corner
  EXPECT_TRUE(meets({0.5, 0.5, -1}, {0.5, 0.5, 1}));     // the slanted side, whose middle is a double
  EXPECT_FALSE(meets({0.5, -0x1p-52, -1}, {0.5, -0x1p-52, 1}));
  EXPECT_FALSE(meets({0.5, 0.5 + 0x1p-52, -1}, {0.5, 0.5 + 0x1p-52, 1}));
  EXPECT_FALSE(meets({1 + 0x1p-52, 0, -1}, {1 + 0x1p-52, 0, 1}));
}

TEST(EdgeTriangle, WithinOnePlane) {
  EXPECT_TRUE(meets({0.1, 0.1, 0}, {0.2, 0.2, 0}));  // inside
  EXPECT_TRUE(meets({-1, 0.25, 0}, {2, 0.25, 0}));   // across
  EXPECT_TRUE(meets({0.1, 0.1, 0}, {3, 3, 0}));      // one end inside
  EXPECT_TRUE(meets({-1, 0, 0}, {2, 0, 0}));         // along a side
  EXPECT_TRUE(meets({1, 0, 0}, {2, 0, 0}));          // from a corner away
  EXPECT_TRUE(meets({1, -1, 0}, {1, 1, 0}));         // grazing a corner
  EXPECT_FALSE(meets({1.5, 0, 0}, {2, 0, 0}));       // on the line of a side, beyond
  EXPECT_FALSE(meets({1, 1, 0}, {0.6, 0.6, 0}));     // outside
  EXPECT_FALSE(meets({-1, 2.5, 0}, {2.5, -1, 0}));   // passing
  EXPECT_TRUE(meets({-1, 2, 0}, {2, -1, 0}));        // along the slanted side
}

TEST(EdgeTriangle, NoLength) {
  EXPECT_TRUE(meets({0.25, 0.25, 0}, {0.25, 0.25, 0}));
  EXPECT_TRUE(meets(kCornerB, kCornerB));
  EXPECT_FALSE(meets({0.25, 0.25, 1e-80}, {0.25, 0.25, 1e-80}));
  EXPECT_FALSE(meets({0.75, 0.75, 0}, {0.75, 0.75, 0}));
}

TEST(EdgeTriangle, NoArea) {
  const Vec3 a(0, 0, 0), b(1, 2, 3), c(3, 6, 9);  // a segment from a to c
  EXPECT_TRUE(meets({1, 2, 2}, {1, 2, 4}, a, b, c));
  EXPECT_TRUE(meets({2, 4, 5}, {2, 4, 7}, a, b, c));
  EXPECT_TRUE(meets({2, 4, 6}, {5, 10, 15}, a, b, c));    // along it
  EXPECT_FALSE(meets({4, 8, 12}, {5, 10, 15}, a, b, c));  // along it, beyond
  EXPECT_FALSE(meets({2, 4, 6.5}, {2, 4, 7}, a, b, c));   // in a plane with it
  EXPECT_FALSE(meets({0, 1, 0}, {2, 4, 7}, a, b, c));     // skew
  EXPECT_TRUE(meets({2, 4, 6}, {2, 4, 6}, a, b, c));      // point on segment
  EXPECT_FALSE(meets({2, 4, 6}, {2, 4, 6}, a, b, b));     // point beside segment
  EXPECT_TRUE(meets({0, 1, 2}, {2, 3, 4}, b, b, b));      // point triangle on the edge
  EXPECT_FALSE(meets({0, 1, 2}, {2, 3, 4.5}, b, b, b));
  EXPECT_TRUE(meets(b, b, b, b, b));
  EXPECT_FALSE(meets(a, a, b, b, b));
}

TEST(EdgeTriangle, OneCornerInCommon) {
  EXPECT_TRUE(reenters(kCornerA, {0.1, 0.1, 0}, kCornerB, kCornerC));  // inside the triangle
  EXPECT_TRUE(reenters(kCornerA, {5, 5, 0}, kCornerB, kCornerC));      // through it and out
  EXPECT_TRUE(reenters(kCornerA, {3, 0, 0}, kCornerB, kCornerC));      // along a side
  EXPECT_FALSE(reenters(kCornerA, {-1, 0, 0}, kCornerB, kCornerC));    // continuing a side
  EXPECT_FALSE(reenters(kCornerA, {1, -0x1p-200, 0}, kCornerB, kCornerC));
  EXPECT_FALSE(reenters(kCornerA, {1, 1, 0x1p-200}, kCornerB, kCornerC));  // leaves the plane
  EXPECT_FALSE(reenters(kCornerA, {-1, -1, 0}, kCornerB, kCornerC));
  EXPECT_FALSE(reenters(kCornerA, {0, 0, 1}, kCornerB, kCornerC));
  EXPECT_TRUE(reenters(kCornerA, kCornerA, kCornerB, kCornerC));  // different vertices at one position
}

TEST(EdgeTriangle, OneCornerInCommonNoArea) {
  const Vec3 o(1, 1, 1), along(2, 3, 4), beyond(3, 5, 7), back(0, -1, -2), aside(2, 3, 5);
  EXPECT_TRUE(reenters(o, along, along, beyond));
  EXPECT_TRUE(reenters(o, beyond, along, back));
  EXPECT_TRUE(reenters(o, back, along, back));
  EXPECT_FALSE(reenters(o, back, along, beyond));
  EXPECT_FALSE(reenters(o, aside, along, beyond));
  EXPECT_FALSE(reenters(o, aside, along, back));
  EXPECT_FALSE(reenters(o, along, o, o));  // the triangle is the shared point
  EXPECT_TRUE(reenters(o, along, o, beyond));
  EXPECT_FALSE(reenters(o, aside, o, beyond));
  EXPECT_TRUE(reenters(o, o, o, o));
}

// Another way to the same answer, for small integers: sets meet if 0 is in the convex hull of the differences of their
// corners, and then (Carathéodory) it is a combination with positive weights of at most four of them, independent but
// for that one relation. No plane, projection or case of degeneracy occurs.
struct IntegerVector {
  std::int64_t x, y, z;
  IntegerVector operator-(const IntegerVector& o) const { return {x - o.x, y - o.y, z - o.z}; }
  [[nodiscard]] std::int64_t dot(const IntegerVector& o) const { return x * o.x + y * o.y + z * o.z; }
  [[nodiscard]] IntegerVector cross(const IntegerVector& o) const {
    return {y * o.z - z * o.y, z * o.x - x * o.z, x * o.y - y * o.x};
  }
  [[nodiscard]] bool is_zero() const { return x == 0 && y == 0 && z == 0; }
  [[nodiscard]] bool is_parallel(const IntegerVector& o) const { return cross(o).is_zero() && dot(o) > 0; }
};

bool balance(const IntegerVector& u, const IntegerVector& v) { return u.cross(v).is_zero() && u.dot(v) < 0; }
bool balance(const IntegerVector& u, const IntegerVector& v, const IntegerVector& w) {
  const IntegerVector uv = u.cross(v), vw = v.cross(w), wu = w.cross(u);
  return uv.is_parallel(vw) && vw.is_parallel(wu);
}
bool balance(const IntegerVector& u, const IntegerVector& v, const IntegerVector& w, const IntegerVector& x) {
  const std::int64_t of_u = v.cross(w).dot(x), of_v = -u.cross(w).dot(x), of_w = u.cross(v).dot(x),
                     of_x = -u.cross(v).dot(w);
  return (of_u > 0 && of_v > 0 && of_w > 0 && of_x > 0) || (of_u < 0 && of_v < 0 && of_w < 0 && of_x < 0);
}

bool hull_contains_zero(const std::vector<IntegerVector>& points) {
  const std::size_t n = points.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (points[i].is_zero()) return true;
    for (std::size_t j = i + 1; j < n; ++j) {
      if (balance(points[i], points[j])) return true;
      for (std::size_t k = j + 1; k < n; ++k) {
        if (balance(points[i], points[j], points[k])) return true;
        for (std::size_t l = k + 1; l < n; ++l) {
          if (balance(points[i], points[j], points[k], points[l])) return true;
        }
      }
    }
  }
  return false;
}

class SmallIntegers {
 public:
  IntegerVector point() { return {coordinate_(random_), coordinate_(random_), coordinate_(random_)}; }

 private:
  std::mt19937 random_{5};
  std::uniform_int_distribution<int> coordinate_{-2, 2};
};

Vec3 as_reals(const IntegerVector& v) {
  return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}

TEST(EdgeTriangle, SmallIntegersByConvexHull) {
  SmallIntegers integers;
  int hits = 0, flat = 0;
  const int count = 200000;
  for (int i = 0; i < count; ++i) {
    const IntegerVector p = integers.point(), q = integers.point();
    const IntegerVector a = integers.point(), b = integers.point();
    // Every fourth triangle has no area, or is even a point.
    const IntegerVector c = i % 4 == 0 ? IntegerVector{2 * b.x - a.x, 2 * b.y - a.y, 2 * b.z - a.z} : integers.point();
    const bool expected = hull_contains_zero({p - a, p - b, p - c, q - a, q - b, q - c});
    hits += expected ? 1 : 0;
    flat += expected && (b - a).cross(c - a).is_zero() ? 1 : 0;
    ASSERT_EQ(edge_meets_triangle(as_reals(p), as_reals(q), as_reals(a), as_reals(b), as_reals(c)), expected) << i;
  }
  EXPECT_GT(hits, count / 20);
  EXPECT_GT(flat, count / 1000);
}

TEST(EdgeTriangle, SmallIntegersByConeFromTheCommonCorner) {
  SmallIntegers integers;
  int hits = 0;
  const int count = 200000;
  for (int i = 0; i < count; ++i) {
    const IntegerVector shared = integers.point(), other = integers.point();
    const IntegerVector b = integers.point(), c = integers.point();
    // other − shared is 0, or a positive combination of one or of two independent vectors.
    const IntegerVector out = other - shared, to_b = shared - b, to_c = shared - c;
    const bool expected = out.is_zero() || balance(out, to_b) || balance(out, to_c) || balance(out, to_b, to_c);
    hits += expected ? 1 : 0;
    ASSERT_EQ(edge_reenters_triangle(as_reals(shared), as_reals(other), as_reals(b), as_reals(c)), expected) << i;
  }
  EXPECT_GT(hits, count / 50);
}

}  // namespace
}  // namespace pliant::contact
