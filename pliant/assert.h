// PLIANT_ASSERT(condition, "what must hold"): a mistake of ours, never of the user's input (that is InputError).
// Checked in every build; keep it out of per-element loops.
#pragma once

#include <stdexcept>
#include <string>

namespace pliant {

// A broken promise inside Pliant. The command line reports it with exit code 1.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] inline void assertion_failed(const char* condition, const char* what, const char* file, int line) {
  throw InternalError(std::string(file) + ":" + std::to_string(line) + ": " + what + " (" + condition + ")");
}

}  // namespace pliant

#define PLIANT_ASSERT(condition, what) \
  (static_cast<bool>(condition) ? void(0) : ::pliant::assertion_failed(#condition, what, __FILE__, __LINE__))
