#include "pliant/io/glb.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "pliant/assert.h"
#include "pliant/input_error.h"
#include "pliant/io/atomic_file.h"
#include "pliant/io/usda.h"

namespace pliant::io {
namespace {

static_assert(std::endian::native == std::endian::little, "glTF buffers are written as they are in memory");

using Json = nlohmann::json;
using Vec3f = Eigen::Vector3f;
static_assert(sizeof(Vec3f) == 12);

// Numbers of the glTF specification.
enum class GlbComponent { uint32 = 5125, float32 = 5126 };
enum class GlbTarget { none = 0, vertices = 34962, indices = 34963 };
enum class GlbMode { points = 0, triangles = 4 };

// --- shapes: what stands for a body's drawn vertices ---

struct GlbGeometry {
  std::vector<Vec3f> positions;  // m
  std::vector<Vec3f> normals;    // unit; empty for points
};

Vec3f unit_or_up(const Vec3& direction) {
  const double length = direction.norm();
  return length > 0 ? Vec3f((direction / length).cast<float>()) : Vec3f(0, 1, 0);  // glTF allows no normal of length 0
}

// Any unit vector across `direction`.
Vec3 across(const Vec3& direction) {
  int axis = 0;
  direction.cwiseAbs().minCoeff(&axis);
  return direction.cross(Vec3::Unit(axis)).normalized();
}

class GlbShape {
 public:
  virtual ~GlbShape() = default;
  [[nodiscard]] virtual GlbGeometry geometry(std::span<const Vec3> drawn) = 0;
  // Before going through the frames once more: forgets what it remembers of earlier ones.
  virtual void start_over() {}

  std::vector<std::uint32_t> indices;
  GlbMode mode = GlbMode::triangles;
  bool turns = true;  // normals change from frame to frame
};

// Triangles with normals weighted by area.
class GlbSurface final : public GlbShape {
 public:
  explicit GlbSurface(const DrawnMesh& drawn) { indices.assign(drawn.cells().begin(), drawn.cells().end()); }

  GlbGeometry geometry(std::span<const Vec3> drawn) override {
    std::vector<Vec3> normals(drawn.size(), Vec3::Zero());
    for (std::size_t i = 0; i < indices.size(); i += 3) {
      const Vec3& x = drawn[indices[i]];
      const Vec3 area = (drawn[indices[i + 1]] - x).cross(drawn[indices[i + 2]] - x);
      for (std::size_t c = 0; c < 3; ++c) normals[indices[i + c]] += area;
    }
    GlbGeometry result;
    for (const Vec3& x : drawn) result.positions.emplace_back(x.cast<float>());
    for (const Vec3& n : normals) result.normals.push_back(unit_or_up(n));
    return result;
  }
};

// Rings of eight vertices around each vertex of a curve, joined and closed at the ends. The first ring keeps its
// direction from frame to frame, and each ring takes it over from the one before without twisting about the curve, so
// that mixing two frames does not pinch the tube.
class GlbTubes final : public GlbShape {
 public:
  GlbTubes(const DrawnMesh& drawn, std::vector<double> radius)
      : curves_(curves_of_segments(drawn.cells())), radius_(std::move(radius)) {
    std::uint32_t ring = 0;  // first vertex of a ring
    for (const std::vector<int>& curve : curves_) {
      const std::uint32_t last = ring + kSides * static_cast<std::uint32_t>(curve.size() - 1);
      for (std::uint32_t s = 1; s + 1 < kSides; ++s) {
        indices.insert(indices.end(), {ring, ring + s + 1, ring + s});
        indices.insert(indices.end(), {last, last + s, last + s + 1});
      }
      for (; ring < last; ring += kSides) {
        for (std::uint32_t s = 0; s < kSides; ++s) {
          const std::uint32_t a = ring + s, b = ring + (s + 1) % kSides;
          indices.insert(indices.end(), {a, b, b + kSides, a, b + kSides, a + kSides});
        }
      }
      ring += kSides;
    }
    start_over();
  }

