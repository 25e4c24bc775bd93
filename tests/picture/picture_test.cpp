#include "pliant/picture/picture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pliant/input_error.h"
#include "pliant/parallel/parallel.h"
#include "tests/io/poured_result.h"
#include "tests/picture/small_result.h"

namespace pliant::picture {
namespace {

class PictureOfSmallResult : public ::testing::Test {
 protected:
  PictureOfSmallResult() {
    testing::write_small_result(folder_.path());
    result_.emplace(folder_.path());
    options_.width = 120;
    options_.height = 80;
    options_.samples = 4;
  }
  ~PictureOfSmallResult() override { set_thread_count(0); }

  io::testing::TemporaryFolder folder_;
  std::optional<io::DrawnResult> result_;
  PictureOptions options_;
};

TEST_F(PictureOfSmallResult, HasTheSameBitsForAnyNumberOfThreads) {
  options_.quantity = "speed";
  options_.wireframe = true;
  std::vector<Image> images;
  for (const int threads : {1, 2, 3}) {
    set_thread_count(threads);
    images.push_back(PictureMaker(*result_, options_).frame(1));
  }
  EXPECT_EQ(images[0].rgb, images[1].rgb);
  EXPECT_EQ(images[0].rgb, images[2].rgb);
}

TEST_F(PictureOfSmallResult, CameraShowsTheWholeMotionAndGroundIsBelowIt) {
  PictureMaker maker(*result_, options_);
  for (int frame = 0; frame < 3; ++frame) {
    for (const Shape& shape : maker.shapes(frame)) {
      for (std::size_t v = 0; v < shape.vertices.size(); ++v) {
        const Vec3 point = shape.vertices[v].cast<double>() + maker.look().origin;
        const double radius = shape.radius.empty() ? 0 : shape.radius[v];
        const Vec3 seen = maker.camera().project(point);
        const double margin = 2 + radius / seen[2] / maker.camera().pixel_size();
        EXPECT_GT(seen[0], margin);
        EXPECT_LT(seen[0], options_.width - margin);
        EXPECT_GT(seen[1], margin);
        EXPECT_LT(seen[1], options_.height - margin);
        EXPECT_GE(point[1] - radius, *maker.look().ground);
      }
    }
  }
  EXPECT_NEAR(*maker.look().ground, 0, 0.01);  // the box stands there
}

TEST_F(PictureOfSmallResult, QuantityIsPlacedInTheRangeOfTheMotion) {
  options_.quantity = "heat";
  PictureMaker maker(*result_, options_);
  EXPECT_EQ(maker.range(), (std::array<double, 2>{0, 2}));
  const std::vector<Shape> shapes = maker.shapes(1);
  for (const float value : shapes[0].value) EXPECT_EQ(value, 0.5F);
  for (const float value : shapes[1].value) EXPECT_TRUE(std::isnan(value));  // the rod has no heat
  options_.range = {{0, 10}};
  EXPECT_NEAR(PictureMaker(*result_, options_).shapes(1)[0].value[0], 0.1F, 1e-6F);
}

TEST_F(PictureOfSmallResult, BodiesHaveTheirKindAndColour) {
  PictureMaker maker(*result_, options_);
  const std::vector<Shape> shapes = maker.shapes(0);
  ASSERT_EQ(shapes.size(), 4U);
  EXPECT_EQ(shapes[0].kind, ShapeKind::triangles);
  EXPECT_EQ(shapes[1].kind, ShapeKind::tubes);
  EXPECT_EQ(shapes[2].kind, ShapeKind::balls);
  EXPECT_EQ(shapes[1].radius, (std::vector<float>{0.2F, 0.15F, 0.1F}));
  for (int b = 0; b < 4; ++b) {
    const Vec3 expected = io::body_colour(b).unaryExpr([](double x) { return linear_from_srgb(x); });
    EXPECT_LT((shapes[static_cast<std::size_t>(b)].colour.cast<double>() - expected).norm(), 1e-6);
  }
}

TEST_F(PictureOfSmallResult, UnbornGrainsAreNotDrawn) {
  const io::testing::PouredResult poured;
  io::DrawnResult result(poured.folder / "run");
  options_.quantity = "speed";
  PictureMaker maker(result, options_);
  for (int frame = 0; frame < poured.kFrames; ++frame) {
    const std::vector<Shape> shapes = maker.shapes(frame);
    ASSERT_EQ(shapes.size(), 1U);
    const std::size_t born = static_cast<std::size_t>(frame) + 1;
    ASSERT_EQ(shapes[0].vertices.size(), born);
    ASSERT_EQ(shapes[0].radius.size(), born);
    ASSERT_EQ(shapes[0].value.size(), born);
    for (std::size_t v = 0; v < born; ++v) {
      EXPECT_EQ(shapes[0].radius[v], static_cast<float>(poured.radii[v]));
      const Vec3 drawn = shapes[0].vertices[v].cast<double>() + maker.look().origin;
      EXPECT_LT((drawn - poured.at(frame)[v]).norm(), 1e-5);
    }
  }
}

TEST_F(PictureOfSmallResult, ShowsTheBallWhereItIs) {
  options_.has_ground = false;
  PictureMaker maker(*result_, options_);
  // Reddish where the ball's middle is in frame 0, and not any more in frame 2, two ball radii lower.
  const Vec3 seen = maker.camera().project(Vec3(0, 4, 0));
  const int x = static_cast<int>(seen[0]), y = static_cast<int>(seen[1]) - 2;
  const Rgb8 there = maker.frame(0).at(x, y), gone = maker.frame(2).at(x, y);
  EXPECT_GT(there[0], there[2] + 40);
  EXPECT_LT(std::abs(gone[0] - gone[2]), 30);
}

TEST_F(PictureOfSmallResult, LinesDarkenTheMesh) {
  options_.has_ground = false;
  const Image plain = PictureMaker(*result_, options_).frame(0);
  options_.wireframe = true;
  const Image lined = PictureMaker(*result_, options_).frame(0);
  int darker = 0;
  for (std::size_t i = 0; i < plain.rgb.size(); ++i) {
    EXPECT_LE(lined.rgb[i], plain.rgb[i]);
    darker += lined.rgb[i] + 20 < plain.rgb[i] ? 1 : 0;
  }
  EXPECT_GT(darker, 100);
}

TEST_F(PictureOfSmallResult, WhatCannotBeShownIsExplained) {
  const auto refused = [&](const auto& change) {
    PictureOptions options = options_;
    change(options);
    EXPECT_THROW(PictureMaker(*result_, options), InputError);
  };
  refused([](PictureOptions& o) { o.quantity = "temperature"; });
  refused([](PictureOptions& o) { o.width = 0; });
  refused([](PictureOptions& o) { o.samples = 0; });
  refused([](PictureOptions& o) { o.range = {{2, 1}}; });
  refused([](PictureOptions& o) { o.camera.degrees = 0; });
  PictureMaker maker(*result_, options_);
  EXPECT_THROW((void)maker.frame(3), InputError);
  EXPECT_THROW((void)maker.frame(-1), InputError);
}

}  // namespace
}  // namespace pliant::picture
