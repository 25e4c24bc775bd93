// Soft constraints: their gradients against finite differences, lanes against plain numbers, and the energies that offer
// them: Σ ½ cᵀ K c is their value, Σ Jᵀ K c their gradient.
#include "pliant/solver/projection/strain_kernels.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include "pliant/energy/cloth/edge_membrane.h"
#include "pliant/energy/cloth/hinge_bending.h"
#include "pliant/energy/cloth/membrane_damping.h"
#include "pliant/energy/solid/arap.h"
#include "pliant/energy/solid/corotated.h"
#include "pliant/energy/solid/hyperelastic_tets.h"
#include "pliant/energy/solid/linear.h"
#include "pliant/energy/solid/neo_hookean.h"
#include "pliant/energy/solid/st_venant_kirchhoff.h"
#include "pliant/energy/solid/strain_rate_damping.h"
#include "pliant/energy/solid/volume_preservation.h"
#include "pliant/energy/spring/springs.h"
#include "pliant/mesh/box_mesh.h"
#include "pliant/mesh/grid_sheet.h"
#include "pliant/mesh/hinges.h"

namespace pliant::solver {
namespace {

class KernelRandom {
 public:
  explicit KernelRandom(unsigned seed) : engine_(seed) {}
  double between(double low, double high) { return low + (high - low) * (engine_() / 4294967296.0); }
  Vec3 vector(double size) { return {between(-size, size), between(-size, size), between(-size, size)}; }

 private:
  std::mt19937 engine_;
};

// --- Elements of every kind, about a metre large ---

template <class Kernel>
struct Sample;

template <>
struct Sample<LinkKernel> {
  static SoftLink element(KernelRandom& random) { return {{0, 1}, random.between(0.5, 1.5), random.between(1, 9)}; }
  static constexpr double kCorners[2][3] = {{0, 0, 0}, {1, 0.2, -0.3}};
};
template <>
struct Sample<TriangleKernel> {
  static SoftTriangle element(KernelRandom& random) {
    SoftTriangle soft{{0, 1, 2}, {1.1, 0.9, 2.1}};
    Mat3 root;
    root << random.vector(1), random.vector(1), random.vector(1);
    soft.stiffness = root * root.transpose() + Mat3::Identity();
    return soft;
  }
  static constexpr double kCorners[3][3] = {{0, 0, 0}, {1, 0, 0.1}, {0.1, 0.2, 1}};
};
template <SolidStrain kStrain>
struct Sample<TetKernel<kStrain>> {
  static SoftTet element(KernelRandom& random) {
    SoftTet soft{{0, 1, 2, 3}};
    for (int i = 0; i < 3; ++i) soft.rest_inverse.row(i) += random.vector(0.2).transpose();
    soft.volume = random.between(0.1, 0.2);
    soft.mu = random.between(1, 3);
    soft.lambda = random.between(0.5, 5);
    soft.strain = kStrain;
    return soft;
  }
  static constexpr double kCorners[4][3] = {{0, 0, 0}, {1, 0.1, 0}, {0, 1, 0.1}, {0.1, 0, 1}};
};
template <>
struct Sample<VolumeKernel> : Sample<TetKernel<SolidStrain::green>> {};
template <HingeMeasure kMeasure>
struct Sample<HingeKernel<kMeasure>> {
  static SoftHinge element(KernelRandom& random) {
    return {{0, 1, 2, 3}, random.between(-0.7, 0.7), random.between(1, 3), kMeasure};
  }
  static constexpr double kCorners[4][3] = {{-1, 0.1, 0.4}, {0, 0, 0}, {0.1, 0, 1}, {1, 0.2, 0.6}};
};

template <class Kernel>
struct SampleElement {
  double rest[Kernel::kRestCount];
  double x[Kernel::kBlocks][3];

