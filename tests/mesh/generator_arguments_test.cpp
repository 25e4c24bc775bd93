// The argument checks at the edges of their ranges; the generators' own tests have the sentences.
#include "pliant/mesh/generator_arguments.h"

#include <gtest/gtest.h>

#include <limits>

#include "pliant/input_error.h"

namespace pliant {
namespace {

const mesh::GeneratorPlace kWhere{"s.yaml:3", "grid"};

TEST(GeneratorArguments, LimitsThemselvesAreAllowed) {
  EXPECT_NO_THROW(mesh::require_positive(kWhere, "size", std::numeric_limits<double>::min()));
  EXPECT_NO_THROW(mesh::require_finite(kWhere, "pitch", -1e300));
  EXPECT_NO_THROW(mesh::require_count(kWhere, "cells", 1, 1, 9));
  EXPECT_NO_THROW(mesh::require_count(kWhere, "cells", 9, 1, 9));
  EXPECT_NO_THROW(mesh::require_total(kWhere, "cells", 50e6, "cells"));
}

TEST(GeneratorArguments, JustOutsideIsRefused) {
  EXPECT_THROW(mesh::require_positive(kWhere, "size", 0.0), InputError);
  EXPECT_THROW(mesh::require_positive(kWhere, "size", std::numeric_limits<double>::quiet_NaN()), InputError);
  EXPECT_THROW(mesh::require_finite(kWhere, "pitch", -std::numeric_limits<double>::infinity()), InputError);
  EXPECT_THROW(mesh::require_count(kWhere, "cells", 0, 1, 9), InputError);
  EXPECT_THROW(mesh::require_count(kWhere, "cells", 10, 1, 9), InputError);
  EXPECT_THROW(mesh::require_total(kWhere, "cells", 50e6 + 1, "cells"), InputError);
}

TEST(GeneratorArguments, PlaceIsKeptApart) {
  try {
    mesh::require_count(kWhere, "cells", 0, 1, 9);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.place(), "s.yaml:3");
    EXPECT_EQ(error.sentence(), "grid: cells is 0; give a whole number from 1 to 9.");
  }
}

}  // namespace
}  // namespace pliant
