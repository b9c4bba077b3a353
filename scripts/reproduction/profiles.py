"""Performance profiles (Dolan and More) of solvers on problems of Scree's scenes and on FCLIB files."""
import hashlib
import json

import numpy as np

from . import figures, scenes
from .claims import Figure, judge, table_text
from .tables import NEVER, distinct, number, select
from .workspace import ReproductionError

PART = "profiles"
TITLE = "Performance profiles over solvers"

TOLERANCES = [1e-4, 1e-8]
# Law: groups of solvers and the iterations that they may take.
SWEEPS, NEWTON_STEPS, OUTER, KRYLOV = 1000, 40, 40, 100
SOLVERS = {
    "coulomb": [(["auto", "npgs", "pgs", "adaptive-bounds", "nsgs", "proximal", "ipm"], SWEEPS),
                (["newton", "gs-newton"], NEWTON_STEPS), (["tresca", "de-saxce"], OUTER)],
    "cone": [(["auto", "npgs", "pgs", "apgd", "spg", "cpg1", "jacobi", "proximal", "ipm"], SWEEPS),
             (["gpminres"], KRYLOV)],
}
BATCH = 5  # problems for each call of a program


def own_problems(work):
    """Beds of spheres with weak and strong friction, a column, rubble of boxes, and a wall: family and file."""
    count, moments = work.pick(60, 20), work.pick(range(60, 236, 8), [20, 30])
    made = [("spheres, μ 0.3", work.scene_file(*scenes.box_of_spheres(count, 0.3, width=0.8)), ()),
            ("spheres, μ 0.8", work.scene_file(*scenes.box_of_spheres(count, 0.8, width=0.8)), ()),
            ("column, μ 0.5", work.scene_file(*scenes.cylinder_of_spheres(count, 0.35, 0.5, "cone")), ()),
            ("boxes, μ 0.5", work.scene_file(*scenes.rubble(work.pick(25, 8), 0.5)), ()),
            ("wall, μ 0.6", work.scene_file(*scenes.trembling_wall()), ("--tolerance", "1e-8"))]
    return [(family, file) for family, scene, words in work.pick(made, made[:1] + made[3:4])
            for file in work.problems(scene, moments, words)]


