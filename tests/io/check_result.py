"""Looks at result.h5 with h5py, as a user would, knowing nothing of Pliant's code.

  check_result.py layout FOLDER FRAMES      every dataset of the file format is there with the right shape and type
  check_result.py frames FOLDER FRAMES …    the files open and have that many frames
  check_result.py same FOLDER OTHERS…       all results hold the same datasets, attributes and bytes
  check_result.py xdmf FOLDER FRAMES        what result.xdmf refers to is in result.h5, with the stated shape and type
"""
import pathlib
import sys
import xml.etree.ElementTree

import h5py
import numpy as np


def open_result(folder):
    return h5py.File(pathlib.Path(folder) / "result.h5", "r")


def expect(condition, what):
    if not condition:
        sys.exit(f"check_result.py: {what}")


def expect_array(group, name, shape, dtype):
    expect(name in group, f"{group.name}/{name} is missing")
    found = group[name]
    expect(found.shape == shape, f"{found.name} has shape {found.shape}, not {shape}")
    expect(found.dtype == np.dtype(dtype), f"{found.name} has type {found.dtype}, not {dtype}")
    return found[()]


def check_layout(folder, frames):
    with open_result(folder) as file:
        expect(file.attrs["format"] == b"pliant result" or file.attrs["format"] == "pliant result", "format")
        expect(file.attrs["format_version"] == 1, "format_version")
        for name in ("pliant_version", "units", "up"):
            expect(name in file.attrs, f"the attribute {name} is missing")
        times = expect_array(file, "times", (frames,), "<f8")
        expect(np.array_equal(times, np.arange(frames) / 60.0), "times")
        expect(np.array_equal(expect_array(file, "steps", (frames,), "<i8"), 3 * np.arange(frames)), "steps")

        kinds = {"jelly": "solid", "sheet": "cloth", 'hair <&> "1"': "rod", "brick": "rigid", "grains": "particles"}
        expect(set(file["bodies"]) == set(kinds), "names of bodies")
        for index, (name, kind) in enumerate(kinds.items()):
            body = file["bodies"][name]
            expect(np.bytes_(body.attrs["kind"]).decode() == kind if isinstance(body.attrs["kind"], bytes)
                   else body.attrs["kind"] == kind, f"kind of {name}")
            expect(body.attrs["index"] == index, f"index of {name}")
            revision = body["revisions/0"]
            expect(revision["first_frame"][()] == 0, "first_frame")
            vertices = revision["rest_positions"].shape[0]
            positions = expect_array(revision, "positions", (frames, vertices, 3), "<f8")
            if name == "brick":
                poses = expect_array(revision, "poses", (frames, 7), "<f8")
                w, x, y, z = poses[-1, 3:]
                rotation = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
                expected = revision["rest_positions"][()] @ rotation.T + poses[-1, :3]
            else:
                s = np.arange(vertices) + (frames - 1) * 0.37 + index
                expected = np.stack([np.sin(s), np.cos(3 * s) / 7, s * 1e-3], axis=1)
            expect(np.allclose(positions[-1], expected, rtol=0, atol=1e-14), f"positions of {name}")

        jelly = file["bodies/jelly/revisions/0"]
        expect_array(jelly, "cells", (2, 4), "<i4")
        surface = jelly["surface"]
        expect_array(surface, "triangles", (1, 3), "<i4")
        expect_array(surface, "tet", (3,), "<i4")
        weights = expect_array(surface, "weights", (3, 4), "<f8")
        expect(np.allclose(weights.sum(axis=1), 1), "weights sum to one")
        sheet = file["bodies/sheet/revisions/0"]
        expect_array(sheet, "cells", (38, 3), "<i4")
        expect_array(sheet, "texture", (40, 2), "<f8")
        expect_array(sheet, "velocities", (frames, 40, 3), "<f8")
        expect_array(sheet, "active", (frames, 38, 1), "u1")
        expect_array(sheet, "strain", (frames, 38, 6), "<f4")
        expect_array(file['bodies/hair <&> "1"/revisions/0'], "material_frames", (frames, 2, 4), "<f8")

        contacts = file["contacts"]
        offsets = expect_array(contacts, "offsets", (frames + 1,), "<i8")
        expect(np.array_equal(np.diff(offsets), np.arange(frames) % 4), "contacts per frame")
        expect_array(contacts, "pair", (offsets[-1], 2), "<i4")
        for name in ("point", "normal", "force"):
            expect_array(contacts, name, (offsets[-1], 3), "<f8")


