// Fuzz target of texts of numbers: vertices of a strand, points of a material's curve, weights. A text is whole rows of
// finite numbers, from which a strand is made or refused, or an InputError with a place and a sentence.
#include "pliant/io/number_rows.h"
#include "pliant/mesh/polyline.h"
#include "tests/fuzz/fuzz_reader.h"

namespace {

using pliant::fuzz::require;

template <class Read>
void require_result_or_error(Read read) {
  try {
    read();
  } catch (const pliant::InputError& error) {
    require(!error.place().empty() && error.sentence().size() > 10);
  }
}

void require_rows(const std::vector<double>& numbers, std::size_t columns) {
  require(numbers.size() % columns == 0);
  for (const double number : numbers) require(std::isfinite(number));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  constexpr const char* kColumns[] = {"the x coordinate", "the y coordinate", "the z coordinate"};
  require_result_or_error([&] { require_rows(pliant::io::read_numbers(text, "weights.txt", "a weight"), 1); });
  require_result_or_error(
      [&] { require_rows(pliant::io::read_number_rows(text, "curve.txt", std::span(kColumns).first(2)), 2); });
  for (const pliant::PolylineEnds ends : {pliant::PolylineEnds::open, pliant::PolylineEnds::closed}) {
    require_result_or_error([&] {
      const std::vector<double> numbers = pliant::io::read_number_rows(text, "strand.txt", kColumns);
      require_rows(numbers, 3);
      std::vector<pliant::Vec3> points;
      for (std::size_t i = 0; i < numbers.size(); i += 3)
        points.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
      const pliant::Polyline line = pliant::make_polyline(points, ends, "fuzz.yaml:1");
      require(line.edge_count() >= 1 && line.points.size() == points.size());
    });
  }
  return 0;
}
