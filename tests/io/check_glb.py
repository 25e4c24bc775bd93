"""Looks at a .glb file as another program would, knowing nothing of Pliant's code.

  check_glb.py layout FILE EXPECTED     what the glTF 2.0 specification demands holds, and its formulas for animation
                                        give the expected points
  check_glb.py vtk FILE EXPECTED        the glTF reader of VTK gives the expected points
  … quiet …                             no words about what is wrong

EXPECTED is JSON: per node name the number of vertices that stand for one point (their mean is the point, and
their distance from it its radius), and per frame its time and points; no points when the node is not to be seen.
Ends with 0 when content, 1 when not, 77 when what it needs is not installed.
"""
import json
import struct
import sys

try:
    import numpy as np
except ImportError:
    sys.exit(77)

from checking import QUIET, expect, fail

TOLERANCE = 4e-6  # m: single precision at coordinates of some metres, through a difference and a rotation


def read_chunks(path):
    data = open(path, "rb").read()
    magic, version, length = struct.unpack("<4sII", data[:12])
    expect(magic == b"glTF" and version == 2 and length == len(data), "header")
    chunks, at = {}, 12
    while at < length:
        size, kind = struct.unpack("<I4s", data[at:at + 8])
        expect(size % 4 == 0 and at + 8 + size <= length, "chunks end on multiples of 4 inside the file")
        chunks[kind] = data[at + 8:at + 8 + size]
        at += 8 + size
    expect(list(chunks) == [b"JSON", b"BIN\0"], "the chunks are JSON, then BIN")
    return json.loads(chunks[b"JSON"].decode("utf-8")), chunks[b"BIN\0"]


COMPONENTS = {5125: ("<u4", 4), 5126: ("<f4", 4)}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


class Document:
    def __init__(self, path):
        self.json, self.binary = read_chunks(path)
        expect(self.json["asset"]["version"] == "2.0", "version")
        expect(len(self.json["buffers"]) == 1, "one buffer")
        length = self.json["buffers"][0]["byteLength"]
        expect(length <= len(self.binary) < length + 4, "the buffer has the length of its chunk")
        end = 0
        for view in self.json["bufferViews"]:
            expect(view["byteOffset"] >= end, "views do not overlap")
            end = view["byteOffset"] + view["byteLength"]
            expect(end <= length, "views end inside the buffer")

    def array(self, index):
        accessor = self.json["accessors"][index]
        view = self.json["bufferViews"][accessor["bufferView"]]
        dtype, size = COMPONENTS[accessor["componentType"]]
        width, count = WIDTHS[accessor["type"]], accessor["count"]
        expect(count >= 1, "accessors are not empty")
        stride = view.get("byteStride", width * size)
        expect(stride == width * size, "arrays without gaps")
        offset = accessor.get("byteOffset", 0)
        expect(offset % size == 0 and (view["byteOffset"] + offset) % size == 0, "alignment")
        expect(offset + stride * count <= view["byteLength"], f"accessor {index} ends inside its view")
        values = np.frombuffer(self.binary, dtype, width * count, view["byteOffset"] + offset).reshape(count, width)
        expect(np.all(np.isfinite(values)), f"accessor {index} is finite")
        for name, extreme in (("min", values.min(axis=0)), ("max", values.max(axis=0))):
            if name in accessor:
                expect(np.array_equal(np.array(accessor[name], values.dtype), extreme), f"{name} of accessor {index}")
        return values

    def bounded_array(self, index):
        expect({"min", "max"} <= set(self.json["accessors"][index]), f"accessor {index} needs bounds")
        return self.array(index)


