# yaml-cpp: scene files (MIT).
find_package(yaml-cpp REQUIRED)
