"""Heyn, Anitescu, Tasora, Negrut: Krylov and spectral methods for frictionless contact. Table I, figures 4 to 13."""
import numpy as np

from . import figures, scenes
from .claims import Claim, Figure, judge, table_text
from .tables import NEVER, distinct, first_below, number, only, ratio, select, thinned

PART = "seed-003"
TITLE = "Heyn, Anitescu, Tasora and Negrut: Krylov subspace and spectral methods for complementarity problems"

PAPER = ["jacobi", "gpminres", "spg", "kucera"]
ADDED = ["npgs", "apgd", "cpg", "proximal", "auto"]
# Solver, iterations: the rows of table I.
TABLE_I = [("gpminres", 100), ("gpminres", 1000), ("gpminres-p", 100), ("jacobi", 1000), ("jacobi", 10000), ("jacobi",
                                                                                                             43000),
           ("jacobi", 100000)]
QUICK_TABLE_I = [("gpminres", 20), ("gpminres", 100), ("gpminres-p", 20), ("jacobi", 100), ("jacobi", 1000), ("jacobi",
                                                                                                              3000)]
PLATES = [1, 4, 16]  # tonnes
KEPT = ["iteration", "products", "natural", "gradient_step", "objective", "active", "active_changes"]


def cylinder(work, count):
    scene = work.scene_file(f"cylinder-{count}",
                            (scenes.OWN / f"settling-cylinder-{count}.yaml").read_text()) if not work.quick \
        else work.scene_file(*scenes.cylinder_of_spheres(count, 0.6))
    return work.problems(scene, [work.pick(200, 60)])[0]


def plate(work, tonnes):
    text = (scenes.OWN / f"plate-{tonnes}t.yaml").read_text()
    if work.quick:
        text = text.replace("count: 1000", "count: 60").replace("radius: 1.5", "radius: 0.5").replace("1.125",
                                                                                                      "0.375") \
            .replace("position: [0, 0, 1.5]", "position: [0, 0, 1.3]")
    return work.problems(work.scene_file(f"plate-{tonnes}t", text), [work.pick(300, 80)])[0]


def measure(work, tables):
    first_test(work, tables)
    sizes = work.pick([1000, 2000, 4000], [40, 80])
    courses(work, tables, "seed-003-sizes", "bodies", {count: cylinder(work, count) for count in sizes})
    masses = work.pick(PLATES, [1, 16])
    courses(work, tables, "seed-003-plates", "tonnes", {tonnes: plate(work, tonnes) for tonnes in masses})
    feasibility(work, tables, cylinder(work, sizes[0]))


