#!/usr/bin/python3
# Makes a PNG picture of a result folder: tools/picture.py out/flagship -o flagship.png
#
# An interim tool until `pliant render` exists. A z-buffer in numpy: every (triangle, pixel) pair of the boxes around the
# projected triangles is tested in blocks, the nearest one per pixel is kept, and shading is done once per pixel.
#
#   brightness = sky(normal) · openness + sun · max(0, n·l) · lit + a small highlight
#   openness   share of the sky seen from a point: depth maps from 24 directions over the upper half of the sphere
#   lit        share of the sun seen, from one depth map, averaged over 9 neighbours
#
# What is drawn: the embedded surface of a body when it has one, else the boundary of its tets, its triangles, or nothing
# (rods, particles). Colours are one per body, in order. The ground is a plane at the lowest point of the whole motion.
# Needs numpy and h5py (Debian: python3-h5py), hence the system's python3 in the first line.
import argparse
import pathlib
import struct
import sys
import zlib

import h5py
import numpy as np

SUPERSAMPLING = 2  # samples per pixel and axis
FIELD_OF_VIEW = 32.0  # degrees, along the longer side of the picture
STRIP_GAP = 6  # pixels of white between frames side by side
CREASE_DEGREES = 60.0  # edges sharper than this at rest are drawn as edges
SUN = np.array([0.45, 1.0, 0.55]) / np.linalg.norm([0.45, 1.0, 0.55])  # towards the light
SKY_DIRECTIONS = 24
PAIRS_PER_BLOCK = 3_000_000  # (triangle, pixel) pairs tested at once; bounds the memory to a few hundred MB
BACKGROUND_TOP = np.array([0.80, 0.86, 0.92])  # linear light, as all colours here
BACKGROUND_BOTTOM = np.array([0.93, 0.94, 0.95])
GROUND = np.array([0.80, 0.80, 0.79])
PALETTE = np.array([[0.80, 0.20, 0.10], [0.09, 0.34, 0.62], [0.86, 0.52, 0.06], [0.10, 0.45, 0.26], [0.42, 0.20, 0.55],
                    [0.08, 0.50, 0.54], [0.75, 0.25, 0.42], [0.44, 0.50, 0.12], [0.45, 0.26, 0.14], [0.30, 0.34, 0.42]])


class Body:
    """A drawable surface: its triangles and a way to its vertices in any frame."""

    def __init__(self, group):
        self.revision = group["revisions/0"]  # no body is cut yet: there is one revision
        cells = self.revision["cells"][:]
        self.weights = None
        if "surface" in self.revision:
            surface = self.revision["surface"]
            self.triangles = surface["triangles"][:]
            self.rest = surface["rest_positions"][:]
            self.corners = cells[surface["tet"][:]]
            self.weights = surface["weights"][:]
        else:
            self.triangles = boundary_of(cells)
            self.rest = self.revision["rest_positions"][:]
        self.triangles = without_doubles(self.triangles)
        self.smooth_pairs = corners_to_average(self.rest, self.triangles)

    def vertices(self, frame):
        if "poses" in self.revision:
            pose = self.revision["poses"][frame]
            return self.rest @ rotation_of(pose[3:]).T + pose[:3]
        positions = self.revision["positions"][frame]
        if self.weights is None:
            return positions
        return np.einsum("sk,skd->sd", self.weights, positions[self.corners])


def boundary_of(cells):
    if cells.shape[1] == 3:
        return cells
    if cells.shape[1] != 4:
        return np.empty((0, 3), dtype=int)
    # Faces of positively oriented tets, seen from outside; those that no second tet shares are the boundary.
    faces = np.concatenate([cells[:, [1, 2, 3]], cells[:, [0, 3, 2]], cells[:, [0, 1, 3]], cells[:, [0, 2, 1]]])
    _, index, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return faces[index[count == 1]]


