#include "pliant/viewer/result_source.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "pliant/input_error.h"
#include "pliant/io/plain_text.h"
#include "pliant/io/probes_csv.h"
#include "pliant/io/result_file.h"
#include "pliant/io/result_file_storage.h"
#include "pliant/scene/reader.h"
#include "pliant/viewer/bytes.h"

namespace pliant::viewer {
namespace {

using nlohmann::ordered_json;

constexpr std::uint32_t kMeshMagic = 0x314d4c50;      // "PLM1"
constexpr std::uint32_t kFrameMagic = 0x31464c50;     // "PLF1"
constexpr std::uint32_t kQuantityMagic = 0x31514c50;  // "PLQ1"
constexpr std::uint32_t kContactsMagic = 0x31434c50;  // "PLC1"
constexpr double kLargestStep = 65535;                // of 16 bits

ordered_json json_of(const Vec3& x) { return {x[0], x[1], x[2]}; }

std::string colour_code(const Vec3& colour) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string code = "#";
  for (const double part : colour) {
    const int level = static_cast<int>(std::lround(255 * part));
    code += {kDigits[level / 16], kDigits[level % 16]};
  }
  return code;
}

// JSON knows no infinities and no NaN.
ordered_json number_or_null(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }

void add_floats(Bytes& out, const std::vector<Vec3>& points) {
  for (const Vec3& x : points) {
    for (const double part : x) out.add(static_cast<float>(part));
  }
}

// x ≈ low + step · u with u in 0 … 65535, per axis.
void add_quantised(Bytes& out, const std::vector<Vec3>& points) {
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
  if (!points.empty()) low = high = points.front();
  for (const Vec3& x : points) low = low.cwiseMin(x), high = high.cwiseMax(x);
  const Vec3 step = (high - low) / kLargestStep;
  for (const double part : low) out.add(static_cast<float>(part));
  for (const double part : step) out.add(static_cast<float>(part));
  for (const Vec3& x : points) {
    for (int c = 0; c < 3; ++c) {
      const double u = step[c] > 0 ? std::round((x[c] - low[c]) / step[c]) : 0;
      out.add(static_cast<std::uint16_t>(std::clamp(u, 0.0, kLargestStep)));
    }
  }
  out.align();
}

// Particles that are not born yet are drawn inside one that is there, where they cannot be seen: the frames of the page
// have as many vertices as its meshes.
template <class Value>
void hide_unborn(const std::vector<unsigned char>& is_there, std::vector<Value>& values) {
  const auto there = std::find(is_there.begin(), is_there.end(), 1);
  if (there == is_there.end()) return;
  const Value shown = values[static_cast<std::size_t>(there - is_there.begin())];
  for (std::size_t v = 0; v < is_there.size(); ++v) {
    if (is_there[v] == 0) values[v] = shown;
  }
}

}  // namespace

ResultSource::ResultSource(const std::filesystem::path& folder)
    : folder_(folder.extension() == ".h5" ? folder.parent_path() : folder), result_(folder) {}

std::string ResultSource::name() const {
  const std::filesystem::path absolute = std::filesystem::absolute(folder_).lexically_normal();
  return (absolute.has_filename() ? absolute : absolute.parent_path()).filename().string();
}

std::string ResultSource::state() const {
  if (io::has_writer(io::result_path(folder_))) return "running";
  std::ifstream stream(folder_ / "summary.json");
  if (!stream) return "unfinished";
  const auto summary = nlohmann::json::parse(stream, nullptr, false);
  return summary.is_object() ? summary.value("outcome", "unfinished") : "unfinished";
}

void ResultSource::refresh() { result_.refresh(); }

std::string ResultSource::manifest_json(bool is_interactive) {
  const io::ResultOutline& outline = result_.outline();
  ordered_json json;
  json["name"] = name();
  json["title"] = name();
  json["state"] = state();
  json["message"] = nullptr;
  json["interactive"] = is_interactive;
  json["times"] = outline.times;
  scene::Camera camera;
  try {
    const Scene scene = parse_scene(scene_text(), "scene.yaml", {.folder = folder_, .overrides = {}});
    camera = scene.view.camera;
    if (!scene.title.empty()) json["title"] = scene.title;
  } catch (const InputError&) {
    // A result can be looked at without its scene.
  }
  json["camera"] = {{"from", camera.from ? json_of(*camera.from) : ordered_json(nullptr)},
                    {"to", camera.to ? json_of(*camera.to) : ordered_json(nullptr)},
                    {"up", json_of(camera.up)},
                    {"degrees", camera.degrees}};
  const io::Box bounds = result_.bounds();
  json["bounds"] = {{"low", json_of(bounds.low)}, {"high", json_of(bounds.high)}};
  json["bodies"] = ordered_json::array();
  for (int b = 0; b < result_.body_count(); ++b) {
    const io::BodyOutline& body = outline.bodies[static_cast<std::size_t>(b)];
    ordered_json revisions = ordered_json::array();
    for (int k = 0; k < static_cast<int>(body.revisions.size()); ++k) {
      const io::DrawnMesh& drawn = result_.drawn(b, k);
      revisions.push_back({{"first_frame", body.revisions[static_cast<std::size_t>(k)].first_frame},
                           {"vertex_count", drawn.vertex_count()},
                           {"cell_count", drawn.cells().size() / static_cast<std::size_t>(drawn.shape())},
                           {"shape", name_of(drawn.shape())}});
    }
    json["bodies"].push_back({{"name", body.name},
                              {"kind", io::name_of(body.kind)},
                              {"colour", colour_code(io::body_colour(b))},
                              {"pinned", result_.pinned(b, 0)},
                              {"revisions", revisions}});
  }
  json["quantities"] = ordered_json::array();
  bool has_contacts = false;
  for (const io::QuantityDescription& q : result_.quantities()) {
    json["quantities"].push_back({{"name", q.name}, {"unit", q.unit}});
    has_contacts = has_contacts || q.name == "contact_force";
  }
  json["has_contacts"] = has_contacts;
  return json.dump();
}

