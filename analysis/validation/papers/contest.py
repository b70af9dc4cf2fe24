"""Our own layer against the best of the others on each input: a win, a tie, a loss, or not settled.

Two figures within the margin of the evidence are a tie. Where a table over the blocks of a recording, or over seeds, has the comparison, its interval decides, with the confidence
that all comparisons of the table share; an input of one seed is judged by the margin alone, and said to be. A line of the table holds all
that its verdicts need, so that they are judged again from the page. A recording is one sample, and seeds move the spindle alone, so its replicates are ten
blocks of its requests, as searches and answers have them. Of a trace that is repeated, a block is the same tenth of every pass.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tessera.evidence.blocks import BLOCKS, LEAST, pseudo_values, without_each
from tessera.evidence.family import EQUAL, MARGIN
from tessera.evidence.intervals import student_t_975
from tessera.evidence.paired import BETTER, EQUAL as SAME, NOT_SETTLED, WORSE
from tessera.evidence.ratios import Difference, Measured, Ratio, ratio
from tessera.evidence.steadiness import quantile
from tessera.results.markdown import number, table
from tessera.results.request_log import latency_ms
from tessera.results.run_folder import Run
from validation.papers.lab import Grid
from validation.papers.measures import latency, longest, p99, p999, ratio as ratio_text, total_amplification
from validation.papers.page_file import blocks_of, joined

MEASURES: Mapping[str, Callable[[Run], float]] = {"mean": latency, "p99": p99, "p99.9": p999, "longest": longest}
WORDS = {BETTER: "win", SAME: "tie", WORSE: "loss", NOT_SETTLED: "not settled"}


def _title(measure: str) -> str:
    return f"{measure} of the best, ms"


HEADER = ("input", *map(_title, MEASURES), "write amplification of the best")
LEAD = "**Against the best of the others**"
NONE = "-"
_CELL = re.compile(r"([\d.,]+) times ([\d.,]+) `([\w-]+)`")
_REPLICATES = re.compile(r"^\| (\d+) (?:seeds|blocks) \|.*$\n\|-.*$\n((?:^\| .*$\n?)*)", re.MULTILINE)
_COMPARED = re.compile(r"^\| (.+): (\S+) over (\S+)'s \| [^|]* \| [^|]* \| ([\d.,]+) ± ([\d.,]+) \|", re.MULTILINE)


@dataclass(frozen=True)
class Held:
    """Ours against the best of the others in one figure."""

    ratio: float
    best: str
    rival: str

    @property
    def text(self) -> str:
        return f"{ratio_text(self.ratio)} times {self.best} `{self.rival}`"


@dataclass(frozen=True)
class Line:
    """An input; None where there is no figure on record."""

    input: str
    held: Mapping[str, Held | None]

    @classmethod
    def read(cls, cells: Sequence[str]) -> "Line":
        found = {title: _CELL.match(cell) for title, cell in zip(HEADER[1:], cells[1:], strict=True)}
        return cls(cells[0], {title: Held(_figure(each[1]), each[2], each[3]) if each else None for title, each in found.items()})


def _figure(text: str) -> float:
    return float(text.replace(",", ""))


def lines_of(grid: Mapping[str, Mapping[str, Run]], ours: str) -> list[Line]:
    """What is written is compared with that of the layer whose mean is the best."""
    found = []
    for name, row in grid.items():
        held: dict[str, Held | None] = {}
        rivals = [layer for layer in row if layer != ours]
        for title, measure in zip(HEADER[1:], MEASURES.values(), strict=False):
            best = min(rivals, key=lambda layer: measure(row[layer]))
            held[title] = Held(measure(row[ours]) / measure(row[best]), number(measure(row[best])), best)
        swiftest = min(rivals, key=lambda layer: latency(row[layer]))
        written = total_amplification(row[swiftest])
        held[HEADER[-1]] = Held(total_amplification(row[ours]) / written, number(written), swiftest)
        found.append(Line(name, held))
    return found


OF_REQUESTS = {"mean": np.mean, "p99": lambda values: quantile(values, 0.99), "p99.9": lambda values: quantile(values, 0.999), "longest": np.max}
Wanted = Iterable[tuple[str, str, str]]
"""Input, figure and rival."""


def logged(inputs: Mapping[str, Sequence[object]]) -> dict[str, tuple[object, ...]]:
    """The same inputs, whose runs keep the life of each request."""
    return {name: (*options, "--requests") for name, options in inputs.items()}


def measured(run: Run, figure: str, passes: int = 1) -> Measured:
    """A latency of what a run measured, by blocks; of too short a recording without any."""
    log = run.requests[np.argsort(run.requests["number"], kind="stable")]
    length = len(log) // passes
    log = log[log["number"] >= (run.find("host.warmup") or 0)]
    values = latency_ms(log)[np.argsort(log["number"] % length, kind="stable")]
    whole = float(OF_REQUESTS[figure](values))
    return Measured(pseudo_values(whole, without_each(values, OF_REQUESTS[figure])) if len(values) >= BLOCKS * LEAST else {}, whole=whole)


def block_table(grid: Grid, wanted: Wanted, ours: str, passes: Mapping[str, int] | None = None) -> str:
    """A line a comparison: the ratio of ours to the rival's, with an interval for itself alone; those who judge them share the confidence."""
    rows = []
    for name, figure, rival in wanted:
        count = (passes or {}).get(name, 1)
        one, other = (measured(grid[name][layer], figure, count) for layer in (ours, rival))
        found = ratio(one, other, 1)
        rows.append([f"{name}: {figure} over {rival}'s", "below 1", *_cells(found)])
    return table([f"{BLOCKS} blocks", "claim", "interval", "ratio, 95 %", "verdict"], rows)


