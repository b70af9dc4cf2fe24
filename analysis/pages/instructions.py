"""What a request of the host costs the simulator, counted by callgrind: instructions, and of branches and caches that it simulates the
mispredictions and misses; the same on every machine with the same compiler and libraries. Each row that was kept (bench/instructions.csv)
names its commit and those, so that the next can be compared. Simulated caches double the time, so that they are the night's, as is a run of
every layer."""

import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console

from pages.bench import DEPTH_32, FIRST_COME, RANDOM, SMALL_FLASH, ZIPF_WRITES, cached_cases, commit, request_cases
from pages.growth import BRANCHES, CACHES, counted_run
from pages.toolchain import toolchain
from tessera.engine.simulator import REPOSITORY, layer_names, simulator
from tessera.errors import InputError
from tessera.results.marked_section import write_marked_section

KEPT = REPOSITORY / "bench" / "instructions.csv"
PAGE = REPOSITORY / "docs" / "developers" / "speed.md"
COMMAND = "./dev bench --instructions --record"
# Of two runs, whose difference is measured: without boot, set-up and report.
TABLE = (2_000, 6_000)
HELD = (500, 1_500)
# Of a held case from one commit to the next. Where code lies decides which branches and lines share a place.
# Where code lies in memory decides which branches share a place in the predictor: the same source moves by a tenth with what is linked before it.
MOST_CHANGE = {"instructions": 0.02, "mispredictions": 0.2, "cache misses": 0.05}
ARRAY_DRIVES = 24
ARRAY = f'''summary = "conventional drives in a row"
[array]
kind = "jbod"
chunk = "64 KiB"
requests = {32 * ARRAY_DRIVES}
[[drive]]
description = "bare"
layer = "cmr"
count = {ARRAY_DRIVES}
'''

# Of the first case's instructions, those of the second at most.
RATIOS = (("cmr, all signals recorded", "cmr, first-come", 3.0), ("cmr, a trigger awaited", "cmr, first-come", 1.2))


@dataclass(frozen=True)
class Counted:
    name: str
    arguments: tuple[str, ...]
    goal: int = 20_000  # instructions per request at most
    kind: str = "run"  # or array
    longer: int = 1  # times the requests of other cases


@dataclass(frozen=True)
class Row:
    kind: str  # table, held or night
    case: str
    instructions: int  # per request
    commit: str
    toolchain: str
    mispredictions: int | None = None  # per request
    cache_misses: int | None = None  # per request; of the night's

    def figures(self) -> dict[str, int | None]:
        """By the names of MOST_CHANGE."""
        return dict(zip(MOST_CHANGE, (self.instructions, self.mispredictions, self.cache_misses), strict=True))


def cases(zipf_writes: Path, array: Path) -> list[Counted]:
    """Thirteen. `zipf_writes`: the workload over a million addresses, flash cut to 256 MiB. `array`: ARRAY. Recording everything is to cost
    three times as much as recording nothing, an awaited trigger 1.2 times, and a drive of an array 1.25 times as much as a drive alone."""
    goals = (5_000, 6_500, 12_000, 20_000, 17_000)
    common = [Counted(case.name, case.arguments, goal) for case, goal in zip([*request_cases(), *cached_cases()], goals, strict=True)]
    million = ("--workload", str(zipf_writes), *DEPTH_32, *SMALL_FLASH)
    conventional = ("bare", "--layer", "cmr", *RANDOM, *FIRST_COME)
    layers = [Counted(f"{layer}, Zipf writes", ("bare", "--layer", layer, *million), 15_000) for layer in ("tessera", "tessera-imr", "media-cache")]
    return [
        *common,
        *layers,
        Counted("Cheetah 9LP with its cache", ("cheetah-9lp", "--workload", "random-4k", "--fold", *DEPTH_32), 16_000),
        Counted("imr-rmw, random", ("bare", "--layer", "imr-rmw", "--workload", "random-4k", *DEPTH_32), 12_000),
        Counted("cmr, all signals recorded", (*conventional, "--vcd", "/dev/null"), 24_300),
        Counted("cmr, a trigger awaited", (*conventional, "--vcd", "/dev/null", "--record-trigger", "latency>1000s"), 9_700),
        Counted(
            f"{ARRAY_DRIVES} drives of an array",
            (str(array), "--workload", "random-4k", "--replay", f"closed:{32 * ARRAY_DRIVES}"), 10_130, kind="array", longer=ARRAY_DRIVES // 2,
        ),
    ]


def layer_cases() -> list[Counted]:
    """Each layer that takes any workload, on the drive of the demonstration, but `cmr`, which is one of cases()."""
    layers = [layer for layer in layer_names() if layer != "cmr"]
    return [Counted(f"demo, {layer}", ("demo", "--layer", layer, "--workload", "web-server", "--fold")) for layer in layers]


def written_cases(out: Path) -> list[Counted]:
    """The cases, with the files that they name in `out`."""
    workload, array = out / "zipf-writes.toml", out / "array.toml"
    workload.write_text(ZIPF_WRITES)
    array.write_text(ARRAY)
    return cases(workload, array)


def measure_rows(kind: str, requests: tuple[int, int], out: Path, only: str) -> list[tuple[Counted, Row]]:
    """A row for each case whose name holds `only`; of kind `night` with cache misses and with each layer. Raises SimulatorError."""
    out.mkdir(parents=True, exist_ok=True)
    tools = toolchain(simulator())
    night = kind == "night"
    simulated = (*BRANCHES, *CACHES) if night else BRANCHES
    rows = []
    for case in [*written_cases(out), *(layer_cases() if night else ())]:
        if only not in case.name:
            continue
        folder = out / kind / case.name.replace(", ", "-").replace(" ", "-")
        limits = (case.longer * limit for limit in requests)
        short, long = (counted_run([*case.arguments, "--limit", str(limit)], folder / str(limit), case.kind, simulated) for limit in limits)
        cost = long - short
        figures = [round(sum_ / cost.requests) for sum_ in (cost.mispredictions, cost.cache_misses)]
        rows.append((case, Row(kind, case.name, round(cost.of_request()), commit(), tools, figures[0], figures[1] if night else None)))
    return rows


