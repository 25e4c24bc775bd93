// Numbers in a text: vertices of a strand, points of a material's curve, weights of triangles.
//
//   0 0 0
//   1, 0, 0.5     # commas count as blanks; what follows a # does not count, nor do empty lines
//
// name: the file as the user knows it. Throws InputError at "name:line" when something is no finite number, or a row has
// too few or too many of them.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace pliant::io {

// A row per line. columns: what stands in each, for messages ("the x coordinate"). All numbers, row after row.
[[nodiscard]] std::vector<double> read_number_rows(std::string text, const std::string& name,
                                                   std::span<const char* const> columns);

// As many numbers as there are, on any lines. what: each of them, for messages ("a weight").
[[nodiscard]] std::vector<double> read_numbers(std::string text, const std::string& name, const char* what);

}  // namespace pliant::io
