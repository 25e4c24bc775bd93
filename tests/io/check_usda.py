"""Reads a .usda file by the published grammar of OpenUSD's text format and checks it, knowing nothing of Pliant's code.

  check_usda.py FILE EXPECTED [quiet]

Stricter than common readers (one of them is asked in tests/viewer/usd_test.mjs): written from the grammar (layer and prim metadata, prims,
attributes with default values and time samples, relationships, connections, dictionaries; strict about separators,
identifiers and the shape of values of each type) and from the schemas UsdGeom and UsdShade.
EXPECTED is JSON: per prim its type, the name it shows, and per frame the time and the points; no points when the prim
is not to be seen.
Ends with 0 when content, 1 when not, 77 when what it needs is not installed.
"""
import json
import re
import sys

try:
    import numpy as np
except ImportError:
    sys.exit(77)

from checking import expect, fail

TOLERANCE = 2e-6  # m: single precision at coordinates of some metres, and a rotation

TOKENS = re.compile(r"""
    (?P<space>[ \t]+)
  | (?P<newline>\n)
  | (?P<number>-?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|inf\b)|nan\b)
  | (?P<name>[A-Za-z_]\w*(?::[A-Za-z_]\w*)*(?:\.[A-Za-z]+)?)
  | (?P<string>"(?:[^"\\\n]|\\.)*")
  | (?P<path><[^<>\n]*>)
  | (?P<mark>[()\[\]{}=,:;])
""", re.VERBOSE | re.ASCII)

PATH = re.compile(r"</[A-Za-z_]\w*(?:/[A-Za-z_]\w*)*(?:\.[A-Za-z_]\w*(?::[A-Za-z_]\w*)*)?>", re.ASCII)

# Number of components of one value, and how a component reads.
TYPES = {"bool": (1, int), "int": (1, int), "float": (1, float), "double3": (3, float), "float3": (3, float),
         "point3f": (3, float), "color3f": (3, float), "texCoord2f": (2, float), "quatf": (4, float),
         "token": (1, str), "string": (1, str)}


class Number(float):
    """A number that remembers how it was written."""
    def __new__(cls, text):
        number = super().__new__(cls, text)
        number.text = text
        return number


