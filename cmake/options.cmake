# What a builder can choose, and the flags every target gets.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

option(PLIANT_BUILD_APPS "the command line program" ON)
option(PLIANT_BUILD_TESTS "unit and validation tests" ${PROJECT_IS_TOP_LEVEL})
option(PLIANT_BUILD_BENCHMARKS "speed measurements (Google Benchmark)" OFF)
option(PLIANT_BUILD_FUZZERS "fuzz targets of the readers (needs clang)" OFF)
option(PLIANT_WITH_CHOLMOD "direct solves by CHOLMOD (its supernodal module is GPL); OFF uses Eigen's LDLT" ON)
option(PLIANT_WARNINGS_AS_ERRORS "stop the build on a warning" ${PROJECT_IS_TOP_LEVEL})
set(PLIANT_SANITIZE "" CACHE STRING "sanitizers, e.g. address,undefined or thread")
set(PLIANT_ARCH "x86-64-v3" CACHE STRING "-march of the kernels: x86-64-v3 (AVX2, FMA), x86-64-v2, x86-64, or empty")

option(PLIANT_PRECOMPILED "precompiled headers: a fifth less build time" ON)
option(PLIANT_UNITY "sources compiled in groups of a folder: half the build time" ON)

find_program(PLIANT_CCACHE ccache)
if(PLIANT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths relative to the source folder, so that every clone shares one cache; the sloppiness is what precompiled headers need.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${PLIANT_CCACHE})
endif()

include(CheckCXXCompilerFlag)
add_library(pliant_flags INTERFACE)
add_library(pliant::flags ALIAS pliant_flags)
if(PLIANT_ARCH)
  check_cxx_compiler_flag(-march=${PLIANT_ARCH} PLIANT_HAS_ARCH_${PLIANT_ARCH})
  if(PLIANT_HAS_ARCH_${PLIANT_ARCH})
    # PUBLIC matter: Eigen's alignment and the vector types of pliant/math/lanes.h follow the instruction set, so users of the library need it too.
    target_compile_options(pliant_flags INTERFACE -march=${PLIANT_ARCH})
  endif()
endif()
# -Wno-psabi: vector types wider than the baseline ABI never cross a library boundary here.
target_compile_options(pliant_flags INTERFACE -Wno-psabi)

add_library(pliant_warnings INTERFACE)
target_compile_options(pliant_warnings INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<BOOL:${PLIANT_WARNINGS_AS_ERRORS}>:-Werror>
  # g++ 12 sees bounds overrun in concatenations of std::string where there are none.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds> $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>
  # -fno-math-errno, -fno-trapping-math: sqrt compiles to one instruction; neither changes a result.
  -fno-math-errno -fno-trapping-math
  # g++ frees its memory only beyond 1 GB: a seventh less build time for a fifth more memory.
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000> $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-expand=1000>)
# Sanitizers instrument the library; test sources are compiled without them (faster, and shared with the release build).
add_library(pliant_sanitized INTERFACE)
if(PLIANT_SANITIZE)
  target_compile_options(pliant_sanitized INTERFACE -fsanitize=${PLIANT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(PLIANT_SANITIZE MATCHES undefined)
    # Checks of every reference: 40 % of the build. The address sanitizer sees null and overruns too; misaligned vectors fault.
    target_compile_options(pliant_sanitized INTERFACE -fno-sanitize=null,alignment,object-size,vptr)
  endif()
  target_link_options(pliant_flags INTERFACE -fsanitize=${PLIANT_SANITIZE})
endif()
