"""The catalogue of claims: what each paper says, how it was read, which experiment tests it, or why none does.

One TOML file a paper, in `claims/`. `[experiments.NAME]` says what an experiment takes from the paper, or names the one that it is like;
`[[claims]]` are the published statements. A statement is tested by one experiment, or by several: `[[claims.on]]` names each, with what is
different there. Each is a row of the page, and all of them together are one statement of the count. A row whose parameters are not the
paper's says so in `apart`, and does not count. `test` says which figures of the experiment's tables have to come out (check.py), and `seeds`
names the lines of its table over seeds that have to agree; what that table compares is data of the experiment.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from tessera.errors import InputError, unknown_name
from validation.papers.check import Check, Comparison, comparisons
from validation.papers.outcome import BASES, PREDICTION

FOLDER = Path(__file__).parent / "claims"
KINDS = {
    "direction": "one is ahead of another",
    "figure": "a figure or a bound is met",
    "question": "of ours: the paper does not say",
}


@dataclass(frozen=True)
class Source:
    """Where the parameters of an experiment come from."""

    given: tuple[str, ...] = ()
    inferred: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    seeds: tuple[Comparison, ...] = ()
    """What its table over seeds compares."""


@dataclass(frozen=True)
class Claim:
    """A row: one claim, figure or table of a paper, by one experiment."""

    paper: str
    id: str
    where: str
    claim: str
    published: str
    reading: str
    kind: str = "direction"
    experiment: str = ""
    ratio: float | None = None
    """The published figure as a ratio: of two responses, amplifications or counts."""
    mechanism: str = ""
    """The experiment in which one change moves the figure."""
    reason: str = ""
    """Why it does not hold throughout, or "unexplained; tried: ..."."""
    not_tested: str = ""
    seeds: tuple[str, ...] = ()
    """Rows of a table over seeds, which have to agree."""
    basis: str = PREDICTION
    apart: str = ""
    """Which of the paper's parameters it does not have: the row does not count."""
    test: tuple[Check, ...] = ()
    """Which figures of the tables are compared: each of these tests has to come out."""
    statement: str = ""
    """The published statement that the row is of: its own id, where it is the only one."""

    @property
    def name(self) -> str:
        return f"{self.paper}/{self.id}"


@dataclass(frozen=True)
class Paper:
    name: str
    title: str
    source: str
    claims: tuple[Claim, ...]
    experiments: Mapping[str, Source] = field(default_factory=dict)


_TEXTS = ("id", "where", "claim", "published", "reading")
_MORE = {
    "kind": str, "experiment": str, "ratio": float, "mechanism": str, "reason": str, "not_tested": str, "seeds": list, "basis": str, "apart": str, "test": (dict, list),
}  # fmt: skip


_KINDS_OF_VALUES = {float: "number", list: "list", str: "text", (dict, list): "table, or a list of tables"}


def _bad(file: Path, entry: str, what: str) -> InputError:
    return InputError(f"{file.name}: {entry}: {what}")


