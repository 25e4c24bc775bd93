// Elastic rods: exact derivatives far from `before`, invariance, balance of forces and torques, known bent and twisted
// states, viscosity, degenerate states, same bits.
#include "pliant/energy/rod/elastic_rods.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <numbers>

#include "pliant/math/rotation.h"
#include "pliant/parallel/parallel.h"
#include "tests/energy/energy_checks.h"
#include "tests/energy/weight_checks.h"
#include "tests/support/dense_algebra.h"

namespace pliant::rod {
namespace {

using checks::Random;
using std::numbers::pi;

// Rods with blocks x0 θ0 x1 θ1 …, one after the other.
struct Rods {
  RodTopology topology;
  BlockVector now, before;
  RodFrames frames;  // at before
  Controls controls;
  std::vector<RodEdgeRest> edges;
  std::vector<RodJointRest> joints;
  double step = 0;

  void add_rod(const std::vector<Vec3>& points, bool closed = false) {
    const int first_edge = static_cast<int>(topology.edges.size()), first_block = before.size();
    const int vertex_count = static_cast<int>(points.size()), edge_count = vertex_count - (closed ? 0 : 1);
    BlockVector grown(first_block + vertex_count + edge_count);
    for (int i = 0; i < first_block; ++i) grown[i] = before[i];
    for (int i = 0; i < vertex_count; ++i) grown[first_block + 2 * i] = points[i];
    for (int i = 0; i < edge_count; ++i) {
      const int next = (i + 1) % vertex_count;
      topology.edges.push_back({first_block + 2 * i, first_block + 2 * next, first_block + 2 * i + 1});
      edges.push_back({.length = (points[next] - points[i]).norm(), .stretch_stiffness = 30, .viscous_stretch = 0});
    }
    for (int i = 0; i + (closed ? 0 : 1) < edge_count; ++i) {
      const int e = first_edge + i, f = first_edge + (i + 1) % edge_count;
      topology.joints.push_back({e, f});
      joints.push_back({.length = 0.5 * (edges[e].length + edges[f].length),
                        .bend_stiffness = Vec2(0.7, 1.9),
                        .twist_stiffness = 1.3});
    }
    before = now = grown;
  }
  [[nodiscard]] Configuration configuration() const {
    return {.now = now, .before = before, .step = step, .controls = controls, .frames = &frames};
  }
  [[nodiscard]] ElasticRods energy() const { return {topology, edges, joints, now.size()}; }
  // After now and before have moved alike: frames that are untwisted along the rods.
  void settle(const Vec3& up = Vec3(0.3, -0.5, 0.8)) { frames = frames_along(topology, before, up); }
  void rest_as_before() {
    const std::vector<JointStrain> strains = measure(topology, before, frames);
    for (std::size_t j = 0; j < joints.size(); ++j) {
      joints[j].curvature = strains[j].curvature;
      joints[j].twist = strains[j].twist;
    }
  }
};

std::vector<Vec3> crooked(int count, Random& random) {
  std::vector<Vec3> points{random.vector()};
  Vec3 along(1, 0, 0);
  for (int i = 1; i < count; ++i) {
    along = (along + random.vector(0.8)).normalized();
    points.push_back(points.back() + random.between(0.6, 1.4) * along);
  }
  return points;
}

// An open rod, a ring, a short rod; frames turned at random, twisted, bent rest shape; now far from before.
Rods scattered(unsigned seed, double motion = 1) {
  Random random(seed);
  Rods rods;
  rods.add_rod(crooked(6, random));
  rods.add_rod({Vec3(0, 0, 0), Vec3(1, 0.2, 0), Vec3(0.5, 1, 0.3)}, true);
  rods.add_rod(crooked(3, random));
  rods.settle();
  for (std::size_t e = 0; e < rods.topology.edges.size(); ++e) {
    const Vec3 t = tangent(rods.topology.edges[e], rods.before);
    rods.frames.directors[e] = math::rotation_from_axis_angle(t, random.between(-2, 2)) * rods.frames.directors[e];
    rods.before[rods.topology.edges[e].twist][0] = random.between(-2, 2);
  }
  for (std::size_t j = 0; j < rods.joints.size(); ++j) {
    const auto [a, b] = rods.topology.joints[j];
    rods.frames.reference_twist[j] =
        reference_twist(tangent(rods.topology.edges[a], rods.before), rods.frames.directors[a],
                        tangent(rods.topology.edges[b], rods.before), rods.frames.directors[b], j == 2 ? 8.0 : 0.0);
    rods.joints[j].curvature = Vec2(random.between(-0.5, 0.5), random.between(-0.5, 0.5));
    rods.joints[j].twist = random.between(-0.5, 0.5);
    rods.joints[j].viscous_bend = Vec2(0.02, 0.05);
    rods.joints[j].viscous_twist = 0.03;
  }
  for (RodEdgeRest& edge : rods.edges) edge.viscous_stretch = 0.4, edge.length *= random.between(0.8, 1.2);
  rods.now = rods.before;
  for (const RodEdge& edge : rods.topology.edges) {
    rods.now[edge.to] += random.vector(motion);
    rods.now[edge.twist][0] += random.between(-1, 1) * motion;
    rods.now[edge.twist][1] = 0.1 * motion;
    rods.now[edge.twist][2] = -0.2 * motion;
  }
  return rods;
}

double value(const ElasticRods& energy, const Rods& rods) {
  double result = 0;
  Accumulator out{.value = &result};
  energy.evaluate(rods.configuration(), out);
  return result;
}

BlockVector gradient(const ElasticRods& energy, const Rods& rods) {
  BlockVector result(rods.now.size());
  Accumulator out{.gradient = &result};
  energy.evaluate(rods.configuration(), out);
  return result;
}

sparse::SymmetricBlockMatrix hessian(ElasticRods& energy, const Rods& rods, HessianKind kind) {
  sparse::PatternBuilder builder(rods.now.size());
  energy.couple(builder);
  const auto pattern = builder.build();
  energy.find_slots(*pattern);
  sparse::SymmetricBlockMatrix result(pattern);
  Accumulator out{.hessian = &result, .hessian_kind = kind};
  energy.evaluate(rods.configuration(), out);
  return result;
}

// Every entry by differences of fourth order.
void expect_derivatives(Rods rods, double tolerance) {
  constexpr double h = 4e-4;  // m and rad; edges are about 1 m, some joints nearly folded
  ElasticRods energy = rods.energy();
  const BlockVector g = gradient(energy, rods);
  const Eigen::MatrixXd k = checks::dense(hessian(energy, rods, HessianKind::exact));
  const int n = 3 * rods.now.size();
  Eigen::VectorXd differences(n);
  Eigen::MatrixXd slopes(n, n);
  for (int i = 0; i < n; ++i) {
    const double here = rods.now[i / 3][i % 3];
    const auto value_at = [&](double shift) {
      rods.now[i / 3][i % 3] = here + shift;
      return value(energy, rods);
    };
    const auto gradient_at = [&](double shift) {
      rods.now[i / 3][i % 3] = here + shift;
      return checks::flat(gradient(energy, rods));
    };
    differences[i] = (8 * (value_at(h) - value_at(-h)) - (value_at(2 * h) - value_at(-2 * h))) / (12 * h);
    slopes.col(i) = (8 * (gradient_at(h) - gradient_at(-h)) - (gradient_at(2 * h) - gradient_at(-2 * h))) / (12 * h);
    rods.now[i / 3][i % 3] = here;
  }
  const Eigen::VectorXd flat = checks::flat(g);
  EXPECT_LT((flat - differences).cwiseAbs().maxCoeff(), tolerance * flat.cwiseAbs().maxCoeff());
  EXPECT_LT((k - slopes).cwiseAbs().maxCoeff(), tolerance * k.cwiseAbs().maxCoeff());
}

TEST(ElasticRods, DerivativesAreExactAlsoFarFromTheFramesConfiguration) {
  for (const unsigned seed : {1u, 2u, 3u, 4u}) {
    for (const double step : {0.0, 0.02}) {
      Rods rods = scattered(seed);
      rods.step = step;
      // Edges have turned by more than 60 degrees, else the spin of transport is not tested.
      double largest = 0;
      for (const RodEdge& edge : rods.topology.edges) {
        largest = std::max(largest, std::acos(tangent(edge, rods.before).dot(tangent(edge, rods.now))));
      }
      EXPECT_GT(largest, pi / 3) << seed;
      expect_derivatives(rods, 2e-8);
    }
  }
}

// Ends of a ring turned against each other before they were joined, by no multiple of 2π: every joint, also the last, bends
// and twists alike. Derivatives are exact with a seam, and the joint after it does not feel it.
TEST(ElasticRods, TheSeamOfATwistedRingIsLikeEveryJoint) {
  constexpr int n = 12;
  const double twist = 2.9, radius = 0.8, angle = 2 * pi / n, length = 2 * radius * std::sin(pi / n);
  Rods rods;
  std::vector<Vec3> points;
  for (int i = 0; i < n; ++i) points.push_back(radius * Vec3(std::cos(i * angle), std::sin(i * angle), 0));
  rods.add_rod(points, true);
  rods.settle(Vec3::UnitZ());
  for (int i = 0; i < n; ++i) {
    rods.now[rods.topology.edges[i].twist][0] = rods.before[rods.topology.edges[i].twist][0] = twist * i / n;
    rods.joints[i].bend_stiffness = Vec2(1.9, 1.9);
  }
  rods.joints.back().seam = twist;
  const double bend = 2 * std::tan(0.5 * angle) * std::cos(0.5 * twist / n);
  const double expected = n / (2 * length) * (1.9 * bend * bend + 1.3 * std::pow(twist / n, 2));
  EXPECT_NEAR(value(rods.energy(), rods), expected, 1e-12 * expected);

  Rods bent = scattered(6);
  for (std::size_t j = 0; j < bent.joints.size(); ++j) bent.joints[j].seam = j % 2 == 0 ? 1.7 : 0;
  bent.step = 0.02;
  expect_derivatives(bent, 2e-8);
}

// The angle about t from u to v, both perpendicular to it.
double angle_between(const Vec3& u, const Vec3& v, const Vec3& t) { return std::atan2(t.dot(u.cross(v)), u.dot(v)); }

// Turns now away from before as a rigid body: θ takes up what parallel transport leaves out.
void turn_rigidly(Rods& rods, const Mat3& turn, const Vec3& shift) {
  for (const RodEdge& edge : rods.topology.edges) {
    for (const int vertex : {edge.from, edge.to}) rods.now[vertex] = turn * rods.before[vertex] + shift;
  }
  for (std::size_t e = 0; e < rods.topology.edges.size(); ++e) {
    const RodEdge& edge = rods.topology.edges[e];
    const Vec3 t = tangent(edge, rods.now), d = rods.frames.directors[e];
    const Vec3 carried = parallel_transport(d, tangent(edge, rods.before), t);
    rods.now[edge.twist] = rods.before[edge.twist];
    rods.now[edge.twist][0] += angle_between(carried, turn * d, t);
  }
}

std::vector<Vec3> straight(int edge_count, double length) {
  std::vector<Vec3> points;
  for (int i = 0; i <= edge_count; ++i) points.push_back(Vec3(0, 0, length * i));
  return points;
}

std::vector<Vec3> ring(int count, double radius) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    points.push_back(radius * Vec3(std::cos(2 * pi * i / count), std::sin(2 * pi * i / count), 0));
  }
  return points;
}

