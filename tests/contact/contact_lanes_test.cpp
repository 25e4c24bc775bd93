// Four Hessians at a time against one at a time, exact and projected, of every feature in every company.
#include "pliant/contact/contact_lanes.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "pliant/contact/pair_measures.h"

namespace pliant::contact {
namespace {

using Matrix12 = Eigen::Matrix<double, 12, 12>;

Matrix12 matrix_of(const LocalHessian& local) {
  Matrix12 h = Matrix12::Zero();
  for (int k = 0; k < local.count; ++k) {
    Eigen::Matrix<double, 12, 1> v;
    for (int j = 0; j < 4; ++j)
      v.segment<3>(3 * j) = local.vector[static_cast<std::size_t>(k)][static_cast<std::size_t>(j)];
    h += local.sign[static_cast<std::size_t>(k)] * v * v.transpose();
  }
  return h;
}

Matrix12 matrix_of(const ContactHessians& hessians, int lane) {
  Matrix12 h;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      math::Lanes entries[3][3];
      hessians.block(i, j, entries);
      for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) h(3 * i + row, 3 * j + column) = entries[row][column][lane];
      }
    }
  }
  return h;
}

struct Four {
  FourContacts lanes;
  std::array<ContactGeometry, 4> one;
};

Four random_contacts(PairKind kind, std::mt19937& random) {
  std::uniform_real_distribution<double> place(-1, 1), positive(0.1, 2);
  Four four;
  four.lanes.kind = kind;
  for (int l = 0; l < 4; ++l) {
    FourPoints x;
    for (Vec3& p : x) p = Vec3(place(random), place(random), place(random));
    const ClosestPoints closest = closest_of(kind, x);
    const ContactGeometry g = contact_geometry(kind, x, closest);
    four.one[static_cast<std::size_t>(l)] = g;
    for (std::size_t j = 0; j < 4; ++j) {
      four.lanes.x.vertex[j].x[l] = x[j][0];
      four.lanes.x.vertex[j].y[l] = x[j][1];
      four.lanes.x.vertex[j].z[l] = x[j][2];
      four.lanes.weight[j][l] = g.weight[j];
    }
    four.lanes.normal.x[l] = g.normal[0];
    four.lanes.normal.y[l] = g.normal[1];
    four.lanes.normal.z[l] = g.normal[2];
    four.lanes.feature[l] = static_cast<std::int64_t>(closest.feature);
    four.lanes.distance[l] = g.distance;
    four.lanes.slope[l] = -positive(random);
    four.lanes.curvature[l] = positive(random);
  }
  return four;
}

class ContactLanesOf : public ::testing::TestWithParam<PairKind> {};

TEST_P(ContactLanesOf, EqualOneAtATime) {
  std::mt19937 random(11);
  std::array<int, 4> seen{};
  for (int round = 0; round < 2000; ++round) {
    const Four four = random_contacts(GetParam(), random);
    for (const bool is_exact : {true, false}) {
      const ContactHessians hessians(four.lanes, is_exact);
      for (int l = 0; l < 4; ++l) {
        LocalHessian local;
        add_distance_hessian(four.one[static_cast<std::size_t>(l)], four.lanes.slope[l], four.lanes.curvature[l],
                             is_exact, local);
        const Matrix12 expected = matrix_of(local);
        ASSERT_LT((matrix_of(hessians, l) - expected).norm(), 1e-10 * expected.norm())
            << (is_exact ? "exact" : "projected") << ", feature " << four.lanes.feature[l];
        ++seen[static_cast<std::size_t>(four.lanes.feature[l])];
      }
    }
  }
  EXPECT_GT(seen[static_cast<std::size_t>(Feature::point_point)], 100);
  EXPECT_GT(seen[static_cast<std::size_t>(Feature::point_edge)], 100);
  EXPECT_GT(seen[static_cast<std::size_t>(Feature::point_face)] + seen[static_cast<std::size_t>(Feature::edge_edge)],
            100);
}

INSTANTIATE_TEST_SUITE_P(ContactLanes, ContactLanesOf, ::testing::Values(PairKind::point_triangle, PairKind::edges),
                         [](const auto& tested) {
                           return tested.param == PairKind::edges ? "edges" : "point_triangle";
                         });

TEST(ContactLanes, PlanesHaveNoCurvature) {
  FourContacts planes{};
  planes.kind = PairKind::point_plane;
  planes.normal.y = math::lanes_of(1);
  planes.weight[0] = math::lanes_of(1);
  planes.weight[1] = math::lanes_of(-1);
  planes.distance = math::lanes_of(0.1);
  planes.slope = math::lanes_of(-3);
  planes.curvature = math::lanes_of(7);
  LocalHessian local;
  add_distance_hessian(plane_geometry(0.1, Vec3::UnitY()), -3, 7, true, local);
  for (const bool is_exact : {true, false})
    EXPECT_LT((matrix_of(ContactHessians(planes, is_exact), 2) - matrix_of(local)).norm(), 1e-14);
}

}  // namespace
}  // namespace pliant::contact
