// Numbers arrive exactly, bytes in little-endian order, and a stream that refuses data is reported.
#include "pliant/io/mesh_file_output.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <sstream>
#include <string>

#include "pliant/io/write_error.h"

namespace pliant::io {
namespace {

TEST(MeshFileOutput, WritesShortNumbersAndLittleEndianBytes) {
  std::ostringstream stream;
  MeshOutput out(stream, "a");
  out.number(0.1).text(" ").number(-std::numeric_limits<double>::denorm_min()).text(" ");
  out.integer(std::numeric_limits<long long>::min()).text(" ").binary(std::uint32_t{0x64636261});
  out.finish();
  EXPECT_EQ(stream.str(), "0.1 -5e-324 -9223372036854775808 abcd");
}

TEST(MeshFileOutput, LargeOutputArrivesComplete) {
  std::ostringstream stream;
  MeshOutput out(stream, "a");
  for (int i = 0; i < 1000000; ++i) out.text("x");
  out.finish();
  EXPECT_EQ(stream.str(), std::string(1000000, 'x'));
}

TEST(MeshFileOutput, RefusedDataIsReportedWithTheName) {
  std::ostringstream stream;
  stream.setstate(std::ios::badbit);
  MeshOutput out(stream, "name.obj");
  out.text("x");
  try {
    out.finish();
    ADD_FAILURE() << "the stream refused the data";
  } catch (const WriteError& error) {
    EXPECT_EQ(error.path(), "name.obj");
    EXPECT_FALSE(error.reason().empty());
  }
}

TEST(MeshFileOutput, FullDiskIsReportedWithItsReason) {
  std::ofstream file = open_for_writing("/dev/full");
  MeshOutput out(file, "/dev/full");
  out.text("x");
  try {
    out.finish();
    ADD_FAILURE() << "/dev/full is always full";
  } catch (const WriteError& error) {
    EXPECT_NE(error.reason().find("No space left"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace pliant::io