TEST(ElasticRods, ViewsAgreeAndAdd) {
  Rods rods = scattered(5);
  rods.step = 0.02;
  ElasticRods energy = rods.energy();
  sparse::SymmetricBlockMatrix alone = hessian(energy, rods, HessianKind::exact);
  const BlockVector g = gradient(energy, rods);
  double v = 3;
  BlockVector both = g;
  sparse::SymmetricBlockMatrix twice = alone;
  Accumulator out{.value = &v, .gradient = &both, .hessian = &twice, .hessian_kind = HessianKind::exact};
  energy.evaluate(rods.configuration(), out);
  EXPECT_DOUBLE_EQ(v, 3 + value(energy, rods));
  checks::expect_close(2 * checks::flat(g), checks::flat(both), 1e-14, checks::flat(g).norm());
  checks::expect_close(2 * checks::dense(alone), checks::dense(twice), 1e-14, checks::dense(alone).norm());
}

TEST(ElasticRods, RestShapeAsGivenIsAtRest) {
  Rods rods = scattered(6, 0);
  for (std::size_t e = 0; e < rods.edges.size(); ++e) {
    const RodEdge& edge = rods.topology.edges[e];
    rods.edges[e].length = (rods.before[edge.to] - rods.before[edge.from]).norm();
  }
  EXPECT_GT(value(rods.energy(), rods), 1);
  rods.rest_as_before();
  const ElasticRods energy = rods.energy();
  EXPECT_LT(value(energy, rods), 1e-25);
  EXPECT_LT(checks::flat(gradient(energy, rods)).norm(), 1e-12);
}

