// The viewer of a run that is going on, as a process of its own; what its user pulls comes back here.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "pliant/scene/interaction.h"

namespace pliant::cli {

class ViewProcess {
 public:
  // The folder must hold a result already. Throws InputError.
  ViewProcess(const std::string& folder, int port);
  ~ViewProcess();
  ViewProcess(const ViewProcess&) = delete;
  ViewProcess& operator=(const ViewProcess&) = delete;

  // What is pulled now; never waits.
  [[nodiscard]] std::optional<Hand> hand();
  [[nodiscard]] bool is_alive();

 private:
  void apply(const std::string& line);

  pid_t child_ = 0;
  int pipe_ = -1;
  std::string received_;  // not yet a whole line
  std::optional<Hand> hand_;
};

}  // namespace pliant::cli