  void start_over() override { first_normal_.assign(curves_.size(), Vec3::Zero()); }

  GlbGeometry geometry(std::span<const Vec3> drawn) override {
    GlbGeometry result;
    for (std::size_t c = 0; c < curves_.size(); ++c) add_tube(drawn, curves_[c], first_normal_[c], result);
    return result;
  }

 private:
  static constexpr std::uint32_t kSides = 8;

  void add_tube(std::span<const Vec3> drawn, const std::vector<int>& curve, Vec3& first_normal, GlbGeometry& out) {
    const std::size_t last = curve.size() - 1;
    const bool is_closed = last > 1 && curve.front() == curve.back();
    const auto point = [&](std::size_t i) -> const Vec3& { return drawn[static_cast<std::size_t>(curve[i])]; };
    Vec3 tangent = Vec3::UnitX(), normal = first_normal;
    for (std::size_t i = 0; i <= last; ++i) {
      const std::size_t before = i > 0 ? i - 1 : (is_closed ? last - 1 : 0);
      const std::size_t after = i < last ? i + 1 : (is_closed ? 1 : last);
      const Vec3 along = point(after) - point(before);
      const Vec3 next = along.norm() > 0 ? Vec3(along.normalized()) : tangent;
      // The smallest rotation that takes one tangent to the next; the reverse direction has no single one.
      const double cosine = tangent.dot(next);
      if (i > 0 && cosine > -0.999) normal -= next.dot(normal) / (1 + cosine) * (tangent + next);
      normal -= next.dot(normal) * next;
      normal = normal.norm() > 1e-6 ? Vec3(normal.normalized()) : across(next);
      tangent = next;
      if (i == 0) first_normal = normal;
      add_ring(point(i), normal, tangent.cross(normal), radius_[static_cast<std::size_t>(curve[i])], out);
    }
  }

  static void add_ring(const Vec3& centre, const Vec3& normal, const Vec3& binormal, double radius, GlbGeometry& out) {
    for (std::uint32_t s = 0; s < kSides; ++s) {
      const double angle = 2 * std::numbers::pi * s / kSides;
      const Vec3 outwards = std::cos(angle) * normal + std::sin(angle) * binormal;
      out.positions.emplace_back((centre + radius * outwards).cast<float>());
      out.normals.push_back(unit_or_up(outwards));
    }
  }

  std::vector<std::vector<int>> curves_;
  std::vector<double> radius_;
  std::vector<Vec3> first_normal_;  // per curve, in the last frame; zero before the first
};

// An icosahedron whose edges are split once, for every particle.
class GlbSpheres final : public GlbShape {
 public:
  explicit GlbSpheres(std::vector<double> radius) : radius_(std::move(radius)) {
    turns = false;
    const std::vector<Vec3i> faces = split_edges(icosahedron());
    const auto corners = static_cast<std::uint32_t>(unit_.size());
    for (std::uint32_t particle = 0; particle < radius_.size(); ++particle)
      for (const Vec3i& face : faces)
        for (const int corner : face) indices.push_back(particle * corners + static_cast<std::uint32_t>(corner));
  }

  GlbGeometry geometry(std::span<const Vec3> drawn) override {
    GlbGeometry result;
    for (std::size_t particle = 0; particle < drawn.size(); ++particle) {
      for (const Vec3& direction : unit_) {
        result.positions.emplace_back((drawn[particle] + radius_[particle] * direction).cast<float>());
        result.normals.emplace_back(direction.cast<float>());
      }
    }
    return result;
  }

