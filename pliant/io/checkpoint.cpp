#include "pliant/io/checkpoint.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fstream>

#include "pliant/assert.h"
#include "pliant/input_error.h"
#include "pliant/io/checksum.h"

namespace pliant::io {
namespace {

static_assert(std::endian::native == std::endian::little, "checkpoints are written as they are in memory");

constexpr std::uint32_t kVersion = 1;

struct FileHeader {
  std::array<char, 8> name = {'P', 'L', 'I', 'A', 'N', 'T', 'C', 'P'};
  std::uint32_t version = kVersion;
  std::uint32_t entry_count = 0;
};

struct EntryHeader {
  std::uint32_t name_length = 0;
  std::uint32_t type = 0;
  std::uint64_t count = 0;
};

// The numbers in the file.
enum Type : std::uint32_t { double_type = 1, integer_type = 2, byte_type = 3, text_type = 4 };

// 0 for an unknown type.
std::size_t size_of_value(std::uint32_t type) {
  switch (type) {
    case double_type:
    case integer_type:
      return 8;
    case byte_type:
    case text_type:
      return 1;
    default:
      return 0;
  }
}

template <typename T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

void append(std::vector<std::byte>& bytes, std::span<const std::byte> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

std::vector<std::byte> read_whole_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  const bool is_file = stream && std::filesystem::is_regular_file(path);
  const std::streamoff size = is_file ? static_cast<std::streamoff>(stream.tellg()) : -1;
  if (size < 0) throw InputError(path.string(), "the checkpoint cannot be opened; run again without --resume");
  std::vector<std::byte> content(static_cast<std::size_t>(size));
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(content.data()), size);
  if (!stream) throw InputError(path.string(), "the checkpoint cannot be read; run again without --resume");
  return content;
}

// Takes values off the front of a span; false when there are not enough.
class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T>
  [[nodiscard]] bool take(T& value) {
    std::span<const std::byte> taken;
    if (!take(sizeof(T), taken)) return false;
    std::memcpy(&value, taken.data(), sizeof(T));
    return true;
  }
  [[nodiscard]] bool take(std::uint64_t count, std::span<const std::byte>& taken) {
    if (count > bytes_.size()) return false;
    taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return true;
  }
  [[nodiscard]] bool at_end() const { return bytes_.empty(); }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace

void CheckpointWriter::add(std::string_view name, std::uint32_t type, std::uint64_t count,
                           std::span<const std::byte> values) {
  PLIANT_ASSERT(std::find(names_.begin(), names_.end(), name) == names_.end(), "a checkpoint's names differ");
  names_.emplace_back(name);
  append(entries_, bytes_of(EntryHeader{static_cast<std::uint32_t>(name.size()), type, count}));
  append(entries_, std::as_bytes(std::span(name)));
  append(entries_, values);
}

void CheckpointWriter::add_doubles(std::string_view name, std::span<const double> values) {
  add(name, double_type, values.size(), std::as_bytes(values));
}
void CheckpointWriter::add_integers(std::string_view name, std::span<const std::int64_t> values) {
  add(name, integer_type, values.size(), std::as_bytes(values));
}
void CheckpointWriter::add_bytes(std::string_view name, std::span<const std::uint8_t> values) {
  add(name, byte_type, values.size(), std::as_bytes(values));
}
void CheckpointWriter::add_text(std::string_view name, std::string_view text) {
  add(name, text_type, text.size(), std::as_bytes(std::span(text)));
}

void CheckpointWriter::write(const std::filesystem::path& path, Durability durability) const {
  FileHeader header;
  header.entry_count = static_cast<std::uint32_t>(names_.size());
  const std::uint64_t sum = checksum(entries_, checksum(bytes_of(header)));
  AtomicFile file(path, durability);
  file.write(bytes_of(header));
  file.write(entries_);
  file.write(bytes_of(sum));
  file.finish();
}

CheckpointReader::CheckpointReader(const std::filesystem::path& path)
    : path_(path.string()), content_(read_whole_file(path)) {
  const std::span<const std::byte> content = content_;
  FileHeader header;
  std::uint64_t sum = 0;
  const InputError damaged(path_, "the checkpoint is damaged or cut short; run again without --resume");
  if (content.size() < sizeof(header) + sizeof(sum)) throw damaged;
  std::memcpy(&header, content.data(), sizeof(header));
  if (header.name != FileHeader().name)
    throw InputError(path_, "this is not a checkpoint of Pliant; name another file");
  if (header.version != kVersion)
    throw InputError(path_, "the checkpoint has version " + std::to_string(header.version) +
                                ", and this program reads version " + std::to_string(kVersion) +
                                "; run again without --resume");
  const auto summed = content.first(content.size() - sizeof(sum));
  std::memcpy(&sum, summed.data() + summed.size(), sizeof(sum));
  if (checksum(summed) != sum) throw damaged;

  // The checksum holds; lengths are still checked, for files made on purpose.
  Cursor cursor(summed.subspan(sizeof(header)));
  for (std::uint32_t i = 0; i < header.entry_count; ++i) {
    EntryHeader entry;
    std::span<const std::byte> name, values;
    if (!cursor.take(entry) || !cursor.take(entry.name_length, name)) throw damaged;
    const std::size_t size = size_of_value(entry.type);
    if (size == 0 || entry.count > content.size() || !cursor.take(entry.count * size, values)) throw damaged;
    entries_.emplace(std::string(reinterpret_cast<const char*>(name.data()), name.size()), Entry{entry.type, values});
  }
  if (!cursor.at_end() || entries_.size() != header.entry_count) throw damaged;
}

bool CheckpointReader::has(std::string_view name) const { return entries_.find(name) != entries_.end(); }

template <typename T>
std::vector<T> CheckpointReader::values(std::string_view name, std::uint32_t type) const {
  const auto entry = entries_.find(name);
  if (entry == entries_.end() || entry->second.type != type)
    throw InputError(path_, "the checkpoint has no usable entry '" + std::string(name) +
                                "', so it is from another version of Pliant; run again without --resume");
  const std::span<const std::byte> stored = entry->second.values;
  std::vector<T> result(stored.size() / sizeof(T));
  if (!result.empty()) std::memcpy(result.data(), stored.data(), stored.size());
  return result;
}

std::vector<double> CheckpointReader::doubles(std::string_view name) const { return values<double>(name, double_type); }
std::vector<std::int64_t> CheckpointReader::integers(std::string_view name) const {
  return values<std::int64_t>(name, integer_type);
}
std::vector<std::uint8_t> CheckpointReader::bytes(std::string_view name) const {
  return values<std::uint8_t>(name, byte_type);
}
std::string CheckpointReader::text(std::string_view name) const {
  const std::vector<char> characters = values<char>(name, text_type);
  return {characters.begin(), characters.end()};
}

}  // namespace pliant::io