def most_iterations(work, solver):
    """As many as are about as dear as 3,000 products."""
    products = work.pick(3000, 300)
    return {"gpminres": products // 15, "kucera": products, "cpg": products // 2, "proximal": 40}.get(solver, products)


def course(work, file, solver):
    return work.solve(file, solver, "frictionless", 1e-10, most_iterations(work, solver))


def first_test(work, tables):
    """Table I one solve at a time, and the impulses of figure 5."""
    file = cylinder(work, work.pick(1000, 40))
    rows, impulses = [], []
    wanted = work.pick(TABLE_I, QUICK_TABLE_I) + [(solver, work.pick(1000, 100)) for solver in ["spg",
                                                                                                "kucera"] + ADDED]
    for solver, iterations in wanted:
        solve = work.solve(file, solver, "frictionless", 1e-12, iterations, history=False, every=10)
        if solve.timed_out:
            continue
        x = solve.solution()[0][:, 0]
        rows.append({"solver": solver, "limit": iterations, "contacts": solve["contacts"],
                     "iterations": solve["iterations"],
                     "products": solve["operator_applications"], "objective": solve["objective"],
                     "least": float(np.min(x)),
                     "largest": float(np.max(x)), "seconds": solve["seconds"], "natural": solve["error"]["natural"]})
        order = np.sort(x)[::-1]
        kept = np.unique(np.geomspace(1, len(order), 80).astype(int)) - 1
        impulses += [{"solver": solver, "limit": iterations, "rank": k + 1, "impulse": order[k]} for k in kept]
        work.say(f"{solver} {iterations}")
    tables.write("seed-003-table-1", rows)
    tables.write("seed-003-impulses", impulses)
    jacobi = work.solve(file, "jacobi", "frictionless", 1e-12, work.pick(43000, 3000)).history()
    goals = [row for row in rows if row["solver"] != "jacobi"]
    tables.write("seed-003-jacobi", [{"solver": row["solver"], "limit": row["limit"],
                                      "jacobi_iterations": first_below(jacobi["iteration"], jacobi["objective"],
                                                                       row["objective"]),
                                      "jacobi_seconds_share": seconds_share(rows, jacobi, row)} for row in goals])


def seconds_share(rows, jacobi, row):
    """Time that jacobi needs for the objective of a row, by that row's time; from jacobi's time per iteration."""
    longest = max((other for other in rows if other["solver"] == "jacobi"), key=lambda other: other["iterations"])
    iterations = first_below(jacobi["iteration"], jacobi["objective"], row["objective"])
    return ratio(iterations * longest["seconds"] / longest["iterations"],
                 row["seconds"]) if iterations != NEVER else NEVER


def courses(work, tables, name, key, files):
    """Histories of all solvers on several problems."""
    cases = [(value, solver) for value in files for solver in PAPER + ADDED]
    solves = work.for_all(lambda case: course(work, files[case[0]], case[1]), cases)
    done = [(value, solver, solve) for (value, solver), solve in zip(cases, solves) if not solve.timed_out]
    best = {value: min(float(np.min(solve.history()["objective"])) for other, _, solve in done if other == value)
            for value in files}
    rows, facts = [], []
    tables.write(f"{name}-timeouts", [{key: value, "solver": solver, "ended": solve["ended"] if solve.timed_out
                                       else "in time"}
                                      for (value, solver), solve in zip(cases, solves)])
    for value, solver, solve in done:
        history = {column: solve.history()[column] for column in KEPT}
        gap = history["objective"] / abs(best[value]) + 1  # of the normalised objective, which is -1 at best
        residual = history["gradient_step"]
        rows += [{key: value, "solver": solver} | {column: row[column] for column in
                                                   ("iteration", "products", "gap", "gradient_step", "active")}
                 for row in thinned(history | {"gap": gap}, "products", 90)]
        facts.append({key: value, "solver": solver, "contacts": solve["contacts"],
                      "products_to_gap_1e-2": first_below(history["products"], gap, 1e-2),
                      "products_to_gap_1e-4": first_below(history["products"], gap, 1e-4),
                      "products_to_residual_1e-1": first_below(history["products"], residual, 0.1 * residual[0]),
                      "products_to_residual_1e-2": first_below(history["products"], residual, 1e-2 * residual[0]),
                      "products_to_residual_1e-3": first_below(history["products"], residual, 1e-3 * residual[0]),
                      "objective_rises": int(np.sum(np.diff(history["objective"]) > 1e-9 * abs(best[value]))),
                      "residual_rises": int(np.sum(np.diff(residual) > 1e-6 * residual[0])),
                      "iterations": int(history["iteration"][-1]),
                      "least_residual": float(np.min(residual) / residual[0]),
                      "active_change": float(np.mean(np.abs(np.diff(history["active"])))),
                      "active_settled": settled(history)})
    tables.write(name, rows)
    tables.write(f"{name}-facts", facts)


def settled(history):
    """Products after which the size of the active set stays within 1 % of the last."""
    off = np.flatnonzero(np.abs(history["active"] - history["active"][-1]) > 0.01 * max(1, history["active"][-1]))
    return float(history["products"][min(off[-1] + 1, len(history["products"]) - 1)]) if len(off) else 0.0


def feasibility(work, tables, file):
    """Figure 9: x_i w_i at the end."""
    rows = []
    for solver in PAPER + ADDED:
        solve = course(work, file, solver)
        if not solve.timed_out:
            x, w, _ = solve.solution()
            f = np.abs(x[:, 0] * w[:, 0])
            rows.append({"solver": solver, "mean": float(np.mean(f)), "deviation": float(np.std(f)),
                         "largest": float(np.max(f))})
    tables.write("seed-003-feasibility", rows)


def draw(tables, images):
    draw_courses(tables, images, "seed-003-sizes", "bodies", "bodies")
    draw_courses(tables, images, "seed-003-plates", "tonnes", "t")
    impulses = tables.rows("seed-003-impulses")
    rows = tables.rows("seed-003-sizes")
    smallest = min(distinct(rows, "bodies"))
    figure, (left, right) = figures.panels(2)
    for solver in PAPER + ADDED:
        found = select(rows, bodies=smallest, solver=solver)
        left.plot([row["iteration"] + 1 for row in found], [row["gap"] - 1 for row in found], label=solver,
                  **figures.style(solver))
    figures.label(left, "iteration + 1", "objective / |best|", "figure 4: test 1", "x")
    left.set_ylim(-1.02, -0.7)
    cases = [case for case in dict.fromkeys((row["solver"], row["limit"]) for row in impulses)
             if case[0] in ("gpminres", "gpminres-p", "jacobi", "npgs")]
    for place, (solver, limit) in enumerate(cases):
        found = select(impulses, solver=solver, limit=limit)
        right.plot([row["rank"] for row in found], [row["impulse"] for row in found], label=f"{solver} {limit:.0f}",
                   **figures.style(place))
    figures.label(right, "contact, sorted by impulse", "impulse (Ns)", "figure 5", "x")
    figures.save(figure, images, "seed-003-table-1")

    figure, (left, right) = figures.panels(2)
    feasible = tables.rows("seed-003-feasibility")
    place = np.arange(len(feasible))
    for shift, key in enumerate(("mean", "deviation", "largest")):
        left.bar(place + 0.27 * (shift - 1), [max(row[key], 1e-20) for row in feasible], 0.25,
                 color=figures.COLOURS[shift],
                 hatch=["", "//", ".."][shift], label=key)
    left.set_xticks(place, [row["solver"] for row in feasible], rotation=60)
    figures.label(left, "", "|x w| at the end (J)", "figure 9")
    for solver in ("gpminres", "kucera", "npgs", "cpg"):
        for line, bodies in enumerate(distinct(rows, "bodies")):
            found = select(rows, bodies=bodies, solver=solver)
            right.plot([row["products"] + 1 for row in found], [row["active"] for row in found], label=solver
                       if line == 0 else None,
                       **figures.style(solver))
    figures.label(right, "products + 1", "active contacts", "figure 10, all sizes", "xy")
    figures.save(figure, images, "seed-003-feasibility")


def draw_courses(tables, images, name, key, unit):
    rows = tables.rows(name)
    values = distinct(rows, key)
    figure, axes = figures.panels(2, len(values), height=2.6)
    for line, value in enumerate(values):
        left, right = axes[2 * line], axes[2 * line + 1]
        for solver in PAPER + ADDED:
            found = select(rows, **{key: value}, solver=solver)
            products = [row["products"] + 1 for row in found]
            left.plot(products, [max(row["gap"], 1e-12) for row in found], label=solver, **figures.style(solver))
            right.plot(products, [max(row["gradient_step"], 1e-12) for row in found], label=solver,
                       **figures.style(solver))
        figures.label(left, "products + 1", "objective / |best| + 1", f"{value:.0f} {unit}", "xy", legend=line == 0)
        figures.label(right, "products + 1", "residual (24) (m/s)", f"{value:.0f} {unit}", "xy", legend=False)
        left.set_ylim(bottom=1e-9)
        right.set_ylim(bottom=1e-7)
    figures.save(figure, images, name)


FIGURES = [
    Figure("seed-003-table-1", "Figures 4 and 5: objective over iterations, and impulses sorted by size, of methods "
                               "and limits of "
           "table I."),
    Figure("seed-003-sizes", "Figures 6 to 8: objective and residual (24) over products on test 2."),
    Figure("seed-003-feasibility", "Figures 9 and 10: feasibility at the end on the smallest system, and size of the "
                                   "active set."),
    Figure("seed-003-plates", "Figures 12 and 13: objective and residual (24) over products on test 3, spheres under "
                              "a plate."),
]


def claims(tables):
    table, jacobi = tables.rows("seed-003-table-1"), tables.rows("seed-003-jacobi")
    sizes, plates = tables.rows("seed-003-sizes-facts"), tables.rows("seed-003-plates-facts")
    short, long = select(table, solver="gpminres")[:2]
    preconditioned = only(table, solver="gpminres-p")
    needed = only(jacobi, solver="gpminres", limit=short["limit"])
    products = ratio(needed["jacobi_iterations"], short["products"])
    last = max(row["limit"] for row in select(table, solver="jacobi"))
    result = [judge("jacobi-43", "GPMINRES reaches with 1,000 Krylov steps (100 active sets) the objective of 43,000 "
                                 "Jacobi iterations",
                    f"{short['limit']:.0f} iterations of gpminres ({short['products']:.0f} products) = "
                    f"{number(needed['jacobi_iterations'])} of jacobi: {number(products)} times the products",
                    "at least 20 times",
                    products >= 20, "different"),
              judge("jacobi-time", "... and 14 times faster", f"jacobi takes {number(needed['jacobi_seconds_share'])} "
                                                              f"times its time",
                    "at least 5 times", needed["jacobi_seconds_share"] >= 5, "different"),
              judge("preconditioning", "Preconditioning is expensive and does not improve the solution",
                    f"gpminres-p after {preconditioned['limit']:.0f} iterations: objective "
                    f"{preconditioned['objective']:.6g} J, "
                    f"gpminres {short['objective']:.6g} J; {number(preconditioned['seconds'] / short['seconds'])} "
                    f"times its time",
                    "more time for no lower objective (1e-4)", preconditioned["seconds"] > short["seconds"]
                    and preconditioned["objective"] >= short["objective"] - 1e-4 * abs(short["objective"]),
                    "different"),
              sharper(table, last)]
    result += size_claims(sizes) + plate_claims(plates)
    best = {bodies: min(select(sizes, bodies=bodies), key=lambda row: row["products_to_residual_1e-3"])
            for bodies in distinct(sizes, "bodies")}
    result.append(Claim("added", "Open: how do other methods compare?",
                        "fewest products to a thousandth of the residual: " + ", ".join(
                            f"{row['solver']} {number(row['products_to_residual_1e-3'])} (gpminres "
                            f"{number(only(sizes, bodies=bodies, solver='gpminres')['products_to_residual_1e-3'])}; "
                            f"{bodies:.0f} bodies)"
                            for bodies, row in best.items())))
    return result


def sharper(table, last):
    largest = [row["largest"] for row in sorted(select(table, solver="jacobi"), key=lambda row: row["limit"])]
    exact = min(table, key=lambda row: row["natural"])
    return judge("sharper", "The largest impulse grows towards its true value with the iterations",
                 "jacobi: " + ", ".join(f"{value:.4g}" for value in largest) + f" Ns up to {last:.0f} iterations; "
                                                                               f"{exact['solver']} "
                 f"(natural error {number(exact['natural'])}): {exact['largest']:.4g} Ns", "it never falls for jacobi",
                 all(a <= b * (1 + 1e-6) for a, b in zip(largest, largest[1:])), "different")


def size_claims(sizes):
    bodies = distinct(sizes, "bodies")

    def products(solver, count, key):
        return only(sizes, bodies=count, solver=solver)[f"products_to_{key}"]
    behind = {solver: min(ratio(products("jacobi", count, "gap_1e-2"), products(solver, count, "gap_1e-2"))
                          for count in bodies)
              for solver in PAPER[1:]}
    result = [judge("better-than-jacobi", "SPG, GPMINRES and Kucera do significantly better than Jacobi on all systems",
                    "products of jacobi to within 1 % of the objective by theirs, least over sizes: "
                    + ", ".join(f"{number(value)} ({solver})" for solver, value in behind.items()), "all at least 1.5",
                    all(value >= 1.5 for value in behind.values()), "different")]
    leads = {key: [min(PAPER[1:], key=lambda solver, c=count, k=key: products(solver, c, k)) for count in bodies]
             for key in ("residual_1e-1", "residual_1e-3")}
    later = [ratio(products("spg", count, "residual_1e-3"), products("gpminres", count, "residual_1e-3"))
             for count in bodies]
    result.append(judge("spg-early", "SPG leads at the beginning, GPMINRES later",
                        f"first to a tenth of the residual: {', '.join(leads['residual_1e-1'])}; products of spg by "
                        f"those of gpminres to "
                        f"a thousandth: {', '.join(map(number, later))}", "spg first on all sizes, then behind "
                                                                          "(above 1)",
                        all(lead == "spg" for lead in leads["residual_1e-1"]) and all(value > 1 for value in later),
                        "different"))
    rises = {solver: [(row["objective_rises"], row["residual_rises"]) for row in select(sizes, solver=solver)]
             for solver in ("jacobi", "spg")}
    result.append(judge("monotone", "Jacobi and SPG are monotone in objective and residual",
                        "iterations in which objective / residual rose, by size: "
                        + "; ".join(f"{solver} " + ", ".join(f"{a:.0f} / {b:.0f}" for a, b in pairs) for solver,
                                    pairs in rises.items()),
                        "none", all(pair == (0, 0) for pairs in rises.values() for pair in pairs),
                        "different" if all(pair == (0, 0) for pair in rises["jacobi"]) else "refuted"))
    largest = max(bodies)
    change, rest = ({solver: only(sizes, bodies=largest, solver=solver)[key] for solver in ("kucera", "gpminres")}
                    for key in ("active_change", "active_settled"))
    result.append(judge("active-kucera", "The active set changes more with Kucera than with GPMINRES, which "
                                         "settles sooner",
                        f"{largest:.0f} bodies: its size changes by {number(change['kucera'])} (kucera) and "
                        f"{number(change['gpminres'])} "
                        f"(gpminres) contacts an iteration, and stays within 1 % from {number(rest['kucera'])} and "
                        f"{number(rest['gpminres'])} products on", "both for gpminres smaller",
                        change["gpminres"] < change["kucera"] and rest["gpminres"] < rest["kucera"], "different"))
    growth = {solver: ratio(products(solver, max(bodies), "residual_1e-2"), products(solver, min(bodies),
                                                                                     "residual_1e-2"))
              for solver in PAPER + ["npgs"]}
    result.append(judge("scalability", "Jacobi scales much worse with the size of the system than the three others",
                        f"products to a hundredth of the residual, {max(bodies):.0f} by {min(bodies):.0f} bodies: "
                        + ", ".join(f"{number(value)} ({solver})" for solver, value in growth.items()),
                        "jacobi's growth is the largest",
                        all(growth["jacobi"] > growth[solver] for solver in PAPER[1:]), "different"))
    return result


def plate_claims(plates):
    masses = distinct(plates, "tonnes")

    def products(solver, tonnes):
        return only(plates, tonnes=tonnes, solver=solver)["products_to_gap_1e-2"]
    best = [min(PAPER, key=lambda solver, t=tonnes: products(solver, t)) for tonnes in masses]
    result = [judge("plate-best", "GPMINRES performs best for all three masses",
                    "first of the paper's four to within 1 % of the objective: " + ", ".join(
                        f"{solver} {number(products(solver, tonnes))} (gpminres "
                        f"{number(products('gpminres', tonnes))}; {tonnes:.0f} t)"
                        for solver, tonnes in zip(best, masses)), "gpminres each time", all(solver == "gpminres"
                                                                                            for solver in best))]
    growth = {solver: ratio(products(solver, masses[-1]), products(solver, masses[0])) for solver in PAPER + ["npgs",
                                                                                                              "cpg",
                                                                                                              "apgd"]}
    result.append(judge("plate-degradation", "GPMINRES suffers least from mass",
                        f"products at {masses[-1]:.0f} t by those at {masses[0]:.0f} t: "
                        + ", ".join(f"{number(value)} ({solver})" for solver, value in growth.items()),
                        "least of the paper's four",
                        all(growth["gpminres"] <= growth[solver] for solver in PAPER), "different"))
    return result


def page(tables):
    table = tables.rows("seed-003-table-1")
    base = table[0]["seconds"]
    rows = [[row["solver"], number(row["limit"]), number(row["iterations"]), number(row["products"]),
             f"{row['objective']:.6g}",
             f"{row['least']:.3g}", f"{row['largest']:.5g}", number(row["natural"]), number(row["seconds"] / base)]
             for row in table]
    parts, late = [], []
    for name, key, unit in (("sizes", "bodies", "bodies"), ("plates", "tonnes", "t")):
        facts = tables.rows(f"seed-003-{name}-facts")
        columns = [column for column in facts[0] if column.startswith("products_to")]
        late += [f"`{row['solver']}` on {row[key]:.0f} {unit} ({row['ended']})"
                 for row in tables.rows(f"seed-003-{name}-timeouts")
                 if row["ended"] != "in time"]
        parts.append(table_text([unit, "contacts", "solver"] + [column.replace("products_to_", "").replace("_", " ")
                                                                for column in columns]
                                + ["least residual"],
                                [[f"{row[key]:.0f}", f"{row['contacts']:.0f}", row["solver"]] + [number(row[column])
                                                                                                 for column in columns]
                                 + [number(row["least_residual"])] for row in facts]))
    ended = f"\n\nEnded by the clock, so not shown: {', '.join(late)}." if late else ""
    heads = ["method", "limit", "iterations", "products", "objective (J)", "least impulse (Ns)", "largest (Ns)",
             "natural error", "time"]
    return f"""Frictionless spheres of 6.28 kg and radius 0.1 m in a cylinder, frozen while they settle, and under a
plate:
Scree's scenes `settling-cylinder-*` after 200 steps, `plate-*` after 300. Test 1 is the smallest of test 2
({table[0]['contacts']:.0f} contacts; paper: 3,525). All solves start from zero. "gap": objective / |best| + 1,
"residual":
that of equation 24 by its first value.{ended}

{{claims}}

{{figures}}

## Table I

Time by that of the first row: it depends on the machine. An iteration of gpminres has up to ten gradient and ten Krylov
steps.
A method that reached a natural error of 1e-12 ended there.

{table_text(heads, rows)}

## Test 2: products to gaps and residuals

{parts[0]}

## Test 3: the same

{parts[1]}
"""
