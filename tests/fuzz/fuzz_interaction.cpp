// Fuzz target of the reader of interaction.csv. A text is a table in order that survives writing and reading, or an
// InputError with a place and a sentence.
#include "pliant/scene/interaction.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using pliant::Interaction;
  using pliant::fuzz::MemoryFile;
  using pliant::fuzz::require;
  const MemoryFile file(std::as_bytes(std::span(bytes, size)));
  try {
    const Interaction interaction = Interaction::read(file.path());
    std::int64_t step = 0;
    for (const Interaction::Change& change : interaction.changes()) {
      require(change.step >= step);
      require(!change.hand || (change.hand->vertex >= 0 && change.hand->target.allFinite()));
      step = change.step;
    }
    const std::string text = interaction.to_csv();
    const MemoryFile again(std::as_bytes(std::span(text)));
    require(Interaction::read(again.path()).to_csv() == text);
  } catch (const pliant::InputError& error) {
    require(!error.place().empty() && error.sentence().size() > 10);
  }
  return 0;
}
