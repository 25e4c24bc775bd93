#include "pliant/energy/cloth/hinge_bending.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "pliant/energy/cloth/hinge_laws.h"
#include "pliant/mesh/grid_sheet.h"
#include "pliant/mesh/hinges.h"
#include "pliant/parallel/parallel.h"
#include "tests/energy/cloth/hinge_oracle.h"
#include "tests/energy/energy_checks.h"
#include "tests/energy/weight_checks.h"

namespace pliant::checks {
namespace {

using cloth::HingeBending;
using cloth::HingeLaw;
using cloth::HingeParameters;
using LongReal = long double;

constexpr HingeLaw kAllLaws[] = {HingeLaw::tan, HingeLaw::angle, HingeLaw::willmore, HingeLaw::bridson};
constexpr double kHingePi = std::numbers::pi, kHingeUnit = 0x1p-53;

// --- Sheets ---

struct HingeSheet {
  std::vector<std::array<int, 3>> triangles;
  SheetHinges found;
  std::vector<HingeParameters> parameters;
  TetModel model;  // only its points and pattern are used

  // Rest positions, positions now; parameters at random, with the rest angles of `rest` plus up to `bend`.
  void finish(double bend, bool viscous, unsigned seed) {
    Random random(seed);
    found = find_hinges(triangles);
    parameters.clear();
    for (const Hinge& hinge : found.hinges) {
      HingeParameters p = cloth::hinge_at_rest(hinge, model.rest);
      p.stiffness = random.between(0.5, 2);
      p.viscosity = viscous ? random.between(0.002, 0.01) : 0;
      p.rest_angle += random.between(-bend, bend);
      parameters.push_back(p);
    }
    const int count = static_cast<int>(model.rest.size());
    model.now.resize(count), model.before.resize(count);
    for (int v = 0; v < count; ++v) {
      model.now[v] = model.moved[v];
      model.before[v] = model.moved[v] + random.vector(0.05);
    }
    sparse::PatternBuilder builder(count);
    HingeBending(HingeLaw::tan, triangles, found.hinges, parameters).couple(builder);
    model.pattern = builder.build();
  }
  [[nodiscard]] HingeBending energy(HingeLaw law) const {
    HingeBending result(law, triangles, found.hinges, parameters);
    result.find_slots(*model.pattern);
    return result;
  }
};

// An irregular grid of unit cells with vertices shaken by up to `noise` in all directions.
HingeSheet crumpled(std::array<int, 2> cells, double noise, double bend = 0.5, bool viscous = false,
                    unsigned seed = 5) {
  HingeSheet sheet;
  Random random(seed);
  const TriangleMesh mesh =
      make_grid({.size = {1.0 * cells[0], 1.0 * cells[1]}, .cells = cells, .pattern = GridPattern::irregular});
  for (const Vec3i& t : mesh.triangles) sheet.triangles.push_back({t[0], t[1], t[2]});
  sheet.model.rest = mesh.vertices;
  for (const Vec3& x : mesh.vertices) {
    sheet.model.moved.push_back(Vec3(x.x(), x.y() + 0.4 * std::sin(x.x() + 0.5 * x.z()), x.z()) + random.vector(noise));
  }
  sheet.finish(bend, viscous, seed + 1);
  return sheet;
}

HingeSheet one_hinge(const std::array<Vec3, 4>& rest, const std::array<Vec3, 4>& now, double bend = 0) {
  HingeSheet sheet;
  sheet.triangles = {{0, 1, 2}, {3, 2, 1}};
  sheet.model.rest.assign(rest.begin(), rest.end());
  sheet.model.moved.assign(now.begin(), now.end());
  sheet.finish(bend, false, 9);
  return sheet;
}

// Edge along y, x0 at −x, x3 turned out of the plane by the ridge angle.
std::array<Vec3, 4> hinge_at(double angle) {
  return {Vec3(-1, 0.4, 0), Vec3(0, 0, 0), Vec3(0, 1, 0), Vec3(0.8 * std::cos(angle), 0.3, -0.8 * std::sin(angle))};
}

// --- The oracle in extended precision ---

struct HingeTruth {
  LongReal value = 0;
  Eigen::Matrix<LongReal, Eigen::Dynamic, 1> gradient;
  Eigen::Matrix<LongReal, Eigen::Dynamic, Eigen::Dynamic> hessian;
};

template <class T>
oracle::Stencil<T> stencil(const std::array<int, 4>& v, const BlockVector& x) {
  oracle::Stencil<T> result;
  for (int i = 0; i < 4; ++i) result[i] = Vec3(x[v[i]]).cast<T>();
  return result;
}

template <class T>
HingeTruth oracle_total(const HingeSheet& sheet, HingeLaw law) {
  const int n = 3 * sheet.model.now.size();
  HingeTruth total;
  total.gradient.setZero(n);
  total.hessian.setZero(n, n);
  for (std::size_t h = 0; h < sheet.found.hinges.size(); ++h) {
    const std::array<int, 4>& v = sheet.found.hinges[h].vertex;
    const oracle::HingeResult<T> r = oracle::evaluate_hinge<T>(law, sheet.parameters[h], stencil<T>(v, sheet.model.now),
                                                               stencil<T>(v, sheet.model.before), T(sheet.model.step));
    total.value += r.value;
    for (int i = 0; i < 4; ++i) {
      total.gradient.segment<3>(3 * v[i]) += r.gradient[i].template cast<LongReal>();
      for (int j = i; j < 4; ++j) {
        const oracle::Matrix<LongReal> block = r.hessian[pair_index<4>(i, j)].template cast<LongReal>();
        total.hessian.block<3, 3>(3 * v[i], 3 * v[j]) += block;
        if (i != j) total.hessian.block<3, 3>(3 * v[j], 3 * v[i]) += block.transpose();
      }
    }
  }
  return total;
}

double relative_error(const Eigen::MatrixXd& ours, const HingeTruth& truth) {
  return static_cast<double>((ours.cast<LongReal>() - truth.hessian).norm() / truth.hessian.norm());
}

// The oracle's value → gradient → Hessian by central differences of sixth order in extended precision.
void expect_oracle_is_exact(HingeLaw law, const HingeSheet& sheet, std::size_t h) {
  const std::array<int, 4>& v = sheet.found.hinges[h].vertex;
  const oracle::Stencil<LongReal> here = stencil<LongReal>(v, sheet.model.now),
                                  before = stencil<LongReal>(v, sheet.model.before);
  const auto at = [&](const oracle::Stencil<LongReal>& x) {
    return oracle::evaluate_hinge<LongReal>(law, sheet.parameters[h], x, before, LongReal(sheet.model.step));
  };
  const oracle::HingeResult<LongReal> exact = at(here);
  const LongReal step = 2e-3L, weight[] = {0.75L, -0.15L, 1.0L / 60};
  LongReal gradient_scale = 0, hessian_scale = 0;
  for (const auto& g : exact.gradient) gradient_scale = std::max(gradient_scale, g.norm());
  for (const auto& k : exact.hessian) hessian_scale = std::max(hessian_scale, k.norm());
  for (int i = 0; i < 4; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      LongReal slope = 0;
      std::array<oracle::Vector<LongReal>, 4> change;
      for (auto& c : change) c.setZero();
      for (int m = 1; m <= 3; ++m) {
        oracle::Stencil<LongReal> ahead = here, back = here;
        ahead[i][axis] += m * step;
        back[i][axis] -= m * step;
        const oracle::HingeResult<LongReal> a = at(ahead), b = at(back);
        slope += weight[m - 1] * (a.value - b.value) / step;
        for (int j = 0; j < 4; ++j) change[j] += weight[m - 1] * (a.gradient[j] - b.gradient[j]) / step;
      }
      EXPECT_NEAR(static_cast<double>((slope - exact.gradient[i][axis]) / gradient_scale), 0, 1e-10);
      for (int j = i; j < 4; ++j) {
        const oracle::Vector<LongReal> row = exact.hessian[pair_index<4>(i, j)].row(axis).transpose();
        EXPECT_LE(static_cast<double>((row - change[j]).norm() / hessian_scale), 1e-9) << i << " " << j;
      }
    }
  }
}

// --- Derivatives ---

TEST(HingeBending, TheOracleIsExact) {
  const HingeSheet sheet = crumpled({2, 2}, 0.05, 0.5, true);
  for (const HingeLaw law : kAllLaws) {
    for (std::size_t h = 0; h < sheet.found.hinges.size(); h += 3) expect_oracle_is_exact(law, sheet, h);
  }
}

// Value, gradient and matrix are those of the printed per-hinge formulas, borders included: to rounding.
TEST(HingeBending, EqualsTheSumOverHingesToRounding) {
  for (const bool viscous : {false, true}) {
    const HingeSheet sheet = crumpled({9, 8}, 0.2, 0.4, viscous);
    for (const HingeLaw law : kAllLaws) {
      const Evaluation ours = evaluate(sheet.energy(law), sheet.model);
      const HingeTruth truth = oracle_total<LongReal>(sheet, law), plain = oracle_total<double>(sheet, law);
      const double gradient_error =
          static_cast<double>((flat(ours.gradient).cast<LongReal>() - truth.gradient).norm() / truth.gradient.norm());
      const double error = relative_error(dense(ours.hessian), truth);
      const double difference =
          static_cast<double>((dense(ours.hessian).cast<LongReal>() - plain.hessian).norm() / plain.hessian.norm());
      EXPECT_NEAR(ours.value, static_cast<double>(truth.value), 20 * kHingeUnit * ours.value);
      EXPECT_LE(gradient_error, 5 * kHingeUnit);
      EXPECT_LE(error, 5 * kHingeUnit);
      EXPECT_LE(difference, 5 * kHingeUnit);
      const std::string key = sheet.energy(law).name() + (viscous ? "_viscous" : "");
      ::testing::Test::RecordProperty(key, std::to_string(error / kHingeUnit) + " of 2^-53 from the truth, " +
                                               std::to_string(difference / kHingeUnit) +
                                               " from per-hinge code in double");
    }
  }
}

TEST(HingeBending, DerivativesConvergeToFiniteDifferences) {
  for (const bool viscous : {false, true}) {
    const HingeSheet sheet = crumpled({3, 2}, 0.05, 0.5, viscous);
    for (const HingeLaw law : kAllLaws) {
      const HingeBending energy = sheet.energy(law);
      expect_derivatives_converge(energy, sheet.model, 2e-3);
      expect_views_agree(energy, sheet.model);
      expect_adds(energy, sheet.model);
    }
  }
}

TEST(HingeBending, ProjectedIsGaussNewton) {
  const HingeSheet sheet = crumpled({4, 3}, 0.3, 1.0);
  for (const HingeLaw law : kAllLaws) {
    const HingeBending energy = sheet.energy(law);
    expect_projected_is_semidefinite(energy, sheet.model);
    const int n = 3 * sheet.model.now.size();
    Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(n, n);
    for (std::size_t h = 0; h < sheet.found.hinges.size(); ++h) {
      const std::array<int, 4>& v = sheet.found.hinges[h].vertex;
      const auto angle = oracle::angle_derivatives<double>(stencil<double>(v, sheet.model.now));
      const auto psi = oracle::energy_of<double>(law, sheet.parameters[h], angle.angle, 0, 0);
      Eigen::VectorXd g = Eigen::VectorXd::Zero(n);
      for (int i = 0; i < 4; ++i) g.segment<3>(3 * v[i]) = angle.gradient[i];
      expected += std::max(psi.second, 0.0) * g * g.transpose();
    }
    expect_close(expected, dense(evaluate(energy, sheet.model, HessianKind::projected).hessian), 1e-12);
  }
}

// --- Invariance ---

TEST(HingeBending, RigidMotionsAreFree) {
  for (const bool viscous : {false, true}) {
    const HingeSheet sheet = crumpled({4, 4}, 0.1, 0.5, viscous);
    for (const HingeLaw law : kAllLaws) {
      expect_no_net_force(sheet.energy(law), sheet.model);
      expect_no_net_torque(sheet.energy(law), sheet.model);
      expect_rotation_invariant(sheet.energy(law), sheet.model);
    }
  }
}

TEST(HingeBending, AngleGradientIsOrthogonalToRigidMotions) {
  Random random(31);
  for (int trial = 0; trial < 50; ++trial) {
    oracle::Stencil<double> x;
    for (Vec3& p : x) p = random.vector();
    const auto angle = oracle::angle_derivatives(x);
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    double scale = 0;
    for (int i = 0; i < 4; ++i) {
      force += angle.gradient[i];
      torque += x[i].cross(angle.gradient[i]);
      scale += angle.gradient[i].norm();
    }
    EXPECT_LE(force.norm(), 1e-13 * scale);
    EXPECT_LE(torque.norm(), 1e-13 * scale);
  }
}

// The same sheet with other numbers for its vertices, another order of triangles and of their corners.
TEST(HingeBending, NumberingDoesNotMatter) {
  const HingeSheet sheet = crumpled({6, 5}, 0.2, 0.0, false);
  std::mt19937 random(77);
  std::vector<int> renumbered(sheet.model.rest.size());
  for (std::size_t v = 0; v < renumbered.size(); ++v) renumbered[v] = static_cast<int>(v);
  std::shuffle(renumbered.begin(), renumbered.end(), random);
  HingeSheet other;
  other.model.rest.resize(renumbered.size()), other.model.moved.resize(renumbered.size());
  for (std::size_t v = 0; v < renumbered.size(); ++v) {
    other.model.rest[renumbered[v]] = sheet.model.rest[v];
    other.model.moved[renumbered[v]] = sheet.model.moved[v];
  }
  for (const std::array<int, 3>& t : sheet.triangles) {
    const unsigned turn = random() % 3;
    other.triangles.push_back({renumbered[t[turn]], renumbered[t[(turn + 1) % 3]], renumbered[t[(turn + 2) % 3]]});
  }
  std::shuffle(other.triangles.begin(), other.triangles.end(), random);
  other.finish(0, false, 1);
  HingeSheet first = sheet;
  for (HingeParameters& p : first.parameters) p.stiffness = 1.5;
  for (HingeParameters& p : other.parameters) p.stiffness = 1.5;
  for (const HingeLaw law : kAllLaws) {
    const Evaluation a = evaluate(first.energy(law), first.model), b = evaluate(other.energy(law), other.model);
    EXPECT_NEAR(a.value, b.value, 1e-13 * a.value);
    const Eigen::MatrixXd ha = dense(a.hessian), hb = dense(b.hessian);
    Eigen::MatrixXd back(ha.rows(), ha.cols());
    Eigen::VectorXd gradient(ha.rows());
    for (std::size_t v = 0; v < renumbered.size(); ++v) {
      gradient.segment<3>(3 * v) = b.gradient[renumbered[v]];
      for (std::size_t w = 0; w < renumbered.size(); ++w) {
        back.block<3, 3>(3 * v, 3 * w) = hb.block<3, 3>(3 * renumbered[v], 3 * renumbered[w]);
      }
    }
    expect_close(flat(a.gradient), gradient, 10 * kHingeUnit);
    expect_close(ha, back, 10 * kHingeUnit);
  }
}

// Turning all triangles over changes the sign of all angles, and nothing else when the rest state is flat.
TEST(HingeBending, OrientationOfTheSheetDoesNotMatter) {
  HingeSheet sheet = crumpled({5, 4}, 0.2, 0.0, false), over = sheet;
  for (std::array<int, 3>& t : over.triangles) std::swap(t[0], t[1]);
  over.finish(0, false, 6);
  for (std::size_t h = 0; h < sheet.found.hinges.size(); ++h) {
    sheet.parameters[h].stiffness = 1;
    over.parameters[h].stiffness = 1;
  }
  for (const HingeLaw law : kAllLaws) {
    const Evaluation a = evaluate(sheet.energy(law), sheet.model), b = evaluate(over.energy(law), over.model);
    EXPECT_NEAR(a.value, b.value, 1e-13 * a.value);
    expect_close(flat(a.gradient), flat(b.gradient), 10 * kHingeUnit);
    expect_close(dense(a.hessian), dense(b.hessian), 10 * kHingeUnit);
  }
}

TEST(HingeBending, SameBitsForAnyThreadCount) {
  const HingeSheet sheet = crumpled({20, 20}, 0.2, 0.3, true);
  for (const HingeLaw law : kAllLaws) expect_same_bits_for_any_thread_count(sheet.energy(law), sheet.model);
}

// --- The angle ---

// x3 goes round the edge: sign, range and all laws against atan2 of the construction.
TEST(HingeBending, AngleFollowsASweepRoundTheEdge) {
  for (int step = -179; step <= 179; ++step) {
    const double angle = step * kHingePi / 180;
    const std::array<Vec3, 4> x = hinge_at(angle);
    EXPECT_NEAR(cloth::hinge_angle(x[0], x[1], x[2], x[3]), angle, 1e-14);
    const double s = std::sin(angle / 2), c = std::cos(angle / 2);
    EXPECT_NEAR(cloth::angle_from_halves(s, c), 2 * std::atan2(LongReal(s), LongReal(c)),
                6 * kHingeUnit * std::abs(angle));
    HingeSheet sheet = one_hinge(hinge_at(0), x);
    sheet.parameters[0].stiffness = 6;
    const double shape = 3 / sheet.parameters[0].rest_area;  // |ē| = 1
    EXPECT_NEAR(value_of(sheet.energy(HingeLaw::angle), sheet.model), shape * angle * angle, 1e-13);
    EXPECT_NEAR(value_of(sheet.energy(HingeLaw::willmore), sheet.model), shape * 4 * s * s, 1e-13);
    EXPECT_NEAR(value_of(sheet.energy(HingeLaw::bridson), sheet.model), shape * 8 * (1 - c), 1e-13);
    const double tan_energy = shape * 4 * s * s / (c * c);
    EXPECT_NEAR(value_of(sheet.energy(HingeLaw::tan), sheet.model), tan_energy, 1e-13 * tan_energy / c + 1e-28);
    // The sign shows with a rest angle.
    sheet.parameters[0].rest_angle = 0.5;
    EXPECT_NEAR(value_of(sheet.energy(HingeLaw::angle), sheet.model), shape * (angle - 0.5) * (angle - 0.5), 1e-13);
  }
}

// All laws have the same stiffness at θ = θ̄ = 0: ψ'' = 2 k a.
TEST(HingeBending, LawsAgreeForSmallAngles) {
  const double angle = 1e-4, stiffness = 0.7;
  for (const HingeLaw law : kAllLaws) {
    HingeSheet sheet = one_hinge(hinge_at(0), hinge_at(angle));
    sheet.parameters[0].stiffness = stiffness;
    const double expected = stiffness / 6 * 3 / sheet.parameters[0].rest_area * angle * angle;
    EXPECT_NEAR(value_of(sheet.energy(law), sheet.model) / expected, 1, 1e-8);
  }
}

TEST(HingeBending, NothingHappensAtTheRestAngle) {
  const HingeSheet sheet = crumpled({4, 4}, 0.2, 0.0);
  HingeSheet rest = sheet;
  rest.model.rest = rest.model.moved;
  rest.finish(0, false, 3);
  move(rest.model, Random(3).rotation(), Vec3(1, 2, 3));
  for (const HingeLaw law : kAllLaws) {
    const Evaluation result = evaluate(rest.energy(law), rest.model);
    EXPECT_NEAR(result.value, 0, 1e-12);
    EXPECT_LE(flat(result.gradient).norm(), 1e-12 * dense(result.hessian).norm());
  }
}

// The moment of the tan law grows without bound towards ±π, as (π − |θ|)⁻³; that of the others does not.
TEST(HingeBending, TanLawForbidsFolding) {
  for (const double sign : {-1.0, 1.0}) {
    double last = 0;
    for (const double gap : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5}) {
      HingeSheet sheet = one_hinge(hinge_at(0), hinge_at(sign * (kHingePi - gap)));
      const double force = flat(gradient_of(sheet.energy(HingeLaw::tan), sheet.model)).norm();
      if (last > 0) {
        EXPECT_NEAR(force / last, 1000, 20);
      }
      last = force;
      // Further folding costs energy.
      const double angle = sign * (kHingePi - gap);
      const BlockVector g = gradient_of(sheet.energy(HingeLaw::tan), sheet.model);
      EXPECT_GT(sign * Vec3(g[3]).dot(Vec3(-std::sin(angle), 0, -std::cos(angle))), 0);
      for (const HingeLaw law : {HingeLaw::angle, HingeLaw::willmore, HingeLaw::bridson}) {
        EXPECT_LT(flat(gradient_of(sheet.energy(law), sheet.model)).norm(), 100);
      }
    }
  }
}

