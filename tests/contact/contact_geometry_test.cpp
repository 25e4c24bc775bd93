// Closed-form second derivatives of distances against differences of the first, for every feature; their positive parts.
#include "pliant/contact/contact_geometry.h"
#include "tests/support/dense_algebra.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

namespace pliant::contact {
namespace {

using Vector12 = Eigen::Matrix<double, 12, 1>;
using Matrix12 = Eigen::Matrix<double, 12, 12>;

ClosestPoints closest(PairKind kind, const FourPoints& x) {
  return kind == PairKind::edges ? closest_edges(x[0], x[1], x[2], x[3])
                                 : closest_point_triangle(x[0], x[1], x[2], x[3]);
}

FourPoints shifted(FourPoints x, int coordinate, double by) {
  x[static_cast<std::size_t>(coordinate / 3)][coordinate % 3] += by;
  return x;
}

Matrix12 dense(const LocalHessian& local) {
  Matrix12 h = Matrix12::Zero();
  for (int k = 0; k < local.count; ++k) {
    Vector12 v;
    for (int j = 0; j < 4; ++j)
      v.segment<3>(3 * j) = local.vector[static_cast<std::size_t>(k)][static_cast<std::size_t>(j)];
    h += local.sign[static_cast<std::size_t>(k)] * v * v.transpose();
  }
  return h;
}

// E(d) = 1/d: pushes apart.
double energy(double d) { return 1 / d; }
double slope(double d) { return -1 / (d * d); }
double curvature(double d) { return 2 / (d * d * d); }

Vector12 gradient(PairKind kind, const FourPoints& x, double threshold) {
  const ContactGeometry g = contact_geometry(kind, x, closest(kind, x));
  Mollifier m;
  if (threshold > 0) m = edge_mollifier(x, threshold);
  Vector12 result;
  for (int j = 0; j < 4; ++j) {
    const auto k = static_cast<std::size_t>(j);
    result.segment<3>(3 * j) = m.value * slope(g.distance) * g.weight[k] * g.normal;
    if (m.slope != 0) result.segment<3>(3 * j) += m.slope * energy(g.distance) * m.gradient[k];
  }
  return result;
}

Matrix12 hessian_by_differences(PairKind kind, const FourPoints& x, double threshold) {
  Matrix12 h;
  const double step = 1e-6;
  for (int c = 0; c < 12; ++c)
    h.col(c) =
        (gradient(kind, shifted(x, c, step), threshold) - gradient(kind, shifted(x, c, -step), threshold)) / (2 * step);
  return h;
}

struct Case {
  const char* name;
  PairKind kind;
  Feature feature;
  FourPoints x;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

class EveryFeature : public ::testing::TestWithParam<Case> {};

TEST_P(EveryFeature, HasItsDerivatives) {
  const Case& c = GetParam();
  std::mt19937 random(7);
  std::uniform_real_distribution<double> noise(-0.03, 0.03);
  for (int repeat = 0; repeat < 20; ++repeat) {
    FourPoints x = c.x;
    for (Vec3& p : x) p += Vec3(noise(random), noise(random), noise(random));
    ASSERT_EQ(closest(c.kind, x).feature, c.feature);
    const ContactGeometry g = contact_geometry(c.kind, x, closest(c.kind, x));
    // First derivative against differences of the energy.
    const Vector12 first = gradient(c.kind, x, 0);
    for (int k = 0; k < 12; ++k) {
      const double right = energy(closest(c.kind, shifted(x, k, 1e-6)).distance()),
                   left = energy(closest(c.kind, shifted(x, k, -1e-6)).distance());
      EXPECT_NEAR((right - left) / 2e-6, first[k], 1e-6);
    }
    LocalHessian exact, projected;
    add_distance_hessian(g, slope(g.distance), curvature(g.distance), true, exact);
    add_distance_hessian(g, slope(g.distance), curvature(g.distance), false, projected);
    const Matrix12 reference = hessian_by_differences(c.kind, x, 0);
    EXPECT_LT((dense(exact) - reference).norm(), 1e-6 * reference.norm());
    // The projected one has no negative part, and bounds the exact one from above.
    EXPECT_GT(test::eigenvalues(dense(projected))[0], -1e-9);
    EXPECT_GT(test::eigenvalues(dense(projected) - dense(exact))[0], -1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(
    ContactGeometry, EveryFeature,
    ::testing::Values(Case{"point_face",
                           PairKind::point_triangle,
                           Feature::point_face,
                           {Vec3(0.3, 0.5, 0.3), Vec3(0, 0, 0), Vec3(1, 0, 0.1), Vec3(0, 0.1, 1)}},
                      Case{"point_side",
                           PairKind::point_triangle,
                           Feature::point_edge,
                           {Vec3(0.5, 0.4, -0.4), Vec3(0, 0, 0), Vec3(1, 0, 0.1), Vec3(0, 0.1, 1)}},
                      Case{"point_other_side",
                           PairKind::point_triangle,
                           Feature::point_edge,
                           {Vec3(-0.4, 0.4, 0.5), Vec3(0, 0, 0), Vec3(1, 0, 0.1), Vec3(0, 0.1, 1)}},
                      Case{"point_third_side",
                           PairKind::point_triangle,
                           Feature::point_edge,
                           {Vec3(0.9, 0.4, 0.9), Vec3(0, 0, 0), Vec3(1, 0, 0.1), Vec3(0, 0.1, 1)}},
                      Case{"point_corner",
                           PairKind::point_triangle,
                           Feature::point_point,
                           {Vec3(-0.4, 0.4, -0.4), Vec3(0, 0, 0), Vec3(1, 0, 0.1), Vec3(0, 0.1, 1)}},
                      Case{"edges",
                           PairKind::edges,
                           Feature::edge_edge,
                           {Vec3(-0.5, 0.4, 0.1), Vec3(0.5, 0.5, -0.1), Vec3(0, 0, -0.5), Vec3(0.1, 0, 0.6)}},
                      Case{"end_of_edge",
                           PairKind::edges,
                           Feature::point_edge,
                           {Vec3(0.3, 0.4, 0.1), Vec3(1, 0.6, -0.1), Vec3(0, 0, -0.5), Vec3(0.1, 0, 0.6)}},
                      Case{"end_of_other_edge",
                           PairKind::edges,
                           Feature::point_edge,
                           {Vec3(-0.5, 0.4, 0.1), Vec3(0.5, 0.5, -0.1), Vec3(0, 0, 0.4), Vec3(0.1, 0, 1.2)}},
                      Case{"ends",
                           PairKind::edges,
                           Feature::point_point,
                           {Vec3(0.3, 0.4, 0.1), Vec3(1, 0.6, -0.1), Vec3(0, 0, 0.4), Vec3(-0.5, 0, 1.2)}}),
    [](const auto& tested) { return tested.param.name; });

TEST(ContactGeometry, NearlyParallelEdges) {
  // 1° apart; below the threshold of 1.8°.
  const double turn = 0.017;
  const FourPoints x = {Vec3(-0.5, 0.3, 0.02), Vec3(0.5, 0.31, 0.03), Vec3(-0.4, 0, 0), Vec3(0.6, 0, turn)};
  const double threshold = 1e-3 * (x[1] - x[0]).squaredNorm() * (x[3] - x[2]).squaredNorm();
  const Mollifier m = edge_mollifier(x, threshold);
  ASSERT_FALSE(m.is_one());
  const ContactGeometry g = contact_geometry(PairKind::edges, x, closest(PairKind::edges, x));
  LocalHessian exact, projected;
  add_mollified_hessian(g, x, m, energy(g.distance), slope(g.distance), curvature(g.distance), true, exact);
  add_mollified_hessian(g, x, m, energy(g.distance), slope(g.distance), curvature(g.distance), false, projected);
  const Matrix12 reference = hessian_by_differences(PairKind::edges, x, threshold);
  EXPECT_LT((dense(exact) - reference).norm(), 1e-5 * reference.norm());
  EXPECT_GT(test::eigenvalues(dense(projected))[0], -1e-9 * reference.norm());
}

// Turning through parallel, where closest points jump from end to end, leaves no jump in the forces.
TEST(ContactGeometry, ForcesAreContinuousThroughParallel) {
  // The largest change of the forces over a small turn, relative to the largest force.
  const auto largest_jump = [](double threshold) {
    Vector12 before = Vector12::Zero();
    double largest = 0, typical = 0;
    for (double turn = -0.05; turn <= 0.05; turn += 1e-4) {
      const FourPoints x = {Vec3(-0.5, 0.3, 0), Vec3(0.5, 0.3, 0), Vec3(-0.3, 0, -turn / 2), Vec3(0.7, 0, turn / 2)};
      const Vector12 now = gradient(PairKind::edges, x, threshold);
      if (turn > -0.05) largest = std::max(largest, (now - before).norm());
      typical = std::max(typical, now.norm());
      before = now;
    }
    return largest / typical;
  };
  EXPECT_GT(largest_jump(0), 0.3);
  EXPECT_LT(largest_jump(1e-3), 0.03);
}

TEST(ContactGeometry, APlaneHasNoCurvature) {
  LocalHessian local;
  add_distance_hessian(plane_geometry(0.1, Vec3::UnitY()), -3, 7, true, local);
  const Matrix12 h = dense(local);
  EXPECT_DOUBLE_EQ(h(1, 1), 7);
  EXPECT_DOUBLE_EQ(h(1, 4), -7);  // the point that carries the plane
  EXPECT_DOUBLE_EQ(h.norm(), 14);
}

}  // namespace
}  // namespace pliant::contact
