// Writes result.h5: what a simulation did, frame by frame. result_file_types.h has the layout of the file.
//
//   ResultWriter writer(folder, bodies, options);
//   for (…) writer.append(frame);       // from here on the frame survives a kill -9 (of many bodies: see below)
//   writer.finish();                    // result.xdmf beside it; result.h5 is complete
//
// Of many bodies, more than 256 arrays that grow, frames wait for each other in memory, so that writing them takes about a
// tenth of the time while it takes less than half a second. They survive a kill from when append() or write_if_due() finds that they have
// waited long enough (ResultOptions::longest_wait), or from write().
//
// Crash safety is that of result_file_storage.h: a killed run leaves result.h5 at its last frame, readable by h5py and
// ParaView. Only if the kill falls into the few microseconds in which a frame's tables are copied does it need the log
// beside it, which ResultReader uses and reopen() applies. A full disk makes append(), or whoever else writes, throw WriteError; all
// frames written before stay, and the writer can only be destroyed after that.
//
// HDF5 is not safe to use from several threads at once: keep writers and readers on one thread.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pliant/io/atomic_file.h"
#include "pliant/io/result_file_types.h"

namespace pliant::io {

struct ResultOptions {
  int compression = 0;  // gzip level, 0 (off, fastest) to 9; positions shrink by a third or so
  Durability durability = Durability::process_crash;
  double longest_wait = 5;                 // s, of frames of many bodies
  std::string pliant_version = "unknown";  // recorded in the file
};

// Where the result of an output folder is.
[[nodiscard]] std::filesystem::path result_path(const std::filesystem::path& folder);

class ResultWriter {
 public:
  // Creates the folder when needed. An older result in it is replaced, all at once, when the new one has its bodies.
  // Throws InputError when a body's name cannot be used or another run writes there, WriteError when the disk fails.
  ResultWriter(const std::filesystem::path& folder, std::span<const BodyDescription> bodies,
               const ResultOptions& options = {});
  // Goes on after the first kept_frames frames of an existing result; later frames and the revisions that begin with
  // them are removed. A revision that begins exactly at kept_frames is removed too: whoever resumes adds it again.
  // Throws InputError when the result is missing, damaged or has fewer frames.
  [[nodiscard]] static ResultWriter reopen(const std::filesystem::path& folder, std::int64_t kept_frames,
                                           const ResultOptions& options = {});
  ResultWriter(ResultWriter&&) noexcept;
  ResultWriter& operator=(ResultWriter&&) noexcept;
  // Without finish(), the file ends with the last appended frame, unless the disk fails.
  ~ResultWriter();

  // One more frame. Sizes must be those of the bodies' current revisions.
  void append(const Frame& frame);
  // From here on all frames so far survive a kill; where frames do not wait, they do so anyway.
  void write();
  // Once more the question that append() asks: have frames waited long enough?
  void write_if_due();
  [[nodiscard]] bool is_written() const;  // no frame waits
  // A new topology of a body, from the next frame on.
  void add_revision(int body_index, const BodyMesh& mesh);
  // Closes the file and writes result.xdmf. Nothing can be appended after it.
  void finish();

  [[nodiscard]] const ResultOutline& outline() const;
  [[nodiscard]] std::int64_t frame_count() const { return outline().frame_count(); }

 private:
  struct File;  // keeps HDF5 out of this header
  explicit ResultWriter(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

}  // namespace pliant::io
