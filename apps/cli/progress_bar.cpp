#include "progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>
#include <cmath>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace pliant::cli {
namespace {

constexpr double kRedrawSeconds = 0.1;  // on a terminal
constexpr double kLineSeconds = 5;      // elsewhere: logs stay short
constexpr int kBarWidth = 24;

}  // namespace

std::string readable_duration(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::lround(seconds);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02} h", whole / 3600, whole / 60 % 60, whole % 60);
}

ProgressBar::ProgressBar() : is_terminal_(isatty(STDOUT_FILENO) != 0) {}

void ProgressBar::show(const RunProgress& p) {
  const bool last = p.step == p.step_count;
  const bool due = p.wall_seconds - last_shown_ >= (is_terminal_ ? kRedrawSeconds : kLineSeconds);
  if (!due && !last) return;
  last_shown_ = p.wall_seconds;
  const double fraction = p.step_count > 0 ? static_cast<double>(p.step) / static_cast<double>(p.step_count) : 1;
  std::string text = fmt::format("{:3.0f} %  step {}/{}  t = {:.4g} s  {} iterations", 100 * fraction, p.step,
                                 p.step_count, p.time, p.iterations);
  if (!p.converged) text += "  NOT CONVERGED";
  if (p.retries > 0) text += fmt::format("  {} retries", p.retries);
  if (!last) text += fmt::format("  {} left", readable_duration(p.seconds_left));
  if (is_terminal_) {
    const int filled = static_cast<int>(fraction * kBarWidth);
    std::fputs(
        fmt::format("\r\033[K[{}{}] {}", std::string(filled, '#'), std::string(kBarWidth - filled, '.'), text).c_str(),
        stdout);
    has_line_ = true;
  } else {
    std::fputs((text + "\n").c_str(), stdout);
  }
  std::fflush(stdout);
}

void ProgressBar::done() {
  if (has_line_) std::fputs("\n", stdout);
  has_line_ = false;
}

}  // namespace pliant::cli