 private:
  // Corners (0, ±1, ±φ) and their cyclic turns; faces are the triples of neighbours, 2 apart.
  std::vector<Vec3i> icosahedron() {
    constexpr double kPhi = std::numbers::phi;
    for (int axis = 0; axis < 3; ++axis) {
      for (const double a : {-1.0, 1.0}) {
        for (const double b : {-kPhi, kPhi}) {
          Vec3 corner = Vec3::Zero();
          corner[(axis + 1) % 3] = a;
          corner[(axis + 2) % 3] = b;
          unit_.push_back(corner.normalized());
        }
      }
    }
    const double edge = 2 / std::sqrt(1 + kPhi * kPhi);
    const auto touch = [&](int a, int b) {
      return std::abs((unit_[static_cast<std::size_t>(a)] - unit_[static_cast<std::size_t>(b)]).norm() - edge) < 1e-9;
    };
    std::vector<Vec3i> faces;
    for (int a = 0; a < 12; ++a)
      for (int b = a + 1; b < 12; ++b)
        for (int c = b + 1; c < 12; ++c)
          if (touch(a, b) && touch(b, c) && touch(c, a)) faces.push_back(outwards(a, b, c));
    return faces;
  }

  [[nodiscard]] Vec3i outwards(int a, int b, int c) const {
    const Vec3 &x = unit_[static_cast<std::size_t>(a)], &y = unit_[static_cast<std::size_t>(b)],
               &z = unit_[static_cast<std::size_t>(c)];
    return x.dot((y - x).cross(z - x)) > 0 ? Vec3i(a, b, c) : Vec3i(a, c, b);
  }

  std::vector<Vec3i> split_edges(const std::vector<Vec3i>& faces) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
      const auto [found, is_new] = middles.try_emplace(std::minmax(a, b), static_cast<int>(unit_.size()));
      if (is_new)
        unit_.push_back((unit_[static_cast<std::size_t>(a)] + unit_[static_cast<std::size_t>(b)]).normalized());
      return found->second;
    };
    std::vector<Vec3i> result;
    for (const Vec3i& f : faces) {
      const int ab = middle(f[0], f[1]), bc = middle(f[1], f[2]), ca = middle(f[2], f[0]);
      for (const Vec3i& part : {Vec3i(f[0], ab, ca), Vec3i(f[1], bc, ab), Vec3i(f[2], ca, bc), Vec3i(ab, bc, ca)})
        result.push_back(part);
    }
    return result;
  }

  std::vector<Vec3> unit_;
  std::vector<double> radius_;
};

class GlbPoints final : public GlbShape {
 public:
  explicit GlbPoints(std::size_t count) {
    mode = GlbMode::points;
    turns = false;
    for (std::uint32_t i = 0; i < count; ++i) indices.push_back(i);
  }
  GlbGeometry geometry(std::span<const Vec3> drawn) override {
    GlbGeometry result;
    for (const Vec3& x : drawn) result.positions.emplace_back(x.cast<float>());
    return result;
  }
};

std::unique_ptr<GlbShape> make_glb_shape(const DrawnMesh& drawn, const std::vector<double>& radius, int sphere_limit) {
  if (drawn.shape() == CellShape::triangle) return std::make_unique<GlbSurface>(drawn);
  if (drawn.shape() == CellShape::segment) return std::make_unique<GlbTubes>(drawn, radius);
  if (drawn.vertex_count() <= sphere_limit) return std::make_unique<GlbSpheres>(radius);
  return std::make_unique<GlbPoints>(static_cast<std::size_t>(drawn.vertex_count()));
}

// --- the document ---

struct GlbBounds {
  Vec3f low = Vec3f::Constant(std::numeric_limits<float>::max());
  Vec3f high = Vec3f::Constant(std::numeric_limits<float>::lowest());
};

GlbBounds bounds_of(std::span<const Vec3f> points) {
  GlbBounds bounds;
  for (const Vec3f& x : points) bounds = {bounds.low.cwiseMin(x), bounds.high.cwiseMax(x)};
  return bounds;
}

