// One result folder as the viewer's page asks for it: JSON for what is small, arrays of floats for what moves.
//
//   manifest      bodies, times, quantities, camera          (docs/viewer.md has every answer's layout)
//   mesh          cells and radii of a body's revision       "PLM1"
//   frame         drawn vertices of all bodies               "PLF1", as floats or as 16-bit steps between bounds
//   quantity      one float per drawn vertex                 "PLQ1"
//   contacts      points, normals, forces                    "PLC1"
// Also of a run that is still going: refresh() looks for frames finished since.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "pliant/io/drawn_result.h"

namespace pliant::viewer {

class ResultSource {
 public:
  // Throws InputError when there is no result.
  explicit ResultSource(const std::filesystem::path& folder);

  [[nodiscard]] std::string name() const;
  // "running", "done", "interrupted", "could_not_go_on", or "unfinished": a run that was killed.
  [[nodiscard]] std::string state() const;
  void refresh();

  [[nodiscard]] std::string manifest_json(bool is_interactive);
  [[nodiscard]] std::string state_json();
  [[nodiscard]] std::string mesh(int body, int revision);
  [[nodiscard]] std::string frame(std::int64_t frame, bool is_quantised);
  [[nodiscard]] std::string quantity(std::int64_t frame, const std::string& name);
  [[nodiscard]] std::string contacts(std::int64_t frame);
  [[nodiscard]] std::string vertex_json(std::int64_t frame, int body, int vertex);
  [[nodiscard]] std::string probes_json() const;
  // The files themselves. Throws InputError when they are not there.
  [[nodiscard]] std::string scene_text() const;
  [[nodiscard]] std::string summary_text() const;

  [[nodiscard]] const io::DrawnResult& result() const { return result_; }
  [[nodiscard]] io::DrawnResult& result() { return result_; }

 private:
  std::filesystem::path folder_;
  io::DrawnResult result_;
};

}  // namespace pliant::viewer