def read_item(item, folder):
    """The array that an XDMF DataItem stands for."""
    shape = tuple(map(int, item.attrib["Dimensions"].split()))
    if item.attrib.get("ItemType") == "HyperSlab":
        start, stride, count = read_item(item[0], folder).astype(int)
        whole = read_item(item[1], folder)
        cut = tuple(slice(a, a + s * n, s) for a, s, n in zip(start, stride, count))
        return whole[cut].reshape(shape)
    if item.attrib["Format"] == "XML":
        return np.array(item.text.split(), dtype=float).reshape(shape)
    name, path = item.text.split(":", 1)
    with h5py.File(pathlib.Path(folder) / name, "r") as file:
        found = file[path]
        expect(found.shape == shape, f"{path} has shape {found.shape}, and result.xdmf says {shape}")
        kinds = {"Float": "f", "Int": "i", "UChar": "u"}
        expect(found.dtype.kind == kinds[item.attrib["NumberType"]], f"{path} has another type than in result.xdmf")
        expect(found.dtype.itemsize == int(item.attrib["Precision"]), f"{path} has another precision")
        return found[()]


def check_xdmf(folder, frames):
    tree = xml.etree.ElementTree.parse(pathlib.Path(folder) / "result.xdmf")
    corners = {"Polyvertex": 1, "Polyline": 2, "Triangle": 3, "Tetrahedron": 4}
    with open_result(folder) as file:
        times = file["times"][()]
        bodies = {name: [(r["first_frame"][()], r["positions"][()]) for _, r in sorted(body["revisions"].items())]
                  for name, body in file["bodies"].items()}
    series = tree.findall("./Domain/Grid")
    expect({body.attrib["Name"] for body in series} == set(bodies), "names of bodies")
    for body in series:
        grids = body.findall("Grid")
        expect(len(grids) == frames, f"result.xdmf has {len(grids)} frames instead of {frames}")
        for frame, grid in enumerate(grids):
            expect(float(grid.find("Time").attrib["Value"]) == times[frame], "times")
            first, positions = [r for r in bodies[grid.attrib["Name"]] if r[0] <= frame][-1]
            points = read_item(grid.find("Geometry")[0], folder)
            expect(np.array_equal(points, positions[frame - first]), "points")
            topology = grid.find("Topology")
            cells = read_item(topology[0], folder)
            expected = (int(topology.attrib["NumberOfElements"]), corners[topology.attrib["TopologyType"]])
            expect(cells.shape == expected and cells.min() >= 0 and cells.max() < len(points), "cells")
            for attribute in grid.findall("Attribute"):
                rows = {"Node": len(points), "Cell": len(cells)}[attribute.attrib["Center"]]
                columns = {"Scalar": 1, "Vector": 3, "Tensor6": 6}[attribute.attrib["AttributeType"]]
                expect(read_item(attribute[0], folder).shape == (rows, columns), attribute.attrib["Name"])


def contents(folder):
    """Path → (shape, type, bytes) of every dataset, and every attribute."""
    found = {}

    def visit(name, item):
        for key, value in item.attrs.items():
            found[f"{name}@{key}"] = str(value)
        if isinstance(item, h5py.Dataset):
            found[name] = (item.shape, item.dtype, item[()].tobytes())

    with open_result(folder) as file:
        visit("", file)
        file.visititems(visit)
    return found


def main(arguments):
    task, folder, rest = arguments[0], arguments[1], arguments[2:]
    if task == "layout":
        check_layout(folder, int(rest[0]))
    elif task == "frames":
        for folder, frames in zip(arguments[1::2], map(int, arguments[2::2])):
            with open_result(folder) as file:
                expect(file["times"].shape == (frames,), f"{file['times'].shape} frames instead of {frames}")
                for body in file["bodies"].values():
                    expect(body["revisions/0/positions"][()].shape[0] == frames, "positions")
    elif task == "same":
        reference = contents(folder)
        for other in rest:
            found = contents(other)
            expect(found.keys() == reference.keys(), f"{other} has other datasets")
            for name in reference:
                expect(found[name] == reference[name], f"{name} differs in {other}")
    elif task == "xdmf":
        check_xdmf(folder, int(rest[0]))
    else:
        sys.exit(__doc__)


main(sys.argv[1:])
