// Fuzz target of the reader of probes.csv. A text is a table with a value per column in every row, or an InputError with
// a place and a sentence.
#include "pliant/io/probes_csv.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const pliant::fuzz::MemoryFile file(std::as_bytes(std::span(bytes, size)));
  try {
    const pliant::io::ProbeTable table = pliant::io::read_probes(file.path());
    for (const pliant::io::ProbeRow& row : table.rows) pliant::fuzz::require(row.values.size() == table.columns.size());
  } catch (const pliant::InputError& error) {
    pliant::fuzz::require(!error.place().empty() && error.sentence().size() > 10);
  }
  return 0;
}