// --- Degenerate states ---

void expect_finite_hinge(const HingeSheet& sheet, const std::string& what) {
  for (const HingeLaw law : kAllLaws) {
    for (const HessianKind kind : {HessianKind::exact, HessianKind::projected}) {
      const Evaluation result = evaluate(sheet.energy(law), sheet.model, kind);
      EXPECT_TRUE(std::isfinite(result.value)) << what;
      EXPECT_TRUE(flat(result.gradient).allFinite()) << what;
      EXPECT_TRUE(dense(result.hessian).allFinite()) << what;
    }
  }
}

TEST(HingeBending, DegenerateStatesAreFinite) {
  const std::array<Vec3, 4> flat_hinge = hinge_at(0);
  const Vec3 o = Vec3::Zero(), x = Vec3::UnitX(), y = Vec3::UnitY();
  const std::pair<const char*, std::array<Vec3, 4>> states[] = {
      {"folded", {-x, o, y, -x}},
      {"folded, oblique", {Vec3(-1, 0.4, 0.3), o, y, Vec3(-0.7, 0.1, 0.21)}},
      {"nearly folded", hinge_at(kHingePi * (1 - 1e-12))},
      {"needle", {Vec3(0, 0.5, 0), o, y, x}},
      {"two needles", {Vec3(0, 0.5, 0), o, y, Vec3(0, 0.2, 0)}},
      {"thin needle", {Vec3(-1e-13, 0.5, 0), o, y, x}},
      {"edge of no length", {-x, o, o, x}},
      {"short edge", {-x, o, 1e-20 * y, x}},
      {"corner on the edge's end", {o, o, y, x}},
      {"one point", {o, o, o, o}},
      {"tiny", {-1e-40 * x, o, 1e-40 * y, Vec3(1e-40, 0, 1e-40)}},
      {"huge", {-1e9 * x, o, 1e9 * y, Vec3(1e9, 0, 1e9)}},
  };
  for (const auto& [what, now] : states) {
    HingeSheet sheet = one_hinge(flat_hinge, now, 0.3);
    expect_finite_hinge(sheet, what);
    sheet.parameters[0].viscosity = 0.1;
    expect_finite_hinge(sheet, std::string("viscous, ") + what);
    std::swap(sheet.model.now, sheet.model.before);
    expect_finite_hinge(sheet, std::string("before: ") + what);
  }
}

