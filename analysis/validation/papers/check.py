"""The engine of all verdicts: a claim's test is data, and says which figures of a section's tables it compares and what has to come out.

`test = { figure = "mean ms", of = "amphisbaena", below = "fluid-loop" }` reads as it stands, input by input. Two figures within the margin of
the evidence are equal, which is neither below nor above; a figure that may not be ranked (a run that fell behind, or was too short) leaves
its input open. An input on which an interval over seeds says something else than the one seed is open too. Ratios are averaged as ratios
are, by the geometric mean; they are above 1 where the claim holds, and so is the paper's. Of a list of tests each has to come out.

| key | what has to come out |
|---|---|
| `below`, `above` | the figure of one of `of` is below or above that of another variant, or of each of several; `bound`: by so many times; `each`: of every one of `of` |
| `within` | besides, the ratio lies between these two, give or take what counts as near |
| `but` | not so on these inputs |
| `by` | the figure is above by at least this difference |
| `most_on`, `least_on` | the ratio, or without another variant the figure, is the largest, the smallest, on this input, or on these |
| `zero_on` | the figure is 0 on these inputs and on no other |
| `least_at`, `most_at` | of all of `of`, the figure is the least, the most, for one of these |
| `changes` | which of `of` has the least figure is not the same on all inputs |
| `falls` | the figure falls from each input to the next |
| `spread`, `factor` | from the least to the most of `of` is a difference of at most this, or so many times |
| `value` | the figure is near this one, or near those of another column (a list: of one for each of `of`); without `figure`, the mean over seeds is; `tolerance`: within this share of it instead |
| `at_most`, `at_least` | the figure is at most, or at least, this |
| `inputs`, `where` | on these inputs alone; where this figure is above 0 |
| `most` | it is enough that it holds on more than half of the inputs |
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from tessera.errors import InputError, unknown_name
from tessera.evidence.family import MARGIN
from tessera.results.markdown import number
from validation.papers.outcome import NEAR, Outcome, Tally
from validation.papers.measures import ENDLESS, listed, span

KEYS: Mapping[str, type | tuple[type, ...]] = {
    "figure": str, "of": (str, list), "below": (str, list), "above": (str, list), "bound": (int, float), "within": list, "but": list, "most_on": (str, list),
    "least_on": (str, list), "zero_on": list, "least_at": list, "most_at": list, "changes": bool, "falls": bool, "spread": (int, float), "factor": (int, float),
    "value": (int, float, str, list), "tolerance": (int, float), "at_most": (int, float), "at_least": (int, float), "by": (int, float), "each": bool, "inputs": list,
    "where": str, "most": bool,
}  # fmt: skip


_EXPECTED = {list: "a list", str: "a text", bool: "true or false", (int, float): "a number", (str, list): "a text or a list"}


@dataclass(frozen=True)
class Cell:
    """A figure, and whether it may be ranked: the run was long enough, and did not fall further and further behind. `digits`: behind its point."""

    value: float
    ranked: bool = True
    digits: int = 3


Column = Mapping[str, Cell]
"""By input."""


def _cell(text: str, row: str) -> Cell | None:
    try:
        figure = text.rstrip(ENDLESS + "*")
        return Cell(float(figure.replace(",", "")), figure == text and not row.endswith("*"), len(figure.partition(".")[2]))
    except ValueError:
        return None


def _names(first: str, title: str) -> tuple[str, str]:
    return f"{first} {title}", title


class Cells:
    """Columns by figure and variant. A table has a figure above its inputs and a column for each variant, or the names of inputs there and
    a column for each figure of each variant."""

    def __init__(self, text: str) -> None:
        self._columns: dict[str, dict[str, Cell]] = {}
        header: list[str] = []
        fresh: set[str] = set()
        for line in text.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("|") else []
            if not cells or not header:
                header = cells
                fresh = {name for title in header[1:] for name in _names(header[0], title)} - self._columns.keys()  # of two tables alike the first counts
                self._columns |= {name: {} for name in fresh}
            elif not line.startswith("|-"):
                for title, cell in zip(header[1:], cells[1:], strict=False):
                    if found := _cell(cell, cells[0]):
                        for name in fresh.intersection(_names(header[0], title)):
                            self._columns[name][cells[0].rstrip("*")] = found

    def column(self, figure: str, variant: str = "") -> Column:
        """Raises InputError where no table has it."""
        name = f"{figure} {variant}".strip()
        if name not in self._columns:
            raise unknown_name("figure of a variant", name, self._columns)
        return self._columns[name]


@dataclass(frozen=True)
class Comparison:
    """A figure of a variant on one input, over or less that of another, which lies between two bounds under every seed."""

    what: str
    input: str
    figure: str
    of: str
    over: str = ""
    less: str = ""
    above: float = -math.inf
    below: float = math.inf

    @property
    def claim(self) -> str:
        bounds = [f"above {self.above:g}"] if self.above > -math.inf else []
        return " and ".join([*bounds, *([f"below {self.below:g}"] if self.below < math.inf else [])])

    def value(self, measure: Callable[[str], float | None]) -> float | None:
        """By the measure of each variant; None where the other has nothing to divide by."""
        if not self.over:
            return measure(self.of) - (measure(self.less) if self.less else 0)
        base = measure(self.over)
        return measure(self.of) / base if base else None

    def verdict(self, low: float, high: float) -> str:
        """What an interval says of the claim."""
        held = True if self.above < low and high < self.below else False if high <= self.above or self.below <= low else None
        return Tally.of([held]).text + ("" if held is not None else ": the interval holds a bound")


_COMPARED = {"what": str, "inputs": (str, list), "figures": (str, list, dict), "of": (str, list, dict), "over": str, "less": str, "above": (int, float), "below": (int, float)}


def comparisons(entry: Any) -> list[Comparison]:
    """The lines of an entry of `seeds`: one for each input, figure and variant, whose names `what` puts together; a table renames them. Raises
    InputError, which names the key."""
    if not isinstance(entry, dict):
        raise InputError(f"'seeds' has {entry!r}; expected tables of {', '.join(_COMPARED)}")
    for key, value in entry.items():
        if key not in _COMPARED:
            raise unknown_name("key of 'seeds'", key, _COMPARED)
        if not isinstance(value, _COMPARED[key]):
            raise InputError(f"'seeds.{key}' is {value!r}; expected a {'text' if _COMPARED[key] is str else 'number' if key in ('above', 'below') else 'text, a list or a table'}")
    if missing := [key for key in ("what", "inputs", "figures", "of") if key not in entry]:
        raise InputError(f"'seeds' has no '{missing[0]}'; expected 'what', 'inputs', 'figures' and 'of'")
    if not {"above", "below"} & set(entry):
        raise InputError("'seeds' has neither 'above' nor 'below'; expected a bound")
    inputs, figures, variants = (_named(entry[key]) for key in ("inputs", "figures", "of"))
    more = {key: entry[key] for key in ("over", "less", "above", "below") if key in entry}
    return [
        Comparison(entry["what"].format(input=name, figure=figure, of=variant), inputs[name], figures[figure], variants[variant], **more)
        for name in inputs for figure in figures for variant in variants
    ]  # fmt: skip


def _named(value: str | list[str] | dict[str, str]) -> dict[str, str]:
    return value if isinstance(value, dict) else {each: each for each in ([value] if isinstance(value, str) else value)}


@dataclass(frozen=True)
class Seeds:
    """A comparison over seeds on one input: what its interval says, and its mean."""

    input: str
    verdict: str
    mean: float


@dataclass(frozen=True)
class Found:
    """What came out: the verdict of the record, and what the page shows."""

    tally: Tally
    here: str
    ratio: float | None = None


def find_all(checks: Iterable["Check"], cells: Cells, seeds: Sequence[Seeds] = ()) -> Found:
    """What several tests of a claim say together: the ratio is that of the first that has one."""
    each = [check.find(cells, seeds) for check in checks]
    ratio = next((found.ratio for found in each if found.ratio is not None), None)
    return Found(Tally.sum(found.tally for found in each), "; ".join(found.here for found in each), ratio)


@dataclass(frozen=True)
class Check:
    keys: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, entry: Any) -> "Check":
        """Raises InputError, which names the key."""
        if not isinstance(entry, dict):
            raise InputError(f"'test' is {entry!r}; expected a table of {', '.join(KEYS)}")
        for key, value in entry.items():
            if key not in KEYS:
                raise unknown_name("key of 'test'", key, KEYS)
            if not isinstance(value, KEYS[key]):
                raise InputError(f"'test.{key}' is {value!r}; expected {_EXPECTED.get(KEYS[key], 'a number, a text or a list')}")
        return cls(entry)

    def find(self, cells: Cells, seeds: Sequence[Seeds] = ()) -> Found:
        """Raises InputError where the tables do not have a figure."""
        judges = {
            "zero_on": _zeros, "least_at": _extremes, "most_at": _extremes, "changes": _changes, "falls": _falls, "spread": _spreads, "factor": _spreads,
            "value": _values, "at_most": _values, "at_least": _values,
        }  # fmt: skip
        judge = next((judge for key, judge in judges.items() if key in self.keys), _ratios)
        return judge(self, cells, seeds)

    def names(self, key: str) -> list[str]:
        value = self.keys.get(key, [])
        return [value] if isinstance(value, str) else value

    @property
    def variants(self) -> list[str]:
        """One without a name where the figure alone names its column."""
        return self.names("of") or [""]

    def column(self, cells: Cells, variant: str) -> dict[str, Cell]:
        """Of the inputs that count."""
        column = cells.column(self.keys["figure"], variant)
        chosen = self.names("inputs") or list(column)
        if where := self.keys.get("where"):
            chosen = [name for name in chosen if name in cells.column(where) and cells.column(where)[name].value > 0]
        return {name: column[name] for name in chosen if name in column}

    def by_input(self, cells: Cells) -> dict[str, dict[str, Cell]]:
        """The figures of all of `of`, for each input that has them all."""
        columns = {variant: self.column(cells, variant) for variant in self.variants}
        return {name: row for name in next(iter(columns.values())) if len(row := {variant: column[name] for variant, column in columns.items() if name in column}) == len(columns)}

    def near(self, value: float, wanted: float | None) -> bool:
        """Whether a value is what is wanted, and within the bounds that are named."""
        if wanted and (abs(value / wanted - 1) > self.keys["tolerance"] + 1e-9 if "tolerance" in self.keys else not wanted / NEAR <= value <= wanted * NEAR):
            return False
        return self.keys.get("at_least", -math.inf) <= value <= self.keys.get("at_most", math.inf)

    def tally(self, cases: Mapping[str, bool | None]) -> Tally:
        if self.keys.get("most"):
            held, failed = (sum(case is kind for case in cases.values()) for kind in (True, False))
            return Tally.of([True if 2 * held > len(cases) else False if 2 * failed >= len(cases) else None])
        return Tally.of(cases.values())


def _told(cases: Mapping[str, bool | None]) -> str:
    """The inputs on which it holds or those on which it fails, whichever are fewer, where they differ."""
    held, failed = ([name for name, case in cases.items() if case is kind] for kind in (True, False))
    if not held or len(held) == len(cases):
        return ""
    fewer = failed and len(failed) < len(held)
    return f"; {'fails' if fewer else 'holds'} on {', '.join(failed if fewer else held)}"


def _case(ratio: float, bound: float) -> bool | None:
    """Whether a ratio is above a bound; against 1, equal within the margin is neither."""
    if bound != 1:
        return ratio >= bound
    return None if 1 / MARGIN < ratio < MARGIN else ratio > 1


def _with_seeds(cases: Mapping[str, bool | None], seeds: Iterable[Seeds]) -> dict[str, bool | None]:
    """An interval that says otherwise leaves its input open."""
    said = {each.input: tally.outcome for each in seeds if (tally := Tally.read(each.verdict))}
    agreed = {True: Outcome.HOLDS, False: Outcome.NOT}
    return {name: case if case is None or said.get(name, agreed[case]) is agreed[case] else None for name, case in cases.items()}


def _ratios(check: Check, cells: Cells, seeds: Sequence[Seeds]) -> Found:
    ratios, cases = _compared(check, cells)
    usual = {name: each for name, each in ratios.items() if name not in check.names("but")}
    if "most_on" in check.keys or "least_on" in check.keys:
        return _on_which(check, {name: math.prod(each) for name, each in usual.items()})
    cases = _with_seeds(cases, seeds)
    logs = [math.log(ratio) for each in usual.values() for ratio in each]
    mean = math.exp(math.fsum(logs) / len(logs)) if logs else None
    said = f"{number(mean)} times ({number(math.exp(min(logs)))} to {number(math.exp(max(logs)))})" if mean else _count(cases)
    tally = check.tally(cases)
    if "within" in check.keys:
        low, high = check.keys["within"]
        met = sum(all(low / NEAR <= ratio <= high * NEAR for ratio in each) for each in usual.values())
        tally = replace(tally, bound=(met, len(usual)))
    beyond = "".join(f"; {name} {number(ratios[name][0])}" for name in check.names("but") if name in ratios)
    return Found(tally, said + beyond + _told(cases), mean)


def _count(cases: Mapping[str, bool | None]) -> str:
    """Where there is no ratio, as one side is nothing."""
    return f"{sum(case is True for case in cases.values())} of {len(cases)}" if any(case is not None for case in cases.values()) else "-"


def _compared(check: Check, cells: Cells) -> tuple[dict[str, list[float]], dict[str, bool | None]]:
    """Ratios to each rival, and whether an input holds against all of them."""
    below = "below" in check.keys
    rivals = check.names("below" if below else "above")
    ratios: dict[str, list[float]] = {}
    cases: dict[str, bool | None] = {}
    for name, row in check.by_input(cells).items():
        best = (min if below else max)(row.values(), key=lambda each: each.value)
        if not rivals:
            ratios |= {name: [best.value]} if best.ranked else {}
            continue
        pairs = [(f"{variant} against {rival}", cell, [rival]) for variant, cell in row.items() for rival in rivals] if check.keys.get("each") else [(name, best, rivals)]
        for case, cell, against in pairs:
            others = [cells.column(check.keys["figure"], rival).get(name) for rival in against]
            ranked = [other for other in others if other is not None and cell.ranked and other.ranked]
            sides = [(other.value, cell.value) if below else (cell.value, other.value) for other in ranked]
            if found := [over / under for over, under in sides if over > 0 and under > 0]:
                ratios[case] = found
            said = [_side(check, over, under) for over, under in sides] + [None] * (len(against) - len(ranked))
            cases[case] = False if False in said else None if None in said else True
            if name in check.names("but") and len(ranked) == len(against):
                cases[case] = cases[case] is not True
    return ratios, cases


def _side(check: Check, over: float, under: float) -> bool | None:
    """Whether the one is above the other as far as the claim asks."""
    if "by" in check.keys:
        return over - under >= check.keys["by"]
    if over > 0 and under > 0:
        return _case(over / under, check.keys.get("bound", 1))
    return None if over == under else over > under


def _on_which(check: Check, values: Mapping[str, float]) -> Found:
    """The inputs with the extremes, which the claim names; one that may not be ranked is open."""
    cases: dict[str, bool | None] = {}
    said = []
    for key in ("most_on", "least_on"):
        if named := check.names(key):
            chosen = sorted(values, key=values.__getitem__, reverse=key == "most_on")[: len(values.keys() & set(named))]
            cases |= {name: name in chosen if name in values else None for name in named}
            shown = [f"{name} ({number(values.get(name))})" for name in chosen] + [f"not {name} ({number(values[name])})" for name in named if name in values and name not in chosen]
            said.append(f"{key.split('_')[0]} on {', '.join(shown)}")
    return Found(Tally.of(cases.values()), "; ".join(said), values.get(next(iter(cases))) if len(cases) == 1 else None)


def _zeros(check: Check, cells: Cells, seeds: Sequence[Seeds]) -> Found:
    column = check.column(cells, check.variants[0])
    none = [name for name, cell in column.items() if cell.value == 0]
    return Found(Tally.of((name in none) == (name in check.names("zero_on")) if cell.ranked else None for name, cell in column.items()), ", ".join(sorted(none)) or "none")


def _extremes(check: Check, cells: Cells, seeds: Sequence[Seeds]) -> Found:
    """The extreme is one of those that the claim names, or equal to one within the margin, which leaves it open."""
    least = "least_at" in check.keys
    named = check.names("least_at" if least else "most_at")
    cases: dict[str, bool | None] = {}
    best: dict[str, str] = {}
    for name, row in check.by_input(cells).items():
        values = {variant: cell.value for variant, cell in row.items() if cell.ranked}
        if not values:
            cases[name] = None
            continue
        best[name] = (min if least else max)(values, key=values.__getitem__)
        most = values[best[name]]
        close = any(1 / MARGIN < values[variant] / most < MARGIN for variant in named if variant in values and most)
        cases[name] = True if best[name] in named else None if close else False
    said = Counter(best.values()).most_common()
    return Found(check.tally(cases), ", ".join(f"{variant} on {count}" for variant, count in said) if len(best) > 1 else "".join(best.values()))


def _changes(check: Check, cells: Cells, seeds: Sequence[Seeds]) -> Found:
    """Not the same where none of `of` is the least, or equal to it within the margin, on every input."""
    rows = {name: row for name, row in check.by_input(cells).items() if all(cell.ranked for cell in row.values())}
    least = {name: min(row, key=lambda variant, row=row: row[variant].value) for name, row in rows.items()}
    close = [{variant for variant, cell in row.items() if cell.value < MARGIN * row[least[name]].value} for name, row in rows.items()]
    everywhere = set.intersection(*close) if close else set()
    case = True if close and not everywhere else False if len(set(least.values())) == 1 else None
    return Found(Tally.of([case]), listed(least))


def _falls(check: Check, cells: Cells, seeds: Sequence[Seeds]) -> Found:
    column = check.column(cells, check.variants[0])
    cases = [_side(check, before.value, after.value) if before.ranked and after.ranked else None for before, after in pairwise(column.values())]
    return Found(Tally.of(cases), listed({name: number(cell.value, cell.digits) for name, cell in column.items()}))


def _spreads(check: Check, cells: Cells, seeds: Sequence[Seeds]) -> Found:
    by_factor = "factor" in check.keys
    spreads: dict[str, float] = {}
    rows = check.by_input(cells)
    for name, row in rows.items():
        values = [cell.value for cell in row.values()]
        spreads[name] = (max(values) / min(values) if min(values) else math.inf) if by_factor else max(values) - min(values)
    most = check.keys["factor" if by_factor else "spread"] + 1e-9
    cases = {name: spread <= most if all(cell.ranked for cell in rows[name].values()) else None for name, spread in spreads.items()}
    return Found(check.tally(cases), span(spreads.values(), 2 if by_factor else 3) + _told(cases))


def _values(check: Check, cells: Cells, seeds: Sequence[Seeds]) -> Found:
    """Its size is that of the farthest: as a multiple of what another column wants, where one does."""
    wanted = check.keys.get("value")
    if "figure" not in check.keys:
        found = {each.input: (Cell(each.mean), wanted) for each in seeds}
    elif isinstance(wanted, (str, list)):
        columns = zip(check.variants, check.names("value"), strict=True)
        found = {(variant, name): (cell, cells.column(check.keys["figure"], other)[name].value) for variant, other in columns for name, cell in check.column(cells, variant).items()}
    else:
        found = {(variant, name): (cell, wanted) for variant in check.variants for name, cell in check.column(cells, variant).items()}
    values = [cell.value for cell, _ in found.values()]
    cases = {name: check.near(cell.value, want) if cell.ranked else None for name, (cell, want) in found.items()}
    by_column = isinstance(wanted, (str, list))
    sizes = [cell.value / want for cell, want in found.values()] if by_column else values
    off = [abs(math.log(size if by_column else size / wanted)) if wanted and size > 0 else size for size in sizes]
    farthest = max(zip(off, sizes, strict=True), default=(0, None))[1]
    off_by = f"at most {100 * max((abs(size - 1) for size in sizes), default=0):.1f} % off"
    said = off_by if by_column else span(values, max((cell.digits for cell, _ in found.values()), default=0))
    names = {name: " on ".join(filter(None, name)) if isinstance(name, tuple) else name for name in cases}
    return Found(Tally.of(cases.values()), said + _told({names[name]: case for name, case in cases.items()}), farthest)
