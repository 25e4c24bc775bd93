// The HDF5 operations of results: series grow and shrink, shapes and sizes are checked.
#include "pliant/io/result_file_hdf5.h"

#include <gtest/gtest.h>

#include <numeric>

#include "pliant/input_error.h"
#include "tests/io/result_scene.h"

namespace pliant::io {
namespace {

using testing::TemporaryFolder;

class Hdf5 : public ::testing::Test {
 protected:
  Hdf5Quiet quiet;
  TemporaryFolder folder;
  ResultStorage storage = ResultStorage::create(folder / "a.h5", Durability::process_crash);
  Hdf5File file{storage, "a.h5", Hdf5File::Mode::create};
};

TEST_F(Hdf5, SeriesGrowAndShrink) {
  for (const int compression : {0, 3}) {
    const std::string name = "rows" + std::to_string(compression);
    const Hdf5Object series = file.create_series(file.root(), name, {{2}, H5T_IEEE_F64LE, compression});
    std::vector<double> expected(40);
    std::iota(expected.begin(), expected.end(), 0.5);
    file.append_rows(series, 13, H5T_NATIVE_DOUBLE, expected.data());
    file.append_rows(series, 0, H5T_NATIVE_DOUBLE, nullptr);
    file.append_rows(series, 7, H5T_NATIVE_DOUBLE, expected.data() + 26);
    EXPECT_EQ(file.read_all<double>(series), expected);
    EXPECT_EQ(file.read_rows<double>(series, 3, 2), (std::vector<double>{6.5, 7.5, 8.5, 9.5}));
    file.keep_rows(series, 5);
    expected.resize(10);
    EXPECT_EQ(file.read_all<double>(series), expected);
    EXPECT_THROW(file.keep_rows(series, 6), InputError);
    EXPECT_THROW((void)file.read_rows<double>(series, 5, 1), InputError);
    EXPECT_TRUE(file.read_rows<double>(series, 5, 0).empty());
  }
}

TEST_F(Hdf5, RowsWithoutEntriesStillCount) {
  const Hdf5Object series = file.create_series(file.root(), "none", {{0, 3}, H5T_IEEE_F64LE, 0});
  file.append_rows(series, 4, H5T_NATIVE_DOUBLE, nullptr);
  EXPECT_EQ(file.shape_of(series), (Shape{4, 0, 3}));
}

TEST_F(Hdf5, AttributesReadBack) {
  file.set_attribute(file.root(), "text", std::string("grüße"));
  file.set_attribute(file.root(), "empty", std::string());
  file.set_attribute(file.root(), "number", std::int64_t{-5000000000});
  EXPECT_EQ(file.text_attribute(file.root(), "text"), "grüße");
  EXPECT_EQ(file.text_attribute(file.root(), "empty"), "");
  EXPECT_EQ(file.number_attribute(file.root(), "number"), -5000000000);
  EXPECT_THROW((void)file.text_attribute(file.root(), "missing"), InputError);
  EXPECT_THROW((void)file.text_attribute(file.root(), "number"), InputError);
  EXPECT_THROW((void)file.number_attribute(file.root(), "text"), InputError);
}

TEST_F(Hdf5, ChecksShapes) {
  const std::vector<int> values(6);
  file.write_array(file.root(), "table", {2, 3}, values.data());
  const Hdf5Object table = file.open_dataset(file.root(), "table");
  EXPECT_EQ(file.expect_shape(table, {Hdf5File::kAny, 3}, "table"), (Shape{2, 3}));
  EXPECT_THROW((void)file.expect_shape(table, {2, 4}, "table"), InputError);
  EXPECT_THROW((void)file.expect_shape(table, {6}, "table"), InputError);
  EXPECT_THROW((void)file.open_dataset(file.root(), "chair"), InputError);
  EXPECT_THROW((void)file.open_group(file.root(), "chair"), InputError);
}

// A few bytes of file can claim any number of rows; reading must refuse, not run out of memory.
TEST_F(Hdf5, RefusesImpossibleSizes) {
  const Hdf5Object series = file.create_series(file.root(), "rows", {{3}, H5T_IEEE_F64LE, 0});
  const Shape claimed = {hsize_t{1} << 50, 3};
  ASSERT_GE(H5Dset_extent(series.id(), claimed.data()), 0);
  EXPECT_THROW((void)file.read_all<double>(series), InputError);
  EXPECT_EQ(file.read_rows<double>(series, 1000, 1), (std::vector<double>{0, 0, 0}));
}

}  // namespace
}  // namespace pliant::io
