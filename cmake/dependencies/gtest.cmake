# GoogleTest (BSD-3-Clause).
if(PLIANT_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
