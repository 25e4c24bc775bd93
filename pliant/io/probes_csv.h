// probes.csv: one row per nominal time step, one column per probed number.
//
//   step,time,corner.x,corner.y        numbers with the fewest digits that read back to the same double
//   0,0,0.5,1                          (nan and inf as such)
//
// A row is written in one piece and is on its way to the disk when append() returns, so a killed run keeps its rows;
// at most the row being written is cut off, and reopen() removes such a rest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pliant/io/atomic_file.h"

namespace pliant::io {

class ProbesCsv {
 public:
  // A new file; columns: names after step and time. Throws WriteError.
  ProbesCsv(const std::filesystem::path& path, const std::vector<std::string>& columns);
  // Goes on after the first kept_rows rows. Throws InputError when the file is missing, has other columns or fewer
  // rows.
  [[nodiscard]] static ProbesCsv reopen(const std::filesystem::path& path, const std::vector<std::string>& columns,
                                        std::int64_t kept_rows);

  // time in s; one value per column. Throws WriteError; complete rows stay.
  void append(std::int64_t step, double time, std::span<const double> values);

  [[nodiscard]] std::int64_t row_count() const { return row_count_; }

 private:
  ProbesCsv() = default;

  OpenFile file_;
  std::size_t column_count_ = 0;
  std::size_t size_ = 0;  // bytes of the header and all complete rows
  std::int64_t row_count_ = 0;
};

struct ProbeRow {
  std::int64_t step = 0;
  double time = 0;  // s
  std::vector<double> values;
};
struct ProbeTable {
  std::vector<std::string> columns;  // after step and time
  std::vector<ProbeRow> rows;
};

// The complete rows of a probes.csv, also of a run that is still going: a rest without a newline is left out. Throws
// InputError, with the line, when the file is missing or is no such table.
[[nodiscard]] ProbeTable read_probes(const std::filesystem::path& path);

}  // namespace pliant::io
