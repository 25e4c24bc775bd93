// TextScanner: the words, numbers and bytes of a mesh file held in memory, with the line they stand on.
//
// Every reader of pliant/io goes through it, so that whatever the bytes are a reader either returns or throws an
// InputError that names the place: no read past the end, no locale, no trust in counts the file announces.
// The text must outlive the scanner and the words it hands out.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <istream>
#include <string>
#include <string_view>

namespace pliant::io {

// Whether the end of a line ends a statement (OBJ, TetGen, headers) or is a blank like any other (Medit, Gmsh).
enum class LineEnds { end_statements, are_blanks };

struct TextSyntax {
  LineEnds line_ends = LineEnds::are_blanks;
  char comment = '#';                  // from here to the end of the line is skipped; '\0' = no comments
  bool backslash_joins_lines = false;  // a backslash before the end of a line makes it a blank (OBJ)
};

class TextScanner {
 public:
  // name: the file as the user knows it, for messages.
  TextScanner(std::string_view text, std::string name, const TextSyntax& syntax);

  void set_line_ends(LineEnds line_ends) { syntax_.line_ends = line_ends; }

  // Moves to the next word of the statement; false when there is none.
  bool has_word();
  // Moves past the end of this line, then to the next word on any line; false at the end of the text.
  bool next_statement();
  // Moves to the next word on any line; false at the end of the text.
  bool has_word_below();
  // The first character of the word that has_word() found.
  [[nodiscard]] char peek() const { return at_ == end_ ? '\0' : *at_; }
  // Moves behind the end of this line.
  void skip_line();

  // The next word. what: what should stand there, for the message when it does not ("the x coordinate").
  std::string_view word(const char* what);
  double number(const char* what);  // finite; nan and inf are errors
  std::int64_t integer(const char* what);
  std::int64_t count(const char* what);  // an integer that is not negative

  // Binary parts: places are given as byte offsets from the first use on.
  std::string_view bytes(std::size_t size, const char* what);
  template <class T>
  T binary(std::endian order, const char* what);
  // Moves behind the next occurrence of `mark`; false, without moving, when there is none.
  bool skip_past(std::string_view mark);

  [[nodiscard]] std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }
  [[nodiscard]] std::string place() const;  // "bunny.obj:7" or "bunny.ply (byte 512)"
  [[nodiscard]] const std::string& name() const { return name_; }
  // Throws InputError(place(), sentence).
  [[noreturn]] void fail(const std::string& sentence) const;

 private:
  void skip_blanks(LineEnds line_ends);
  [[nodiscard]] bool at_line_end() const;
  void pass_line_end();
  void require_word(const char* what);
  [[noreturn]] void fail_bad_word(const char* expected, const char* what);

  const char* begin_;
  const char* at_;
  const char* end_;
  std::string name_;
  TextSyntax syntax_;
  std::int64_t line_ = 1;
  bool in_binary_ = false;
};

// A word of the file as it may appear in a message: quoted, shortened, unprintable bytes replaced.
std::string in_quotes(std::string_view word);

// Everything the stream holds. Throws InputError when it cannot be read or holds nothing.
std::string read_everything(std::istream& in, const std::string& name);

template <class T>
T TextScanner::binary(std::endian order, const char* what) {
  const std::string_view raw = bytes(sizeof(T), what);
  std::array<char, sizeof(T)> buffer;
  std::memcpy(buffer.data(), raw.data(), sizeof(T));
  if (order != std::endian::native) std::reverse(buffer.begin(), buffer.end());
  return std::bit_cast<T>(buffer);
}

}  // namespace pliant::io
