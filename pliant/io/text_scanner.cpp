#include "pliant/io/text_scanner.h"

#include <charconv>
#include <cmath>
#include <utility>

#include "pliant/input_error.h"

namespace pliant::io {

namespace {

// Other control characters are words, so that binary rubbish is reported instead of skipped.
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
bool ends_word(char c) { return is_blank(c) || c == '\n' || c == '\r'; }

}  // namespace

TextScanner::TextScanner(std::string_view text, std::string name, const TextSyntax& syntax)
    : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()), name_(std::move(name)), syntax_(syntax) {
  // Some editors begin UTF-8 files with a byte-order mark.
  if (text.starts_with("\xEF\xBB\xBF")) at_ += 3;
}

// Line ends are \n, \r\n, and a lone \r (old Macintosh files).
bool TextScanner::at_line_end() const { return at_ != end_ && (*at_ == '\n' || *at_ == '\r'); }

void TextScanner::pass_line_end() {
  const bool carriage_return = *at_++ == '\r';
  if (carriage_return && at_ != end_ && *at_ == '\n') ++at_;
  ++line_;
}

void TextScanner::skip_blanks(LineEnds line_ends) {
  while (at_ != end_) {
    const char c = *at_;
    if (is_blank(c)) {
      ++at_;
    } else if (at_line_end()) {
      if (line_ends == LineEnds::end_statements) return;
      pass_line_end();
    } else if (c == syntax_.comment && c != '\0') {
      while (at_ != end_ && !at_line_end()) ++at_;
    } else if (c == '\\' && syntax_.backslash_joins_lines && remaining() > 1 && (at_[1] == '\n' || at_[1] == '\r')) {
      ++at_;
      pass_line_end();
    } else {
      return;
    }
  }
}

bool TextScanner::has_word() {
  skip_blanks(syntax_.line_ends);
  return at_ != end_ && !at_line_end();
}

bool TextScanner::has_word_below() {
  skip_blanks(LineEnds::are_blanks);
  return at_ != end_;
}

bool TextScanner::next_statement() {
  skip_line();
  return has_word_below();
}

void TextScanner::skip_line() {
  while (at_ != end_ && !at_line_end()) {
    // A joined line belongs to the statement that is skipped.
    const bool joins = *at_ == '\\' && syntax_.backslash_joins_lines;
    ++at_;
    if (joins && at_line_end()) pass_line_end();
  }
  if (at_ != end_) pass_line_end();
}

void TextScanner::require_word(const char* what) {
  if (has_word()) return;
  if (at_ == end_) {
    fail(std::string("the file ends where ") + what + " should stand; it is truncated, so export or copy it again");
  }
  fail(std::string("the line ends where ") + what + " should stand; complete the line");
}

std::string_view TextScanner::word(const char* what) {
  require_word(what);
  const char* first = at_;
  while (at_ != end_ && !ends_word(*at_)) ++at_;
  return {first, static_cast<std::size_t>(at_ - first)};
}

void TextScanner::fail_bad_word(const char* expected, const char* what) {
  const std::string found = in_quotes(word(what));
  fail(std::string("found ") + found + " where " + what + " should stand; write " + expected);
}

double TextScanner::number(const char* what) {
  require_word(what);
  // from_chars refuses the plus sign that some exporters write.
  const char* first = *at_ == '+' && remaining() > 1 && at_[1] != '-' ? at_ + 1 : at_;
  double value = 0.0;
  const auto [stop, error] = std::from_chars(first, end_, value);
  if (error == std::errc::invalid_argument || (stop != end_ && !ends_word(*stop))) {
    fail_bad_word("a number such as 0.25 or 1e-3", what);
  }
  if (error == std::errc::result_out_of_range) {
    // Too small for a double is zero; too large is an error. Only the sign of the exponent tells them apart.
    const std::string_view digits(first, static_cast<std::size_t>(stop - first));
    if (digits.find("e-") == digits.npos && digits.find("E-") == digits.npos) {
      fail_bad_word("a number below 1e308", what);
    }
    value = 0.0;
  }
  if (!std::isfinite(value)) fail_bad_word("a finite number (the program that wrote the file had failed)", what);
  at_ = stop;
  return value;
}

std::int64_t TextScanner::integer(const char* what) {
  require_word(what);
  const char* first = *at_ == '+' && remaining() > 1 && at_[1] != '-' ? at_ + 1 : at_;
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(first, end_, value);
  if (error != std::errc() || (stop != end_ && !ends_word(*stop))) fail_bad_word("a whole number", what);
  at_ = stop;
  return value;
}

std::int64_t TextScanner::count(const char* what) {
  const std::int64_t value = integer(what);
  if (value < 0) {
    fail(std::string(what) + " is " + std::to_string(value) + ", but a count cannot be negative; correct it");
  }
  return value;
}

std::string_view TextScanner::bytes(std::size_t size, const char* what) {
  in_binary_ = true;
  if (size > remaining()) {
    fail(std::string("the file ends inside ") + what +
         "; it is truncated, so export or copy it again (in binary mode)");
  }
  const std::string_view taken(at_, size);
  at_ += size;
  return taken;
}

bool TextScanner::skip_past(std::string_view mark) {
  const std::string_view rest(at_, remaining());
  const std::size_t found = rest.find(mark);
  if (found == rest.npos) return false;
  line_ += std::count(at_, at_ + found, '\n');
  at_ += found + mark.size();
  return true;
}

std::string TextScanner::place() const {
  if (in_binary_) return name_ + " (byte " + std::to_string(at_ - begin_) + ")";
  return name_ + ":" + std::to_string(line_);
}

void TextScanner::fail(const std::string& sentence) const { throw InputError(place(), sentence); }

std::string in_quotes(std::string_view word) {
  constexpr std::size_t kLongest = 40;  // characters of a message spent on what the file says
  std::string text = "'";
  for (const char c : word.substr(0, kLongest)) text += c >= ' ' && c <= '~' ? c : '?';
  return text + (word.size() > kLongest ? "...'" : "'");
}

std::string read_everything(std::istream& in, const std::string& name) {
  // Grows with what arrives: the size of a stream is not known, and that of a file may be wrong.
  std::string text;
  std::size_t used = 0;
  while (in.good()) {
    constexpr std::size_t kSmallestRead = 1 << 16;  // bytes
    text.resize(used + std::max(kSmallestRead, used));
    in.read(text.data() + used, static_cast<std::streamsize>(text.size() - used));
    used += static_cast<std::size_t>(in.gcount());
  }
  text.resize(used);
  if (in.bad() || (used == 0 && !in.eof())) {
    throw InputError(name, "the file could not be read; check the disk and the permissions");
  }
  if (used == 0) throw InputError(name, "the file is empty; export it again");
  return text;
}

}  // namespace pliant::io