// One body with one mesh, and the frames it is shown in.
struct GlbPart {
  int body = 0, revision = 0;
  std::int64_t first = 0, end = 0;
  bool is_posed = false;
  std::vector<std::int64_t> frames;  // deforming: those kept; posed: all that have a time of their own
  std::unique_ptr<GlbShape> shape;
  GlbGeometry start;                   // in frames[0], or in the body's own frame when posed
  std::vector<GlbBounds> differences;  // of positions, per morph target
};

// Lists of the JSON chunk, and where the binary chunk has got to.
class GlbDocument {
 public:
  Json json = {{"asset", {{"version", "2.0"}}}};
  std::size_t byte_count = 0;  // of the binary chunk so far

  // The index of a new item of a list such as "nodes".
  int add(const char* list, Json item) {
    json[list].push_back(std::move(item));
    return static_cast<int>(json[list].size()) - 1;
  }

  // The next `size` bytes.
  int add_view(std::size_t size, GlbTarget target, int stride) {
    Json view = {{"buffer", 0}, {"byteOffset", byte_count}, {"byteLength", size}};
    if (target != GlbTarget::none) view["target"] = static_cast<int>(target);
    if (stride > 0) view["byteStride"] = stride;
    byte_count += size;
    return add("bufferViews", std::move(view));
  }

  int add_accessor(int view, std::size_t offset, GlbComponent component, const char* type, std::size_t count) {
    return add("accessors", {{"bufferView", view},
                             {"byteOffset", offset},
                             {"componentType", static_cast<int>(component)},
                             {"type", type},
                             {"count", count}});
  }

  void set_bounds(int accessor, const GlbBounds& bounds) {
    Json& item = json["accessors"][static_cast<std::size_t>(accessor)];
    for (int axis = 0; axis < 3; ++axis) {
      item["min"].push_back(bounds.low[axis]);
      item["max"].push_back(bounds.high[axis]);
    }
  }
};

// The numbers of all animations: few, so they are gathered and written last.
class GlbAnimation {
 public:
  explicit GlbAnimation(GlbDocument& document) : document_(document) {}

  // path: "translation", "rotation", "scale" or "weights" of a node; values: so many per time.
  void add(int node, const char* path, const std::vector<float>& times, const std::vector<float>& values,
           const char* interpolation = "LINEAR") {
    const std::string name = path;
    const char* type = name == "weights" ? "SCALAR" : name == "rotation" ? "VEC4" : "VEC3";
    const std::size_t components = name == "weights" ? 1 : name == "rotation" ? 4 : 3;
    samplers_.push_back({{"input", input(times)},
                         {"output", output(values, type, values.size() / components)},
                         {"interpolation", interpolation}});
    channels_.push_back({{"sampler", samplers_.size() - 1}, {"target", {{"node", node}, {"path", path}}}});
  }

  // Gives the gathered numbers their place at the end of the binary chunk.
  void finish() {
    if (channels_.empty()) return;
    const int view = document_.add_view(numbers_.size() * sizeof(float), GlbTarget::none, 0);
    for (const int accessor : accessors_)
      document_.json["accessors"][static_cast<std::size_t>(accessor)]["bufferView"] = view;
    document_.add("animations", {{"name", "simulation"}, {"samplers", samplers_}, {"channels", channels_}});
  }

  [[nodiscard]] const std::vector<float>& numbers() const { return numbers_; }

 private:
  int input(const std::vector<float>& times) {
    const auto [found, is_new] = inputs_.try_emplace(times, 0);
    if (is_new) {
      found->second = output(times, "SCALAR", times.size());
      Json& item = document_.json["accessors"][static_cast<std::size_t>(found->second)];
      item["min"].push_back(times.front());
      item["max"].push_back(times.back());
    }
    return found->second;
  }

  int output(const std::vector<float>& values, const char* type, std::size_t count) {
    const std::size_t offset = numbers_.size() * sizeof(float);
    numbers_.insert(numbers_.end(), values.begin(), values.end());
    accessors_.push_back(document_.add_accessor(0, offset, GlbComponent::float32, type, count));
    return accessors_.back();
  }

