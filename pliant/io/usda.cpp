#include "pliant/io/usda.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "pliant/input_error.h"
#include "pliant/io/atomic_file.h"

namespace pliant::io {
namespace {

constexpr std::size_t kUsdaBlock = 1 << 20;  // bytes gathered before the file system is asked
constexpr double kUsdaDefaultRate = 24;      // frames per second of results with a single frame

// --- values as text ---

// Fewest digits that read back as the same number. Zero has no sign here: −0 would only make files differ.
template <typename Number>
void append_usda_number(std::string& text, Number value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value == 0 ? Number(0) : value);
  text.append(digits.data(), end.ptr);
}

void append_usda_point(std::string& text, const Vec3& point) {
  for (int axis = 0; axis < 3; ++axis) {
    text += axis == 0 ? "(" : ", ";
    append_usda_number(text, static_cast<float>(point[axis]));
  }
  text += ')';
}

// "[a, b, c]", each item appended by `append`.
template <typename Items, typename Append>
std::string usda_list(const Items& items, Append append) {
  std::string text = "[";
  for (const auto& item : items) {
    if (text.size() > 1) text += ", ";
    append(text, item);
  }
  return text + ']';
}

template <typename Items>
std::string usda_numbers(const Items& items) {
  return usda_list(items, [](std::string& text, auto item) { append_usda_number(text, item); });
}

std::string usda_points(std::span<const Vec3> points) { return usda_list(points, append_usda_point); }

// Names of bodies have no control characters, so quotes and backslashes are all there is to mark.
std::string usda_quoted(std::string_view words) {
  std::string text = "\"";
  for (const char c : words) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

// Letters, digits and _, not beginning with a digit, and not yet taken.
std::string usda_identifier(std::string_view name, std::set<std::string>& taken) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string stem;
  for (const char c : name) stem += is_letter(c) || is_digit(c) ? c : '_';
  if (stem.empty() || is_digit(stem[0])) stem.insert(0, 1, '_');
  std::string identifier = stem;
  for (int number = 1; !taken.insert(identifier).second; ++number) identifier = stem + '_' + std::to_string(number);
  return identifier;
}

// --- the file ---

// Lines with indentation, handed to the file in large pieces.
class UsdaText {
 public:
  explicit UsdaText(const std::filesystem::path& path) : file_(path) {}

  void line(std::initializer_list<std::string_view> parts) {
    if (parts.size() > 0) text_.append(4 * depth_, ' ');
    for (const std::string_view part : parts) text_ += part;
    text_ += '\n';
    if (text_.size() > kUsdaBlock) flush();
  }
  // A line such as "{", and what follows it one step further right.
  void open(std::string_view words) {
    line({words});
    ++depth_;
  }
  void close(std::string_view words) {
    --depth_;
    line({words});
  }
  void finish() {
    flush();
    file_.finish();
  }

 private:
  void flush() {
    file_.write(std::as_bytes(std::span(text_)));
    text_.clear();
  }

  AtomicFile file_;
  std::string text_;
  std::size_t depth_ = 0;
};

// The time samples of one attribute. Equal neighbours on both sides make a sample superfluous.
class UsdaSamples {
 public:
  UsdaSamples(UsdaText& text, std::string_view attribute) : text_(text) {
    text_.open(std::string(attribute) + ".timeSamples = {");
  }
  void add(double code, std::string value) {
    if (last_ && last_->second == value) {
      waiting_code_ = code;
      return;
    }
    write_waiting();
    last_.emplace(code, std::move(value));
    write(last_->first);
  }
  void finish() {
    write_waiting();
    text_.close("}");
  }

 private:
  void write(double code) {
    std::string key;
    append_usda_number(key, code);
    text_.line({key, ": ", last_->second, ","});
  }
  void write_waiting() {
    if (waiting_code_) write(*waiting_code_);
    waiting_code_.reset();
  }