std::string ResultSource::state_json() {
  return ordered_json{{"state", state()}, {"frames", result_.frame_count()}, {"message", nullptr}}.dump();
}

std::string ResultSource::mesh(int body, int revision) {
  const io::DrawnMesh& drawn = result_.drawn(body, revision);
  const std::vector<double>& radius = result_.radius(body, revision);
  const auto corners = static_cast<std::uint32_t>(drawn.shape());
  Bytes out;
  out.reserve(20 + 4 * drawn.cells().size() + 8 * static_cast<std::size_t>(drawn.vertex_count()));
  out.add(kMeshMagic).add(static_cast<std::uint32_t>(drawn.vertex_count()));
  out.add(static_cast<std::uint32_t>(drawn.cells().size() / corners)).add(corners);
  out.add<std::uint32_t>(radius.empty() ? 0 : 1);
  for (const int corner : drawn.cells()) out.add(static_cast<std::uint32_t>(corner));
  for (int v = 0; v < drawn.vertex_count(); ++v) out.add(static_cast<std::int32_t>(drawn.source_vertex(v)));
  for (const double r : radius) out.add(static_cast<float>(r));
  return out.take();
}

std::string ResultSource::frame(std::int64_t frame, bool is_quantised) {
  Bytes out;
  out.add(kFrameMagic).add(static_cast<std::uint32_t>(frame));
  out.add(result_.outline().times[static_cast<std::size_t>(frame)]);
  out.add(static_cast<std::uint32_t>(result_.body_count())).add<std::uint32_t>(is_quantised ? 1 : 0);
  for (int b = 0; b < result_.body_count(); ++b) {
    std::vector<Vec3> points = result_.vertices(b, frame);
    hide_unborn(result_.presence(b, frame), points);
    out.add(static_cast<std::uint32_t>(result_.revision_at(b, frame))).add(static_cast<std::uint32_t>(points.size()));
    if (is_quantised) {
      add_quantised(out, points);
    } else {
      add_floats(out, points);
    }
  }
  return out.take();
}

std::string ResultSource::quantity(std::int64_t frame, const std::string& name) {
  Bytes out;
  out.add(kQuantityMagic).add(static_cast<std::uint32_t>(frame)).add(static_cast<std::uint32_t>(result_.body_count()));
  for (int b = 0; b < result_.body_count(); ++b) {
    std::vector<double> values = result_.quantity(b, name, frame);
    hide_unborn(result_.presence(b, frame), values);
    out.add(static_cast<std::uint32_t>(values.size()));
    for (const double value : values) out.add(static_cast<float>(value));
  }
  return out.take();
}

std::string ResultSource::contacts(std::int64_t frame) {
  const std::vector<io::Contact> contacts = result_.reader().contacts(frame);
  Bytes out;
  out.add(kContactsMagic).add(static_cast<std::uint32_t>(contacts.size()));
  for (const io::Contact& c : contacts) {
    add_floats(out, {c.point, c.normal, c.force});
    out.add(static_cast<std::int32_t>(c.first_body)).add(static_cast<std::int32_t>(c.second_body));
  }
  return out.take();
}

std::string ResultSource::vertex_json(std::int64_t frame, int body, int vertex) {
  const Vec3 position = result_.vertices(body, frame)[static_cast<std::size_t>(vertex)];
  const double speed = result_.quantity(body, "speed", frame)[static_cast<std::size_t>(vertex)];
  const int source = result_.drawn(body, result_.revision_at(body, frame)).source_vertex(vertex);
  return ordered_json{{"source_vertex", source}, {"position", json_of(position)}, {"speed", number_or_null(speed)}}
      .dump();
}

std::string ResultSource::probes_json() const {
  const io::ProbeTable table = io::read_probes(folder_ / "probes.csv");
  ordered_json json{{"columns", table.columns}, {"time", ordered_json::array()}, {"rows", ordered_json::array()}};
  for (const io::ProbeRow& row : table.rows) {
    json["time"].push_back(row.time);
    ordered_json values = ordered_json::array();
    for (const double value : row.values) values.push_back(number_or_null(value));
    json["rows"].push_back(std::move(values));
  }
  return json.dump();
}

std::string ResultSource::scene_text() const {
  return io::read_text_file(folder_ / "scene.yaml", "every run writes one");
}
std::string ResultSource::summary_text() const {
  return io::read_text_file(folder_ / "summary.json", "a run writes it when it ends");
}

}  // namespace pliant::viewer
