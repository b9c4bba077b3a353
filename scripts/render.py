#!/usr/bin/python3
"""Draws a shaded picture of a result directory of scree-run with POV-Ray; no display is needed."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

try:
    import numpy as np
except ImportError:
    sys.exit("render.py: error: numpy is missing: install python3-numpy, or run scripts/setup.sh")

NUMPY_TYPES = {"Float32": "<f4", "Float64": "<f8", "Int32": "<i4", "Int64": "<i8"}
SHADES = 96  # colours that a continuous scale is cut into
FIELD_OF_VIEW = 30.0  # degrees, of the picture's height

# Colour scales by a few of their points, red green blue.
SCALES = {
    "bands": [(0.16, 0.29, 0.50), (0.21, 0.56, 0.67), (0.93, 0.86, 0.66), (0.93, 0.58, 0.27), (0.72, 0.20, 0.18)],
    "heat": [(0.10, 0.17, 0.38), (0.15, 0.45, 0.70), (0.55, 0.78, 0.72), (0.97, 0.83, 0.42), (0.85, 0.25, 0.14)],
}
RANK_COLOURS = [(0.20, 0.45, 0.70), (0.93, 0.55, 0.20), (0.30, 0.62, 0.35), (0.78, 0.25, 0.28), (0.52, 0.40, 0.68),
                (0.55, 0.38, 0.30), (0.86, 0.52, 0.72), (0.50, 0.50, 0.50), (0.72, 0.72, 0.25), (0.25, 0.70, 0.75)]


class RenderError(Exception):
    pass


def read_vtp(path):
    """The arrays of one piece by name."""
    try:
        with open(path, "rb") as stream:
            content = stream.read()
    except OSError as error:
        raise RenderError(f"{path}: cannot be read: {error.strerror}")
    start = content.find(b"<AppendedData")
    underscore = content.find(b"_", start)
    if start < 0 or underscore < 0:
        raise RenderError(f"{path}: is not a VTK file with appended data")
    arrays = {}
    for tag in re.findall(r"<DataArray [^>]*>", content[:start].decode("ascii", "replace")):
        attributes = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        at = underscore + 1 + int(attributes["offset"])
        size = int.from_bytes(content[at:at + 8], "little")
        values = np.frombuffer(content[at + 8:at + 8 + size], NUMPY_TYPES[attributes["type"]])
        components = int(attributes.get("NumberOfComponents", "1"))
        arrays[attributes["Name"]] = values.reshape(-1, components) if components > 1 else values
    return arrays


def read_xml(path):
    try:
        return ElementTree.parse(path).getroot()
    except OSError as error:
        raise RenderError(f"{path}: cannot be read: {error.strerror}")
    except ElementTree.ParseError as error:
        raise RenderError(f"{path}: is not XML: {error}")


def read_pieces(path):
    """All bodies of one output, the pieces of all ranks together."""
    pieces = [piece.get("Source") for piece in read_xml(path).iter("Piece")]
    parts = [read_vtp(os.path.join(os.path.dirname(path), piece)) for piece in pieces]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def read_hdf5(path):
    """All bodies of one output in HDF5."""
    try:
        import h5py
    except ImportError:
        raise RenderError("h5py is missing: install python3-h5py, or run scripts/setup.sh")
    try:
        with h5py.File(path, "r") as content:
            return {name: data[()] for name, data in content["bodies"].items()}
    except (OSError, KeyError) as error:
        raise RenderError(f"{path}: cannot be read: {error}")


def read_frame(path, color_by):
    """All bodies of one output, with what a picture needs of them."""
    bodies = read_hdf5(path) if path.endswith(".h5") else read_pieces(path)
    for name in ("radius", "shape", "attitude", color_by):
        if name not in bodies:
            raise RenderError(f"{path}: lacks {name}: name it in output.fields of the scene")
    if len(bodies["radius"]) == 0:
        raise RenderError(f"{path}: holds no bodies")
    return bodies


def listed_files(directory):
    """The files of all outputs, relative to the directory."""
    pvd, xdmf = (os.path.join(directory, "bodies" + ending) for ending in (".pvd", ".xdmf"))
    if os.path.exists(pvd):
        return [entry.get("file") for entry in read_xml(pvd).iter("DataSet")]
    if os.path.exists(xdmf):
        return sorted({item.text.split(":")[0] for item in read_xml(xdmf).iter("DataItem")})
    raise RenderError(f"{directory}: has neither bodies.pvd nor bodies.xdmf: it is not a result directory of scree-run")


def choose_frame(directory, step):
    """The file of the output after `step`, or of the newest one, and its step."""
    if not os.path.isdir(directory):
        raise RenderError(f"{directory}: no such directory: name a result directory of scree-run")
    frames = {int(re.search(r"-(\d+)\.\w+$", file).group(1)): file for file in listed_files(directory)}
    if not frames:
        raise RenderError(f"{directory}: lists no outputs")
    chosen = max(frames) if step is None else step
    if chosen not in frames:
        known = ", ".join(str(s) for s in sorted(frames))
        raise RenderError(f"{directory}: has no output after step {chosen}: choose one of {known}")
    return os.path.join(directory, frames[chosen]), chosen


def read_surroundings(directory):
    """Walls, the shapes of bodies, the direction that is up, and the length of a step."""
    path = os.path.join(directory, "walls.json")
    if not os.path.exists(path):
        return [], [], np.array([0.0, 0.0, 1.0]), 0.0
    with open(path) as stream:
        content = json.load(stream)
    gravity = np.array(content.get("gravity", [0, 0, -1]), float)
    length = np.linalg.norm(gravity)
    up = -gravity / length if length > 0 else np.array([0.0, 0.0, 1.0])
    return content["walls"], content.get("shapes", []), up, content.get("step", 0.0)


def unit(vector):
    return vector / np.linalg.norm(vector)


def pov(vector):
    return "<" + ",".join(f"{x:.6g}" for x in vector) + ">"


def scaled(values):
    low, high = np.min(values), np.max(values)
    return np.zeros(len(values)) if high <= low else (values - low) / (high - low)


def shades_of(bodies, color_by):
    """The list of colours and the number of each body's colour in it."""
    if color_by == "rank":
        return RANK_COLOURS, bodies["rank"] % len(RANK_COLOURS)
    if color_by == "velocity":
        speed = np.linalg.norm(bodies["velocity"], axis=1)
        amount = np.clip(speed / max(np.percentile(speed, 99), 1e-12), 0, 1)
    else:
        amount = scaled(bodies[color_by].astype(float))
    points = np.array(SCALES["heat" if color_by == "velocity" else "bands"])
    at = np.linspace(0, 1, SHADES)
    colours = [np.interp(at, np.linspace(0, 1, len(points)), points[:, c]) for c in range(3)]
    return list(zip(*colours)), np.minimum((amount * SHADES).astype(int), SHADES - 1)


