// A number as an error sentence shows it: six significant digits, "0.05", "1e-09", "nan".
#pragma once

#include <cstdio>
#include <string>

namespace pliant::mesh {

[[nodiscard]] inline std::string readable(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

}  // namespace pliant::mesh