def without_doubles(triangles):
    """Raw scans hold triangles twice, often once from either side: keeps the one that its neighbours agree with."""
    _, same = np.unique(np.sort(triangles, axis=1), axis=0, return_inverse=True)
    single = np.bincount(same)[same] == 1
    if single.all():
        return triangles
    ahead = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2).astype(np.int64)
    key = ahead[:, 0] << 32 | ahead[:, 1]
    against = ahead[:, 1] << 32 | ahead[:, 0]
    agreeing = np.isin(against, key[np.repeat(single, 3)]).reshape(-1, 3).sum(axis=1)
    best = np.lexsort((-agreeing, same))
    return triangles[best[np.unique(same[best], return_index=True)[1]]]


def rotation_of(quaternion):
    w, x, y, z = quaternion
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def unit(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-300)


def face_normals(vertices, triangles):
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return np.cross(b - a, c - a)  # length: twice the area


def corners_to_average(rest, triangles):
    """Pairs (corner, triangle) whose normals are averaged: triangles at the corner's vertex, on its side of creases."""
    if len(triangles) == 0:
        return np.empty((0, 2), dtype=int)
    corner_vertex = triangles.ravel()
    order = np.argsort(corner_vertex, kind="stable")
    begin = np.searchsorted(corner_vertex[order], np.arange(len(rest)))
    count = np.bincount(corner_vertex, minlength=len(rest))
    mine = np.repeat(np.arange(len(corner_vertex)), count[corner_vertex])
    step = np.arange(len(mine)) - np.repeat(np.cumsum(count[corner_vertex]) - count[corner_vertex], count[corner_vertex])
    other = order[begin[corner_vertex[mine]] + step] // 3
    normals = unit(face_normals(rest, triangles))
    smooth = np.einsum("ij,ij->i", normals[mine // 3], normals[other]) > np.cos(np.radians(CREASE_DEGREES))
    return np.stack([mine[smooth | (mine // 3 == other)], other[smooth | (mine // 3 == other)]], axis=1)


class Soup:
    """All triangles of one frame: corner positions and normals (triangles, 3, 3), and colours (triangles, 3)."""

    def __init__(self, bodies, frame):
        points, normals, colours = [], [], []
        for index, body in enumerate(bodies):
            if len(body.triangles) == 0:
                continue
            vertices = body.vertices(frame)
            flat = face_normals(vertices, body.triangles)
            smooth = np.zeros((3 * len(body.triangles), 3))
            corner, triangle = body.smooth_pairs.T
            for axis in range(3):
                smooth[:, axis] = np.bincount(corner, weights=flat[triangle, axis], minlength=len(smooth))
            points.append(vertices[body.triangles])
            normals.append(unit(smooth).reshape(-1, 3, 3))
            colours.append(np.tile(PALETTE[index % len(PALETTE)], (len(body.triangles), 1)))
        self.points, self.normals, self.colours = (np.concatenate(a) for a in (points, normals, colours))


def rasterise(screen, width, height):
    """screen (triangles, 3, 3): pixel x, y, depth. Returns the nearest triangle per pixel (−1: none) and its depth."""
    nearest = np.full(width * height, -1, dtype=np.int64)
    depth = np.full(width * height, np.inf)
    low = np.ceil(screen[:, :, :2].min(axis=1) - 0.5).astype(np.int64)
    high = np.floor(screen[:, :, :2].max(axis=1) - 0.5).astype(np.int64)
    low = np.maximum(low, 0)
    high = np.minimum(high, [width - 1, height - 1])
    extent = np.maximum(high - low + 1, 0)
    pairs = extent[:, 0] * extent[:, 1]
    drawn = np.flatnonzero(pairs)
    ends = np.cumsum(pairs[drawn])
    start = 0
    while start < len(drawn):
        # As many triangles as fit into a block, at least one.
        before = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + PAIRS_PER_BLOCK)))
        some = drawn[start:stop]
        start = stop
        triangle = np.repeat(some, pairs[some])
        step = np.arange(len(triangle)) - np.repeat(np.cumsum(pairs[some]) - pairs[some], pairs[some])
        x = low[triangle, 0] + step % extent[triangle, 0]
        y = low[triangle, 1] + step // extent[triangle, 0]
        weights = barycentric(screen, triangle, x + 0.5, y + 0.5)
        inside = (weights >= 0).all(axis=1)
        triangle, pixel = triangle[inside], (y * width + x)[inside]
        z = np.einsum("ij,ij->i", weights[inside], screen[triangle, :, 2])
        seen = z < depth[pixel]
        triangle, pixel, z = triangle[seen], pixel[seen], z[seen]
        order = np.argsort(-z)  # the nearest is written last and stays
        depth[pixel[order]] = z[order]
        nearest[pixel[order]] = triangle[order]
    return nearest, depth


def barycentric(screen, triangle, x, y):
    (ax, ay), (bx, by), (cx, cy) = (screen[triangle, k, :2].T for k in range(3))
    area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    area = np.where(np.abs(area) < 1e-12, np.inf, area)
    second = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / area
    third = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / area
    flat = np.isinf(area)
    return np.stack([np.where(flat, -1, 1 - second - third), second, third], axis=1)


class DepthMap:
    """What a far light sees: distance along its direction over a square around the scene."""

    def __init__(self, points, direction, size, centre, radius):
        side = unit(np.cross(direction, [0.0, 0.0, 1.0] if abs(direction[2]) < 0.9 else [1.0, 0.0, 0.0]))
        self.frame = np.stack([side, np.cross(direction, side), -direction])
        self.centre, self.scale, self.size = centre, 0.5 * size / radius, size
        self.bias = 2.5 * radius / size  # m: a little over one texel
        _, depth = rasterise(self.project(points), size, size)
        self.depth = depth.reshape(size, size)

    def project(self, points):
        local = (points - self.centre) @ self.frame.T
        local[..., :2] = local[..., :2] * self.scale + 0.5 * self.size
        return local

    def lit(self, points, spread):
        """Share of (2 spread + 1)² texels around each point that do not stand before it."""
        local = self.project(points)
        column, row = (np.floor(local[:, k]).astype(np.int64) for k in range(2))
        total = np.zeros(len(points))
        for dy in range(-spread, spread + 1):
            for dx in range(-spread, spread + 1):
                c, r = np.clip(column + dx, 0, self.size - 1), np.clip(row + dy, 0, self.size - 1)
                total += self.depth[r, c] > local[:, 2] - self.bias * (1 + spread)
        return total / (2 * spread + 1) ** 2


class Lights:
    """The sun and the sky over one frame."""

    def __init__(self, points):
        flat = points.reshape(-1, 3)
        centre = 0.5 * (flat.min(axis=0) + flat.max(axis=0))
        radius = 1.02 * np.linalg.norm(flat - centre, axis=1).max()
        self.sun = DepthMap(points, SUN, 1024, centre, radius)
        # Directions spread evenly over the upper half: equal steps of height, golden angle around.
        height = (np.arange(SKY_DIRECTIONS) + 0.5) / SKY_DIRECTIONS
        angle = np.arange(SKY_DIRECTIONS) * np.pi * (3 - np.sqrt(5))
        across = np.sqrt(1 - height**2)
        self.directions = np.stack([across * np.cos(angle), height, across * np.sin(angle)], axis=1)
        self.sky = [DepthMap(points, direction, 160, centre, radius) for direction in self.directions]

    def openness(self, points, normals):
        """Share of the sky seen, weighted by the angle to the normal; a half where the normal sees none of it."""
        seen, total = np.zeros(len(points)), np.zeros(len(points))
        for direction, depth_map in zip(self.directions, self.sky):
            weight = np.maximum(normals @ direction, 0)
            total += weight
            seen += weight * depth_map.lit(points + normals * depth_map.bias, 0)
        return np.where(total > 1e-6, seen / np.maximum(total, 1e-6), 0.5)


class Camera:
    def __init__(self, eye, target, width, height):
        self.eye = np.asarray(eye, dtype=float)
        ahead = unit(np.asarray(target, dtype=float) - self.eye)
        right = unit(np.cross(ahead, [0.0, 1.0, 0.0]))
        self.frame = np.stack([right, np.cross(right, ahead), ahead])
        self.width, self.height = width, height
        self.focal = 0.5 * max(width, height) / np.tan(np.radians(FIELD_OF_VIEW / 2))  # pixels

    def project(self, points):
        local = (points - self.eye) @ self.frame.T
        z = np.maximum(local[..., 2], 1e-9)
        return np.stack([0.5 * self.width + self.focal * local[..., 0] / z,
                         0.5 * self.height - self.focal * local[..., 1] / z, z], axis=-1)

    def rays(self):
        """Unit directions through all samples, row by row."""
        x = (np.arange(self.width) + 0.5 - 0.5 * self.width) / self.focal
        y = (0.5 * self.height - np.arange(self.height) - 0.5) / self.focal
        local = np.stack([np.tile(x, self.height), np.repeat(y, self.width), np.ones(self.width * self.height)], axis=1)
        return unit(local @ self.frame)

    @staticmethod
    def fitted(points, width, height, direction, margin=0.9):
        """Looks along −direction so that all points fill `margin` of the picture."""
        target = 0.5 * (points.min(axis=0) + points.max(axis=0))
        reach = np.linalg.norm(points - target, axis=1).max()
        distance = reach / np.tan(np.radians(FIELD_OF_VIEW / 2)) * 2
        for _ in range(12):
            camera = Camera(target + distance * direction, target, width, height)
            seen = camera.project(points)[:, :2]
            low, high = seen.min(axis=0), seen.max(axis=0)
            # Move what is looked at to the middle of the picture, then come as near as the margin allows.
            shift = (0.5 * (low + high) - [0.5 * width, 0.5 * height]) * distance / camera.focal
            target = target + camera.frame[0] * shift[0] - camera.frame[1] * shift[1]
            distance *= max((high - low)[0] / (margin * width), (high - low)[1] / (margin * height))
            distance = max(distance, 1.05 * reach)
        return Camera(target + distance * direction, target, width, height)


def background(camera):
    height = np.linspace(0, 1, camera.height)[:, None]
    rows = BACKGROUND_TOP * (1 - height) + BACKGROUND_BOTTOM * height
    return np.repeat(rows, camera.width, axis=0)


def shade_ground(camera, image, lights, ground, extent):
    """The plane y = ground, with a grid of about ten lines over the scene, fading into the background."""
    rays = camera.rays()
    down = np.flatnonzero(rays[:, 1] < -1e-4)
    distance = (ground - camera.eye[1]) / rays[down, 1]
    down, distance = down[distance > 0], distance[distance > 0]
    points = camera.eye + distance[:, None] * rays[down]
    centre, radius = extent
    away = np.linalg.norm(points[:, [0, 2]] - centre[[0, 2]], axis=1) / radius
    fade = np.clip((4.5 - away) / 3.5, 0, 1) ** 2

    # Openness varies slowly: compute it on a lattice and interpolate.
    count, reach = 160, 2.2 * radius
    ticks = np.linspace(-reach, reach, count)
    lattice = np.stack([np.repeat(ticks, count), np.full(count * count, ground), np.tile(ticks, count)], axis=1)
    lattice[:, [0, 2]] += centre[[0, 2]]
    open_lattice = lights.openness(lattice, np.tile([0.0, 1.0, 0.0], (len(lattice), 1))).reshape(count, count)
    open_lattice = blurred(open_lattice)
    sky = bilinear(open_lattice, (points[:, 0] - centre[0] + reach) / (ticks[1] - ticks[0]),
                   (points[:, 2] - centre[2] + reach) / (ticks[1] - ticks[0]))
    lit = np.ones(len(points))
    near = away < 3.0
    lit[near] = lights.sun.lit(points[near], 2)

    # Grid lines, as wide as 0.004 of the scene or one sample, whichever is more, and paler when they would crowd.
    spacing = 10.0 ** np.floor(np.log10(radius / 2))
    spacing *= min([1, 2, 5, 10], key=lambda k: abs(np.log(k * spacing * 4 / radius)))
    sample = distance / camera.focal / np.maximum(-rays[down, 1], 0.05)
    wide = np.maximum(0.004 * radius, sample)
    off = np.abs((points[:, [0, 2]] / spacing + 0.5) % 1 - 0.5) * spacing
    line = np.clip(1.2 - off / wide[:, None], 0, 1).max(axis=1) * np.minimum(1, 0.004 * radius / sample + 0.3)
    colour = GROUND * (1 - 0.14 * line)[:, None] * (0.62 * sky + 0.50 * lit)[:, None]
    image[down] = image[down] * (1 - fade[:, None]) + colour * fade[:, None]


def blurred(values):
    for axis in (0, 1):
        for _ in range(3):
            padded = np.pad(values, [(1, 1) if k == axis else (0, 0) for k in (0, 1)], mode="edge")
            one, two, three = (padded.take(range(k, k + values.shape[axis]), axis=axis) for k in range(3))
            values = 0.25 * one + 0.5 * two + 0.25 * three
    return values


def bilinear(values, x, y):
    x, y = (np.clip(v, 0, len(values) - 1.001) for v in (x, y))
    i, j = x.astype(int), y.astype(int)
    a, b = x - i, y - j
    return ((1 - a) * (1 - b) * values[i, j] + a * (1 - b) * values[i + 1, j] + (1 - a) * b * values[i, j + 1]
            + a * b * values[i + 1, j + 1])


def shade_bodies(camera, image, soup, lights):
    screen = camera.project(soup.points)
    screen[..., 2] = -1 / screen[..., 2]  # linear over the picture, unlike the depth itself
    nearest, _ = rasterise(screen, camera.width, camera.height)
    hit = np.flatnonzero(nearest >= 0)
    triangle = nearest[hit]
    weights = barycentric(screen, triangle, hit % camera.width + 0.5, hit // camera.width + 0.5)
    weights = weights * -screen[triangle, :, 2]  # perspective: weights in space, not in the picture
    weights /= weights.sum(axis=1, keepdims=True)
    points = np.einsum("ij,ijk->ik", weights, soup.points[triangle])
    normals = unit(np.einsum("ij,ijk->ik", weights, soup.normals[triangle]))
    towards = unit(camera.eye - points)
    # Backs, seen where a surface is open, are lit like fronts.
    normals *= np.where(np.einsum("ij,ij->i", normals, towards) < -0.3, -1.0, 1.0)[:, None]

    # Openness varies slowly: compute it at the corners and interpolate.
    corners = lights.openness(soup.points.reshape(-1, 3), soup.normals.reshape(-1, 3)).reshape(-1, 3)
    openness = np.einsum("ij,ij->i", weights, corners[triangle])
    lit = lights.sun.lit(points + normals * lights.sun.bias, 1)
    facing = np.maximum(normals @ SUN, 0) * lit
    half = unit(SUN + towards)
    highlight = np.maximum(np.einsum("ij,ij->i", normals, half), 0) ** 50 * lit * 0.16
    rim = (1 - np.abs(np.einsum("ij,ij->i", normals, towards))) ** 4 * 0.10 * openness
    sky = 0.22 + 0.25 * (0.5 + 0.5 * normals[:, 1])
    brightness = sky * (0.20 + 0.80 * openness) + 0.68 * facing
    image[hit] = soup.colours[triangle] * brightness[:, None] + (highlight + rim)[:, None]


def render(bodies, frame, camera, ground, extent):
    soup = Soup(bodies, frame)
    lights = Lights(soup.points)
    image = background(camera)
    if ground is not None:
        shade_ground(camera, image, lights, ground, extent)
    shade_bodies(camera, image, soup, lights)
    pixels = image.reshape(camera.height // SUPERSAMPLING, SUPERSAMPLING, camera.width // SUPERSAMPLING, SUPERSAMPLING, 3)
    return to_srgb(pixels.mean(axis=(1, 3)))


def to_srgb(linear):
    linear = np.clip(linear, 0, 1)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.round(255 * encoded).astype(np.uint8)


def write_png(path, pixels):
    height, width, _ = pixels.shape
    rows = pixels.reshape(height, 3 * width).astype(np.int16)
    left = np.pad(rows, [(0, 0), (3, 0)])[:, :-3]
    up = np.pad(rows, [(1, 0), (0, 0)])[:-1]
    up_left = np.pad(left, [(1, 0), (0, 0)])[:-1]
    # The Paeth filter: the neighbour nearest to left + up − up_left predicts the byte.
    guess = left + up - up_left
    a, b, c = np.abs(guess - left), np.abs(guess - up), np.abs(guess - up_left)
    predicted = np.where((a <= b) & (a <= c), left, np.where(b <= c, up, up_left))
    filtered = np.concatenate([np.full((height, 1), 4, np.uint8), ((rows - predicted) % 256).astype(np.uint8)], axis=1)

    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(filtered.tobytes(), 9)) + chunk(b"IEND", b"")
    pathlib.Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + data)


def numbers(text, count, separator):
    values = [float(part) for part in text.split(separator)]
    if len(values) != count:
        raise argparse.ArgumentTypeError(f"'{text}' is not {count} numbers separated by '{separator}'")
    return values


def arguments():
    parser = argparse.ArgumentParser(description="Makes a PNG picture of a Pliant result.")
    parser.add_argument("result", help="result folder, or its result.h5")
    parser.add_argument("-o", "--output", required=True, help="PNG file to write")
    parser.add_argument("--frame", default="last", help="last, a number from 0, or several with commas: side by side")
    parser.add_argument("--strip", type=int, help="this many frames side by side, evenly spaced from first to last")
    parser.add_argument("--size", default="1280x720", help="WIDTHxHEIGHT of the whole picture in pixels")
    parser.add_argument("--from", dest="eye", type=lambda t: numbers(t, 3, ","), help="x,y,z of the camera [m]")
    parser.add_argument("--to", dest="target", type=lambda t: numbers(t, 3, ","), help="x,y,z looked at [m]")
    parser.add_argument("--direction", type=lambda t: numbers(t, 3, ","), default=[0.45, 0.35, 1.0],
                        help="where the fitted camera stands, seen from the scene; without --from")
    parser.add_argument("--ground", default="lowest", help="lowest, none, or the height y of the ground [m]")
    return parser.parse_args()


def chosen_frames(options, count):
    if options.strip:
        return [round(k * (count - 1) / max(options.strip - 1, 1)) for k in range(options.strip)]
    frames = [count - 1 if word == "last" else int(word) for word in options.frame.split(",")]
    if not all(0 <= frame < count for frame in frames):
        sys.exit(f"picture.py: the result has frames 0 to {count - 1}, not {options.frame}")
    return frames


def main():
    options = arguments()
    path = pathlib.Path(options.result)
    path = path / "result.h5" if path.is_dir() else path
    if not path.is_file():
        sys.exit(f"picture.py: there is no result '{path}'; make one with: pliant run scene.yaml -o {options.result}")
    with h5py.File(path, "r") as file:
        groups = sorted(file["bodies"].values(), key=lambda group: int(group.attrs["index"]))
        bodies = [Body(group) for group in groups]
        if not any(len(body.triangles) for body in bodies):
            sys.exit(f"picture.py: no body of '{path}' has a surface to draw")
        frame_count = len(file["times"])
        frames = chosen_frames(options, frame_count)
        # The whole motion, by at most 40 of its frames, decides camera and ground.
        sampled = sorted(set(np.linspace(0, frame_count - 1, min(frame_count, 40)).round().astype(int)) | set(frames))
        points = np.concatenate([body.vertices(frame) for frame in sampled for body in bodies if len(body.triangles)])
        ground = {"lowest": points[:, 1].min(), "none": None}.get(options.ground)
        if options.ground not in ("lowest", "none"):
            ground = float(options.ground)
        centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
        extent = centre, np.linalg.norm(points - centre, axis=1).max()

        width, height = (int(value) for value in numbers(options.size, 2, "x"))
        each = (width - STRIP_GAP * (len(frames) - 1)) // len(frames) * SUPERSAMPLING, height * SUPERSAMPLING
        camera = Camera.fitted(points, *each, unit(np.array(options.direction)))
        if options.eye:
            camera = Camera(options.eye, options.target or centre, *each)
        images = [render(bodies, frame, camera, ground, extent) for frame in frames]
    gap = np.full((height, STRIP_GAP, 3), 255, dtype=np.uint8)
    write_png(options.output, np.concatenate([part for image in images for part in (gap, image)][1:], axis=1))


if __name__ == "__main__":
    main()
