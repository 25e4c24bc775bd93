// The layout of unknowns: ranges of bodies, kinds, lengths, and whose block is whose.
#include "pliant/configuration/dof_layout.h"

#include <gtest/gtest.h>

#include "pliant/assert.h"

namespace pliant {
namespace {

TEST(DofLayout, BodiesAreContiguousRanges) {
  DofLayout layout;
  EXPECT_EQ(layout.block_count(), 0);
  EXPECT_EQ(layout.add_body("bar", 3), 0);
  EXPECT_EQ(layout.add_body("top", 1, BlockKind::rod_twist, 0.25), 3);
  EXPECT_EQ(layout.add_body("ball", 2), 4);
  EXPECT_EQ(layout.block_count(), 6);
  EXPECT_EQ(layout.body_count(), 3);
  EXPECT_EQ(layout.body_name(2), "ball");
  EXPECT_EQ(layout.first_block(2), 4);
  EXPECT_EQ(layout.body_block_count(0), 3);
  EXPECT_EQ(layout.kind(2), BlockKind::point);
  EXPECT_EQ(layout.kind(3), BlockKind::rod_twist);
  EXPECT_EQ(layout.length(2), 1);
  EXPECT_EQ(layout.length(3), 0.25);
}

TEST(DofLayout, LocateInvertsTheRanges) {
  DofLayout layout;
  for (const int count : {2, 1, 4}) layout.add_body("body", count);
  for (int body = 0; body < layout.body_count(); ++body) {
    for (int index = 0; index < layout.body_block_count(body); ++index) {
      const BlockPlace place = layout.locate(layout.first_block(body) + index);
      EXPECT_EQ(place.body, body);
      EXPECT_EQ(place.index, index);
    }
  }
}

TEST(DofLayout, LocateRefusesForeignBlocks) {
  DofLayout layout;
  layout.add_body("bar", 3);
  EXPECT_THROW((void)layout.locate(3), InternalError);
  EXPECT_THROW((void)layout.locate(-1), InternalError);
}

TEST(DofLayout, RigidBodiesHaveACentreAndThreeAxes) {
  DofLayout layout;
  layout.add_body("sheet", 5);
  const double extents[3] = {0.8, 0.6, 0.01};
  const int first = layout.add_rigid_body("box", extents);
  EXPECT_EQ(first, 5);
  EXPECT_EQ(layout.block_count(), 9);
  EXPECT_EQ(layout.body_block_count(1), 4);
  EXPECT_EQ(layout.kind(5), BlockKind::point);
  EXPECT_EQ(layout.length(5), 1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(layout.kind(6 + i), BlockKind::rigid_axis);
    EXPECT_EQ(layout.length(6 + i), extents[i]);
    EXPECT_EQ(layout.locate(6 + i).body, 1);
  }
}

}  // namespace
}  // namespace pliant
