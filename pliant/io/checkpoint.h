// Checkpoints: named arrays in one file, exact to the bit, so that a resumed run goes on as if never stopped.
//
//   CheckpointWriter checkpoint;
//   checkpoint.add_doubles("positions", positions);
//   checkpoint.write(folder / "checkpoint.bin");          // replaces the previous one when complete, not before
//
//   const CheckpointReader checkpoint(folder / "checkpoint.bin");
//   positions = checkpoint.doubles("positions");
//
// File: "PLIANTCP", version and number of entries (32 bit each); per entry the length of its name (32 bit), its type
// (32 bit), its number of values (64 bit), name, values; then the CRC-64 of everything before. Little endian. Doubles
// are stored as they are in memory: NaN payloads and −0 survive.
// Not HDF5: a checkpoint is one state of one program, written and read at once, and a checksum over the whole is what
// it needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/io/atomic_file.h"

namespace pliant::io {

class CheckpointWriter {
 public:
  // Values are copied. A name may be used once.
  void add_doubles(std::string_view name, std::span<const double> values);
  void add_integers(std::string_view name, std::span<const std::int64_t> values);
  void add_bytes(std::string_view name, std::span<const std::uint8_t> values);
  void add_text(std::string_view name, std::string_view text);

  // Throws WriteError; an existing checkpoint at path is untouched then.
  void write(const std::filesystem::path& path, Durability durability = Durability::process_crash) const;

 private:
  void add(std::string_view name, std::uint32_t type, std::uint64_t count, std::span<const std::byte> values);

  std::vector<std::string> names_;
  std::vector<std::byte> entries_;
};

class CheckpointReader {
 public:
  // Reads and checks the whole file. Throws InputError when it is missing, cut short, damaged or of another version.
  explicit CheckpointReader(const std::filesystem::path& path);

  [[nodiscard]] bool has(std::string_view name) const;
  // Throw InputError when there is no such entry or it is of another type.
  [[nodiscard]] std::vector<double> doubles(std::string_view name) const;
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view name) const;
  [[nodiscard]] std::vector<std::uint8_t> bytes(std::string_view name) const;
  [[nodiscard]] std::string text(std::string_view name) const;

 private:
  struct Entry {
    std::uint32_t type = 0;
    std::span<const std::byte> values;  // into content_
  };
  template <typename T>
  [[nodiscard]] std::vector<T> values(std::string_view name, std::uint32_t type) const;

  std::string path_;
  std::vector<std::byte> content_;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace pliant::io