TEST(ElasticRods, StrainsAreUnchangedWhenTheMaterialTurnsRigidly) {
  Random random(7);
  for (int k = 0; k < 10; ++k) {
    Rods rods = scattered(10 + k, 0);
    rods.step = 0.01;  // viscosity feels no rigid motion either
    const ElasticRods energy = rods.energy();
    const double here = value(energy, rods);
    const BlockVector g = gradient(energy, rods);
    const Mat3 turn = math::rotation_from_vector(random.vector(1.2));
    turn_rigidly(rods, turn, random.vector());
    EXPECT_NEAR(value(energy, rods), here, 1e-12 * here);
    // Forces turn along, up to what the twisting moment does through the spin of the carried directors.
    const BlockVector turned = gradient(energy, rods);
    for (const RodEdge& edge : rods.topology.edges) EXPECT_NEAR(turned[edge.twist][0], g[edge.twist][0], 1e-11);
  }
}

TEST(ElasticRods, TurningBeforeAndNowTogetherTurnsTheForces) {
  Random random(8);
  Rods rods = scattered(9);
  rods.step = 0.01;
  ElasticRods energy = rods.energy();
  const double here = value(energy, rods);
  const BlockVector g = gradient(energy, rods);
  const Mat3 turn = random.rotation();
  const Vec3 shift = random.vector(3);
  std::vector<bool> is_twist(rods.now.size(), false);
  for (const RodEdge& edge : rods.topology.edges) is_twist[edge.twist] = true;
  for (int i = 0; i < rods.now.size(); ++i) {
    if (is_twist[i]) continue;
    rods.now[i] = turn * rods.now[i] + shift;
    rods.before[i] = turn * rods.before[i] + shift;
  }
  for (Vec3& director : rods.frames.directors) director = turn * director;
  EXPECT_NEAR(value(energy, rods), here, 1e-12 * here);
  const BlockVector turned = gradient(energy, rods);
  const double scale = checks::flat(g).norm();
  for (int i = 0; i < rods.now.size(); ++i) {
    const Vec3 expected = is_twist[i] ? Vec3(g[i]) : Vec3(turn * g[i]);
    EXPECT_LT((turned[i] - expected).norm(), 1e-12 * scale) << i;
  }
}

