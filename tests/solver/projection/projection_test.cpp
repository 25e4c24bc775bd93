// Constraint projection as a step solver: it ends where implicit steps end, whatever the iteration and whatever their number
// once it has converged; momentum stays, threads do not matter, inverted elements come back.
#include "pliant/solver/projection/projection.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <functional>
#include <memory>

#include "pliant/energy/cloth/edge_membrane.h"
#include "pliant/energy/cloth/hinge_bending.h"
#include "pliant/energy/load/gravity.h"
#include "pliant/energy/solid/corotated.h"
#include "pliant/energy/solid/neo_hookean.h"
#include "pliant/energy/solid/st_venant_kirchhoff.h"
#include "pliant/energy/solid/volume_preservation.h"
#include "pliant/energy/spring/springs.h"
#include "pliant/mesh/box_mesh.h"
#include "pliant/mesh/grid_sheet.h"
#include "pliant/mesh/hinges.h"
#include "pliant/mesh/mass_properties.h"
#include "pliant/parallel/parallel.h"
#include "pliant/solver/newton/newton.h"
#include "tests/support/dense_algebra.h"

namespace pliant::solver {
namespace {

constexpr ProjectionIteration kIterations[] = {ProjectionIteration::gauss_seidel,
                                               ProjectionIteration::sor,
                                               ProjectionIteration::jacobi,
                                               ProjectionIteration::improved_jacobi,
                                               ProjectionIteration::accelerated_jacobi,
                                               ProjectionIteration::conjugate_residual,
                                               ProjectionIteration::minres};

// A step put together by hand: everything a StepProblem refers to.
struct ProjectedStepCase {
  std::vector<double> masses;
  Inertia inertia;
  std::vector<std::unique_ptr<Energy>> energies;
  std::vector<std::function<void(sparse::PatternBuilder&)>> couples;
  std::vector<std::function<void(const sparse::BlockPattern&)>> finders;
  std::shared_ptr<const sparse::BlockPattern> pattern;
  Controls controls;
  DofLayout layout;
  BlockVector before, target, velocity;
  double step = 0.01, weight = 1e4;
  std::vector<std::array<int, 2>> ends;  // of links

