// Reads a result folder: every finished frame, also of a run that was killed or is still going on.
//
//   ResultReader result(folder);                   // or: open_result(folder)
//   for (frame = 0; frame < result.frame_count(); ++frame) result.positions(body, frame);
//
// It sees the last frame finished when it was opened, and keeps seeing just that. Nothing on disk changes.
// Every function throws InputError when parts of the file are missing or contradict each other; HDF5 itself may not survive
// a file in which single bytes were changed. Body and frame indices are the caller's to keep in range.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "pliant/io/result_file_types.h"

namespace pliant::io {

class ResultReader {
 public:
  // folder: of a run, or the path of its result.h5.
  explicit ResultReader(const std::filesystem::path& folder);
  ResultReader(ResultReader&&) noexcept;
  ResultReader& operator=(ResultReader&&) noexcept;
  ~ResultReader();

  [[nodiscard]] const ResultOutline& outline() const;
  [[nodiscard]] std::int64_t frame_count() const { return outline().frame_count(); }

  [[nodiscard]] BodyMesh mesh(int body, int revision) const;
  [[nodiscard]] std::vector<Vec3> positions(int body, std::int64_t frame) const;  // m
  [[nodiscard]] Pose pose(int body, std::int64_t frame) const;                    // posed bodies only
  // Components of row 0, of row 1, …; the field must be in the outline.
  [[nodiscard]] std::vector<double> field(int body, const std::string& name, std::int64_t frame) const;
  [[nodiscard]] std::int64_t total_contact_count() const;  // of all frames
  [[nodiscard]] std::vector<Contact> contacts(std::int64_t frame) const;

 private:
  struct File;
  std::unique_ptr<File> file_;
};

[[nodiscard]] inline ResultReader open_result(const std::filesystem::path& folder) { return ResultReader(folder); }

}  // namespace pliant::io