// --- Physics ---

// A strip of right triangles bent to a cylinder whose rulings are edges: ½ D κ² per area [errata of the digest, E17].
TEST(HingeBending, CylinderHasTheEnergyOfAPlate) {
  const double rigidity = 0.3, curvature = 0.25;
  const std::array<int, 2> cells{40, 6};
  const double width = 0.05;
  const TriangleMesh mesh = make_grid({.size = {40 * width, 6 * width}, .cells = cells});
  for (const HingeLaw law : kAllLaws) {
    HingeSheet sheet;
    for (const Vec3i& t : mesh.triangles) sheet.triangles.push_back({t[0], t[1], t[2]});
    sheet.model.rest = mesh.vertices;
    // Facets keep their width: the angle from column to column is κ times it.
    for (const Vec3& p : mesh.vertices) {
      const double chord = 2 / curvature * std::sin(curvature * width / 2), radius = 1 / curvature * width / chord;
      sheet.model.moved.emplace_back(radius * std::sin(curvature * p.x()), radius * (1 - std::cos(curvature * p.x())),
                                     p.z());
    }
    sheet.finish(0, false, 1);
    for (HingeParameters& p : sheet.parameters) p.stiffness = rigidity;
    // 39 of 40 columns of edges bend; each stands for one width.
    const double area = 39 * width * 6 * width;
    EXPECT_NEAR(value_of(sheet.energy(law), sheet.model) / area / (0.5 * rigidity * curvature * curvature), 1, 1e-4)
        << sheet.energy(law).name();
  }
}

