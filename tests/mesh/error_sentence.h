// The text of the InputError that a call throws, or "no error".
#pragma once

#include <string>

#include "pliant/input_error.h"

namespace pliant {

template <class Call>
std::string error_sentence(const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace pliant
