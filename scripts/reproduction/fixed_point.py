"""Lacoursiere: Gauss-Seidel for multibody problems; Tasora: a fixed-point method. Columns, mechanisms, SOR."""
import csv
import types

import h5py
import numpy as np

import frozen_steps

from . import figures, scenes
from .claims import Claim, Figure, judge, table_text
from .tables import NEVER, distinct, first_below, number, only, ratio, select

PART = "seeds-002-004"
TITLE = "Lacoursière: Gauss-Seidel iterations; Tasora: a fixed-point method for joints and contacts"

OMEGAS = [0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9]
QUICK_OMEGAS = [0.6, 1.0, 1.4, 1.8]
DAMPINGS = [0, 1, 4, 16]  # steps
STEP = 0.005  # s, of the stack


def omegas(work):
    return work.pick(OMEGAS, QUICK_OMEGAS)


def contact_matrix(file, rows=slice(None)):
    """N = H^T M^-1 H of a small problem file, of some of the three rows of each contact."""
    with h5py.File(file) as content:
        group = content["fclib_global"]
        mass = np.zeros(group["M/m"][0])
        np.add.at(mass, group["M/i"][:], group["M/x"][:])
        H = np.zeros((group["H/m"][0], group["H/n"][0]))
        np.add.at(H, (group["H/i"][:], group["H/p"][:]), group["H/x"][:])
    chosen = np.arange(H.shape[1]).reshape(-1, 3)[:, rows].ravel()
    H = H[:, chosen]
    return H.T @ (H / mass[:, None])


def spectral_radius(N, omega):
    """Of the iteration matrix of successive over-relaxation."""
    D, lower = np.diag(np.diag(N)), np.tril(N, -1)
    return float(np.max(np.abs(np.linalg.eigvals(np.eye(len(N)) - omega * np.linalg.solve(D + omega * lower, N)))))


def measure(work, tables):
    bilateral_stack(work, tables)
    columns(work, tables)
    mechanisms(work, tables)
    simplex(work, tables)
    pressed_stack(work, tables)