  UsdaText& text_;
  std::optional<std::pair<double, std::string>> last_;  // code and value as written
  std::optional<double> waiting_code_;                  // the latest frame with that value
};

// --- what is written ---

struct UsdaTiming {
  double rate = kUsdaDefaultRate;  // time codes per second
  std::vector<double> codes;       // per frame
};

UsdaTiming usda_timing(std::span<const double> times) {
  UsdaTiming timing;
  const double duration = times.back() - times.front();
  if (times.size() > 1 && duration > 0) {
    timing.rate = static_cast<double>(times.size() - 1) / duration;
    // Times are sums of steps: a mean rate of 59.99999999 is 60.
    if (std::abs(timing.rate - std::round(timing.rate)) < 1e-6 * timing.rate) timing.rate = std::round(timing.rate);
  }
  for (const double time : times) {
    const double code = time * timing.rate;
    // For the same reason; a sample just after a whole frame would not be seen by programs that stop at whole frames.
    const bool is_whole = std::abs(code - std::round(code)) < 1e-9 * std::max(1.0, std::abs(code));
    timing.codes.push_back(is_whole ? std::round(code) : code);
  }
  return timing;
}

// One body with one mesh, and the frames it is shown in.
struct UsdaPart {
  int body = 0, revision = 0;
  std::string name;     // of the prim
  std::string surface;  // of the material
  std::int64_t first = 0, end = 0;
  bool is_posed = false;
  CellShape shape = CellShape::triangle;
  // The drawn vertex behind each point: along the curves for rods; empty: the drawn vertices themselves.
  std::vector<int> order;
  double largest_radius = 0;  // m, by which points stick out
};

class UsdaExport {
 public:
  UsdaExport(DrawnResult& result, const std::filesystem::path& file)
      : result_(result), place_(file.string()), text_(file), timing_(usda_timing(result.outline().times)) {}

  void write() {
    write_header();
    text_.open("{");
    std::set<std::string> taken = {"materials"}, surfaces;
    for (int body = 0; body < result_.body_count(); ++body) {
      const BodyOutline& outline = result_.outline().bodies[static_cast<std::size_t>(body)];
      surfaces_.push_back(usda_identifier(outline.name, surfaces));
      for (int revision = 0; revision < static_cast<int>(outline.revisions.size()); ++revision) {
        if (frames_of(body, revision).first < frames_of(body, revision).second)
          write_part(part_of(body, revision, usda_identifier(outline.name, taken)));
      }
    }
    write_materials();
    text_.close("}");
    text_.finish();
  }

 private:
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> frames_of(int body, int revision) const {
    const auto& revisions = result_.outline().bodies[static_cast<std::size_t>(body)].revisions;
    const auto next = static_cast<std::size_t>(revision) + 1;
    return {revisions[next - 1].first_frame,
            next < revisions.size() ? revisions[next].first_frame : result_.frame_count()};
  }

  [[nodiscard]] double code(std::int64_t frame) const { return timing_.codes[static_cast<std::size_t>(frame)]; }
  // Two frames of one time: the first is kept, as time samples cannot hold both.
  [[nodiscard]] bool is_sampled(std::int64_t frame, std::int64_t first) const {
    return frame == first || code(frame) > code(frame - 1);
  }

  UsdaPart part_of(int body, int revision, std::string name) {
    const BodyOutline& outline = result_.outline().bodies[static_cast<std::size_t>(body)];
    const DrawnMesh& drawn = result_.drawn(body, revision);
    UsdaPart part{body, revision, std::move(name), surfaces_.back(), 0, 0, false, drawn.shape(), {}, 0};
    std::tie(part.first, part.end) = frames_of(body, revision);
    part.is_posed = outline.revisions[static_cast<std::size_t>(revision)].motion == BodyMotion::posed;
    for (const double radius : result_.radius(body, revision))
      part.largest_radius = std::max(part.largest_radius, radius);
    return part;
  }

  void write_header() {
    std::string first, last, rate;
    append_usda_number(first, timing_.codes.front());
    append_usda_number(last, timing_.codes.back());
    append_usda_number(rate, timing_.rate);
    text_.line({"#usda 1.0"});
    text_.open("(");
    text_.line({"defaultPrim = \"result\""});
    text_.line({"doc = ", usda_quoted("Pliant " + result_.outline().pliant_version)});
    text_.line({"endTimeCode = ", last});
    text_.line({"framesPerSecond = ", rate});
    text_.line({"metersPerUnit = 1"});
    text_.line({"startTimeCode = ", first});
    text_.line({"timeCodesPerSecond = ", rate});
    text_.line({"upAxis = \"Y\""});
    text_.close(")");
    text_.line({});
    text_.open("def Xform \"result\" (");
    text_.line({"kind = \"component\""});
    text_.close(")");
  }

