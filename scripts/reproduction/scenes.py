"""The scenes of the experiments that are not among Scree's own."""
import math
import pathlib

OWN = pathlib.Path(__file__).resolve().parents[2] / "scenes"


def box_of_spheres(count, friction, width=1.4, law="cone", radius=0.1):
    """Spheres that settle in a box: name and text."""
    height = 8 * count * radius**3 * 2.2 / width**2 + 4 * radius
    place = f"{{lower: [0, 0, 0], upper: [{width}, {width}, {height:.3g}]}}"
    return f"box-{count}-{friction:g}", f"""name: box-{count}
materials: {{ball: {{friction: {friction}, restitution: 0}}}}
walls: [{{name: box, container: {place}}}]
fills: [{{region: {{box: {place}}}, radius: {radius}, mass: 6.28, count: {count}, spacing: 1.05, jitter: 0.05}}]
time: {{step: 0.005, steps: 1000}}
solver: {{name: npgs, law: {law}, tolerance: 1e-5, max_iterations: 500}}
"""


def cylinder_of_spheres(count, radius, friction=0.0, law="frictionless"):
    """Test 2 of Heyn et al. with any number of spheres and any width: name and text."""
    height = 8 * count * 0.1**3 * 2.2 / (math.pi * radius**2) + 0.5
    place = f"{{point: [0, 0, 0], radius: {radius}, height: {height:.3g}}}"
    return f"cylinder-{count}-{friction:g}", f"""name: cylinder-{count}
materials: {{ball: {{friction: {friction}, restitution: 0}}}}
walls:
  - {{name: floor, plane: {{point: [0, 0, 0], normal: [0, 0, 1]}}}}
  - {{name: drum, cylinder: {{point: [0, 0, 0], axis: [0, 0, 1], radius: {radius}}}}}
fills: [{{region: {{cylinder: {place}}}, radius: 0.1, mass: 6.28, count: {count}, spacing: 1.05, jitter: 0.05}}]
time: {{step: 0.005, steps: 1000}}
solver: {{name: npgs, law: {law}, tolerance: 1e-5, max_iterations: 500}}
"""


def stack(count, overlap=0.0, stabilisation="gap", damping=None):
    """Spheres on top of each other on the floor, each contact `overlap` radii deep: name and text."""
    radius = 0.5
    bodies = "\n".join(f"  - {{position: [0, 0, {radius * (1 - overlap) + k * radius * (2 - overlap):.17g}], radius: "
                       f"{radius}}}"
                       for k in range(count))
    time = "" if damping is None else f", damping: {damping}"
    return f"stack-{count}-{overlap:g}-{stabilisation}-{damping}", f"""name: stack
materials: {{stone: {{density: 1000, friction: 0}}}}
walls: [{{name: floor, plane: {{point: [0, 0, 0], normal: [0, 0, 1]}}}}]
bodies:
{bodies}
contact: {{stabilisation: {{kind: {stabilisation}{time}}}}}
measurements: [{{name: state, every: 1, state: [kinetic_energy, potential_energy, penetration]}}]
time: {{step: 0.005, steps: 1000}}
solver: {{name: npgs, law: frictionless, tolerance: 1e-10, max_iterations: 2000}}
"""


def chain(links, spheres=0):
    """A chain of spheres on ball joints that hangs between two points of the world, with other spheres that fall on it,
    perhaps: name and text."""
    radius, gap = 0.1, 0.25
    width = (links - 1) * gap
    places = [(k * gap, 1 + width * (k / (links - 1) - 0.5) ** 2)
              for k in range(links)]  # sags by a quarter of its width
    bodies = "\n".join(f"  - {{position: [{x:.6g}, 0, {z:.6g}], radius: {radius}}}" for x, z in places)
    ends = [(places[0], "0"), (places[-1], str(links - 1))]
    ends += [(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2), f"{k}, {k + 1}") for k, (a, b) in enumerate(zip(places,
                                                                                                      places[1:]))]
    joints = [f"  - {{kind: ball, bodies: [{of}], anchor: [{x:.6g}, 0, {z:.6g}]}}" for (x, z), of in ends]
    top = 1.2 + width / 4
    walls = f"""walls:
  - {{name: box, container: {{lower: [-0.2, -0.3, 0], upper: [{width + 0.2:.6g}, 0.3, {top + 6:.6g}]}}}}
""" if spheres else ""
    above = f"{{lower: [-0.2, -0.3, {top:.6g}], upper: [{width + 0.2:.6g}, 0.3, {top + 6:.6g}]}}"
    fill = f"""fills:
  - {{region: {{box: {above}}}, radius: 0.09, count: {spheres}}}
""" if spheres else ""
    return f"chain-{links}-{spheres}", f"""name: chain
materials: {{steel: {{density: 7800, friction: 0.3}}}}
{walls}bodies:
{bodies}
{fill}joints:
""" + "\n".join(joints) + """
time: {step: 0.002, steps: 1000}
solver: {name: npgs, law: coulomb, tolerance: 1e-6, max_iterations: 500}
"""


def trembling_wall():
    """Scree's brick wall on a floor that trembles by a twentieth of a millimetre, so that no two steps are alike."""
    text = (OWN / "brick-wall.yaml").read_text()
    still = "normal: [0, 0, 1]}}"
    return "wall", text.replace(still, still[:-1] + ", motion: {amplitude: [0, 0, 5e-5], frequency: 10}}")


def rubble(count, friction):
    """Boxes that tumble into a box: name and text."""
    place = "{lower: [0, 0, 0], upper: [0.8, 0.8, 3]}"
    return f"rubble-{count}-{friction:g}", f"""name: rubble
materials: {{stone: {{density: 2000, friction: {friction}}}}}
walls: [{{name: box, container: {place}}}]
shapes: {{block: {{box: {{size: [0.2, 0.15, 0.1]}}}}}}
fills: [{{region: {{box: {place}}}, shape: block, count: {count}}}]
time: {{step: 0.005, steps: 1000}}
solver: {{name: npgs, law: cone, tolerance: 1e-5, max_iterations: 500}}
"""