  GlbDocument& document_;
  Json samplers_ = Json::array(), channels_ = Json::array();
  std::vector<float> numbers_;
  std::vector<int> accessors_;                // those that read numbers_
  std::map<std::vector<float>, int> inputs_;  // most bodies share their times
};

class GlbExport {
 public:
  GlbExport(DrawnResult& result, std::filesystem::path file, const GlbOptions& options)
      : result_(result), file_(std::move(file)), options_(options) {}

  GlbReport write() {
    // Measure: every part in its kept frames.
    for (int body = 0; body < result_.body_count(); ++body)
      for (std::size_t revision = 0; revision < outline(body).revisions.size(); ++revision)
        add_part(body, static_cast<int>(revision));

    // Describe: the JSON chunk, which says where everything will be.
    document_.json["asset"]["generator"] = "Pliant " + result_.outline().pliant_version;
    document_.json["scene"] = 0;
    document_.add("scenes", {{"name", "result"}});
    for (const GlbPart& part : parts_) describe(part);
    animation_.finish();
    if (document_.byte_count > 0) document_.add("buffers", {{"byteLength", document_.byte_count}});

    write_file();
    return report();
  }

 private:
  [[nodiscard]] const BodyOutline& outline(int body) const {
    return result_.outline().bodies[static_cast<std::size_t>(body)];
  }

  // s since the first frame.
  [[nodiscard]] float time(std::int64_t frame) const {
    const std::vector<double>& times = result_.outline().times;
    return static_cast<float>(times[static_cast<std::size_t>(frame)] - times.front());
  }

  void add_part(int body, int revision) {
    const auto& revisions = outline(body).revisions;
    const auto next = static_cast<std::size_t>(revision) + 1;
    GlbPart part;
    part.body = body;
    part.revision = revision;
    part.first = revisions[next - 1].first_frame;
    part.end = next < revisions.size() ? revisions[next].first_frame : result_.frame_count();
    part.is_posed = revisions[next - 1].motion == BodyMotion::posed;
    if (part.first == part.end) return;
    part.shape = make_glb_shape(result_.drawn(body, revision), result_.radius(body, revision), options_.sphere_limit);
    if (part.shape->indices.empty()) return;  // nothing to see, and glTF has no empty lists
    part.frames = timed_frames(part);
    if (part.is_posed) {
      const DrawnMesh& drawn = result_.drawn(body, revision);
      part.start = part.shape->geometry(drawn.vertices(result_.reader().mesh(body, revision).rest_positions));
    } else {
      measure(part);
    }
    parts_.push_back(std::move(part));
  }

  // Frames with times that single precision tells apart, as animations need them.
  [[nodiscard]] std::vector<std::int64_t> timed_frames(const GlbPart& part) const {
    std::vector<std::int64_t> frames = {part.first};
    for (std::int64_t frame = part.first + 1; frame < part.end; ++frame)
      if (time(frame) > time(frames.back())) frames.push_back(frame);
    return frames;
  }

  // Keeps some frames, evenly spread, and finds the bounds of what they add to the first.
  void measure(GlbPart& part) {
    const std::size_t last = part.frames.size() - 1, most = static_cast<std::size_t>(options_.max_targets) - 1;
    if (last > most) {
      std::vector<std::int64_t> kept;
      for (std::size_t i = 0; i <= most; ++i) kept.push_back(part.frames[(i * last + most / 2) / most]);
      part.frames = std::move(kept);
    }
    part.start = geometry_at(part, part.frames[0]);
    bool is_still = true;
    for (std::size_t k = 1; k < part.frames.size(); ++k) {
      const GlbBounds bounds = bounds_of(difference(part, part.frames[k]).positions);
      is_still = is_still && bounds.low.isZero(0) && bounds.high.isZero(0);
      part.differences.push_back(bounds);
    }
    if (!is_still) return;
    part.frames.resize(1);
    part.differences.clear();
  }