class Reader:
    def __init__(self, text):
        header, _, body = text.partition("\n")
        expect(header == "#usda 1.0", "the first line")
        self.tokens, at, line = [], 0, 2
        while at < len(body):
            match = TOKENS.match(body, at)
            expect(match, f"line {line}: {body[at:at + 20]!r}")
            if match.lastgroup != "space":
                self.tokens.append((match.lastgroup, match.group(), line))
            line += match.lastgroup == "newline"
            at = match.end()
        self.tokens.append(("end", "", line))
        self.at = 0

    def peek(self):
        return self.tokens[self.at]

    def take(self, kind, text=None):
        found = self.tokens[self.at]
        expect(found[0] == kind and text in (None, found[1]), f"line {found[2]}: {found[1]!r}, not {text or kind}")
        self.at += 1
        return found[1]

    def has(self, text):
        if self.tokens[self.at][1] == text and self.tokens[self.at][0] in ("mark", "name"):
            self.at += 1
            return True
        return False

    def newlines(self):
        while self.peek()[0] == "newline":
            self.at += 1

    # statements up to a closing mark, each on lines of its own
    def statements(self, close, statement):
        self.newlines()
        while not self.has(close):
            statement()
            if self.peek()[1] != close:
                kind, text, line = self.peek()
                expect(kind == "newline" or text == ";", f"line {line}: one statement a line")
                self.has(";")
            self.newlines()

    # items with commas between them, a last comma allowed
    def items(self, close, item):
        result = []
        self.newlines()
        while not self.has(close):
            result.append(item())
            if not self.has(","):
                self.newlines()
                self.take("mark", close)
                break
            self.newlines()
        return result

    def string(self):
        text = self.take("string")[1:-1]
        return re.sub(r"\\(.)", r"\1", text)

    def value(self):
        kind, text, line = self.peek()
        if kind == "string":
            return self.string()
        if kind == "number":
            self.at += 1
            return Number(text)
        if kind == "path":
            expect(PATH.fullmatch(text), f"line {line}: the path {text}")
            self.at += 1
            return text
        if self.has("("):
            result = tuple(self.items(")", self.value))
            expect(result, f"line {line}: an empty tuple")
            return result
        self.take("mark", "[")
        return self.items("]", self.value)

    def dictionary(self):
        result = {}

        def item():
            kind = self.take("name")
            key = self.take("name")
            self.take("mark", "=")
            result[key] = typed(kind, self.value(), f"line {self.peek()[2]}")
        self.statements("}", item)
        return result

    def metadata(self):
        result = {}

        def item():
            operation = "prepend " if self.has("prepend") else ""
            key = operation + self.take("name")
            expect(key not in result, f"line {self.peek()[2]}: {key} twice")
            self.take("mark", "=")
            result[key] = self.dictionary() if self.has("{") else self.value()
        if self.has("("):
            self.statements(")", item)
        return result

    def prim(self):
        self.take("name", "def")
        prim = {"type": self.take("name"), "name": self.string(), "attributes": {}, "samples": {}, "targets": {},
                "children": {}}
        expect(re.fullmatch(r"[A-Za-z_]\w*", prim["name"], re.ASCII), f"the name {prim['name']!r}")
        self.newlines()
        prim["metadata"] = self.metadata()
        self.newlines()
        self.take("mark", "{")
        self.statements("}", lambda: self.member(prim))
        return prim

    def member(self, prim):
        if self.peek()[1] == "def":
            child = self.prim()
            expect(child["name"] not in prim["children"], f"two prims {child['name']}")
            prim["children"][child["name"]] = child
            return
        line = self.peek()[2]
        self.has("uniform")
        kind = self.take("name")
        is_list = self.has("[")
        if is_list:
            self.take("mark", "]")
        name, _, suffix = self.take("name").partition(".")
        table = {"": "attributes", "timeSamples": "samples", "connect": "targets"}.get(suffix)
        table = "targets" if kind == "rel" else table
        expect(table and name not in prim[table], f"line {line}: {name}.{suffix}")
        if not self.has("="):
            prim["attributes"][name] = None
            return
        if table == "targets":
            prim[table][name] = self.value()
            expect(isinstance(prim[table][name], str), f"line {line}: a path")
        elif table == "samples":
            self.take("mark", "{")
            prim[table][name] = self.items("}", lambda: self.sample(kind, is_list))
            codes = [code for code, _ in prim[table][name]]
            expect(codes and all(a < b for a, b in zip(codes, codes[1:])), f"line {line}: time codes increase")
        else:
            prim[table][name] = typed(kind, self.value(), f"line {line}", is_list)
            prim.setdefault("interpolation", {})[name] = self.metadata().get("interpolation")

    def sample(self, kind, is_list):
        line = self.peek()[2]
        code = float(self.take("number"))
        self.take("mark", ":")
        return code, typed(kind, self.value(), f"line {line}", is_list)

    def layer(self):
        metadata = self.metadata()
        prims = {}
        self.newlines()
        while self.peek()[0] != "end":
            prim = self.prim()
            prims[prim["name"]] = prim
            self.newlines()
        return metadata, prims


def typed(kind, value, where, is_list=False):
    expect(kind in TYPES, f"{where}: the type {kind}")
    width, component = TYPES[kind]
    expect(isinstance(value, list) == is_list, f"{where}: {kind} is a list or not")
    for one in value if is_list else [value]:
        parts = one if isinstance(one, tuple) else (one,)
        expect(len(parts) == width and isinstance(one, tuple) == (width > 1), f"{where}: components of {kind}")
        for part in parts:
            expect(isinstance(part, str if component is str else Number), f"{where}: {part!r} is no {kind}")
            expect(component is not int or re.fullmatch(r"-?\d+", part.text), f"{where}: {part!r} is no integer")
    return value


def check_digits(points):
    """Single precision, with the fewest digits that read back."""
    for number in (component for point in points for component in point):
        digits = lambda text: re.sub(r"[eE].*|[-.]", "", text).strip("0")
        shortest = np.format_float_scientific(np.float32(number), unique=True, trim="-")
        expect(digits(number.text) == digits(shortest), f"{number.text} for {shortest}")


def sampled(samples, code, held=False):
    """Linear between samples, held before the first and after the last, as UsdAttribute::Get does."""
    before = [s for s in samples if s[0] <= code] or samples[:1]
    after = [s for s in samples if s[0] > code]
    if held or not after or before[-1][0] > code:
        return before[-1][1]
    share = (code - before[-1][0]) / (after[0][0] - before[-1][0])
    return (1 - share) * np.array(before[-1][1], float) + share * np.array(after[0][1], float)


