#!/usr/bin/python3
"""Where drawn vertices of an embedded surface are, computed from result.h5 alone: drawn_positions.py result.h5 > positions.json"""
import json
import sys

import h5py
import numpy as np

with h5py.File(sys.argv[1], "r") as result:
    bodies = sorted(result["bodies"].items(), key=lambda item: item[1].attrs["index"])
    known = []
    for index, (_, body) in enumerate(bodies):
        revision = body["revisions/0"]
        if "surface" not in revision:
            continue
        cells, positions = revision["cells"][:], revision["positions"]
        tet, weights = revision["surface/tet"][:], revision["surface/weights"][:]
        for frame in (0, len(positions) // 2, len(positions) - 1):
            x = positions[frame]
            for vertex in np.linspace(0, len(tet) - 1, 7).astype(int):
                place = weights[vertex] @ x[cells[tet[vertex]]]
                known.append({"frame": frame, "body": index, "vertex": int(vertex), "position": place.tolist()})
json.dump(known, sys.stdout)