TEST(ElasticRods, ForcesAndTorquesBalance) {
  for (const double step : {0.0, 0.01}) {
    Rods rods = scattered(11);
    rods.step = step;
    const ElasticRods energy = rods.energy();
    const BlockVector g = gradient(energy, rods);
    // Turning `now` by ω changes θ by ω·(t + t₀)/(1 + t·t₀) if the material is to turn along: that is the arm of the
    // twisting moments. At t = t₀ it is t itself.
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    std::vector<bool> is_twist(rods.now.size(), false);
    for (const RodEdge& edge : rods.topology.edges) {
      is_twist[edge.twist] = true;
      const Vec3 t = tangent(edge, rods.now), t0 = tangent(edge, rods.before);
      torque += g[edge.twist][0] / (1 + t.dot(t0)) * (t + t0);
    }
    double moment = 0;  // torque is compared with the twisting moments, which must matter
    for (int i = 0; i < rods.now.size(); ++i) {
      if (is_twist[i]) {
        moment = std::max(moment, std::abs(g[i][0]));
        continue;
      }
      force += g[i];
      torque += Vec3(rods.now[i]).cross(Vec3(g[i]));
    }
    EXPECT_GT(moment, 0.5);
    const double scale = checks::flat(g).norm();
    EXPECT_LT(force.norm(), 1e-13 * scale);
    EXPECT_LT(torque.norm(), 1e-13 * scale);
  }
}

TEST(ElasticRods, ProjectedIsSemidefiniteAndEqualToExactAtRest) {
  Rods rods = scattered(12);
  for (const double squeeze : {1.0, 1.5}) {
    for (RodEdgeRest& edge : rods.edges) edge.length *= squeeze;  // compressed edges need the clamp
    rods.step = 0.01;
    ElasticRods energy = rods.energy();
    const auto lowest = [&](HessianKind kind) {
      const Eigen::MatrixXd k = checks::dense(hessian(energy, rods, kind));
      const Eigen::VectorXd values = test::eigenvalues(k);
      return values[0] / values.tail<1>()[0];
    };
    EXPECT_GT(lowest(HessianKind::projected), -1e-14);
    EXPECT_GT(lowest(HessianKind::warped), -1e-14);
    EXPECT_LT(lowest(HessianKind::exact), -1e-4);
  }
  Rods still = scattered(13, 0);
  for (std::size_t e = 0; e < still.edges.size(); ++e) {
    const RodEdge& edge = still.topology.edges[e];
    still.edges[e].length = (still.before[edge.to] - still.before[edge.from]).norm();
  }
  still.rest_as_before();
  ElasticRods energy = still.energy();
  const Eigen::MatrixXd exact = checks::dense(hessian(energy, still, HessianKind::exact));
  const Eigen::MatrixXd projected = checks::dense(hessian(energy, still, HessianKind::projected));
  EXPECT_LT((exact - projected).norm(), 1e-12 * exact.norm());
}

TEST(ElasticRods, UniformTwistOfAStraightRod) {
  constexpr int kEdges = 10;
  constexpr double kLength = 0.1, kTwist = 7;  // m, rad/m
  Rods rods;
  rods.add_rod(straight(kEdges, kLength));
  rods.settle(Vec3::UnitX());
  for (int i = 0; i < kEdges; ++i) rods.now[2 * i + 1][0] = kTwist * kLength * i;
  const ElasticRods energy = rods.energy();
  // ½ GJ τ² over the length between the middles of the end edges
  EXPECT_NEAR(value(energy, rods), 0.5 * 1.3 * kTwist * kTwist * (kEdges - 1) * kLength, 1e-12);
  const BlockVector g = gradient(energy, rods);
  EXPECT_NEAR(g[1][0], -1.3 * kTwist, 1e-12);  // end moments GJ τ
  EXPECT_NEAR(g[2 * kEdges - 1][0], 1.3 * kTwist, 1e-12);
  for (int i = 0; i < rods.now.size(); ++i) {
    if (i == 1 || i == 2 * kEdges - 1) continue;
    EXPECT_LT(g[i].norm(), 1e-12) << i;
  }
}

