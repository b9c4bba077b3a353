"""Enzenhoefer, Peiret, Teichmann, Koevecses: A unit-consistent error measure. Figures 1, 2, 5, the rod, a question."""
import h5py
import numpy as np

from . import figures, scenes
from .claims import Claim, Figure, judge, table_text
from .tables import distinct, geometric_mean, number, only, select

PART = "seed-001"
TITLE = "Enzenhöfer, Peiret, Teichmann and Kövecses: A unit-consistent error measure"

MEASURES = {"fischer_burmeister": "Fischer-Burmeister", "natural_sum": "natural residual", "energy": "energy (J)"}
WALL_RUN = ["--solver", "pivot", "--tolerance", "1e-12", "--set", "solver.law=box"]
BUDGETS = [10, 30, 100]
# What may stop sweeps: measures as they are, the energy error by that of zero impulses, a number of sweeps.
TESTS = list(MEASURES) + ["natural", "energy, relative", "iterations"]
LEAST_ERROR = 1e-6  # velocity errors below are as good as none


def energy_error(x, w, a, lower, upper):
    """Equations 13 to 20, for one constraint."""
    above, below = np.maximum(x - upper, 0), np.maximum(lower - x, 0)
    feasible = np.clip(x, lower, upper)
    room_up, room_down = upper - (feasible - below), (feasible + above) - lower
    forward, backward = np.maximum(w, 0), np.maximum(-w, 0)
    return np.maximum.reduce([a / 2 * above**2, a / 2 * below**2, np.minimum(forward**2 / (2 * a),
                                                                             a / 2 * room_down**2),
                              np.minimum(backward**2 / (2 * a), a / 2 * room_up**2)])


def write_local(file, blocks, q, friction):
    """An FCLIB local problem with a dense W."""
    file.parent.mkdir(parents=True, exist_ok=True)
    rows, columns = np.nonzero(blocks)
    with h5py.File(file, "w") as out:
        group = out.create_group("fclib_local")
        group["spacedim"] = np.array([3], "int32")
        for key, value in {"m": [len(q)], "n": [len(q)], "nz": [len(rows)], "nzmax": [len(rows)], "i": rows,
                           "p": columns}.items():
            group[f"W/{key}"] = np.array(value, "int32")
        group["W/x"] = blocks[rows, columns].astype(float)
        group["vectors/q"], group["vectors/mu"] = q.astype(float), friction.astype(float)
    return file


def write_start(file, x):
    with h5py.File(file, "w") as out:
        out["solution/r"] = x.astype(float)
    return file


def measure(work, tables):
    isolines(work, tables)
    rod(work, tables)
    brick_wall(work, tables)
    stopping(work, tables)


def isolines(work, tables):
    """The energy error of single constraints over impulse and velocity; Scree adds each column of the grid up."""
    grid = np.linspace(-2, 2, work.pick(41, 9))
    rows, checks = [], []
    for kind, lower, upper in (("contact", 0.0, np.inf), ("friction", -1.0, 1.0)):
        for place, x in enumerate(grid):
            errors = energy_error(np.full_like(grid, x), grid, 1.0, lower, upper)
            rows += [{"kind": kind, "impulse": x, "velocity": w, "energy": e} for w, e in zip(grid, errors)]
            if place % work.pick(5, 4) == 0:
                checks.append((kind, x, float(np.sum(errors))))
    tables.write("seed-001-isolines", rows)
    found = work.for_all(lambda check: scree_energy(work, grid, *check[:2]), checks)
    tables.write("seed-001-isolines-check", [{"kind": kind, "impulse": x, "formula": total, "scree": energy}
                                             for (kind, x, total), energy in zip(checks, found)])


