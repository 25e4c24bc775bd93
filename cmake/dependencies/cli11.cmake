# CLI11: the command line (BSD-3-Clause).
if(PLIANT_BUILD_APPS)
  find_package(CLI11 REQUIRED)
endif()