// --- Viscosity ---

TEST(HingeBending, ViscosityIgnoresRigidMotion) {
  HingeSheet sheet = crumpled({5, 4}, 0.2, 0.3, true);
  sheet.model.before = sheet.model.now;
  move(sheet.model, Random(8).rotation(), Vec3(1, -2, 0.5));
  HingeSheet elastic = sheet;
  for (HingeParameters& p : elastic.parameters) p.viscosity = 0;
  for (const HingeLaw law : kAllLaws) {
    const Evaluation with = evaluate(sheet.energy(law), sheet.model),
                     without = evaluate(elastic.energy(law), sheet.model);
    EXPECT_NEAR(with.value, without.value, 1e-12 * without.value);
    const double scale = 1e-13 * dense(with.hessian).norm();
    EXPECT_LE((flat(with.gradient) - flat(without.gradient)).norm(), scale);
    // The stiffness of the loss is there all the same.
    EXPECT_GT((dense(with.hessian) - dense(without.hessian)).norm(), 0.1 * dense(without.hessian).norm());
  }
}

// Along the motion from before to now, the viscous force works against it; without a step there is none.
TEST(HingeBending, ViscosityDissipates) {
  HingeSheet sheet = crumpled({5, 4}, 0.1, 0.3, true);
  HingeSheet elastic = sheet;
  for (HingeParameters& p : elastic.parameters) p.viscosity = 0;
  for (const HingeLaw law : kAllLaws) {
    const auto viscous_part = [&](double step) {
      TetModel model = sheet.model;
      model.step = step;
      return Eigen::VectorXd(flat(gradient_of(sheet.energy(law), model)) -
                             flat(gradient_of(elastic.energy(law), model)));
    };
    const Eigen::VectorXd way = flat(sheet.model.now) - flat(sheet.model.before);
    EXPECT_GT(viscous_part(0.01).dot(way), 0);
    expect_close(Eigen::VectorXd(2 * viscous_part(0.02)), viscous_part(0.01), 1e-12);
    EXPECT_EQ(viscous_part(0).norm(), 0);
  }
}

