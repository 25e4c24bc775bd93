// Small things that several text formats need: a file's text, a word as a number, text inside XML.
#pragma once

#include <charconv>
#include <filesystem>
#include <string>
#include <string_view>

namespace pliant::io {

// All bytes of a file. Throws InputError "there is no such file; <remedy>".
[[nodiscard]] std::string read_text_file(const std::filesystem::path& path, std::string_view remedy);

// Whether the word is one number and nothing else, as to_chars writes it; then `number` is it.
template <typename Number>
[[nodiscard]] bool parse_number(std::string_view word, Number& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size();
}

// For attributes and content. Control characters, which XML does not allow at all, become spaces.
[[nodiscard]] std::string escape_xml(std::string_view text);

}  // namespace pliant::io
