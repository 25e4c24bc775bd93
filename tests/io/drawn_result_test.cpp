// Quantities of a result: speeds, stretches, contact forces, fields; bounds and thickness.
#include "pliant/io/drawn_result.h"

#include <gtest/gtest.h>

#include "pliant/input_error.h"
#include "pliant/mesh/box_mesh.h"
#include "tests/io/poured_result.h"
#include "tests/io/result_scene.h"

namespace pliant::io {
namespace {

using testing::TemporaryFolder;

// A box, a sheet and a rod that stretch along x with 1 + t, and a rod whose thickness is known.
class DrawnResultOfStretch : public ::testing::Test {
 protected:
  DrawnResultOfStretch() {
    const TetMesh box = make_box({.size = {1, 1, 1}, .cells = {2, 2, 2}});
    TriangleMesh sheet{{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, {{0, 2, 1}}, {}};
    BodyMesh rod = segment_mesh({{0, 0, 0}, {2, 0, 0}}, {0, 1});
    BodyMesh thick = rod;
    thick.radius = {0.01, 0.02};
    bodies_ = {{"box", BodyKind::solid, BodyMotion::vertices, body_mesh(box), {}},
               {"sheet", BodyKind::cloth, BodyMotion::vertices, body_mesh(sheet), {}},
               {"rod", BodyKind::rod, BodyMotion::vertices, rod, {}},
               {"thick", BodyKind::rod, BodyMotion::vertices, thick, {}}};
    ResultWriter writer(folder_.path(), bodies_, {.pliant_version = "test"});
    for (int number = 0; number < 4; ++number) {
      const double time = 0.1 * number;
      std::vector<std::vector<Vec3>> positions;
      Frame frame{time, number, {}, {}};
      for (const BodyDescription& body : bodies_) {
        positions.push_back(body.mesh.rest_positions);
        for (Vec3& x : positions.back()) x[0] *= 1 + time;
      }
      for (const auto& x : positions) frame.bodies.push_back({x, {}, {}});
      const std::vector<Contact> contacts = {{0, -1, Vec3(0.6, 0.5, 0.5), Vec3::UnitY(), Vec3(0, 3, 4)},
                                             {1, 0, Vec3(0.5, 0.5, 0.5), Vec3::UnitY(), Vec3(0, 2, 0)}};
      if (number == 3) frame.contacts = contacts;
      writer.append(frame);
    }
    writer.finish();
  }

  TemporaryFolder folder_;
  std::vector<BodyDescription> bodies_;
};

TEST_F(DrawnResultOfStretch, SpeedsAreDifferencesOfFrames) {
  DrawnResult result(folder_.path());
  for (std::int64_t frame = 0; frame < 4; ++frame) {  // x(t) = X (1 + t): |v| = |X|, at the ends too
    for (int body = 0; body < 3; ++body) {
      const std::vector<double> speed = result.quantity(body, "speed", frame);
      const std::vector<Vec3>& rest = result.drawn(body, 0).mesh().vertices;
      for (std::size_t v = 0; v < speed.size(); ++v) EXPECT_NEAR(speed[v], std::abs(rest[v][0]), 1e-12);
    }
  }
}

TEST_F(DrawnResultOfStretch, StretchIsTheLargestPrincipalOne) {
  DrawnResult result(folder_.path());
  for (int body = 0; body < 3; ++body) {
    for (const double stretch : result.quantity(body, "stretch", 2)) EXPECT_NEAR(stretch, 1.2, 1e-12);
    for (const double stretch : result.quantity(body, "stretch", 0)) EXPECT_NEAR(stretch, 1, 1e-12);
  }
}

TEST_F(DrawnResultOfStretch, ContactForcesGoToTheNearestVertex) {
  DrawnResult result(folder_.path());
  EXPECT_EQ(result.quantities().back().name, "contact_force");
  double sum = 0, largest = 0;
  for (const double force : result.quantity(0, "contact_force", 3)) sum += force, largest = std::max(largest, force);
  EXPECT_NEAR(sum, 7, 1e-12);
  EXPECT_NEAR(largest, 7, 1e-12);  // both next to the vertex at (0.65, 0.5, 0.5)
  for (const double force : result.quantity(0, "contact_force", 0)) EXPECT_EQ(force, 0);
}

TEST_F(DrawnResultOfStretch, BoundsAndThickness) {
  DrawnResult result(folder_.path());
  const Box box = result.bounds();
  EXPECT_NEAR(box.high[0], 2.6, 1e-12);
  EXPECT_NEAR(box.low[1], -0.5, 1e-12);
  EXPECT_EQ(result.radius(3, 0), (std::vector<double>{0.01, 0.02}));
  EXPECT_EQ(result.radius(2, 0).size(), 2U);
  EXPECT_GT(result.radius(2, 0)[0], 0);
  EXPECT_TRUE(result.radius(0, 0).empty());
}

TEST_F(DrawnResultOfStretch, UnknownQuantitiesAreNamed) {
  DrawnResult result(folder_.path());
  try {
    (void)result.quantity(0, "temperature", 0);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("speed, stretch, contact_force"), std::string::npos) << error.what();
  }
}

TEST(DrawnResult, FieldsAreQuantities) {
  const TemporaryFolder folder;
  const auto bodies = testing::small_scene();
  ResultWriter writer(folder.path(), bodies, {.pliant_version = "test"});
  testing::append_frames(writer, bodies, 0, 3);
  writer.finish();
  DrawnResult result(folder.path());
  const std::vector<double> stored = result.reader().field(1, "velocities", 2), speed = result.quantity(1, "speed", 2);
  for (std::size_t v = 0; v < speed.size(); ++v)
    EXPECT_NEAR(speed[v], Vec3(stored[3 * v], stored[3 * v + 1], stored[3 * v + 2]).norm(), 1e-12);
  const std::vector<double> strain = result.quantity(1, "strain", 1);
  ASSERT_EQ(strain.size(), 40U);
  const std::vector<double> cells = result.reader().field(1, "strain", 1);
  EXPECT_NEAR(strain[0], Eigen::Map<const Eigen::VectorXd>(cells.data(), 6).norm(), 1e-12);  // in the first cell only
  EXPECT_TRUE(std::isnan(result.quantity(0, "strain", 1)[0]));
  EXPECT_TRUE(std::isnan(result.quantity(4, "stretch", 1)[0]));
}

TEST(DrawnResult, KnowsWhoIsBorn) {
  const testing::PouredResult poured;
  DrawnResult result(poured.folder / "run");
  EXPECT_EQ(result.presence(0, 0), (std::vector<unsigned char>{1, 0, 0}));
  EXPECT_EQ(result.presence(0, 1), (std::vector<unsigned char>{1, 1, 0}));
  EXPECT_EQ(result.presence(0, 2), (std::vector<unsigned char>{1, 1, 1}));
  // A field of that name means nothing for cloth, and grains without it are all there.
  const TemporaryFolder folder;
  const auto bodies = testing::small_scene();
  ResultWriter writer(folder.path(), bodies, {.pliant_version = "test"});
  testing::append_frames(writer, bodies, 0, 1);
  writer.finish();
  DrawnResult other(folder.path());
  for (const int body : {1, 4}) EXPECT_TRUE(other.presence(body, 0).empty());
}

TEST(BodyColour, NeighboursDiffer) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_GT((body_colour(i) - body_colour(i + 1)).norm(), 0.2);
    EXPECT_TRUE((body_colour(i).array() >= 0).all() && (body_colour(i).array() <= 1).all());
  }
}

TEST(LinearFromSrgb, MatchesTheStandard) {
  // Ends, the joint of the two pieces, and 0.5 (0.21404 by IEC 61966-2-1).
  EXPECT_EQ(linear_from_srgb(Vec3(0, 1, 0)), Vec3(0, 1, 0));
  EXPECT_NEAR(linear_from_srgb(Vec3::Constant(0.5))[0], 0.21404, 5e-6);
  EXPECT_NEAR(linear_from_srgb(Vec3::Constant(0.04045))[0], linear_from_srgb(Vec3::Constant(0.0404501))[0], 1e-6);
}

}  // namespace
}  // namespace pliant::io
