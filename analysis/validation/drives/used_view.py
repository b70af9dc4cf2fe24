"""What a host sees of shingled drives once small writes went over them: reads in order of what was overwritten at random, and mixed loads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tessera.results.markdown import number, table
from tessera.results.run_folder import Run
from validation.drives.host_view import COMMAND, KIB, RANDOM_DEPTHS, requests_per_second, throughput
from validation.papers.lab import Lab, Trial, trial

# Layers that leave a write elsewhere than its address says, on the drives that they are usually seen with.
DRIVES: Mapping[str, Sequence[str]] = {
    "seagate-st8000as0022": ("media-cache",),
    "seagate-st5000as0011": ("media-cache",),
    "seagate-st8000as0002": ("media-cache",),
    "common": ("media-cache", "tessera"),
}
RANGE = 256 << 20  # bytes, at the start of the drive: ten bands of the drives as sold
BLOCK = 4 * KIB
SHARES = (0, 1, 10, 50)  # small writes, in percent of the blocks in the range
READ = 64 * KIB
MIXED_READS = 70  # percent
MIXED_REQUESTS = 3_000

WORKLOAD = """summary = "{law}, {size} B, {share} of them writes; for a closed loop"
law = "{law}"
requests = {requests}
write_share = {share}
range = "{range} B"
alignment = "4 KiB"
read_sizes = [[{size}, 1]]
write_sizes = [[{size}, 1]]
"""


@dataclass(frozen=True)
class Case:
    """Requests within the range, after so many percent of its blocks were written at random."""

    law: str
    size: int
    writes: float
    requests: int
    depth: int
    after: int


READS = tuple(Case("sequential", READ, 0, RANGE // READ, 1, after) for after in SHARES)
MIXED = tuple(Case("uniform", BLOCK, 1 - MIXED_READS / 100, MIXED_REQUESTS, depth, SHARES[-1]) for depth in RANDOM_DEPTHS)


def _options(lab: Lab, case: Case, *more: object) -> tuple[object, ...]:
    text = WORKLOAD.format(law=case.law, size=case.size, share=case.writes, requests=case.requests, range=RANGE)
    name = f"used-{case.law}-{case.size}-{case.writes}-{case.requests}"
    return "--workload", lab.workload_file(name, text), "--limit", case.requests, "--replay", f"closed:{case.depth}", *more


def _made_used(lab: Lab, drive: str, layer: str, after: int) -> tuple[Trial, str]:
    """The run that overwrites, and where it leaves the drive: shut down with full caches, as after any shut-down."""
    state = lab.out / "states" / f"{drive}-{layer}-{after}.state"
    state.parent.mkdir(parents=True, exist_ok=True)
    writes = Case("uniform", BLOCK, 1.0, RANGE // BLOCK * after // 100, 1, 0)
    words = _options(lab, writes, "--prefill", 100, "--caches", "empty", "--save-state", state, "--seed", 2)  # other places than those of the mixed load
    return trial(drive, layer, *words), str(state)


def used_runs(lab: Lab, drives: Mapping[str, Sequence[str]] = DRIVES) -> dict[tuple[str, str, Case], Run]:
    """Each case on each drive. Raises SimulatorError."""
    pairs = [(drive, layer) for drive, layers in drives.items() for layer in layers]
    used = {(*pair, after): _made_used(lab, *pair, after) for pair in pairs for after in SHARES if after}
    lab.run((each for each, _ in used.values()), COMMAND)
    wanted = {
        (*pair, case): trial(*pair, *_options(lab, case, *(("--load-state", used[*pair, case.after][1]) if case.after else ("--prefill", 100, "--caches", "empty"))))
        for pair in pairs
        for case in (*READS, *MIXED)
    }
    runs = lab.run(wanted.values(), COMMAND)
    return {key: runs[each] for key, each in wanted.items()}


def used_view(lab: Lab, drives: Mapping[str, Sequence[str]] = DRIVES) -> str:
    """The table as Markdown. Raises SimulatorError."""
    runs = used_runs(lab, drives)
    rows = []
    for drive, layers in drives.items():
        for layer in layers:
            reads = (throughput(runs[drive, layer, case], READ) for case in READS)
            mixed = " / ".join(number(requests_per_second(runs[drive, layer, case]), 0) for case in MIXED)
            rows.append((f"`{drive}`, `{layer}`", *(number(rate, 1 if rate < 10 else 0) for rate in reads), mixed))
    header = ("drive, layer", "as written", *(f"{share} % overwritten" for share in SHARES[1:]), f"4 KiB, {MIXED_READS} % reads, per s")
    return TOLD + table(header, rows)


TOLD = """**Shingled drives after small writes**

A shingled drive keeps small writes in a log until it has time to clean, so that a read in order has to fetch them from there. MB/s of 64 KiB reads in order over the first 256 MiB, one at a
time, before and after 4 KiB writes at random to a share of its blocks; then 4 KiB reads and writes over the same range at depth 1 / 4 / 32. The log has room for all of them, and
nothing is cleaned in between. These are predictions: for the Seagate drives nobody published such figures.

"""
