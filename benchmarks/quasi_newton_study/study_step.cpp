#include "benchmarks/quasi_newton_study/study_step.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "pliant/energy/attachment/soft_pin.h"
#include "pliant/energy/solid/neo_hookean.h"
#include "pliant/math/rotation.h"
#include "pliant/mesh/box_mesh.h"
#include "pliant/mesh/mass_properties.h"
#include "pliant/mesh/ordering.h"

namespace pliant::study {
namespace {

constexpr double kSolidMass = 10;         // kg
constexpr double kSolidAttachment = 120;  // N/m per vertex
constexpr double kClothAttachment = 120;  // N/m per corner of the 11² curtain

// What curtains, chains and solids have in common, once rest, masses and the elastic energy are there.
void complete(StudyStep& s, std::vector<double> masses, double attachment) {
  const int count = static_cast<int>(s.rest.size());
  s.inertia = Inertia(std::move(masses));
  s.layout.add_body("body", count);
  s.controls.filter = BlockFilter(count);
  s.controls.soft_pin_active = {1};
  std::vector<SoftPin::Spring> pins;
  for (const int block : s.attached) {
    pins.push_back({block, static_cast<int>(pins.size()), 0, attachment, Mat3::Identity()});
    s.controls.soft_pin_targets.push_back(s.rest[static_cast<std::size_t>(block)]);
  }
  s.energies.push_back(std::make_unique<SoftPin>(std::move(pins)));
  s.before.resize(count);
  s.velocity.resize(count);
  s.target.resize(count);
  for (int i = 0; i < count; ++i) s.before[i] = s.rest[static_cast<std::size_t>(i)];
}

void add_springs(StudyStep& s) {
  const int count = static_cast<int>(s.rest.size());
  auto energy = std::make_unique<spring::Springs>(s.springs, count);
  sparse::PatternBuilder builder(count);
  energy->couple(builder);
  s.pattern = builder.build();
  energy->find_slots(*s.pattern);
  s.energies.push_back(std::move(energy));
}

StudyStep make_solid(const Vec3& size, const std::array<int, 3>& cells, double stiffness) {
  StudyStep s;
  const TetMesh box = make_box({size, cells});
  const TetMesh mesh = renumber(box, hilbert_order(box.vertices));
  s.rest = mesh.vertices;
  s.tets = mesh.tets;
  auto elements = std::make_shared<solid::TetElements>(mesh.tets, mesh.vertices);
  sparse::PatternBuilder builder(static_cast<int>(mesh.vertices.size()));
  elements->couple(builder);
  s.pattern = builder.build();
  elements->find_slots(*s.pattern);
  const std::vector<std::vector<double>> parameters = {std::vector<double>(mesh.tets.size(), stiffness * kMu),
                                                       std::vector<double>(mesh.tets.size(), stiffness * kLambda)};
  s.energies.push_back(
      std::make_unique<solid::HyperelasticTets<solid::NeoHookean>>(elements, solid::NeoHookean{}, parameters));
  return s;
}

std::vector<double> solid_masses(const StudyStep& s, double volume) {
  TetMesh mesh;
  mesh.vertices = s.rest;
  mesh.tets = s.tets;
  return lumped_masses(mesh, kSolidMass / volume);
}

}  // namespace

solver::StepProblem StudyStep::problem() const {
  return {step, 1 / (step * step), 1.0, 1.0, before, target, inertia, energies, controls, layout, pattern};
}

void StudyStep::predict() {
  for (int i = 0; i < count(); ++i) target[i] = before[i] + step * drag * velocity[i] + step * step * gravity;
  if (move_targets) move_targets(*this, time + step);
}

void StudyStep::accept(const BlockVector& x) {
  for (int i = 0; i < count(); ++i) velocity[i] = (x[i] - before[i]) / step;
  before = x;
  time += step;
  predict();
}

double StudyStep::kinetic_energy() const {
  double sum = 0;
  for (int i = 0; i < count(); ++i)
    sum += 0.5 * inertia.masses()[static_cast<std::size_t>(i)] * velocity[i].squaredNorm();
  return sum;
}

StudyStep make_curtain(int side, double factor) {
  StudyStep s;
  const double spacing = 1.0 / (side - 1), scale = factor * (side - 1) / 10;
  const auto at = [&](int i, int j) { return j * side + i; };
  for (int j = 0; j < side; ++j) {
    for (int i = 0; i < side; ++i) s.rest.emplace_back(-0.5 + i * spacing, -j * spacing, 0);
  }
  const auto connect = [&](int i, int j, int di, int dj, double stiffness) {
    const int other_i = i + di, other_j = j + dj;
    if (other_i < 0 || other_i >= side || other_j >= side) return;
    s.springs.push_back({at(i, j), at(other_i, other_j), spacing * std::hypot(di, dj), stiffness * scale, 0});
  };
  for (int j = 0; j < side; ++j) {
    for (int i = 0; i < side; ++i) {
      connect(i, j, 1, 0, 80), connect(i, j, 0, 1, 80);
      connect(i, j, 1, 1, 80), connect(i, j, -1, 1, 80);
      connect(i, j, 2, 0, 20), connect(i, j, 0, 2, 20);
    }
  }
  s.attached = {at(0, 0), at(side - 1, 0)};
  add_springs(s);
  complete(s, std::vector<double>(s.rest.size(), 1.0 / static_cast<double>(s.rest.size())), kClothAttachment * scale);

  // Swung out of its plane, with a little unevenness so that folds need not start from a symmetric state.
  const Mat3 aside = math::rotation_from_axis_degrees(Vec3::UnitX(), -60);
  for (int i = 0; i < s.count(); ++i) {
    const Vec3& X = s.rest[static_cast<std::size_t>(i)];
    const Vec3 bump(0, 0, 0.002 * std::sin(11 * X[0] + 1) * std::sin(7 * X[1]));
    s.before[i] = aside * (X + bump);
  }
  s.gravity = Vec3(0, -9.81, 0);
  s.predict();
  return s;
}

StudyStep make_chain(double stiffness) {
  constexpr int kSprings = 20;
  constexpr double kLength = 1.0 / kSprings;  // m
  StudyStep s;
  for (int i = 0; i <= kSprings; ++i) s.rest.emplace_back(i * kLength, 0, 0);
  for (int i = 0; i < kSprings; ++i) s.springs.push_back({i, i + 1, kLength, stiffness, 0});
  s.attached = {0};
  add_springs(s);
  complete(s, std::vector<double>(s.rest.size(), 1.0 / kSprings), 1e6);
  s.gravity = Vec3(0, -9.81, 0);
  s.predict();
  return s;
}

StudyStep make_bar(const BarOptions& options) {
  const int across = options.cells_across;
  StudyStep s = make_solid({4, 1, 1}, {4 * across, across, across}, options.stiffness);
  for (int i = 0; i < static_cast<int>(s.rest.size()); ++i) {
    if (std::abs(s.rest[static_cast<std::size_t>(i)][0]) > 2 - 1e-9) s.attached.push_back(i);
  }
  complete(s, solid_masses(s, 4), options.stiffness * kSolidAttachment);
  s.move_targets = [duration = options.duration](StudyStep& bar, double time) {
    for (std::size_t i = 0; i < bar.attached.size(); ++i) {
      const Vec3& X = bar.rest[static_cast<std::size_t>(bar.attached[i])];
      const double angle = std::numbers::pi * std::min(time / duration, 1.0) * (X[0] > 0 ? 1 : -1);
      bar.controls.soft_pin_targets[i] = math::rotation_from_axis_angle(Vec3::UnitX(), angle) * X;
    }
  };
  s.predict();
  return s;
}

StudyStep make_cube(int cells, double stiffness, double degrees) {
  StudyStep s = make_solid({1, 1, 1}, {cells, cells, cells}, stiffness);
  complete(s, solid_masses(s, 1), kSolidAttachment);
  const Mat3 turn = math::rotation_from_axis_degrees(Vec3::UnitZ(), degrees);
  for (int i = 0; i < s.count(); ++i) {
    const Vec3& X = s.rest[static_cast<std::size_t>(i)];
    s.before[i] = turn * Vec3(1.1 * X[0], X[1], X[2]);
  }
  s.predict();
  return s;
}

}  // namespace pliant::study
