// From a URDF robot to a scene: what is written, that it moves as the same scene written by hand, and that files come whole
// or not at all.
#include "pliant/scene/import_urdf.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "pliant/dynamics/simulation.h"
#include "pliant/io/write_error.h"
#include "pliant/scene/build_model.h"
#include "pliant/scene/reader.h"
#include "tests/scene/small_scene.h"
#include "tests/scene/urdf_robot.h"

namespace pliant::scene {
namespace {

using pliant::testing::collision;
using pliant::testing::inertial;
using pliant::testing::joint;
using pliant::testing::link;
using pliant::testing::urdf;

ImportedScene imported(const std::string& robot, UrdfImport wanted = {}) {
  wanted.file = "tested.urdf";
  wanted.output = "tested.yaml";
  return import_urdf(urdf(robot), wanted);
}
Scene scene_from(const std::string& robot, const UrdfImport& wanted = {}) {
  return parse_scene(imported(robot, wanted).text, "tested.yaml");
}

bool says(const ImportedScene& scene, const std::string& note) {
  return std::find(scene.notes.begin(), scene.notes.end(), note) != scene.notes.end() &&
         scene.text.find("# Note: " + note + ".\n") != std::string::npos;
}

// Positions of all blocks after `steps` of the scene.
BlockVector positions_after(const Scene& scene, int steps) {
  BuiltScene built = build(scene);
  Simulation simulation(std::move(built.model), std::move(built.state), built.options);
  for (int i = 1; i <= steps; ++i)
    EXPECT_TRUE(simulation.advance(scene.time.step, i * scene.time.step, [] {}).reached) << i;
  return simulation.state().positions;
}

// Two bars of 0.5 m and 0.4 m that hang on hinges about y of the file, let go at 90° and 40°.
std::string double_pendulum() {
  const auto bar = [](const std::string& length, const std::string& middle, const std::string& inertia) {
    return "<inertial><origin xyz='0 0 " + middle + "'/><mass value='1.5'/>" + inertia + "</inertial>" +
           collision("<box size='0.04 0.06 " + length + "'/>", "<origin xyz='0 0 " + middle + "'/>");
  };
  return link("world", "") + link("upper", bar("0.5", "-0.25", "<inertia ixx='0.0317' iyy='0.03145' izz='0.00065'/>")) +
         link("lower", bar("0.4", "-0.2", "<inertia ixx='0.02045' iyy='0.0202' izz='0.00065'/>")) +
         joint("continuous", "world", "upper", "<origin xyz='0.1 0 1'/><axis xyz='0 1 0'/>") +
         joint("revolute", "upper", "lower",
               "<origin xyz='0 0 -0.5'/><axis xyz='0 1 0'/><limit lower='-2' upper='2.5'/><dynamics friction='0.05'/>");
}

// The same by hand. About y of the file is about −z of the world: at 90° the upper bar points to −x, at 40° more the lower one
// has risen by that from there.
std::string double_pendulum_by_hand() {
  const double c = std::cos(2 * std::numbers::pi / 9), s = std::sin(2 * std::numbers::pi / 9);
  const Vec3 elbow(-0.4, 1, 0), middle = elbow + 0.2 * Vec3(-c, s, 0);
  std::ostringstream text;
  text.precision(15);
  text << "pliant: 1\ntime: {step: 0.005, end: 2}\nbodies:\n"
          "  - {name: upper, kind: rigid, mesh: {box: {size: [0.04, 0.5, 0.06], cells: [1, 1, 1]}}, "
          "material: {mass: 1.5, inertia: [0.0317, 0.00065, 0.03145]}, position: [-0.15, 1, 0], "
          "rotation: {axis: [0, 0, 1], degrees: -90}}\n"
          "  - {name: lower, kind: rigid, mesh: {box: {size: [0.04, 0.4, 0.06], cells: [1, 1, 1]}}, "
          "material: {mass: 1.5, inertia: [0.02045, 0.00065, 0.0202]}, position: ["
       << middle.x() << ", " << middle.y()
       << ", 0], rotation: {axis: [0, 0, 1], degrees: -130}}\n"
          "joints:\n  - {name: shoulder, type: hinge, bodies: [upper], at: [0.1, 1, 0], axis: [0, 0, -1]}\n"
          "  - {name: elbow, type: hinge, bodies: [lower, upper], at: [-0.4, 1, 0], axis: [0, 0, -1], limits: {lower: "
       << -2 * 180 / std::numbers::pi - 40 << ", upper: " << 2.5 * 180 / std::numbers::pi - 40
       << "}, motor: {speed: 0, max_torque: 0.05}}\n";
  return text.str();
}

TEST(ImportUrdf, MovesAsTheSameSceneByHand) {
  UrdfImport wanted;
  wanted.pose = {{"world_upper", 90}, {"upper_lower", 40}};
  const Scene robot = scene_from(double_pendulum(), wanted), hand = parse_scene(double_pendulum_by_hand(), "hand.yaml");
  ASSERT_EQ(robot.bodies.size(), 2U);
  const int steps = 80;  // 0.4 s: the bars fall through the vertical
  const BlockVector one = positions_after(robot, steps), other = positions_after(hand, steps);
  ASSERT_EQ(one.size(), other.size());
  const Vec3 start = build(robot).state.positions[0];
  EXPECT_GT((one[0] - start).norm(), 0.2);
  for (const int centre : {0, 4}) EXPECT_LE((one[centre] - other[centre]).norm(), 1e-6) << centre;
}

TEST(ImportUrdf, WritesBodiesAndJoints) {
  const std::string turned =
      "<inertial><origin xyz='0.1 0.2 0.3'/><mass value='2'/><inertia ixx='0.1' ixy='0.01' iyy='0.1' "
      "izz='0.1'/></inertial>";
  const Scene scene = scene_from(
      link("base", inertial() + collision("<sphere radius='0.2'/>")) +
      link("slide", turned + collision("<cylinder radius='0.1' length='0.4'/>", "<origin xyz='0 0 0.3'/>")) +
      link("free", inertial() + collision("<box size='1 2 3'/>")) +
      joint("floating", "base", "free", "<origin xyz='5 0 0'/>") +
      joint("prismatic", "base", "slide",
            "<origin xyz='0 0 1'/><axis xyz='0 1 0'/><limit lower='-0.1' upper='0.2'/><dynamics friction='3'/>"));
  ASSERT_EQ(scene.bodies.size(), 3U);
  ASSERT_EQ(scene.joints.size(), 1U);
  EXPECT_EQ(scene.body("base").kind, BodyKind::rigid);
  EXPECT_EQ(std::get<SphereMesh>(scene.body("base").mesh.shape).radius, 0.2);
  EXPECT_FALSE(scene.material(scene.body("base").material).center_of_mass);
  const Body& slide = scene.body("slide");
  EXPECT_EQ(slide.position, Vec3(0, 1.3, 0));
  EXPECT_TRUE(slide.rotation.turns.empty());  // the generator's y is the file's z
  const Material& material = scene.material(slide.material);
  EXPECT_EQ(material.total_mass, 2);
  ASSERT_TRUE(material.center_of_mass);
  EXPECT_LE((*material.center_of_mass - Vec3(0.1, 0, -0.2)).norm(), 1e-12);
  Mat3 inertia;  // xy of the file is −xz here
  inertia << 0.1, 0, -0.01, 0, 0.1, 0, -0.01, 0, 0.1;
  EXPECT_LE((inertia_matrix(material) - inertia).norm(), 1e-12);
  const Joint& rail = scene.joints[0];
  EXPECT_EQ(rail.type, JointType::slider);
  EXPECT_EQ(rail.bodies, (std::vector<std::string>{"slide", "base"}));
  EXPECT_EQ(rail.at, Vec3(0, 1, 0));
  EXPECT_EQ(*rail.axis, Vec3(0, 0, -1));
  EXPECT_EQ(rail.limits->lower, -0.1);
  EXPECT_EQ(rail.limits->upper, 0.2);
  EXPECT_EQ(rail.motor->speed, 0);
  EXPECT_EQ(rail.motor->max_force, 3);
  const BuiltScene built = build(scene);  // the centre of mass is where the file says
  EXPECT_LE((built.model.rigids[2].rest_centre - Vec3(0.1, 1.3, -0.2)).norm(), 1e-12);
}

TEST(ImportUrdf, AFixedRootIsAnObstacle) {
  const std::string robot = link("base", inertial() + collision("<box size='1 1 1'/>")) +
                            link("arm", inertial() + collision("<box size='1 1 1'/>")) +
                            joint("continuous", "base", "arm");
  UrdfImport wanted;
  wanted.base = UrdfBase::fixed;
  const Scene scene = scene_from(robot, wanted);
  EXPECT_EQ(scene.body("base").kind, BodyKind::obstacle);
  EXPECT_EQ(scene.joints.at(0).bodies, (std::vector<std::string>{"arm", "base"}));
  EXPECT_NO_THROW(static_cast<void>(build(scene)));  // they overlap, and pass through each other
}

TEST(ImportUrdf, SaysWhatItLeavesOut) {
  const std::string seen = "<visual><geometry><box size='1 1 1'/></geometry></visual>";
  const ImportedScene scene =
      imported("<gazebo/>" + link("a", inertial() + seen) +
               link("b", inertial() + "<visual><geometry><mesh filename='b.dae'/></geometry></visual>") +
               link("c", inertial() + seen + collision("<box size='1 1 1'/>")) +
               joint("revolute", "a", "b",
                     "<limit lower='-1' upper='1' effort='3'/><dynamics damping='0.5'/><mimic joint='b_c'/>") +
               joint("continuous", "b", "c"));
  EXPECT_TRUE(says(scene, "<gazebo> is ignored (line 2)"));
  EXPECT_TRUE(says(scene, "link 'a' has no collision shape: it looks like its visual one and touches nothing"));
  EXPECT_TRUE(says(scene,
                   "link 'b': visual shapes are left out: meshes of robots are read from OBJ and PLY files, and this "
                   "is 'b.dae'; convert it to OBJ and change the name here"));
  EXPECT_TRUE(says(scene, "link 'b' has no shape: it is shown as the box of its inertia and touches nothing"));
  EXPECT_TRUE(says(scene, "joint 'a_b': the damping 0.5 is dropped, joints have none against their motion"));
  EXPECT_TRUE(says(scene, "joint 'a_b': <mimic> is ignored, the joint moves freely"));
  EXPECT_TRUE(
      says(scene,
           "effort and velocity of <limit> are dropped, joints have no drives yet: add motor with speed or position"));
  EXPECT_TRUE(says(scene, "visual shapes and colours are dropped where there are collision shapes"));
  const Scene parsed = parse_scene(scene.text, "tested.yaml");
  EXPECT_FALSE(parsed.body("a").contact.enabled);
  EXPECT_FALSE(parsed.body("b").contact.enabled);
  EXPECT_TRUE(parsed.body("c").contact.enabled);
  EXPECT_INPUT_ERROR(imported(link("a", "")), "the robot has neither a mass nor a shape");
}

// A part of several shapes: bodies that share its mass evenly about its centre, and touch neither each other nor the next part.
TEST(ImportUrdf, ShapesThatMoveAsOne) {
  const std::string box = collision("<box size='0.1 0.1 0.1'/>");
  const ImportedScene imported_scene = imported(
      link("base", inertial("0 0 0", "2") + box + collision("<sphere radius='0.1'/>", "<origin xyz='0.2 0 0'/>")) +
      link("mast", inertial("0 0 0", "1") + box) + link("tool", "") + link("arm", inertial() + box + box) +
      joint("fixed", "base", "mast", "<origin xyz='0 0 0.3'/>") + joint("fixed", "mast", "tool") +
      joint("continuous", "tool", "arm", "<origin xyz='0 0 0.1'/>"));
  EXPECT_TRUE(says(imported_scene, "link 'tool' has no body of its own: it is a frame of base"));
  EXPECT_TRUE(says(
      imported_scene,
      "bodies base, base_2, mast move as one: each has the same share of mass and inertia, about their common centre"));
  const Scene scene = parse_scene(imported_scene.text, "tested.yaml");
  ASSERT_EQ(scene.bodies.size(), 5U);
  EXPECT_EQ(scene.bodies[1].name, "base_2");
  EXPECT_EQ(scene.bodies[2].name, "mast");
  ASSERT_EQ(scene.joints.size(), 4U);  // two hold the base together, one the arm, one is the arm's own
  EXPECT_EQ(scene.joints[0].type, JointType::fixed);
  EXPECT_EQ(scene.joints[0].bodies, (std::vector<std::string>{"base_2", "base"}));
  EXPECT_EQ(scene.joints[3].bodies, (std::vector<std::string>{"arm", "base"}));
  // mast with base_2; and arm, arm_2 with base, base_2, mast but for the pair of the joint.
  EXPECT_EQ(scene.contact.pairs.size(), 1U + 5U);

  // The sum is the part: 3 kg at 0.1 m, inertia of two balls and their distance.
  const BuiltScene built = build(scene);
  double mass = 0;
  Mat3 inertia = Mat3::Zero();
  for (int r = 0; r < 3; ++r) {
    const RigidBody& rigid = built.model.rigids[r];
    EXPECT_LE((rigid.rest_centre - Vec3(0, 0.1, 0)).norm(), 1e-12);
    mass += rigid.frame.mass;
    inertia += rigid.rest_rotation * rigid.frame.inertia().asDiagonal() * rigid.rest_rotation.transpose();
  }
  EXPECT_NEAR(mass, 3, 1e-12);
  const double across = 0.02 + 2 * 0.1 * 0.1 + 1 * 0.2 * 0.2;
  EXPECT_LE((inertia - Mat3(Vec3(across, 0.02, across).asDiagonal())).norm(), 1e-12);
}

TEST(ImportUrdf, NamesFitTheScene) {
  const ImportedScene scene = imported(link("a.b/c", inertial() + collision("<box size='1 1 1'/>")));
  EXPECT_TRUE(says(scene, "link 'a.b/c' is named a_b_c in the scene"));
  EXPECT_EQ(parse_scene(scene.text, "tested.yaml").bodies[0].name, "a_b_c");
  EXPECT_INPUT_ERROR(imported(link("a.b") + link("a_b") + joint("continuous", "a.b", "a_b")),
                     "tested.urdf:3: two bodies would be named a_b; rename a link");
}

// --- Files ---

class ImportUrdfFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    wanted_.file = folder_ / "robot.urdf";
    wanted_.output = folder_ / "robot.yaml";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& inside) const { std::ofstream(wanted_.file) << "<robot>\n" << inside << "</robot>\n"; }
  [[nodiscard]] int file_count() const {
    const std::filesystem::directory_iterator files(folder_);
    return static_cast<int>(std::distance(begin(files), end(files)));
  }

