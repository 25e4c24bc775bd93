// ResultStorage: commits are all or nothing, readers see one of them, and damage is noticed.
#include "pliant/io/result_file_storage.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "pliant/input_error.h"
#include "pliant/io/checksum.h"
#include "tests/io/result_scene.h"

namespace pliant::io {
namespace {

using testing::TemporaryFolder;
using Bytes = std::vector<std::byte>;

Bytes read_all(const ResultStorage& storage, std::size_t size) {
  Bytes bytes(size);
  EXPECT_TRUE(storage.read(0, bytes));
  return bytes;
}

// A file of which we always know what it should hold.
struct Mirror {
  Bytes written;
  Bytes committed;
  std::mt19937 random{7};

  void scribble(ResultStorage& storage) {
    const std::size_t offset = random() % (written.size() + 1);  // no gaps: what they hold is not promised
    Bytes piece(1 + random() % 9000, std::byte(random() % 256));
    storage.write(offset, piece);
    if (written.size() < offset + piece.size()) written.resize(offset + piece.size());
    std::copy(piece.begin(), piece.end(), written.begin() + static_cast<std::ptrdiff_t>(offset));
    EXPECT_EQ(read_all(storage, written.size()), written);
  }
  void commit(ResultStorage& storage) {
    storage.set_allocated_end(written.size());
    storage.commit();
    committed = written;
  }
};

TEST(ResultFileStorage, HoldsTheLastCommitWhateverWasWrittenSince) {
  const TemporaryFolder folder;
  Mirror mirror;
  {
    ResultStorage storage = ResultStorage::create(folder / "f", Durability::process_crash);
    for (int i = 0; i < 5; ++i) mirror.scribble(storage);
    EXPECT_FALSE(std::filesystem::exists(folder / "f"));
    mirror.commit(storage);
  }
  for (int round = 0; round < 20; ++round) {
    mirror.written = mirror.committed;
    ResultStorage storage = ResultStorage::open_for_writing(folder / "f", Durability::process_crash);
    storage.protect_only(mirror.committed.size());
    for (int commit = 0; commit < 3; ++commit) {
      for (int i = 0; i < 4; ++i) mirror.scribble(storage);
      if (commit < 2) mirror.commit(storage);
      const ResultStorage reader = ResultStorage::open_for_reading(folder / "f");
      EXPECT_EQ(read_all(reader, mirror.committed.size()), mirror.committed);
    }
  }
}

TEST(ResultFileStorage, ReadersKeepTheirCommitAndTheWriterGoesOn) {
  const TemporaryFolder folder;
  Mirror mirror;
  ResultStorage storage = ResultStorage::create(folder / "f", Durability::power_loss);
  mirror.scribble(storage);
  mirror.commit(storage);
  {
    const Bytes first = mirror.committed;
    const ResultStorage early = ResultStorage::open_for_reading(folder / "f");
    for (int i = 0; i < 5; ++i) {
      mirror.scribble(storage);
      mirror.commit(storage);
      const ResultStorage late = ResultStorage::open_for_reading(folder / "f");
      EXPECT_EQ(read_all(late, mirror.committed.size()), mirror.committed);
      EXPECT_EQ(read_all(early, first.size()), first);
    }
    EXPECT_TRUE(std::filesystem::exists(folder / "f.log"));
  }
  mirror.scribble(storage);
  mirror.scribble(storage);
  mirror.commit(storage);
  storage.finish();
  EXPECT_FALSE(std::filesystem::exists(folder / "f.log"));
  EXPECT_EQ(read_all(ResultStorage::open_for_reading(folder / "f"), mirror.committed.size()), mirror.committed);
}

TEST(ResultFileStorage, IgnoresWhatIsWrittenAfterAbandoning) {
  const TemporaryFolder folder;
  Mirror mirror;
  ResultStorage storage = ResultStorage::create(folder / "f", Durability::process_crash);
  mirror.scribble(storage);
  mirror.commit(storage);
  storage.abandon();
  storage.write(0, Bytes(10000, std::byte{1}));
  EXPECT_EQ(read_all(storage, mirror.committed.size()), mirror.committed);
}

TEST(ResultFileStorage, NoticesADamagedLog) {
  const TemporaryFolder folder;
  ResultStorage storage = ResultStorage::create(folder / "f", Durability::process_crash);
  Mirror mirror;
  mirror.scribble(storage);
  mirror.commit(storage);
  const ResultStorage holding_the_file = ResultStorage::open_for_reading(folder / "f");
  storage.write(0, Bytes(100, std::byte{9}));
  storage.commit();  // stays in the log while the reader is there
  const auto size = std::filesystem::file_size(folder / "f.log");
  for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{17}, size / 2, size - 1}) {
    std::fstream log(folder / "f.log", std::ios::in | std::ios::out | std::ios::binary);
    log.seekg(static_cast<std::streamoff>(offset));
    const int byte = log.peek();
    log.seekp(static_cast<std::streamoff>(offset));
    log.put(static_cast<char>(byte ^ 4));
    log.close();
    EXPECT_THROW((void)ResultStorage::open_for_reading(folder / "f"), InputError) << offset;
    log.open(folder / "f.log", std::ios::in | std::ios::out | std::ios::binary);
    log.seekp(static_cast<std::streamoff>(offset));
    log.put(static_cast<char>(byte));
  }
  EXPECT_NO_THROW((void)ResultStorage::open_for_reading(folder / "f"));
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{20}, size - 1}) {
    std::filesystem::resize_file(folder / "f.log", length);
    EXPECT_THROW((void)ResultStorage::open_for_reading(folder / "f"), InputError) << length;
  }
}

// Sound by its checksum, but nothing was ever overwritten where the file has nothing.
TEST(ResultFileStorage, RefusesALogWithPagesBeyondTheFile) {
  const TemporaryFolder folder;
  std::ofstream(folder / "f", std::ios::binary) << std::string(4096, 'a');
  const auto write_log = [&](std::uint64_t page_index) {
    const std::uint64_t header[] = {4096, 1, page_index};  // end, count, the first page's index
    std::string log = "PLIANTL1" + std::string(reinterpret_cast<const char*>(header), sizeof(header));
    log += std::string(4096, 'b');
    const std::uint64_t sum = checksum(std::as_bytes(std::span(log)));
    log += std::string(reinterpret_cast<const char*>(&sum), sizeof(sum));
    std::ofstream(folder / "f.log", std::ios::binary) << log;
  };
  write_log(0);
  EXPECT_EQ(read_all(ResultStorage::open_for_reading(folder / "f"), 4096), Bytes(4096, std::byte{'b'}));
  for (const std::uint64_t index : {std::uint64_t{1}, std::uint64_t{1} << 52, ~std::uint64_t{0}}) {
    write_log(index);
    EXPECT_THROW((void)ResultStorage::open_for_reading(folder / "f"), InputError) << index;
    EXPECT_THROW((void)ResultStorage::open_for_writing(folder / "f", Durability::process_crash), InputError) << index;
  }
}

TEST(ResultFileStorage, MissingFileIsTheUsersMistake) {
  const TemporaryFolder folder;
  EXPECT_THROW((void)ResultStorage::open_for_reading(folder / "f"), InputError);
  EXPECT_THROW((void)ResultStorage::open_for_writing(folder / "f", Durability::process_crash), InputError);
}

}  // namespace
}  // namespace pliant::io