  [[nodiscard]] GlbGeometry geometry_at(const GlbPart& part, std::int64_t frame) {
    const std::vector<Vec3> drawn = result_.vertices(part.body, frame);
    for (const Vec3& x : drawn)
      if (!x.allFinite()) fail_not_finite(part, frame);
    GlbGeometry geometry = part.shape->geometry(drawn);
    // Of a particle that is not born yet nothing is seen: its sphere shrinks to a point, a point is where another one is.
    const std::vector<unsigned char> is_there = result_.presence(part.body, frame);
    const std::size_t corners = is_there.empty() ? 0 : geometry.positions.size() / is_there.size();
    const auto present = static_cast<std::size_t>(std::find(is_there.begin(), is_there.end(), 1) - is_there.begin());
    for (std::size_t v = 0; v < is_there.size(); ++v) {
      if (is_there[v] != 0) continue;
      const std::size_t place = corners > 1 || present == is_there.size() ? v : present;
      std::fill_n(geometry.positions.begin() + static_cast<std::ptrdiff_t>(v * corners), corners,
                  Vec3f(drawn[place].cast<float>()));
    }
    return geometry;
  }

  // What a frame adds to the start.
  [[nodiscard]] GlbGeometry difference(const GlbPart& part, std::int64_t frame) {
    GlbGeometry now = geometry_at(part, frame);
    for (std::size_t i = 0; i < now.positions.size(); ++i) now.positions[i] -= part.start.positions[i];
    for (std::size_t i = 0; i < now.normals.size(); ++i) now.normals[i] -= part.start.normals[i];
    return now;
  }

  [[noreturn]] void fail_not_finite(const GlbPart& part, std::int64_t frame) const {
    throw InputError(file_.string(),
                     "the body '" + outline(part.body).name + "' has positions that are not finite numbers in frame " +
                         std::to_string(frame) + "; repeat the run with a smaller time step and export again");
  }

  void describe(const GlbPart& part) {
    std::string name = outline(part.body).name;
    if (part.revision > 0) name += '.' + std::to_string(part.revision);
    Json mesh = {{"name", name}, {"primitives", Json::array({primitive(part)})}};
    for (std::size_t k = 1; k < part.frames.size() && !part.is_posed; ++k) {
      mesh["weights"].push_back(0);
      mesh["extras"]["targetNames"].push_back("frame " + std::to_string(part.frames[k]));
    }
    const int mesh_index = document_.add("meshes", std::move(mesh));
    const int node = document_.add("nodes", {{"name", name}, {"mesh", mesh_index}});
    document_.json["scenes"][0]["nodes"].push_back(node);
    part.is_posed ? animate_pose(part, node) : animate_weights(part, node);
    animate_presence(part, node);
  }

  int material(int body) {
    const auto [found, is_new] = materials_.try_emplace(body, 0);
    if (is_new) {
      const Vec3 colour = linear_from_srgb(body_colour(body));
      found->second = document_.add("materials", {{"name", outline(body).name},
                                                  {"doubleSided", true},
                                                  {"pbrMetallicRoughness",
                                                   {{"baseColorFactor", {colour[0], colour[1], colour[2], 1.0}},
                                                    {"metallicFactor", 0},
                                                    {"roughnessFactor", 0.6}}}});
    }
    return found->second;
  }

