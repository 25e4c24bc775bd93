// Answers the page's requests about one result or two. It knows nothing of HTTP but paths and statuses, and never takes
// a file's name from a request: nothing outside the result folders can be asked for.
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "pliant/viewer/result_source.h"

namespace pliant::viewer {

struct Answer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
};

// What dragging asks for: a vertex and where it shall go, or nothing when it was released.
struct DragRequest {
  enum class Action { grab, move, release } action = Action::release;
  std::string body;            // of grab
  int vertex = 0;              // of grab: the body's, not the drawn one
  Vec3 target = Vec3::Zero();  // m, of grab and move
};

struct ApiOptions {
  std::function<void(const DragRequest&)> on_drag;  // unset: nothing can be dragged
};

class Api {
 public:
  // Throws InputError when a folder holds no result.
  explicit Api(const std::vector<std::filesystem::path>& folders, ApiOptions options = {});

  // path: "/api/results/0/frames/12", without query; safe to call from several threads.
  [[nodiscard]] Answer get(const std::string& path, bool is_quantised = false);
  [[nodiscard]] Answer post(const std::string& path, const std::string& body);

 private:
  [[nodiscard]] Answer route(const std::vector<std::string>& parts, bool is_quantised);
  [[nodiscard]] Answer route_result(ResultSource& source, const std::vector<std::string>& parts, bool is_quantised);
  [[nodiscard]] Answer route_frame(ResultSource& source, const std::vector<std::string>& parts, bool is_quantised);

  std::vector<ResultSource> sources_;
  ApiOptions options_;
  std::mutex mutex_;  // HDF5 and the kept meshes allow one caller at a time
};

}  // namespace pliant::viewer
