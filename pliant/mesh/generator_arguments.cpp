// The checks declared in generator_arguments.h.
#include "pliant/mesh/generator_arguments.h"

#include <cmath>

#include "pliant/input_error.h"
#include "pliant/mesh/readable_number.h"

namespace pliant::mesh {

void require_positive(const GeneratorPlace& where, const std::string& argument, double value) {
  if (std::isfinite(value) && value > 0) return;
  throw InputError(where.place,
                   where.shape + ": " + argument + " is " + readable(value) + "; give a finite number above 0.");
}

void require_finite(const GeneratorPlace& where, const std::string& argument, double value) {
  if (std::isfinite(value)) return;
  throw InputError(where.place, where.shape + ": " + argument + " is " + readable(value) + "; give a finite number.");
}

void require_count(const GeneratorPlace& where, const std::string& argument, int value, int lowest, int highest) {
  if (lowest <= value && value <= highest) return;
  throw InputError(where.place, where.shape + ": " + argument + " is " + std::to_string(value) +
                                    "; give a whole number from " + std::to_string(lowest) + " to " +
                                    std::to_string(highest) + ".");
}

void require_total(const GeneratorPlace& where, const std::string& arguments, double total,
                   const std::string& elements) {
  if (total <= kMaxGeneratedElements) return;
  throw InputError(where.place, where.shape + ": " + arguments + " would make " + readable(total) + " " + elements +
                                    "; give values that make at most 50000000.");
}

}  // namespace pliant::mesh
