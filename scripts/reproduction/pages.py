"""The parts of the reproduction and their pages. A page is computed from the CSV files and from nothing else."""
import textwrap

from . import fixed_point, profiles, seed000, seed001, seed003
from .claims import claims_table, figures_text
from .tables import Tables
from .workspace import ReproductionError

PARTS = {part.PART: part for part in (seed000, seed001, fixed_point, seed003, profiles)}


def make(part, work, out):
    tables = Tables(out / "data")
    part.measure(work, tables)
    part.draw(tables, out / "images")
    (out / f"{part.PART}.md").write_text(text_of(part, tables))


def text_of(part, tables):
    command = f"scripts/reproduce.py --only {part.PART}"
    body = part.page(tables).format(claims="## Claims\n\n" + claims_table(part.claims(tables)),
                                    figures="## Figures\n\n" + figures_text(part.PART, part.FIGURES, command))
    return wrapped(f"# {part.TITLE}\n\nMade by `{command}`: do not edit. [Overview](index.md)\n\n{body}")


def wrapped(text):
    """Paragraphs of words in lines of 120 characters; the rest as it is."""
    return "\n\n".join(block if block.startswith(("|", "#", "!", "-", " ")) else textwrap.fill(block, 120)
                       for block in text.rstrip("\n").split("\n\n")) + "\n"


def index_text(out):
    """The overview of the parts that have data."""
    tables, lines, found = Tables(out / "data"), [], []
    for name, part in PARTS.items():
        if (out / f"{name}.md").exists():
            claims = part.claims(tables)
            found.append(f"- [{part.TITLE}]({name}.md)")
            lines += [f"| [{name}]({name}.md) | {claim.says} | {claim.verdict} |" for claim in claims]
    return wrapped(f"""# The papers' experiments, made anew

`scripts/reproduce.py` makes these pages, their pictures (`images/`) and their data (`data/`, CSV) with Scree's
programs: do not edit. Every verdict is computed from the CSV files. `confirmed`: what the paper says is what Scree
measures.
`refuted`: the opposite is. `different`: neither, or another model, with the numbers beside it. `answered`: the paper
leaves the question open. Times depend on the machine and are given as ratios, measured one solve at a time on one core.

    scripts/reproduce.py                     # all parts, under an hour on two cores; goes on where it was ended
    scripts/reproduce.py --only seed-000     # one part
    scripts/reproduce.py --quick             # small problems, minutes; pages in results/reproduction-quick/pages
    scripts/reproduce.py --check             # do the pages follow from their data?
    scripts/reproduce.py --only profiles --fclib FILE.hdf5...   # with problems of other codes

{chr(10).join(found)}

| part | claim | verdict |
|---|---|---|
{chr(10).join(lines)}
""")


def write_index(out):
    (out / "index.md").write_text(index_text(out))


def check(out, names):
    """Raises ReproductionError if a page says what its data do not."""
    expected = {f"{name}.md": text_of(PARTS[name], Tables(out / "data")) for name in names}
    for name, text in (expected | {"index.md": index_text(out)}).items():
        if (out / name).read_text() != text:
            raise ReproductionError(f"{out / name}: does not follow from the data: run scripts/reproduce.py again")
