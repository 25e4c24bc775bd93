# oneTBB: threads, known to pliant/parallel only (Apache-2.0).
find_package(TBB REQUIRED)
