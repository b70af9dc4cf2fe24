"""Verdicts on the rows of the pages, and how each published statement stands, which is what the overview counts."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tessera.evidence.family import EQUAL
from tessera.results.markdown import table
from validation.papers.catalogue import Claim, Paper, catalogue
from validation.papers.outcome import BASES, NEAR, PREDICTION, SIZES, Outcome, Standing, Tally, size_of, standing
from validation.papers.measures import three_digits
from validation.papers.record import CLAIM, SEEDS, Measured


@dataclass(frozen=True)
class Judged:
    """A row with its verdicts."""

    claim: Claim
    outcome: Outcome
    basis: str = ""
    """Seeds or inputs that it stands on; empty: one seed, all inputs alike."""
    size: str = ""
    here: str = ""
    reason: str = ""
    bound_met: bool = True

    @property
    def direction(self) -> str:
        return self.outcome.word(self.claim.kind)

    @property
    def counts(self) -> bool:
        """Whether it is a test of what the paper states, with the paper's parameters."""
        return not self.claim.apart and self.outcome is not Outcome.QUESTION

    @property
    def sized(self) -> bool:
        """Whether the paper prints a size, and it comes out."""
        printed = self.claim.ratio is not None or (self.claim.kind == "figure" and self.claim.reading.startswith("printed"))
        return printed and self.bound_met and (self.claim.ratio is None or self.size.startswith(SIZES[0]))

    @property
    def as_published(self) -> bool:
        """Whether nothing about it has to be explained."""
        return self.outcome in (Outcome.HOLDS, Outcome.QUESTION) and self.bound_met and not self.size.startswith(SIZES[-1])

    @property
    def open(self) -> bool:
        """Whether its direction or its size is not as published, and no change explains that."""
        return self.outcome is not Outcome.UNTESTED and "unexplained" in self.reason

    @property
    def cell(self) -> str:
        """The direction on the page: with what it stands on, and why it does not count as a prediction."""
        notes = [self.basis, "" if self.claim.basis == PREDICTION else self.claim.basis, f"apart: {self.claim.apart}" if self.claim.apart else ""]
        said = "; ".join(note for note in notes if note)
        return f"{self.direction} ({said})" if said else self.direction


@dataclass(frozen=True)
class Statement:
    """A published statement, and the rows that test it."""

    rows: Sequence[Judged]

    @property
    def claim(self) -> Claim:
        return self.rows[0].claim

    @property
    def standing(self) -> Standing:
        counted = [(row.outcome, row.sized, row.claim.basis) for row in self.rows if row.counts]
        if counted and all(outcome is Outcome.UNTESTED and basis != PREDICTION for outcome, _, basis in counted):
            return Standing.GIVEN
        return standing(counted)

    @property
    def sized_in_part(self) -> bool:
        """Whether its size comes out in one experiment, and not in another that differs in what the paper leaves open."""
        return self.standing is not Standing.RIGHT and any(row.counts and row.outcome is Outcome.HOLDS and row.sized and row.claim.basis == PREDICTION for row in self.rows)

    @property
    def held_in_part(self) -> bool:
        """Whether it holds on some of its inputs, and not on all."""
        return self.standing is Standing.NOT and any(row.counts and row.outcome is Outcome.SOME for row in self.rows)

    @property
    def explained(self) -> bool:
        return any(row.claim.mechanism for row in self.rows)

    def on(self, outcomes: Iterable[Outcome]) -> str:
        """The experiments with these outcomes, and the sizes that come out."""
        wanted = set(outcomes)
        rows = [row for row in self.rows if row.counts and row.outcome in wanted]
        notes = [", ".join(note for note in (row.size, "" if row.claim.basis == PREDICTION else row.claim.basis) if note) for row in rows]
        return ", ".join(f"`{row.claim.experiment}`" + (f" ({note})" if note else "") for row, note in zip(rows, notes, strict=True))


def _outcome(claim: Claim, tally: Tally | None, seeds: Sequence[Measured]) -> tuple[Outcome, str]:
    """What the inputs say together, and of how many it is said; the test has held each interval over seeds against its input."""
    if claim.kind == "question":
        return Outcome.QUESTION, ""
    if tally is None:
        return Outcome.OPEN, ""
    found = tally.outcome
    notes = []
    if (count := tally.held + tally.failed + tally.open) > 1 and found is not Outcome.HOLDS:
        notes.append(f"{tally.held} of {count}" + (f", {tally.open} open" if tally.open else ""))
    if seeds:
        notes.append(f"{len(seeds)} intervals over seeds" if len(seeds) > 1 else "over seeds")
    if tally.bound and tally.bound[0] < tally.bound[1]:
        notes.append(f"its bound on {tally.bound[0]} of {tally.bound[1]}")
    return found, "; ".join(notes)


def _size(claim: Claim, ratio: float | None) -> str:
    """How many times the published ratio comes out; a ratio on the other side of 1 than the paper's is no size."""
    if not ratio or not claim.ratio:
        return ""
    responses = claim.kind == "direction" or any({"below", "above"} & each.keys.keys() for each in claim.test)
    opposite = responses and (ratio - 1) * (claim.ratio - 1) < 0
    return f"{'opposite' if opposite else size_of(ratio, claim.ratio)}: {three_digits(ratio)} for {three_digits(claim.ratio)}"