  // In the binary chunk: indices; positions and normals of the start, then of each difference; texture coordinates.
  Json primitive(const GlbPart& part) {
    const GlbShape& shape = *part.shape;
    const std::size_t count = part.start.positions.size(), array_size = count * sizeof(Vec3f);
    Json result = {{"mode", static_cast<int>(shape.mode)}, {"material", material(part.body)}};
    const int index_view = document_.add_view(shape.indices.size() * sizeof(std::uint32_t), GlbTarget::indices, 0);
    result["indices"] = document_.add_accessor(index_view, 0, GlbComponent::uint32, "SCALAR", shape.indices.size());

    const bool has_normals = !part.start.normals.empty();
    const std::size_t array_count =
        (has_normals ? 2 : 1) + part.differences.size() * (has_normals && shape.turns ? 2 : 1);
    const int view = document_.add_view(array_count * array_size, GlbTarget::vertices, sizeof(Vec3f));
    std::size_t offset = 0;
    const auto next_array = [&] {
      const int accessor = document_.add_accessor(view, offset, GlbComponent::float32, "VEC3", count);
      offset += array_size;
      return accessor;
    };
    const int positions = next_array();
    document_.set_bounds(positions, bounds_of(part.start.positions));
    result["attributes"]["POSITION"] = positions;
    if (has_normals) result["attributes"]["NORMAL"] = next_array();
    for (const GlbBounds& bounds : part.differences) {
      Json target = {{"POSITION", next_array()}};
      document_.set_bounds(target["POSITION"], bounds);
      if (has_normals && shape.turns) target["NORMAL"] = next_array();
      result["targets"].push_back(std::move(target));
    }

    if (const std::size_t size = texture_of(part).size(); size > 0) {
      const int texture_view = document_.add_view(size * sizeof(float), GlbTarget::vertices, 0);
      result["attributes"]["TEXCOORD_0"] =
          document_.add_accessor(texture_view, 0, GlbComponent::float32, "VEC2", count);
    }
    return result;
  }

  // glTF counts v downwards from the upper edge.
  [[nodiscard]] std::vector<float> texture_of(const GlbPart& part) {
    std::vector<float> values;
    const DrawnMesh& drawn = result_.drawn(part.body, part.revision);
    if (drawn.shape() != CellShape::triangle) return values;
    for (const Vec2& uv : drawn.mesh().texture) {
      values.push_back(static_cast<float>(uv[0]));
      values.push_back(static_cast<float>(1 - uv[1]));
    }
    return values;
  }

  [[nodiscard]] std::vector<float> times_of(const GlbPart& part) const {
    std::vector<float> times;
    for (const std::int64_t frame : part.frames) times.push_back(time(frame));
    return times;
  }

  void animate_weights(const GlbPart& part, int node) {
    const std::size_t targets = part.differences.size();
    if (targets == 0) return;
    std::vector<float> weights(part.frames.size() * targets, 0.0F);
    for (std::size_t k = 1; k < part.frames.size(); ++k) weights[k * targets + (k - 1)] = 1;
    animation_.add(node, "weights", times_of(part), weights);
  }

  void animate_pose(const GlbPart& part, int node) {
    std::vector<float> translations, rotations;
    Eigen::Vector4f previous = Eigen::Vector4f::Zero();
    for (const std::int64_t frame : part.frames) {
      const Pose pose = result_.reader().pose(part.body, frame);
      if (!pose.position.allFinite() || !pose.quaternion.allFinite()) fail_not_finite(part, frame);
      for (int axis = 0; axis < 3; ++axis) translations.push_back(static_cast<float>(pose.position[axis]));
      // Both signs are the same rotation; the nearer one keeps viewers on the short way.
      const Vec4& q = pose.quaternion;
      Eigen::Vector4f rotation = Vec4(q[1], q[2], q[3], q[0]).normalized().cast<float>();
      if (rotation.dot(previous) < 0) rotation = -rotation;
      rotations.insert(rotations.end(), rotation.begin(), rotation.end());
      previous = rotation;
    }
    Json& item = document_.json["nodes"][static_cast<std::size_t>(node)];
    item["translation"] = std::vector<float>(translations.begin(), translations.begin() + 3);
    item["rotation"] = std::vector<float>(rotations.begin(), rotations.begin() + 4);
    if (part.frames.size() < 2) return;
    animation_.add(node, "translation", times_of(part), translations);
    animation_.add(node, "rotation", times_of(part), rotations);
  }

