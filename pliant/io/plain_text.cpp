#include "pliant/io/plain_text.h"

#include <fstream>
#include <iterator>

#include "pliant/input_error.h"

namespace pliant::io {

std::string read_text_file(const std::filesystem::path& path, std::string_view remedy) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InputError(path.string(), "there is no such file; " + std::string(remedy));
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::string escape_xml(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

}  // namespace pliant::io