def check_primitive(document, primitive):
    view_of = lambda i: document.json["bufferViews"][document.json["accessors"][i]["bufferView"]]
    positions = document.bounded_array(primitive["attributes"]["POSITION"])
    for name, index in primitive["attributes"].items():
        expect(len(document.array(index)) == len(positions), f"{name} has a value per vertex")
        expect(view_of(index)["target"] == 34962, "vertices stand in vertex views")
    indices = document.array(primitive["indices"])
    expect(view_of(primitive["indices"])["target"] == 34963, "indices stand in index views")
    expect(indices.max() < len(positions), "indices stay inside")
    if primitive["mode"] == 4:
        expect(len(indices) % 3 == 0, "triangles have three corners")
        check_normals(positions, document.array(primitive["attributes"]["NORMAL"]), indices.reshape(-1, 3))
    material = document.json["materials"][primitive["material"]]
    colour = material["pbrMetallicRoughness"]["baseColorFactor"]
    expect(len(colour) == 4 and all(0 <= c <= 1 for c in colour), "colours lie between 0 and 1")
    for target in primitive.get("targets", []):
        expect(len(document.bounded_array(target["POSITION"])) == len(positions), "targets have all vertices")


def check_normals(positions, normals, triangles):
    """Normals have length 1 and point where the triangles around face, wherever those agree with each other."""
    expect(np.allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-5), "normals have length 1")
    corners = positions[triangles].astype(float)
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sums, sizes = np.zeros(positions.shape), np.zeros(len(positions))
    for c in range(3):
        np.add.at(sums, triangles[:, c], areas)
        np.add.at(sizes, triangles[:, c], np.linalg.norm(areas, axis=1))
    lengths = np.linalg.norm(sums, axis=1)
    clear = lengths > 0.5 * sizes
    cosines = np.einsum("ij,ij->i", sums[clear] / lengths[clear, None], normals[clear].astype(float))
    expect(cosines.mean() > 0.9, "normals point where the triangles face")


def sampled(times, values, time, interpolation):
    """Section 3.11 and appendix C of the specification: held at both ends, STEP or LINEAR between."""
    k = int(np.clip(np.searchsorted(times, time, side="right") - 1, 0, len(times) - 1))
    if interpolation == "STEP" or k == len(times) - 1 or time <= times[0]:
        return values[k].astype(float)
    s = (time - times[k]) / (times[k + 1] - times[k])
    a, b = values[k].astype(float), values[k + 1].astype(float)
    if len(a) == 4 and interpolation == "LINEAR" and s not in (0, 1):  # rotations; near ones, so mixing is enough
        mixed = (1 - s) * a + s * b
        return mixed / np.linalg.norm(mixed)
    return (1 - s) * a + s * b


