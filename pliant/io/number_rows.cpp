#include "pliant/io/number_rows.h"

#include <algorithm>

#include "pliant/io/text_scanner.h"

namespace pliant::io {

std::vector<double> read_number_rows(std::string text, const std::string& name, std::span<const char* const> columns) {
  std::replace(text.begin(), text.end(), ',', ' ');
  TextScanner in(text, name, {.line_ends = LineEnds::end_statements});
  std::vector<double> numbers;
  for (bool more = in.has_word_below(); more; more = in.next_statement()) {
    for (const char* column : columns) numbers.push_back(in.number(column));
    if (in.has_word())
      in.fail("there are more than " + std::to_string(columns.size()) + " numbers, the last of which is " +
              columns.back() + "; take out the others");
  }
  return numbers;
}

std::vector<double> read_numbers(std::string text, const std::string& name, const char* what) {
  std::replace(text.begin(), text.end(), ',', ' ');
  TextScanner in(text, name, {.line_ends = LineEnds::are_blanks});
  std::vector<double> numbers;
  while (in.has_word()) numbers.push_back(in.number(what));
  return numbers;
}

}  // namespace pliant::io
