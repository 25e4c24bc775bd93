#include "pliant/io/probes_csv.h"

#include <fcntl.h>

#include <array>
#include <charconv>
#include <string_view>

#include "pliant/assert.h"
#include "pliant/input_error.h"
#include "pliant/io/plain_text.h"

namespace pliant::io {
namespace {

std::string quoted_if_needed(const std::string& name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string result = "\"";
  for (const char c : name) {
    if (c == '"') result += '"';  // doubled inside quotes
    result += c;
  }
  return result += '"';
}

std::string header_line(const std::vector<std::string>& columns) {
  std::string line = "step,time";
  for (const std::string& column : columns) line.append(",").append(quoted_if_needed(column));
  return line += '\n';
}

template <typename Number>
void append_number(std::string& line, Number number) {
  std::array<char, 32> digits;  // the longest double, -2.2250738585072014e-308, has 24
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  line.append(digits.data(), result.ptr);
}

// Cells of one line; names that hold commas or quotes stand in quotes.
std::vector<std::string> split_cells(std::string_view line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

// The end of the header: names may hold newlines, inside quotes.
std::size_t header_end(std::string_view text) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') is_quoted = !is_quoted;
    if (text[i] == '\n' && !is_quoted) return i;
  }
  return std::string_view::npos;
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

ProbesCsv::ProbesCsv(const std::filesystem::path& path, const std::vector<std::string>& columns)
    : file_(path, O_WRONLY | O_CREAT | O_TRUNC), column_count_(columns.size()) {
  const std::string header = header_line(columns);
  file_.write(bytes_of(header), 0);
  size_ = header.size();
}

ProbesCsv ProbesCsv::reopen(const std::filesystem::path& path, const std::vector<std::string>& columns,
                            std::int64_t kept_rows) {
  PLIANT_ASSERT(kept_rows >= 0, "a number of rows is not negative");
  const std::string text = read_text_file(path, "run again without --resume");
  const std::string header = header_line(columns);
  if (text.compare(0, header.size(), header) != 0)
    throw InputError(path.string(), "its columns are not those of the scene's probes; run again without --resume");

  // Rows hold numbers only, so every newline ends one.
  std::size_t end = header.size();
  for (std::int64_t row = 0; row < kept_rows; ++row) {
    const std::size_t newline = text.find('\n', end);
    if (newline == std::string::npos)
      throw InputError(path.string(), "it has " + std::to_string(row) + " complete rows, and resuming needs " +
                                          std::to_string(kept_rows) + "; run again without --resume");
    end = newline + 1;
  }

  ProbesCsv probes;
  probes.file_ = OpenFile(path, O_WRONLY);
  probes.file_.resize(end);
  probes.column_count_ = columns.size();
  probes.size_ = end;
  probes.row_count_ = kept_rows;
  return probes;
}

void ProbesCsv::append(std::int64_t step, double time, std::span<const double> values) {
  PLIANT_ASSERT(values.size() == column_count_, "a row has a value per column");
  std::string line;
  append_number(line, step);
  line += ',';
  append_number(line, time);
  for (const double value : values) {
    line += ',';
    append_number(line, value);
  }
  line += '\n';
  try {
    file_.write(bytes_of(line), size_);
  } catch (const WriteError&) {
    file_.resize(size_);  // no half row; making a file shorter needs no space
    throw;
  }
  size_ += line.size();
  ++row_count_;
}

ProbeTable read_probes(const std::filesystem::path& path) {
  const std::string text = read_text_file(path, "every run writes one into its result folder");
  const std::size_t end = header_end(text);
  ProbeTable table;
  if (end != std::string::npos) table.columns = split_cells(std::string_view(text).substr(0, end));
  if (table.columns.size() < 2 || table.columns[0] != "step" || table.columns[1] != "time")
    throw InputError(path.string(), "it does not begin with 'step,time'; it is not a table of probes");
  table.columns.erase(table.columns.begin(), table.columns.begin() + 2);

  std::size_t begin = end + 1;
  for (std::size_t newline; (newline = text.find('\n', begin)) != std::string::npos; begin = newline + 1) {
    const std::vector<std::string> cells = split_cells(std::string_view(text).substr(begin, newline - begin));
    ProbeRow row;
    row.values.resize(table.columns.size());
    bool is_good = cells.size() == table.columns.size() + 2 && parse_number(cells[0], row.step) &&
                   parse_number(cells[1], row.time);
    for (std::size_t v = 0; is_good && v < row.values.size(); ++v) is_good = parse_number(cells[v + 2], row.values[v]);
    if (!is_good) {
      throw InputError(path.string() + ", row " + std::to_string(table.rows.size() + 1),
                       "expected " + std::to_string(table.columns.size() + 2) + " numbers");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace pliant::io
