"""The papers' figures as data: the values that a paper prints of a figure with the error of reading, and ours of the same figure.

`printed/figures.toml` has the paper's, `printed/figures.csv` ours as measured. Which runs ours come from: figure_values.py.
"""

import csv
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tessera.engine.output_file import whole
from tessera.errors import InputError, unknown_name

FOLDER = Path(__file__).parent / "printed"
FILE, RECORD = FOLDER / "figures.toml", FOLDER / "figures.csv"
COLUMNS = ("paper", "figure", "series", "at", "value", "program")
KINDS = ("bars", "series", "cdf")

Values = Mapping[str, Mapping[str, float]]
"""By series and place: a category, or a number in text where the axis is one."""


@dataclass(frozen=True)
class Fact:
    """A value that a paper prints. `error` is that of reading `value`, `spread` that of reading a place which is a number."""

    series: str
    at: str
    value: float
    error: float
    read: str
    spread: float = 0.0


@dataclass(frozen=True)
class PaperFigure:
    paper: str
    figure: str
    title: str
    experiment: str
    kind: str
    x: str
    y: str
    facts: tuple[Fact, ...]
    log: bool = False

    @property
    def id(self) -> str:
        """For names of files and of the command line: Figure 11a is figure-11a."""
        return self.figure.lower().replace(" ", "-")

    @property
    def name(self) -> str:
        return f"{self.paper}/{self.id}"


_KEYS = {"paper": str, "figure": str, "title": str, "experiment": str, "kind": str, "x": str, "y": str, "log": bool, "facts": list}
_FACT = {"series": str, "at": str, "value": (int, float), "error": (int, float), "read": str, "spread": (int, float)}
_MAY_MISS = ("log", "spread")


def _checked(file: Path, title: str, entry: Any, keys: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(entry, dict):
        raise InputError(f"{file.name}: {title}: expected a table of keys")
    for key in entry:
        if key not in keys:
            raise InputError(f"{file.name}: {title}: {unknown_name('key', key, keys)}")
    for key, kind in keys.items():
        if key not in entry and key in _MAY_MISS:
            continue
        if not isinstance(entry.get(key), kind) or entry[key] == "":
            kinds = {str: "a text", bool: "true or false", list: "a list"}.get(kind, "a number")
            raise InputError(f"{file.name}: {title}: '{key}' is {entry.get(key)!r}; expected {kinds}")
    return entry


def _figure(file: Path, number: int, entry: Any) -> PaperFigure:
    title = f"figure {number}"
    found = _checked(file, title, entry, _KEYS)
    title += f" ({found['paper']}, {found['figure']})"
    if found["kind"] not in KINDS:
        raise InputError(f"{file.name}: {title}: 'kind' is '{found['kind']}'; expected one of {', '.join(KINDS)}")
    facts = [Fact(**_checked(file, f"{title}, fact {place}", fact, _FACT)) for place, fact in enumerate(found["facts"], 1)]
    if not facts:
        raise InputError(f"{file.name}: {title}: 'facts' is empty; expected at least one value of the paper")
    for fact in facts:
        if fact.error < 0 or fact.spread < 0:
            raise InputError(f"{file.name}: {title}: the error of {fact.series} at {fact.at} is below 0; expected 0 or more")
        if found["kind"] != "bars" and not _is_number(fact.at):
            raise InputError(f"{file.name}: {title}: 'at' is '{fact.at}'; expected a number, since the figure is no bars")
    return PaperFigure(**{**found, "facts": tuple(facts)})


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def load(file: Path = FILE) -> tuple[PaperFigure, ...]:
    """Raises InputError, which names the file, the entry and the key."""
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file.name}: no TOML: {error}") from None
    if set(content) != {"figures"} or not isinstance(content["figures"], list):
        raise InputError(f"{file.name}: top level: expected [[figures]] alone")
    found = tuple(_figure(file, number, entry) for number, entry in enumerate(content["figures"], 1))
    names = [each.name for each in found]
    if double := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"{file.name}: {double}: there are two of this figure; expected one")
    return found


@cache
def figures() -> tuple[PaperFigure, ...]:
    return load()


def figures_of(paper: str, experiment: str | None = None) -> list[PaperFigure]:
    """Of a paper, or of one of its experiments."""
    return [each for each in figures() if each.paper == paper and experiment in (None, each.experiment)]


def choose(name: str) -> list[PaperFigure]:
    """The figures of `all`, PAPER, PAPER/EXPERIMENT or PAPER/figure-N. Raises InputError, with the nearest name."""
    paper, _, rest = name.partition("/")
    if name == "all":
        return list(figures())
    found = [each for each in figures_of(paper) if rest in ("", each.id, each.experiment)]
    if not found:
        raise unknown_name("figure", name, ["all", *dict.fromkeys(each.paper for each in figures()), *(each.name for each in figures())])
    return found


def read_values(file: Path = RECORD) -> dict[str, dict[str, dict[str, float]]]:
    """Ours on record, by the name of the figure. Raises InputError where the file is not as renewed() leaves it."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for number, row in enumerate(_rows(file), 2):
        try:
            paper, figure, series, at, value, _ = row
            found.setdefault(f"{paper}/{figure}", {}).setdefault(series, {})[at] = float(value)
        except ValueError:
            raise InputError(f"{file}, line {number}: expected {len(COLUMNS)} cells and a number as 'value'") from None
    return found


def _rows(file: Path) -> list[list[str]]:
    if not file.exists():
        return []
    with open(file, newline="", encoding="utf-8") as lines:
        first, *rest = csv.reader(lines)
    if tuple(first) != COLUMNS:
        raise InputError(f"{file}: expected the columns {','.join(COLUMNS)} in the first line; 'tessera papers figures all --renew' writes it")
    return rest


def record(figure: PaperFigure, values: Values, program: str, file: Path = RECORD) -> None:
    """Puts ours of a figure in the place of what was on record."""
    order = [(each.paper, each.id) for each in figures()]
    rows = [row for row in _rows(file) if (row[0], row[1]) != (figure.paper, figure.id) and (row[0], row[1]) in order]
    rows += [[figure.paper, figure.id, series, at, f"{value:.4g}", program] for series, by_place in values.items() for at, value in by_place.items()]
    rows.sort(key=lambda row: order.index((row[0], row[1])))

    def make(aside: Path) -> None:
        with open(aside, "w", newline="", encoding="utf-8") as out:
            csv.writer(out, lineterminator="\n").writerows([COLUMNS, *rows])

    whole(file, make)


def pictures(figures: Iterable[PaperFigure]) -> list[str]:
    """The lines of a page that show them."""
    return [f"![{each.figure} and ours]({each.paper}-{each.id}.svg)\n" for each in figures]
