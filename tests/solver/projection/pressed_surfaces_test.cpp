#include "pliant/solver/projection/pressed_surfaces.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "pliant/solver/projection/link_batch.h"

namespace pliant::solver::pressed_surfaces_test {
namespace {

constexpr double kStep = 0.01;  // s

// A straight chain of links, stretched by half a percent, its first point held; and the surface that it stands for.
struct Chain {
  std::vector<SoftLink> links;
  std::vector<std::unique_ptr<Batch<double>>> batches;
  PressedSurface surface;
  Movers<double> movers;
  BlockVector before;
  Controls controls;

  Chain(int count, bool is_held) {
    before.resize(count + 1);
    movers.points.resize(static_cast<std::size_t>(count) + 1);
    for (int i = 0; i <= count; ++i) {
      before[i] = Vec3(0.1005 * i, is_held ? 0 : 0.3 * std::sin(0.5 * i), is_held ? 0 : 0.2 * std::cos(0.3 * i * i));
      movers.points[i].put(before[i]);
      movers.points[i].w = i == 0 && is_held ? 0 : 50 + i;
      surface.points.push_back(i);
      if (i == 0) continue;
      links.push_back({{i - 1, i}, (before[i] - before[i - 1]).norm() / 1.005, 1e5});
      surface.edges.push_back({i - 1, i});
    }
    batches.push_back(std::make_unique<LinkBatch<double>>(links, count + 1, false));
    batches[0]->begin({kStep, 1 / (kStep * kStep), before, controls}, movers);
  }
  [[nodiscard]] double end() const { return movers.points.back().x[0]; }
  // How far from its length at rest, whose links hardly give [m].
  [[nodiscard]] double error() const { return end() - 0.1 * static_cast<double>(links.size()); }
};

// After each sweep nothing is left along all multipliers, nor along what the sweep changed.
TEST(PressedSurfaces, AnAcceleratedSweepEndsAtTheBestPlaceOfItsPlane) {
  Chain chain(30, true);
  SurfaceAcceleration<double> acceleration;
  acceleration.set_batches(chain.batches, std::span(&chain.surface, 1), chain.before.size());
  acceleration.begin();
  const auto rows = static_cast<std::size_t>(chain.batches[0]->row_count());
  std::vector<double> last(rows, 0), swept(rows), now(rows), r(rows);
  for (int sweep = 0; sweep < 4; ++sweep) {
    chain.batches[0]->relax(1, chain.movers);
    chain.batches[0]->write_multipliers(swept);
    acceleration.accelerate(chain.movers);
    chain.batches[0]->write_multipliers(now);
    chain.batches[0]->linearise(chain.movers, r);
    double along_all = 0, along_change = 0, size = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      along_all += swept[i] * r[i];
      along_change += (swept[i] - last[i]) * r[i];
      size += std::abs(swept[i] * r[i]);
    }
    EXPECT_LT(std::abs(along_all), 1e-9 * size);
    EXPECT_LT(std::abs(along_change), 1e-9 * size);
    last = now;
  }
}

// Of 60 links plain sweeps hardly reach the second half.
TEST(PressedSurfaces, SweepsAreFewer) {
  Chain plain(60, true), accelerated(60, true);
  SurfaceAcceleration<double> acceleration;
  acceleration.set_batches(accelerated.batches, std::span(&accelerated.surface, 1), accelerated.before.size());
  acceleration.begin();
  for (int sweep = 0; sweep < 30; ++sweep) {
    plain.batches[0]->relax(1, plain.movers);
    accelerated.batches[0]->relax(1, accelerated.movers);
    acceleration.accelerate(accelerated.movers);
  }
  EXPECT_GT(plain.error(), 0.01);
  EXPECT_LT(std::abs(accelerated.error()), 0.7 * plain.error());
}

// What is free has the angular momentum that it came with, whatever the order of its links did; held ones are left alone.
TEST(PressedSurfaces, WhatIsFreeGainsNoAngularMomentum) {
  for (const bool is_held : {false, true}) {
    Chain chain(12, false);
    SurfaceAcceleration<double> acceleration;
    acceleration.set_batches(chain.batches, std::span(&chain.surface, 1), chain.before.size());
    acceleration.begin();
    for (int sweep = 0; sweep < 3; ++sweep) {
      chain.batches[0]->relax(1, chain.movers);
      acceleration.accelerate(chain.movers);
    }
    const auto gained = [&] {
      Vec3 sum = Vec3::Zero();
      for (int i = 0; i < chain.before.size(); ++i) {
        const Vec3 x = chain.movers.points[i].position(), from = chain.before[i];
        sum += x.cross(x - from) / chain.movers.points[i].w;
      }
      return sum.norm();
    };
    const double unbalanced = gained();
    const std::vector<int> held = is_held ? std::vector<int>{3} : std::vector<int>{};
    const std::vector<Vec3> nothing_given(chain.movers.points.size(), Vec3::Zero());
    acceleration.balance({chain.before, chain.before, nothing_given, held}, chain.movers);
    EXPECT_GT(unbalanced, 1e-8);
    if (is_held) {
      EXPECT_EQ(gained(), unbalanced);
    } else {
      EXPECT_LT(gained(), 0.02 * unbalanced);  // second order in the turn
    }
  }
}

// h = √(0.2 e m/(p A)): one triangle with legs of 1 m, 3 kg and 100 Pa.
TEST(PressedSurfaces, TheStepIsWhatTheLoadAsksFor) {
  BlockVector positions(3);
  positions[0] = Vec3::Zero();
  positions[1] = Vec3(1, 0, 0);
  positions[2] = Vec3(0, 1, 0);
  PressedSurface surface;
  surface.points = {0, 1, 2};
  surface.edges = {{0, 1}, {0, 2}, {1, 2}};
  surface.triangles = {Vec3i(0, 1, 2)};
  const std::vector<double> masses{1, 1, 1};
  const double edge = (2 + std::sqrt(2.0)) / 3;
  EXPECT_NEAR(longest_step(surface, -100, masses, positions), std::sqrt(0.2 * edge * 3 / (100 * 0.5)), 1e-12);
  EXPECT_EQ(longest_step(surface, 0, masses, positions), std::numeric_limits<double>::infinity());
}

TEST(PressedSurfaces, PartsHaveFewerSweepsButNotTooFew) {
  EXPECT_EQ(sweeps_of_part(30, 1), 30);
  EXPECT_EQ(sweeps_of_part(100, 4), 50);
  EXPECT_EQ(sweeps_of_part(30, 100), 10);
  EXPECT_EQ(sweeps_of_part(4, 9), 4);
}

}  // namespace
}  // namespace pliant::solver::pressed_surfaces_test
