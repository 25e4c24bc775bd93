// Files that are either the old one or the complete new one, never something in between.
//
// The bytes go to "<path>.partial" in the same folder, which is renamed over <path> once all of them are there; rename
// is atomic within a file system. A process killed on the way leaves the old file as it was, and at most a .partial
// file that the next attempt overwrites.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "pliant/io/write_error.h"

namespace pliant::io {

// What finished data must survive. process_crash costs nothing extra: what a process has written outlives it.
// power_loss waits for the disk (fsync), some milliseconds each time.
enum class Durability { process_crash, power_loss };

// Throws WriteError; the old file is untouched then.
void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes,
                           Durability durability = Durability::process_crash);
void write_file_atomically(const std::filesystem::path& path, std::string_view text,
                           Durability durability = Durability::process_crash);

// A file descriptor that closes itself; the plain POSIX calls, with errors as WriteError sentences.
class OpenFile {
 public:
  OpenFile() = default;
  // flags: as of open(2). Throws WriteError when the file cannot be opened.
  OpenFile(const std::filesystem::path& path, int flags);
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  void write(std::span<const std::byte> bytes, std::size_t offset);
  void resize(std::size_t size);
  void wait_for_disk();

 private:
  int descriptor_ = -1;
  std::string path_;
};

// A file written from front to back under "<path>.partial" that takes its name with finish().
// Without finish() (an exception passed by, say) the partial file is removed.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path, Durability durability = Durability::process_crash);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);
  void finish();

 private:
  std::filesystem::path path_;
  std::filesystem::path partial_;
  Durability durability_;
  OpenFile file_;
  std::size_t size_ = 0;
  bool finished_ = false;
};

// Renames, and with power_loss makes the folder's entry durable.
void rename_file(const std::filesystem::path& from, const std::filesystem::path& to, Durability durability);

// Creates a folder and its parents. Throws WriteError.
void make_folder(const std::filesystem::path& folder);

// "the disk is full (No space left on device)" and the like, for the current errno.
[[nodiscard]] std::string reason_of_errno();

}  // namespace pliant::io
