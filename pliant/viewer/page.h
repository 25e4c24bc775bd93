// The viewer's page (apps/viewer/page, built by Vite into one file) as it is compiled into the program.
#pragma once

#include <string_view>

namespace pliant::viewer {

// The whole HTML text. Built without Node.js it is a page that says so.
[[nodiscard]] std::string_view page_html();

// Where html_export puts its data.
inline constexpr std::string_view kDataPlace = "<!--PLIANT_DATA-->";

}  // namespace pliant::viewer
