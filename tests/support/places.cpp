#include "tests/support/places.h"

namespace pliant::test {

std::filesystem::path source_folder() { return PLIANT_SOURCE_DIR; }
std::filesystem::path command_line_program() { return PLIANT_CLI; }

}  // namespace pliant::test
