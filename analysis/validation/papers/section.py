"""One experiment, run: the text of its section, what it measured, and whether that is enough for verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass

from tessera.engine.simulator import simulator_digest
from tessera.errors import InputError
from validation.papers.catalogue import Claim
from validation.papers.enough import LEAST, short_runs
from validation.papers.lab import Lab, Made
from validation.papers.lookup import Chosen
from validation.papers.page import Findings
from validation.papers.record import CLAIM, Measured, measured_in, tested_in
from validation.papers.verdicts import claims_table, judge

NO_VERDICT = "no verdict"


@dataclass(frozen=True)
class Section:
    """`parts` are text with the claims' table in its place; nothing where the inputs are not at hand."""

    chosen: Chosen
    parts: Sequence[str]
    measured: Sequence[Measured]
    made: Sequence[Made]
    notes: Sequence[str]
    claims: str


def program() -> str:
    return f"tessera-sim {simulator_digest()[:12]}"


def _without_verdict(claims: Sequence[Claim], lines: Sequence[Measured], why: str) -> list[Measured]:
    """Every claim, with what came out where there is something."""
    here = {line.claim: line.here for line in lines if line.of == CLAIM}
    return [Measured(each.paper, each.experiment, CLAIM, each.claim, each.published, here.get(each.claim, "-"), NO_VERDICT, None, why, program()) for each in claims]


def _plain(lines: Sequence[Measured]) -> str:
    rows = ["| claim | published | here | verdict |", "|---|---|---|---|"]
    rows += [f"| {line.claim} | {line.published} | {line.here} | {line.verdict} |" for line in lines]
    return "\n".join(rows) + "\n"


def run_section(lab: Lab, chosen: Chosen) -> Section:
    """Runs an experiment. Raises SimulatorError, and InputError where it finds a claim that the catalogue does not have."""
    lab.made.clear()
    parts = chosen.experiment.section(lab)
    made = list(lab.made)
    lines = measured_in(chosen.paper, chosen.experiment.name, parts, program())
    lines += tested_in(chosen.claims, "\n".join(parts), lines, program()) if parts else []
    known = {each.claim: each for each in chosen.claims}
    for line in lines:
        if line.of == CLAIM and line.claim not in known:
            raise InputError(f"{chosen.name}: the claim '{line.claim}' has no entry in claims/{chosen.paper}.toml; expected one with this text as 'claim'")
    short = short_runs(made) if lab.scale < 1 else []
    notes = []
    if lab.scale < 1:
        notes.append(f"Scaled to {lab.scale:g} of the generated inputs' length: not the figures of the page.")
    table = ""
    if short and known:
        more = f" (and {len(short) - 1} more runs are as short)" if len(short) > 1 else ""
        notes.append(f"No verdict: {short[0]}{more}; expected at least {LEAST}.")
        lines = _without_verdict(chosen.claims, lines, short[0])
        table = _plain(lines)
    elif known:
        table = claims_table(judge(each, lines) for each in known.values())
    text: list[str] = []
    for part in parts:
        if not isinstance(part, Findings):
            text.append(part)
        elif table not in text:
            text.append(table)
    if parts and table and table not in text:  # every test is data
        text.append(table)
    return Section(chosen, text, lines, made, notes, table)