def compare(work, files, law, tolerance):
    """All solvers on some problems, one after the other in one process for each group of solvers."""
    folder = work.folder / "profiles"
    folder.mkdir(parents=True, exist_ok=True)
    solves = []
    for solvers, limit in SOLVERS[law]:
        mark = hashlib.sha1(" ".join([file.stem for file in files] + solvers).encode()).hexdigest()[:8]
        told = folder / f"{files[0].stem}-{mark}-{law}-{tolerance:g}-{solvers[0]}-{limit}.json"
        if not told.exists() and work.call("scree-compare", [
                *files, "--solvers", ",".join(solvers), "--law", law, "--tolerance", tolerance, "--max-iterations",
                work.pick(limit, limit // 3), "--json", told]) is None:
            raise ReproductionError(f"{files[0]} and {len(files) - 1} more take longer than {work.timeout:g} s: raise "
                                    f"--timeout")
        solves += json.loads(told.read_text())
    return solves


def measure(work, tables):
    problems = own_problems(work) + [("FCLIB", file) for file in work.fclib]
    family = {file.stem: name for name, file in problems}
    files = [file for _, file in problems]
    cases = [(files[first:first + BATCH], law, tolerance) for first in range(0, len(files), BATCH) for law in SOLVERS
             for tolerance in TOLERANCES]
    rows = []
    for (_, law, tolerance), solves in zip(cases, work.for_all(lambda case: compare(work, *case), cases, alone=True)):
        rows += [{"family": family[solve["problem"]], "problem": solve["problem"], "law": law, "tolerance": tolerance,
                  "solver": solve["solver"], "contacts": solve["contacts"], "converged": int(solve["converged"]),
                  "products": float(solve["operator_applications"]) if solve["converged"] else NEVER,
                  "seconds": float(solve["seconds"]) if solve["converged"] else NEVER} for solve in solves]
    tables.write("profiles", rows)


def profile(rows, key):
    """For each solver the sorted factors by which it is worse than the best on each problem; NEVER where it fails."""
    problems = {name: place for place, name in enumerate(distinct(rows, "problem"))}
    solvers = distinct(rows, "solver")
    cost = np.full((len(problems), len(solvers)), NEVER)
    for row in rows:
        cost[problems[row["problem"]], solvers.index(row["solver"])] = max(row[key], 1e-9)
    best = np.min(cost, axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        factors = np.where(np.isfinite(cost), cost / best, NEVER)
    return {solver: np.sort(factors[:, place]) for place, solver in enumerate(solvers)}


def draw(tables, images):
    rows = tables.rows("profiles")
    for law in SOLVERS:
        figure, axes = figures.panels(2, 2)
        for place, (tolerance, key) in enumerate((tolerance, key) for tolerance in TOLERANCES for key in ("products",
                                                                                                          "seconds")):
            for solver, factors in profile(select(rows, law=law, tolerance=tolerance), key).items():
                share = np.arange(1, len(factors) + 1) / len(factors)
                solved = np.isfinite(factors)
                axes[place].step(np.append(factors[solved], 1e3), np.append(share[solved], np.mean(solved)),
                                 where="post", label=solver,
                                 **figures.style(solver))
            axes[place].set_xlim(1, 1e3)
            axes[place].set_ylim(-0.02, 1.02)
            figures.label(axes[place], f"factor of the fewest {key}", "share of problems", f"{law}, {tolerance:g}", "x",
                          legend=place == 3)
        figures.save(figure, images, f"profiles-{law}")


FIGURES = [Figure(f"profiles-{law}", f"Performance profiles under the law `{law}`: the share of problems that a solver "
                                     f"solves with at most a "
                  "factor of what the best solver of each problem takes, products and time, to natural errors of 1e-4 "
                  "and 1e-8. "
                  "Factorisations do not count as products.") for law in SOLVERS]


def solved(rows, solver, law, tolerance):
    found = select(rows, solver=solver, law=law, tolerance=tolerance)
    return sum(row["converged"] for row in found) / len(found)


def claims(tables):
    rows = tables.rows("profiles")
    result = []
    for solver in ("auto", "proximal"):
        shares = [solved(rows, solver, law, 1e-8) for law in SOLVERS]
        result.append(judge(f"{solver}-solves", f"`{solver}` solves every problem to 1e-8 (docs/accurate.md)",
                            ", ".join(f"{100 * share:.3g} % ({law})" for share, law in zip(shares, SOLVERS)), "100 %",
                            min(shares) == 1.0))
    without = [row for row in select(rows, law="cone", tolerance=1e-4)
               if row["solver"] not in ("proximal", "ipm", "auto")]
    sweeps = {solver: float(np.mean(factors == 1.0)) for solver, factors in profile(without, "products").items()}
    result.append(judge("npgs-fewest", "`npgs` needs the fewest products of the methods without factors "
                                       "(docs/solvers.md)",
                        f"it is the best of them on {100 * sweeps['npgs']:.0f} % of the problems on the cone to 1e-4, "
                        "the "
                        f"next on "
                        f"{100 * max(share for solver, share in sweeps.items() if solver != 'npgs'):.0f} %",
                        "most often best",
                        sweeps["npgs"] == max(sweeps.values())))
    plain = {law: solved(rows, "pgs", law, 1e-8) for law in SOLVERS}
    result.append(judge("sweeps-insufficient", "Gauss-Seidel converges too slowly for accurate solutions (Heyn et al., "
                                               "conclusions)",
                        "`pgs` reaches 1e-8 on " + ", ".join(f"{100 * share:.3g} % ({law})" for law,
                                                             share in plain.items())
                        + f" of the problems in {SWEEPS} sweeps", "less than half under each law",
                        max(plain.values()) < 0.5, "different"))
    return result


def page(tables):
    rows = tables.rows("profiles")
    facts = []
    for law in SOLVERS:
        times = {tolerance: profile(select(rows, law=law, tolerance=tolerance), "seconds") for tolerance in TOLERANCES}
        for solver in distinct(select(rows, law=law), "solver"):
            cells = [law, solver]
            for tolerance in TOLERANCES:
                factors = times[tolerance][solver]
                cells += [f"{100 * solved(rows, solver, law, tolerance):.3g}",
                          f"{100 * float(np.mean(factors == 1.0)):.3g}",
                          number(float(np.median(factors)))]
            facts.append(cells)
    families = [[family, str(len(distinct(select(rows, family=family), "problem"))),
                 f"{min(row['contacts'] for row in select(rows, family=family)):.0f} to "
                 f"{max(row['contacts'] for row in select(rows, family=family)):.0f}"] for family in distinct(rows,
                                                                                                              "family")]
    heads = [f"{what} to {tolerance:g}" for tolerance in TOLERANCES for what in ("solved (%)", "fastest (%)",
                                                                                 "median factor of time")]
    return f"""{len(distinct(rows, 'problem'))} problems, each solved from zero by every solver on one rank, one at a
time, with at most {SWEEPS} iterations; {NEWTON_STEPS} for `newton` and `gs-newton`, {KRYLOV} (of up to
20 products) for `gpminres`, {OUTER} (of up to 50 sweeps) for `tresca` and `de-saxce`. Solvers that refuse a problem
have not solved it.
Factors of times depend on the machine.

{{claims}}

{{figures}}

## Problems

{table_text(["family", "problems", "contacts"], families)}

FCLIB files are given on the command line: `scripts/reproduce.py --only profiles --fclib FILE.hdf5...`

## Solvers

{table_text(["law", "solver"] + heads, facts)}
"""
