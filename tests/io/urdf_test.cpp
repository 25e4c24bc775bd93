// URDF as it is read: links, joints, frames, the tree, and what is refused.
#include "pliant/io/urdf.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>
#include <sstream>

#include "tests/io/reader_checks.h"

namespace pliant::io {
namespace {

UrdfRobot parsed_urdf(const std::string& text) {
  std::istringstream in(text);
  return read_urdf(in, "a.urdf");
}
UrdfRobot robot_of(const std::string& inside) { return parsed_urdf("<robot name='r'>\n" + inside + "</robot>"); }

void urdf_fails(const std::string& inside, const std::string& words, const std::string& place = "a.urdf:2") {
  testing::expect_parse_error(robot_of, inside, place, words);
}

const std::string kTwoLinks = "<link name='a'/><link name='b'/>";
std::string joint(const std::string& attributes, const std::string& more) {
  return "<joint name='j' " + attributes + "><parent link='a'/><child link='b'/>" + more + "</joint>";
}

TEST(Urdf, ReadsLinks) {
  const UrdfRobot robot = robot_of(
      "<link name='a'>\n"
      "<inertial><origin xyz='1 2 3'/><mass value='4'/><inertia ixx='1' ixy='0.1' ixz='0.2' iyy='2' iyz='0.3' "
      "izz='+2.5'/>"
      "</inertial>\n"
      "<collision name='c'><origin rpy='0 0 1.5707963267948966'/><geometry><box size=' 1  2\t3 "
      "'/></geometry></collision>\n"
      "<collision><geometry><cylinder radius='0.1' length='0.5'/></geometry></collision>\n"
      "<visual><geometry><mesh filename='package://r/a.stl' scale='1 1 2'/></geometry><material name='red'/></visual>\n"
      "</link>");
  ASSERT_EQ(robot.links.size(), 1U);
  const UrdfLink& link = robot.links[0];
  ASSERT_TRUE(link.inertial);
  EXPECT_EQ(link.inertial->mass, 4);
  EXPECT_EQ(link.inertial->origin.position, Vec3(1, 2, 3));
  Mat3 inertia;
  inertia << 1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 2.5;
  EXPECT_EQ(link.inertial->inertia, inertia);
  ASSERT_EQ(link.collision.size(), 2U);
  EXPECT_EQ(link.collision[0].size, Vec3(1, 2, 3));
  EXPECT_EQ(link.collision[0].line, 4);
  EXPECT_LE((link.collision[0].origin.rotation * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_EQ(link.collision[1].geometry, UrdfGeometry::cylinder);
  EXPECT_EQ(link.collision[1].length, 0.5);
  EXPECT_EQ(link.visual.at(0).file, "package://r/a.stl");
  EXPECT_EQ(link.visual[0].scale, Vec3(1, 1, 2));
  EXPECT_TRUE(robot.notes.empty());
}

// Roll, pitch and yaw turn about the fixed axes in this order, so the last one is outermost.
TEST(Urdf, AnglesTurnAboutFixedAxes) {
  const double q = std::numbers::pi / 2;
  const UrdfRobot robot = robot_of(kTwoLinks + joint("type='fixed'",
                                                     "<origin xyz='0 0 1' rpy='1.5707963267948966 0 "
                                                     "1.5707963267948966'/>"));
  const Mat3 expected = (Eigen::AngleAxisd(q, Vec3::UnitZ()) * Eigen::AngleAxisd(q, Vec3::UnitX())).toRotationMatrix();
  EXPECT_LE((robot.joints.at(0).origin.rotation - expected).norm(), 1e-15);
  EXPECT_LE((robot.joints[0].origin.rotation * Vec3::UnitY() - Vec3::UnitZ()).norm(), 1e-15);
}

TEST(Urdf, ReadsJointsAndOrdersThemFromTheRoot) {
  const UrdfRobot robot = robot_of(
      "<joint name='second' type='prismatic'><parent link='b'/><child link='c'/><axis xyz='0 0 3'/>"
      "<limit lower='-1' upper='2' effort='5' velocity='6'/><dynamics damping='0.1' friction='0.2'/></joint>"
      "<joint name='first' type='revolute'><parent link='a'/><child link='b'/><limit upper='1'/><mimic "
      "joint='second'/></joint>"
      "<link name='c'/><link name='b'/><link name='a'/>");
  EXPECT_EQ(robot.links[robot.root].name, "a");
  ASSERT_EQ(robot.joints.size(), 2U);
  EXPECT_EQ(robot.joints[0].name, "first");
  EXPECT_EQ(robot.joints[0].axis, Vec3::UnitX());
  EXPECT_EQ(robot.joints[0].lower, 0);
  EXPECT_TRUE(robot.joints[0].mimics);
  const UrdfJoint& second = robot.joints[1];
  EXPECT_EQ(second.axis, Vec3::UnitZ());
  EXPECT_EQ(second.lower, -1);
  EXPECT_EQ(second.upper, 2);
  EXPECT_EQ(second.effort, 5);
  EXPECT_EQ(second.damping, 0.1);
  EXPECT_EQ(second.friction, 0.2);
  EXPECT_EQ(robot.links[second.child].joint, 1);
}

TEST(Urdf, NotesWhatItIgnores) {
  const UrdfRobot robot = robot_of(
      "<gazebo/>\n<transmission name='t'><type>x</type></transmission>\n<gazebo reference='a'><kp>1</kp></gazebo>\n"
      "<material name='red'><color rgba='1 0 0 1'/></material><link name='a'><contact/></link>");
  ASSERT_EQ(robot.notes.size(), 3U);
  EXPECT_EQ(robot.notes[0], "<contact> is ignored (line 5)");
  EXPECT_EQ(robot.notes[1], "<gazebo> is ignored (line 2 and 1 more)");
  EXPECT_EQ(robot.notes[2], "<transmission> is ignored (line 3)");
}

TEST(Urdf, SaysWhatIsWrongWithLinks) {
  testing::expect_parse_error(parsed_urdf, "<sdf/>", "a.urdf:1",
                              "outermost element of a URDF file is <robot>, got <sdf>");
  urdf_fails("", "the robot has no <link>", "a.urdf:1");
  urdf_fails("<xacro:macro/>", "expand the file first");
  urdf_fails("<link/>", "<link> needs the attribute name");
  urdf_fails("<link name='a'/><link name='a'/>", "two links named 'a'");
  const auto link = [](const std::string& inside) { return "<link name='a'>" + inside + "</link>"; };
  urdf_fails(link("<inertial/>"), "<inertial> needs <mass>");
  urdf_fails(link("<inertial><mass value='-1'/></inertial>"), "a mass must not be negative, got -1");
  urdf_fails(link("<inertial><mass value='1'/></inertial>"), "<inertial> needs <inertia>");
  urdf_fails(link("<inertial><mass value='1'/><inertia ixx='1' iyy='1'/></inertial>"),
             "<inertia> needs the attribute izz");
  urdf_fails(link("<inertial><mass value='1 2'/></inertial>"), "value of <mass> must be a number, got '1 2'");
  urdf_fails(link("<inertial><mass value='nan'/></inertial>"), "must be a number, got 'nan'");
  urdf_fails(link("<inertial><mass value='1'/><mass value='1'/></inertial>"), "more than one <mass>");
  urdf_fails(link("<collision/>"), "<collision> needs <geometry>");
  urdf_fails(link("<collision><geometry/></collision>"), "needs one of <box>, <cylinder>, <sphere> and <mesh>");
  const auto shape = [&](const std::string& g) {
    return link("<collision><geometry>" + g + "</geometry></collision>");
  };
  urdf_fails(shape("<box size='1 2'/>"), "size of <box> must be 3 numbers with blanks between them, got '1 2'");
  urdf_fails(shape("<box size='1 2 0'/>"), "size of <box> must be above 0");
  urdf_fails(shape("<sphere radius='0'/>"), "radius of <sphere> must be above 0, got 0");
  urdf_fails(shape("<sphere/>"), "<sphere> needs the attribute radius");
  urdf_fails(shape("<cylinder radius='1' height='2'/>"), "<cylinder> has no attribute 'height'; it has radius, length");
  urdf_fails(shape("<mesh filename='a.obj' scale='1 1 -1'/>"), "scale of <mesh> must be above 0");
  urdf_fails(shape("<capsule radius='1'/>"), "there is no geometry <capsule> here");
  urdf_fails(link("<collision><origin xyz='0 0 0' quat_xyzw='0 0 0 1'/></collision>"),
             "<origin> has no attribute 'quat_xyzw'");
}

TEST(Urdf, SaysWhatIsWrongWithJoints) {
  urdf_fails(kTwoLinks + joint("type='hinge'", ""), "there is no joint of type 'hinge'; use revolute");
  urdf_fails(kTwoLinks + joint("type='revolute'", ""), "needs <limit lower=");
  urdf_fails(kTwoLinks + joint("type='revolute'", "<limit lower='2' upper='1'/>"),
             "lower of <limit> must be at most upper");
  urdf_fails(kTwoLinks + joint("type='continuous'", "<axis xyz='0 0 0'/>"), "an axis must not be zero");
  urdf_fails(kTwoLinks + joint("type='continuous'", "<dynamics friction='-1'/>"),
             "friction of <dynamics> must not be negative");
  urdf_fails("<link name='a'/>" + joint("type='fixed'", ""), "joint 'j': there is no link named 'b'");
  urdf_fails(kTwoLinks + joint("type='fixed'", "") + joint("type='fixed'", ""), "two joints named 'j'");
  urdf_fails(kTwoLinks, "links 'a' and 'b' are both without a parent");
  urdf_fails(kTwoLinks + joint("type='fixed'", "") +
                 "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>",
             "the joints form a ring", "a.urdf:1");
  urdf_fails(kTwoLinks + "<link name='c'/>" + joint("type='fixed'", "") +
                 "<joint name='k' type='fixed'><parent link='c'/><child link='b'/></joint>",
             "link 'b' is the child of two joints, 'j' and 'k'");
}

}  // namespace
}  // namespace pliant::io