// One hinge closing at a given rate feels the moment 2 k_v a θ̇: work over a small step is moment times angle.
TEST(HingeBending, ViscousMomentIsProportionalToTheRate) {
  const double rate = 0.3, step = 1e-4;
  for (const HingeLaw law : kAllLaws) {
    HingeSheet sheet = one_hinge(hinge_at(0), hinge_at(rate * step));
    sheet.parameters[0].stiffness = 0;
    sheet.parameters[0].viscosity = 0.6;
    for (int v = 0; v < 4; ++v) sheet.model.before[v] = hinge_at(0)[v];
    sheet.model.step = step;
    // x3 moves on a circle of radius 0.8: moment = force × 0.8.
    const double moment = -0.8 * gradient_of(sheet.energy(law), sheet.model)[3].z();
    EXPECT_NEAR(moment / (2 * 0.6 / 6 * 3 / sheet.parameters[0].rest_area * rate), 1, 1e-6);
  }
}

// --- Odds and ends ---

TEST(HingeBending, NamesFollowTheLaw) {
  const HingeSheet sheet = one_hinge(hinge_at(0), hinge_at(0.1));
  EXPECT_EQ(sheet.energy(HingeLaw::tan).name(), "hinge_tan");
  EXPECT_EQ(sheet.energy(HingeLaw::angle).name(), "hinge_angle");
  EXPECT_EQ(sheet.energy(HingeLaw::willmore).name(), "hinge_willmore");
  EXPECT_EQ(sheet.energy(HingeLaw::bridson).name(), "hinge_bridson");
}

