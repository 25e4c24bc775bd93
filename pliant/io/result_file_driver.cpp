// HDF5 calls a table of C functions for each file; ours forward to the storage. Only what HDF5 requires is filled in:
// without `cmp`, the same file opened twice is two files for HDF5, each with its own view of the last commit.
#include "pliant/io/result_file_driver.h"

#include <algorithm>
#include <limits>
#include <new>

#include "pliant/assert.h"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace pliant::io {
namespace {

// HDF5 needs its own struct first; ours follow.
struct StorageFile {
  H5FD_t common;
  ResultStorage* storage;
};

// What the property list carries; HDF5 copies it byte by byte.
struct DriverSettings {
  ResultStorage* storage;
};

ResultStorage& storage_of(const H5FD_t* file) { return *reinterpret_cast<const StorageFile*>(file)->storage; }

H5FD_t* open_file(const char* /*name*/, unsigned /*flags*/, hid_t access, haddr_t /*max_address*/) {
  const auto* settings = static_cast<const DriverSettings*>(H5Pget_driver_info(access));
  if (settings == nullptr) return nullptr;
  auto* file = new (std::nothrow) StorageFile{};
  if (file == nullptr) return nullptr;
  file->storage = settings->storage;
  file->storage->set_allocated_end(0);
  return &file->common;
}

herr_t close_file(H5FD_t* file) {
  delete reinterpret_cast<StorageFile*>(file);
  return 0;
}

// The same freedoms as HDF5's own driver for ordinary files.
herr_t query_features(const H5FD_t* /*file*/, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t get_allocated_end(const H5FD_t* file, H5FD_mem_t /*type*/) { return storage_of(file).allocated_end(); }

herr_t set_allocated_end(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t address) {
  storage_of(file).set_allocated_end(address);
  return 0;
}

haddr_t get_file_end(const H5FD_t* file, H5FD_mem_t /*type*/) { return storage_of(file).size(); }

herr_t read_bytes(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t address, size_t size, void* buffer) {
  return storage_of(file).read(address, {static_cast<std::byte*>(buffer), size}) ? 0 : -1;
}

herr_t write_bytes(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t address, size_t size,
                   const void* buffer) {
  storage_of(file).write(address, {static_cast<const std::byte*>(buffer), size});
  return 0;
}

H5FD_class_t make_driver() {
  H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(600);  // 512 and above are free for private drivers
#endif
  driver.name = "pliant_result";
  driver.maxaddr = static_cast<haddr_t>(std::numeric_limits<std::int64_t>::max());
  driver.fc_degree = H5F_CLOSE_STRONG;  // closing the file closes what is still open in it
  driver.fapl_size = sizeof(DriverSettings);
  driver.open = open_file;
  driver.close = close_file;
  driver.query = query_features;
  driver.get_eoa = get_allocated_end;
  driver.set_eoa = set_allocated_end;
  driver.get_eof = get_file_end;
  driver.read = read_bytes;
  driver.write = write_bytes;
  // Tables and frames keep apart when freed space is used again, as in HDF5's own driver.
  const H5FD_mem_t free_lists[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(free_lists), std::end(free_lists), std::begin(driver.fl_map));
  return driver;
}

}  // namespace

hid_t access_through_storage(ResultStorage& storage) {
  // Registered once per process; HDF5 keeps it until the process ends.
  static const H5FD_class_t driver = make_driver();
  static const hid_t driver_id = H5FDregister(&driver);
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  const DriverSettings settings{&storage};
  const bool ready = driver_id >= 0 && access >= 0 && H5Pset_driver(access, driver_id, &settings) >= 0 &&
                     // The oldest file format: readable everywhere, and without the "open for writing" mark that would
                     // stop other programs from opening the file after a crash.
                     H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST) >= 0;
  PLIANT_ASSERT(ready, "HDF5 accepts the file driver");
  return access;
}

}  // namespace pliant::io
