"""A claim's test as data: which figures of a section's tables it compares, and what has to come out.

`test = { figure = "mean ms", of = "amphisbaena", below = "fluid-loop" }` reads as it stands, input by input. Two figures within the margin of
the evidence are equal, which is neither below nor above; a figure that may not be ranked (a run that fell behind, or was too short) leaves
its input open. An input on which an interval over seeds says something else than the one seed is open too. Ratios are averaged as ratios
are, by the geometric mean; they are above 1 where the claim holds, and so is the paper's.

| key | what has to come out |
|---|---|
| `below`, `above` | the figure of one of `of` is below or above that of another variant, or of each of several; `bound`: by so many times |
| `within` | besides, the ratio lies between these two, give or take what counts as near |
| `but` | not so on these inputs |
| `by` | the figure is above by at least this difference |
| `most_on`, `least_on` | the ratio, or without another variant the figure, is the largest, the smallest, on this input, or on these |
| `zero_on` | the figure is 0 on these inputs and on no other |
| `least_at`, `most_at` | of all of `of`, the figure is the least, the most, for one of these |
| `spread`, `factor` | from the least to the most of `of` is a difference of at most this, or so many times |
| `value`, `at_most` | the figure is near this one, or at most this; without `figure`, the mean over seeds is |
| `inputs`, `where` | on these inputs alone; where this figure is above 0 |
| `most` | it is enough that it holds on more than half of the inputs |
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tessera.errors import InputError, unknown_name
from tessera.evidence.family import MARGIN
from tessera.results.markdown import number
from validation.papers.cells import Cell, Cells
from validation.papers.outcome import NEAR, Outcome, Tally
from validation.papers.page import span

KEYS: Mapping[str, type | tuple[type, ...]] = {
    "figure": str, "of": (str, list), "below": (str, list), "above": (str, list), "bound": (int, float), "within": list, "but": list, "most_on": (str, list),
    "least_on": (str, list), "zero_on": list, "least_at": list, "most_at": list, "spread": (int, float), "factor": (int, float), "value": (int, float),
    "at_most": (int, float), "by": (int, float), "inputs": list, "where": str, "most": bool,
}  # fmt: skip


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
                raise InputError(f"'test.{key}' is {value!r}; expected a {'list' if KEYS[key] is list else 'text' if KEYS[key] is str else 'number or a list'}")
        return cls(entry)

    def find(self, cells: Cells, seeds: Sequence[Seeds] = ()) -> Found:
        """Raises InputError where the tables do not have a figure."""
        judges = {"zero_on": _zeros, "least_at": _extremes, "most_at": _extremes, "spread": _spreads, "factor": _spreads, "value": _values, "at_most": _values}
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
    said = f"{number(mean)} times ({number(math.exp(min(logs)))} to {number(math.exp(max(logs)))})" if mean else "-"
    tally = check.tally(cases)
    if "within" in check.keys:
        low, high = check.keys["within"]
        met = sum(all(low / NEAR <= ratio <= high * NEAR for ratio in each) for each in usual.values())
        tally = replace(tally, bound=(met, len(usual)))
    beyond = "".join(f"; {name} {number(ratios[name][0])}" for name in check.names("but") if name in ratios)
    return Found(tally, said + beyond + _told(cases), mean)


def _compared(check: Check, cells: Cells) -> tuple[dict[str, list[float]], dict[str, bool | None]]:
    """Ratios to each rival, and whether an input holds against all of them."""
    below = "below" in check.keys
    ratios: dict[str, list[float]] = {}
    cases: dict[str, bool | None] = {}
    for name, row in check.by_input(cells).items():
        cell = (min if below else max)(row.values(), key=lambda each: each.value)
        if "below" not in check.keys and "above" not in check.keys:
            ratios[name] = [cell.value]
            continue
        found: list[bool | None] = []
        ranked = True
        for rival in check.names("below" if below else "above"):
            other = cells.column(check.keys["figure"], rival).get(name)
            if other is None or not (cell.ranked and other.ranked):
                found.append(None)
                ranked = False
                continue
            over, under = (other.value, cell.value) if below else (cell.value, other.value)
            if over > 0 and under > 0:
                ratios.setdefault(name, []).append(over / under)
            if "by" in check.keys:
                found.append(over - under >= check.keys["by"])
            elif over > 0 and under > 0:
                found.append(_case(over / under, check.keys.get("bound", 1)))
            else:
                found.append(None if over == under else over > under)
        cases[name] = False if False in found else None if None in found else True
        if name in check.names("but") and ranked:
            cases[name] = cases[name] is not True
    return ratios, cases


def _on_which(check: Check, values: Mapping[str, float]) -> Found:
    """The inputs with the extremes, which the claim names."""
    cases: dict[str, bool] = {}
    said = []
    for key in ("most_on", "least_on"):
        if named := check.names(key):
            chosen = sorted(values, key=values.__getitem__, reverse=key == "most_on")[: len(named)]
            cases |= {name: name in chosen for name in named}
            shown = [f"{name} ({number(values.get(name))})" for name in chosen] + [f"not {name} ({number(values.get(name))})" for name in named if name not in chosen]
            said.append(f"{key.split('_')[0]} on {', '.join(shown)}")
    return Found(Tally.of(cases.values()), "; ".join(said), values.get(next(iter(cases))) if len(cases) == 1 else None)


def _zeros(check: Check, cells: Cells, seeds: Sequence[Seeds]) -> Found:
    column = check.column(cells, check.variants[0])
    none = [name for name, cell in column.items() if cell.value == 0]
    return Found(Tally.of((name in none) == (name in check.names("zero_on")) for name in column), ", ".join(sorted(none)) or "none")


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


def _spreads(check: Check, cells: Cells, seeds: Sequence[Seeds]) -> Found:
    by_factor = "factor" in check.keys
    spreads: dict[str, float] = {}
    for name, row in check.by_input(cells).items():
        values = [cell.value for cell in row.values()]
        spreads[name] = (max(values) / min(values) if min(values) else math.inf) if by_factor else max(values) - min(values)
    cases = {name: spread <= check.keys["factor" if by_factor else "spread"] + 1e-9 for name, spread in spreads.items()}
    return Found(check.tally(cases), span(spreads.values(), 2 if by_factor else 3) + _told(cases))


def _values(check: Check, cells: Cells, seeds: Sequence[Seeds]) -> Found:
    """Its size is that of the farthest."""
    wanted = check.keys.get("value")
    if "figure" in check.keys:
        found = [cell for variant in check.variants for cell in check.column(cells, variant).values()]
    else:
        found = [Cell(each.mean) for each in seeds]
    values = [cell.value for cell in found]
    near = [wanted / NEAR <= value <= wanted * NEAR if wanted else value <= check.keys["at_most"] for value in values]
    farthest = max(values, key=lambda value: abs(math.log(value / wanted)) if wanted and value > 0 else value, default=None)
    cases = [met if cell.ranked else None for met, cell in zip(near, found, strict=True)]
    return Found(Tally.of(cases), span(values, 3 if max(values, default=0) < 1 else 1), farthest)