  // Meshes of a body that was cut replace each other.
  void animate_presence(const GlbPart& part, int node) {
    std::vector<float> times, scales;
    const auto set = [&](std::int64_t frame, float scale) {
      // Frames of the same time: the later one counts.
      if (!times.empty() && time(frame) <= times.back()) times.pop_back(), scales.resize(scales.size() - 3);
      times.push_back(time(frame));
      scales.insert(scales.end(), 3, scale);
    };
    if (part.first > 0) set(0, 0);
    set(part.first, 1);
    if (part.end < result_.frame_count()) set(part.end, 0);
    if (part.first == 0 && part.end == result_.frame_count()) return;
    if (part.first > 0) document_.json["nodes"][static_cast<std::size_t>(node)]["scale"] = std::vector<int>{0, 0, 0};
    animation_.add(node, "scale", times, scales, "STEP");
  }

  void write_file() {
    // A body's name may be any bytes; JSON is UTF-8.
    std::string text = document_.json.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.append((4 - text.size() % 4) % 4, ' ');
    const std::size_t binary_header = document_.byte_count > 0 ? 8 : 0;
    const std::size_t size = 12 + 8 + text.size() + binary_header + document_.byte_count;
    if (size > std::numeric_limits<std::uint32_t>::max())
      throw InputError(file_.string(), "the file would exceed the 4 GB of glTF; keep fewer frames or export to usda");
    const auto word = [](std::size_t value) { return static_cast<std::uint32_t>(value); };

    AtomicFile file(file_);
    const std::array<std::uint32_t, 5> header = {0x46546C67, 2, word(size), word(text.size()), 0x4E4F534A};
    file.write(std::as_bytes(std::span(header)));  // "glTF", version 2, length; length, "JSON"
    file.write(std::as_bytes(std::span(text)));
    if (binary_header > 0) {
      const std::array<std::uint32_t, 2> chunk = {word(document_.byte_count), 0x004E4942};  // length, "BIN"
      file.write(std::as_bytes(std::span(chunk)));
      write_binary(file);
    }
    file.finish();
  }

  // In the order of primitive().
  void write_binary(AtomicFile& file) {
    std::size_t written = 0;
    const auto put = [&](const auto& values) {
      const auto bytes = std::as_bytes(std::span(values));
      file.write(bytes);
      written += bytes.size();
    };
    for (const GlbPart& part : parts_) {
      put(part.shape->indices);
      put(part.start.positions);
      put(part.start.normals);
      part.shape->start_over();
      // The first frame again, for shapes that remember it; what they make of it is the start.
      if (!part.differences.empty()) static_cast<void>(geometry_at(part, part.frames[0]));
      for (std::size_t k = 1; k <= part.differences.size(); ++k) {
        const GlbGeometry added = difference(part, part.frames[k]);
        put(added.positions);
        if (part.shape->turns) put(added.normals);
      }
      put(texture_of(part));
    }
    put(animation_.numbers());
    PLIANT_ASSERT(written == document_.byte_count, "the binary chunk is as long as announced");
  }

  [[nodiscard]] GlbReport report() const {
    std::set<std::int64_t> kept;
    for (const GlbPart& part : parts_)
      if (!part.differences.empty()) kept.insert(part.frames.begin(), part.frames.end());
    const std::int64_t count = result_.frame_count();
    return {count, kept.empty() ? count : static_cast<std::int64_t>(kept.size())};
  }

  DrawnResult& result_;
  std::filesystem::path file_;
  GlbOptions options_;
  std::vector<GlbPart> parts_;
  GlbDocument document_;
  GlbAnimation animation_{document_};
  std::map<int, int> materials_;  // by body
};

}  // namespace

GlbReport write_glb(DrawnResult& result, const std::filesystem::path& file, const GlbOptions& options) {
  if (options.max_targets < 2) throw InputError(file.string(), "max_targets must be 2 or more: first and last frame");
  if (result.frame_count() == 0)
    throw InputError(file.string(), "the result has no frames yet; run the scene further, then export");
  return GlbExport(result, file, options).write();
}

}  // namespace pliant::io
