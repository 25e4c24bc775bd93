// A small soft block and one time step of it, put together by hand: for tests of the solver and of the dynamics.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pliant/energy/load/gravity.h"
#include "pliant/energy/solid/corotated.h"
#include "pliant/energy/solid/linear.h"
#include "pliant/energy/solid/neo_hookean.h"
#include "pliant/energy/solid/polynomial.h"
#include "pliant/energy/solid/stable_neo_hookean.h"
#include "pliant/energy/solid/strain_rate_damping.h"
#include "pliant/mesh/box_mesh.h"
#include "pliant/mesh/mass_properties.h"
#include "pliant/solver/step_problem.h"

namespace pliant::testing {

enum class Law { neo_hookean, stable_neo_hookean, corotated, linear, polynomial };

struct BlockOptions {
  Law law = Law::neo_hookean;
  Vec3 size{0.3, 0.2, 0.1};  // m
  std::array<int, 3> cells{3, 2, 1};
  double density = 1000;  // kg/m³
  double young = 2e4;     // Pa; μ of the polynomial law
  double poisson = 0.3;
  bool is_consistent = false;  // mass
};

struct SoftBlock {
  TetMesh mesh;
  std::vector<double> masses;
  std::shared_ptr<solid::TetElements> elements;
  std::shared_ptr<const sparse::BlockPattern> pattern;
  Inertia inertia;
  std::unique_ptr<Energy> elastic;
  BlockVector rest;

  explicit SoftBlock(const BlockOptions& options = {}) : SoftBlock(make_box({options.size, options.cells}), options) {}
  // Of these tets, whatever the options say about size and cells.
  SoftBlock(TetMesh tets, const BlockOptions& options) : mesh(std::move(tets)) {
    masses = lumped_masses(mesh, options.density);
    elements = std::make_shared<solid::TetElements>(mesh.tets, mesh.vertices);
    const int count = static_cast<int>(mesh.vertices.size());
    sparse::PatternBuilder builder(count);
    elements->couple(builder);
    pattern = builder.build();
    elements->find_slots(*pattern);
    inertia = Inertia(masses);
    if (options.is_consistent) inertia.add_consistent(elements, std::vector<double>(mesh.tets.size(), options.density));
    elastic = make_elastic(options);
    rest.resize(count);
    for (int i = 0; i < count; ++i) rest[i] = mesh.vertices[i];
  }

  [[nodiscard]] int count() const { return rest.size(); }
  [[nodiscard]] double mass() const {
    double sum = 0;
    for (const double m : masses) sum += m;
    return sum;
  }
  // Vertices with x at the lower end of the block, and at the upper end.
  [[nodiscard]] std::vector<int> end_at(double sign) const {
    double extreme = 0;
    for (const Vec3& x : mesh.vertices) extreme = std::max(extreme, sign * x[0]);
    std::vector<int> found;
    for (int i = 0; i < count(); ++i) {
      if (sign * mesh.vertices[i][0] > extreme - 1e-9) found.push_back(i);
    }
    return found;
  }
  // A smooth displacement of about `size` metres: bending, twisting and stretching.
  [[nodiscard]] BlockVector bent(double size) const {
    BlockVector x = rest;
    for (int i = 0; i < count(); ++i) {
      const Vec3 X = mesh.vertices[i];
      x[i] += size *
              Vec3(0.3 * std::sin(9 * X[0] + 2 * X[1]), std::cos(7 * X[0]) + X[2], std::sin(5 * X[0] * 3 + 4 * X[1]));
    }
    return x;
  }

 private:
  template <class LawType>
  std::unique_ptr<Energy> make(LawType law, std::vector<double> values) const {
    std::vector<std::vector<double>> parameters;
    for (const double value : values) parameters.emplace_back(mesh.tets.size(), value);
    return std::make_unique<solid::HyperelasticTets<LawType>>(elements, law, parameters);
  }
  [[nodiscard]] std::unique_ptr<Energy> make_elastic(const BlockOptions& options) const {
    const double mu = solid::lame_mu(options.young, options.poisson),
                 lambda = solid::lame_lambda(options.young, options.poisson);
    switch (options.law) {
      case Law::neo_hookean:
        return make(solid::NeoHookean{}, {mu, lambda});
      case Law::stable_neo_hookean:
        return make(solid::StableNeoHookean{}, {mu, lambda});
      case Law::corotated:
        return make(solid::Corotated{}, {mu, lambda});
      case Law::linear:
        return make(solid::Linear{}, {mu, lambda});
      case Law::polynomial:
        return make(solid::Polynomial{}, {options.young});
    }
    return nullptr;
  }
};

// One step of a block: everything a StepProblem refers to.
struct BlockStep {
  SoftBlock block;
  std::vector<std::unique_ptr<Energy>> energies;
  Controls controls;
  DofLayout layout;
  BlockVector before, target;
  double step = 0.01, inertia_weight = 1e4, theta = 1, speed_scale = 1;

  explicit BlockStep(const BlockOptions& options = {}) : block(options) {
    energies.push_back(std::move(block.elastic));
    energies.push_back(std::make_unique<Gravity>(block.masses, Vec3(0, -9.81, 0)));
    layout.add_body("block", block.count());
    controls.filter = BlockFilter(block.count());
    before = block.rest;
    target = block.rest;
  }
  void add_damping(double mu, double lambda) {
    const std::vector<double> mus(block.mesh.tets.size(), mu), lambdas(block.mesh.tets.size(), lambda);
    energies.push_back(std::make_unique<solid::StrainRateDamping>(block.elements, mus, lambdas));
  }
  void hold(int i, const Vec3& where) {
    controls.filter.hold(i);
    controls.held.push_back({i, where});
  }
  [[nodiscard]] solver::StepProblem problem() const {
    return {step,          inertia_weight, theta,    speed_scale, before,       target,
            block.inertia, energies,       controls, layout,      block.pattern};
  }
};

inline double distance(const BlockVector& a, const BlockVector& b) {
  double squared = 0;
  for (int i = 0; i < a.size(); ++i) squared += (a[i] - b[i]).squaredNorm();
  return std::sqrt(squared);
}

}  // namespace pliant::testing
