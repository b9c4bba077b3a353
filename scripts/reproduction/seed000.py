"""Preclik, Iglberger, Ruede: Iterative rigid multibody dynamics. Figures 2, 3, 4 and the conclusions."""
import h5py
import numpy as np

from . import figures, scenes
from .claims import Claim, Figure, judge, table_text
from .tables import NEVER, distinct, first_below, number, only, ratio, select, thinned

PART = "seed-000"
TITLE = "Preclik, Iglberger and Rüde: Iterative rigid multibody dynamics"

# Law, solver: what figure 2 compares and what it could not.
FIGURE_2 = [("frictionless", "pgs"), ("frictionless", "cpg"), ("box", "pgs"), ("box", "cpg"), ("pyramid", "pgs"),
            ("pyramid", "cpg1"), ("cone", "pgs"), ("coulomb", "pgs")]
OWN = [(law, solver) for law in ("frictionless", "box", "cone", "coulomb") for solver in ("npgs", "proximal")]
OWN += [(law, solver) for law in ("frictionless", "box", "cone") for solver in ("apgd", "cpg1")]
FIGURE_3 = ["pgs", "cpg", "newton", "gs-newton"]
KEPT = ["iteration", "products", "natural", "active", "active_changes"]
GOALS = [1e-2, 1e-4, 1e-6]


def problem(work):
    """Spheres that settle in a box, not yet at rest, friction 0.8."""
    scene = work.scene_file(*scenes.box_of_spheres(work.pick(540, 60), 0.8, width=work.pick(1.4, 0.8)))
    return work.problems(scene, [work.pick(60, 40)])[0]


def measure(work, tables):
    file, most = problem(work), work.pick(3000, 300)
    pairs = list(dict.fromkeys(FIGURE_2 + OWN))
    solves = dict(zip(pairs, work.for_all(lambda pair: work.solve(file, pair[1], pair[0], 1e-10, most), pairs)))
    curves, counts = [], []
    for (law, solver), solve in solves.items():
        history = {key: solve.history()[key] for key in KEPT}
        curves += [{"law": law, "solver": solver} | row for row in thinned(history, "iteration")]
        for goal in GOALS:
            counts.append({"law": law, "solver": solver, "contacts": solve["contacts"], "limit": most, "goal": goal,
                           "iterations": first_below(history["iteration"], history["natural"], goal),
                           "products": first_below(history["products"], history["natural"], goal),
                           "least_error": float(np.min(history["natural"]))})
    tables.write("seed-000-residuals", curves)
    tables.write("seed-000-counts", counts)
    velocity_errors(work, tables, file)
    models(tables, solves, file)
    seconds(work, tables, file)


def velocity_errors(work, tables, file):
    """Figures 3 and 4: every iteration of methods on the box model, against the solution of a direct method."""
    exact = work.solve(file, "pivot", "box", 1e-12, 10000)
    rows = []
    for solver in FIGURE_3:
        history = work.solve(file, solver, "box", 1e-11, work.pick(1000, 200), reference=exact.solution_file).history()
        columns = {key: history[key] for key in KEPT + ["velocity_error"]}
        rows += [{"solver": solver} | {key: column[k] for key, column in columns.items()}
                 for k in range(len(columns["iteration"]))]
    tables.write("seed-000-velocities", rows)


def models(tables, solves, file):
    """How far the velocities of models are from those of true Coulomb friction, by what friction changes in them, in
    the norm of the kinetic energy."""
    with h5py.File(file) as content:
        mass = content["fclib_global/M/x"][:]
    velocities = {law: solves[law, "proximal"].solution()[2] for law in ("frictionless", "box", "cone", "coulomb")}
    size = lambda difference: float(np.sqrt(np.sum(mass * difference**2)))  # noqa: E731
    change = size(velocities["coulomb"] - velocities["frictionless"])
    tables.write("seed-000-models", [
        {"law": law, "converged": int(solves[law, "proximal"]["converged"]),
         "velocity_difference": size(velocity - velocities["coulomb"]) / change}
        for law, velocity in velocities.items()])


def seconds(work, tables, file):
    """Methods one at a time, without a history, for their times."""
    rows = []
    for law in ("frictionless", "box"):
        for solver in ("pgs", "npgs", "cpg", "cpg1", "newton", "gs-newton", "multigrid"):
            solve = work.solve(file, solver, law, 1e-6, work.pick(3000, 300), history=False)
            rows.append({"law": law, "solver": solver, "converged": int(solve["converged"]),
                         "iterations": solve["iterations"],
                         "products": solve["operator_applications"], "seconds": solve["seconds"],
                         "natural": solve["error"]["natural"]})
    tables.write("seed-000-seconds", rows)