TEST(ElasticRods, UniformStretch) {
  Rods rods;
  rods.add_rod(straight(4, 0.5));
  rods.settle(Vec3::UnitX());
  for (int i = 0; i < rods.now.size(); i += 2) rods.now[i] *= 1.1;
  const ElasticRods energy = rods.energy();
  EXPECT_NEAR(value(energy, rods), 0.5 * 30 * 0.01 * 2, 1e-12);
  const BlockVector g = gradient(energy, rods);
  EXPECT_NEAR(g[8].z(), 3, 1e-12);
  EXPECT_NEAR(g[0].z(), -3, 1e-12);
  EXPECT_LT(g[4].norm(), 1e-12);
}

TEST(ElasticRods, CurvingTowardsM1BendsWithB1) {
  constexpr double kRadius = 2;
  double error[2];
  for (const int refinement : {0, 1}) {
    const int count = 20 << refinement;
    Rods rods;
    rods.add_rod(ring(count, kRadius), true);
    rods.settle(Vec3::UnitZ());
    // d₁ is the ring's normal; a turn by 90 degrees puts m₁ into its plane.
    const double l = 2 * kRadius * std::sin(pi / count), kappa = 2 * std::tan(pi / count);
    EXPECT_NEAR(value(rods.energy(), rods), 1.9 * count / (2 * l) * kappa * kappa, 1e-12);
    for (const RodEdge& edge : rods.topology.edges) rods.now[edge.twist][0] = pi / 2;
    const double bending = value(rods.energy(), rods);
    EXPECT_NEAR(bending, 0.7 * count / (2 * l) * kappa * kappa, 1e-12);
    error[refinement] = bending - 0.7 * pi / kRadius;  // ∫ B₁/(2R²) ds = π B₁/R
  }
  EXPECT_NEAR(error[0] / error[1], 4, 0.1);

  // The sign: an arc that curves towards m₁ has κ₁ > 0, one towards m₂ has κ₂ > 0.
  Rods arc;
  arc.add_rod({Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(2, 0.3, 0)});
  arc.settle(Vec3::UnitY());
  EXPECT_GT(measure(arc.topology, arc.before, arc.frames)[0].curvature[0], 0.2);
  arc.settle(-Vec3::UnitZ());  // m₂ = x × −z = y
  EXPECT_GT(measure(arc.topology, arc.before, arc.frames)[0].curvature[1], 0.2);
}

TEST(ElasticRods, ViscosityDissipatesAndFeelsNoRigidMotion) {
  Rods rods = scattered(14, 0);
  rods.step = 0.01;
  for (RodEdgeRest& edge : rods.edges) edge.stretch_stiffness = 0;
  for (RodJointRest& joint : rods.joints) joint.bend_stiffness.setZero(), joint.twist_stiffness = 0;
  const ElasticRods energy = rods.energy();
  EXPECT_LT(value(energy, rods), 1e-25);

  turn_rigidly(rods, math::rotation_from_vector(Vec3(0.5, -1, 0.7)), Vec3(1, 2, 3));
  EXPECT_LT(value(energy, rods), 1e-24);
  EXPECT_LT(checks::flat(gradient(energy, rods)).norm(), 1e-10);

  // Work of the viscous force along a small motion is negative, and is minus twice the potential.
  Random random(3);
  rods.now = rods.before;
  BlockVector motion(rods.now.size());
  for (const RodEdge& edge : rods.topology.edges) {
    motion[edge.to] = random.vector(1e-6);
    motion[edge.twist][0] = random.between(-1e-6, 1e-6);
  }
  sparse::add_scaled(rods.now, 1, motion);
  const double potential = value(energy, rods);
  EXPECT_GT(potential, 0);
  EXPECT_NEAR(sparse::dot(gradient(energy, rods), motion), 2 * potential, 1e-4 * potential);

  rods.step = 0;  // statics has no rates
  EXPECT_EQ(value(energy, rods), 0);
}

TEST(ElasticRods, ViscosityPullsHalfAsMuchInTwiceTheTime) {
  Rods rods = scattered(15, 0.3);
  for (RodEdgeRest& edge : rods.edges) edge.stretch_stiffness = 0;
  for (RodJointRest& joint : rods.joints) joint.bend_stiffness.setZero(), joint.twist_stiffness = 0;
  for (const RodEdge& edge : rods.topology.edges) rods.now[edge.twist].tail<2>().setZero();
  const ElasticRods energy = rods.energy();
  rods.step = 0.01;
  const double fast = value(energy, rods);
  rods.step = 0.02;
  EXPECT_NEAR(value(energy, rods), 0.5 * fast, 1e-13 * fast);
}