  void write_part(UsdaPart part) {
    const std::string& body_name = result_.outline().bodies[static_cast<std::size_t>(part.body)].name;
    constexpr std::array<std::string_view, 3> kSchemas = {"Points", "BasisCurves", "Mesh"};  // by number of corners
    const std::string_view schema = kSchemas[static_cast<std::size_t>(part.shape) - 1];
    text_.open("def " + std::string(schema) + " \"" + part.name + "\" (");
    text_.line({"prepend apiSchemas = [\"MaterialBindingAPI\"]"});
    text_.open("customData = {");
    text_.line({"string name = ", usda_quoted(body_name)});
    text_.close("}");
    text_.line({"displayName = ", usda_quoted(body_name)});
    text_.close(")");
    text_.open("{");
    write_cells(part);
    part.is_posed ? write_pose(part) : write_motion(part);
    write_visibility(part);
    std::string colour;
    append_usda_point(colour, linear_from_srgb(body_colour(part.body)));
    text_.line({"color3f[] primvars:displayColor = [", colour, "]"});
    text_.line({"rel material:binding = </result/materials/", part.surface, ">"});
    text_.close("}");
  }

  // What does not change over time. Finds the order of the points of rods.
  void write_cells(UsdaPart& part) {
    const DrawnMesh& drawn = result_.drawn(part.body, part.revision);
    if (part.shape == CellShape::triangle) {
      text_.line({"uniform bool doubleSided = 1"});
      text_.line({"int[] faceVertexCounts = ", usda_numbers(std::vector<int>(drawn.cells().size() / 3, 3))});
      text_.line({"int[] faceVertexIndices = ", usda_numbers(drawn.cells())});
      text_.line({"uniform token subdivisionScheme = \"none\""});
      write_texture(drawn.mesh().texture);
      return;
    }
    if (part.shape == CellShape::segment) {
      std::vector<int> counts;
      for (const std::vector<int>& curve : curves_of_segments(drawn.cells())) {
        counts.push_back(static_cast<int>(curve.size()));
        part.order.insert(part.order.end(), curve.begin(), curve.end());
      }
      text_.line({"uniform token type = \"linear\""});
      text_.line({"uniform token wrap = \"nonperiodic\""});
      text_.line({"int[] curveVertexCounts = ", usda_numbers(counts)});
    }
    std::vector<float> widths;
    for (const double radius : in_order(part, result_.radius(part.body, part.revision)))
      widths.push_back(static_cast<float>(2 * radius));
    text_.open("float[] widths = " + usda_numbers(widths) + " (");
    text_.line({"interpolation = \"vertex\""});
    text_.close(")");
  }

  void write_texture(std::span<const Vec2> texture) {
    if (texture.empty()) return;
    const std::string list = usda_list(texture, [](std::string& text, const Vec2& uv) {
      text += '(';
      append_usda_number(text, static_cast<float>(uv[0]));
      text += ", ";
      append_usda_number(text, static_cast<float>(uv[1]));
      text += ')';
    });
    text_.open("texCoord2f[] primvars:st = " + list + " (");
    text_.line({"interpolation = \"vertex\""});
    text_.close(")");
  }

  template <typename T>
  [[nodiscard]] std::vector<T> in_order(const UsdaPart& part, std::vector<T> values) const {
    if (part.shape != CellShape::segment) return values;
    std::vector<T> result;
    result.reserve(part.order.size());
    for (const int vertex : part.order) result.push_back(values[static_cast<std::size_t>(vertex)]);
    return result;
  }

  // Corners of the box around the points and their thickness; a point set without points has none.
  [[nodiscard]] static std::string extent_of(const UsdaPart& part, std::span<const Vec3> points) {
    if (points.empty()) return "[]";
    Vec3 low = points[0], high = points[0];
    for (const Vec3& x : points) low = low.cwiseMin(x), high = high.cwiseMax(x);
    const Vec3 margin = Vec3::Constant(part.largest_radius);
    return usda_points(std::array<Vec3, 2>{low - margin, high + margin});
  }

