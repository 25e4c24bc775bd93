// Reads the table of contents of a result (result_file_types.h has the layout) and checks that its parts agree.
#pragma once

#include "pliant/io/result_file_hdf5.h"
#include "pliant/io/result_file_types.h"

namespace pliant::io {

// The version this code reads and writes.
inline constexpr std::int64_t kResultFormatVersion = 1;

// Throws InputError when the file is no result, of another version, or inconsistent.
[[nodiscard]] ResultOutline read_outline(const Hdf5File& file);

// "bodies/sheet/revisions/0"
[[nodiscard]] std::string revision_path(const std::string& body, int revision);

// The datasets of a revision that are not fields.
[[nodiscard]] bool is_reserved_name(const std::string& name);

}  // namespace pliant::io
