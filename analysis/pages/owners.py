"""Who makes each published table, figure and picture, and whether the program still gives the same: docs/owners.toml.

Four kinds of entry:

- `[canary]`: short runs by name, each with the words of tessera-sim (`run demo --layer cmr ...`) of a second or less.
- `[[owner]]`: a page with `files` (pictures and data that it shows, below docs/), `shows` (what), `command` (what makes it again), and `canaries`, which run what the page is
  about at small scale, or `held_by`: the test that compares the page itself with the program.
- `[facts]`: a page whose numbers no run gives (a standard, a published table, a history), with the reason.
- `[files]`: a file of facts, with the reason.

docs/data/canaries.csv has what each canary gave when the page was made. A figure that moved since then makes the page older than the program, unless
docs/stale.toml says so already. Figures have nine digits: the same on every machine and with every compiler.
"""

import csv
import re
import shlex
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pages.stale import stale_pages
from tessera.engine.output_file import whole
from tessera.engine.simulator import REPOSITORY, SimulatorError, run_simulator
from tessera.errors import InputError, unknown_name
from tessera.results.run_folder import Run

LIST = Path("docs") / "owners.toml"
RECORD = Path("docs") / "data" / "canaries.csv"
HEADER = ["page", "canary", "figure", "value"]
FIGURES = (
    "host.latency.mean", "host.latency.p99", "host.latency.max", "host.bandwidth", "write_amplification.total", "energy.total", "capacity.user", "capacity.gain_vs_cmr",
    "cost.per_user_tb", "nand.lifetime.years.mean", "cpu.utilisation", "recovery.time", "array.rebuild.time", "host.backlog.unstable", "host.steady.reached",
)  # fmt: skip
# A row of a table with two numbers, or five numbers with units in the text.
ROW = re.compile(r"^\|(?=[^\n]*(?:\d+\.\d+|\d{2,})[^\n]*(?:\d+\.\d+|\d{2,}))", re.MULTILINE)
QUANTITY = re.compile(r"\d ?(?:ms|us|MB/s|MiB/s|%|times|/s)\b")
IN_TEXT = 5


@dataclass(frozen=True)
class Owner:
    page: str
    shows: str
    command: str
    files: tuple[str, ...] = ()
    canaries: tuple[str, ...] = ()
    held_by: str = ""


@dataclass(frozen=True)
class Owners:
    canaries: Mapping[str, str]
    owners: tuple[Owner, ...]
    facts: Mapping[str, str]
    files: Mapping[str, str]

    def pages(self) -> list[str]:
        return list(dict.fromkeys(owner.page for owner in self.owners))

    def of(self, page: str) -> list[str]:
        """The canaries of a page."""
        return list(dict.fromkeys(name for owner in self.owners if owner.page == page for name in owner.canaries))


@dataclass(frozen=True)
class Moved:
    """A figure of a canary that is not what it was when the page was made; None where there was or is none."""

    page: str
    canary: str
    figure: str
    was: str | None
    now: str | None


def _entry(source: Path, number: int, entry: Mapping[str, object]) -> Owner:
    wanted, known = {"page", "shows", "command"}, set(Owner.__dataclass_fields__)
    if not wanted <= set(entry) <= known or bool(entry.get("canaries")) == bool(entry.get("held_by")):
        raise InputError(f"{source}: owner {number} has {', '.join(sorted(entry)) or 'nothing'}; expected page, shows, command, either canaries or held_by, and files where there are any")
    return Owner(**{name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()})  # type: ignore[arg-type]


def read_owners(root: Path = REPOSITORY) -> Owners:
    """Raises InputError where an entry lacks a field, or names what is not there."""
    source = root / LIST
    read = tomllib.loads(source.read_text(encoding="utf-8"))
    owners = tuple(_entry(source, number, entry) for number, entry in enumerate(read.get("owner", []), 1))
    found = Owners(read.get("canary", {}), owners, read.get("facts", {}), read.get("files", {}))
    for name in (name for owner in owners for name in owner.canaries):
        if name not in found.canaries:
            raise unknown_name("canary", name, found.canaries)
    named = [*found.pages(), *found.facts, *(f"docs/{name}" for name in (*found.files, *(name for owner in owners for name in owner.files)))]
    for name in named:
        if not (root / name).is_file():
            raise InputError(f"{source}: there is no {name}")
    if unused := set(found.canaries) - {name for owner in owners for name in owner.canaries}:
        raise InputError(f"{source}: canary {min(unused)} belongs to no page")
    return found


def has_figures(text: str) -> bool:
    """Whether a page shows numbers that somebody has to own.

    >>> has_figures("| `cmr` | 3.71 | 24 |"), has_figures("| `cmr` | the drive itself |"), has_figures("It takes 3 ms.")
    (True, False, False)
    """
    return bool(ROW.search(text)) or len(QUANTITY.findall(text)) >= IN_TEXT


