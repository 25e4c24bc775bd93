// Where tests find files of the project and the command line program; compiled in one source alone, so that all others are the
// same in every clone and the compiler's cache serves them.
#pragma once

#include <filesystem>

namespace pliant::test {

[[nodiscard]] std::filesystem::path source_folder();
[[nodiscard]] std::filesystem::path command_line_program();  // empty: not built

}  // namespace pliant::test