  [[nodiscard]] std::vector<Vec3> points_at(const UsdaPart& part, std::int64_t frame) {
    std::vector<Vec3> points = in_order(part, result_.vertices(part.body, frame));
    for (const Vec3& x : points)
      if (!x.allFinite()) fail_not_finite(part, frame);
    return those_present(part, frame, std::move(points));
  }

  // Without particles that are not born yet.
  template <typename T>
  [[nodiscard]] std::vector<T> those_present(const UsdaPart& part, std::int64_t frame, std::vector<T> values) {
    const std::vector<unsigned char> is_there = result_.presence(part.body, frame);
    if (is_there.empty()) return values;
    std::vector<T> kept;
    for (std::size_t v = 0; v < values.size(); ++v) {
      if (is_there[v] != 0) kept.push_back(values[v]);
    }
    return kept;
  }

  [[noreturn]] void fail_not_finite(const UsdaPart& part, std::int64_t frame) const {
    const std::string& name = result_.outline().bodies[static_cast<std::size_t>(part.body)].name;
    throw InputError(place_, "the body '" + name + "' has positions that are not finite numbers in frame " +
                                 std::to_string(frame) + "; repeat the run with a smaller time step and export again");
  }

  void write_motion(const UsdaPart& part) {
    // Boxes are small enough to wait in memory while the points go to the file.
    std::vector<std::pair<double, std::string>> extents;
    UsdaSamples points(text_, "point3f[] points");
    for (std::int64_t frame = part.first; frame < part.end; ++frame) {
      if (!is_sampled(frame, part.first)) continue;
      const std::vector<Vec3> now = points_at(part, frame);
      extents.emplace_back(code(frame), extent_of(part, now));
      points.add(code(frame), usda_points(now));
    }
    points.finish();
    if (!result_.presence(part.body, part.first).empty()) write_widths(part);
    UsdaSamples boxes(text_, "float3[] extent");
    for (auto& [time_code, extent] : extents) boxes.add(time_code, std::move(extent));
    boxes.finish();
  }

  // Of particles that are born over time: as many as there are points.
  void write_widths(const UsdaPart& part) {
    UsdaSamples widths(text_, "float[] widths");
    for (std::int64_t frame = part.first; frame < part.end; ++frame) {
      if (!is_sampled(frame, part.first)) continue;
      std::vector<float> now;
      for (const double radius : those_present(part, frame, result_.radius(part.body, part.revision)))
        now.push_back(static_cast<float>(2 * radius));
      widths.add(code(frame), usda_numbers(now));
    }
    widths.finish();
  }

  void write_pose(const UsdaPart& part) {
    const DrawnMesh& drawn = result_.drawn(part.body, part.revision);
    const std::vector<Vec3> points =
        in_order(part, drawn.vertices(result_.reader().mesh(part.body, part.revision).rest_positions));
    text_.line({"point3f[] points = ", usda_points(points)});
    text_.line({"float3[] extent = ", extent_of(part, points)});

    std::vector<std::pair<double, Pose>> poses;
    for (std::int64_t frame = part.first; frame < part.end; ++frame) {
      if (!is_sampled(frame, part.first)) continue;
      Pose pose = result_.reader().pose(part.body, frame);
      if (!pose.position.allFinite() || !pose.quaternion.allFinite()) fail_not_finite(part, frame);
      // Both signs are the same rotation; the nearer one keeps programs that mix components on the short way.
      if (!poses.empty() && pose.quaternion.dot(poses.back().second.quaternion) < 0) pose.quaternion = -pose.quaternion;
      poses.emplace_back(code(frame), pose);
    }
    UsdaSamples translation(text_, "double3 xformOp:translate");
    for (const auto& [time_code, pose] : poses) {
      std::string value = usda_numbers(pose.position);
      value.front() = '(', value.back() = ')';
      translation.add(time_code, std::move(value));
    }
    translation.finish();
    UsdaSamples orientation(text_, "quatf xformOp:orient");  // w, x, y, z
    for (const auto& [time_code, pose] : poses) {
      std::string value = usda_numbers(Eigen::Vector4f(pose.quaternion.normalized().cast<float>()));
      value.front() = '(', value.back() = ')';
      orientation.add(time_code, std::move(value));
    }
    orientation.finish();
    text_.line({"uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]"});
  }