  std::filesystem::path folder_;
  UrdfImport wanted_;
};

TEST_F(ImportUrdfFile, NothingIsHalfWritten) {
  EXPECT_INPUT_ERROR(import_urdf_file(wanted_), "robot.urdf: there is no such file");
  write("<link name='a'>\n");
  EXPECT_INPUT_ERROR(import_urdf_file(wanted_), "robot.urdf:3: </robot> does not match <link> of line 2");
  EXPECT_EQ(file_count(), 1);
  // Names of joints that become equal: the scene turns out to be impossible.
  write(link("a") + link("b") + link("c") +
        "<joint name='j.1' type='continuous'><parent link='a'/><child link='b'/></joint>"
        "<joint name='j_1' type='continuous'><parent link='a'/><child link='c'/></joint>");
  EXPECT_THROW(import_urdf_file(wanted_), InputError);
  EXPECT_EQ(file_count(), 1);
  write(link("a"));
  wanted_.output = folder_ / "nowhere/robot.yaml";
  EXPECT_THROW(import_urdf_file(wanted_), io::WriteError);
  EXPECT_EQ(file_count(), 1);
  wanted_.output = folder_ / "robot.yaml";
  EXPECT_EQ(import_urdf_file(wanted_).body_count, 1);
  EXPECT_EQ(read_scene(wanted_.output).bodies.size(), 1U);
  EXPECT_INPUT_ERROR(import_urdf_file(wanted_),
                     "robot.yaml: the file exists already; remove it, or name another with -o");
  EXPECT_EQ(file_count(), 2);
}

}  // namespace
}  // namespace pliant::scene
