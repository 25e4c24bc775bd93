// Functions of the scene's structs: rotations compose in order, curves interpolate, names are found.
#include "pliant/scene/scene.h"

#include <gtest/gtest.h>

#include "pliant/assert.h"

namespace pliant::scene {
namespace {

TEST(SceneRotation, FirstTurnActsFirst) {
  // x → y (about z), then y → z (about x).
  Rotation rotation;
  rotation.turns.push_back(AxisRotation{Vec3(0, 0, 2), 90});
  rotation.turns.push_back(AxisRotation{Vec3(1, 0, 0), 90});
  EXPECT_LT((rotation_matrix(rotation) * Vec3::UnitX() - Vec3::UnitZ()).norm(), 1e-15);
  EXPECT_EQ(rotation_matrix({}), Mat3::Identity());
}

TEST(SceneRotation, QuaternionsOfAnyLengthEqualAxisAndAngle) {
  const double half = 0.5 * 70 * M_PI / 180;
  const Vec3 axis = Vec3(1, 2, -2) / 3.0;
  const Vec4 q(std::cos(half), std::sin(half) * axis[0], std::sin(half) * axis[1], std::sin(half) * axis[2]);
  Rotation by_axis, by_quaternion;
  by_axis.turns.push_back(AxisRotation{axis, 70});
  by_quaternion.turns.push_back(Quaternion{5.0 * q});
  EXPECT_LT((rotation_matrix(by_axis) - rotation_matrix(by_quaternion)).norm(), 1e-14);
}

TEST(SceneCurve, IsLinearBetweenKeyframesAndHeldOutside) {
  const ScalarCurve curve{{{1.0, 10.0}, {2.0, 20.0}, {4.0, 0.0}}};
  EXPECT_EQ(curve.at(0.0), 10.0);
  EXPECT_DOUBLE_EQ(curve.at(1.25), 12.5);
  EXPECT_DOUBLE_EQ(curve.at(3.0), 10.0);
  EXPECT_EQ(curve.at(4.0), 0.0);
  EXPECT_EQ(curve.at(9.0), 0.0);
  const VectorCurve constant{{{0.0, Vec3(1, 2, 3)}}};
  EXPECT_EQ(constant.at(5.0), Vec3(1, 2, 3));
  EXPECT_THROW((void)ScalarCurve{}.at(0.0), InternalError);
}

TEST(SceneNames, AreFound) {
  Scene scene;
  scene.bodies.resize(2);
  scene.bodies[1].name = std::string("ball");
  EXPECT_EQ(&scene.body("ball"), &scene.bodies[1]);
  EXPECT_THROW((void)scene.body("cube"), InternalError);
}

}  // namespace
}  // namespace pliant::scene