def unowned(owners: Owners, root: Path = REPOSITORY) -> list[str]:
    """Pages with figures, pictures and data files that no entry names; and pages that are listed as facts and have no figures."""
    pages = {str(page.relative_to(root)): has_figures(page.read_text(encoding="utf-8")) for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]}
    known = {*owners.pages(), *owners.facts}
    missing = [f"{page}: shows figures, and no entry of {LIST} says what makes them" for page, shows in pages.items() if shows and page not in known]
    missing += [f"{page}: listed under facts, and shows none" for page in owners.facts if not pages[page]]
    files = {*owners.files, *(name for owner in owners.owners for name in owner.files)}
    shown = sorted(path for kind in ("*.png", "*.svg", "*.webp", "*.csv") for path in (root / "docs").rglob(kind) if path != root / RECORD)
    return missing + [f"docs/{name}: no entry of {LIST} says what makes it" for path in shown if (name := str(path.relative_to(root / "docs"))) not in files]


def sing(words: str) -> dict[str, str]:
    """The figures of one canary, nine digits each. Raises SimulatorError where the run fails."""
    with TemporaryDirectory() as folder:
        files = (str(path) if (path := REPOSITORY / word).is_file() else word for word in shlex.split(words))
        run_simulator([*files, "--out", Path(folder) / "run"], quiet=True)
        run = Run(Path(folder) / "run")
        return {name: f"{value:.9g}" for name in FIGURES if (value := run.find(name)) is not None}


def heard(canaries: Mapping[str, str], names: Iterable[str], jobs: int, sung: Callable[[str], Mapping[str, str]] = sing) -> dict[str, Mapping[str, str]]:
    """The figures of these canaries by name. Raises InputError that names the canary whose run fails."""

    def one(name: str) -> Mapping[str, str]:
        try:
            return sung(canaries[name])
        except SimulatorError as error:
            raise InputError(f"{LIST}: canary {name} does not run: {error}") from error

    order = list(dict.fromkeys(names))
    with ThreadPoolExecutor(jobs) as pool:
        return dict(zip(order, pool.map(one, order)))


Recorded = dict[tuple[str, str], dict[str, str]]  # by page and canary, the figures


def read_record(root: Path = REPOSITORY) -> Recorded:
    """What was kept; nothing where there is no record yet."""
    found: Recorded = {}
    if (root / RECORD).exists():
        with (root / RECORD).open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                found.setdefault((row["page"], row["canary"]), {})[row["figure"]] = row["value"]
    return found


def moved(owners: Owners, record: Recorded, now: Mapping[str, Mapping[str, str]]) -> list[Moved]:
    """What is not as it was when its page was made, in the order of the list."""
    found = []
    for page in owners.pages():
        for canary in owners.of(page):
            was = record.get((page, canary), {})
            figures = [name for name in FIGURES if name in was or name in now[canary]]
            found += [Moved(page, canary, name, was.get(name), now[canary].get(name)) for name in figures if was.get(name) != now[canary].get(name)]
    return found


def keep(owners: Owners, pages: Sequence[str], now: Mapping[str, Mapping[str, str]], root: Path = REPOSITORY) -> None:
    """Records the figures of these pages' canaries, and forgets what the list no longer names."""
    record = read_record(root)
    for page in pages:
        record |= {(page, canary): dict(now[canary]) for canary in owners.of(page)}

    def fill(aside: Path) -> None:
        with open(aside, "w", newline="", encoding="utf-8") as out:
            rows = csv.writer(out, lineterminator="\n")
            rows.writerow(HEADER)
            for page in owners.pages():
                for canary in owners.of(page):
                    rows.writerows([page, canary, *figure] for figure in record.get((page, canary), {}).items())

    whole(root / RECORD, fill)


def hold_pages(jobs: int, root: Path = REPOSITORY) -> list[str]:
    """Runs every canary. A line for each page that is older than the program though docs/stale.toml does not say so, with what moved first."""
    owners = read_owners(root)
    known = {entry.page for entry in stale_pages(root / "docs" / "stale.toml")}
    lines: dict[str, str] = {}
    for found in moved(owners, read_record(root), heard(owners.canaries, owners.canaries, jobs)):
        if found.page not in known and found.page not in lines:
            commands = ", ".join(dict.fromkeys(f"`{owner.command}`" for owner in owners.owners if owner.page == found.page and found.canary in owner.canaries))
            lines[found.page] = f"{found.page}: {found.figure} of canary {found.canary} was {found.was or 'not there'}, is {found.now or 'not there'}; made by {commands}"
    return list(lines.values())


def keep_pages(pages: Sequence[str], jobs: int, root: Path = REPOSITORY) -> None:
    """Records that these pages were made by this program. Raises InputError where no entry names one."""
    owners = read_owners(root)
    for page in pages:
        if page not in owners.pages():
            raise unknown_name("page", page, owners.pages())
    keep(owners, pages, heard(owners.canaries, (name for page in pages for name in owners.of(page)), jobs), root)