TEST(ElasticRods, PaddingIsHeldAtZeroAndDecoupled) {
  Rods rods = scattered(16);
  ElasticRods energy = rods.energy();
  const Eigen::MatrixXd k = checks::dense(hessian(energy, rods, HessianKind::exact));
  const BlockVector g = gradient(energy, rods);
  for (const RodEdge& edge : rods.topology.edges) {
    for (const int slot : {1, 2}) {
      const int i = 3 * edge.twist + slot;
      EXPECT_GT(k(i, i), 0);
      EXPECT_NEAR(g[edge.twist][slot], k(i, i) * rods.now[edge.twist][slot], 1e-14);
      EXPECT_EQ(k.col(i).cwiseAbs().sum(), k(i, i));
    }
  }
}

TEST(ElasticRods, DegenerateStatesAreFinite) {
  enum class State { folded, nearly_folded, short_edge, all_points_equal, turned_round };
  for (const State state :
       {State::folded, State::nearly_folded, State::short_edge, State::all_points_equal, State::turned_round}) {
    Rods rods;
    rods.add_rod(straight(3, 1));
    rods.settle(Vec3::UnitX());
    for (RodJointRest& joint : rods.joints) joint.viscous_bend = Vec2(0.1, 0.1), joint.viscous_twist = 0.1;
    rods.step = 0.01;
    if (state == State::folded) rods.now[4] = rods.now[0];
    if (state == State::nearly_folded) rods.now[4] = Vec3(rods.now[0]) + Vec3(1e-5, 0, 0);
    if (state == State::short_edge) rods.now[4] = rods.now[2];
    if (state == State::all_points_equal) rods.now.resize(rods.now.size());
    if (state == State::turned_round) {
      for (int i = 0; i < rods.now.size(); i += 2) rods.now[i] = -Vec3(rods.now[i]);
    }
    for (const HessianKind kind : {HessianKind::exact, HessianKind::projected}) {
      ElasticRods energy = rods.energy();
      EXPECT_TRUE(std::isfinite(value(energy, rods)));
      EXPECT_TRUE(sparse::all_finite(gradient(energy, rods)));
      EXPECT_TRUE(checks::dense(hessian(energy, rods, kind)).allFinite());
    }
  }
}

// Joints are worked out four at a time; `measure` takes one at a time, with frames carried to `now` by `transport`.
TEST(ElasticRods, TheEnergyIsThatOfStrainsMeasuredOneByOne) {
  for (const unsigned seed : {5u, 6u, 7u}) {
    Rods rods = scattered(seed, 0.4);
    RodFrames carried = rods.frames;
    transport(rods.topology, rods.before, rods.now, carried);
    const std::vector<JointStrain> strains = measure(rods.topology, rods.now, carried);
    double expected = 0, padding = 0;
    for (std::size_t j = 0; j < strains.size(); ++j) {
      const RodJointRest& rest = rods.joints[j];
      const Vec2 off = strains[j].curvature - rest.curvature;
      const double twist = strains[j].twist - rest.twist;
      expected += (rest.bend_stiffness.dot(off.cwiseAbs2()) + rest.twist_stiffness * twist * twist) / (2 * rest.length);
    }
    for (std::size_t k = 0; k < rods.edges.size(); ++k) {
      const RodEdge& edge = rods.topology.edges[k];
      const RodEdgeRest& rest = rods.edges[k];
      const double strain = (rods.now[edge.to] - rods.now[edge.from]).norm() / rest.length - 1;
      expected += 0.5 * rest.stretch_stiffness * strain * strain * rest.length;
      padding += 0.5 * 1.3 / rest.length * (0.4 * 0.4 * (0.1 * 0.1 + 0.2 * 0.2));  // s = GJ/l̄
    }
    EXPECT_NEAR(value(rods.energy(), rods), expected + padding, 1e-12 * expected);
  }
}

// The order of joints decides who is worked out with whom, and whether an edge is measured once or twice.
TEST(ElasticRods, TheOrderOfJointsMattersToRoundingOnly) {
  for (const double step : {0.0, 0.02}) {
    Rods rods = scattered(8);
    rods.step = step;
    Rods reversed = rods;
    std::reverse(reversed.topology.joints.begin(), reversed.topology.joints.end());
    std::reverse(reversed.joints.begin(), reversed.joints.end());
    std::reverse(reversed.frames.reference_twist.begin(), reversed.frames.reference_twist.end());
    ElasticRods energy = rods.energy(), other = reversed.energy();
    EXPECT_NEAR(value(energy, rods), value(other, reversed), 1e-13 * value(energy, rods));
    const Eigen::VectorXd g = checks::flat(gradient(energy, rods));
    EXPECT_LT((g - checks::flat(gradient(other, reversed))).norm(), 1e-13 * g.norm());
    for (const HessianKind kind : {HessianKind::exact, HessianKind::projected}) {
      const Eigen::MatrixXd k = checks::dense(hessian(energy, rods, kind));
      EXPECT_LT((k - checks::dense(hessian(other, reversed, kind))).norm(), 1e-13 * k.norm());
    }
  }
}

