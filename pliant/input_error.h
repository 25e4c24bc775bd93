// InputError: what the user gave cannot be used. One sentence with the place and the remedy; the command line exits
// with 2.
#pragma once

#include <stdexcept>
#include <string>

namespace pliant {

class InputError : public std::runtime_error {
 public:
  // place: "scene.yaml:12", "bunny.obj:7", or "" when there is none.
  InputError(const std::string& place, const std::string& sentence)
      : std::runtime_error(place.empty() ? sentence : place + ": " + sentence), place_(place), sentence_(sentence) {}
  explicit InputError(const std::string& sentence) : InputError("", sentence) {}

  [[nodiscard]] const std::string& place() const { return place_; }
  [[nodiscard]] const std::string& sentence() const { return sentence_; }

 private:
  std::string place_;
  std::string sentence_;
};

}  // namespace pliant