  void place(const std::vector<Vec3>& points, std::vector<double> mass) {
    masses = std::move(mass);
    inertia = Inertia(masses);
    before.resize(static_cast<int>(points.size()));
    for (int i = 0; i < before.size(); ++i) before[i] = points[static_cast<std::size_t>(i)];
    target = velocity = before;
    sparse::set_zero(velocity);
    controls.filter = BlockFilter(before.size());
    layout.add_body("body", before.size());
  }
  // An energy that couples for itself.
  template <class E>
  void add(E made) {
    auto energy = std::make_unique<E>(std::move(made));
    E* const raw = energy.get();
    couples.push_back([raw](sparse::PatternBuilder& builder) { raw->couple(builder); });
    finders.push_back([raw](const sparse::BlockPattern& found) { raw->find_slots(found); });
    energies.push_back(std::move(energy));
  }
  template <class Law>
  void add_solid(const TetMesh& mesh, double young) {
    add_law<Law>(mesh, {solid::lame_mu(young, 0.3), solid::lame_lambda(young, 0.3)});
  }
  template <class Law>
  void add_law(const TetMesh& mesh, const std::vector<double>& parameters) {
    auto elements = std::make_shared<solid::TetElements>(mesh.tets, mesh.vertices);
    couples.push_back([elements](sparse::PatternBuilder& builder) { elements->couple(builder); });
    finders.push_back([elements](const sparse::BlockPattern& found) { elements->find_slots(found); });
    std::vector<std::vector<double>> of_tets;
    for (const double parameter : parameters) of_tets.emplace_back(mesh.tets.size(), parameter);
    energies.push_back(std::make_unique<solid::HyperelasticTets<Law>>(elements, Law{}, of_tets));
  }
  void finish() {
    sparse::PatternBuilder builder(before.size());
    for (const auto& couple : couples) couple(builder);
    pattern = builder.build();
    for (const auto& find : finders) find(*pattern);
  }
  void hold(int block) {
    controls.filter.hold(block);
    controls.held.push_back({block, before[block]});
  }
  // Thrown and shaken, at about a metre per second.
  void throw_about(double size) {
    for (int i = 0; i < target.size(); ++i)
      target[i] += step * size * Vec3(std::sin(3 * i), std::cos(5 * i) - 0.5, std::sin(1 + 7 * i));
  }
  [[nodiscard]] StepProblem problem() const {
    StepProblem made{step, weight, 1, 1, before, target, inertia, energies, controls, layout, pattern};
    made.velocity = &velocity;
    return made;
  }
  BlockVector solve(const ProjectionOptions& options, SolveStatus expected) const {
    BlockVector q = before;
    const StepProblem stated = problem();
    const SolveReport report = Projection(options).solve(stated, q);
    EXPECT_EQ(report.status, expected) << static_cast<int>(options.iteration) << ": residual " << report.residual
                                       << " after " << report.iterations;
    return q;
  }
};

// The largest distance between blocks.
double largest_distance(const BlockVector& a, const BlockVector& b) {
  double largest = 0;
  for (int i = 0; i < a.size(); ++i) largest = std::max(largest, (a[i] - b[i]).norm());
  return largest;
}

std::vector<spring::Spring> edges_of(const TriangleMesh& mesh, double stiffness) {
  std::vector<spring::Spring> springs;
  for (const Vec3i& t : mesh.triangles) {
    for (int i = 0; i < 3; ++i) {
      const int a = t[i], b = t[(i + 1) % 3];
      const bool is_known = std::any_of(springs.begin(), springs.end(), [&](const spring::Spring& s) {
        return (s.first == a && s.second == b) || (s.first == b && s.second == a);
      });
      if (!is_known) springs.push_back({a, b, (mesh.vertices[a] - mesh.vertices[b]).norm(), stiffness, 0});
    }
  }
  return springs;
}

TriangleMesh small_grid(int cells) { return make_grid({.size = {0.1 * cells, 0.1 * cells}, .cells = {cells, cells}}); }

ProjectedStepCase link_cloth(int cells = 4, double stiffness = 300) {
  ProjectedStepCase c;
  const TriangleMesh mesh = small_grid(cells);
  c.place(mesh.vertices, std::vector<double>(mesh.vertices.size(), 0.01));
  c.add(spring::Springs(edges_of(mesh, stiffness), c.before.size()));
  c.energies.push_back(std::make_unique<Gravity>(c.masses, Vec3(0, -9.81, 0)));
  c.finish();
  return c;
}

ProjectedStepCase hinged_cloth() {
  ProjectedStepCase c;
  const TriangleMesh mesh = small_grid(3);
  c.place(mesh.vertices, std::vector<double>(mesh.vertices.size(), 0.01));
  cloth::MembraneSheet sheet;
  sheet.triangles = mesh.triangles;
  sheet.block_count = c.before.size();
  std::vector<std::array<int, 3>> triangles;
  for (const Vec3i& t : mesh.triangles) {
    triangles.push_back({t[0], t[1], t[2]});
    sheet.rest.push_back(*cloth::triangle_rest(
        std::array<Vec2, 3>{mesh.texture[t[0]], mesh.texture[t[1]], mesh.texture[t[2]]}, Vec2(1, 0)));
  }
  const std::vector<cloth::OrthotropicCoefficients> fabric(
      triangles.size(),
      cloth::coefficients(cloth::OrthotropicModuli{.young_warp = 200, .young_weft = 150, .poisson = 0.3, .shear = 60}));
  c.add(cloth::EdgeMembrane<cloth::StVenantKirchhoff>(sheet, fabric));
  const SheetHinges found = find_hinges(triangles);
  std::vector<cloth::HingeParameters> parameters;
  for (const Hinge& hinge : found.hinges) {
    parameters.push_back(cloth::hinge_at_rest(hinge, mesh.vertices));
    parameters.back().stiffness = 2e-3;
  }
  c.add(cloth::HingeBending(cloth::HingeLaw::tan, triangles, found.hinges, parameters));
  c.energies.push_back(std::make_unique<Gravity>(c.masses, Vec3(0, -9.81, 0)));
  c.finish();
  return c;
}

template <class Law>
ProjectedStepCase bar(double against_volume = 0) {  // Pa
  ProjectedStepCase c;
  const TetMesh mesh = make_box({Vec3(0.3, 0.1, 0.1), {3, 1, 1}});
  c.place(mesh.vertices, lumped_masses(mesh, 1000));
  c.add_solid<Law>(mesh, 3e5);
  if (against_volume > 0) c.add_law<solid::VolumePreservation>(mesh, {against_volume});
  c.energies.push_back(std::make_unique<Gravity>(c.masses, Vec3(0, -9.81, 0)));
  c.finish();
  return c;
}

// --- One point ---

// A point of 1 kg on a spring of 500 N/m and 1 m whose other end is held, along x.
ProjectedStepCase one_spring(double viscosity = 0) {
  ProjectedStepCase c;
  c.place({Vec3(0, 0, 0), Vec3(1.3, 0, 0)}, {1, 1});
  c.add(spring::Springs({{0, 1, 1, 500, viscosity}}, 2));
  c.finish();
  c.hold(0);
  c.step = 0.016;
  c.weight = 1 / (0.016 * 0.016);
  return c;
}

// Errata R1: 0.3 m become 0.26596 m, for any number of iterations.
TEST(Projection, StiffnessDoesNotDependOnIterations) {
  const ProjectedStepCase c = one_spring();
  for (const ProjectionIteration iteration :
       {ProjectionIteration::gauss_seidel, ProjectionIteration::conjugate_residual, ProjectionIteration::minres}) {
    for (const int count : {1, 2, 5, 25}) {
      const BlockVector q = c.solve({.iteration = iteration, .iterations = count}, SolveStatus::budgeted);
      EXPECT_NEAR(q[1][0] - 1, 0.3 / (1 + 500 * 0.016 * 0.016), 1e-12) << count;
      EXPECT_NEAR(q[1][0] - 1, 0.26596, 1e-5);
    }
  }
}

// m w (x − x̃) = −k (x − 1) − c/h (x − x_b).
TEST(Projection, ADashpotIsImplicit) {
  ProjectedStepCase c = one_spring(40);
  c.target[1] = Vec3(1.35, 0, 0);
  const BlockVector q = c.solve({.iterations = {}, .tolerance = 1e-13}, SolveStatus::converged);
  const double k = 500, rate = 40 / c.step;
  EXPECT_NEAR(q[1][0], (c.weight * 1.35 + k * 1 + rate * 1.3) / (c.weight + k + rate), 1e-12);
}

// Newmark's (1/4, 1/2) keeps the energy of a spring: 25 J over 500 steps of 16 ms (digest A17).
TEST(Projection, NewmarkKeepsEnergy) {
  ProjectedStepCase c = one_spring();
  const double beta = 0.25, h = c.step;
  c.weight = 1 / (beta * h * h);
  double x = 1 + std::sqrt(2 * 25 / 500.0), v = 0, a = -500 * (x - 1);
  const ProjectionOptions options{.iterations = 3};
  for (int k = 0; k < 500; ++k) {
    c.before[1][0] = x;
    c.target[1][0] = x + h * v + h * h / 2 * (1 - 2 * beta) * a;
    const double next = c.solve(options, SolveStatus::budgeted)[1][0], there = (next - c.target[1][0]) * c.weight;
    v += h / 2 * (a + there);
    a = there;
    x = next;
  }
  EXPECT_NEAR(0.5 * v * v + 250 * (x - 1) * (x - 1), 25, 1e-6);
}

// A hanging chain along a line is linear: against the dense system, from limp to rigid.
TEST(Projection, AnyStiffness) {
  for (double stiffness = 1; stiffness < 2e12; stiffness *= 100) {
    ProjectedStepCase c;
    std::vector<spring::Spring> springs;
    std::vector<Vec3> points;
    for (int i = 0; i < 5; ++i) {
      points.emplace_back(0, -i, 0);
      if (i > 0) springs.push_back({i - 1, i, 1, stiffness, 0});
    }
    c.place(points, std::vector<double>(5, 0.3));
    c.add(spring::Springs(springs, 5));
    c.finish();
    c.hold(0);
    for (int i = 1; i < 5; ++i) c.target[i][1] -= 0.01 * i;
    const BlockVector q = c.solve({.iterations = {}, .tolerance = 1e-12}, SolveStatus::converged);
    Eigen::Matrix4d system = 0.3 * c.weight * Eigen::Matrix4d::Identity();
    Eigen::Vector4d rhs = Eigen::Vector4d::Zero();
    for (int i = 1; i < 5; ++i) {
      rhs[i - 1] += 0.3 * c.weight * 0.01 * i;  // downwards from rest
      system(i - 1, i - 1) += stiffness * (i < 4 ? 2 : 1);
      if (i < 4) system(i - 1, i) -= stiffness, system(i, i - 1) -= stiffness;
    }
    const Eigen::Vector4d expected = test::solve(system, rhs);
    for (int i = 1; i < 5; ++i) EXPECT_NEAR(-q[i][1] - i, expected[i - 1], 1e-9) << stiffness;
  }
}

// --- All iterations, and Newton's method ---

// Iterations stop when one of them changes little: slow ones have farther to go then, and 1e-7 would leave 5e-4 of the way.
void expect_newtons_step(ProjectedStepCase c, const std::vector<int>& held, const char* what) {
  for (const int block : held) c.hold(block);
  c.throw_about(1);
  BlockVector newton = c.before;
  const StepProblem problem = c.problem();
  ASSERT_TRUE(is_success(Newton({.tolerance = 1e-10}).solve(problem, newton).status)) << what;
  const double way = largest_distance(newton, c.before);
  for (const ProjectionIteration iteration : kIterations) {
    const BlockVector q =
        c.solve({.iteration = iteration, .iterations = {}, .tolerance = 1e-8}, SolveStatus::converged);
    EXPECT_LT(largest_distance(q, newton), 1e-4 * way) << what << ", iteration " << static_cast<int>(iteration);
  }
}

TEST(Projection, EndsAtNewtonsStepOfALinkCloth) { expect_newtons_step(link_cloth(), {0, 4}, "links"); }
TEST(Projection, EndsAtNewtonsStepOfAHingedCloth) { expect_newtons_step(hinged_cloth(), {0, 3}, "hinges"); }
TEST(Projection, EndsAtNewtonsStepOfAStVenantKirchhoffBar) {
  expect_newtons_step(bar<solid::StVenantKirchhoff>(), {0}, "St. Venant-Kirchhoff");
}
TEST(Projection, EndsAtNewtonsStepOfACorotatedBar) { expect_newtons_step(bar<solid::Corotated>(), {0}, "corotated"); }
TEST(Projection, EndsAtNewtonsStepOfABarThatKeepsItsVolume) {
  expect_newtons_step(bar<solid::Corotated>(2e6), {0}, "volume");
}

// A point that slides along a rail.
TEST(Projection, HoldsPartlyWhatIsPartlyHeld) {
  ProjectedStepCase c = link_cloth();
  c.hold(0);
  const Vec3 across = Vec3(1, 2, 0).normalized();
  c.controls.filter.hold(24, across);
  c.controls.held.push_back({24, c.before[24]});
  c.throw_about(1);
  BlockVector newton = c.before;
  const StepProblem problem = c.problem();
  ASSERT_TRUE(is_success(Newton({.tolerance = 1e-10}).solve(problem, newton).status));
  for (const ProjectionIteration iteration :
       {ProjectionIteration::gauss_seidel, ProjectionIteration::conjugate_residual}) {
    const BlockVector q =
        c.solve({.iteration = iteration, .iterations = {}, .tolerance = 1e-8}, SolveStatus::converged);
    EXPECT_NEAR(across.dot(q[24] - c.before[24]), 0, 1e-14);
    EXPECT_LT(largest_distance(q, newton), 1e-4 * largest_distance(newton, c.before)) << static_cast<int>(iteration);
  }
}

// --- Velocity level: linear from the start of the step ---

// Three points, three springs, one point held: c_b + J (x − x_b) for c gives (ω M + Jᵀ K J) d = ω M (q̃ − x_b) − Jᵀ K c_b.
TEST(Projection, VelocityLevelSolvesWhatIsLinearBeforeTheStep) {
  const std::vector<spring::Spring> springs = {{0, 1, 0.9, 300, 0}, {1, 2, 1.2, 500, 0}, {0, 2, 0.8, 200, 0}};
  ProjectedStepCase c;
  c.place({Vec3(0, 0, 0), Vec3(1, 0.2, -0.1), Vec3(0.3, 0.9, 0.4)}, {1, 0.3, 0.2});
  c.add(spring::Springs(springs, 3));
  c.finish();
  c.hold(0);
  c.target[1] += Vec3(0.1, -0.2, 0.05);
  c.target[2] += Vec3(-0.15, 0.1, 0.3);
  Eigen::MatrixXd system = Eigen::MatrixXd::Zero(6, 6);
  Eigen::VectorXd rhs(6);
  for (int b = 1; b < 3; ++b) {
    const double inertia = c.weight * c.masses[static_cast<std::size_t>(b)];
    system.block(3 * b - 3, 3 * b - 3, 3, 3) = inertia * Mat3::Identity();
    rhs.segment(3 * b - 3, 3) = inertia * (c.target[b] - c.before[b]);
  }
  for (const spring::Spring& s : springs) {
    const Vec3 along = c.before[s.second] - c.before[s.first];
    Eigen::VectorXd row = Eigen::VectorXd::Zero(6);
    if (s.first > 0) row.segment(3 * s.first - 3, 3) = -along.normalized();
    row.segment(3 * s.second - 3, 3) = along.normalized();
    system += s.stiffness * row * row.transpose();
    rhs -= s.stiffness * (along.norm() - s.rest_length) * row;
  }
  const Eigen::VectorXd moved = test::solve(system, rhs);
  const BlockVector position_level = c.solve({.iterations = {}, .tolerance = 1e-12}, SolveStatus::converged);
  for (const ProjectionIteration iteration : kIterations) {
    const BlockVector q = c.solve(
        {.iteration = iteration, .iterations = {}, .tolerance = 1e-11, .velocity_level = true}, SolveStatus::converged);
    for (int b = 1; b < 3; ++b)
      EXPECT_LT((q[b] - c.before[b] - moved.segment(3 * b - 3, 3)).norm(), 1e-9) << static_cast<int>(iteration);
    EXPECT_GT(largest_distance(q, position_level), 1e-4);
  }
}

// A point on a stiff link that moves across it with 1 m/s: a linear link lets it go straight on, and is longer by (v h)²/2.
TEST(Projection, VelocityLevelDriftsAtSecondOrder) {
  const auto drift = [](double h, bool velocity_level) {
    ProjectedStepCase c;
    c.place({Vec3(0, 0, 0), Vec3(1, 0, 0)}, {1, 1});
    c.add(spring::Springs({{0, 1, 1, 1e9, 0}}, 2));
    c.finish();
    c.hold(0);
    c.step = h;
    c.weight = 1 / (h * h);
    c.target[1] = Vec3(1, h, 0);
    const BlockVector q =
        c.solve({.iterations = {}, .tolerance = 1e-12, .velocity_level = velocity_level}, SolveStatus::converged);
    return std::abs(q[1].norm() - 1);
  };
  for (const double h : {0.04, 0.02, 0.01}) {
    EXPECT_NEAR(drift(h, true), 0.5 * h * h, 1e-3 * h * h);
    EXPECT_LT(drift(h, false), 1e-8);
  }
}

// --- What no number of iterations may change ---

TEST(Projection, AFreeNetKeepsItsMomentum) {
  ProjectedStepCase c = link_cloth(8, 1e6);
  c.energies.pop_back();  // no weight
  c.throw_about(5);
  for (const ProjectionIteration iteration : kIterations) {
    const BlockVector q = c.solve({.iteration = iteration, .iterations = 12}, SolveStatus::budgeted);
    Vec3 change = Vec3::Zero();
    double size = 0;
    for (int i = 0; i < q.size(); ++i) {
      change += c.masses[static_cast<std::size_t>(i)] * (q[i] - c.target[i]);
      size += c.masses[static_cast<std::size_t>(i)] * (q[i] - c.target[i]).norm();
    }
    EXPECT_GT(size, 1e-3);
    EXPECT_LT(change.norm(), 1e-12 * size) << static_cast<int>(iteration);
  }
}

TEST(Projection, SameBitsForAnyNumberOfThreads) {
  ProjectedStepCase c = link_cloth(32, 1e4);
  c.throw_about(5);
  for (const ProjectionIteration iteration :
       {ProjectionIteration::gauss_seidel, ProjectionIteration::accelerated_jacobi,
        ProjectionIteration::conjugate_residual}) {
    set_thread_count(1);
    const BlockVector one = c.solve({.iteration = iteration, .iterations = 8}, SolveStatus::budgeted);
    set_thread_count(2);
    const BlockVector two = c.solve({.iteration = iteration, .iterations = 8}, SolveStatus::budgeted);
    set_thread_count(0);
    EXPECT_EQ(largest_distance(one, two), 0) << static_cast<int>(iteration);
  }
}

// Those of Jacobi's kind are left out: their step follows from eight iterations of the power method, which begins elsewhere when
// lanes are eight wide, so that what 30 iterations leave differs by about a millimetre.
TEST(Projection, SinglePrecisionIsNear) {
  ProjectedStepCase c = link_cloth(8, 1e4);
  c.hold(0);
  c.throw_about(5);
  for (const ProjectionIteration iteration : {ProjectionIteration::gauss_seidel, ProjectionIteration::sor,
                                              ProjectionIteration::conjugate_residual, ProjectionIteration::minres}) {
    const BlockVector fine = c.solve({.iteration = iteration, .iterations = 30}, SolveStatus::budgeted);
    const BlockVector coarse =
        c.solve({.iteration = iteration, .iterations = 30, .precision = ProjectionPrecision::float_precision},
                SolveStatus::budgeted);
    EXPECT_LT(largest_distance(fine, coarse), 1e-4 * 0.8) << static_cast<int>(iteration);  // of the cloth's width
  }
}

// --- Inside out ---

// A tet that starts as its mirror image: corotated elements know the way back.
TEST(Projection, AnInvertedElementComesBack) {
  const TetMesh mesh{.vertices = {Vec3(0, 0, 0), Vec3(0.1, 0, 0), Vec3(0, 0.1, 0), Vec3(0, 0, 0.1)},
                     .tets = {Vec4i(0, 1, 2, 3)}};
  for (const ProjectionIteration iteration : kIterations) {
    ProjectedStepCase c;
    c.place(mesh.vertices, std::vector<double>(4, 0.05));
    c.add_solid<solid::Corotated>(mesh, 1e4);
    c.finish();
    c.before[3] = Vec3(0.01, 0.02, -0.05);
    Projection solver({.iteration = iteration, .iterations = 10});
    BlockVector velocity(4);
    sparse::set_zero(velocity);
    for (int k = 0; k < 300; ++k) {
      for (int i = 0; i < 4; ++i) c.target[i] = c.before[i] + 0.98 * c.step * velocity[i];
      BlockVector q = c.before;
      const StepProblem problem = c.problem();
      ASSERT_EQ(solver.solve(problem, q).status, SolveStatus::budgeted) << k;
      for (int i = 0; i < 4; ++i) velocity[i] = (q[i] - c.before[i]) / c.step;
      c.before = q;
    }
    Mat3 edges;
    edges << Vec3(c.before[1] - c.before[0]), Vec3(c.before[2] - c.before[0]), Vec3(c.before[3] - c.before[0]);
    EXPECT_NEAR(edges.determinant(), 1e-3, 1e-5) << static_cast<int>(iteration);
  }
}

// --- What it cannot do ---

TEST(Projection, NamesEnergiesItCannotTake) {
  ProjectedStepCase c = bar<solid::NeoHookean>();
  const unsigned char is_load[] = {0, 1}, none[] = {0, 0};
  EXPECT_EQ(not_projectable(c.energies, is_load), "neo_hookean");
  c.energies.erase(c.energies.begin());
  EXPECT_EQ(not_projectable(c.energies, std::span(none).first(1)), "gravity");
  EXPECT_EQ(not_projectable(c.energies, std::span(is_load).last(1)), "");
}

// A number that is none is said, not passed on as a success.
TEST(Projection, SaysWhenNumbersAreNotFinite) {
  ProjectedStepCase c = link_cloth();
  c.target[7][1] = std::nan("");
  const StepProblem problem = c.problem();
  BlockVector q = c.before;
  EXPECT_EQ(Projection(ProjectionOptions{}).solve(problem, q).status, SolveStatus::not_finite);
}

}  // namespace
}  // namespace pliant::solver
