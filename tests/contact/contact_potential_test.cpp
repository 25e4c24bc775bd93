// The contact energy's derivatives, also through embedded points and with friction; the largest step; forces.
#include "pliant/contact/contact_potential.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <memory>
#include <utility>

namespace pliant::contact {
namespace {

// A crumpled sheet of n × n cells, `layers` of them above each other at a given distance, over a table.
struct Scenery {
  std::shared_ptr<ContactSurface> surface;
  BlockVector q;
  Controls controls;
};

Scenery stack_of_sheets(int cells, double apart, double friction, bool table_moves = false) {
  Scenery scenery;
  std::vector<SurfacePart> parts(2);
  int block = 0;
  std::vector<Vec3> places;
  for (int layer = 0; layer < 2; ++layer) {
    SurfacePart& part = parts[static_cast<std::size_t>(layer)];
    part.name = layer == 0 ? "lower" : "upper";
    for (int j = 0; j <= cells; ++j) {
      for (int i = 0; i <= cells; ++i) {
        const double x = 0.1 * i + 0.03 * layer, z = 0.1 * j + 0.021 * layer;
        part.rest.emplace_back(x, 0.02 + layer * apart + 0.004 * std::sin(20 * x + 3 * z + layer), z);
        places.push_back(part.rest.back());
        part.points.push_back(MappedPoint::vertex(block++));
      }
    }
    const int row = cells + 1;
    for (int j = 0; j < cells; ++j) {
      for (int i = 0; i < cells; ++i) {
        const int a = j * row + i;
        part.triangles.emplace_back(a, a + row, a + 1);
        part.triangles.emplace_back(a + 1, a + row, a + row + 1);
      }
    }
  }
  SurfacePart table;
  table.name = "table";
  table.rest = {Vec3(-1, 0, -1), Vec3(-1, 0, 2), Vec3(2, 0, -1), Vec3(2, 0.001, 2)};
  table.triangles = {Vec3i(0, 1, 2), Vec3i(2, 1, 3)};
  scenery.surface = std::make_shared<ContactSurface>(join(parts, {table}));
  scenery.surface->rules.change_all([&](PairRule& rule) { rule.friction = friction; });
  scenery.q.resize(block);
  for (int b = 0; b < block; ++b) scenery.q[b] = places[static_cast<std::size_t>(b)];
  scenery.controls.filter = BlockFilter(block);
  scenery.controls.obstacle_before = table.rest;
  const Vec3 way = table_moves ? Vec3(0.002, 0.004, 0) : Vec3(0, 0, 0);
  for (const Vec3& x : table.rest) scenery.controls.obstacle_points.emplace_back(x + way);
  return scenery;
}

constexpr double kPressure = 50;
const ContactOptions kOptions{.distance = 0.03, .stick_displacement = 1e-3, .friction_iterations = 2};

// Gradient and exact Hessian at (q, progress), an iterate that contact has looked at, against differences; of every
// `stride`-th block. gradient_error: relative to the largest force.
void expect_derivatives(ContactPotential& contact, const BlockVector& q, double progress, int stride,
                        double gradient_error) {
  BlockVector gradient(q.size());
  contact.add_gradient(gradient);
  sparse::PatternBuilder builder(q.size());
  contact.couple(builder);
  const auto pattern = builder.build();
  ASSERT_TRUE(contact.fits(*pattern));
  sparse::SymmetricBlockMatrix hessian(pattern);
  contact.add_hessian(hessian, true);
  double largest = 0;
  for (int b = 0; b < q.size(); ++b) largest = std::max(largest, gradient[b].norm());
  EXPECT_GT(largest, 0);
  const double step = 1e-7;
  for (int b = 0; b < q.size(); b += stride) {
    for (int axis = 0; axis < 3; ++axis) {
      BlockVector right = q, left = q, by_difference(q.size()), other(q.size()), unit(q.size()), column(q.size());
      right[b][axis] += step;
      left[b][axis] -= step;
      EXPECT_NEAR((contact.value_at(right, progress) - contact.value_at(left, progress)) / (2 * step),
                  gradient[b][axis], gradient_error * largest);
      contact.look(right, progress);
      contact.add_gradient(by_difference);
      contact.look(left, progress);
      contact.add_gradient(other);
      sparse::add_scaled(by_difference, -1, other);
      sparse::scale(by_difference, 1 / (2 * step));
      unit[b][axis] = 1;
      hessian.multiply(unit, column);
      sparse::add_scaled(by_difference, -1, column);
      EXPECT_LT(std::sqrt(sparse::dot(by_difference, by_difference)),
                1e-4 * std::sqrt(sparse::dot(column, column)) + 1e-3)
          << b << " " << axis;
    }
  }
}

class ContactDerivatives : public ::testing::TestWithParam<double> {};

TEST_P(ContactDerivatives, MatchDifferences) {
  Scenery s = stack_of_sheets(3, 0.015, GetParam(), true);
  ContactPotential contact(s.surface, kOptions);
  contact.begin_step({s.q, s.controls, kPressure, StickMemory{}});
  // Where friction slides somewhat, and somewhere sticks.
  BlockVector d(s.q.size());
  for (int b = 0; b < d.size(); ++b) d[b] = 1e-3 * Vec3(std::sin(3.0 * b), 0.3 * std::cos(2.0 * b), std::cos(5.0 * b));
  ASSERT_EQ(contact.largest_step(s.q, d, 0, 0.5), 1);
  BlockVector q = s.q;
  sparse::add_scaled(q, 1, d);
  contact.look(q, 0.5);
  EXPECT_GT(contact.summary().count, 20);
  EXPECT_GT(contact.memory_bytes(), 20 * sizeof(Candidate));
  EXPECT_NEAR(contact.value(), contact.value_at(q, 0.5), 1e-12 * contact.value());
  expect_derivatives(contact, q, 0.5, 3, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(ContactPotential, ContactDerivatives, ::testing::Values(0.0, 0.4));

// A point that four blocks carry: the same energy and forces as where it is, pulled back.
TEST(ContactPotential, ActsThroughEmbeddedPoints) {
  Scenery s = stack_of_sheets(2, 0.015, 0);
  ContactPotential plain(s.surface, kOptions);
  plain.begin_step({s.q, s.controls, kPressure, StickMemory{}});
  BlockVector forces(s.q.size());
  plain.add_gradient(forces);
  // Blocks n.. take over half of each point.
  const int count = s.q.size();
  auto carried = std::make_shared<ContactSurface>(*s.surface);
  for (int i = 0; i < carried->first_obstacle_point; ++i) {
    const int block = carried->points[i].block[0];
    carried->points[i] = {{block, count + block, -1, -1}, {0.25, 0.75, 0, 0}, 2};
  }
  BlockVector q(2 * count), halves(2 * count);
  for (int b = 0; b < count; ++b) q[b] = q[count + b] = s.q[b];
  Controls controls = s.controls;
  controls.filter = BlockFilter(2 * count);
  ContactPotential embedded(carried, kOptions);
  embedded.begin_step({q, controls, kPressure, StickMemory{}});
  EXPECT_DOUBLE_EQ(embedded.value(), plain.value());
  embedded.add_gradient(halves);
  sparse::PatternBuilder builder(2 * count);
  embedded.couple(builder);
  sparse::SymmetricBlockMatrix hessian(builder.build());
  embedded.add_hessian(hessian, false);
  BlockVector shift(2 * count), pushed(2 * count);
  for (int b = 0; b < count; ++b) {
    EXPECT_LT((halves[b] - 0.25 * forces[b]).norm(), 1e-12);
    EXPECT_LT((halves[count + b] - 0.75 * forces[b]).norm(), 1e-12);
    // Points stay where they are: no forces change.
    shift[b] = Vec3(3, 1, 2);
    shift[count + b] = -Vec3(1, 1.0 / 3, 2.0 / 3);
  }
  hessian.multiply(shift, pushed);
  EXPECT_LT(std::sqrt(sparse::dot(pushed, pushed)), 1e-9);
}

// Action is reaction: what contact does to all blocks and to the table has no resultant and no moment.
TEST(ContactPotential, ForcesBalanceAndHaveNoMoment) {
  const Scenery s = stack_of_sheets(3, 0.015, 0.4);
  ContactPotential contact(s.surface, kOptions);
  contact.begin_step({s.q, s.controls, kPressure, StickMemory{}});
  BlockVector gradient(s.q.size());
  contact.add_gradient(gradient);
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero(), on_table = Vec3::Zero(), on_table_moment = Vec3::Zero();
  double largest = 0;
  for (int b = 0; b < s.q.size(); ++b) {
    force -= gradient[b];
    moment -= Vec3(s.q[b]).cross(Vec3(gradient[b]));
    largest = std::max(largest, gradient[b].norm());
  }
  bool meets_between = false;
  for (const ContactForce& f : contact.forces()) {
    const bool table_first = f.first_body == 2, table_second = f.second_body == 2;
    meets_between = meets_between || (!table_first && !table_second);
    if (!table_first && !table_second) continue;
    // Normal forces act along the line of the two closest points, so either end serves for the moment.
    const Vec3 on = table_first ? f.force : Vec3(-f.force);
    on_table += on;
    on_table_moment += f.point.cross(on);
  }
  EXPECT_TRUE(meets_between);
  EXPECT_GT(force.y(), 0.01);
  EXPECT_LT((force + on_table).norm(), 1e-12 * largest * s.q.size());
  EXPECT_LT((moment + on_table_moment).norm(), 1e-12 * largest * s.q.size());
}

// Bodies that part keep the friction of its last renewal: it is in the list, so the list still adds up to the gradient.
TEST(ContactPotential, ListsFrictionThatOutlastsItsContact) {
  const Scenery s = stack_of_sheets(3, 0.015, 0.4);
  ContactPotential contact(s.surface, kOptions);
  contact.begin_step({s.q, s.controls, kPressure, StickMemory{}});
  BlockVector d(s.q.size());
  for (int b = 0; b < d.size(); ++b) d[b] = Vec3(0.002, 0.011, 0.001);
  ASSERT_EQ(contact.largest_step(s.q, d, 1, 0), 1);
  BlockVector q = s.q;
  sparse::add_scaled(q, 1, d);
  contact.look(q, 1);
  BlockVector gradient(q.size());
  contact.add_gradient(gradient);
  Vec3 force = Vec3::Zero(), on_table = Vec3::Zero();
  for (int b = 0; b < q.size(); ++b) force -= gradient[b];
  const std::vector<ContactForce> forces = contact.forces();
  EXPECT_GT(static_cast<int>(forces.size()), contact.summary().count);
  for (const ContactForce& f : forces) {
    if (f.second_body == 2) {
      on_table -= f.force;
      EXPECT_LT((f.slip - Vec3(0.002, 0, 0.001)).norm(), 2e-4);  // the table tilts by less than a milliradian
      EXPECT_LE(f.friction.dot(f.slip), 0);
    } else if (f.first_body == 2) {
      on_table += f.force;
    }
    EXPECT_LT(std::abs(f.normal.dot(f.friction)), 0.05 * f.friction.norm() + 1e-15);
  }
  EXPECT_GT(force.norm(), 0);
  EXPECT_LT((force + on_table).norm(), 1e-12);
}

TEST(ContactPotential, LargestStepStopsBeforeTheTouch) {
  Scenery s = stack_of_sheets(3, 0.02, 0);
  ContactPotential contact(s.surface, kOptions);
  contact.begin_step({s.q, s.controls, kPressure, StickMemory{}});
  BlockVector d(s.q.size());
  for (int b = d.size() / 2; b < d.size(); ++b) d[b] = Vec3(0.01, -0.5, 0.02);  // the upper sheet, through all
  const double free = contact.largest_step(s.q, d, 1, 0);
  EXPECT_GT(free, 0.01);
  EXPECT_LT(free, 0.04);
  BlockVector q = s.q;
  sparse::add_scaled(q, free, d);
  EXPECT_TRUE(std::isfinite(contact.value_at(q, 1)));
  for (int b = 0; b < d.size(); ++b) d[b] = Vec3(0, 0.1, 0);
  EXPECT_EQ(contact.largest_step(s.q, d, 1, 0), 1);  // all of it up, together
}

// Obstacles' share of slope and curvature, against differences along their way.
TEST(ContactPotential, ObstaclesGoTheirWay) {
  Scenery s = stack_of_sheets(3, 0.015, 0, true);
  ContactPotential contact(s.surface, kOptions);
  contact.begin_step({s.q, s.controls, kPressure, StickMemory{}});
  BlockVector none(s.q.size()), product(s.q.size());
  ASSERT_EQ(contact.largest_step(s.q, none, 0, 1), 1);
  contact.look(s.q, 0);
  sparse::PatternBuilder builder(s.q.size());
  contact.couple(builder);
  sparse::SymmetricBlockMatrix hessian(builder.build());
  contact.add_hessian(hessian, true);
  const ContactPotential::ObstacleShare share = contact.add_obstacle_motion(0, product);
  const double h = 1e-4;
  const double value = contact.value_at(s.q, 0), right = contact.value_at(s.q, h), left = contact.value_at(s.q, -h);
  EXPECT_NEAR((right - left) / (2 * h), share.slope, 1e-4 * std::abs(share.slope));
  EXPECT_NEAR((right + left - 2 * value) / (h * h), share.curvature, 1e-2 * share.curvature);
  BlockVector after(s.q.size()), before(s.q.size());
  contact.look(s.q, h);
  contact.add_gradient(after);
  contact.look(s.q, -h);
  contact.add_gradient(before);
  sparse::add_scaled(after, -1, before);
  sparse::scale(after, 1 / (2 * h));
  sparse::add_scaled(after, -1, product);
  EXPECT_LT(std::sqrt(sparse::dot(after, after)), 1e-3 * std::sqrt(sparse::dot(product, product)));
}

TEST(ContactPotential, RemembersSlips) {
  Scenery s = stack_of_sheets(2, 0.015, 0.4);
  ContactPotential contact(s.surface, kOptions);
  contact.begin_step({s.q, s.controls, kPressure, StickMemory{}});
  BlockVector d(s.q.size());
  for (int b = 0; b < d.size(); ++b) d[b] = Vec3(2e-4, 0, 1e-4);
  (void)contact.largest_step(s.q, d, 1, 0);
  BlockVector q = s.q;
  sparse::add_scaled(q, 1, d);
  const StickMemory memory = contact.memory_at(q);
  ASSERT_FALSE(memory.keys.empty());
  EXPECT_TRUE(std::is_sorted(memory.keys.begin(), memory.keys.end()));
  contact.look(q, 1);
  BlockVector rubbed(q.size()), later(q.size());
  contact.add_gradient(rubbed);
  // The next step starts with the same friction forces, up to the turn of normals and the change of normal forces.
  contact.begin_step({q, s.controls, kPressure, memory});
  contact.add_gradient(later);
  Vec3 then = Vec3::Zero(), now = Vec3::Zero();
  for (int b = 0; b < q.size(); ++b) {
    then += rubbed[b];
    now += later[b];
  }
  EXPECT_GT(std::abs(now.x()), 0);
  EXPECT_NEAR(now.x(), then.x(), 0.05 * std::abs(then.x()));
  EXPECT_NEAR(now.z(), then.z(), 0.05 * std::abs(then.z()));
}

// A triangle and a rod's segment at a given height above a round obstacle.
struct RoundScenery {
  std::shared_ptr<ContactSurface> surface;
  BlockVector q;
  Controls controls;
};

RoundScenery on_round(const std::vector<Vec3>& axis, double height) {
  RoundScenery s;
  SurfacePart sheet, rod, round;
  const double y = 1 + height;
  sheet.rest = {Vec3(-0.05, y, -0.04), Vec3(0.06, y, -0.03), Vec3(0.01, y, 0.05)};
  sheet.triangles = {Vec3i(0, 1, 2)};
  rod.rest = {Vec3(-0.1, -y, 0.02), Vec3(0.2, -y, -0.01)};
  rod.segments = {{0, 1}};
  rod.segment_width = 0.01;
  for (int i = 0; i < 3; ++i) sheet.points.push_back(MappedPoint::vertex(i));
  for (int i = 3; i < 5; ++i) rod.points.push_back(MappedPoint::vertex(i));
  round.rest = axis;
  round.segments = {{0, static_cast<int>(axis.size()) - 1}};
  round.thickness = 1;
  round.is_round = true;
  s.surface = std::make_shared<ContactSurface>(join({sheet, rod}, {round}));
  s.q.resize(5);
  for (int i = 0; i < 5; ++i) s.q[i] = s.surface->rest_points[static_cast<std::size_t>(i)];
  s.controls.filter = BlockFilter(5);
  s.controls.obstacle_before = s.controls.obstacle_points = axis;
  return s;
}

// A sphere feels the same from everywhere: no facet, no edge.
TEST(ContactPotential, ASphereHasNoFacets) {
  RoundScenery s = on_round({Vec3(0, 0, 0)}, 0.01);
  ContactPotential contact(s.surface, kOptions);
  contact.begin_step({s.q, s.controls, kPressure, StickMemory{}});
  const double energy = contact.value();
  ASSERT_EQ(contact.summary().count, 2);
  EXPECT_NEAR(contact.summary().smallest_gap, 0.01, 1e-12);
  for (int k = 1; k <= 40; ++k) {
    const Mat3 turn = (Eigen::AngleAxisd(0.07 * k, Vec3::UnitX()) * Eigen::AngleAxisd(0.05 * k, Vec3::UnitZ()) *
                       Eigen::AngleAxisd(0.11 * k, Vec3::UnitY()))
                          .toRotationMatrix();
    BlockVector q(5);
    for (int b = 0; b < 5; ++b) q[b] = turn * Vec3(s.q[b]);
    contact.begin_step({q, s.controls, kPressure, StickMemory{}});
    EXPECT_NEAR(contact.value(), energy, 1e-10 * energy) << k;
    for (const ContactForce& f : contact.forces()) {
      // The sheet's own normal; the line from the centre to the rod. Points are on the surface, not in the middle.
      const Vec3 along = f.first_body == 2 ? Vec3(turn.col(1)) : Vec3(f.point.normalized());
      EXPECT_NEAR(std::abs(f.normal.dot(along)), 1, 1e-9);
      EXPECT_NEAR(f.point.norm(), f.first_body == 2 ? 1 : 1 + f.gap, 1e-12);
    }
  }
}

TEST(ContactPotential, RoundObstaclesHaveTheRightDerivatives) {
  for (const std::vector<Vec3>& axis :
       {std::vector<Vec3>{Vec3(0.01, 0, 0.005)}, std::vector<Vec3>{Vec3(-0.02, 0, -0.5), Vec3(0.03, 0, 0.6)}}) {
    RoundScenery s = on_round(axis, 0.015);
    ContactPotential contact(s.surface, kOptions);
    contact.begin_step({s.q, s.controls, kPressure, StickMemory{}});
    ASSERT_GE(contact.summary().count, 2);
    expect_derivatives(contact, s.q, 1, 1, 1e-6);
    // Straight through: the way ends before the sphere.
    BlockVector down(5);
    for (int b = 0; b < 3; ++b) down[b] = Vec3(0, -2, 0);
    const double free = contact.largest_step(s.q, down, 1, 0);
    EXPECT_GT(free, 0);
    EXPECT_LT(2 * free, 0.0151);
  }
}

// A pair's own distance and thickness say where its force begins.
// Grains that touch each other and a table: points with a radius, which have no place at rest of their own.
Scenery heap_of_grains(double radius) {
  Scenery scenery;
  SurfacePart grains, table;
  grains.name = "grains";
  grains.is_loose = true;
  grains.thickness = radius;
  grains.segment_width = 2 * radius;
  grains.rest = {Vec3(0, radius + 0.01, 0), Vec3(2.1 * radius, radius + 0.012, 0.01),
                 Vec3(1.05 * radius, 2.85 * radius, 0.3 * radius)};
  for (int v = 0; v < 3; ++v) {
    grains.points.push_back(MappedPoint::vertex(v));
    grains.segments.push_back({v, v});
  }
  table.name = "table";
  table.rest = {Vec3(-3, 0, -3), Vec3(-3, 0, 9.1), Vec3(9, 0, -3)};
  table.triangles = {Vec3i(0, 1, 2)};
  scenery.surface = std::make_shared<ContactSurface>(join({grains}, {table}));
  scenery.surface->rules.change_all([](PairRule& rule) { rule.friction = 0.4; });
  scenery.q.resize(3);
  for (int b = 0; b < 3; ++b) scenery.q[b] = grains.rest[static_cast<std::size_t>(b)];
  scenery.controls.filter = BlockFilter(3);
  scenery.controls.obstacle_before = scenery.controls.obstacle_points = table.rest;
  return scenery;
}

TEST(ContactPotential, GrainsHaveTheRightDerivatives) {
  const Scenery s = heap_of_grains(0.2);
  ContactPotential contact(s.surface, kOptions);
  contact.begin_step({s.q, s.controls, kPressure, StickMemory{}});
  // Three pairs of grains are near, and two grains are above the table; each pair is there once.
  ASSERT_EQ(contact.summary().count, 5);
  BlockVector d(3);
  for (int b = 0; b < 3; ++b) d[b] = 1e-3 * Vec3(std::sin(b), -0.3, std::cos(3 * b));
  ASSERT_EQ(contact.largest_step(s.q, d, 0, 1), 1);
  BlockVector q = s.q;
  sparse::add_scaled(q, 1, d);
  contact.look(q, 1);
  contact.renew_friction();
  sparse::add_scaled(q, 0.3, d);
  contact.look(q, 1);
  expect_derivatives(contact, q, 1, 1, 1e-6);
}

TEST(ContactPotential, GrainsAreStoppedByTheirRadius) {
  const Scenery s = heap_of_grains(0.2);
  ContactPotential contact(s.surface, kOptions);
  contact.begin_step({s.q, s.controls, kPressure, StickMemory{}});
  BlockVector d(3);
  d[1] = Vec3(-1, 0, 0);  // into the first
  const double part = contact.largest_step(s.q, d, 0, 1), gap = (s.q[1] - s.q[0]).norm() - 0.4;
  EXPECT_GT(part, 0);
  EXPECT_NEAR((s.q[1] + part * d[1] - s.q[0]).norm() - 0.4, 0.2 * gap, 0.05 * gap);
}

TEST(ContactPotential, GrainsToComeTouchNothing) {
  Scenery s = heap_of_grains(0.2);
  s.controls.to_come = {1};
  s.controls.filter.hold(1);
  ContactPotential contact(s.surface, kOptions);
  contact.begin_step({s.q, s.controls, kPressure, StickMemory{}});
  EXPECT_EQ(contact.summary().count, 2);  // the first above the table, and the third on it
  BlockVector d(3);
  d[0] = Vec3(0.4, 0, 0);  // right through it
  d[2] = Vec3(0, 1, 0);
  EXPECT_EQ(contact.largest_step(s.q, d, 0, 1), 1);
}

TEST(ContactPotential, PairsHaveTheirOwnReach) {
  Scenery s = stack_of_sheets(2, 0.015, 0);
  const auto forces_between = [&](int a, int b) {
    ContactPotential contact(s.surface, {.distance = 0.002});
    contact.begin_step({s.q, s.controls, kPressure, StickMemory{}});
    double smallest = 1;
    int count = 0;
    for (const ContactForce& f : contact.forces()) {
      if (std::minmax(f.first_body, f.second_body) != std::minmax(a, b)) continue;
      ++count;
      smallest = std::min(smallest, f.gap);
    }
    return std::pair(count, smallest);
  };
  ASSERT_EQ(forces_between(0, 1).first, 0);
  s.surface->rules.change(0, 1, [](PairRule& rule) { rule.distance = 0.03; });
  const auto [wide, wide_gap] = forces_between(0, 1);
  EXPECT_GT(wide, 5);
  s.surface->rules.change(0, 1, [](PairRule& rule) { rule.thickness = 0.004; });
  const auto [thick, thick_gap] = forces_between(0, 1);
  EXPECT_GE(thick, wide);
  EXPECT_NEAR(thick_gap, wide_gap - 0.004, 1e-12);
  EXPECT_EQ(forces_between(0, 2).first, 0);
}

}  // namespace
}  // namespace pliant::contact