def points_of_wall(wall, time):
    """Spheres that a wall of finite size lies in: centres and radii."""
    turn, shift = motion_of(wall, time)
    if wall["kind"] == "mesh":
        corners = np.array(wall["vertices"], float)
        return corners @ turn.T + shift, np.zeros(len(corners))
    part = wall["part"]
    size = np.linalg.norm([part.get("radius", 0.0), *np.atleast_1d(part.get("half", 0.0))])
    return (turn @ np.array(part["position"], float) + shift)[None, :], np.array([size])


class Camera:
    """Looks at the bulk of the bodies from the front, slightly from the side and from above."""

    def __init__(self, bodies, walls, time, up, aspect):
        finite = [points_of_wall(wall, time) for wall in walls if wall["kind"] == "mesh"]
        # What is driven and has gone away from the bodies (a gate that was drawn) need not be seen.
        first, last = bodies["position"].min(axis=0), bodies["position"].max(axis=0)
        for place, size in (points_of_wall(wall, time) for wall in walls if wall["kind"] == "body"):
            if np.linalg.norm(place[0] - np.clip(place[0], first, last)) < size[0]:
                finite.append((place, size))
        position = np.vstack([bodies["position"]] + [place for place, _ in finite])
        radius = np.concatenate([bodies["radius"]] + [size for _, size in finite])
        # A few small bodies that went astray must not make the picture small; large ones belong into it.
        large = radius > 2 * np.median(radius)
        low, high = position - radius[:, None], position + radius[:, None]
        self.low = np.min(np.vstack([np.percentile(low, 0.5, axis=0), low[large]]), axis=0)
        self.high = np.max(np.vstack([np.percentile(high, 99.5, axis=0), high[large]]), axis=0)
        self.size = np.linalg.norm(self.high - self.low)
        self.up = up
        side = unit(np.cross([0.0, 1.0, 0.0] if abs(up[1]) < 0.9 else [0.0, 0.0, 1.0], up))
        front = np.cross(side, up)
        self.to_eye = unit(0.40 * side + 0.78 * front + 0.48 * up)
        self.right = unit(np.cross(up, self.to_eye))
        self.above = np.cross(self.to_eye, self.right)
        self.centre = (self.low + self.high) / 2
        near = np.all((position >= self.low) & (position <= self.high), axis=1)
        self.fit(position[near], radius[near], aspect)

    def fit(self, position, radius, aspect):
        """Moves the centre and the eye until the bodies fill the picture evenly."""
        tangent = np.tan(np.radians(FIELD_OF_VIEW) / 2)
        for _ in range(4):
            shifted = position - self.centre
            toward, x, y = shifted @ self.to_eye, shifted @ self.right, shifted @ self.above
            half = np.maximum(np.abs(y) + radius, (np.abs(x) + radius) / aspect)
            self.distance = 1.10 * np.max(half / tangent + toward)
            depth = self.distance - toward
            middle_x = (np.max((x + radius) / depth) + np.min((x - radius) / depth)) / 2
            middle_y = (np.max((y + radius) / depth) + np.min((y - radius) / depth)) / 2
            self.centre = self.centre + self.distance * (middle_x * self.right + middle_y * self.above)

    def eye(self):
        return self.centre + self.distance * self.to_eye