TEST(ElasticRods, DegenerateJointsDoNotDisturbTheirNeighboursInTheLanes) {
  Random random(9);
  Rods alone;
  alone.add_rod(crooked(4, random));
  Rods together = alone;
  for (int k = 0; k < 3; ++k) together.add_rod(straight(2, 1));
  for (Rods* rods : {&alone, &together}) {
    rods->settle();
    for (int i = 0; i < 7; i += 2) rods->now[i] += 0.1 * Vec3(std::sin(i), std::cos(i), 0);
  }
  const int first = alone.now.size();
  together.now[first + 4] = together.now[first];          // folded flat
  together.now[first + 5 + 2] = together.now[first + 5];  // an edge without length
  together.now[first + 10][0] = std::numeric_limits<double>::quiet_NaN();
  ElasticRods energy = alone.energy(), other = together.energy();
  const BlockVector g = gradient(energy, alone), h = gradient(other, together);
  const Eigen::MatrixXd k = checks::dense(hessian(energy, alone, HessianKind::projected));
  const Eigen::MatrixXd l = checks::dense(hessian(other, together, HessianKind::projected));
  for (int i = 0; i < first; ++i) EXPECT_EQ(Vec3(g[i]), Vec3(h[i]));
  EXPECT_EQ(k, l.topLeftCorner(3 * first, 3 * first));
}

TEST(ElasticRods, FoldingFlatCostsMoreThanAnyOtherBend) {
  Rods rods;
  rods.add_rod(straight(2, 1));
  rods.settle(Vec3::UnitX());
  for (RodEdgeRest& edge : rods.edges) edge.stretch_stiffness = 0;
  const ElasticRods energy = rods.energy();
  double last = -1;
  for (const double angle : {0.0, 1.0, 2.0, 3.0, 3.1, 3.13, pi - 2e-3, pi - 1e-4, pi}) {
    rods.now[4] = Vec3(0, std::sin(angle), 1 + std::cos(angle));
    const double here = value(energy, rods);
    EXPECT_GE(here, last * (1 - 1e-6)) << angle;  // the director carried to an opposite tangent has lost digits
    last = here;
  }
}

TEST(ElasticRods, SameBitsForAnyThreadCount) {
  Random random(20);
  Rods rods;
  for (int k = 0; k < 60; ++k) rods.add_rod(crooked(12, random));
  rods.settle();
  for (const RodEdge& edge : rods.topology.edges) rods.now[edge.to] += random.vector(0.2);
  double first_value = 0;
  BlockVector first_gradient;
  Eigen::MatrixXd first_hessian;
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    ElasticRods energy = rods.energy();
    const double v = value(energy, rods);
    const BlockVector g = gradient(energy, rods);
    const Eigen::MatrixXd k = checks::dense(hessian(energy, rods, HessianKind::exact));
    if (threads == 1) {
      first_value = v, first_gradient = g, first_hessian = k;
    } else {
      EXPECT_EQ(v, first_value);
      EXPECT_EQ(g, first_gradient);
      EXPECT_EQ(k, first_hessian);
    }
  }
  set_thread_count(0);
}

TEST(ElasticRods, ARodOfOneEdgeIsASpring) {
  Rods rods;
  rods.add_rod({Vec3(0, 0, 0), Vec3(1, 0, 0)});
  rods.settle();
  rods.now[2] = Vec3(1.5, 0, 0);
  rods.now[1][0] = 2;  // free to turn
  ElasticRods energy = rods.energy();
  EXPECT_NEAR(value(energy, rods), 0.5 * 30 * 0.25, 1e-13);
  EXPECT_EQ(gradient(energy, rods)[1].norm(), 0);
  const Eigen::MatrixXd k = checks::dense(hessian(energy, rods, HessianKind::exact));
  EXPECT_NEAR(k(0, 6), -30, 1e-12);
  EXPECT_NEAR(k(1, 7), -10, 1e-12);  // tension/l
}