  explicit SampleElement(KernelRandom& random, double noise = 0.3) {
    Kernel::set_rest(Sample<Kernel>::element(random), rest);
    for (int b = 0; b < Kernel::kBlocks; ++b) {
      const Vec3 shake = random.vector(noise);
      for (int a = 0; a < 3; ++a) x[b][a] = Sample<Kernel>::kCorners[b][a] + shake[a];
    }
  }
};

template <class Kernel>
class StrainKernel : public ::testing::Test {};
template <class Kernel>
class ExactStrainKernel : public ::testing::Test {};

using Exact = ::testing::Types<LinkKernel, TriangleKernel, TetKernel<SolidStrain::green>, TetKernel<SolidStrain::small>,
                               VolumeKernel, HingeKernel<HingeMeasure::angle>, HingeKernel<HingeMeasure::tangent>,
                               HingeKernel<HingeMeasure::sine>>;
using All = ::testing::Types<LinkKernel, TriangleKernel, TetKernel<SolidStrain::green>, TetKernel<SolidStrain::polar>,
                             TetKernel<SolidStrain::small>, VolumeKernel, HingeKernel<HingeMeasure::angle>,
                             HingeKernel<HingeMeasure::tangent>, HingeKernel<HingeMeasure::sine>>;
TYPED_TEST_SUITE(ExactStrainKernel, Exact);
TYPED_TEST_SUITE(StrainKernel, All);

// Central differences of fourth order: 1e-3 long, they are exact to about 1e-11.
TYPED_TEST(ExactStrainKernel, GradientsAreThoseOfFiniteDifferences) {
  using Kernel = TypeParam;
  KernelRandom random(3);
  constexpr double kRateStep = 1e-3;
  for (int trial = 0; trial < 20; ++trial) {
    SampleElement<Kernel> e(random);
    ConstraintValue<double, Kernel::kRows, Kernel::kBlocks> here, moved;
    Kernel::template evaluate<double>(e.rest, e.x, here);
    for (int b = 0; b < Kernel::kBlocks; ++b) {
      for (int a = 0; a < 3; ++a) {
        double slope[Kernel::kRows] = {};
        for (const auto& [shift, weight] : {std::pair(-2, 1.0), {-1, -8.0}, {1, 8.0}, {2, -1.0}}) {
          const double kept = e.x[b][a];
          e.x[b][a] += shift * kRateStep;
          Kernel::template evaluate<double>(e.rest, e.x, moved);
          e.x[b][a] = kept;
          for (int row = 0; row < Kernel::kRows; ++row) slope[row] += weight * moved.c[row] / (12 * kRateStep);
        }
        for (int row = 0; row < Kernel::kRows; ++row) EXPECT_NEAR(here.gradient[row][b][a], slope[row], 1e-8);
      }
    }
  }
}

// A constraint does not see where it is, and, but for small strains, not how it is turned.
TYPED_TEST(StrainKernel, ForcesAddUpToNothing) {
  using Kernel = TypeParam;
  KernelRandom random(5);
  for (int trial = 0; trial < 20; ++trial) {
    const SampleElement<Kernel> e(random);
    ConstraintValue<double, Kernel::kRows, Kernel::kBlocks> value;
    Kernel::template evaluate<double>(e.rest, e.x, value);
    for (int row = 0; row < Kernel::kRows; ++row) {
      Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
      for (int b = 0; b < Kernel::kBlocks; ++b) {
        const Vec3 g(value.gradient[row][b][0], value.gradient[row][b][1], value.gradient[row][b][2]);
        force += g;
        torque += Vec3(e.x[b][0], e.x[b][1], e.x[b][2]).cross(g);
      }
      EXPECT_LT(force.norm(), 1e-13);
      constexpr bool is_turned_freely = !std::is_same_v<Kernel, TetKernel<SolidStrain::small>> &&
                                        !std::is_same_v<Kernel, TetKernel<SolidStrain::polar>>;
      if (is_turned_freely) {
        EXPECT_LT(torque.norm(), 1e-13);
      }
    }
  }
}

TYPED_TEST(StrainKernel, LanesAreThePlainVersion) {
  using Kernel = TypeParam;
  using math::Lanes;
  KernelRandom random(7);
  for (int trial = 0; trial < 10; ++trial) {
    const SampleElement<Kernel> e[4] = {SampleElement<Kernel>(random), SampleElement<Kernel>(random, 0.01),
                                        SampleElement<Kernel>(random, 0.8), SampleElement<Kernel>(random)};
    Lanes rest[Kernel::kRestCount], x[Kernel::kBlocks][3];
    for (int lane = 0; lane < 4; ++lane) {
      for (int i = 0; i < Kernel::kRestCount; ++i) rest[i][lane] = e[lane].rest[i];
      for (int b = 0; b < Kernel::kBlocks; ++b) {
        for (int a = 0; a < 3; ++a) x[b][a][lane] = e[lane].x[b][a];
      }
    }
    ConstraintValue<Lanes, Kernel::kRows, Kernel::kBlocks> many;
    Kernel::template evaluate<Lanes>(rest, x, many);
    for (int lane = 0; lane < 4; ++lane) {
      ConstraintValue<double, Kernel::kRows, Kernel::kBlocks> one;
      Kernel::template evaluate<double>(e[lane].rest, e[lane].x, one);
      for (int row = 0; row < Kernel::kRows; ++row) {
        EXPECT_NEAR(many.c[row][lane], one.c[row], 1e-13 * (1 + std::abs(one.c[row])));
        for (int b = 0; b < Kernel::kBlocks; ++b) {
          for (int a = 0; a < 3; ++a)
            EXPECT_NEAR(many.gradient[row][b][a][lane], one.gradient[row][b][a],
                        1e-12 * (1 + std::abs(one.gradient[row][b][a])));
        }
      }
    }
  }
}

TEST(LinkKernel, EndsThatCoincideArePushedApart) {
  const double rest[1] = {2}, x[2][3] = {{1, 1, 1}, {1, 1, 1}};
  ConstraintValue<double, 1, 2> value;
  LinkKernel::evaluate<double>(rest, x, value);
  EXPECT_EQ(value.c[0], -2);
  EXPECT_EQ(value.gradient[0][1][0], 1);
  EXPECT_EQ(value.gradient[0][0][0], -1);
}

// Flat and inverted, folded and without area: numbers at least.
TEST(StrainKernels, AreFiniteWhereGeometryIsNot) {
  ConstraintValue<double, 6, 4> tet;
  const double rest[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (const double height : {0.0, -1.0, 1e-200}) {
    const double x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, height}};
    TetKernel<SolidStrain::polar>::evaluate<double>(rest, x, tet);
    for (int row = 0; row < 6; ++row) {
      EXPECT_TRUE(std::isfinite(tet.c[row])) << height;
      for (const auto& g : tet.gradient[row]) EXPECT_TRUE(std::isfinite(g[0] + g[1] + g[2])) << height;
    }
  }
  const double point[4][3] = {};
  TetKernel<SolidStrain::polar>::evaluate<double>(rest, point, tet);
  for (const double c : tet.c) EXPECT_TRUE(std::isfinite(c));
  ConstraintValue<double, 1, 4> hinge;
  const double flat_rest[2] = {0, 1};
  for (const double fold : {1.0, -1.0, 0.0}) {  // folded shut, flat, without area
    const double x[4][3] = {{fold, 0, 0}, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
    HingeKernel<HingeMeasure::tangent>::evaluate<double>(flat_rest, x, hinge);
    EXPECT_TRUE(std::isfinite(hinge.c[0])) << fold;
    for (const auto& g : hinge.gradient[0]) EXPECT_TRUE(std::isfinite(g[0] + g[1] + g[2])) << fold;
  }
}

// --- The energies that offer them ---

// ½ Σ cᵀKc and its gradient; rates count from `before`, with K/h.
struct Views {
  const BlockVector &now, &before;
  double step = 0.01;
  double value = 0;
  BlockVector gradient = {};