// A lone triangle and a closed surface with corners of valence three, where x0 and x3 share an edge too.
TEST(HingeBending, WorksWithoutHingesAndOnClosedSurfaces) {
  HingeSheet lone;
  lone.triangles = {{2, 0, 1}};
  lone.model.rest = lone.model.moved = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  lone.finish(0, false, 1);
  const Evaluation nothing = evaluate(lone.energy(HingeLaw::tan), lone.model);
  EXPECT_EQ(nothing.value, 0);
  EXPECT_EQ(flat(nothing.gradient).norm() + dense(nothing.hessian).norm(), 0);

  HingeSheet closed;
  closed.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  closed.model.rest = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
  closed.model.moved = {Vec3(0, 0.1, 0), Vec3(1.2, 0, 0.3), Vec3(0.2, 1, 0), Vec3(0, 0.3, 1.4)};
  closed.finish(0, true, 4);
  ASSERT_EQ(closed.found.hinges.size(), 6u);
  for (const HingeLaw law : kAllLaws) {
    EXPECT_LE(
        relative_error(dense(evaluate(closed.energy(law), closed.model).hessian), oracle_total<LongReal>(closed, law)),
        10 * kHingeUnit);
  }
}

// --- The constant stand-in of the Hessian ---

// A flat sheet at rest, viscous: the second derivative in the normal direction.
TEST(HingeBending, WeightsAreTheHessianOfTheFlatSheetAcrossIt) {
  for (const HingeLaw law : kAllLaws) {
    HingeSheet sheet = crumpled({4, 3}, 0, 0, true);
    for (std::size_t v = 0; v < sheet.model.rest.size(); ++v) {
      sheet.model.now[static_cast<int>(v)] = sheet.model.before[static_cast<int>(v)] = sheet.model.rest[v];
    }
    const HingeBending energy = sheet.energy(law);
    const Eigen::MatrixXd h = dense(evaluate(energy, sheet.model).hessian), l = weights(energy, sheet.model);
    EXPECT_GT(l.norm(), 1);
    expect_close(along(h, 1), l, 1e-12, l.norm());  // the grid's normal is y
    expect_good_weights(energy, sheet.model);
    sheet.model.step = 0;
    EXPECT_LT(weights(energy, sheet.model).norm(), 0.9 * l.norm());
    expect_close(along(dense(evaluate(energy, sheet.model).hessian), 1), weights(energy, sheet.model), 1e-12, l.norm());
  }
}

