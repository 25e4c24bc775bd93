// The HDF5 file driver that reads and writes through a ResultStorage, so that HDF5 files change in commits.
#pragma once

#include <hdf5.h>

#include "pliant/io/result_file_storage.h"

namespace pliant::io {

// A file access property list for H5Fcreate and H5Fopen; the caller closes it. HDF5's file name argument is only used
// in its messages: the storage is already open, and must outlive the HDF5 file.
[[nodiscard]] hid_t access_through_storage(ResultStorage& storage);

}  // namespace pliant::io
