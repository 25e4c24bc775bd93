// Fuzz target of the scene reader. A text is a scene that passes its own check and survives writing and reading, or an
// InputError with a place and a sentence. The text after a line "=== SET" is one override.
#include <filesystem>

#include "pliant/scene/reader.h"
#include "pliant/scene/writer.h"
#include "tests/fuzz/fuzz_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(bytes), size);
  std::vector<std::string> overrides;
  const std::string separator = "=== SET\n";
  if (const std::size_t at = text.find(separator); at != std::string::npos) {
    overrides.push_back(text.substr(at + separator.size()));
    text.resize(at);
  }
  // No file of the machine is reachable by a name relative to this folder.
  const std::filesystem::path folder = "/nonexistent";
  try {
    const pliant::Scene scene = pliant::parse_scene(text, "fuzz.yaml", {.folder = folder, .overrides = overrides});
    pliant::fuzz::require(
        pliant::parse_scene(pliant::write_scene(scene), "again.yaml", {.folder = folder, .overrides = {}}) == scene);
  } catch (const pliant::InputError& error) {
    pliant::fuzz::require(!error.place().empty() && error.sentence().size() > 5);
  }
  return 0;
}
