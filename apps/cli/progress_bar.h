// Shows how far a run is: one line redrawn on a terminal, a plain line every few seconds otherwise.
#pragma once

#include <string>

#include "pliant/scene/run_scene.h"

namespace pliant::cli {

class ProgressBar {
 public:
  ProgressBar();
  void show(const RunProgress& progress);
  // Leaves the terminal's cursor on a fresh line.
  void done();

 private:
  bool is_terminal_;
  double last_shown_ = -1e9;  // s of wall time
  bool has_line_ = false;
};

// "0.8 s", "2:05 min", "1:02:05 h"
[[nodiscard]] std::string readable_duration(double seconds);

}  // namespace pliant::cli