def floor_text(wall):
    normal, point = unit(np.array(wall["normal"], float)), np.array(wall["point"], float)
    return (f"plane {{ {pov(normal)}, {np.dot(normal, point):.6g} pigment {{ srgb <0.90,0.91,0.92> }} "
            "finish { diffuse 0.75 ambient 0.12 } }\n")


def tube_text(wall, camera):
    axis, point = unit(np.array(wall["axis"], float)), np.array(wall["point"], float)
    corners = [np.where([k & 1, k & 2, k & 4], camera.high, camera.low) for k in range(8)]
    along = [np.dot(corner - point, axis) for corner in corners]
    start, end = point + min(along) * axis, point + (max(along) + 0.08 * camera.size) * axis
    return (f"cylinder {{ {pov(start)}, {pov(end)}, {wall['radius']:.6g} open no_shadow "
            "pigment { rgbt <0.75,0.85,0.92,0.9> } finish { specular 0.4 roughness 0.01 ambient 0.02 } }\n")


def sides_text(planes, camera):
    """Where upright planes enclose a rectangle: a rim on the floor."""
    flat = [(unit(np.array(w["normal"], float)), np.array(w["point"], float)) for w in planes]
    bounds = {}
    for normal, point in flat:
        axis = int(np.argmax(np.abs(normal)))
        if abs(normal[axis]) > 0.999:
            bounds[(axis, normal[axis] > 0)] = point[axis]
    across = [axis for axis in range(3) if abs(camera.up[axis]) < 0.5]
    upward = int(np.argmax(np.abs(camera.up)))
    wanted = [(axis, low) for axis in across for low in (True, False)]
    if any(key not in bounds for key in wanted) or (upward, camera.up[upward] > 0) not in bounds:
        return ""
    base = bounds[(upward, camera.up[upward] > 0)]
    thickness = 0.006 * camera.size
    a, b = across
    corners = []
    for low_a, low_b in ((True, True), (False, True), (False, False), (True, False)):
        corner = np.zeros(3)
        corner[a], corner[b], corner[upward] = bounds[(a, low_a)], bounds[(b, low_b)], base
        corners.append(corner + thickness * camera.up)
    finish = "pigment { srgb <0.35,0.38,0.42> } finish { specular 0.3 ambient 0.1 }"
    text = ""
    for k in range(4):
        text += f"cylinder {{ {pov(corners[k])}, {pov(corners[(k + 1) % 4])}, {thickness:.6g} {finish} }}\n"
        text += f"sphere {{ {pov(corners[k])}, {thickness:.6g} {finish} }}\n"
    return text


def motion_of(wall, time):
    """How a wall has moved since time 0: x becomes pivot + travel + turn (x - pivot)."""
    motion = wall.get("motion")
    if motion is None:
        return np.eye(3), np.zeros(3)
    shake = np.sin(2 * np.pi * motion["frequency"] * time + motion["phase"]) - np.sin(motion["phase"])
    travel = time * np.array(motion["velocity"]) + shake * np.array(motion["amplitude"])
    spin = np.array(motion["spin"])
    rate = np.linalg.norm(spin)
    x, y, z = spin / rate if rate > 0 else spin
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turn = np.eye(3) + np.sin(rate * time) * cross + (1 - np.cos(rate * time)) * cross @ cross
    pivot = np.array(motion["pivot"])
    return turn, pivot + travel - turn @ pivot


