#include "pliant/io/result_file_hdf5.h"

#include <algorithm>
#include <limits>

#include "pliant/input_error.h"
#include "pliant/io/result_file_driver.h"
#include "pliant/io/write_error.h"

namespace pliant::io {
namespace {

template <typename T>
hid_t memory_type() {
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, int>) return H5T_NATIVE_INT;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
}

// No time stamps inside the file: the same run gives the same bytes, where frames do not wait for each other (result_file.h).
Hdf5Object dataset_properties() {
  Hdf5Object properties(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_obj_track_times(properties.id(), false);
  return properties;
}

}  // namespace

bool Hdf5Object::close() {
  const hid_t id = std::exchange(id_, -1);
  if (id < 0) return true;
  switch (H5Iget_type(id)) {
    case H5I_FILE:
      return H5Fclose(id) >= 0;
    case H5I_GROUP:
      return H5Gclose(id) >= 0;
    case H5I_DATASET:
      return H5Dclose(id) >= 0;
    case H5I_DATASPACE:
      return H5Sclose(id) >= 0;
    case H5I_DATATYPE:
      return H5Tclose(id) >= 0;
    case H5I_ATTR:
      return H5Aclose(id) >= 0;
    case H5I_GENPROP_LST:
      return H5Pclose(id) >= 0;
    default:  // already gone with its file
      return true;
  }
}

Hdf5File::Hdf5File(ResultStorage& storage, std::string path, Mode mode) : storage_(&storage), path_(std::move(path)) {
  const Hdf5Object access(access_through_storage(storage));
  if (mode == Mode::create) {
    file_ = Hdf5Object(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()));
    if (file_.id() < 0) fail_writing("HDF5 cannot create the file");
    return;
  }
  const unsigned flags = mode == Mode::read ? H5F_ACC_RDONLY : H5F_ACC_RDWR;
  file_ = Hdf5Object(H5Fopen(path_.c_str(), flags, access.id()));
  if (file_.id() < 0) throw InputError(path_, "this is not an HDF5 file, or it is damaged; run the simulation again");
  storage.protect_only(storage.allocated_end());
}

void Hdf5File::flush() {
  if (H5Fflush(file_.id(), H5F_SCOPE_GLOBAL) < 0) fail_writing("HDF5 cannot flush the file");
}

void Hdf5File::close() {
  if (!file_.close()) fail_writing("HDF5 cannot close the file");
}

void Hdf5File::fail_writing(const std::string& what) const { throw WriteError(path_, what); }

void Hdf5File::fail_reading(const std::string& what) const {
  throw InputError(path_, "the result is damaged: " + what + "; run the simulation again");
}

Hdf5Object Hdf5File::create_group(const Hdf5Object& parent, const std::string& name) const {
  const Hdf5Object properties(H5Pcreate(H5P_GROUP_CREATE));
  H5Pset_obj_track_times(properties.id(), false);
  Hdf5Object group(H5Gcreate2(parent.id(), name.c_str(), H5P_DEFAULT, properties.id(), H5P_DEFAULT));
  if (group.id() < 0) fail_writing("HDF5 cannot create the group " + name);
  return group;
}

Hdf5Object Hdf5File::open_group(const Hdf5Object& parent, const std::string& name) const {
  Hdf5Object group(H5Gopen2(parent.id(), name.c_str(), H5P_DEFAULT));
  if (group.id() < 0) fail_reading("the group " + name + " is missing");
  return group;
}

Hdf5Object Hdf5File::open_dataset(const Hdf5Object& parent, const std::string& name) const {
  Hdf5Object dataset(H5Dopen2(parent.id(), name.c_str(), H5P_DEFAULT));
  if (dataset.id() < 0) fail_reading("the dataset " + name + " is missing");
  return dataset;
}

