// Numbers in a row, little-endian, for the binary answers of the viewer.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

namespace pliant::viewer {

class Bytes {
 public:
  template <typename Number>
  Bytes& add(Number number) {
    static_assert(std::endian::native == std::endian::little, "answers are sent as they stand in memory");
    char bytes[sizeof(Number)];
    std::memcpy(bytes, &number, sizeof(Number));
    text_.append(bytes, sizeof(Number));
    return *this;
  }
  // Zeros up to a multiple of four bytes: arrays of floats that follow must be aligned.
  Bytes& align() {
    text_.append((4 - text_.size() % 4) % 4, '\0');
    return *this;
  }
  void reserve(std::size_t size) { text_.reserve(size); }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace pliant::viewer