// A straight rod of two edges without bending stiffness, pushed sideways by δ: its energy begins with δ⁴, so models of
// first or second order see no resistance at all, and the force is EA (δ/l)³ [Tamstorf2016, sec. 7.1].
TEST(ElasticRods, StretchResistsASidewaysPushToThirdOrderOnly) {
  Rods rods;
  rods.add_rod({Vec3(-0.5, 0, 0), Vec3(0, 0, 0), Vec3(0.5, 0, 0)});
  for (RodJointRest& joint : rods.joints) joint.bend_stiffness.setZero();
  rods.settle();
  const ElasticRods energy = rods.energy();
  double last_error = 0;
  for (const double delta : {0.04, 0.02, 0.01}) {
    rods.now[2] = Vec3(0, delta, 0);
    double value = 0;
    BlockVector gradient(rods.now.size());
    Accumulator out;
    out.value = &value;
    out.gradient = &gradient;
    energy.evaluate(rods.configuration(), out);
    const double stiffness = rods.edges[0].stretch_stiffness, slope = delta / 0.5;
    EXPECT_NEAR(value / (stiffness * 0.5 * std::pow(slope, 4) / 4), 1, slope * slope);
    const double error = 1 - gradient[2][1] / (stiffness * std::pow(slope, 3));
    EXPECT_GT(error, 0);
    if (last_error > 0) {
      EXPECT_NEAR(last_error / error, 4, 0.05);  // the next term is of fifth order
    }
    last_error = error;
  }
}

// --- The constant stand-in of the Hessian ---

Eigen::MatrixXd weights_of(ElasticRods& energy, const Rods& rods) {
  const auto pattern = hessian(energy, rods, HessianKind::exact).shared_pattern();
  sparse::SymmetricScalarMatrix l(pattern);
  energy.add_weights(rods.controls, rods.step, l);
  return checks::dense(l);
}

// A straight viscous rod along x with edges of different lengths.
TEST(ElasticRods, WeightsAreTheHessianOfTheStraightRod) {
  for (const double step : {0.0, 0.02}) {
    Rods rods;
    rods.add_rod({Vec3(0, 0, 0), Vec3(0.5, 0, 0), Vec3(1.4, 0, 0), Vec3(2.1, 0, 0), Vec3(2.4, 0, 0)});
    rods.settle();
    rods.step = step;
    for (RodJointRest& joint : rods.joints) {
      joint.bend_stiffness = Vec2(0.8, 0.8), joint.viscous_bend = Vec2(0.01, 0.01), joint.viscous_twist = 0.02;
    }
    for (RodEdgeRest& edge : rods.edges) edge.stretch_stiffness = 0;
    ElasticRods bending = rods.energy();
    const Eigen::MatrixXd across = checks::dense(hessian(bending, rods, HessianKind::exact));
    const Eigen::MatrixXd l = weights_of(bending, rods);
    EXPECT_GT(l.norm(), 1);
    for (int i = 0; i < l.rows(); ++i) {
      for (int j = 0; j < l.rows(); ++j) {
        // Odd blocks are twists, in their first entry.
        const double exact = i % 2 == 1 && j % 2 == 1 ? across(3 * i, 3 * j) : across(3 * i + 1, 3 * j + 1);
        if ((i + j) % 2 == 1) {
          EXPECT_EQ(l(i, j), 0);
        } else {
          EXPECT_NEAR(l(i, j), exact, 1e-12 * l.norm()) << i << " " << j;
        }
        if (i % 2 == 0 && j % 2 == 0) {
          EXPECT_NEAR(l(i, j), across(3 * i + 2, 3 * j + 2), 1e-12 * l.norm());
        }
      }
    }

    // Stretching alone, along the rod.
    for (RodJointRest& joint : rods.joints) joint = {.length = joint.length};
    for (RodEdgeRest& edge : rods.edges) edge.stretch_stiffness = 30, edge.viscous_stretch = 0.4;
    ElasticRods stretching = rods.energy();
    const Eigen::MatrixXd h = checks::dense(hessian(stretching, rods, HessianKind::exact));
    checks::expect_close(checks::along(h, 0), weights_of(stretching, rods), 1e-12, 1);
  }
}

TEST(ElasticRods, WeightsAreSemidefiniteAndMeanOfBothBendingStiffnesses) {
  Rods rods = scattered(3);
  rods.step = 0.01;
  ElasticRods energy = rods.energy();
  const Eigen::MatrixXd l = weights_of(energy, rods);
  EXPECT_GE(checks::least_eigenvalue(l), -1e-13 * l.norm());
  EXPECT_LE((l * Eigen::VectorXd::Ones(l.rows())).norm(), 1e-12 * l.norm());
  for (RodJointRest& joint : rods.joints) {
    joint.bend_stiffness = Vec2::Constant(joint.bend_stiffness.mean());
    joint.viscous_bend = Vec2::Constant(joint.viscous_bend.mean());
  }
  ElasticRods even = rods.energy();
  checks::expect_close(l, weights_of(even, rods), 1e-13, l.norm());
}

}  // namespace
}  // namespace pliant::rod
