// Fuzz target of the checkpoint reader. The input is a file without its checksum, which is added here: few inputs would
// get past it otherwise.
#include "pliant/io/checksum.h"
#include "pliant/scene/run_checkpoint.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto begin = std::as_bytes(std::span(bytes, size));
  const std::uint64_t sum = pliant::io::checksum(begin);
  const auto end = std::as_bytes(std::span(&sum, 1));
  std::vector<std::byte> content(begin.begin(), begin.end());
  content.insert(content.end(), end.begin(), end.end());
  const pliant::fuzz::MemoryFile file(content);
  try {
    (void)pliant::read_checkpoint_origin(file.path());
  } catch (const pliant::InputError& error) {
    pliant::fuzz::require(!error.place().empty() && error.sentence().size() > 10);
  }
  return 0;
}
