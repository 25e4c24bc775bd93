#include "pliant/io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace pliant::io {

std::string reason_of_errno() {
  const int error = errno;
  const std::string system_words = std::generic_category().message(error);
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "the disk is full (" + system_words + "); free some space and try again";
    case EFBIG:
      return "the file would exceed the allowed size (" + system_words + ")";
    case ENOENT:
      return "the folder does not exist (" + system_words + ")";
    case EACCES:
    case EPERM:
    case EROFS:
      return "no permission to write here (" + system_words + ")";
    default:
      return "could not be written (" + system_words + ")";
  }
}

OpenFile::OpenFile(const std::filesystem::path& path, int flags)
    : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)), path_(path.string()) {
  if (descriptor_ < 0) throw WriteError(path_, reason_of_errno());
}

OpenFile::OpenFile(OpenFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OpenFile::write(std::span<const std::byte> bytes, std::size_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw WriteError(path_, reason_of_errno());
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::size_t>(written);
  }
}

void OpenFile::resize(std::size_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) throw WriteError(path_, reason_of_errno());
}

void OpenFile::wait_for_disk() {
  if (::fsync(descriptor_) != 0) throw WriteError(path_, reason_of_errno());
}

AtomicFile::AtomicFile(const std::filesystem::path& path, Durability durability)
    : path_(path),
      partial_(path.string() + ".partial"),
      durability_(durability),
      file_(partial_, O_WRONLY | O_CREAT | O_TRUNC) {}

AtomicFile::~AtomicFile() {
  if (!finished_) ::unlink(partial_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  file_.write(bytes, size_);
  size_ += bytes.size();
}

void AtomicFile::finish() {
  if (durability_ == Durability::power_loss) file_.wait_for_disk();
  rename_file(partial_, path_, durability_);
  finished_ = true;
}

void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes, Durability durability) {
  AtomicFile file(path, durability);
  file.write(bytes);
  file.finish();
}

void write_file_atomically(const std::filesystem::path& path, std::string_view text, Durability durability) {
  write_file_atomically(path, std::as_bytes(std::span(text.data(), text.size())), durability);
}

void rename_file(const std::filesystem::path& from, const std::filesystem::path& to, Durability durability) {
  if (::rename(from.c_str(), to.c_str()) != 0) throw WriteError(to.string(), reason_of_errno());
  if (durability == Durability::process_crash) return;
  // The new name lives in the folder, which is a file of its own.
  const std::filesystem::path folder = to.has_parent_path() ? to.parent_path() : ".";
  OpenFile(folder, O_RDONLY | O_DIRECTORY).wait_for_disk();
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw WriteError(folder.string(), "the folder cannot be created (" + error.message() + ")");
}

}  // namespace pliant::io
