// The types of a result: poses, meshes as cells, which revision shows a frame, words of the format.
#include "pliant/io/result_file_types.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

namespace pliant::io {
namespace {

TEST(ResultFileTypes, PoseIsRotationThenTranslation) {
  const Eigen::Quaterniond turn = Eigen::Quaterniond(0.3, -0.5, 0.2, 0.8).normalized();
  const Pose pose{Vec3(1, 2, 3), Vec4(turn.w(), turn.x(), turn.y(), turn.z())};
  const Vec3 point(0.4, -0.6, 0.9);
  EXPECT_LT((pose.apply(point) - (turn.toRotationMatrix() * point + Vec3(1, 2, 3))).norm(), 1e-15);
  EXPECT_EQ(Pose().apply(point), point);
}

TEST(ResultFileTypes, MeshesBecomeRowsOfCorners) {
  const TetMesh tets{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}, {{0, 1, 2, 3}, {1, 4, 2, 3}}};
  const BodyMesh solid = body_mesh(tets);
  EXPECT_EQ(solid.cells, (std::vector<int>{0, 1, 2, 3, 1, 4, 2, 3}));
  EXPECT_EQ(solid.cell_count(), 2u);
  const TriangleMesh sheet{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{2, 0, 1}}, {{0, 0}, {1, 0}, {0, 1}}};
  EXPECT_EQ(body_mesh(sheet).cells, (std::vector<int>{2, 0, 1}));
  EXPECT_EQ(body_mesh(sheet).texture.size(), 3u);
  EXPECT_EQ(point_mesh(sheet.vertices).cells, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(segment_mesh(sheet.vertices, {0, 1, 1, 2}).cell_count(), 2u);
}

TEST(ResultFileTypes, TheLastRevisionThatHasBegunShowsAFrame) {
  BodyOutline body;
  body.revisions.resize(4);
  body.revisions[1].first_frame = 3;
  body.revisions[2].first_frame = 5;  // replaced before it had a frame
  body.revisions[3].first_frame = 5;
  EXPECT_EQ(body.revision_at(0), 0);
  EXPECT_EQ(body.revision_at(2), 0);
  EXPECT_EQ(body.revision_at(3), 1);
  EXPECT_EQ(body.revision_at(5), 3);
  EXPECT_EQ(body.revision_at(100), 3);
}

TEST(ResultFileTypes, WordsReadBack) {
  for (const BodyKind kind : {BodyKind::solid, BodyKind::cloth, BodyKind::rod, BodyKind::springs, BodyKind::rigid,
                              BodyKind::particles, BodyKind::obstacle})
    EXPECT_EQ(body_kind_from(name_of(kind)), kind);
  for (const CellShape shape : {CellShape::point, CellShape::segment, CellShape::triangle, CellShape::tetrahedron})
    EXPECT_EQ(cell_shape_from(name_of(shape)), shape);
  EXPECT_FALSE(body_kind_from("jelly"));
  EXPECT_FALSE(cell_shape_from(""));
}

}  // namespace
}  // namespace pliant::io