  template <class Kernel>
  void add(const typename Kernel::Element& element) {
    double rest[Kernel::kRestCount], compliance[kPacked<Kernel::kRows>], x[Kernel::kBlocks][3], y[Kernel::kBlocks][3];
    Kernel::set_rest(element, rest);
    Kernel::set_compliance(element, compliance);
    for (int b = 0; b < Kernel::kBlocks; ++b) {
      for (int a = 0; a < 3; ++a) x[b][a] = now[element.block[b]][a], y[b][a] = before[element.block[b]][a];
    }
    ConstraintValue<double, Kernel::kRows, Kernel::kBlocks> here, start;
    if constexpr (requires { Kernel::template set_rest_at<double>(y, rest); }) {
      if (element.is_rate) Kernel::template set_rest_at<double>(y, rest);
    }
    Kernel::template evaluate<double>(rest, x, here);
    Kernel::template evaluate<double>(rest, y, start);
    Eigen::Matrix<double, Kernel::kRows, Kernel::kRows> inverse;
    Eigen::Matrix<double, Kernel::kRows, 1> c;
    for (int i = 0; i < Kernel::kRows; ++i) {
      c[i] = here.c[i] - (element.is_rate ? start.c[i] : 0);
      for (int j = 0; j < Kernel::kRows; ++j) inverse(i, j) = compliance[packed(i, j)] * (element.is_rate ? step : 1);
    }
    const Eigen::Matrix<double, Kernel::kRows, 1> force = inverse.inverse() * c;
    value += 0.5 * c.dot(force);
    for (int i = 0; i < Kernel::kRows; ++i) {
      for (int b = 0; b < Kernel::kBlocks; ++b) {
        for (int a = 0; a < 3; ++a) gradient[element.block[b]][a] += force[i] * here.gradient[i][b][a];
      }
    }
  }
  void add_all(const SoftElements& soft) {
    gradient.resize(now.size());
    sparse::set_zero(gradient);
    for (const SoftLink& e : soft.links) add<LinkKernel>(e);
    for (const SoftTriangle& e : soft.triangles) add<TriangleKernel>(e);
    for (const SoftTet& e : soft.tets) {
      if (e.strain == SolidStrain::green) add<TetKernel<SolidStrain::green>>(e);
      if (e.strain == SolidStrain::polar) add<TetKernel<SolidStrain::polar>>(e);
      if (e.strain == SolidStrain::small) add<TetKernel<SolidStrain::small>>(e);
      if (e.strain == SolidStrain::volume) add<VolumeKernel>(e);
    }
    for (const SoftHinge& e : soft.hinges) {
      if (e.measure == HingeMeasure::angle) add<HingeKernel<HingeMeasure::angle>>(e);
      if (e.measure == HingeMeasure::tangent) add<HingeKernel<HingeMeasure::tangent>>(e);
      if (e.measure == HingeMeasure::sine) add<HingeKernel<HingeMeasure::sine>>(e);
    }
  }
};

template <class E>
void expect_soft_elements_are_the_energy(const E& energy, const BlockVector& now, const BlockVector& before) {
  const Controls controls;
  double value = 0;
  BlockVector gradient(now.size());
  sparse::set_zero(gradient);
  Accumulator out;
  out.value = &value;
  out.gradient = &gradient;
  Views views{now, before};
  energy.evaluate({now, before, views.step, controls}, out);
  SoftElements soft;
  ASSERT_TRUE(energy.add_soft_elements(soft));
  views.add_all(soft);
  EXPECT_GT(value, 0);
  EXPECT_NEAR(views.value, value, 1e-10 * value) << energy.name();
  double error = 0, size = 0;
  for (int b = 0; b < now.size(); ++b) {
    error += (views.gradient[b] - gradient[b]).squaredNorm();
    size += gradient[b].squaredNorm();
  }
  EXPECT_LT(std::sqrt(error), 1e-10 * std::sqrt(size)) << energy.name();
}

template <class Points>
BlockVector shaken(const Points& rest, double size, unsigned seed) {
  KernelRandom random(seed);
  BlockVector x(static_cast<int>(rest.size()));
  for (int i = 0; i < x.size(); ++i) x[i] = Vec3(rest[static_cast<std::size_t>(i)]) + random.vector(size);
  return x;
}

TEST(SoftElements, OfSpringsAndDashpots) {
  KernelRandom random(11);
  std::vector<Vec3> rest;
  std::vector<spring::Spring> springs;
  for (int i = 0; i < 15; ++i) rest.push_back(random.vector(1));
  for (int i = 0; i < 15; ++i)
    springs.push_back({i, (i + 4) % 15, random.between(0.5, 1.5), random.between(1, 50), 0.2});
  springs[3].viscosity = springs[5].stiffness = 0;
  const BlockVector before = shaken(rest, 0.05, 1), now = shaken(rest, 0.05, 2);
  expect_soft_elements_are_the_energy(spring::Springs(springs, 15), now, before);
}

struct SoftBox {
  TetMesh mesh = make_box({Vec3(1, 1, 1.2), {2, 1, 2}});
  std::shared_ptr<solid::TetElements> elements = std::make_shared<solid::TetElements>(mesh.tets, mesh.vertices);
  BlockVector now, before;

