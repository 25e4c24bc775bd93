// Fuzz target of the PLY reader.
#include "pliant/io/ply.h"
#include "tests/fuzz/fuzz_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(bytes), size));
  pliant::fuzz::require_mesh_or_error([&in] { return pliant::io::read_ply(in, "fuzz.ply"); });
  return 0;
}
