#include "pliant/viewer/page.h"

// The assembler reads the file: compilers are slow at literals of a megabyte.
__asm__(
    ".section .rodata\n"
    ".global pliant_page_begin\n"
    ".global pliant_page_end\n"
    "pliant_page_begin:\n"
    ".incbin \"" PLIANT_PAGE_FILE
    "\"\n"
    "pliant_page_end:\n"
    ".previous\n");

extern "C" {
extern const char pliant_page_begin[];
extern const char pliant_page_end[];
}

namespace pliant::viewer {

std::string_view page_html() {
  return {pliant_page_begin, static_cast<std::size_t>(pliant_page_end - pliant_page_begin)};
}

}  // namespace pliant::viewer
