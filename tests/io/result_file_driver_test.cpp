// The HDF5 driver: what HDF5 writes through it is an ordinary HDF5 file, once committed.
#include "pliant/io/result_file_driver.h"

#include <gtest/gtest.h>

#include "tests/io/result_scene.h"

namespace pliant::io {
namespace {

using testing::TemporaryFolder;

int value_of(hid_t file, const char* name) {
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  int value = -1;
  H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
  H5Dclose(dataset);
  return value;
}

void write_value(hid_t file, const char* name, int value) {
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t dataset = H5Dcreate2(file, name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
  H5Dclose(dataset);
  H5Sclose(space);
}

TEST(ResultFileDriver, WritesOrdinaryHdf5Files) {
  const TemporaryFolder folder;
  const std::string path = (folder / "a.h5").string();
  ResultStorage storage = ResultStorage::create(path, Durability::process_crash);
  const hid_t access = access_through_storage(storage);
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  ASSERT_GE(file, 0);
  write_value(file, "first", 41);
  H5Fflush(file, H5F_SCOPE_GLOBAL);
  storage.commit();
  write_value(file, "second", 42);
  H5Fflush(file, H5F_SCOPE_GLOBAL);

  // Flushed but not committed: HDF5's own driver sees the first value only.
  const hid_t before = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(before, 0);
  EXPECT_EQ(value_of(before, "first"), 41);
  EXPECT_EQ(H5Lexists(before, "second", H5P_DEFAULT), 0);
  H5Fclose(before);

  storage.commit();
  const hid_t after = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(after, 0);
  EXPECT_EQ(value_of(after, "second"), 42);
  H5Fclose(after);
  H5Fclose(file);
  H5Pclose(access);
}

TEST(ResultFileDriver, ReadsOrdinaryHdf5Files) {
  const TemporaryFolder folder;
  const std::string path = (folder / "a.h5").string();
  const hid_t plain = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  write_value(plain, "value", 7);
  H5Fclose(plain);
  ResultStorage storage = ResultStorage::open_for_reading(path);
  const hid_t access = access_through_storage(storage);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);
  ASSERT_GE(file, 0);
  EXPECT_EQ(value_of(file, "value"), 7);
  H5Fclose(file);
  H5Pclose(access);
}

}  // namespace
}  // namespace pliant::io
