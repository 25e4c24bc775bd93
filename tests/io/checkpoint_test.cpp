// Checkpoints: exact to the bit, replaced atomically, and never half believed.
#include "pliant/io/checkpoint.h"

#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <iterator>
#include <limits>

#include "pliant/assert.h"
#include "pliant/input_error.h"
#include "pliant/io/checksum.h"
#include "tests/io/result_scene.h"

namespace pliant::io {
namespace {

using testing::content;
using testing::same_bits;
using testing::TemporaryFolder;

const std::vector<double> kOddNumbers = {0.0,
                                         -0.0,
                                         0.1,
                                         std::numeric_limits<double>::denorm_min(),
                                         -std::numeric_limits<double>::infinity(),
                                         std::bit_cast<double>(std::uint64_t{0x7FF8000000ABCDEF}),
                                         std::bit_cast<double>(std::uint64_t{0xFFF0000000000001})};

CheckpointWriter small_checkpoint() {
  CheckpointWriter checkpoint;
  checkpoint.add_doubles("positions", kOddNumbers);
  checkpoint.add_integers("steps", std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), 0, 5});
  checkpoint.add_bytes("active", std::vector<std::uint8_t>{0, 1, 255});
  checkpoint.add_text("scene", "title: grüße\n");
  checkpoint.add_doubles("nothing", {});
  return checkpoint;
}

TEST(Checkpoint, ReturnsEveryBit) {
  const TemporaryFolder folder;
  small_checkpoint().write(folder / "c", Durability::power_loss);
  const CheckpointReader reader(folder / "c");
  EXPECT_TRUE(same_bits(reader.doubles("positions"), kOddNumbers));
  EXPECT_EQ(reader.integers("steps"), (std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), 0, 5}));
  EXPECT_EQ(reader.bytes("active"), (std::vector<std::uint8_t>{0, 1, 255}));
  EXPECT_EQ(reader.text("scene"), "title: grüße\n");
  EXPECT_TRUE(reader.doubles("nothing").empty());
  EXPECT_TRUE(reader.has("nothing"));
  EXPECT_FALSE(reader.has("something"));
}

TEST(Checkpoint, MissingOrMistypedEntriesAreErrors) {
  const TemporaryFolder folder;
  small_checkpoint().write(folder / "c");
  const CheckpointReader reader(folder / "c");
  EXPECT_THROW((void)reader.doubles("something"), InputError);
  EXPECT_THROW((void)reader.doubles("steps"), InputError);
  EXPECT_THROW((void)reader.text("active"), InputError);
  CheckpointWriter twice;
  twice.add_text("a", "");
  EXPECT_THROW(twice.add_text("a", ""), InternalError);
}

TEST(Checkpoint, NoticesEveryCutAndEveryDamagedByte) {
  const TemporaryFolder folder;
  small_checkpoint().write(folder / "c");
  const std::string intact = content(folder / "c");
  for (std::size_t length = 0; length < intact.size(); ++length) {
    std::ofstream(folder / "cut", std::ios::binary) << intact.substr(0, length);
    EXPECT_THROW(CheckpointReader(folder / "cut"), InputError) << length;
  }
  for (std::size_t at = 0; at < intact.size(); ++at) {
    std::string damaged = intact;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    std::ofstream(folder / "damaged", std::ios::binary) << damaged;
    EXPECT_THROW(CheckpointReader(folder / "damaged"), InputError) << at;
  }
  EXPECT_THROW(CheckpointReader(folder / "missing"), InputError);
  EXPECT_THROW(CheckpointReader(folder.path()), InputError) << "a folder";
}

// Lengths made up on purpose, with a checksum that fits.
TEST(Checkpoint, RefusesLengthsBeyondTheFile) {
  const TemporaryFolder folder;
  small_checkpoint().write(folder / "c");
  std::string text = content(folder / "c");
  constexpr std::size_t kFirstCount = 16 + 8;  // after the file's header, the entry's name length and type
  for (const std::uint64_t count : {std::uint64_t{8}, std::uint64_t{1} << 61, ~std::uint64_t{0}}) {
    std::memcpy(&text[kFirstCount], &count, sizeof(count));
    const std::size_t end = text.size() - 8;
    const std::uint64_t sum = checksum(std::as_bytes(std::span(text.data(), end)));
    std::memcpy(&text[end], &sum, sizeof(sum));
    std::ofstream(folder / "made_up", std::ios::binary) << text;
    EXPECT_THROW(CheckpointReader(folder / "made_up"), InputError) << count;
  }
}

TEST(Checkpoint, FailingWriteKeepsThePreviousOne) {
  const TemporaryFolder folder;
  small_checkpoint().write(folder / "c");
  std::filesystem::create_directory(folder / "c.partial");
  EXPECT_THROW(CheckpointWriter().write(folder / "c"), WriteError);
  EXPECT_TRUE(same_bits(CheckpointReader(folder / "c").doubles("positions"), kOddNumbers));
}

}  // namespace
}  // namespace pliant::io