def _texts(file: Path, entry: str, key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise _bad(file, entry, f"'{key}' is {value!r}; expected a list of texts")
    return tuple(value)


def _rows(file: Path, paper: str, number: int, entry: Any) -> list[Claim]:
    """The rows of a statement: what `on` has takes the place of what the statement has."""
    title = f"claim {number}"
    if not isinstance(entry, dict):
        raise _bad(file, title, "expected a table of keys")
    if isinstance(entry.get("id"), str):
        title += f" '{entry['id']}'"
    if "on" not in entry:
        return [_claim(file, paper, title, entry)]
    shared = {key: value for key, value in entry.items() if key != "on"}
    readings = entry["on"]
    if not isinstance(readings, list) or not all(isinstance(each, dict) and isinstance(each.get("experiment"), str) for each in readings):
        raise _bad(file, title, "'on' is no list of tables with an 'experiment'; expected [[claims.on]], one for each experiment that tests it")
    merged = [{**shared, **each, "id": each.get("id", f"{each['experiment']}/{entry.get('id')}")} for each in readings]
    return [replace(_claim(file, paper, f"{title} on '{each['experiment']}'", each), statement=entry["id"]) for each in merged]


def _claim(file: Path, paper: str, title: str, entry: dict[str, Any]) -> Claim:
    for key in entry:
        if key not in (*_TEXTS, *_MORE):
            raise _bad(file, title, str(unknown_name("key", key, (*_TEXTS, *_MORE))))
    for key in _TEXTS:
        if not isinstance(entry.get(key), str) or not entry[key]:
            raise _bad(file, title, f"'{key}' is {entry.get(key)!r}; expected a text")
    for key, kind in _MORE.items():
        if key in entry and not isinstance(entry[key], (int, float) if kind is float else kind):
            raise _bad(file, title, f"'{key}' is {entry[key]!r}; expected a {_KINDS_OF_VALUES[kind]}")
    if entry.get("kind", "direction") not in KINDS:
        raise _bad(file, title, f"'kind' is '{entry['kind']}'; expected one of {', '.join(KINDS)}")
    if entry.get("basis", PREDICTION) not in BASES:
        raise _bad(file, title, f"'basis' is '{entry['basis']}'; expected one of {', '.join(BASES)}")
    if bool(entry.get("experiment")) == bool(entry.get("not_tested")):
        raise _bad(file, title, "expected either 'experiment', which tests it, or 'not_tested', which says why nothing does")
    if bool(entry.get("experiment")) != bool(entry.get("test")):
        raise _bad(file, title, "expected 'experiment' and 'test' together: which experiment, and which of its figures have to come out")
    if "ratio" in entry and entry["ratio"] <= 0:
        raise _bad(file, title, f"'ratio' is {entry['ratio']}; expected a number above 0")
    try:
        tests = entry.get("test", [])
        test = tuple(map(Check.of, tests if isinstance(tests, list) else [tests]))
    except InputError as error:
        raise _bad(file, title, str(error)) from None
    return Claim(paper, **{**entry, "seeds": _texts(file, title, "seeds", entry.get("seeds", [])), "test": test, "statement": entry["id"]})


def _source(file: Path, title: str, entry: dict[str, Any], known: Mapping[str, Source]) -> Source:
    for key in entry:
        if key not in ("given", "inferred", "open", "like", "seeds"):
            raise _bad(file, title, str(unknown_name("key", key, ("given", "inferred", "open", "like", "seeds"))))
    try:
        seeds = tuple(line for each in entry.get("seeds", []) for line in comparisons(each))
    except InputError as error:
        raise _bad(file, title, str(error)) from None
    if "like" not in entry:
        return Source(**{key: _texts(file, title, key, value) for key, value in entry.items() if key != "seeds"}, seeds=seeds)
    if entry["like"] not in known or entry.keys() - {"like", "seeds"}:
        raise _bad(file, title, f"'like' is {entry['like']!r}; expected the name of an experiment above it, and no other key but 'seeds'")
    return replace(known[entry["like"]], seeds=seeds)


def load(file: Path) -> Paper:
    """The claims of a file. Raises InputError, which names the file, the entry and the key."""
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file.name}: no TOML: {error}") from None
    for key in content:
        if key not in ("title", "source", "experiments", "claims"):
            raise _bad(file, "top level", str(unknown_name("key", key, ("title", "source", "experiments", "claims"))))
    for key in ("title", "source"):
        if not isinstance(content.get(key), str) or not content[key]:
            raise _bad(file, "top level", f"'{key}' is {content.get(key)!r}; expected a text")
    experiments, claims = content.get("experiments", {}), content.get("claims")
    if not isinstance(experiments, dict) or not isinstance(claims, list) or not claims:
        raise _bad(file, "top level", "expected [experiments.NAME] tables and at least one [[claims]]")
    sources = {}
    for name, entry in experiments.items():
        title = f"experiment '{name}'"
        if not isinstance(entry, dict):
            raise _bad(file, title, "expected a table with 'given', 'inferred' and 'open'")
        sources[name] = _source(file, title, entry, sources)
    found = tuple(row for number, entry in enumerate(claims, 1) for row in _rows(file, file.stem, number, entry))
    ids = [each.id for each in found]
    if double := next((each for each in ids if ids.count(each) > 1), None):
        raise _bad(file, f"claim '{double}'", "there are two of this id; expected one")
    for each in found:
        if each.experiment and each.experiment not in sources:
            raise _bad(file, f"claim '{each.id}'", f"'experiment' is '{each.experiment}', which has no [experiments.{each.experiment}]")
    return Paper(file.stem, content["title"], content["source"], found, sources)


@cache
def catalogue() -> dict[str, Paper]:
    """Every paper, by name."""
    return {file.stem: load(file) for file in sorted(FOLDER.glob("*.toml"))}