def moved_text(wall, time):
    turn, shift = motion_of(wall, time)
    return "matrix <" + ",".join(f"{number:.8g}" for row in [*turn.T, shift] for number in row) + ">"


def body_wall_text(wall, time):
    """A body that is driven."""
    return (f"{part_text(wall['part'])} pigment {{ srgb <0.62,0.64,0.67> }} "
            f"finish {{ diffuse 0.6 specular 0.5 roughness 0.02 ambient 0.1 }} {moved_text(wall, time)} }}\n")


def mesh_wall_text(wall, time):
    """Translucent, so that what is inside can be seen, with edges where triangles meet at an angle."""
    corners = np.array(wall["vertices"], float)
    faces = [[int(k) for k in face] for face in wall["faces"]]
    place = moved_text(wall, time)
    glass = ("no_shadow pigment { rgbt <0.75,0.85,0.92,0.85> } "
             "finish { specular 0.4 roughness 0.01 ambient 0.02 }")
    text = "mesh { " + " ".join(f"triangle {{ {pov(corners[a])}, {pov(corners[b])}, {pov(corners[c])} }}"
                                for a, b, c in faces) + f" {glass} {place} }}\n"
    normals = {}
    for a, b, c in faces:
        normal = unit(np.cross(corners[b] - corners[a], corners[c] - corners[a]))
        for edge in ((a, b), (b, c), (c, a)):
            normals.setdefault(tuple(sorted(edge)), []).append(normal)
    size = np.linalg.norm(corners.max(axis=0) - corners.min(axis=0))
    for (a, b), around in normals.items():
        if len(around) != 2 or abs(np.dot(*around)) < 0.94:
            text += (f"cylinder {{ {pov(corners[a])}, {pov(corners[b])}, {0.002 * size:.6g} no_shadow "
                     f"pigment {{ srgb <0.35,0.38,0.42> }} {place} }}\n")
    return text


def part_text(part):
    """A part of a cluster or a driven body, at its place; the brace stays open."""
    return f"{shape_text(part)} {place_text(part['attitude'], part['position'])}"


def shape_text(shape):
    """A shape about its centre of mass, as the body's frame has it; the brace stays open."""
    if shape["kind"] == "cluster":
        return "union { " + " ".join(part_text(part) + " }" for part in shape["parts"])
    if shape["kind"] == "sphere":
        return f"sphere {{ <0,0,0>, {shape['radius']:.6g}"
    if shape["kind"] == "box":
        return f"box {{ {pov(-np.array(shape['half']))}, {pov(shape['half'])}"
    if shape["kind"] == "cylinder":
        return f"cylinder {{ {pov([0, 0, -shape['half']])}, {pov([0, 0, shape['half']])}, {shape['radius']:.6g}"
    if shape["kind"] == "capsule":
        return f"sphere_sweep {{ linear_spline 2 {pov([0, 0, -shape['half']])}, {shape['radius']:.6g} " \
               f"{pov([0, 0, shape['half']])}, {shape['radius']:.6g}"
    corners = shape["vertices"]
    triangles = [f"triangle {{ {pov(corners[int(face[0])])}, {pov(corners[int(face[k - 1])])}, "
                 f"{pov(corners[int(face[k])])} }}" for face in shape["faces"] for k in range(2, len(face))]
    return "mesh { " + " ".join(triangles)


def place_text(attitude, position):
    """POV-Ray multiplies row vectors from the left, so the rotation stands transposed."""
    x, y, z, w = attitude
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
            [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
            [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)], position]
    return "matrix <" + ",".join(f"{number:.8g}" for row in rows for number in row) + ">"


