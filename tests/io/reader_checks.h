// What the tests of mesh readers share.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "pliant/input_error.h"

namespace pliant::io::testing {

// parse(text) must throw an InputError that begins with `place` and says `words`.
template <typename Parse>
void expect_parse_error(Parse parse, const std::string& text, const std::string& place, const std::string& words) {
  try {
    static_cast<void>(parse(text));
    ADD_FAILURE() << "no error, but expected: " << words;
  } catch (const InputError& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.find(place), 0U) << what;
    EXPECT_NE(what.find(words), std::string::npos) << what;
  }
}

}  // namespace pliant::io::testing
