// Fuzz target of the log beside result.h5, which is read before HDF5 sees anything. The input is a log without its
// checksum, which is added here: few inputs would get past it otherwise. The file under it holds three pages of ones.
#include "pliant/io/checksum.h"
#include "pliant/io/result_file_storage.h"
#include "tests/fuzz/fuzz_reader.h"
#include "tests/io/result_scene.h"

namespace {

constexpr std::size_t kPage = 4096;  // bytes

void write(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using pliant::fuzz::require;
  static const pliant::io::testing::TemporaryFolder folder;
  const auto begin = std::as_bytes(std::span(bytes, size));
  const std::uint64_t sum = pliant::io::checksum(begin);
  const auto end = std::as_bytes(std::span(&sum, 1));
  std::vector<std::byte> log(begin.begin(), begin.end());
  log.insert(log.end(), end.begin(), end.end());
  write(folder / "result.h5", std::vector<std::byte>(3 * kPage, std::byte{1}));
  write(folder / "result.h5.log", log);
  try {
    {
      const auto storage = pliant::io::ResultStorage::open_for_reading(folder / "result.h5");
      require(storage.size() == 3 * kPage);
      std::vector<std::byte> page(kPage);
      for (std::uint64_t index = 0; index < 4; ++index) require(storage.read(index * kPage, page));
    }
    // Who writes applies the log.
    (void)pliant::io::ResultStorage::open_for_writing(folder / "result.h5", pliant::io::Durability::process_crash);
    require(size < kPage || !std::filesystem::exists(folder / "result.h5.log"));
    require(std::filesystem::file_size(folder / "result.h5") == 3 * kPage);
  } catch (const pliant::InputError& error) {
    require(!error.place().empty() && error.sentence().size() > 10);
  }
  return 0;
}