def scene_text(bodies, shapes, walls, time, camera, color_by, aspect):
    colours, shade = shades_of(bodies, color_by)
    light = camera.centre + camera.size * (1.6 * camera.to_eye + 2.6 * camera.up - 1.6 * camera.right)
    fill = camera.centre + camera.size * (2.0 * camera.to_eye + 0.6 * camera.up + 2.5 * camera.right)
    across, depth = 0.5 * camera.size * camera.right, 0.5 * camera.size * camera.above
    # POV-Ray's axes are left-handed: a negative `right` undoes that.
    parts = [
        "#version 3.7;\nglobal_settings { assumed_gamma 1.0 max_trace_level 12 }\n",
        "background { srgb <0.93,0.95,0.97> }\n",
        f"camera {{ location {pov(camera.eye())} sky {pov(camera.up)} up y right -{aspect:.6g}*x "
        f"angle {np.degrees(2 * np.arctan(aspect * np.tan(np.radians(FIELD_OF_VIEW) / 2))):.6g} "
        f"look_at {pov(camera.centre)} }}\n",
        f"light_source {{ {pov(light)} rgb <1.0,0.97,0.92>*1.05 "
        f"area_light {pov(across)}, {pov(depth)}, 4, 4 adaptive 1 jitter circular orient }}\n",
        f"light_source {{ {pov(fill)} rgb <0.80,0.88,1.0>*0.30 shadowless }}\n",
    ]
    for k, colour in enumerate(colours):
        parts.append(f"#declare T{k} = texture {{ pigment {{ srgb {pov(colour)} }} "
                     "finish { diffuse 0.85 ambient 0.08 specular 0.25 roughness 0.03 } }\n")
    forms = [shape_text(shape) for shape in shapes]
    numbers = bodies.get("shape", np.full(len(shade), -1))
    for body, (centre, radius, k, number) in enumerate(zip(bodies["position"], bodies["radius"], shade, numbers)):
        if number < 0:
            parts.append(f"sphere {{ {pov(centre)}, {radius:.6g} texture {{ T{k} }} }}\n")
        else:
            parts.append(f"{forms[number]} texture {{ T{k} }} {place_text(bodies['attitude'][body], centre)} }}\n")
    planes = [wall for wall in walls if wall["kind"] == "plane"]
    parts += [floor_text(wall) for wall in planes if np.dot(unit(np.array(wall["normal"], float)), camera.up) > 0.5]
    parts.append(sides_text(planes, camera))
    parts += [tube_text(wall, camera) for wall in walls if wall["kind"] == "cylinder"]
    parts += [body_wall_text(wall, time) for wall in walls if wall["kind"] == "body"]
    parts += [mesh_wall_text(wall, time) for wall in walls if wall["kind"] == "mesh"]
    return "".join(parts)


def draw(text, output, width, height):
    povray = shutil.which("povray")
    if povray is None:
        raise RenderError("povray is not installed: install the package povray, or run scripts/setup.sh")
    with tempfile.TemporaryDirectory() as scratch:
        source, picture = os.path.join(scratch, "scene.pov"), os.path.join(scratch, "picture.png")
        with open(source, "w") as stream:
            stream.write(text)
        command = [povray, f"+I{source}", f"+O{picture}", f"+W{width}", f"+H{height}", "+A0.2", "+FN", "-D", "-P"]
        # POV-Ray keeps settings in the home directory; there may be none on a compute node.
        result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "HOME": scratch})
        if result.returncode != 0 or not os.path.exists(picture):
            reasons = [line for line in result.stderr.splitlines() if "rror" in line] or ["no reason given"]
            raise RenderError(f"povray failed: {reasons[0].strip()}")
        os.makedirs(os.path.dirname(os.path.abspath(output)), exist_ok=True)
        shutil.move(picture, output)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", help="result directory of scree-run")
    parser.add_argument("--step", type=int, help="draw the output after this step [the newest]")
    parser.add_argument("--output", help="PNG file to write [DIRECTORY/picture.png]")
    parser.add_argument("--width", type=int, default=1200, help="pixels [1200]")
    parser.add_argument("--height", type=int, default=900, help="pixels [900]")
    parser.add_argument("--color-by", choices=["id", "velocity", "radius", "rank"], default="id", help="[id]")
    options = parser.parse_args()
    try:
        if options.width < 1 or options.height < 1:
            raise RenderError("--width and --height must be positive")
        frame, step = choose_frame(options.directory, options.step)
        bodies = read_frame(frame, options.color_by)
        walls, shapes, up, step_length = read_surroundings(options.directory)
        time = step * step_length
        aspect = options.width / options.height
        camera = Camera(bodies, walls, time, up, aspect)
        output = options.output or os.path.join(options.directory, "picture.png")
        draw(scene_text(bodies, shapes, walls, time, camera, options.color_by, aspect), output, options.width,
             options.height)
        print(output)
    except (RenderError, OSError, KeyError, ValueError) as error:
        print(f"render.py: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