  // noise: m; from about 0.5 on some tets are inverted.
  explicit SoftBox(double noise) : now(shaken(mesh.vertices, noise, 21)), before(shaken(mesh.vertices, 0.05, 22)) {}
  template <class Law>
  [[nodiscard]] solid::HyperelasticTets<Law> energy() const {
    KernelRandom random(23);
    std::vector<std::vector<double>> parameters(Law::kParameterCount);
    for (auto& values : parameters) {
      for (std::size_t t = 0; t < mesh.tets.size(); ++t) values.push_back(random.between(1, 3));
    }
    return solid::HyperelasticTets<Law>(elements, Law{}, parameters);
  }
};

TEST(SoftElements, OfSolids) {
  for (const double noise : {0.02, 0.15, 0.7}) {
    const SoftBox box(noise);
    expect_soft_elements_are_the_energy(box.energy<solid::StVenantKirchhoff>(), box.now, box.before);
    expect_soft_elements_are_the_energy(box.energy<solid::Corotated>(), box.now, box.before);
    expect_soft_elements_are_the_energy(box.energy<solid::Linear>(), box.now, box.before);
    expect_soft_elements_are_the_energy(box.energy<solid::Arap>(), box.now, box.before);
    expect_soft_elements_are_the_energy(box.energy<solid::VolumePreservation>(), box.now, box.before);
    const std::vector<double> mu(box.mesh.tets.size(), 0.3), lambda(box.mesh.tets.size(), 0.7);
    expect_soft_elements_are_the_energy(solid::StrainRateDamping(box.elements, mu, lambda), box.now, box.before);
  }
}

TEST(SoftElements, OfOtherSolidsAreNone) {
  SoftElements soft;
  EXPECT_FALSE(SoftBox(0.1).energy<solid::NeoHookean>().add_soft_elements(soft));
}

struct SoftSheet {
  TriangleMesh mesh = make_grid({.size = {0.4, 0.3}, .cells = {4, 3}, .pattern = GridPattern::irregular, .seed = 31});
  cloth::MembraneSheet sheet;
  std::vector<std::array<int, 3>> triangles;
  BlockVector now, before;

