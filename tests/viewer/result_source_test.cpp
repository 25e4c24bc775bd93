// What the page gets of a result: the same numbers as in result.h5, at float precision or within a 16-bit step.
#include "pliant/viewer/result_source.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "pliant/input_error.h"
#include "tests/io/poured_result.h"
#include "tests/viewer/viewed_result.h"

namespace pliant::viewer {
namespace {

using testing::Reading;
using testing::ViewedResult;

TEST(ResultSource, ManifestDescribesTheResult) {
  const ViewedResult viewed;
  ResultSource source(viewed.folder.path());
  const auto json = nlohmann::json::parse(source.manifest_json(true));
  EXPECT_EQ(json["title"], "A <b>box</b>");
  EXPECT_EQ(json["state"], "done");
  EXPECT_EQ(json["interactive"], true);
  EXPECT_EQ(json["times"].size(), 4U);
  EXPECT_EQ(json["camera"]["from"], nlohmann::json({1, 2, 3}));
  EXPECT_EQ(json["camera"]["to"], nullptr);
  EXPECT_EQ(json["camera"]["degrees"], 40);
  EXPECT_EQ(json["bodies"][0]["pinned"], nlohmann::json::array({0}));
  EXPECT_EQ(json["bodies"][0]["revisions"][0]["vertex_count"], 26);
  EXPECT_EQ(json["bodies"][0]["revisions"][0]["cell_count"], 48);
  EXPECT_EQ(json["bodies"][1]["revisions"][0]["shape"], "segment");
  EXPECT_EQ(json["bodies"][0]["colour"].get<std::string>().size(), 7U);
  EXPECT_EQ(json["quantities"].size(), 3U);
  EXPECT_EQ(json["has_contacts"], true);
  EXPECT_NEAR(json["bounds"]["high"][0].get<double>(), 2.6, 1e-12);
}

TEST(ResultSource, FramesHoldTheDrawnVertices) {
  const ViewedResult viewed;
  ResultSource source(viewed.folder.path());
  for (const bool is_quantised : {false, true}) {
    const std::string bytes = source.frame(3, is_quantised);
    Reading in(bytes);
    EXPECT_EQ(in.take<std::uint32_t>(), 0x31464c50U);
    EXPECT_EQ(in.take<std::uint32_t>(), 3U);
    EXPECT_NEAR(in.take<double>(), 0.3, 1e-15);
    ASSERT_EQ(in.take<std::uint32_t>(), 2U);
    EXPECT_EQ(in.take<std::uint32_t>(), is_quantised ? 1U : 0U);
    for (int body = 0; body < 2; ++body) {
      const std::vector<Vec3> expected = source.result().vertices(body, 3);
      EXPECT_EQ(in.take<std::uint32_t>(), 0U);
      ASSERT_EQ(in.take<std::uint32_t>(), expected.size());
      Vec3 low = Vec3::Zero(), step = Vec3::Zero();
      if (is_quantised) {
        for (double& x : low) x = in.take<float>();
        for (double& x : step) x = in.take<float>();
      }
      for (const Vec3& x : expected) {
        for (int c = 0; c < 3; ++c) {
          const double got = is_quantised ? low[c] + step[c] * in.take<std::uint16_t>() : in.take<float>();
          EXPECT_NEAR(got, x[c], is_quantised ? 0.5 * step[c] + 1e-6 : 1e-7);
        }
      }
      if (is_quantised && expected.size() % 2 == 1) (void)in.take<std::uint16_t>();
    }
    EXPECT_TRUE(in.is_at_end());
  }
}

// Meshes of the page keep their size: grains that are not born are where the first one is, with its speed.
TEST(ResultSource, UnbornGrainsHideInAnother) {
  const io::testing::PouredResult poured;
  ResultSource source(poured.folder / "run");
  for (int frame = 0; frame < poured.kFrames; ++frame) {
    const std::string bytes = source.frame(frame, false), speeds = source.quantity(frame, "speed");
    Reading in(bytes), values(speeds);
    for (int i = 0; i < 2; ++i) (void)in.take<std::uint32_t>();
    (void)in.take<double>();
    for (int i = 0; i < 3; ++i) (void)in.take<std::uint32_t>();
    ASSERT_EQ(in.take<std::uint32_t>(), 3U);
    for (int i = 0; i < 3; ++i) (void)values.take<std::uint32_t>();
    ASSERT_EQ(values.take<std::uint32_t>(), 3U);
    for (int v = 0; v < 3; ++v) {
      const int shown = v <= frame ? v : 0;
      for (int c = 0; c < 3; ++c)
        EXPECT_EQ(in.take<float>(), static_cast<float>(poured.at(frame)[static_cast<std::size_t>(shown)][c]));
      EXPECT_NEAR(values.take<float>(), shown == 0 ? 4 : 0, 1e-6);  // a metre in a quarter of a second
    }
  }
}

TEST(ResultSource, MeshesQuantitiesAndContacts) {
  const ViewedResult viewed;
  ResultSource source(viewed.folder.path());
  const std::string mesh = source.mesh(1, 0);
  Reading in(mesh);
  const std::uint32_t header[] = {0x314d4c50, 2, 1, 2, 1, 0, 1};  // magic, counts, corners, has radius, the segment
  for (const std::uint32_t expected : header) EXPECT_EQ(in.take<std::uint32_t>(), expected);
  EXPECT_EQ(in.take<std::int32_t>(), 0);
  EXPECT_EQ(in.take<std::int32_t>(), 1);
  EXPECT_EQ(in.take<float>(), 0.01f);
  EXPECT_EQ(in.take<float>(), 0.02f);
  EXPECT_TRUE(in.is_at_end());

  const std::string speeds = source.quantity(1, "speed");
  Reading values(speeds);
  for (const std::uint32_t expected : {0x31514c50U, 1U, 2U, 26U}) EXPECT_EQ(values.take<std::uint32_t>(), expected);
  for (const double speed : source.result().quantity(0, "speed", 1)) EXPECT_NEAR(values.take<float>(), speed, 1e-6);

  const std::string touching = source.contacts(1);
  Reading contacts(touching);
  EXPECT_EQ(contacts.take<std::uint32_t>(), 0x31434c50U);
  EXPECT_EQ(contacts.take<std::uint32_t>(), 1U);
  for (const float expected : {0.5f, 0.5f, 0.5f, 0.f, 1.f, 0.f, 0.f, 3.f, 4.f})
    EXPECT_EQ(contacts.take<float>(), expected);
  EXPECT_EQ(contacts.take<std::int32_t>(), 0);
  EXPECT_EQ(contacts.take<std::int32_t>(), 1);
  EXPECT_TRUE(contacts.is_at_end());
}

TEST(ResultSource, AVertexIsToldInFullPrecision) {
  const ViewedResult viewed;
  ResultSource source(viewed.folder.path());
  const auto json = nlohmann::json::parse(source.vertex_json(2, 0, 5));
  const int vertex = json["source_vertex"];
  const Vec3 expected = source.result().reader().positions(0, 2)[static_cast<std::size_t>(vertex)];
  for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(json["position"][c].get<double>(), expected[static_cast<int>(c)]);
  EXPECT_NEAR(json["speed"].get<double>(), std::abs(viewed.bodies[0].mesh.rest_positions[vertex][0]), 1e-12);
}

TEST(ResultSource, ProbesWithoutNumbersAreNull) {
  const ViewedResult viewed;
  const auto json = nlohmann::json::parse(ResultSource(viewed.folder.path()).probes_json());
  EXPECT_EQ(json["columns"], nlohmann::json({"tip.x", "energy.total"}));
  EXPECT_EQ(json["rows"][2][0], 2.0);
  EXPECT_EQ(json["rows"][2][1], nullptr);
}

TEST(ResultSource, SeesARunThatGoesOn) {
  const ViewedResult viewed;
  io::testing::TemporaryFolder folder;
  io::ResultWriter writer(folder.path(), viewed.bodies, {.pliant_version = "test"});
  viewed.append(writer, 0);
  ResultSource source(folder.path());
  EXPECT_EQ(source.state(), "running");
  EXPECT_EQ(source.result().frame_count(), 1);
  viewed.append(writer, 1);
  EXPECT_EQ(source.result().frame_count(), 1);
  source.refresh();
  EXPECT_EQ(source.result().frame_count(), 2);
}

TEST(ResultSource, AKilledRunIsUnfinishedAndNoFolderIsAnError) {
  const ViewedResult viewed;
  std::filesystem::remove(viewed.folder / "summary.json");
  std::filesystem::remove(viewed.folder / "scene.yaml");
  ResultSource source(viewed.folder.path());
  EXPECT_EQ(source.state(), "unfinished");
  EXPECT_NO_THROW((void)source.manifest_json(false));
  EXPECT_THROW((void)source.summary_text(), InputError);
  EXPECT_THROW(ResultSource(viewed.folder / "nowhere"), InputError);
}

}  // namespace
}  // namespace pliant::viewer
