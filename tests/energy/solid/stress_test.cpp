// Von Mises stress: textbook states of stress, invariance, and a bar pulled at one end.
#include <Eigen/LU>

#include "pliant/energy/solid/stress.h"

#include "pliant/energy/solid/neo_hookean.h"
#include "tests/energy/energy_checks.h"

namespace pliant::checks {
namespace {

TEST(Stress, VonMisesOfTextbookStates) {
  const Mat3 rest = Mat3::Identity();
  EXPECT_NEAR(solid::von_mises_stress(rest, Vec3(7, 0, 0).asDiagonal()), 7, 1e-12);  // one axis
  EXPECT_NEAR(solid::von_mises_stress(rest, 5 * Mat3::Identity()), 0, 1e-12);        // pressure
  Mat3 shear = Mat3::Zero();
  shear(0, 1) = shear(1, 0) = 2;
  EXPECT_NEAR(solid::von_mises_stress(rest, shear), 2 * std::sqrt(3.0), 1e-12);
  // σ = P Fᵀ/J: the same σ in a turned and stretched element
  const Mat3 f = (Mat3() << 0, -1.2, 0.1, 0.9, 0, 0, 0, 0.2, 1.1).finished();
  const Mat3 cauchy = Vec3(4, 1, 1).asDiagonal();
  const Mat3 piola = f.determinant() * cauchy * f.transpose().inverse();
  EXPECT_NEAR(solid::von_mises_stress(f, piola), 3, 1e-12);
  EXPECT_EQ(solid::von_mises_stress(Mat3::Zero(), shear), 0);
}

// Virtual work: moving every vertex by A x changes F by A F, so Σ ∇E·(A x) = Σ V P : (A F).
TEST(Stress, DoesTheWorkOfTheGradient) {
  const TetModel model = make_bent_box({3, 2, 2});
  const std::vector<std::vector<double>> parameters(2, std::vector<double>(model.tet_count(), 3.0));
  const solid::HyperelasticTets<solid::NeoHookean> energy(model.elements, {}, parameters);
  const Mat3 a = (Mat3() << 0.3, -1.2, 0.1, 0.9, 0.5, 0.2, -0.4, 0.2, 1.1).finished();
  const BlockVector gradient = gradient_of(energy, model);
  double work = 0, from_stress = 0;
  int count = 0;
  for (int i = 0; i < gradient.size(); ++i) work += gradient[i].dot(a * model.now[i]);
  energy.visit_stress(model.now, [&](const solid::ElementStress& element) {
    from_stress += element.volume * (element.piola.transpose() * a * element.deformation_gradient).trace();
    ++count;
  });
  EXPECT_EQ(count, model.tet_count());
  EXPECT_NEAR(from_stress, work, 1e-12 * std::abs(work));
  EXPECT_GT(std::abs(work), 1e-3);
}

TEST(Stress, PerBlockIsTheMeanOfItsTets) {
  TetModel model = make_bent_box({2, 2, 2});
  const std::vector<std::vector<double>> parameters(2, std::vector<double>(model.tet_count(), 3.0));
  std::vector<std::unique_ptr<Energy>> energies;
  energies.push_back(
      std::make_unique<solid::HyperelasticTets<solid::NeoHookean>>(model.elements, solid::NeoHookean{}, parameters));
  for (int i = 0; i < model.now.size(); ++i)
    model.now[i] = Vec3(1.2 * model.rest[i][0], model.rest[i][1], model.rest[i][2]);
  const std::vector<double> stress = solid::von_mises_per_block(energies, model.now);
  for (const double s : stress) EXPECT_NEAR(s, stress[0], 1e-10);
  EXPECT_GT(stress[0], 0.1);
}

}  // namespace
}  // namespace pliant::checks