def draw(tables, images):
    curves = tables.rows("seed-000-residuals")
    figure, (left, right) = figures.panels(2)
    for place, (law, solver) in enumerate(FIGURE_2):
        found = select(curves, law=law, solver=solver)
        (left if solver == "pgs" else right).plot([row["iteration"] for row in found], [row["natural"]
                                                                                        for row in found],
                                                  label=f"{solver}, {law}", **figures.style(place))
    for place, law in enumerate(("frictionless", "box", "cone", "coulomb")):
        found = select(curves, law=law, solver="npgs")
        right.plot([row["iteration"] for row in found], [row["natural"] for row in found], label=f"npgs, {law}",
                   **figures.style(place + 9))
    figures.label(left, "iteration", "natural error", "Gauss-Seidel", "xy")
    figures.label(right, "iteration", "natural error", "conjugate gradients; accelerated sweeps", "xy")
    figures.save(figure, images, "seed-000-residuals")

    rows = tables.rows("seed-000-velocities")
    figure, axes = figures.panels(3)
    for solver in FIGURE_3:
        found = select(rows, solver=solver)
        iteration = [row["iteration"] for row in found]
        for diagram, key in zip(axes, ("natural", "velocity_error", "active_changes")):
            values = [max(row[key], 0.5 if key == "active_changes" else 1e-16) for row in found]
            diagram.plot(iteration, values, label=solver, **figures.style(solver))
    for diagram, name in zip(axes, ("natural error", "velocity error", "active-set changes (0 drawn as 0.5)")):
        figures.label(diagram, "iteration", name, "box model", "xy", legend=diagram is axes[0])
    figures.save(figure, images, "seed-000-velocities")


FIGURES = [
    Figure("seed-000-residuals", "Figure 2: natural error of sweeps, conjugate gradients and accelerated sweeps on "
           "models of friction, μ = 0.8."),
    Figure("seed-000-velocities", "Figures 3 and 4: natural error, error of velocities |v - v*|_M / |v*|_M and "
                                  "changes of the "
           "active set per iteration on the box model."),
]


def coupling(rows, solver):
    """Correlation of the logarithms of error and velocity error, while both are above rounding."""
    found = [row for row in select(rows, solver=solver) if row["natural"] > 1e-10 and row["velocity_error"] > 1e-10]
    if len(found) < 3:
        return 1.0
    return float(np.corrcoef(np.log([row["natural"] for row in found]), np.log([row["velocity_error"]
                                                                                for row in found]))[0, 1])


def decay(rows, solver):
    """Share of the variance of active-set changes that an exponential and a linear fall explain (their R²), until
    changes have come down to a hundredth of the largest."""
    found = [row for row in select(rows, solver=solver) if row["iteration"] > 0]
    few = max(row["active_changes"] for row in found) / 100
    last = next((k for k, row in enumerate(found) if row["active_changes"] <= few), len(found))
    if last < 3:
        return 1.0, 1.0
    place = np.array([row["iteration"] for row in found[:last]])
    changes = np.array([row["active_changes"] for row in found[:last]])

    def explained(values):
        if np.ptp(values) == 0:
            return 1.0
        return float(np.corrcoef(place, values)[0, 1] ** 2)
    return explained(np.log(np.maximum(changes, 0.5))), explained(changes)


