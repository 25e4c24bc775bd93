#include "pliant/picture/picture.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/input_error.h"
#include "pliant/parallel/parallel.h"
#include "pliant/picture/colour_bar.h"

namespace pliant::picture {
namespace {

constexpr int kTile = 16;            // pixels: rays of a tile meet the same things, and there are thousands of tiles
constexpr int kFramesSeen = 12;      // frames looked at for the camera and for the range of a quantity
constexpr int kLargestSide = 16384;  // pixels: 0.8 GB

void check_options(const io::DrawnResult& result, const PictureOptions& options) {
  if (result.frame_count() == 0) throw InputError("the result has no frames to show; let the run go on a little");
  if (options.width < 1 || options.height < 1 || std::max(options.width, options.height) > kLargestSide)
    throw InputError("a picture of " + std::to_string(options.width) + " × " + std::to_string(options.height) +
                     " pixels cannot be made; give sides from 1 to " + std::to_string(kLargestSide));
  if (options.samples < 1)
    throw InputError("a picture needs at least 1 sample per pixel, not " + std::to_string(options.samples));
  if (options.range && !((*options.range)[0] < (*options.range)[1]))
    throw InputError("the range of the colours must grow, from its lower to its upper number");
}

// Frame i of n spread over the motion, first and last included.
std::int64_t spread_frame(std::int64_t i, std::int64_t n, std::int64_t frame_count) {
  return n > 1 ? (frame_count - 1) * i / (n - 1) : 0;
}

// Where the drawn vertices come in a part of the frames, with the thickness of rods and particles.
std::vector<Vec3> motion_points(io::DrawnResult& result) {
  std::vector<Vec3> points;
  const std::int64_t looks = std::min<std::int64_t>(kFramesSeen, result.frame_count());
  for (std::int64_t i = 0; i < looks; ++i) {
    const std::int64_t frame = spread_frame(i, looks, result.frame_count());
    for (int body = 0; body < result.body_count(); ++body) {
      const std::vector<Vec3> vertices = result.vertices(body, frame);
      const std::vector<double>& radius = result.radius(body, result.revision_at(body, frame));
      for (std::size_t v = 0; v < vertices.size(); ++v) {
        if (!vertices[v].allFinite()) continue;
        if (radius.empty()) points.push_back(vertices[v]);
        for (int axis = 0; axis < 3 && !radius.empty(); ++axis) {
          points.emplace_back(vertices[v] + radius[v] * Vec3::Unit(axis));
          points.emplace_back(vertices[v] - radius[v] * Vec3::Unit(axis));
        }
      }
    }
  }
  if (points.empty()) points.emplace_back(Vec3::Zero());  // nothing is drawn: an empty picture
  return points;
}

CameraView view_of(const PictureOptions& options, std::span<const Vec3> points) {
  return fitted_view(options.camera, {.points = points,
                                      .direction = options.direction,
                                      .aspect = static_cast<double>(options.width) / options.height});
}

io::QuantityDescription find_quantity(const io::DrawnResult& result, const std::string& name) {
  std::string known;
  for (const io::QuantityDescription& quantity : result.quantities()) {
    if (quantity.name == name) return quantity;
    known += (known.empty() ? "" : ", ") + quantity.name;
  }
  throw InputError("the result has no quantity '" + name + "'; there are: " + known);
}

// Smallest and largest number over the motion; never empty, so that colours can be told.
std::array<double, 2> range_over_motion(io::DrawnResult& result, const std::string& quantity) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  const std::int64_t looks = std::min<std::int64_t>(kFramesSeen, result.frame_count());
  for (std::int64_t i = 0; i < looks; ++i) {
    const std::int64_t frame = spread_frame(i, looks, result.frame_count());
    for (int body = 0; body < result.body_count(); ++body) {
      for (const double value : result.quantity(body, quantity, frame)) {
        if (!std::isfinite(value)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
      }
    }
  }
  if (!(low <= high)) return {0, 1};
  // Differences of rounding are no range.
  const double smallest = 1e-9 * std::max(std::abs(low), std::abs(high));
  if (high - low <= smallest)
    return {low - (low == 0 ? 0.0 : 0.5 * std::abs(low)), high + (high == 0 ? 1.0 : 0.5 * std::abs(high))};
  return {low, high};
}

Vec3f linear_body_colour(int body) {
  return io::body_colour(body).unaryExpr([](double x) { return linear_from_srgb(x); }).cast<float>();
}

// Of balls, those that are there; is_there may be empty: all of them.
void keep_present(const std::vector<unsigned char>& is_there, Shape& shape) {
  if (is_there.empty()) return;
  std::size_t kept = 0;
  for (std::size_t v = 0; v < is_there.size(); ++v) {
    if (is_there[v] == 0) continue;
    shape.vertices[kept] = shape.vertices[v];
    shape.radius[kept] = shape.radius[v];
    if (!shape.value.empty()) shape.value[kept] = shape.value[v];
    ++kept;
  }
  shape.vertices.resize(kept);
  shape.radius.resize(kept);
  if (!shape.value.empty()) shape.value.resize(kept);
}

}  // namespace

PictureMaker::PictureMaker(io::DrawnResult& result, PictureOptions options)
    : PictureMaker(result, (check_options(result, options), std::move(options)), motion_points(result)) {}

PictureMaker::PictureMaker(io::DrawnResult& result, PictureOptions options, const std::vector<Vec3>& points)
    : result_(result),
      options_(std::move(options)),
      camera_(view_of(options_, points), options_.width, options_.height) {
  const io::Box bounds = bounds_of(points);
  look_.origin = (bounds.low + bounds.high) / 2;
  look_.size = (bounds.high - bounds.low).norm();
  if (!(look_.size > 0)) look_.size = 1;
  look_.up = options_.camera.up.normalized();
  look_.lines = options_.wireframe ? MeshLines::shown : MeshLines::hidden;
  look_.samples = options_.samples;
  if (options_.has_ground) {
    double lowest = std::numeric_limits<double>::infinity();
    for (const Vec3& point : points) lowest = std::min(lowest, point.dot(look_.up));
    // A hair below the lowest point: surfaces that lie on the ground must not flicker with it.
    look_.ground = options_.ground.value_or(lowest) - 1e-4 * look_.size;
  }
  if (!options_.quantity.empty()) {
    quantity_ = find_quantity(result, options_.quantity);
    range_ = options_.range ? *options_.range : range_over_motion(result, options_.quantity);
  }
}

Shape PictureMaker::triangle_shape(int body, int revision, const std::vector<Vec3>& vertices) {
  const TriangleMesh& rest = result_.drawn(body, revision).mesh();
  const auto key = std::pair(body, revision);
  auto found = normals_.find(key);
  if (found == normals_.end()) found = normals_.emplace(key, SmoothNormals(rest)).first;
  Shape shape;
  shape.kind = ShapeKind::triangles;
  shape.triangles = rest.triangles;
  shape.corner_normals = found->second.corner_normals();
  for (const Vec3& normal : found->second.normals(vertices, rest.triangles))
    shape.normals.push_back(normal.cast<float>());
  return shape;
}

std::vector<Shape> PictureMaker::shapes(std::int64_t frame) {
  std::vector<Shape> shapes;
  for (int body = 0; body < result_.body_count(); ++body) {
    const int revision = result_.revision_at(body, frame);
    const std::vector<Vec3> vertices = result_.vertices(body, frame);
    const io::DrawnMesh& drawn = result_.drawn(body, revision);
    Shape shape;
    if (drawn.shape() == io::CellShape::triangle) {
      shape = triangle_shape(body, revision, vertices);
    } else {
      shape.kind = drawn.shape() == io::CellShape::segment ? ShapeKind::tubes : ShapeKind::balls;
      if (shape.kind == ShapeKind::tubes) shape.segments = drawn.cells();
      for (const double radius : result_.radius(body, revision)) shape.radius.push_back(static_cast<float>(radius));
    }
    for (const Vec3& x : vertices) shape.vertices.push_back((x - look_.origin).cast<float>());
    shape.colour = linear_body_colour(body);
    if (!options_.quantity.empty()) {
      for (const double value : result_.quantity(body, options_.quantity, frame))
        shape.value.push_back(static_cast<float>((value - range_[0]) / (range_[1] - range_[0])));
    }
    keep_present(result_.presence(body, frame), shape);
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

Image PictureMaker::frame(std::int64_t frame) {
  if (frame < 0 || frame >= result_.frame_count())
    throw InputError("the result has no frame " + std::to_string(frame) + "; its frames are 0 to " +
                     std::to_string(result_.frame_count() - 1));
  const std::vector<Shape> drawn = shapes(frame);
  const Tracer tracer(drawn);
  const Shader shader(tracer, drawn, camera_, look_);
  Image image = traced_image(shader, options_.width, options_.height);
  if (!options_.quantity.empty()) draw_colour_bar(image, quantity_, range_);
  return image;
}

Image traced_image(const Shader& shader, int width, int height) {
  Image image(width, height);
  const int tile_columns = (width + kTile - 1) / kTile, tile_rows = (height + kTile - 1) / kTile;
  parallel_for(tile_columns * tile_rows, 1, [&](int begin, int end) {
    for (int tile = begin; tile < end; ++tile) {
      const int left = tile % tile_columns * kTile, top = tile / tile_columns * kTile;
      for (int y = top; y < std::min(top + kTile, height); ++y)
        for (int x = left; x < std::min(left + kTile, width); ++x) image.set(x, y, tone_mapped(shader.pixel(x, y)));
    }
  });
  return image;
}

}  // namespace pliant::picture
