// CRC-64 of a block of bytes, to recognise torn and damaged files.
//
// The polynomial is that of ECMA-182, reflected, with initial value and final xor of all ones; the ASCII digits
// "123456789" give 0x995DC9BBDF1939FA. Every burst of up to 64 wrong bits is noticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pliant::io {

[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> bytes);

// To go on over several blocks: checksum(a followed by b) == checksum(b, checksum(a)).
[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t so_far);

}  // namespace pliant::io