def claims(tables):
    counts, rows, timed = (tables.rows(f"seed-000-{name}") for name in ("counts", "velocities", "seconds"))

    def iterations(law, solver, goal=1e-4, what="iterations"):
        return only(counts, law=law, solver=solver, goal=goal)[what]

    def time(law, solver):
        found = only(timed, law=law, solver=solver)
        return found["seconds"] if found["converged"] else NEVER

    result = []
    halves = [ratio(iterations(law, "cpg"), iterations(law, "pgs")) for law in ("frictionless", "box")]
    result.append(judge("cpg-half", "CPG needs half the iterations of PGS on frictionless and box models",
                        f"{number(halves[0])} (frictionless), {number(halves[1])} (box) of them to 1e-4",
                        "both between 0.3 and 0.7", all(0.3 <= half <= 0.7 for half in halves), "different"))
    triples = [ratio(iterations("box", solver), iterations("frictionless", solver)) for solver in ("pgs", "cpg")]
    result.append(judge("box-triple", "Box friction takes about 3 times the iterations of the frictionless model",
                        f"{number(triples[0])} times (pgs), {number(triples[1])} times (cpg) to 1e-4",
                        "both between 2 and 4.5", all(2 <= triple <= 4.5 for triple in triples), "different"))
    cost = ratio(iterations("box", "cpg", what="products"), iterations("box", "cpg"))
    gain = ratio(iterations("box", "cpg", what="products"), iterations("box", "pgs", what="products"))
    result.append(judge("cpg-cost", "An iteration of CPG costs twice as much, so fewer iterations are no gain",
                        f"{number(cost)} products an iteration; {number(gain)} times the products of pgs on the "
                        f"box model",
                        "at least 1.8 products, and 0.8 times those of pgs", cost >= 1.8 and gain >= 0.8))
    single = ratio(iterations("box", "cpg1", what="products"), iterations("box", "cpg", what="products"))
    result.append(Claim("cpg-single", "Open: a CG variant without the second product would perform considerably better",
                        f"`cpg1` takes {number(single)} of the products of `cpg` to 1e-4 on the box model, "
                        f"{number(ratio(time('box', 'cpg1'), time('box', 'cpg')))} of its time to 1e-6"))
    hard = ratio(iterations("coulomb", "pgs"), iterations("box", "pgs"))
    result.append(judge("quadratic-easier", "Quadratic problems (frictionless, box) are solved far more efficiently "
                                            "than those "
                        "where friction is coupled to normal impulses",
                        f"pgs on true Coulomb friction: {number(hard)} times its iterations on the box model to "
                        f"1e-4 (least "
                        f"error {number(iterations('coulomb', 'pgs', what='least_error'))})", "at least 1.5 times",
                        hard >= 1.5))
    circle = ratio(iterations("cone", "pgs"), iterations("pyramid", "pgs"))
    result.append(judge("cone-pyramid", "Nonlinear Gauss-Seidel on the circular cone takes slightly fewer iterations "
                                        "than PGS on "
                        "the pyramid", f"{number(circle)} times as many to 1e-4, on the convex cone and the convex "
                                       f"pyramid "
                        "(Scree's pyramid is the convex one)", "between 0.5 and 1", 0.5 <= circle < 1.0, "different"))
    jam = ratio(iterations("pyramid", "cpg1"), iterations("box", "cpg1"))
    result.append(judge("cpg-deteriorates", "CPG deteriorates on pyramids with strong friction",
                        "`cpg` as printed jams there and is not offered; `cpg1` takes "
                        f"{number(jam)} times its iterations on the box model to 1e-4", "more than 1.5 times",
                        jam > 1.5))
    least = iterations("coulomb", "proximal", what="least_error")
    result.append(judge("all-fail", "All solvers can fail on cones when friction is strong",
                        f"μ = 0.8: `pgs` ends at {number(iterations('coulomb', 'pgs', what='least_error'))}, "
                        f"`proximal` at "
                        f"{number(least)}", "`proximal` does not reach 1e-8 either", least > 1e-8))
    result += newton_claims(rows, time)
    result += [multigrid_claim(timed), convex_claim(tables, iterations)]
    return result


def newton_claims(rows, time):
    bound = [coupling(rows, solver) for solver in ("pgs", "cpg", "newton")]
    result = [judge("coupled", "Velocity errors of PGS and CPG are closely coupled to their residuals; that of "
                               "Newton is not",
                    f"correlation of their logarithms: {bound[0]:.3f} (pgs), {bound[1]:.3f} (cpg), {bound[2]:.3f} "
                    f"(newton)",
                    "pgs and cpg above 0.95, newton below", min(bound[:2]) > 0.95 and bound[2] < 0.95,
                    "different" if min(bound[:2]) > 0.95 else "refuted")]
    at_ten = {solver: next(row["velocity_error"] for row in select(rows, solver=solver) if row["iteration"] == 10)
              for solver in ("pgs", "cpg")}
    result.append(judge("early", "In the beginning the error of PGS falls faster than that of CPG",
                        f"velocity error after 10 iterations: {number(at_ten['pgs'])} (pgs), "
                        f"{number(at_ten['cpg'])} (cpg)",
                        "that of pgs is smaller", at_ten["pgs"] < at_ten["cpg"]))
    newton = select(rows, solver="newton")
    late = sum(row["velocity_error"] > 0.1 for row in newton[1:])
    result.append(judge("newton-drop", "Newton takes many iterations that barely reduce the velocity error, before a "
                                       "sharp drop",
                        f"of {len(newton) - 1} iterations {late} leave a velocity error above 0.1; the last "
                        f"divides it by "
                        f"{number(newton[-2]['velocity_error'] / max(newton[-1]['velocity_error'], 1e-300), 2)}",
                        "at least half of them", late >= 0.5 * (len(newton) - 1), "different"))
    fits = {solver: decay(rows, solver) for solver in ("pgs", "cpg", "newton")}
    result.append(judge("active-set", "Changes of the active set fall exponentially with PGS and CPG, linearly "
                                      "with Newton",
                        "R² of an exponential / a linear fall: " + ", ".join(f"{fit[0]:.2f} / {fit[1]:.2f} ({solver})"
                                                                             for solver, fit in fits.items()),
                        "the first is larger for pgs and cpg, the second for newton",
                        all(fits[solver][0] > fits[solver][1] for solver in ("pgs", "cpg"))
                        and fits["newton"][1] >= fits["newton"][0], "different"))
    result.append(judge("newton-inferior", "Newton on its own is inferior",
                        f"time to 1e-6 on the box model by that of pgs: "
                        f"{number(ratio(time('box', 'newton'), time('box', 'pgs')))}"
                        f" (by that of npgs: {number(ratio(time('box', 'newton'), time('box', 'npgs')))})",
                        "more than 1", time("box", "newton") > time("box", "pgs")))
    gain = ratio(time("box", "gs-newton"), time("box", "newton"))
    result.append(Claim("newton-after-sweeps", "Open: Gauss-Seidel first, to find the active set for Newton",
                        f"`gs-newton` takes {number(gain)} of the time of `newton` to 1e-6 on the box model, "
                        f"{len(select(rows, solver='gs-newton')) - 1} iterations in place of {len(newton) - 1} "
                        f"to 1e-11"))
    return result


