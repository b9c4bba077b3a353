"""Claims of papers beside what was measured, and the pages that say so."""
import dataclasses

VERDICTS = ("confirmed", "refuted", "different", "answered")


@dataclasses.dataclass
class Claim:
    """A statement of a paper, what Scree measures, and what follows. `rule` tells when it counts as confirmed;
    questions that a paper leaves open have none and are answered."""
    key: str
    says: str
    measured: str
    verdict: str = "answered"
    rule: str = ""

    def __post_init__(self):
        if self.verdict not in VERDICTS:
            raise ValueError(f"{self.key}: verdict {self.verdict}")


def judge(key, says, measured, rule, holds, otherwise="refuted"):
    return Claim(key, says, measured, "confirmed" if holds else otherwise, rule)


@dataclasses.dataclass
class Figure:
    name: str  # of the picture, without its ending
    caption: str


def claims_table(claims):
    return table_text(["claim", "measured with Scree", "confirmed if", "verdict"],
                      [[claim.says, claim.measured, claim.rule or "(open question)", f"**{claim.verdict}**"]
                       for claim in claims])


def figures_text(part, figures, command):
    return "\n\n".join(f"![{figure.caption}](images/{figure.name}.png)\n\n{figure.caption} Made by `{command}` from "
                       f"`docs/reproduction/data/`." for figure in figures)


def table_text(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
                     + ["| " + " | ".join(map(str, row)) + " |" for row in rows])
