// Fuzz target of the OBJ reader.
#include "pliant/io/obj.h"
#include "tests/fuzz/fuzz_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(bytes), size));
  pliant::fuzz::require_mesh_or_error([&in] { return pliant::io::read_obj(in, "fuzz.obj"); });
  return 0;
}
