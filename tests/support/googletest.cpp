#include "tests/support/googletest.h"

PLIANT_OF_GOOGLETEST()
