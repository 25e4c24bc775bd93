// Atomic files: complete or not there, and the old one kept when writing fails.
#include "pliant/io/atomic_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/io/result_scene.h"

namespace pliant::io {
namespace {

using testing::content;
using testing::TemporaryFolder;

TEST(AtomicFile, ReplacesTheWholeFile) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a.txt", "a long first text");
  write_file_atomically(folder / "a.txt", "second", Durability::power_loss);
  EXPECT_EQ(content(folder / "a.txt"), "second");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.txt.partial"));
}

TEST(AtomicFile, KeepsTheOldFileUntilFinished) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a.txt", "old");
  {
    AtomicFile file(folder / "a.txt");
    file.write(std::as_bytes(std::span("new", 3)));
    EXPECT_EQ(content(folder / "a.txt"), "old");
  }
  EXPECT_EQ(content(folder / "a.txt"), "old");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.txt.partial"));
}

TEST(AtomicFile, SaysWhyItCannotWrite) {
  const TemporaryFolder folder;
  try {
    write_file_atomically(folder / "missing" / "a.txt", "text");
    FAIL() << "no error";
  } catch (const WriteError& error) {
    EXPECT_NE(error.reason().find("folder does not exist"), std::string::npos) << error.what();
  }
}

TEST(AtomicFile, FullDiskIsReported) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  OpenFile full("/dev/full", 1 /* O_WRONLY */);
  try {
    full.write(std::as_bytes(std::span("x", 1)), 0);
    FAIL() << "no error";
  } catch (const WriteError& error) {
    EXPECT_NE(error.reason().find("the disk is full"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace pliant::io
