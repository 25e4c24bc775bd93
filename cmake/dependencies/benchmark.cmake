# Google Benchmark (Apache-2.0).
if(PLIANT_BUILD_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()