def kept_rows(file: Path = KEPT) -> list[Row]:
    """In order of their keeping; none where nobody has kept any."""
    if not file.exists():
        return []
    with file.open(newline="", encoding="utf-8") as text:
        return [
            Row(row["kind"], row["case"], int(row["instructions"]), row["commit"], row["toolchain"],
                *(int(row[name]) if row[name] else None for name in ("mispredictions", "cache_misses")))
            for row in csv.DictReader(text)
        ]


def keep(rows: Sequence[Row], file: Path = KEPT) -> None:
    """After those that were kept before."""
    new = not file.exists()
    with file.open("a", newline="", encoding="utf-8") as text:
        writer = csv.DictWriter(text, list(Row.__dataclass_fields__), lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def last_of(row: Row, kept: Sequence[Row]) -> Row | None:
    """The newest kept row that this one can be compared with."""
    alike = [other for other in kept if (other.kind, other.case, other.toolchain) == (row.kind, row.case, row.toolchain)]
    return alike[-1] if alike else None


def described(case: Counted, row: Row, before: Row | None) -> str:
    ratio = "" if before is None else f", {row.instructions / before.instructions:.3f} of {before.commit}"
    goal = "met" if row.instructions <= case.goal else f"missed, {row.instructions / case.goal:.1f} times"
    return f"  {case.name:<34} {row.instructions:>8,} instructions per request{ratio}; goal {case.goal:,}: {goal}"


def table_lines(goals: dict[str, int], kept: Sequence[Row]) -> list[str]:
    """Markdown: of each case the first row that was kept and the last of the same toolchain."""
    lines = ["| case | first | now | change | goal, at most |", "|---|---:|---:|---:|---:|"]
    rows = [row for row in kept if row.kind == "table" and row.case in goals]
    for case, goal in goals.items():
        now = next((row for row in reversed(rows) if row.case == case), None)
        if now is None:
            continue
        first = next(row for row in rows if (row.case, row.toolchain) == (case, now.toolchain))
        change = f"{now.instructions / first.instructions - 1:+.0%}"
        lines.append(f"| {case} | {first.instructions:,} | {now.instructions:,} | {change} | {goal:,} |")
    return lines


def ratio_lines(rows: Sequence[Row]) -> list[str]:
    """Of the newest rows of the table what is measured as a multiple of another case."""
    instructions = {row.case: row.instructions for row in rows if row.kind == "table"}
    return [
        f"{case}: {instructions[case] / instructions[base]:.2f} times {base} (goal: {most:g})"
        for case, base, most in RATIOS if case in instructions and base in instructions
    ]


def measure_instructions(console: Console, out: Path, only: str, record: bool) -> None:
    """A line for each case whose name holds `only`; with `record` the rows are kept and the page's table is written again. Raises
    SimulatorError."""
    kept = kept_rows()
    measured = measure_rows("table", TABLE, out, only)
    for case, row in measured:
        console.print(described(case, row, last_of(row, kept)), highlight=False, soft_wrap=True)
    for line in ratio_lines([row for _, row in measured]):
        console.print(f"  {line}", highlight=False, soft_wrap=True)
    if record:
        keep([row for _, row in measured])
        lines = table_lines({case.name: case.goal for case in written_cases(out)}, kept_rows())
        write_marked_section(PAGE, COMMAND, "\n".join([*lines, "", *(f"- {line}" for line in ratio_lines(kept_rows())), ""]))


def changes(rows: Sequence[Row], kept: Sequence[Row]) -> list[str]:
    """What moved further than it may from the newest kept rows, of the figures that both have."""
    moved = []
    for row in rows:
        before = last_of(row, kept)
        if before is None:
            continue
        for name, value in row.figures().items():
            old = before.figures()[name]
            if value is not None and old is not None and abs(value - old) > MOST_CHANGE[name] * old:
                moved.append(f"{row.case}: {value:,} {name} per request, {old:,} at {before.commit}, may move by {MOST_CHANGE[name]:.0%}")
    return moved


def hold_instructions(console: Console, out: Path, record: bool, night: bool = False) -> None:
    """Fails where a case moved by more than MOST_CHANGE since its row was kept by the same compiler and libraries. Raises SimulatorError,
    InputError."""
    kind = "night" if night else "held"
    rows = [row for _, row in measure_rows(kind, HELD, out, "")]
    if record:
        return keep(rows)
    kept = kept_rows()
    if not any(last_of(row, kept) for row in rows):
        others = sorted({row.toolchain for row in kept if row.kind == kind})
        console.print(f"not held: built with {rows[0].toolchain}; {KEPT.name} has rows of: {'; '.join(others) or 'nobody'}", soft_wrap=True)
        return
    moved = changes(rows, kept)
    if moved:
        raise InputError(
            "a request costs the simulator more or less than it did:\n  " + "\n  ".join(moved)
            + f"\nIf that is meant, keep the new rows with ./dev bench --hold{' --night' if night else ''} --record and say why in the commit."
        )
    bounds = ", ".join(f"{name} {most:.0%}" for name, most in MOST_CHANGE.items() if rows[0].figures()[name] is not None)
    console.print(f"{len(rows)} cases within what they may move from {KEPT.name}: {bounds}")