def scree_energy(work, velocities, kind, x):
    """The sum of the energy errors of uncoupled constraints with impulse x, effective mass 1 and these velocities."""
    count = len(velocities)
    impulses, q = np.zeros((count, 3)), np.zeros((count, 3))
    if kind == "contact":
        impulses[:, 0], q[:, 0] = x, velocities - x
    else:  # a normal impulse of 1, solved, and friction 1 make the bounds -1 and 1
        impulses[:, 0], q[:, 0] = 1.0, -1.0
        impulses[:, 1], q[:, 1] = x, velocities - x
    stem = f"isoline-{kind}-{x:.3f}-{count}"
    folder = work.folder / "problems"
    file = write_local(folder / f"{stem}.hdf5", np.eye(3 * count), q.ravel(), np.ones(count))
    start = write_start(folder / f"{stem}-start.hdf5", impulses.ravel())
    law = "frictionless" if kind == "contact" else "box"
    return work.solve(file, "pgs", law, 0.0, 0, start=start, history=False)["error"]["energy"]


def rod(work, tables):
    """The case study: two contacts at the ends of a rod of 1.5 kg and 1.5 m, T = 10 Nm, h = 0.01 s."""
    mass, length, torque, step, gravity = 1.5, 1.5, 10.0, 0.01, 9.81
    A = np.array([[4, -2], [-2, 4]]) / mass
    b = -step * np.array([gravity + 6 * torque / (mass * length), gravity - 6 * torque / (mass * length)])
    W, q = np.eye(6), np.zeros(6)
    W[np.ix_([0, 3], [0, 3])], q[[0, 3]] = A, b
    file = write_local(work.folder / "problems" / "rod.hdf5", W, q, np.zeros(2))
    pivot = np.array([0.0, -b[1] / A[1, 1]])  # x_1 = 0, w_2 = 0
    w = A @ pivot + b
    start = write_start(file.with_name("rod-start.hdf5"), np.array([pivot[0], 0, 0, pivot[1], 0, 0]))
    first = work.solve(file, "pgs", "frictionless", 0.0, 0, start=start, history=False)["error"]
    impulses, velocities, _ = work.solve(file, "pivot", "frictionless", 1e-12, 100).solution()
    errors = energy_error(pivot, w, np.diag(A), 0.0, np.inf)
    rows = [("x_2 of the first pivot (Ns)", -0.1019, pivot[1]), ("w_1 of the first pivot (m/s)", -0.2981, w[0]),
            ("energy error of contact 1 (J)", 4.44e-2, errors[0]), ("energy error of contact 2 (J)", 5.2e-3, errors[1]),
            ("energy error, by scree-solve (J)", 4.96e-2, first["energy"]),
            ("x_1 of the solution (Ns), by scree-solve", np.nan, impulses[0, 0]),
            ("x_2 of the solution (Ns), by scree-solve", np.nan, impulses[1, 0]),
            ("largest |w| of the solution (m/s), by scree-solve", np.nan, np.max(np.abs(velocities[:, 0])))]
    tables.write("seed-001-rod", [{"quantity": name, "paper": float(paper), "measured": float(value)} for name, paper,
                                  value in rows])