def late_rate(error):
    """Factor by which an error falls in a sweep, once it is a hundredth and while it is above rounding."""
    used = np.flatnonzero((error > 1e-11) & (error < 1e-2 * error[0]))
    if len(used) <= 4:
        return float("nan")
    first, last = used[len(used) // 2], used[-1]
    return float((error[last] / error[first]) ** (1 / (last - first)))


def bilateral_stack(work, tables):
    """Spheres on top of each other that neither open nor slide: what is left of projected over-relaxation is SOR."""
    file = work.problems(work.scene_file(*scenes.stack(work.pick(20, 8))), [2])[0]
    N = contact_matrix(file)
    solves = work.for_all(lambda omega: work.solve(file, "sor", "bilateral", 1e-13, work.pick(3000, 300),
                                                   set={"omega": omega}),
                          omegas(work))
    rows = []
    for omega, solve in zip(omegas(work), solves):
        history = solve.history()
        error = history["natural"]
        rows.append({"omega": omega, "contacts": solve["contacts"], "rate": late_rate(error),
                     "spectral_radius": spectral_radius(N, omega),
                     "sweeps": first_below(history["iteration"], error, 1e-6)})
    tables.write("seeds-002-004-stack", rows)


def rises(objective):
    return int(np.sum(np.diff(objective) > 1e-12 * abs(objective[-1])))


def columns(work, tables):
    """A column of spheres, frozen while it settles, with and without friction."""
    count, limit = work.pick(1000, 50), work.pick(3000, 200)
    radius = work.pick(0.7, 0.35)
    rows = []
    for law, friction in (("frictionless", 0.0), ("coulomb", 0.3)):
        scene = work.scene_file(*scenes.cylinder_of_spheres(count, radius, friction, "cone" if friction
                                                            else "frictionless"))
        file = work.problems(scene, [work.pick(150, 50)])[0]
        cases = [("sor", omega) for omega in omegas(work)] + [("npgs", 1.0), ("pgs", 1.0)]
        solves = work.for_all(lambda case: work.solve(file, case[0], law, 1e-8, limit,
                                                      **({"set": {"omega": case[1]}} if case[0] == "sor" else {})),
                                                      cases)
        for (solver, omega), solve in zip(cases, solves):
            history = solve.history()
            rows.append({"law": law, "solver": solver, "omega": omega, "contacts": solve["contacts"], "limit": limit,
                         "sweeps_to_1e-3": first_below(history["iteration"], history["natural"], 1e-3),
                         "sweeps_to_1e-4": first_below(history["iteration"], history["natural"], 1e-4),
                         "least_error": float(np.min(history["natural"])), "last_error": float(history["natural"][-1]),
                         "objective_rises": rises(history["objective"])})
    tables.write("seeds-002-004-columns", rows)


def mechanisms(work, tables):
    """Joints alone, and joints with contacts: frozen steps of a chain, solved again and again by runs."""
    links, spheres = work.pick((30, 800), (8, 10))
    options = types.SimpleNamespace(program=str(work.programs / "scree-run"), scenes=work.folder,
                                    work=work.folder / "mechanisms",
                                    timeout=work.timeout)
    options.work.mkdir(parents=True, exist_ok=True)
    rows = []
    for kind, count in (("joints", 0), ("joints and contacts", spheres)):
        scene = work.scene_file(*scenes.chain(links, count)).resolve()
        cases = [("sor", omega) for omega in omegas(work)] + [("npgs", 1.0)]
        for solver, omega in cases:
            arguments = ["--solver", solver, "--tolerance", "1e-6", "--max-iterations", str(work.pick(5000, 500)),
                         "--set",
                         "solver.check_every=1"] + (["--set", f"solver.options.omega={omega}"] if solver == "sor"
                                                    else [])
            found = frozen_steps.solve(options, f"{scene.stem}-{solver}-{omega}", str(scene), work.pick(500, 60), 1,
                                       arguments)
            rows.append({"kind": kind, "solver": solver, "omega": omega, "joints": links + 1,
                         "contacts": found["contacts"],
                         "sweeps": found["iterations"] if found["converged_steps"] else NEVER,
                         "residual": found["residual"]})
        work.say(kind)
    tables.write("seeds-002-004-mechanisms", rows)


def simplex(work, tables):
    """Times of over-relaxation and of Lemke's method over the size, one at a time."""
    rows = []
    for count in work.pick([25, 50, 100, 200, 400], [10, 25]):
        file = work.problems(work.scene_file(*scenes.cylinder_of_spheres(count, 0.5)), [60])[0]
        for solver, tolerance in (("sor", 1e-6), ("lemke", 1e-10)):
            solve = work.solve(file, solver, "frictionless", tolerance, 20000, history=False, every=10)
            rows.append({"solver": solver, "bodies": count, "contacts": solve["contacts"],
                         "iterations": solve["iterations"],
                         "seconds": solve["seconds"], "converged": int(solve["converged"])})
    for count in work.pick([250, 1000, 4000], [10, 50]):
        file = work.problems(work.scene_file(*scenes.cylinder_of_spheres(count, 1.0)), [20])[0]
        solve = work.solve(file, "sor", "frictionless", 0.0, work.pick(300, 50), history=False, every=100)
        rows.append({"solver": "sor, all sweeps", "bodies": count, "contacts": solve["contacts"],
                     "iterations": solve["iterations"],
                     "seconds": solve["seconds"], "converged": 0})
    tables.write("seeds-002-004-simplex", rows)
    file = work.problems(work.scene_file(*scenes.cylinder_of_spheres(work.pick(100, 25), 0.5)), [60])[0]
    N = contact_matrix(file, slice(0, 1))
    tables.write("seeds-002-004-rank", [{"contacts": len(N), "rank": int(np.linalg.matrix_rank(N))}])


def pressed_stack(work, tables):
    """Ten spheres that start 0.09 % of their radius deep in each other, as far as scenes may, with SPOOK."""
    rows = []
    for damping in DAMPINGS:
        scene = work.scene_file(*scenes.stack(10, 9e-4, "spook", damping * STEP))
        steps = work.pick(200, 60)
        _, out = work.run(scene, ["--steps", steps], f"{steps}")
        with open(out / "measurements" / "state.csv", newline="") as stream:
            series = list(csv.DictReader(stream))
        names = {key: next(name for name in series[0] if key in name) for key in ("kinetic", "penetration")}
        rows += [{"damping": damping, "step": int(row["step"]), "penetration": float(row[names["penetration"]] or 0),
                  "kinetic_energy": float(row[names["kinetic"]] or 0)} for row in series]
    tables.write("seeds-002-004-pressed", rows)


def draw(tables, images):
    stack, mechanisms_, columns_ = (tables.rows(f"seeds-002-004-{name}") for name in ("stack", "mechanisms", "columns"))
    figure, (left, right) = figures.panels(2)
    omega = [row["omega"] for row in stack]
    left.plot(omega, [row["spectral_radius"] for row in stack], label="spectral radius of SOR", **figures.style(0))
    left.plot(omega, [row["rate"] for row in stack], "o", color=figures.COLOURS[1], label="measured")
    figures.label(left, "ω", "error per sweep / that before", "a stack, all contacts bilateral", log="")
    series = [(f"{kind}", select(mechanisms_, kind=kind, solver="sor"), "sweeps") for kind in distinct(mechanisms_,
                                                                                                       "kind")]
    series += [(f"column, {law}", select(columns_, law=law, solver="sor"), "sweeps_to_1e-4")
               for law in distinct(columns_, "law")]
    for place, (name, rows, key) in enumerate(series):
        right.plot([row["omega"] for row in rows], [row[key] if row[key] != NEVER else np.nan for row in rows],
                   marker="osv^"[place],
                   label=name, **figures.style(place))
    figures.label(right, "ω", "sweeps", "joints to 1e-6, columns to 1e-4")
    figures.save(figure, images, "seeds-002-004-omega")

    pressed, timed = tables.rows("seeds-002-004-pressed"), tables.rows("seeds-002-004-simplex")
    figure, axes = figures.panels(3)
    for place, damping in enumerate(distinct(pressed, "damping")):
        found = select(pressed, damping=damping)
        for diagram, key in zip(axes, ("penetration", "kinetic_energy")):
            diagram.plot([row["step"] for row in found], [max(row[key], 1e-8) for row in found],
                         label=f"τ = {damping:.0f} h",
                         **figures.style(place))
    figures.label(axes[0], "step", "penetration (m)", "pressed stack, SPOOK")
    figures.label(axes[1], "step", "kinetic energy (J)", "", legend=False)
    unit = min(row["seconds"] for row in timed)
    for place, solver in enumerate(("lemke", "sor")):
        found = select(timed, solver=solver)
        axes[2].plot([row["contacts"] for row in found], [row["seconds"] / unit for row in found],
                     marker="os"[place],
                     label=solver, **figures.style(place))
    figures.label(axes[2], "contacts", "time / the least of all", "simplex and sweeps", "xy")
    figures.save(figure, images, "seeds-002-004-columns")


FIGURES = [
    Figure("seeds-002-004-omega", "Over-relaxation: measured convergence of a stack of bilateral contacts beside the "
                                  "theory of SOR, and "
           "sweeps over ω on chains and columns. Points that are missing did not converge within the limit."),
    Figure("seeds-002-004-columns", "A pressed stack under the stabilisation of Lacoursière with several dampings, and "
                                    "the time of "
           "Lemke's method and of over-relaxation over the number of contacts."),
]


def claims(tables):
    stack, columns_, mechanisms_ = (tables.rows(f"seeds-002-004-{name}") for name in ("stack", "columns", "mechanisms"))
    known = [row for row in stack if row["rate"] == row["rate"]]
    off = max(abs(row["rate"] - row["spectral_radius"]) for row in known)
    best = min(stack, key=lambda row: row["sweeps"])["omega"]
    theory = min(stack, key=lambda row: row["spectral_radius"])["omega"]
    result = [judge("sor", "Bilateral constraints only: the iteration is SOR and converges as such",
                    f"on {len(known)} values of ω the measured rate differs from the spectral radius by {number(off)} "
                    f"at most; fewest sweeps "
                    f"at ω = {best:g}, least radius at {theory:g}", "within 0.03", off <= 0.03)]
    sweeps = select(columns_, solver="sor", law="frictionless")
    rises = int(sum(row["objective_rises"] for row in sweeps))
    result.append(judge("descends", "Unilateral constraints: the method always converges (0 < ω < 2)",
                        f"{sweeps[0]['contacts']:.0f} frictionless contacts, {len(sweeps)} values of ω: the objective "
                        f"rose in {rises} sweeps; "
                        f"1e-4 was reached with {sum(row['sweeps_to_1e-4'] != NEVER for row in sweeps)} of them within "
                        f"{sweeps[0]['limit']:.0f} sweeps", "the objective never rises", rises == 0))
    rank = tables.rows("seeds-002-004-rank")[0]
    result.append(judge("contraction", "The iteration is a contraction with a unique fixed point (theorem 2.1)",
                        f"{rank['contacts']:.0f} contacts of a small column, rank of N {rank['rank']:.0f}: impulses "
                        f"are not unique, only "
                        "velocities are", "N is regular", rank["rank"] == rank["contacts"]))
    result += [omega_claim(columns_,
                           mechanisms_)] + friction_claims(columns_) + time_claims(tables.rows("seeds-002-004-simplex"))
    return result + pressed_claims(tables.rows("seeds-002-004-pressed"))


def omega_claim(columns_, mechanisms_):
    def best(rows, key):
        found = min(rows, key=lambda row: row[key])
        one = only(rows, omega=1.0)[key]
        if found[key] == NEVER:
            return "never"
        return f"ω = {found['omega']:g}: {number(found[key])} sweeps ({number(one)} with 1)"
    words = [f"{kind}: {best(select(mechanisms_, kind=kind, solver='sor'), 'sweeps')}" for kind in distinct(mechanisms_,
                                                                                                            "kind")]
    words += [f"column, {law}: {best(select(columns_, law=law, solver='sor'), 'sweeps_to_1e-4')}, npgs "
              f"{number(only(columns_, law=law, solver='npgs')['sweeps_to_1e-4'])}" for law in distinct(columns_,
                                                                                                        "law")]
    return Claim("omega", "Open: which ω? (a 'speed parameter' without a value)", "; ".join(words))


def friction_claims(columns_):
    sor, pgs = only(columns_, law="coulomb", solver="sor", omega=1.0), only(columns_, law="coulomb", solver="pgs")
    return [judge("clamped", "Friction clamped in each direction (36) is not maximally dissipative overall",
                  f"natural error of Coulomb's law after {sor['limit']:.0f} sweeps: {number(sor['last_error'])} with "
                  f"components, "
                  f"{number(pgs['last_error'])} with discs (pgs)", "at least 3 times that of pgs",
                  sor["last_error"] >= 3 * pgs["last_error"],
                  "different")]


def time_claims(timed):
    sizes = select(timed, solver="lemke")
    largest = max(row["contacts"] for row in sizes)
    lemke, sor = only(timed, solver="lemke", contacts=largest), only(timed, solver="sor", contacts=largest)
    gain = lemke["seconds"] / sor["seconds"]
    swept = select(timed, solver="sor, all sweeps")
    cost = [row["seconds"] / row["iterations"] / row["contacts"] for row in swept]
    return [judge("simplex", "Orders of magnitude faster than simplex methods",
                  f"{largest:.0f} contacts: lemke takes {number(gain)} times the time of sor to 1e-6",
                  "at least 10 times", gain >= 10,
                  "different"),
            judge("linear", "A sweep costs O(n)", f"time per contact and sweep, {swept[-1]['contacts']:.0f} by "
                                                  f"{swept[0]['contacts']:.0f} "
                  f"contacts: {number(cost[-1] / cost[0])}", "between 1/3 and 3", 1 / 3 <= cost[-1] / cost[0] <= 3,
                  "different")]


def pressed_claims(pressed):
    def steps(damping):
        rows = select(pressed, damping=damping)
        first = max(row["penetration"] for row in rows)
        return first_below([row["step"] for row in rows], [row["penetration"] for row in rows], 0.1 * first)
    others = ", ".join(f"{number(steps(damping))} with {damping:.0f} h" for damping in DAMPINGS if damping != 4)
    energy = {damping: max(row["kinetic_energy"] for row in select(pressed, damping=damping))
              for damping in distinct(pressed, "damping")}
    return [judge("few-steps", "With damping an overlap is undone over a few steps", f"a tenth of it is left after "
                                                                                     f"{number(steps(4))} steps with "
                  f"τ = 4 h ({others})",
                  "2 to 20 steps", 2 <= steps(4) <= 20, "different"),
            judge("gentle", "τ = 4 h is a good choice: damping prevents instability",
                  "largest kinetic energy by that without damping: " + ", ".join(
                      f"{number(ratio(value, energy[0]))} ({damping:.0f} h)" for damping, value in energy.items()),
                  "less than half with 4 h", energy[4] < 0.5 * energy[0], "different")]


def page(tables):
    columns_, mechanisms_ = tables.rows("seeds-002-004-columns"), tables.rows("seeds-002-004-mechanisms")
    rows = [[row["law"], row["solver"], f"{row['omega']:g}", number(row["sweeps_to_1e-3"]),
             number(row["sweeps_to_1e-4"]),
             number(row["least_error"])] for row in columns_]
    chains = [[row["kind"], f"{row['joints']:.0f}", f"{row['contacts']:.0f}", row["solver"], f"{row['omega']:g}",
               number(row["sweeps"]),
               number(row["residual"])] for row in mechanisms_]
    return f"""`sor` is the iteration of both papers: components one after the other, joints and contacts alike.
A column of spheres in a narrow cylinder, frozen while it settles ({columns_[0]['contacts']:.0f} contacts without
friction), and a chain of spheres on ball joints between two points of the world, alone and with spheres that have
fallen
on it ({mechanisms_[-1]['contacts']:.0f} contacts). All solves start from zero.

{{claims}}

{{figures}}

## Columns

{table_text(["law", "solver", "ω", "sweeps to 1e-3", "to 1e-4", "least error"], rows)}

## Chains, to 1e-6

{table_text(["what", "joints", "contacts", "solver", "ω", "sweeps", "residual"], chains)}
"""
