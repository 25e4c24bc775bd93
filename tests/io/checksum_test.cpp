// checksum: the published check value, chaining, and that every single flipped bit is noticed.
#include "pliant/io/checksum.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace pliant::io {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(Checksum, HasThePublishedCheckValue) {
  EXPECT_EQ(checksum(bytes_of("123456789")), 0x995DC9BBDF1939FAu);
  EXPECT_EQ(checksum({}), 0u);
}

TEST(Checksum, GoesOnOverBlocks) {
  const std::string_view text = "a time step is one short function whose lines are the stages";
  for (std::size_t cut = 0; cut <= text.size(); ++cut)
    EXPECT_EQ(checksum(bytes_of(text.substr(cut)), checksum(bytes_of(text.substr(0, cut)))), checksum(bytes_of(text)));
}

TEST(Checksum, NoticesEveryFlippedBit) {
  std::vector<std::byte> bytes(37, std::byte{0x5A});
  const std::uint64_t intact = checksum(bytes);
  for (std::byte& byte : bytes)
    for (int bit = 0; bit < 8; ++bit) {
      const std::byte kept = byte;
      byte ^= std::byte{1} << bit;
      EXPECT_NE(checksum(bytes), intact);
      byte = kept;
    }
}

}  // namespace
}  // namespace pliant::io