def brick_wall(work, tables):
    """500 steps by a direct method; each problem then gets 100 sweeps from zero (figure 5)."""
    steps = work.pick(500, 8)
    files = work.problems(work.scene_file(*scenes.trembling_wall()), range(1, steps + 1), WALL_RUN)
    histories = work.for_all(lambda file: work.solve(file, "pgs", "box", 0.0, 100).history(), files)
    rows, curves = [], []
    for key in MEASURES:
        errors = np.array([history[key] for history in histories])
        rises = np.sum(np.diff(errors, axis=1) > 1e-12 * errors[:, :1], axis=0)
        for k in range(errors.shape[1]):
            rows.append({"measure": key, "iteration": k, "problems": steps, "mean": float(np.mean(errors[:, k])),
                         "deviation": float(np.std(errors[:, k], ddof=1)), "least": float(np.min(errors[:, k])),
                         "largest": float(np.max(errors[:, k])), "rises": int(rises[k - 1]) if k >= 1 else 0})
        for step in range(0, steps, max(1, steps // 20)):
            curves += [{"measure": key, "step": step + 1, "iteration": k, "error": errors[step, k]} for k in range(0,
                                                                                                                   101,
                                                                                                                   2)]
    tables.write("seed-001-wall", rows)
    tables.write("seed-001-wall-curves", curves)


def stopping(work, tables):
    """Problems of very different masses and sizes: the velocity error that each measure leaves when it stops sweeps,
    with thresholds such that all measures take the same number of sweeps on average."""
    files = different_problems(work)
    most = work.pick(400, 100)

    def solve(file):
        exact = work.solve(file, "proximal", "box", 1e-11, 200)
        return work.solve(file, "pgs", "box", 0.0, most, reference=exact.solution_file).history()
    histories = work.for_all(solve, files)
    rows = []
    for history in histories:
        history["energy, relative"] = history["energy"] / history["energy"][0]
    for key in TESTS:
        for budget in BUDGETS:
            stops = stops_at_equal_cost(histories, key, budget)
            errors = [max(history["velocity_error"][stop], LEAST_ERROR) for history, stop in zip(histories, stops)]
            rows.append({"measure": key, "sweeps": budget, "problems": len(files), "mean_sweeps": float(np.mean(stops)),
                         "mean_error": geometric_mean(errors), "largest_error": float(np.max(errors)),
                         "spread": float(np.exp(np.std(np.log(errors))))})
    tables.write("seed-001-stopping", rows)


def different_problems(work):
    """Beds of spheres from 1 cm to 1 m and a wall, frozen at several moments."""
    beds = [(0.01, 0.3), (0.1, 0.3), (1.0, 0.3), (0.1, 0.8)]
    files = []
    for radius, friction in work.pick(beds, beds[:2]):
        name, text = scenes.box_of_spheres(work.pick(150, 30), friction, width=8 * radius, radius=radius)
        scene = work.scene_file(f"{name}-{radius:g}", text.replace("mass: 6.28", f"mass: {6280 * radius**3:g}"))
        files += work.problems(scene, work.pick(range(60, 241, 20), [30, 40]))
    return files + work.problems(work.scene_file(*scenes.trembling_wall()), work.pick(range(1, 11), [1, 2]), WALL_RUN)


def stops_at_equal_cost(histories, key, budget):
    """Iterations at which each history stops, for the threshold that makes them `budget` on average."""
    if key == "iterations":
        return [min(budget, len(history["iteration"]) - 1) for history in histories]

    def stops(bound):
        return [int(np.argmax(history[key] <= bound)) if np.any(history[key] <= bound) else len(history[key]) - 1
                for history in histories]
    least, most = -30.0, 10.0  # powers of ten
    for _ in range(60):
        middle = (least + most) / 2
        least, most = (middle, most) if np.mean(stops(10.0**middle)) > budget else (least, middle)
    return stops(10.0**most)


def draw(tables, images):
    rows = tables.rows("seed-001-isolines")
    figure, axes = figures.panels(2, height=3.3)
    for diagram, kind in zip(axes, ("contact", "friction")):
        found = select(rows, kind=kind)
        x, w = (np.unique([row[key] for row in found]) for key in ("impulse", "velocity"))
        energy = np.array([row["energy"] for row in found]).reshape(len(x), len(w)).T
        lines = diagram.contour(x, w, energy, levels=[0.02, 0.1, 0.25, 0.5, 1, 1.5, 2], colors="#0072B2", linewidths=1)
        diagram.clabel(lines, fontsize=7)
        diagram.plot(*(([0, 0, 2], [2, 0, 0]) if kind == "contact" else ([-1, -1, 1, 1], [2, 0, 0, -2])),
                     color="#D55E00",
                     linewidth=2.5, label="no error")
        figures.label(diagram, "impulse x (Ns)", "velocity w (m/s)", f"{kind}: energy error (J)", log="")
    figures.save(figure, images, "seed-001-isolines")

    wall, curves = tables.rows("seed-001-wall"), tables.rows("seed-001-wall-curves")
    figure, axes = figures.panels(2, 3, height=2.3)
    for row, (key, name) in enumerate(MEASURES.items()):
        found = select(wall, measure=key)
        iteration, mean = (np.array([cell[what] for cell in found]) for what in ("iteration", "mean"))
        deviation = np.array([cell["deviation"] for cell in found])
        left, right = axes[2 * row], axes[2 * row + 1]
        left.plot(iteration, mean, label="mean", **figures.style(0))
        left.fill_between(iteration, np.maximum(mean - deviation, 1e-3 * mean), mean + deviation, alpha=0.3,
                          color="#0072B2",
                          label="± standard deviation")
        for step in distinct(curves, "step"):
            one = select(curves, measure=key, step=step)
            right.plot([cell["iteration"] for cell in one], [cell["error"] for cell in one], linewidth=0.6,
                       color="#D55E00", alpha=0.5)
        figures.label(left, "iteration of pgs", name)
        figures.label(right, "iteration of pgs", name, "single steps" if row == 0 else "")
    figures.save(figure, images, "seed-001-wall")

    rows = tables.rows("seed-001-stopping")
    figure, axes = figures.panels(2)
    for place, key in enumerate(distinct(rows, "measure")):
        found = select(rows, measure=key)
        for diagram, what in zip(axes, ("largest_error", "spread")):
            diagram.plot([row["sweeps"] for row in found], [row[what] for row in found], marker="osv^DP"[place],
                         label=key,
                         **figures.style(place))
    figures.label(axes[0], "mean sweeps", "largest velocity error", "left over when it stops", "xy")
    figures.label(axes[1], "mean sweeps", "spread of velocity errors (factor)", "smaller: a fairer stopping test", "xy")
    figures.save(figure, images, "seed-001-stopping")


FIGURES = [
    Figure("seed-001-isolines", "Figures 1 and 2: isolines of the energy error of a contact and of a friction "
                                "constraint, "
           "effective mass 1 kg."),
    Figure("seed-001-wall", "Figure 5: three measures of the error over 100 sweeps on the problems of a brick wall, "
                            "mean and "
           "standard deviation over its steps (left), single steps (right)."),
    Figure("seed-001-stopping", "Open question: measures as stopping tests at equal mean cost, over problems of "
                                "different masses "
           "and sizes. 'iterations' stops all problems after the same number of sweeps."),
]


def claims(tables):
    checks, wall = tables.rows("seed-001-isolines-check"), tables.rows("seed-001-wall")
    worst = max(abs(row["scree"] - row["formula"]) / max(row["formula"], 1e-300) for row in checks)
    result = [judge("isolines", "The energy error is zero on the solutions of a constraint and grows quadratically "
                                "(figures 1, 2)",
                    f"Scree's measure agrees with equations 13 to 20 within {number(worst)} on {len(checks)} lines of "
                    f"the grid",
                    "within 1e-5 (the data have six digits)", worst <= 1e-5)]
    rod_rows = {row["quantity"]: row for row in tables.rows("seed-001-rod")}
    printed = [row for row in rod_rows.values() if row["paper"] == row["paper"]]
    off = max(abs(row["measured"] / row["paper"] - 1) for row in printed)
    found = rod_rows["energy error, by scree-solve (J)"]["measured"]
    result.append(judge("rod", "Rod: x_2 = -0.1019 Ns, w_1 = -0.2981 m/s, energy errors 4.44e-2 J + 5.2e-3 J",
                        f"from the printed data follow {printed[0]['measured']:.6g} Ns, "
                        f"{printed[1]['measured']:.6g} m/s, "
                        f"{printed[2]['measured']:.6g} J + {printed[3]['measured']:.6g} J = {found:.6g} J",
                        "all within 1 %", off <= 0.01))
    result += wall_claims(wall)
    result.append(stopping_claim(tables.rows("seed-001-stopping")))
    return result


def wall_claims(wall):
    mean = {key: np.array([row["mean"] for row in select(wall, measure=key)]) for key in MEASURES}
    peaks = {key: int(np.argmax(values)) for key, values in mean.items()}
    rises = {key: int(sum(row["rises"] for row in select(wall, measure=key))) for key in MEASURES}
    problems = int(wall[0]["problems"])
    last = {key: select(wall, measure=key)[-1] for key in MEASURES}
    bands = max(row["deviation"] / row["mean"] for row in last.values())
    falls = bool(np.all(np.diff(mean["energy"]) <= 0))
    result = [judge("wall-others-rise", "Fischer-Burmeister and natural residual rise for about ten iterations, "
                                        "then fall",
                    "their means rise until sweep " + " and ".join(
                        f"{peaks[key]} (by {100 * (mean[key][peaks[key]] / mean[key][0] - 1):.0f} %)"
                        for key in ("fischer_burmeister", "natural_sum")),
                    "both for 3 to 30 sweeps", all(3 <= peaks[key] <= 30 for key in ("fischer_burmeister",
                                                                                     "natural_sum")), "different"),
              judge("wall-energy-falls", "The energy error falls from the first iteration on",
                    f"its mean is largest after {peaks['energy']} sweeps" + (" and never rises" if falls
                                                                             else " and rises sometimes"),
                    "largest after none, never rises", peaks["energy"] == 0 and falls),
              judge("wall-energy-monotone", "The energy error decreases monotonically while sweeps converge, in "
                                            "every step",
                    f"in single problems it rose in {rises['energy']} of {100 * problems} sweeps (natural residual: "
                    f"{rises['natural_sum']}, Fischer-Burmeister: {rises['fischer_burmeister']})", "it never rose",
                    rises["energy"] == 0)]
    result.append(judge("wall-bands", "Errors vary little over the steps: the wall does not move",
                        f"standard deviation after 100 sweeps at most {number(bands)} of the mean", "at most 0.5",
                        bands <= 0.5, "different"))
    fall = {key: float(np.log(values[50] / values[-1])) for key, values in mean.items()}
    steeper = fall["energy"] / fall["natural_sum"]
    result.append(judge("wall-steeper", "The energy error falls steeper, for it is quadratic in impulses and "
                                        "velocities",
                        f"{number(steeper)} times the natural residual's rate over the last 50 sweeps",
                        "between 1.5 and 2.5",
                        1.5 <= steeper <= 2.5, "different"))
    return result


def stopping_claim(rows):
    budgets = distinct(rows, "sweeps")
    middle = budgets[len(budgets) // 2]
    found = select(rows, sweeps=middle)

    def place(measure, key):
        return 1 + sorted(found, key=lambda row: row[key]).index(only(found, measure=measure))
    words = ", ".join(f"{row['measure']} {number(row['largest_error'])} / {number(row['spread'])}" for row in found)
    best = [min(select(rows, sweeps=budget), key=lambda row: row["spread"])["measure"] for budget in budgets]
    names = {"energy": "a threshold in joules", "energy, relative": "one by the energy error of zero impulses"}
    places = "; ".join(f"{name}: place {place(measure, 'largest_error')} by the largest error, "
                       f"{place(measure, 'spread')} by the spread" for measure, name in names.items())
    return Claim("stopping", "Open: the energy error as stopping test; which threshold is close enough?",
                 f"largest velocity error / spread (factor) when all tests take {middle:.0f} sweeps on average: "
                 f"{words}. "
                 f"Of {len(found)} tests, {places}. Least spread with "
                 f"{', '.join(f'{budget:.0f} sweeps: {key}' for budget, key in zip(budgets, best))}")


def page(tables):
    wall, stop = tables.rows("seed-001-wall"), tables.rows("seed-001-stopping")
    rod_rows = [[row["quantity"], "-" if row["paper"] != row["paper"] else f"{row['paper']:g}",
                 f"{row['measured']:.6g}"]
                for row in tables.rows("seed-001-rod")]
    stops = [[row["measure"]] + [number(row[key]) for key in ("mean_sweeps", "mean_error", "largest_error", "spread")]
             for row in stop]
    return f"""The brick wall (`scenes/brick-wall.yaml`, 30 bricks) is advanced by `pivot` with box friction for
{wall[0]['problems']:.0f} steps; the problem of each step then gets 100 sweeps of `pgs` from zero. Friction bounds are
those
of a frictionless solve of the problem. The floor trembles (0.05 mm, 10 Hz: 2 % of the weight), since on a floor at rest
all steps would be alike. The stopping tests are compared on {stop[0]['problems']:.0f} problems with box friction:
beds of
spheres of radius 1 cm to 1 m and the wall. Velocity errors below 1e-6 count as that.

{{claims}}

{{figures}}

## The rod

{table_text(["quantity", "paper", "from its data"], rod_rows)}

## Stopping tests at equal mean cost

{table_text(["measure", "mean sweeps", "mean velocity error", "largest", "spread (factor)"], stops)}
"""