def judge(claim: Claim, lines: Iterable[Measured]) -> Judged:
    """A row by what was measured."""
    if claim.not_tested:
        return Judged(claim, Outcome.UNTESTED, reason=claim.not_tested)
    own = [line for line in lines if (line.paper, line.experiment) == (claim.paper, claim.experiment)]
    found = next((line for line in own if line.of == CLAIM and line.claim == claim.claim), None)
    if found is None:
        return Judged(claim, Outcome.UNTESTED, reason=f"no figures on record: run 'tessera papers run {claim.name}'")
    tally = Tally.read(found.verdict)
    outcome, basis = _outcome(claim, tally, [line for line in own if line.of == SEEDS and line.claim in claim.seeds])
    bound_met = tally is None or tally.bound is None or tally.bound[0] == tally.bound[1]
    row = Judged(claim, outcome, basis, _size(claim, found.ratio), found.here, "; ".join(each for each in (found.why, claim.reason) if each), bound_met)
    return row if claim.reason or not row.as_published else Judged(claim, outcome, basis, row.size, found.here, "", bound_met)


def judged(lines: Sequence[Measured], papers: Mapping[str, Paper] | None = None) -> list[Judged]:
    """Every row of the catalogue."""
    return [judge(claim, lines) for paper in (papers or catalogue()).values() for claim in paper.claims]


def statements(rows: Iterable[Judged]) -> list[Statement]:
    """Each published statement once; questions of ours are none."""
    found: dict[tuple[str, str], list[Judged]] = {}
    for row in rows:
        if row.claim.kind != "question":
            found.setdefault((row.claim.paper, row.claim.statement), []).append(row)
    return [Statement(each) for each in found.values()]


def in_a_sentence(found: Sequence[Statement]) -> str:
    """How the statements stand, which is the answer of the overview."""
    count = Counter(each.standing for each in found)
    given = count[Standing.GIVEN]
    return (
        f"Of {len(found) - given} published statements of five papers, each counted once, **{count[Standing.RIGHT]} come out in direction and size, {count[Standing.DIRECTION]} in "
        f"direction only, {count[Standing.NOT]} do not** ({sum(each.held_in_part for each in found)} of these hold on some inputs); {count[Standing.OPEN]} are not settled, "
        f"{count[Standing.UNTESTED]} not tested. The size of {sum(each.sized_in_part for each in found)} comes out in one experiment and not in another. {given} more follow from what "
        "was put in, and are no predictions.\n"
    )


def summary_table(found: Iterable[Statement]) -> str:
    """Papers by how their statements stand."""
    by_paper: dict[str, list[Statement]] = {}
    for each in found:
        by_paper.setdefault(each.claim.paper, []).append(each)
    rows = []
    for paper, items in by_paper.items():
        count = Counter(each.standing for each in items)
        unexplained = sum(any(row.open for row in each.rows) for each in items if each.standing is not Standing.RIGHT)
        rows.append([f"[{paper}](validation/{paper}.md)", len(items), *(count[each] for each in Standing), sum(each.explained for each in items), unexplained])
    totals = [sum(row[column] for row in rows) for column in range(1, len(rows[0]))]
    return table(["paper", "statements", *(each.value for each in Standing), "with a mechanism", "unexplained"], [*rows, ["all", *totals]])


MEANING = f"""A statement counts once, however often its paper repeats it or we test it. [Every statement](validation/statements.md) has a line of its own.

- **Direction.** It holds if it does on every input, whatever the paper leaves open. It is *not* so if the contrary comes out on one input. Figures within {EQUAL} of each other are
  equal and decide nothing. Where experiments disagree, the paper does not print what decides: *not settled*, as where an interval over seeds includes the bound.
- **Size.** Our ratio is within {NEAR:g} of the printed one, and every bound that the claim names is met. Otherwise, or where the paper prints no size, it has a direction only. Ratios are averaged geometrically.
- **Mechanism.** The experiment in which one change moves the figure. What is "unexplained" has none.
- **What does not count.** Rows *apart*, whose parameters are not the paper's, and agreements that are no *prediction*: *fitted* ({BASES["fitted"]}), or an *identity* ({BASES["identity"]}).
"""


STATEMENTS_HEAD = """# Every published statement, and how it stands

The count of [validation](../validation.md), one line a statement. Experiments in which it holds and those in which it does not are sections of the paper's chapter; in brackets our ratio for the paper's.

"""


def statements_page(found: Sequence[Statement], titles: Mapping[str, str]) -> str:
    """One line a statement, by paper."""
    text = STATEMENTS_HEAD
    header = ["statement", "where", "published", "stands", "holds in", "not in", "not settled in"]
    for paper, title in titles.items():
        lines = [
            [
                each.claim.claim, each.claim.where, each.claim.published, each.standing.value, each.on([Outcome.HOLDS]),
                each.on([Outcome.NOT, Outcome.SOME]), each.on([Outcome.OPEN]) or (each.claim.not_tested if each.standing is Standing.UNTESTED else ""),
            ]
            for each in found if each.claim.paper == paper
        ]  # fmt: skip
        text += f"## {title}\n\n" + "".join(f"| {' | '.join(cells)} |\n" for cells in (header, ["---"] * len(header), *lines)) + "\n"
    return text


def claims_table(items: Iterable[Judged]) -> str:
    """The rows of a section, with their verdicts; a reason that an earlier row gives is not repeated."""
    given: set[str] = set()
    lines = ["| claim | published | here | direction | size | mechanism | why |", "|---|---|---|---|---|---|---|"]
    for each in items:
        claim = each.claim
        reason = "as above" if each.reason in given else each.reason
        given |= {each.reason} - {""}
        cells = [claim.claim, claim.published, each.here, each.cell, each.size, f"`{claim.mechanism}`" if claim.mechanism else "", reason]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