def rotated(points, quaternion):
    x, y, z, w = quaternion
    matrix = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                       [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                       [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
    return points @ matrix.T


def points_of_node(document, index, time):
    """Vertices of a node in the world at a time, and how large it is shown."""
    node = document.json["nodes"][index]
    primitive = document.json["meshes"][node["mesh"]]["primitives"][0]
    values = {"translation": node.get("translation", [0, 0, 0]), "rotation": node.get("rotation", [0, 0, 0, 1]),
              "scale": node.get("scale", [1, 1, 1]),
              "weights": document.json["meshes"][node["mesh"]].get("weights", [])}
    for animation in document.json.get("animations", []):
        for channel in animation["channels"]:
            if channel["target"]["node"] != index:
                continue
            sampler = animation["samplers"][channel["sampler"]]
            times = document.bounded_array(sampler["input"])[:, 0]
            expect(times[0] >= 0 and np.all(np.diff(times) > 0), "times increase")
            output = document.array(sampler["output"]).reshape(len(times), -1)
            values[channel["target"]["path"]] = sampled(times, output, np.float32(time), sampler["interpolation"])
    points = document.array(primitive["attributes"]["POSITION"]).astype(float)
    targets = primitive.get("targets", [])
    expect(len(values["weights"]) == len(targets), "a weight per target")
    for weight, target in zip(values["weights"], targets):
        points = points + weight * document.array(target["POSITION"])
    if primitive["mode"] == 4 and np.all(np.isin(values["weights"], (0, 1))):
        normals = document.array(primitive["attributes"]["NORMAL"]).astype(float)
        for weight, target in zip(values["weights"], targets):
            normals = normals + (weight * document.array(target["NORMAL"]) if "NORMAL" in target else 0)
        check_normals(points, normals, document.array(primitive["indices"]).reshape(-1, 3))
    expect(abs(np.linalg.norm(values["rotation"]) - 1) < 1e-6, "rotations have length 1")
    points = rotated(points * np.array(values["scale"], float), values["rotation"]) + values["translation"]
    return points, values["scale"]


def compare(name, frame, node, points):
    """points: as read, or None when the reader shows nothing."""
    wanted = np.array(frame["points"], float).reshape(-1, 3)
    where = f"{name} at {frame['time']:.4f} s"
    if len(wanted) == 0:
        expect(points is None or np.ptp(points, axis=0).max() == 0, f"{where} is not to be seen")
        return
    group = node["group"]
    expect(points is not None and len(points) == group * len(wanted), f"{where}: number of vertices")
    means = points.reshape(len(wanted), group, 3).mean(axis=1)
    error = np.abs(means - wanted).max()
    expect(error < TOLERANCE, f"{where} is {error} m off")
    if group > 1:
        distances = np.linalg.norm(points.reshape(len(wanted), group, 3) - wanted[:, None], axis=2)
        expect(np.abs(distances - np.array(node["radius"])[:, None]).max() < TOLERANCE, f"{where}: thickness")


def check_layout(path, expected):
    document = Document(path)
    for index in range(len(document.json["accessors"])):
        document.array(index)
    for mesh in document.json["meshes"]:
        for primitive in mesh["primitives"]:
            check_primitive(document, primitive)
    names = [node["name"] for node in document.json["nodes"]]
    expect(sorted(names) == sorted(expected), f"nodes {names}")
    expect(document.json["scenes"][document.json["scene"]]["nodes"] == list(range(len(names))), "all nodes are shown")
    for name, node in expected.items():
        for frame in node["frames"]:
            points, scale = points_of_node(document, names.index(name), frame["time"])
            expect(np.all(np.array(scale) == (1 if frame["points"] else 0)), f"{name} is to be seen or not")
            compare(name, frame, node, points)


def check_vtk(path, expected):
    try:
        import vtk
        from vtk.util.numpy_support import vtk_to_numpy
    except ImportError:
        sys.exit(77)
    if QUIET:
        vtk.vtkObject.GlobalWarningDisplayOff()
    names = [node["name"] for node in read_chunks(path)[0]["nodes"]]
    times = sorted({frame["time"] for node in expected.values() for frame in node["frames"]})
    reader = vtk.vtkGLTFReader()
    reader.SetFileName(path)
    reader.SetApplyDeformationsToGeometry(True)
    reader.SetFrameRate(60)
    reader.UpdateInformation()
    expect(reader.GetNumberOfAnimations() == 1, "VTK finds one animation")
    reader.EnableAnimation(0)
    for time in times:
        # Just after the frame: at the very time of a STEP key VTK still shows the value before, not as specified.
        reader.UpdateTimeStep(float(np.nextafter(np.float32(time), np.float32(np.inf))))
        shown = {}
        nodes = reader.GetOutput()
        for i in range(nodes.GetNumberOfBlocks()):
            block_name = nodes.GetMetaData(i).Get(vtk.vtkCompositeDataSet.NAME())
            mesh = nodes.GetBlock(i).GetBlock(0).GetBlock(0)
            shown[names[int(block_name.split("_")[1])]] = vtk_to_numpy(mesh.GetPoints().GetData()).astype(float)
        for name, node in expected.items():
            for frame in node["frames"]:
                if frame["time"] == time:
                    compare(name, frame, node, shown.get(name))


def main():
    mode, path, expected_path = [word for word in sys.argv[1:] if word != "quiet"]
    with open(expected_path, encoding="utf-8") as file:
        expected = json.load(file)
    if mode == "layout":
        check_layout(path, expected)
    elif mode == "vtk":
        check_vtk(path, expected)


if __name__ == "__main__":
    main()
