#!/usr/bin/env python3
"""Makes the irregular mesh of the patch test: a unit cube of 4 x 4 x 4 cells whose vertices are moved at random.

Vertices inside move in every direction, those on faces and edges along them, corners stay; 30 % of a cell at most. Each
cell is cut into six tets around its diagonal. The generator of random numbers is written out, so that the file is the
same everywhere.

    tools/make_patch_mesh.py > tests/validation/scenes/patch.mesh
"""
import itertools

CELLS = 4
LARGEST_MOVE = 0.3  # of a cell; at 0.4 some tets become flat


def random_numbers(seed):
    """Uniform in [0, 1): the 64-bit linear congruential generator of Knuth's MMIX, upper 32 bits."""
    while True:
        seed = (6364136223846793005 * seed + 1442695040888963407) % 2**64
        yield (seed >> 32) / 2**32


def volume(a, b, c, d):
    u, v, w = ([p[i] - a[i] for i in range(3)] for p in (b, c, d))
    return (u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0])) / 6


def main():
    random = random_numbers(1)
    corners = range(CELLS + 1)
    vertices = []
    for k, j, i in itertools.product(corners, corners, corners):
        point = []
        for index in (i, j, k):
            shift = (2 * next(random) - 1) * LARGEST_MOVE if 0 < index < CELLS else 0.0
            point.append((index + shift) / CELLS)
        vertices.append(point)

    def vertex(p):
        return (p[2] * (CELLS + 1) + p[1]) * (CELLS + 1) + p[0]

    tets = []
    for cell in itertools.product(range(CELLS), repeat=3):
        for path in itertools.permutations(range(3)):  # from one corner to the opposite one, one axis at a time
            p, tet = list(cell), [vertex(cell)]
            for axis in path:
                p[axis] += 1
                tet.append(vertex(p))
            if volume(*(vertices[v] for v in tet)) < 0:
                tet[2], tet[3] = tet[3], tet[2]
            tets.append(tet)
    smallest = min(volume(*(vertices[v] for v in tet)) for tet in tets)
    assert smallest > 0.05 / (6 * CELLS**3), smallest

    print("MeshVersionFormatted 2\nDimension 3\n\nVertices\n%d" % len(vertices))
    for p in vertices:
        print("%.6f %.6f %.6f 0" % tuple(p))
    print("\nTetrahedra\n%d" % len(tets))
    for t in tets:
        print("%d %d %d %d 0" % tuple(v + 1 for v in t))
    print("\nEnd")


if __name__ == "__main__":
    main()
