#include "pliant/viewer/api.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "pliant/input_error.h"
#include "pliant/io/plain_text.h"

namespace pliant::viewer {
namespace {

Answer error(int status, const std::string& sentence) {
  return {status, "application/json", nlohmann::json{{"error", sentence}}.dump()};
}

Answer binary(std::string bytes) { return {200, "application/octet-stream", std::move(bytes)}; }
Answer json(std::string text) { return {200, "application/json", std::move(text)}; }

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : path + "/") {
    if (c != '/') {
      part += c;
    } else if (!part.empty()) {
      parts.push_back(std::exchange(part, {}));
    }
  }
  return parts;
}

// Digits only, below `count`.
std::optional<std::int64_t> index_below(const std::string& word, std::int64_t count) {
  std::int64_t number = 0;
  if (!io::parse_number(word, number) || number < 0 || number >= count) return std::nullopt;
  return number;
}

std::optional<Vec3> point_of(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array() || found->size() != 3) return std::nullopt;
  Vec3 point;
  for (int c = 0; c < 3; ++c) {
    if (!(*found)[static_cast<std::size_t>(c)].is_number()) return std::nullopt;
    point[c] = (*found)[static_cast<std::size_t>(c)].get<double>();
  }
  if (!point.allFinite()) return std::nullopt;
  return point;
}

}  // namespace

Api::Api(const std::vector<std::filesystem::path>& folders, ApiOptions options) : options_(std::move(options)) {
  for (const std::filesystem::path& folder : folders) sources_.emplace_back(folder);
}

Answer Api::get(const std::string& path, bool is_quantised) {
  const std::lock_guard lock(mutex_);
  const std::vector<std::string> parts = parts_of(path);
  try {
    return route(parts, is_quantised);
  } catch (const InputError& problem) {
    return error(404, problem.what());
  }
}

Answer Api::route(const std::vector<std::string>& parts, bool is_quantised) {
  if (parts.size() < 2 || parts[0] != "api" || parts[1] != "results")
    return error(404, "there is nothing of that name here");
  if (parts.size() == 2) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (std::size_t r = 0; r < sources_.size(); ++r) list.push_back({{"id", r}, {"name", sources_[r].name()}});
    return json(list.dump());
  }
  const auto result = index_below(parts[2], static_cast<std::int64_t>(sources_.size()));
  if (!result) return error(404, "there is no result '" + parts[2] + "'");
  return route_result(sources_[static_cast<std::size_t>(*result)], parts, is_quantised);
}

// parts: api results {r} …
Answer Api::route_result(ResultSource& source, const std::vector<std::string>& parts, bool is_quantised) {
  if (parts.size() == 3) {
    source.refresh();
    return json(source.manifest_json(static_cast<bool>(options_.on_drag)));
  }
  const std::string& what = parts[3];
  if (what == "frames" && parts.size() >= 5) return route_frame(source, parts, is_quantised);
  if (what == "bodies" && parts.size() == 8 && parts[5] == "revisions" && parts[7] == "mesh") {
    const auto body = index_below(parts[4], source.result().body_count());
    if (!body) return error(404, "there is no body '" + parts[4] + "'");
    const auto& revisions = source.result().outline().bodies[static_cast<std::size_t>(*body)].revisions;
    const auto revision = index_below(parts[6], static_cast<std::int64_t>(revisions.size()));
    if (!revision) return error(404, "the body has no revision '" + parts[6] + "'");
    return binary(source.mesh(static_cast<int>(*body), static_cast<int>(*revision)));
  }
  if (parts.size() == 4 && what == "state") {
    source.refresh();
    return json(source.state_json());
  }
  if (parts.size() == 4 && what == "probes") return json(source.probes_json());
  if (parts.size() == 4 && what == "scene") return {200, "text/plain; charset=utf-8", source.scene_text()};
  if (parts.size() == 4 && what == "summary") return json(source.summary_text());
  return error(404, "a result has nothing named '" + what + "'");
}

// parts: api results {r} frames {f} …
Answer Api::route_frame(ResultSource& source, const std::vector<std::string>& parts, bool is_quantised) {
  const auto frame = index_below(parts[4], source.result().frame_count());
  if (!frame) {
    return error(404, "there is no frame '" + parts[4] + "'; the result has " +
                          std::to_string(source.result().frame_count()) + " frames");
  }
  if (parts.size() == 5) return binary(source.frame(*frame, is_quantised));
  if (parts.size() == 6 && parts[5] == "contacts") return binary(source.contacts(*frame));
  if (parts.size() == 7 && parts[5] == "quantity") return binary(source.quantity(*frame, parts[6]));
  if (parts.size() == 8 && parts[5] == "vertex") {
    const auto body = index_below(parts[6], source.result().body_count());
    if (!body) return error(404, "there is no body '" + parts[6] + "'");
    const int b = static_cast<int>(*body), revision = source.result().revision_at(b, *frame);
    const auto vertex = index_below(parts[7], source.result().drawn(b, revision).vertex_count());
    if (!vertex) return error(404, "the body has no vertex '" + parts[7] + "'");
    return json(source.vertex_json(*frame, b, static_cast<int>(*vertex)));
  }
  return error(404, "a frame has nothing named '" + parts[5] + "'");
}

Answer Api::post(const std::string& path, const std::string& body) {
  const std::vector<std::string> parts = parts_of(path);
  if (parts.size() != 4 || parts[0] != "api" || parts[1] != "results" || parts[3] != "drag" ||
      !index_below(parts[2], static_cast<std::int64_t>(sources_.size())))
    return error(404, "nothing can be sent there");
  if (!options_.on_drag) return error(409, "nothing can be dragged: this is not a run that was started with --view");
  const auto request = nlohmann::json::parse(body, nullptr, false);
  if (!request.is_object()) return error(400, "expected a JSON object");
  const auto given = request.find("action");
  const std::string action = given != request.end() && given->is_string() ? given->get<std::string>() : "";
  DragRequest drag;
  if (action == "release") {
    options_.on_drag(drag);
    return {204, "application/json", ""};
  }
  if (action != "grab" && action != "move") return error(400, "'action' must be grab, move or release");
  const std::optional<Vec3> target = point_of(request, "target");
  if (!target) return error(400, "'target' must be three numbers");
  drag.target = *target;
  drag.action = action == "move" ? DragRequest::Action::move : DragRequest::Action::grab;
  if (drag.action == DragRequest::Action::grab) {
    const auto number = [&](const char* key) {
      const auto found = request.find(key);
      return found != request.end() && found->is_number_integer() ? found->get<std::int64_t>() : -1;
    };
    const std::lock_guard lock(mutex_);
    io::DrawnResult& result = sources_[0].result();
    const std::int64_t b = number("body"), v = number("vertex");
    if (b < 0 || b >= result.body_count()) return error(400, "'body' must be the number of a body");
    const int revision = result.revision_at(static_cast<int>(b), std::max<std::int64_t>(0, result.frame_count() - 1));
    const io::DrawnMesh& drawn = result.drawn(static_cast<int>(b), revision);
    if (v < 0 || v >= drawn.vertex_count())
      return error(400, "'vertex' must be the number of a drawn vertex of the body");
    drag.body = result.outline().bodies[static_cast<std::size_t>(b)].name;
    drag.vertex = drawn.nearest_source_vertex(static_cast<int>(v));
  }
  options_.on_drag(drag);
  return {204, "application/json", ""};
}

}  // namespace pliant::viewer
