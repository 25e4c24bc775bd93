# zlib: the compression inside PNG files (zlib licence).
find_package(ZLIB REQUIRED)
