// What the mesh generators say about arguments they cannot use: one sentence with the shape, the argument, its value
// and the allowed range.
#pragma once

#include <string>

namespace pliant::mesh {

// The most cells, segments or triangles one generated mesh may have: a typing error should not fill the memory.
inline constexpr double kMaxGeneratedElements = 50e6;

// Which shape of which scene line is being made; carried along so that each check below stays one line.
struct GeneratorPlace {
  std::string place;  // "scene.yaml:12" or ""
  std::string shape;  // "grid"
};

// Throws InputError unless value is finite and above zero.
void require_positive(const GeneratorPlace& where, const std::string& argument, double value);
// Throws InputError unless value is finite.
void require_finite(const GeneratorPlace& where, const std::string& argument, double value);
// Throws InputError unless lowest ≤ value ≤ highest.
void require_count(const GeneratorPlace& where, const std::string& argument, int value, int lowest, int highest);
// Throws InputError when the mesh would have more than kMaxGeneratedElements of `elements`.
void require_total(const GeneratorPlace& where, const std::string& arguments, double total,
                   const std::string& elements);

}  // namespace pliant::mesh