  // Only bodies with several meshes come and go. The value holds from its time code on.
  void write_visibility(const UsdaPart& part) {
    const bool begins_later = part.first > 0, ends_earlier = part.end < result_.frame_count();
    if (!begins_later && !ends_earlier) return;
    UsdaSamples visibility(text_, "token visibility");
    if (begins_later) visibility.add(timing_.codes.front(), "\"invisible\"");
    visibility.add(code(part.first), "\"inherited\"");
    if (ends_earlier) visibility.add(code(part.end), "\"invisible\"");
    visibility.finish();
  }

  void write_materials() {
    text_.line({"def Scope \"materials\""});
    text_.open("{");
    for (std::size_t body = 0; body < surfaces_.size(); ++body) {
      std::string colour;
      append_usda_point(colour, linear_from_srgb(body_colour(static_cast<int>(body))));
      text_.line({"def Material \"", surfaces_[body], "\""});
      text_.open("{");
      text_.line({"token outputs:surface.connect = </result/materials/", surfaces_[body], "/surface.outputs:surface>"});
      text_.line({"def Shader \"surface\""});
      text_.open("{");
      text_.line({"uniform token info:id = \"UsdPreviewSurface\""});
      text_.line({"color3f inputs:diffuseColor = ", colour});
      text_.line({"float inputs:metallic = 0"});
      text_.line({"float inputs:roughness = 0.6"});
      text_.line({"token outputs:surface"});
      text_.close("}");
      text_.close("}");
    }
    text_.close("}");
  }

  DrawnResult& result_;
  std::string place_;
  UsdaText text_;
  UsdaTiming timing_;
  std::vector<std::string> surfaces_;  // names of the materials, per body
};

}  // namespace

void write_usda(DrawnResult& result, const std::filesystem::path& file) {
  if (result.frame_count() == 0)
    throw InputError(file.string(), "the result has no frames yet; run the scene further, then export");
  UsdaExport(result, file).write();
}

std::vector<std::vector<int>> curves_of_segments(std::span<const int> corners) {
  const auto corner = [&](int segment, int side) { return corners[2 * segment + side]; };
  const int segment_count = static_cast<int>(corners.size() / 2);
  const int vertex_count = corners.empty() ? 0 : *std::max_element(corners.begin(), corners.end()) + 1;
  std::vector<std::vector<int>> segments_at(static_cast<std::size_t>(vertex_count));
  for (std::size_t i = 0; i < corners.size(); ++i)
    segments_at[static_cast<std::size_t>(corners[i])].push_back(static_cast<int>(i / 2));

  std::vector<bool> is_used(static_cast<std::size_t>(segment_count));
  const auto follow = [&](int vertex, int segment) {
    std::vector<int> curve = {vertex};
    while (!is_used[static_cast<std::size_t>(segment)]) {
      is_used[static_cast<std::size_t>(segment)] = true;
      vertex = corner(segment, corner(segment, 0) == vertex ? 1 : 0);
      curve.push_back(vertex);
      const std::vector<int>& around = segments_at[static_cast<std::size_t>(vertex)];
      if (around.size() != 2) break;
      segment = around[around[0] == segment ? 1 : 0];
    }
    return curve;
  };

  // Open curves start at ends and branches; what is left afterwards is closed.
  std::vector<std::vector<int>> curves;
  for (int segment = 0; segment < segment_count; ++segment) {
    for (int side = 0; side < 2; ++side) {
      const int vertex = corner(segment, side);
      const bool is_end = segments_at[static_cast<std::size_t>(vertex)].size() != 2;
      if (is_end && !is_used[static_cast<std::size_t>(segment)]) curves.push_back(follow(vertex, segment));
    }
  }
  for (int segment = 0; segment < segment_count; ++segment)
    if (!is_used[static_cast<std::size_t>(segment)]) curves.push_back(follow(corner(segment, 0), segment));
  return curves;
}

}  // namespace pliant::io