bool Hdf5File::has(const Hdf5Object& parent, const std::string& name) const {
  return H5Lexists(parent.id(), name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> Hdf5File::names_in(const Hdf5Object& parent) const {
  H5G_info_t group = {};
  if (H5Gget_info(parent.id(), &group) < 0) fail_reading("a group cannot be listed");
  std::vector<std::string> names;
  for (hsize_t i = 0; i < group.nlinks; ++i) {
    const auto name_of_link = [&](char* text, std::size_t size) {
      return H5Lget_name_by_idx(parent.id(), ".", H5_INDEX_NAME, H5_ITER_INC, i, text, size, H5P_DEFAULT);
    };
    const ssize_t length = name_of_link(nullptr, 0);
    if (length < 0) fail_reading("a group cannot be listed");
    std::string name(static_cast<std::size_t>(length) + 1, '\0');
    if (name_of_link(name.data(), name.size()) < 0) fail_reading("a group cannot be listed");
    name.pop_back();
    names.push_back(std::move(name));
  }
  return names;
}

void Hdf5File::remove(const Hdf5Object& parent, const std::string& name) const {
  if (H5Ldelete(parent.id(), name.c_str(), H5P_DEFAULT) < 0) fail_writing("HDF5 cannot remove " + name);
}

void Hdf5File::set_attribute(const Hdf5Object& object, const std::string& name, const std::string& text) const {
  const Hdf5Object type(H5Tcopy(H5T_C_S1));
  const Hdf5Object space(H5Screate(H5S_SCALAR));
  bool done = H5Tset_size(type.id(), std::max<std::size_t>(text.size(), 1)) >= 0 &&
              H5Tset_cset(type.id(), H5T_CSET_UTF8) >= 0 && H5Tset_strpad(type.id(), H5T_STR_NULLPAD) >= 0;
  const Hdf5Object attribute(H5Acreate2(object.id(), name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT));
  done = done && H5Awrite(attribute.id(), type.id(), text.c_str()) >= 0;
  if (!done) fail_writing("HDF5 cannot write the attribute " + name);
}

void Hdf5File::set_attribute(const Hdf5Object& object, const std::string& name, std::int64_t number) const {
  const Hdf5Object space(H5Screate(H5S_SCALAR));
  const Hdf5Object attribute(
      H5Acreate2(object.id(), name.c_str(), H5T_STD_I64LE, space.id(), H5P_DEFAULT, H5P_DEFAULT));
  if (H5Awrite(attribute.id(), H5T_NATIVE_INT64, &number) < 0) fail_writing("HDF5 cannot write the attribute " + name);
}

std::string Hdf5File::text_attribute(const Hdf5Object& object, const std::string& name) const {
  const Hdf5Object attribute(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT));
  const Hdf5Object type(attribute.id() < 0 ? -1 : H5Aget_type(attribute.id()));
  const bool fixed_text = type.id() >= 0 && H5Tget_class(type.id()) == H5T_STRING && H5Tis_variable_str(type.id()) == 0;
  const Hdf5Object space(fixed_text ? H5Aget_space(attribute.id()) : -1);
  if (!fixed_text || H5Sget_simple_extent_npoints(space.id()) != 1)
    fail_reading("the text attribute " + name + " is missing");
  std::string text(H5Tget_size(type.id()), '\0');
  if (H5Aread(attribute.id(), type.id(), text.data()) < 0) fail_reading("the attribute " + name + " cannot be read");
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

std::int64_t Hdf5File::number_attribute(const Hdf5Object& object, const std::string& name) const {
  const Hdf5Object attribute(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT));
  const Hdf5Object space(attribute.id() < 0 ? -1 : H5Aget_space(attribute.id()));
  std::int64_t number = 0;
  const bool read = space.id() >= 0 && H5Sget_simple_extent_npoints(space.id()) == 1 &&
                    H5Aread(attribute.id(), H5T_NATIVE_INT64, &number) >= 0;
  if (!read) fail_reading("the attribute " + name + " is missing");
  return number;
}

void Hdf5File::write_fixed(const Hdf5Object& parent, const std::string& name, const Shape& shape,
                           std::pair<hid_t, hid_t> file_and_memory_type, const void* values) const {
  const auto [file_type, type] = file_and_memory_type;
  const Hdf5Object space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
  const Hdf5Object properties = dataset_properties();
  const Hdf5Object dataset(
      H5Dcreate2(parent.id(), name.c_str(), file_type, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT));
  const bool empty = std::find(shape.begin(), shape.end(), hsize_t{0}) != shape.end();
  if (dataset.id() < 0 || (!empty && H5Dwrite(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0))
    fail_writing("HDF5 cannot write the dataset " + name);
}

void Hdf5File::write_array(const Hdf5Object& parent, const std::string& name, const Shape& shape,
                           const double* values) const {
  write_fixed(parent, name, shape, {H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE}, values);
}
void Hdf5File::write_array(const Hdf5Object& parent, const std::string& name, const Shape& shape,
                           const int* values) const {
  write_fixed(parent, name, shape, {H5T_STD_I32LE, H5T_NATIVE_INT}, values);
}
void Hdf5File::write_array(const Hdf5Object& parent, const std::string& name, const Shape& shape,
                           const std::int64_t* values) const {
  write_fixed(parent, name, shape, {H5T_STD_I64LE, H5T_NATIVE_INT64}, values);
}

Hdf5Object Hdf5File::create_series(const Hdf5Object& parent, const std::string& name,
                                   const SeriesLayout& layout) const {
  Shape start{0};
  Shape limit{H5S_UNLIMITED};
  Shape chunk{1};
  std::size_t row_size = H5Tget_size(layout.file_type);
  for (const hsize_t extent : layout.row_shape) {
    start.push_back(extent);
    limit.push_back(extent);
    chunk.push_back(std::max<hsize_t>(extent, 1));
    row_size *= chunk.back();
  }
  // One chunk per frame. Short rows share a chunk of 4 KiB: less would spend more on the index than on the data.
  constexpr std::size_t kSmallestChunk = 4096;
  chunk[0] = std::max<hsize_t>(1, kSmallestChunk / row_size);
  // HDF5 stores the size of a chunk in 32 bits.
  if (row_size > std::numeric_limits<std::uint32_t>::max()) fail_writing("one frame of " + name + " exceeds 4 GiB");

  const Hdf5Object space(H5Screate_simple(static_cast<int>(start.size()), start.data(), limit.data()));
  const Hdf5Object properties = dataset_properties();
  bool done = H5Pset_chunk(properties.id(), static_cast<int>(chunk.size()), chunk.data()) >= 0;
  if (layout.compression > 0)
    done = done && H5Pset_shuffle(properties.id()) >= 0 &&
           H5Pset_deflate(properties.id(), static_cast<unsigned>(layout.compression)) >= 0;
  Hdf5Object series(done ? H5Dcreate2(parent.id(), name.c_str(), layout.file_type, space.id(), H5P_DEFAULT,
                                      properties.id(), H5P_DEFAULT)
                         : -1);
  if (series.id() < 0) fail_writing("HDF5 cannot create the dataset " + name);
  return series;
}

void Hdf5File::append_rows(const Hdf5Object& series, hsize_t count, hid_t type, const void* values) const {
  if (count == 0) return;
  Shape shape = shape_of(series);
  Shape start(shape.size(), 0);
  start[0] = shape[0];
  shape[0] += count;
  if (H5Dset_extent(series.id(), shape.data()) < 0) fail_writing("HDF5 cannot extend a dataset");
  shape[0] = count;
  if (std::find(shape.begin(), shape.end(), hsize_t{0}) != shape.end()) return;
  const Hdf5Object place(H5Dget_space(series.id()));
  const Hdf5Object rows(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
  if (H5Sselect_hyperslab(place.id(), H5S_SELECT_SET, start.data(), nullptr, shape.data(), nullptr) < 0 ||
      H5Dwrite(series.id(), type, rows.id(), place.id(), H5P_DEFAULT, values) < 0)
    fail_writing("HDF5 cannot append to a dataset");
}

void Hdf5File::keep_rows(const Hdf5Object& series, hsize_t count) const {
  Shape shape = shape_of(series);
  if (shape.empty() || shape[0] < count) fail_reading("a dataset is shorter than the frames it should hold");
  shape[0] = count;
  if (H5Dset_extent(series.id(), shape.data()) < 0) fail_writing("HDF5 cannot shorten a dataset");
}

Shape Hdf5File::shape_of(const Hdf5Object& dataset) const {
  const Hdf5Object space(H5Dget_space(dataset.id()));
  const int rank = space.id() < 0 ? -1 : H5Sget_simple_extent_ndims(space.id());
  if (rank < 0) fail_reading("a dataset has no shape");
  Shape shape(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space.id(), shape.data(), nullptr);
  return shape;
}

Shape Hdf5File::expect_shape(const Hdf5Object& dataset, const Shape& expected, const std::string& what) const {
  Shape shape = shape_of(dataset);
  bool same = shape.size() == expected.size();
  for (std::size_t i = 0; same && i < shape.size(); ++i) same = expected[i] == kAny || expected[i] == shape[i];
  if (!same) fail_reading(what + " has the wrong shape");
  return shape;
}

// A damaged file may claim any size: gzip packs at most a thousandfold, so more than that is not there.
std::size_t Hdf5File::checked_size(const Shape& shape) const {
  constexpr double kHighestPacking = 1100;
  double bytes = 8;
  std::size_t count = 1;
  for (const hsize_t extent : shape) {
    bytes *= static_cast<double>(extent);
    count *= extent;
  }
  if (bytes > kHighestPacking * static_cast<double>(storage_->size()) + 4096)
    fail_reading("a dataset claims an impossible size");
  return count;
}

void Hdf5File::read_block(const Hdf5Object& dataset, const Shape& start, const Shape& count, hid_t type,
                          void* values) const {
  const Hdf5Object place(H5Dget_space(dataset.id()));
  const Hdf5Object rows(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr));
  if (H5Sselect_hyperslab(place.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) < 0 ||
      H5Dread(dataset.id(), type, rows.id(), place.id(), H5P_DEFAULT, values) < 0)
    fail_reading("a dataset cannot be read");
}

template <typename T>
std::vector<T> Hdf5File::read_rows(const Hdf5Object& dataset, hsize_t first, hsize_t count) const {
  Shape shape = shape_of(dataset);
  if (shape.empty() || first > shape[0] || count > shape[0] - first) fail_reading("a dataset is too short");
  Shape start(shape.size(), 0);
  start[0] = first;
  shape[0] = count;
  std::vector<T> values(checked_size(shape));
  if (!values.empty()) read_block(dataset, start, shape, memory_type<T>(), values.data());
  return values;
}

template <typename T>
std::vector<T> Hdf5File::read_all(const Hdf5Object& dataset) const {
  const Shape shape = shape_of(dataset);
  if (!shape.empty()) return read_rows<T>(dataset, 0, shape[0]);
  std::vector<T> value(1);
  if (H5Dread(dataset.id(), memory_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data()) < 0)
    fail_reading("a dataset cannot be read");
  return value;
}

template std::vector<double> Hdf5File::read_rows(const Hdf5Object&, hsize_t, hsize_t) const;
template std::vector<int> Hdf5File::read_rows(const Hdf5Object&, hsize_t, hsize_t) const;
template std::vector<std::int64_t> Hdf5File::read_rows(const Hdf5Object&, hsize_t, hsize_t) const;
template std::vector<double> Hdf5File::read_all(const Hdf5Object&) const;
template std::vector<int> Hdf5File::read_all(const Hdf5Object&) const;
template std::vector<std::int64_t> Hdf5File::read_all(const Hdf5Object&) const;

}  // namespace pliant::io