def _cells(found: Ratio | None) -> tuple[str, str, str]:
    if found is None:
        return "-", "-", "undefined"
    low, high = found.low, found.high
    verdict = "holds" if high < 1 else "does not hold" if low > 1 else "the interval holds a bound"
    return f"{number(low, 3)} to {number(high, 3)}", f"{number(found.value, 3)} ± {number(found.value * found.half(), 3)}", verdict


Intervals = Mapping[tuple[str, str, str], Ratio]
"""By input, figure and rival."""


def intervals_in(text: str) -> Intervals:
    """Of the tables over the blocks of recordings, or over seeds."""
    found = {}
    for table in _REPLICATES.finditer(text):
        count, compared = int(table[1]), _COMPARED.findall(table[2])
        for name, what, rival, mean, half in compared:
            if centre := _figure(mean):  # a ratio that rounds to 0 has no logarithm
                found[name, what, rival] = Ratio(math.log(centre), _figure(half) / student_t_975(count - 1) / centre, count, len(compared))
    return found


def result(held: Held, interval: Ratio | None) -> str:
    """
    >>> [result(Held(ratio, "1", "cmr"), None) for ratio in (0.94, 0.96, 1.04, 1.06)]
    ['better', 'equal', 'equal', 'worse']
    """
    if interval is None:
        return SAME if 1 / MARGIN <= held.ratio <= MARGIN else BETTER if held.ratio < 1 else WORSE
    if interval.difference is Difference.NOT_SETTLED:
        return NOT_SETTLED
    return SAME if interval.difference is Difference.EQUAL else BETTER if interval.mean < 0 else WORSE


def contest(lines: Sequence[Line], intervals: Intervals, ours: str) -> str:
    """The lead, and a line an input."""
    rows = [f"| {' | '.join(HEADER)} |", "|---" * len(HEADER) + "|"]
    results: dict[str, dict[str, str]] = {measure: {} for measure in MEASURES}
    for line in lines:
        cells = [line.input]
        for title, held in line.held.items():
            measure = title.split(" of ")[0]
            if held and measure in results:
                results[measure][line.input] = result(held, intervals.get((line.input, measure, held.rival)))
            cells.append(NONE if held is None else held.text + (f": {WORDS[results[measure][line.input]]}" if measure in results else ""))
        rows.append(f"| {' | '.join(cells)} |")
    return lead(lines, results, intervals, ours) + "\n" + "\n".join(rows) + "\n"


def lead(lines: Sequence[Line], results: Mapping[str, Mapping[str, str]], intervals: Intervals, ours: str) -> str:
    """How often it wins, ties and loses in each figure, where it is not the first, and what is not known."""
    known = {measure: found for measure, found in results.items() if found}
    missing = [measure for measure, found in results.items() if not found]
    said = [f"{measure} {counted(found.values())}" for measure, found in known.items()]
    text = f"{LEAD} on each of {len(lines)} inputs, equal within {EQUAL}, `{ours}` has: {'; '.join(said)}.\n"
    for measure, found in known.items():
        by_input = {line.input: line.held[_title(measure)] for line in lines}
        lost = [f"`{name}` ({number(held.ratio)} times `{held.rival}`)" for name, held in by_input.items() if held and found[name] == WORSE]
        text += f"It loses in {measure} on {', '.join(lost)}.\n" if lost else f"It loses in {measure} on none.\n"
    alone = [line.input for line in lines if any((line.input, measure, held.rival) not in intervals for measure in known if (held := line.held[_title(measure)]))]
    text += f"One seed in some figure, which the margin alone judges: {', '.join(f'`{name}`' for name in alone)}.\n" if alone else ""
    return text + (f"Not on record, so not judged: {', '.join(missing)}; the next run of the chapter has them.\n" if missing else "")


def counted(found: Iterable[str]) -> str:
    """
    >>> counted(["better", "equal", "equal"])
    '1 win, 2 ties, 0 losses'
    """
    count = Counter(found)
    plural = {"win": "wins", "tie": "ties", "loss": "losses"}
    said = [f"{count[each]} {word if count[each] == 1 else plural.get(word, word)}" for each, word in WORDS.items() if each != NOT_SETTLED or count[each]]
    return ", ".join(said)


def judged_again(page: str, tables: str, ours: str) -> tuple[str, list[str]]:
    """The page with its contests judged again, and their leads."""
    blocks, leads = blocks_of(page), []
    for place, block in enumerate(blocks):
        if block.startswith(f"| {HEADER[0]} | {HEADER[1]} |"):
            lines = [Line.read(row.strip("| ").split(" | ")) for row in block.splitlines()[2:]]
            said, table = blocks_of(contest(lines, intervals_in(page + tables), ours))
            blocks[place - 1 : place + 1] = [said, table]
            leads.append(said)
    return joined(blocks).rstrip("\n") + "\n", leads
