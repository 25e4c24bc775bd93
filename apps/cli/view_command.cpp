// pliant view, and the process that serves the page while `pliant run --view` simulates.
//
// A run is served by a process of its own: HDF5 is not made for two threads, and a reader of finished frames needs
// nothing from the run. What is dragged comes back to the run through the server's standard output, a line each:
//   grab <vertex> <x> <y> <z> <body>  |  move <x> <y> <z>  |  release
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <sstream>
#include <thread>

#include "commands.h"
#include "pliant/input_error.h"
#include "pliant/viewer/api.h"
#include "pliant/viewer/page.h"
#include "pliant/viewer/server.h"
#include "view_process.h"

namespace pliant::cli {
namespace {

volatile std::sig_atomic_t should_stop = 0;
extern "C" void stop_serving(int) { should_stop = 1; }

std::string line_of(const viewer::DragRequest& drag) {
  const Vec3& t = drag.target;
  switch (drag.action) {
    case viewer::DragRequest::Action::grab:
      return fmt::format("grab {} {} {} {} {}\n", drag.vertex, t[0], t[1], t[2], drag.body);
    case viewer::DragRequest::Action::move:
      return fmt::format("move {} {} {}\n", t[0], t[1], t[2]);
    case viewer::DragRequest::Action::release:
      break;
  }
  return "release\n";
}

}  // namespace

int view(const ViewArguments& arguments) {
  viewer::ApiOptions options;
  if (arguments.sends_drags) {
    options.on_drag = [](const viewer::DragRequest& drag) {
      print(line_of(drag));
      std::fflush(stdout);
    };
  }
  viewer::Api api({arguments.folders.begin(), arguments.folders.end()}, options);
  viewer::Server server(api, std::string(viewer::page_html()), arguments.port);
  std::signal(SIGINT, stop_serving);
  std::signal(SIGTERM, stop_serving);
  std::fputs(fmt::format("look at {} (Ctrl-C ends it)\n", server.address()).c_str(), stderr);
  std::thread loop([&] { server.run(); });
  const pid_t parent = ::getppid();
  while (should_stop == 0 && (!arguments.sends_drags || ::getppid() == parent))
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  server.stop();
  loop.join();
  return kDone;
}

// --- The run's side ---

ViewProcess::ViewProcess(const std::string& folder, int port) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw InputError("the viewer cannot be started: no pipe");
  const std::string port_text = std::to_string(port);
  child_ = ::fork();
  if (child_ == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::execl("/proc/self/exe", "pliant", "view", folder.c_str(), "--port", port_text.c_str(), "--send-drags",
            static_cast<char*>(nullptr));
    ::_exit(kInternalError);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
}

ViewProcess::~ViewProcess() {
  ::close(pipe_);
  if (child_ <= 0) return;
  ::kill(child_, SIGTERM);
  ::waitpid(child_, nullptr, 0);
}

std::optional<Hand> ViewProcess::hand() {
  pollfd waiting{pipe_, POLLIN, 0};
  while (::poll(&waiting, 1, 0) > 0 && (waiting.revents & POLLIN) != 0) {
    char buffer[4096];
    const ssize_t count = ::read(pipe_, buffer, sizeof buffer);
    if (count <= 0) break;
    received_.append(buffer, static_cast<std::size_t>(count));
  }
  for (std::size_t end; (end = received_.find('\n')) != std::string::npos; received_.erase(0, end + 1))
    apply(received_.substr(0, end));
  return hand_;
}

void ViewProcess::apply(const std::string& line) {
  std::istringstream words(line);
  std::string action;
  words >> action;
  if (action == "release") hand_.reset();
  if (action == "grab") {
    Hand hand;
    words >> hand.vertex >> hand.target[0] >> hand.target[1] >> hand.target[2] >> std::ws;
    std::getline(words, hand.body);
    hand_ = hand;
  }
  if (action == "move" && hand_) words >> hand_->target[0] >> hand_->target[1] >> hand_->target[2];
}

bool ViewProcess::is_alive() { return child_ > 0 && ::waitpid(child_, nullptr, WNOHANG) == 0; }

}  // namespace pliant::cli