  explicit SoftSheet(double noise) : now(shaken(mesh.vertices, noise, 32)), before(shaken(mesh.vertices, 0.005, 33)) {
    sheet.triangles = mesh.triangles;
    sheet.block_count = now.size();
    for (const Vec3i& t : mesh.triangles) {
      triangles.push_back({t[0], t[1], t[2]});
      sheet.rest.push_back(*cloth::triangle_rest(
          std::array<Vec2, 3>{mesh.texture[t[0]], mesh.texture[t[1]], mesh.texture[t[2]]}, Vec2(0.8, 0.6)));
    }
  }
  [[nodiscard]] std::vector<cloth::OrthotropicCoefficients> wool() const {
    return {triangles.size(), cloth::coefficients(cloth::OrthotropicModuli{
                                  .young_warp = 900, .young_weft = 350, .poisson = 0.3, .shear = 45})};
  }
  [[nodiscard]] cloth::HingeBending bending(cloth::HingeLaw law, double viscosity) const {
    KernelRandom random(34);
    const SheetHinges found = find_hinges(triangles);
    std::vector<cloth::HingeParameters> parameters;
    for (const Hinge& hinge : found.hinges) {
      cloth::HingeParameters p = cloth::hinge_at_rest(hinge, mesh.vertices);
      p.stiffness = random.between(0.5, 2);
      p.viscosity = viscosity;
      p.rest_angle += random.between(-0.5, 0.5);
      parameters.push_back(p);
    }
    return {law, triangles, found.hinges, parameters};
  }
};

TEST(SoftElements, OfMembranesAndTheirDamping) {
  const SoftSheet s(0.01);
  expect_soft_elements_are_the_energy(cloth::EdgeMembrane<cloth::StVenantKirchhoff>(s.sheet, s.wool()), s.now,
                                      s.before);
  expect_soft_elements_are_the_energy(cloth::MembraneDamping(s.sheet, s.wool()), s.now, s.before);
}

TEST(SoftElements, OfHinges) {
  for (const double noise : {0.005, 0.05}) {
    const SoftSheet s(noise);
    for (const cloth::HingeLaw law : {cloth::HingeLaw::tan, cloth::HingeLaw::angle, cloth::HingeLaw::willmore}) {
      expect_soft_elements_are_the_energy(s.bending(law, 0), s.now, s.before);
      expect_soft_elements_are_the_energy(s.bending(law, 0.01), s.now, s.before);
    }
    SoftElements soft;
    EXPECT_FALSE(s.bending(cloth::HingeLaw::bridson, 0).add_soft_elements(soft));
  }
}

}  // namespace
}  // namespace pliant::solver