def multigrid_claim(timed):
    pairs = {law: (only(timed, law=law, solver="multigrid"), only(timed, law=law, solver="pgs"))
             for law in ("frictionless", "box")}
    sweeps = {law: multigrid["products"] / pgs["products"] for law, (multigrid, pgs) in pairs.items()}
    times = {law: multigrid["seconds"] / pgs["seconds"] for law, (multigrid, pgs) in pairs.items()}
    return judge("multigrid", "Multigrid does not pay: costly to set up, and slow since impulses are not unique",
                 "; ".join(f"{law}: {number(sweeps[law])} of the products of pgs to 1e-6, {number(times[law])} times "
                           f"its time"
                           for law in pairs), "it takes more time than pgs on both", all(time > 1
                                                                                         for time in times.values()),
                                                                                         "different")


def convex_claim(tables, iterations):
    far = {row["law"]: row["velocity_difference"] for row in tables.rows("seed-000-models")}
    words = ", ".join(f"{solver} {number(iterations('box', solver))} / {number(iterations('cone', solver))} / "
                      f"{number(iterations('coulomb', solver)) if solver in ('pgs', 'npgs', 'proximal') else '-'}"
                      for solver in ("pgs", "npgs", "apgd", "cpg1", "proximal"))
    return Claim("convex-cone", "Open: is the convex cone problem as easy as the box model, with friction coupled "
                                "to normal "
                 "impulses?", f"iterations to 1e-4 on box / convex cone / Coulomb: {words}. Velocities differ from "
                              f"Coulomb's by "
                 f"{number(far['cone'])} (cone) and {number(far['box'])} (box) of the effect of friction")


def page(tables):
    counts = tables.rows("seed-000-counts")
    contacts, limit = counts[0]["contacts"], counts[0]["limit"]
    rows = [[law, solver] + [number(only(counts, law=law, solver=solver, goal=goal)[what]) for goal in GOALS
                             for what in ("iterations", "products")]
            + [number(only(counts, law=law, solver=solver, goal=1e-2)["least_error"])]
            for law in distinct(counts, "law") for solver in distinct(select(counts, law=law), "solver")]
    timed = [[row["law"], row["solver"], "yes" if row["converged"] else "no", number(row["iterations"]),
              number(row["products"]),
              number(row["seconds"] / only(tables.rows("seed-000-seconds"), law=row["law"], solver="pgs")["seconds"])]
             for row in tables.rows("seed-000-seconds")]
    heads = [f"{what} to {goal:g}" for goal in GOALS for what in ("iterations", "products")]
    return f"""One frozen step of spheres that settle in a box and are not yet at rest: {contacts:.0f} contacts (paper:
1702), friction 0.8, from zero, at most {limit:.0f} iterations. The paper's residuals are in the maximum norm, these are
natural errors (2-norm, relative). Multigrid transfers impulses here: problems in files do not tell where bodies are,
which
the transfer of velocities needs ([measured elsewhere](../solvers.md#multigrid)).

{{claims}}

{{figures}}

## Iterations and products to natural errors

{table_text(["law", "solver"] + heads + ["least error"], rows)}

## Times to 1e-6, by that of pgs

They depend on the machine.

{table_text(["law", "solver", "converged", "iterations", "products", "time / that of pgs"], timed)}
"""
