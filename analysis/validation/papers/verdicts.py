"""Three verdicts on a claim: its direction, its size, and the one change that moves it."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tessera.results.markdown import table
from validation.papers.catalogue import Claim, Paper, catalogue
from validation.papers.page import HOLDS, size_of
from validation.papers.record import CLAIM, SEEDS, Measured

DIRECTIONS = (HOLDS, "opposite", "not apart", "on some inputs", "figure met", "figure missed", "our question", "not tested")
SIZES = ("within 1.25", "within 2", "beyond 2")
SOME = re.compile(r"holds on (\d+) of (\d+)")


@dataclass(frozen=True)
class Judged:
    """A claim with its verdicts."""

    claim: Claim
    direction: str
    basis: str
    """Seeds or inputs that it stands on; empty: one seed, all inputs alike."""
    size: str
    here: str
    reason: str

    @property
    def open(self) -> bool:
        """Whether its direction or its size is not as published, and no change explains that."""
        return self.direction != "not tested" and "unexplained" in self.reason


def _words(claim: Claim) -> tuple[str, str]:
    """For what comes out as the paper says, and for the contrary."""
    return (HOLDS, "opposite") if claim.kind == "direction" else ("figure met", "figure missed")


def _over_seeds(claim: Claim, lines: Sequence[Measured]) -> str:
    """What the intervals of the mean say together."""
    verdicts = [line.verdict for line in lines]
    met, missed = _words(claim)
    if all(verdict == "holds" for verdict in verdicts):
        return met
    if all(verdict == "does not hold" for verdict in verdicts):
        return missed
    return "on some inputs" if all(verdict in ("holds", "does not hold") for verdict in verdicts) else "not apart"


def _first_words(claim: Claim, verdict: str) -> str:
    """Of a verdict on a bound and on who is ahead, the latter where the claim is a direction."""
    return verdict.split("ahead: ")[1] if claim.kind == "direction" and "ahead: " in verdict else verdict


def _over_inputs(claim: Claim, verdict: str) -> str:
    """What the cases of one seed say."""
    if claim.kind == "question":
        return "our question"
    if SOME.match(verdict):
        return "on some inputs"
    met, missed = _words(claim)
    return met if verdict.startswith(HOLDS) else missed


def judge(claim: Claim, lines: Iterable[Measured]) -> Judged:
    """A claim by what was measured."""
    if claim.not_tested:
        return Judged(claim, "not tested", "", "", "", claim.not_tested)
    own = [line for line in lines if (line.paper, line.experiment) == (claim.paper, claim.experiment)]
    found = next((line for line in own if line.of == CLAIM and line.claim == claim.claim), None)
    if found is None:
        return Judged(claim, "not tested", "", "", "", f"no figures on record: run 'tessera papers run {claim.name}'")
    seeds = [line for line in own if line.of == SEEDS and line.claim in claim.seeds]
    if seeds:
        direction, basis = _over_seeds(claim, seeds), f"{len(seeds)} intervals over seeds" if len(seeds) > 1 else "over seeds"
    else:
        words = _first_words(claim, found.verdict)
        some = SOME.match(words)
        direction, basis = _over_inputs(claim, words), f"{some[1]} of {some[2]} inputs" if some else ""
    word = size_of(found.ratio, claim.ratio) if found.ratio and claim.ratio else ""
    size = f"{word}: {found.ratio:.3g} for {claim.ratio:.3g}" if word else ""
    plain = direction in (HOLDS, "figure met", "our question") and not size.startswith("beyond")
    reason = "" if plain and not claim.reason else "; ".join(each for each in (found.why, claim.reason) if each)
    return Judged(claim, direction, basis, size, found.here, reason)


def judged(lines: Sequence[Measured], papers: Mapping[str, Paper] | None = None) -> list[Judged]:
    """Every claim of the catalogue."""
    return [judge(claim, lines) for paper in (papers or catalogue()).values() for claim in paper.claims]


def in_a_sentence(found: Iterable[Judged]) -> str:
    """How many claims come out, which is the answer of the overview."""
    count = Counter(each.direction for each in found)
    out, against = count[HOLDS] + count["figure met"], count["opposite"] + count["figure missed"]
    between = count["not apart"] + count["on some inputs"]
    return (
        f"Of {out + against + between} claims of five papers that were tested, **{out} come out as printed, {against} do not, and {between} hold on some inputs or "
        f"are not apart**. {count['not tested']} more are not tested.\n"
    )


def summary_table(found: Iterable[Judged]) -> str:
    """Papers by verdict: how many claims."""
    by_paper: dict[str, list[Judged]] = {}
    for each in found:
        by_paper.setdefault(each.claim.paper, []).append(each)
    rows = []
    for paper, items in by_paper.items():
        directions, sizes = Counter(each.direction for each in items), Counter(each.size.split(":")[0] for each in items)
        moved = sum(bool(each.claim.mechanism) for each in items)
        open_ = sum(each.open for each in items)
        rows.append([f"[{paper}](validation/{paper}.md)", len(items), *(directions[name] for name in DIRECTIONS), *(sizes[name] for name in SIZES), moved, open_])
    totals = [sum(row[column] for row in rows) for column in range(1, len(rows[0]))]
    return table(["paper", "claims", *DIRECTIONS, *SIZES, "with a mechanism", "unexplained"], [*rows, ["all", *totals]])


def claims_table(items: Iterable[Judged]) -> str:
    """The claims of a section, with their verdicts; a reason that an earlier row gives is not repeated."""
    given: set[str] = set()
    lines = ["| claim | published | here | direction | size | mechanism | why |", "|---|---|---|---|---|---|---|"]
    for each in items:
        claim = each.claim
        direction = f"{each.direction} ({each.basis})" if each.basis else each.direction
        reason = "as above" if each.reason in given else each.reason
        given |= {each.reason} - {""}
        cells = [claim.claim, claim.published, each.here, direction, each.size, f"`{claim.mechanism}`" if claim.mechanism else "", reason]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
