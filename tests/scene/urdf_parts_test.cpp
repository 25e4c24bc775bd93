// Links of a URDF robot in the world: frames along the joints, masses together, what is fixed, what is refused.
#include "pliant/scene/urdf_parts.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "tests/scene/small_scene.h"
#include "tests/scene/urdf_robot.h"

namespace pliant::scene {
namespace {

using pliant::testing::inertial;
using pliant::testing::joint;
using pliant::testing::link;
using pliant::testing::urdf;

constexpr const char* kQuarter = "1.5707963267948966";

// Three joints with offsets and turned frames; places worked out by hand.
//   shoulder: 0.3 up, turns about z;  elbow: 0.5 along x, rolled by 90° so that its z is −y of the upper arm, turns about z;
//   slide: 0.4 along x, pitched by 90° so that its z is x of the forearm, slides along z.
std::string arm() {
  return link("base", "") + link("upper") + link("fore") + link("hand") +
         joint("continuous", "base", "upper", "<origin xyz='0 0 0.3'/><axis xyz='0 0 1'/>") +
         joint("revolute", "upper", "fore",
               std::string("<origin xyz='0.5 0 0' rpy='") + kQuarter +
                   " 0 0'/><axis xyz='0 0 1'/><limit lower='-3' upper='3'/>") +
         joint(
             "prismatic", "fore", "hand",
             std::string("<origin xyz='0.4 0 0' rpy='0 ") + kQuarter + " 0'/><axis xyz='0 0 1'/><limit upper='0.5'/>");
}

void expect_near(const Vec3& found, const Vec3& expected) {
  EXPECT_LE((found - expected).norm(), 1e-14) << found.transpose() << " instead of " << expected.transpose();
}

TEST(UrdfParts, FramesAtZero) {
  const UrdfParts parts = urdf_parts(urdf(arm()), UrdfBase::free);
  const auto& frames = parts.world_from_link;
  // z of the file is y of the world, y is −z.
  expect_near(frames[0] * Vec3(1, 2, 3), Vec3(1, 3, -2));
  expect_near(frames[1].translation, Vec3(0, 0.3, 0));
  expect_near(frames[2].translation, Vec3(0.5, 0.3, 0));
  expect_near(frames[2].rotation * Vec3::UnitZ(), Vec3(0, 0, 1));  // −y of the file
  expect_near(frames[3].translation, Vec3(0.9, 0.3, 0));
  expect_near(frames[3].rotation * Vec3::UnitZ(), Vec3(1, 0, 0));
}

// Shoulder at 90°: the upper arm points along y of the file. Elbow at 30°: its axis is now x of the file, and the forearm
// rises: (0, cos 30°, sin 30°) of the file. The slide goes on along it by 0.2 m.
TEST(UrdfParts, FramesOfAPose) {
  const UrdfParts parts =
      urdf_parts(urdf(arm()), UrdfBase::free, {{"base_upper", 90}, {"upper_fore", 30}, {"fore_hand", 0.2}});
  const double c = std::cos(std::numbers::pi / 6), s = 0.5;
  const auto& frames = parts.world_from_link;
  expect_near(frames[2].translation, Vec3(0, 0.3, -0.5));
  expect_near(frames[2].rotation * Vec3::UnitZ(), Vec3(1, 0, 0));
  expect_near(frames[2].rotation * Vec3::UnitX(), Vec3(0, s, -c));
  expect_near(frames[3].translation, Vec3(0, 0.3 + 0.6 * s, -0.5 - 0.6 * c));
  expect_near(frames[3].rotation * Vec3::UnitZ(), Vec3(0, s, -c));
  EXPECT_NEAR(parts.joint_value[1], std::numbers::pi / 6, 1e-15);
}

TEST(UrdfParts, PosesAreChecked) {
  const auto pose = [](const std::string& name, double value) {
    return urdf_parts(urdf(arm()), UrdfBase::free, {{name, value}});
  };
  EXPECT_INPUT_ERROR(pose("base_uper", 1),
                     "tested.urdf: no joint named 'base_uper' turns or slides; did you mean 'base_upper'?");
  EXPECT_INPUT_ERROR(pose("fore_hand", 0.6), "joint 'fore_hand' goes from 0 to 0.5 m, and cannot stand at 0.6");
  // Limits that exclude 0.
  const UrdfParts parts = urdf_parts(
      urdf(link("a") + link("b") + joint("prismatic", "a", "b", "<limit lower='0.2' upper='0.6'/>")), UrdfBase::free);
  EXPECT_NEAR(parts.joint_value[0], 0.4, 1e-15);
  EXPECT_EQ(parts.notes.at(0),
            "joint 'a_b' starts in the middle of its limits, 0.4 m, as they exclude 0: --pose a_b=… changes it");
}

// An inertia given along axes that the inertial origin, the link and the world turn.
TEST(UrdfParts, InertiaIsTurned) {
  const UrdfParts parts =
      urdf_parts(urdf(link("a",
                           "<inertial><origin xyz='0.1 0 0' rpy='0 0 0.5235987755982988'/><mass value='2'/>"
                           "<inertia ixx='0.1' iyy='0.2' izz='0.25'/></inertial>")),
                 UrdfBase::free);
  const MassProperties& mass = parts.parts.at(0).mass;
  expect_near(mass.center, Vec3(0.1, 0, 0));
  // In the file: R diag R^T about z by 30°. xx = 0.1 c² + 0.2 s², yy = 0.1 s² + 0.2 c², xy = (0.1 − 0.2) s c.
  const double c2 = 0.75, s2 = 0.25, sc = 0.25 * std::sqrt(3.0);
  Mat3 expected;  // of the world: x, z, −y
  expected << 0.1 * c2 + 0.2 * s2, 0, 0.1 * sc, 0, 0.25, 0, 0.1 * sc, 0, 0.1 * s2 + 0.2 * c2;
  EXPECT_LE((mass.inertia - expected).norm(), 1e-15);
}

// Two balls on a fixed joint are a dumb-bell: inertias and mᵢ dᵢ² add up; frames without a mass only pass on.
TEST(UrdfParts, FixedJointsMakeOneBody) {
  const UrdfParts parts =
      urdf_parts(urdf(link("foot", "") + link("a", inertial("0 0 0", "1")) + link("frame", "") +
                      link("b", inertial("0 0 0.1", "3")) + link("tool", "") + joint("fixed", "foot", "a") +
                      joint("fixed", "a", "frame", "<origin xyz='0 0 0.2'/>") +
                      joint("fixed", "frame", "b", "<origin xyz='0 0 0.1'/>") + joint("fixed", "b", "tool")),
                 UrdfBase::free);
  ASSERT_EQ(parts.parts.size(), 1U);
  const UrdfPart& part = parts.parts[0];
  EXPECT_EQ(part.main_link, 1);
  EXPECT_FALSE(part.is_fixed);
  EXPECT_EQ(part.links.size(), 5U);
  EXPECT_NEAR(part.mass.mass, 4, 1e-15);
  expect_near(part.mass.center, Vec3(0, 0.3, 0));
  const double across = 0.02 + 1 * 0.3 * 0.3 + 3 * 0.1 * 0.1;
  EXPECT_LE((part.mass.inertia - Mat3(Vec3(across, 0.02, across).asDiagonal())).norm(), 1e-15);
}

TEST(UrdfParts, WhatIsFixedToTheWorld) {
  const auto is_fixed = [](const std::string& root, UrdfBase base, const std::string& mass = inertial()) {
    return urdf_parts(urdf(link(root, mass) + link("b") + joint("continuous", root, "b")), base).parts[0].is_fixed;
  };
  EXPECT_FALSE(is_fixed("a", UrdfBase::free));
  EXPECT_TRUE(is_fixed("a", UrdfBase::fixed));
  EXPECT_TRUE(is_fixed("world", UrdfBase::free));
  EXPECT_TRUE(is_fixed("a", UrdfBase::free, ""));
  EXPECT_EQ(urdf_parts(urdf(link("a", "")), UrdfBase::free).notes.at(0),
            "link 'a' has no mass and is fixed to the world");
}

TEST(UrdfParts, SaysWhatIsWrong) {
  const auto parts = [](const std::string& text) { return urdf_parts(urdf(text), UrdfBase::free); };
  const std::string zero = "<inertial><mass value='0'/></inertial>";
  for (const std::string& mass : {std::string(), zero})
    EXPECT_INPUT_ERROR(parts(link("a") + link("b", mass) + joint("continuous", "a", "b")),
                       "tested.urdf:3: link 'b' moves by joint 'a_b' but has no mass; give it <inertial>");
  EXPECT_INPUT_ERROR(parts(link("a") + link("b") + joint("planar", "a", "b")), "joint 'a_b' is planar");
  const auto moments = [&](const std::string& izz) {
    return parts(link("a", "<inertial><mass value='1'/><inertia ixx='0.1' iyy='0.1' izz='" + izz + "'/></inertial>"));
  };
  EXPECT_INPUT_ERROR(moments("0.3"),
                     "tested.urdf:2: link 'a' has the principal moments of inertia 0.1, 0.1, 0.3 kg m²");
  EXPECT_INPUT_ERROR(moments("0"), "they must be above 0");
  // A plate rounded to three digits is a plate.
  const UrdfParts plate = moments("0.201");
  EXPECT_NEAR(plate.parts[0].mass.inertia(1, 1), 0.2, 1e-15);
  EXPECT_EQ(plate.notes.size(), 1U);
}

}  // namespace
}  // namespace pliant::scene
