#include "pliant/io/checksum.h"

#include <array>

namespace pliant::io {
namespace {

constexpr std::uint64_t kPolynomial = 0xC96C5795D7870F42;  // ECMA-182 with its bits reversed

// tables[k][b] is the remainder of byte b followed by k zero bytes, so that eight bytes are taken at once.
using Tables = std::array<std::array<std::uint64_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::uint64_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = remainder;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint64_t previous = tables[k - 1][byte];
      tables[k][byte] = (previous >> 8) ^ tables[0][previous & 0xFF];
    }
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

std::uint64_t checksum(std::span<const std::byte> bytes) { return checksum(bytes, 0); }

std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t so_far) {
  std::uint64_t remainder = ~so_far;
  const auto* next = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t left = bytes.size();

  // Eight bytes at a time: each of them is followed by a known number of others.
  for (; left >= 8; left -= 8, next += 8) {
    for (unsigned k = 0; k < 8; ++k) remainder ^= static_cast<std::uint64_t>(next[k]) << (8 * k);
    std::uint64_t mixed = 0;
    for (unsigned k = 0; k < 8; ++k) mixed ^= kTables[7 - k][(remainder >> (8 * k)) & 0xFF];
    remainder = mixed;
  }
  for (; left > 0; --left, ++next) remainder = (remainder >> 8) ^ kTables[0][(remainder ^ *next) & 0xFF];
  return ~remainder;
}

}  // namespace pliant::io