// A hinge with an angle at rest: exact where only one triangle pulls, never softer elsewhere.
TEST(HingeBending, WeightsOfABentHingeBoundItsHessianAtRest) {
  const std::array<Vec3, 4> bent = hinge_at(1.1);
  HingeSheet sheet = one_hinge(bent, bent);
  sheet.model.step = 0;
  const Vec3 normal = (bent[1] - bent[0]).cross(bent[2] - bent[0]).normalized();
  const Vec3 far = (bent[2] - bent[3]).cross(bent[1] - bent[3]).normalized();
  for (const HingeLaw law : kAllLaws) {
    const HingeBending energy = sheet.energy(law);
    const Eigen::MatrixXd h = dense(evaluate(energy, sheet.model).hessian), l = weights(energy, sheet.model);
    EXPECT_NEAR(normal.dot(h.block<3, 3>(0, 0) * normal), l(0, 0), 1e-12 * l(0, 0));
    EXPECT_NEAR(far.dot(h.block<3, 3>(9, 9) * far), l(3, 3), 1e-12 * l(3, 3));
    for (int i = 0; i < 4; ++i) EXPECT_LE((h.block<3, 3>(3 * i, 3 * i).trace()), l(i, i) * (1 + 1e-12));
  }
}

// Without a rest shape a hinge is taken for two equal isosceles triangles.
TEST(HingeBending, WeightsWithoutARestShapeAreThoseOfAKite) {
  const std::array<Vec3, 4> kite = {Vec3(-0.8, 0.6, 0), Vec3(0, 0, 0), Vec3(0, 1.2, 0), Vec3(0.8, 0.6, 0)};
  HingeSheet given = one_hinge(kite, kite), plain = given;
  HingeParameters& p = plain.parameters[0];
  const HingeParameters defaults;
  p.rest_share = defaults.rest_share;
  p.rest_foot = defaults.rest_foot;
  const Eigen::MatrixXd l = weights(given.energy(HingeLaw::tan), given.model);
  expect_close(l, weights(plain.energy(HingeLaw::tan), plain.model), 1e-13, l.norm());
}

}  // namespace
}  // namespace pliant::checks
