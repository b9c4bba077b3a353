"""How all pictures look: legible in print, distinguishable without colours, colours by Okabe and Ito."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import matplotlib.ticker  # noqa: E402

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999933", "#882255"]
LINES = ["-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (7, 2, 1, 2)), (0, (4, 4))]

# Solvers look the same in every picture.
SOLVERS = ["pgs", "jacobi", "gpminres", "spg", "kucera", "npgs", "apgd", "cpg", "proximal", "auto", "newton",
           "gs-newton",
           "cpg1", "gpminres-p", "multigrid", "nsgs", "sor", "ipm", "tresca", "de-saxce", "adaptive-bounds"]

plt.rcParams.update({
    "font.size": 9, "axes.labelsize": 9, "legend.fontsize": 7.5, "axes.titlesize": 9.5, "axes.grid": True,
    "grid.alpha": 0.3, "lines.linewidth": 1.4, "savefig.dpi": 130, "figure.constrained_layout.use": True,
})


def style(name):
    """Colour and line of a solver; of anything else by its place in a list."""
    place = SOLVERS.index(name) if isinstance(name, str) else name
    return {"color": COLOURS[place % len(COLOURS)], "linestyle": LINES[(place + place // len(COLOURS)) % len(LINES)]}


def panels(columns=1, rows=1, height=2.9):
    """A figure with diagrams, 7 inches wide: the width of a page."""
    figure, axes = plt.subplots(rows, columns, figsize=(7, height * rows), squeeze=False)
    return figure, axes.ravel()


def label(axes, x, y, title="", log="y", legend=True):
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_title(title)
    if "x" in log:
        axes.set_xscale("log")
        axes.xaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())
    if "y" in log:
        axes.set_yscale("log")
    if legend and axes.get_legend_handles_labels()[0]:
        axes.legend()


def save(figure, folder, name):
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / f"{name}.png", metadata={"Software": None})
    plt.close(figure)
