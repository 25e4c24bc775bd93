// MeshOutput: text and bytes on their way to a mesh file, gathered in large pieces because a stream call per number is
// several times slower. Numbers are written with the fewest digits that read back to the same double.
// Throws WriteError when the stream refuses a piece (disk full, pipe closed).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <string_view>

namespace pliant::io {

class MeshOutput {
 public:
  MeshOutput(std::ostream& out, std::string name);

  MeshOutput& text(std::string_view piece);
  MeshOutput& number(double value);
  MeshOutput& integer(long long value);
  // The bytes of a value, least significant first.
  template <class T>
  MeshOutput& binary(T value);

  // Hands everything to the stream and checks that it arrived. Call it last: a destructor could not report a failure.
  void finish();

 private:
  void hand_over();

  std::ostream& out_;
  std::string name_;
  std::string buffer_;
};

// A file opened for writing; throws WriteError when that is not possible.
std::ofstream open_for_writing(const std::filesystem::path& path);
// Closes it, and throws WriteError when the last bytes did not arrive.
void close_written(std::ofstream& file, const std::filesystem::path& path);

template <class T>
MeshOutput& MeshOutput::binary(T value) {
  auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
  if constexpr (std::endian::native == std::endian::big) std::reverse(bytes.begin(), bytes.end());
  return text({bytes.data(), bytes.size()});
}

}  // namespace pliant::io
