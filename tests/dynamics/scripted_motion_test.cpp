// Scripted motions and load curves against their closed forms.
#include "pliant/dynamics/scripted_motion.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <numbers>

namespace pliant {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kForever = std::numeric_limits<double>::infinity();

TEST(ScriptedMotion, DefaultHoldsStillToTheBit) {
  const ScriptedMotion still;
  const Vec3 x(0.1, -0.7, 1e-9);
  EXPECT_EQ(still.between(0.3, 7.1) * x, x);
}

TEST(ScriptedMotion, MovesWithAVelocity) {
  const ScriptedMotion motion(Move{Vec3(1, -2, 0.5)});
  EXPECT_LT((motion.at(0.25) * Vec3(1, 1, 1) - Vec3(1.25, 0.5, 1.125)).norm(), 1e-15);
  EXPECT_LT((motion.between(1, 1.5) * Vec3(1, 1, 1) - Vec3(1.5, 0, 1.25)).norm(), 1e-15);
}

TEST(ScriptedMotion, RotatesAboutAnAxisThroughACentre) {
  const Vec3 centre(1, 2, 0);
  const ScriptedMotion motion(Rotate{Vec3::UnitZ(), centre, kPi / 2});
  EXPECT_LT((motion.at(1) * Vec3(3, 2, 5) - Vec3(1, 4, 5)).norm(), 1e-14);
  EXPECT_LT((motion.at(4) * Vec3(3, 2, 5) - Vec3(3, 2, 5)).norm(), 1e-14);
  EXPECT_LT((motion.at(0.37) * centre - centre).norm(), 1e-15);
  // What has turned by t = 0.4 goes on from there.
  const Vec3 x(0.3, -1, 2);
  EXPECT_LT((motion.between(0.4, 1.7) * (motion.at(0.4) * x) - motion.at(1.7) * x).norm(), 1e-14);
}

TEST(ScriptedMotion, KeyframesAreLinearInBetweenAndHeldOutside) {
  Keyframes keyframes;
  keyframes.centre = Vec3(1, 0, 0);
  keyframes.keys = {{1, Vec3::Zero(), Vec4(1, 0, 0, 0)},
                    {2, Vec3(0, 3, 0), Vec4(std::cos(kPi / 4), 0, 0, std::sin(kPi / 4))},
                    {4, Vec3(0, 3, 6), Vec4(std::cos(kPi / 4), 0, 0, std::sin(kPi / 4))}};
  const ScriptedMotion motion(keyframes);
  const Vec3 x(2, 0, 0);
  EXPECT_EQ(motion.at(0.5) * x, x);
  EXPECT_LT((motion.at(1.5) * x - Vec3(1 + std::sqrt(0.5), std::sqrt(0.5) + 1.5, 0)).norm(), 1e-14);
  EXPECT_LT((motion.at(2) * x - Vec3(1, 4, 0)).norm(), 1e-14);
  EXPECT_LT((motion.at(3) * x - Vec3(1, 4, 3)).norm(), 1e-14);
  EXPECT_LT((motion.at(9) * x - Vec3(1, 4, 6)).norm(), 1e-14);
}

TEST(ScriptedMotion, KeyframesThatRepeatBeginAgain) {
  Keyframes keyframes;
  keyframes.keys = {{1, Vec3::Zero()}, {2, Vec3(0, 3, 0)}, {4, Vec3::Zero()}};
  keyframes.repeats = true;
  const ScriptedMotion motion(keyframes);
  const Vec3 x(2, 0, 0);
  EXPECT_EQ(motion.at(0.5) * x, x);
  for (const double time : {1.25, 2.0, 3.5, 4.0}) {
    EXPECT_LT((motion.at(time + 3) * x - motion.at(time) * x).norm(), 1e-14) << time;
    EXPECT_LT((motion.at(time + 15) * x - motion.at(time) * x).norm(), 1e-13) << time;
  }
  EXPECT_LT((motion.at(7.25) * x - Vec3(2, 0.75, 0)).norm(), 1e-14);
}

TEST(RigidTransform, ComposesAndInverts) {
  const RigidTransform a{Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix(), Vec3(1, -2, 0.5)};
  const RigidTransform b{Eigen::AngleAxisd(-1.9, Vec3(0, 2, -1).normalized()).toRotationMatrix(), Vec3(0, 4, 1)};
  const Vec3 x(0.2, 0.4, -3);
  EXPECT_LT(((a * b) * x - a * (b * x)).norm(), 1e-14);
  EXPECT_LT((a.inverse() * (a * x) - x).norm(), 1e-14);
}

TEST(LoadCurve, GrowsOverTheRampAndEnds) {
  const LoadCurve load{{{0, Vec3(0, 10, 0)}}, 1, 0.5, 3};
  EXPECT_EQ(load.at(0.5), Vec3::Zero());
  EXPECT_EQ(load.at(1), Vec3::Zero());
  EXPECT_NEAR(load.at(1.25)[1], 5, 1e-14);
  EXPECT_NEAR(load.at(2)[1], 10, 1e-14);
  EXPECT_NEAR(load.at(3)[1], 10, 1e-14);
  EXPECT_EQ(load.at(3.001), Vec3::Zero());
}

TEST(LoadCurve, InterpolatesKeys) {
  const LoadCurve load{{{0, Vec3(1, 0, 0)}, {2, Vec3(3, 4, 0)}}, 0, 0, kForever};
  EXPECT_EQ(load.at(0), Vec3(1, 0, 0));
  EXPECT_LT((load.at(0.5) - Vec3(1.5, 1, 0)).norm(), 1e-15);
  EXPECT_EQ(load.at(100), Vec3(3, 4, 0));
}

TEST(LoadCurve, StepsBetweenFromAndUntilGiveTheExactImpulse) {
  // Times of steps are rounded; the pulse lasts 0.2 s all the same.
  const LoadCurve load{{{0, Vec3(5, 0, 0)}}, 0.1, 0, 0.3};
  for (const double h : {0.1, 0.02, 0.01, 0.001}) {
    double impulse = 0;
    for (int n = 1; n * h < 0.45; ++n) impulse += h * load.at(n * h)[0];
    EXPECT_NEAR(impulse, 1.0, 1e-12) << h;
  }
}

TEST(ScriptedMotion, KnowsWhatItTurns) {
  const Vec3 up = Vec3::UnitY();
  EXPECT_FALSE(ScriptedMotion(Move{Vec3(1, 2, 3)}).turns(up));
  EXPECT_FALSE(ScriptedMotion(Rotate{up, Vec3(1, 0, 0), 3}).turns(up));
  EXPECT_TRUE(ScriptedMotion(Rotate{Vec3::UnitX(), Vec3::Zero(), 3}).turns(up));
  EXPECT_FALSE(ScriptedMotion(Rotate{Vec3::UnitX(), Vec3::Zero(), 0}).turns(up));
  Keyframes keys;
  keys.keys = {{0, Vec3::Zero(), Vec4(1, 0, 0, 0)}, {1, Vec3(1, 0, 0), Vec4(0, 0, 1, 0)}};  // half a turn about y
  EXPECT_FALSE(ScriptedMotion(keys).turns(up));
  keys.keys.push_back({2, Vec3::Zero(), Vec4(0, 1, 0, 0)});  // about x
  EXPECT_TRUE(ScriptedMotion(keys).turns(up));
}

}  // namespace
}  // namespace pliant
