# Embree 3: rays against triangles, tubes and spheres, for pictures (Apache-2.0).
find_package(embree 3 REQUIRED)