def points_at(prim, code):
    if "points" in prim["samples"]:
        return np.array(sampled(prim["samples"]["points"], code), float).reshape(-1, 3)
    points = np.array(prim["attributes"]["points"], float).reshape(-1, 3)
    expect(prim["attributes"]["xformOpOrder"] == ["xformOp:translate", "xformOp:orient"], "xformOpOrder")
    w, x, y, z = np.array(sampled(prim["samples"]["xformOp:orient"], code), float)
    expect(abs(w * w + x * x + y * y + z * z - 1) < 1e-6, "orientations have length 1")
    rotation = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                         [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                         [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
    return points @ rotation.T + np.array(sampled(prim["samples"]["xformOp:translate"], code), float)


def check_schema(prim):
    attributes, samples = prim["attributes"], prim["samples"]
    all_points = [points for _, points in samples["points"]] if "points" in samples else [attributes["points"]]
    extents = [extent for _, extent in samples["extent"]] if "extent" in samples else [attributes["extent"]]
    count = len(all_points[0])
    for points in all_points:
        check_digits(points)
        expect(len(points) == count, "as many points in every sample")
    half = max(attributes["widths"]) / 2 if "widths" in attributes else 0
    if len(all_points) == len(extents):
        for points, (low, high) in zip(all_points, extents):
            values = np.array(points, float)
            expect(np.allclose(values.min(axis=0) - half, low, atol=1e-6), "extent begins where the points do")
            expect(np.allclose(values.max(axis=0) + half, high, atol=1e-6), "extent ends where the points do")
    if prim["type"] == "Mesh":
        expect(attributes.get("subdivisionScheme") == "none" and attributes.get("doubleSided") == 1, "a plain mesh")
        expect(sum(attributes["faceVertexCounts"]) == len(attributes["faceVertexIndices"]), "corners of faces")
        expect(0 <= min(attributes["faceVertexIndices"]) <= max(attributes["faceVertexIndices"]) < count, "indices")
        if "primvars:st" in attributes:
            expect(len(attributes["primvars:st"]) == count, "texture")
            expect(prim["interpolation"]["primvars:st"] == "vertex", "texture per vertex")
    else:
        expect(len(attributes["widths"]) == count and prim["interpolation"]["widths"] == "vertex", "widths per point")
    if prim["type"] == "BasisCurves":
        expect(attributes["type"] == "linear" and attributes["wrap"] == "nonperiodic", "linear curves")
        expect(sum(attributes["curveVertexCounts"]) == count, "points of curves")


def check_material(prim, root):
    expect("MaterialBindingAPI" in prim["metadata"]["prepend apiSchemas"], "the binding's schema is applied")
    path = prim["targets"]["material:binding"]
    name = path[1:-1].split("/")
    expect(name[1:3] == [root["name"], "materials"], path)
    material = root["children"]["materials"]["children"][name[3]]
    expect(material["type"] == "Material", "a material")
    target = material["targets"]["outputs:surface"]
    shader = material["children"]["surface"]
    expect(target == path[:-1] + "/surface.outputs:surface>" and "outputs:surface" in shader["attributes"], target)
    expect(shader["attributes"]["info:id"] == "UsdPreviewSurface", "a preview surface")
    expect(all(0 <= c <= 1 for c in shader["attributes"]["inputs:diffuseColor"]), "colour")


def main():
    path, expected_path = [word for word in sys.argv[1:] if word != "quiet"]
    with open(path, encoding="utf-8") as file:
        layer, prims = Reader(file.read()).layer()
    with open(expected_path, encoding="utf-8") as file:
        expected = json.load(file)

    expect(layer["upAxis"] == "Y" and layer["metersPerUnit"] == 1, "units")
    expect(layer["timeCodesPerSecond"] == layer["framesPerSecond"] == expected["rate"], "rate")
    expect(list(prims) == [layer["defaultPrim"]], "one root")
    root = prims[layer["defaultPrim"]]
    expect(root["type"] == "Xform", "the root is an Xform")
    expect(set(root["children"]) == set(expected["prims"]) | {"materials"}, f"prims {list(root['children'])}")

    for name, wanted in expected["prims"].items():
        prim = root["children"][name]
        expect(prim["type"] == wanted["type"], f"{name} is a {prim['type']}")
        expect(prim["metadata"]["displayName"] == wanted["shows"] == prim["metadata"]["customData"]["name"], "its name")
        check_schema(prim)
        check_material(prim, root)
        for frame in wanted["frames"]:
            code = frame["time"] * expected["rate"]
            expect(layer["startTimeCode"] - 1e-6 < code < layer["endTimeCode"] + 1e-6, "start and end")
            # Just after the frame, as the time written may be rounded.
            visibility = sampled(prim["samples"].get("visibility", [(0, "inherited")]), code + 1e-6, held=True)
            points = np.array(frame["points"], float).reshape(-1, 3)
            where = f"{name} at {frame['time']:.4f} s"
            expect((visibility == "inherited") == (len(points) > 0), f"{where} is {visibility}")
            if len(points) == 0:
                continue
            found = points_at(prim, code)
            expect(found.shape == points.shape, f"{where}: number of points")
            error = np.abs(found - points).max()
            expect(error < TOLERANCE, f"{where} is {error} m off")


if __name__ == "__main__":
    main()
