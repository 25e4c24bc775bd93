// The bytes under result.h5, changed in commits: after a crash at any moment they are those of the last commit.
//
// HDF5 overwrites its own tables in place, so a process killed in the middle of that leaves a file nobody can open.
// Here it writes through a ResultStorage instead, which treats its writes in two ways:
//
//   0 ─────────────────────── protected end ─────────────────▶
//   | bytes of the last commit |  new bytes (whole frames)    |
//   | overwrites wait as pages |  written straight to disk;   |
//   | in memory                |  nothing refers to them yet  |
//
//   commit:  1. the waiting pages go to "<path>.log", complete or not at all (atomic_file.h)
//            2. they are copied into the file                 a crash from here on is repaired from the log
//            3. the log is removed, the protected end moves up
//
// Whoever opens the file next finds the state of the last commit: the file alone, or the file with the log's pages
// over it. Frames are written once; only a few pages of tables per frame pass through the log. Both were considered and
// rejected: HDF5's single-writer mode (no new datasets once started, flags that lock other readers out after a crash,
// no promise when the disk is full), and a journal converted to HDF5 at the end (twice the disk, nothing to look at in
// between).
//
// Readers: step 2 waits until no one holds a shared flock() on the file; our readers and HDF5's own do. Until then the
// log stays and grows. So a reader in another process always sees one commit, even during a run.
// A full disk: a failing write is remembered, all later ones are ignored, and commit() throws WriteError; the file
// stays at the last commit. HDF5 itself never sees the failure, which it handles badly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pliant/io/atomic_file.h"

namespace pliant::io {

class ResultStorage {
 public:
  // A new file, named "<path>.partial" until the first commit; an older file at path stays until then.
  // Throws WriteError, or InputError when another process is writing there.
  [[nodiscard]] static ResultStorage create(const std::filesystem::path& path, Durability durability);
  // An existing file, at its last commit. Throws InputError when it is missing or being written by someone else.
  [[nodiscard]] static ResultStorage open_for_writing(const std::filesystem::path& path, Durability durability);
  // Read-only: nothing on disk changes, even when a log has to be taken into account.
  [[nodiscard]] static ResultStorage open_for_reading(const std::filesystem::path& path);

  ResultStorage(ResultStorage&&) noexcept = default;
  ResultStorage& operator=(ResultStorage&&) = delete;
  // Without commit() before, what was written since the last one is lost: that is the point.
  ~ResultStorage();

  // Bytes beyond the end read as zero. Returns false when the disk fails.
  [[nodiscard]] bool read(std::uint64_t offset, std::span<std::byte> bytes) const;
  void write(std::uint64_t offset, std::span<const std::byte> bytes);
  [[nodiscard]] std::uint64_t size() const;

  // How many bytes the owner uses; kept here because HDF5 asks its driver to. Commit this many.
  [[nodiscard]] std::uint64_t allocated_end() const { return allocated_end_; }
  void set_allocated_end(std::uint64_t end) { allocated_end_ = end; }
  // Where the last commit ends, when the opener knows better than the file's size (a crash leaves unused bytes behind).
  void protect_only(std::uint64_t end);
  // Makes everything written so far the file's state, allocated_end() bytes long. Throws WriteError.
  void commit();
  // After the last commit: copies pages that still wait for readers to leave, waiting a little for them; then closes.
  void finish();
  // From now on writes are ignored; for closing HDF5 after a failure.
  void abandon() { abandoned_ = true; }

 private:
  enum class Access { create, write, read };
  static constexpr std::uint64_t kPageSize = 4096;  // bytes; one page of memory, so that logs hold few unchanged bytes
  using Page = std::vector<std::byte>;

  ResultStorage(const std::filesystem::path& path, Access access, Durability durability);
  static std::uint64_t whole_pages(std::uint64_t size);
  void open_new();
  void open_existing();
  void load_log();
  void write_log(std::uint64_t end) const;
  void copy_pages_into_file();
  Page& page_for_overwriting(std::uint64_t index);

  std::filesystem::path path_;
  std::filesystem::path log_path_;
  Access access_;
  Durability durability_;
  OpenFile file_;
  bool named_ = true;  // false: still under its partial name
  std::uint64_t allocated_end_ = 0;
  std::uint64_t protected_end_ = 0;      // always a multiple of kPageSize
  std::uint64_t end_in_file_ = 0;        // end of the state that the file alone holds, without the log
  std::map<std::uint64_t, Page> pages_;  // by page index: what differs from the file
  bool uncommitted_ = false;             // pages_ holds more than the log
  bool abandoned_ = false;
  std::optional<std::string> failure_;  // reason of the first write that failed
};

// Whether a run is writing this result.h5 right now.
[[nodiscard]] bool has_writer(const std::filesystem::path& result_file);

}  // namespace pliant::io
