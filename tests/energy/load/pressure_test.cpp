#include "pliant/energy/load/pressure.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <map>

#include "pliant/mesh/box_mesh.h"
#include "tests/energy/energy_checks.h"

namespace pliant::checks {
namespace {

// Outer triangles of a box of tets, counter-clockwise from outside.
std::vector<Vec3i> surface_of(const TetModel& model) {
  std::map<std::array<int, 3>, std::pair<int, Vec3i>> faces;
  for (const Vec4i& t : model.tets) {
    for (int k = 0; k < 4; ++k) {
      Vec3i face(t[(k + 1) % 4], t[(k + 2) % 4], t[(k + 3) % 4]);
      const Vec3 a = model.rest[face[0]], b = model.rest[face[1]], c = model.rest[face[2]];
      if ((b - a).cross(c - a).dot(model.rest[t[k]] - a) > 0) std::swap(face[1], face[2]);
      std::array<int, 3> key{face[0], face[1], face[2]};
      std::sort(key.begin(), key.end());
      auto& entry = faces[key];
      ++entry.first;
      entry.second = face;
    }
  }
  std::vector<Vec3i> outer;
  for (const auto& [key, entry] : faces) {
    if (entry.first == 1) outer.push_back(entry.second);
  }
  return outer;
}

double volume_of(const TetModel& model) {
  double volume = 0;
  for (const Vec4i& t : model.tets) {
    const Vec3 a = model.now[t[0]];
    volume += std::abs((model.now[t[1]] - a).cross(model.now[t[2]] - a).dot(model.now[t[3]] - a)) / 6;
  }
  return volume;
}

TEST(Pressure, ClosedSurfaceHasTheEnergyMinusPressureTimesVolume) {
  TetModel model = make_bent_box({2, 2, 2});
  model.controls.load_values = {Vec3(1.7, 0, 0)};
  const Pressure pressure({{0, Pressure::Surface::closed, surface_of(model)}});
  EXPECT_NEAR(value_of(pressure, model), -1.7 * volume_of(model), 1e-11);
}

// Each face of a cube of side 2 carries p A = 4 p outwards; nothing is left in sum.
TEST(Pressure, ForceIsPressureTimesArea) {
  TetModel model = make_bent_box({2, 2, 2});
  const TetMesh cube = make_box({Vec3(2, 2, 2), {2, 2, 2}});
  for (int v = 0; v < model.now.size(); ++v) model.now[v] = cube.vertices[v];
  model.before = model.now;
  model.controls.load_values = {Vec3(3, 0, 0)};
  const std::vector<Vec3i> all = surface_of(model);
  expect_no_net_force(Pressure({{0, Pressure::Surface::closed, all}}), model);
  std::vector<Vec3i> top;
  for (const Vec3i& t : all) {
    if (model.now[t[0]].z() > 0.99 && model.now[t[1]].z() > 0.99 && model.now[t[2]].z() > 0.99) top.push_back(t);
  }
  // As a patch: all of it. As part of the closed surface: the vertical force of the upper vertices.
  const BlockVector of_patch = gradient_of(Pressure({{0, Pressure::Surface::patch, top}}), model);
  const BlockVector of_cube = gradient_of(Pressure({{0, Pressure::Surface::closed, all}}), model);
  Vec3 patch_force = Vec3::Zero();
  double lift = 0;
  for (int v = 0; v < model.now.size(); ++v) {
    patch_force -= of_patch[v];
    if (model.now[v].z() > 0.99) lift -= of_cube[v].z();
  }
  EXPECT_LE((patch_force - Vec3(0, 0, 12)).norm(), 1e-12);
  EXPECT_NEAR(lift, 12, 1e-12);
}

TEST(Pressure, DerivativesConvergeToFiniteDifferences) {
  TetModel model = make_bent_box({2, 1, 1});
  model.before = model.now;
  model.controls.load_values = {Vec3(1.7, 0, 0), Vec3(-0.6, 0, 0)};
  const std::vector<Vec3i> all = surface_of(model);
  const Pressure closed({{0, Pressure::Surface::closed, all}}),
      patch({{1, Pressure::Surface::patch, {all[0], all[3]}}});
  expect_derivatives_converge(closed, model);
  expect_derivatives_converge(patch, model);
  expect_views_agree(closed, model);
  expect_views_agree(patch, model);
  expect_adds(closed, model);
}

TEST(Pressure, ClosedSurfaceIsInvariantUnderRigidMotion) {
  TetModel model = make_bent_box({2, 1, 1});
  model.controls.load_values = {Vec3(1.7, 0, 0)};
  const Pressure closed({{0, Pressure::Surface::closed, surface_of(model)}});
  expect_no_net_force(closed, model);
  expect_no_net_torque(closed, model);
  expect_rotation_invariant(closed, model);
}

// The Hessian of −p V is indefinite: the projected one leaves it out.
TEST(Pressure, ProjectedHessianIsEmpty) {
  TetModel model = make_bent_box({2, 1, 1});
  model.controls.load_values = {Vec3(1.7, 0, 0)};
  const Pressure closed({{0, Pressure::Surface::closed, surface_of(model)}});
  EXPECT_EQ(dense(evaluate(closed, model, HessianKind::projected).hessian).norm(), 0);
  EXPECT_GT(dense(evaluate(closed, model, HessianKind::exact).hessian).norm(), 0.1);
}

// A patch keeps the force of the start of the step.
TEST(Pressure, PatchLagsByOneStep) {
  TetModel model = make_bent_box({2, 1, 1});
  model.controls.load_values = {Vec3(1.7, 0, 0)};
  const Pressure patch({{0, Pressure::Surface::patch, {surface_of(model)[0]}}});
  const Eigen::VectorXd here = flat(gradient_of(patch, model));
  move(model, Random(2).rotation(), Vec3(1, 1, 1));
  EXPECT_EQ((flat(gradient_of(patch, model)) - here).norm(), 0);
}

}  // namespace
}  // namespace pliant::checks
