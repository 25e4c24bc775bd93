#include "pliant/io/mesh_file_output.h"

#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

#include "pliant/io/write_error.h"

namespace pliant::io {

namespace {

constexpr std::size_t kPiece = 1 << 18;  // bytes handed to the stream at once

// errno as the system describes it; standard streams keep it, though the standard does not promise so.
std::string last_reason() {
  if (errno == 0) return "the stream refused the data";
  return std::system_category().message(errno);
}

}  // namespace

MeshOutput::MeshOutput(std::ostream& out, std::string name) : out_(out), name_(std::move(name)) {}

MeshOutput& MeshOutput::text(std::string_view piece) {
  buffer_.append(piece);
  if (buffer_.size() >= kPiece) hand_over();
  return *this;
}

MeshOutput& MeshOutput::number(double value) {
  char digits[32];  // the longest shortest form, -2.2250738585072014e-308, has 24 characters
  const auto written = std::to_chars(digits, digits + sizeof(digits), value);
  return text({digits, static_cast<std::size_t>(written.ptr - digits)});
}

MeshOutput& MeshOutput::integer(long long value) {
  char digits[24];
  const auto written = std::to_chars(digits, digits + sizeof(digits), value);
  return text({digits, static_cast<std::size_t>(written.ptr - digits)});
}

void MeshOutput::hand_over() {
  errno = 0;
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  if (!out_) throw WriteError(name_, "the mesh could not be written: " + last_reason());
  buffer_.clear();
}

void MeshOutput::finish() {
  hand_over();
  errno = 0;
  if (!out_.flush()) throw WriteError(name_, "the mesh could not be written: " + last_reason());
}

std::ofstream open_for_writing(const std::filesystem::path& path) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  if (!file) throw WriteError(path.string(), "the file could not be opened for writing: " + last_reason());
  return file;
}

void close_written(std::ofstream& file, const std::filesystem::path& path) {
  errno = 0;
  file.close();
  if (!file) throw WriteError(path.string(), "the file could not be completed: " + last_reason());
}

}  // namespace pliant::io
