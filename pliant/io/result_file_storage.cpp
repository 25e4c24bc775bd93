#include "pliant/io/result_file_storage.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <new>
#include <thread>

#include "pliant/assert.h"
#include "pliant/input_error.h"
#include "pliant/io/checksum.h"

namespace pliant::io {
namespace {

// The log: this header, page_count times (page index, page), then the checksum of all that.
struct LogHeader {
  char name[8] = {'P', 'L', 'I', 'A', 'N', 'T', 'L', '1'};
  std::uint64_t end = 0;  // length of the file in this state
  std::uint64_t page_count = 0;
};

// A commit copies some pages in well under a millisecond; HDF5 readers of other programs hold their lock while open.
constexpr auto kLockPatience = std::chrono::seconds(2);

enum class Lock { shared = LOCK_SH, exclusive = LOCK_EX };

// File systems without locks (some network ones) count as free: there is nothing better to ask.
bool try_lock(int descriptor, Lock lock) {
  return ::flock(descriptor, static_cast<int>(lock) | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

bool lock_with_patience(int descriptor, Lock lock) {
  const auto give_up = std::chrono::steady_clock::now() + kLockPatience;
  while (!try_lock(descriptor, lock)) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

// One writer per file. This kind of lock belongs to the open file, ends with the process, and does not meet flock().
bool claim_for_writing(int descriptor) {
  struct flock whole_file = {};
  whole_file.l_type = F_WRLCK;
  whole_file.l_whence = SEEK_SET;
  return ::fcntl(descriptor, F_OFD_SETLK, &whole_file) == 0 || (errno != EAGAIN && errno != EACCES);
}

bool is_claimed(int descriptor) {
  struct flock whole_file = {};
  whole_file.l_type = F_WRLCK;
  whole_file.l_whence = SEEK_SET;
  return ::fcntl(descriptor, F_OFD_GETLK, &whole_file) == 0 && whole_file.l_type != F_UNLCK;
}

std::uint64_t size_of(int descriptor) {
  struct stat status = {};
  return ::fstat(descriptor, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

// Fills the whole span; what lies beyond the end of the file is zero.
bool read_fully(int descriptor, std::uint64_t offset, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pread(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) {
      std::fill(bytes.begin(), bytes.end(), std::byte{0});
      return true;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  return true;
}

template <typename T>
void append_bytes(std::vector<std::byte>& bytes, const T& value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof(T));
}

}  // namespace

ResultStorage ResultStorage::create(const std::filesystem::path& path, Durability durability) {
  return ResultStorage(path, Access::create, durability);
}
ResultStorage ResultStorage::open_for_writing(const std::filesystem::path& path, Durability durability) {
  return ResultStorage(path, Access::write, durability);
}
ResultStorage ResultStorage::open_for_reading(const std::filesystem::path& path) {
  return ResultStorage(path, Access::read, Durability::process_crash);
}

ResultStorage::ResultStorage(const std::filesystem::path& path, Access access, Durability durability)
    : path_(path), log_path_(path.string() + ".log"), access_(access), durability_(durability) {
  if (access == Access::create)
    open_new();
  else
    open_existing();
}

bool has_writer(const std::filesystem::path& result_file) {
  const int descriptor = ::open(result_file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool claimed = is_claimed(descriptor);
  ::close(descriptor);
  return claimed;
}

ResultStorage::~ResultStorage() {
  const bool is_open = file_.descriptor() >= 0;
  if (is_open && !named_) ::unlink(file_.path().c_str());  // never got as far as a commit
}

void ResultStorage::open_new() {
  const std::string in_use = "another run is writing to this file; wait for it or choose another output folder";
  // A run that goes on right now must not lose its file.
  if (const int old = ::open(path_.c_str(), O_RDWR | O_CLOEXEC); old >= 0) {
    const bool free = claim_for_writing(old);
    ::close(old);
    if (!free) throw InputError(path_.string(), in_use);
  }
  file_ = OpenFile(path_.string() + ".partial", O_RDWR | O_CREAT);
  if (!claim_for_writing(file_.descriptor())) throw InputError(path_.string(), in_use);
  file_.resize(0);
  named_ = false;
}

void ResultStorage::open_existing() {
  const bool reading = access_ == Access::read;
  if (!std::filesystem::exists(path_))
    throw InputError(path_.string(), "there is no such file; was the simulation run with this output folder?");
  try {
    file_ = OpenFile(path_, reading ? O_RDONLY : O_RDWR);
  } catch (const WriteError&) {
    throw InputError(path_.string(), "the file cannot be opened; check its permissions");
  }
  if (!reading && !claim_for_writing(file_.descriptor()))
    throw InputError(path_.string(), "another run is writing to this file; wait for it to end before resuming");
  if (reading && !lock_with_patience(file_.descriptor(), Lock::shared))
    throw InputError(path_.string(), "another program has locked this file for writing; close it first");

  load_log();
  protected_end_ = end_in_file_ = whole_pages(size());
  if (!reading && !pages_.empty() && try_lock(file_.descriptor(), Lock::exclusive)) copy_pages_into_file();
}

void ResultStorage::load_log() {
  std::ifstream stream(log_path_, std::ios::binary);
  if (!stream) return;
  const std::vector<char> text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  const auto bytes = std::as_bytes(std::span(text));

  // The log got its name when it was complete, so damage means a failing disk or a power cut.
  const std::string damaged =
      "the log beside the result is damaged; remove it to try reading the result without its last frame";
  LogHeader header;
  std::uint64_t expected = 0;
  constexpr std::uint64_t kEntrySize = sizeof(std::uint64_t) + kPageSize;
  if (bytes.size() < sizeof(header) + sizeof(expected)) throw InputError(log_path_.string(), damaged);
  std::memcpy(&header, bytes.data(), sizeof(header));
  const std::size_t body_size = bytes.size() - sizeof(expected);
  std::memcpy(&expected, bytes.data() + body_size, sizeof(expected));
  const bool intact = std::memcmp(header.name, LogHeader().name, sizeof(header.name)) == 0 &&
                      (body_size - sizeof(header)) % kEntrySize == 0 &&
                      (body_size - sizeof(header)) / kEntrySize == header.page_count &&
                      checksum(bytes.first(body_size)) == expected;
  if (!intact) throw InputError(log_path_.string(), damaged);

  // Only what was once committed, so is in the file, is ever overwritten.
  const std::uint64_t pages_in_file = whole_pages(size_of(file_.descriptor())) / kPageSize;
  for (std::uint64_t i = 0; i < header.page_count; ++i) {
    const std::byte* entry = bytes.data() + sizeof(header) + i * kEntrySize;
    std::uint64_t index = 0;
    std::memcpy(&index, entry, sizeof(index));
    if (index >= pages_in_file) throw InputError(log_path_.string(), damaged);
    pages_.emplace(index, Page(entry + sizeof(index), entry + kEntrySize));
  }
}

bool ResultStorage::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  if (bytes.empty()) return true;
  if (!read_fully(file_.descriptor(), offset, bytes)) return false;
  // Lay the waiting pages over what the file holds.
  const std::uint64_t end = offset + bytes.size();
  for (auto page = pages_.lower_bound(offset / kPageSize); page != pages_.end(); ++page) {
    const std::uint64_t page_begin = page->first * kPageSize;
    if (page_begin >= end) break;
    const std::uint64_t from = std::max(offset, page_begin);
    const std::uint64_t to = std::min(end, page_begin + kPageSize);
    std::memcpy(bytes.data() + (from - offset), page->second.data() + (from - page_begin), to - from);
  }
  return true;
}

void ResultStorage::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  PLIANT_ASSERT(access_ != Access::read, "a result opened for reading is not written");
  if (abandoned_ || failure_) return;
  try {
    // The protected part: remember the change, page by page.
    while (!bytes.empty() && offset < protected_end_) {
      const std::uint64_t within = offset % kPageSize;
      const std::size_t count = std::min<std::size_t>(bytes.size(), kPageSize - within);
      std::memcpy(page_for_overwriting(offset / kPageSize).data() + within, bytes.data(), count);
      bytes = bytes.subspan(count);
      offset += count;
      uncommitted_ = true;
    }
    if (!bytes.empty()) file_.write(bytes, offset);
  } catch (const WriteError& error) {
    failure_ = error.reason();
  } catch (const std::bad_alloc&) {
    failure_ = "out of memory";  // HDF5, our caller, is C: nothing may be thrown through it
  }
}

ResultStorage::Page& ResultStorage::page_for_overwriting(std::uint64_t index) {
  const auto [page, is_new] = pages_.try_emplace(index);
  if (is_new) {
    page->second.resize(kPageSize);
    if (!read_fully(file_.descriptor(), index * kPageSize, page->second))
      throw WriteError(path_.string(), reason_of_errno());
  }
  return page->second;
}

std::uint64_t ResultStorage::size() const {
  const std::uint64_t pages_end = pages_.empty() ? 0 : (pages_.rbegin()->first + 1) * kPageSize;
  return std::max(size_of(file_.descriptor()), pages_end);
}

std::uint64_t ResultStorage::whole_pages(std::uint64_t size) { return (size + kPageSize - 1) / kPageSize * kPageSize; }

void ResultStorage::protect_only(std::uint64_t end) {
  // Waiting pages: a reader still looks at the file's older state, which may be longer.
  if (pages_.empty()) protected_end_ = end_in_file_ = whole_pages(end);
}

void ResultStorage::commit() {
  const std::uint64_t end = allocated_end_;
  PLIANT_ASSERT(!abandoned_, "an abandoned result is not committed");
  try {
    if (failure_) throw WriteError(path_.string(), *failure_);
    // New bytes first: the tables that refer to them come after.
    if (size_of(file_.descriptor()) < end) file_.resize(end);
    if (durability_ == Durability::power_loss) file_.wait_for_disk();

    if (!named_) {
      // A log left by an older run would be mistaken for this file's.
      ::unlink(log_path_.c_str());
      rename_file(path_.string() + ".partial", path_, durability_);
      named_ = true;
      end_in_file_ = end;
    } else if (uncommitted_) {
      write_log(end);
      uncommitted_ = false;
      if (try_lock(file_.descriptor(), Lock::exclusive)) {
        copy_pages_into_file();
        end_in_file_ = end;
      }
    }
    // While pages wait, readers may still look at the older, possibly longer state in the file.
    protected_end_ = whole_pages(pages_.empty() ? end : std::max(end, end_in_file_));
  } catch (const WriteError& error) {
    failure_ = error.reason();
    throw WriteError(path_.string(), error.reason());  // the log is our affair; the user knows the result
  }
}

void ResultStorage::finish() {
  PLIANT_ASSERT(!uncommitted_ && !failure_ && !abandoned_, "only a committed result is finished");
  if (!pages_.empty()) {
    // A reader that never leaves keeps its cached tables; it has to open the file again to see the last frames.
    lock_with_patience(file_.descriptor(), Lock::exclusive);
    copy_pages_into_file();
  }
  // Cut off what whole pages and earlier crashes left behind the end.
  if (try_lock(file_.descriptor(), Lock::exclusive)) file_.resize(allocated_end_);
  file_ = OpenFile();
}

void ResultStorage::write_log(std::uint64_t end) const {
  LogHeader header;
  header.end = end;
  header.page_count = pages_.size();
  std::vector<std::byte> bytes;
  bytes.reserve(sizeof(header) + pages_.size() * (sizeof(std::uint64_t) + kPageSize) + sizeof(std::uint64_t));
  append_bytes(bytes, header);
  for (const auto& [index, page] : pages_) {
    append_bytes(bytes, index);
    bytes.insert(bytes.end(), page.begin(), page.end());
  }
  append_bytes(bytes, checksum(bytes));
  write_file_atomically(log_path_, bytes, durability_);
}

// Needs the exclusive lock; releases it.
void ResultStorage::copy_pages_into_file() {
  for (const auto& [index, page] : pages_) file_.write(page, index * kPageSize);
  if (durability_ == Durability::power_loss) file_.wait_for_disk();
  ::unlink(log_path_.c_str());
  pages_.clear();
  ::flock(file_.descriptor(), LOCK_UN);
}

}  // namespace pliant::io
