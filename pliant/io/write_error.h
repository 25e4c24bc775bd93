// WriteError: a file could not be written (disk full, no permission, folder missing). Neither the user's input nor our
// mistake, so it is separate from InputError and InternalError; what was written so far may be incomplete.
#pragma once

#include <stdexcept>
#include <string>

namespace pliant::io {

class WriteError : public std::runtime_error {
 public:
  // path: the file as the user would type it; reason: a sentence, for example "the disk is full".
  WriteError(const std::string& path, const std::string& reason)
      : std::runtime_error(path.empty() ? reason : path + ": " + reason), path_(path), reason_(reason) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  std::string path_;
  std::string reason_;
};

}  // namespace pliant::io
