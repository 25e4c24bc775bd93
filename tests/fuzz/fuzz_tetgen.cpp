// Fuzz target of the TetGen reader. The input holds both files: first the points, then, behind a '%', the tetrahedra.
#include "pliant/io/tetgen.h"
#include "tests/fuzz/fuzz_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  const std::size_t split = std::min(text.find('%'), text.size());
  std::istringstream nodes(text.substr(0, split));
  std::istringstream elements(text.substr(std::min(split + 1, text.size())));
  pliant::fuzz::require_mesh_or_error([&] {
    return pliant::io::read_tetgen({nodes, "fuzz.node"}, {elements, "fuzz.ele"});
  });
  return 0;
}
