"""What dd and fio see: sequential and random throughput of drives as a host measures it, next to the rate of the platters."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tessera.explore.axes import amount
from tessera.results.markdown import number, table
from tessera.results.run_folder import Run
from tessera.results.terms import NONE, hardware
from validation.papers.lab import Lab, Trial, trial

COMMAND = "tessera validate dd"

# A drive and the layers that it is usually seen with. `demo` and `tlc` have the platters, caches and queue of `common`.
DRIVES: Mapping[str, Sequence[str]] = {
    "common": ("cmr", "imr-rmw", "mu-rmw", "media-cache", "tessera", "tessera-imr"),
    "seagate-st8000as0022": ("media-cache",),
    "seagate-st5000as0011": ("media-cache",),
    "seagate-st8000as0002": ("media-cache",),
    "seagate-st8000dm004": ("media-cache",),
    "wd-wd40efax": ("media-cache",),
    "imr-20tb": ("cmr", "imr-rmw"),
    "dual-arm-14tb": ("cmr",),
    "cmr-24tb": ("cmr",),
    "dual-arm-18tb": ("cmr",),
    "hamr-32tb-cmr": ("cmr",),
    "cheetah-9lp": ("cmr",),
    "hp-c3323a": ("cmr",),
    "mu-rmw-paper": ("mu-rmw",),
    "interlaced-paper": ("imr-rmw",),
    "amphisbaena-paper": ("cmr", "amphisbaena"),
    "hwsr-paper": ("hwsr",),
    "hwsr-paper-cmr": ("cmr",),
    "shingled-in-place-paper": ("shingled-in-place-r4123",),
    "bare": ("cmr",),
}
KIB = 1024
SIZES = (4 * KIB, 64 * KIB, 1024 * KIB)
SEQUENTIAL_DEPTHS = (1, 2, 32)
RANDOM_DEPTHS = (1, 4, 32)
SEQUENTIAL_BYTES = 384 << 20  # some 2 s of a platter, so that filling and draining a write cache of 12 MiB is a hundredth of it
MOST_REQUESTS = 24_000  # of 4 KiB
RANDOM_REQUESTS = 3_000
ENOUGH = 0.95  # of the platters' rate: what a drive with caches is expected to reach with 64 KiB at depth 1
USUAL_SIZE = 64 * KIB  # of a request, for that
ALONG_A_SURFACE = ("media-cache",)  # layers that fill a surface's tracks side by side, where a drive has several; others go by cylinder

NO_CACHE = "no cache: the next request comes when its sector has just passed the head, and waits for a turn"
REWRITES = "each write of a bottom track rewrites its tops, and the drive is full"
FLASH = "each sector is a page of the flash, which has one die and programs a page in 1.3 ms"
PACKETS = "writes go to the log packet by packet, with a turn lost between some, and with the map of the log"
TRACK_ENDS = "the layer's own buffer writes one stretch at a time, and most ends of tracks cost a turn"
SHINGLES = "each write in place rewrites the tracks after it, and the drive is full"
TURN_A_BLOCK = "the next block of 32 KiB is on the next track at the same angle, a turn later"
BUFFER_FULL = "the buffer fills, and each write waits until a segment is rewritten"
ONE_DESTAGE = "the write cache destages one run at a time, and most ends of tracks cost a turn"
LINK = "the bus is slower than the platters"
BAND_ENDS = "a read-ahead that goes from one band to the next is two commands, and loses a turn"
HALF_A_TURN = "this timing takes half a turn for each access that does not continue the last one"
# Why a layer falls short on a drive with caches, by layer and operation.
REASONS: Mapping[tuple[str, str], str] = {
    ("imr-rmw", "write"): REWRITES, ("tessera-imr", "write"): REWRITES, ("shingled-in-place-r4123", "write"): SHINGLES,
    ("mu-rmw", "write"): FLASH, ("media-cache", "read"): BAND_ENDS, ("media-cache", "write"): PACKETS, ("tessera", "write"): TRACK_ENDS,
    ("hwsr", "read"): TURN_A_BLOCK, ("hwsr", "write"): BUFFER_FULL, ("cmr", "write"): ONE_DESTAGE,
}  # fmt: skip

WORKLOAD = """summary = "{law}, {size} B, {op}s; for a closed loop"
law = "{law}"
requests = {requests}
write_share = {share}
alignment = "4 KiB"
{op}_sizes = [[{size}, 1]]
"""


@dataclass(frozen=True)
class Case:
    """Reads or writes of one size, so many at once."""

    law: str
    op: str
    size: int
    depth: int


CASES = tuple(Case("sequential", op, size, depth) for op in ("read", "write") for size in SIZES for depth in SEQUENTIAL_DEPTHS) + tuple(
    Case("uniform", op, 4 * KIB, depth) for op in ("read", "write") for depth in RANDOM_DEPTHS
)


def case_trial(lab: Lab, drive: str, layer: str, case: Case, requests: int = 0, **settings: object) -> Trial:
    """`requests`: 0 for as many as on the page; settings as for trial()."""
    requests = requests or (RANDOM_REQUESTS if case.law == "uniform" else min(MOST_REQUESTS, SEQUENTIAL_BYTES // case.size))
    text = WORKLOAD.format(law=case.law, size=case.size, op=case.op, requests=requests, share=float(case.op == "write"))
    options = lab.generated(f"{case.law}-{case.op}-{case.size}-{requests}", text, requests, "--replay", f"closed:{case.depth}", "--prefill", 100, "--caches", "empty")
    return trial(drive, layer, *options, **settings)


def requests_per_second(run: Run) -> float:
    """From the first request to the last byte on the platters."""
    return run.metric("host.served") / run.metric("run.simulated_seconds")


def throughput(run: Run, size: int) -> float:
    """MB/s from the first request to the last byte on the platters."""
    return requests_per_second(run) * size / 1e6


def _description(run: Run) -> Mapping[str, Any]:
    return tomllib.loads((run.folder / "drive.toml").read_text(encoding="utf-8"))


def platter_rate(run: Run, layer: str) -> float:
    """MB/s at which the outermost tracks pass under the heads, skew included: what sequential reads in the layer's order of tracks reach at most."""
    media = _description(run)["media"]
    if media.get("zones"):
        _, sectors, track_skew, cylinder_skew, *_ = media["zones"][0]
    else:
        sectors, track_skew, cylinder_skew = media["sectors_per_track"], media["track_skew"], media["cylinder_skew"]
    surfaces = media["surfaces"] // media.get("actuators", 1)  # of one arm, which a stream stays on
    of_cylinder = (surfaces - 1) * track_skew + cylinder_skew
    along = media.get("track_order") in ("surface", "serpentine")
    skew = cylinder_skew if along else of_cylinder % sectors if layer in ALONG_A_SURFACE else of_cylinder / surfaces  # per track
    own = {surface: held for surface, _, held in reversed(media.get("surface_zones") or [])}  # each surface's outermost zone
    held = sum(own.get(surface, sectors) for surface in range(surfaces)) / surfaces if not along else own.get(0, sectors)
    size = media["sector_size"]
    sector_bytes = int(float(size.split()[0]) * (KIB if size.endswith("KiB") else 1))
    return held * sector_bytes * float(media["rpm"].split()[0]) / 60 / (1 + skew / sectors) / 1e6


Runs = Mapping[Case, Run]


def _figures(values: Iterable[float]) -> str:
    return " / ".join(number(value, 1 if value < 10 else 0) for value in values)


def _cells(runs: Runs, op: str) -> list[str]:
    """MB/s of each size by depth, then requests per second anywhere by depth."""
    by_size = [_figures(throughput(runs[Case("sequential", op, size, depth)], size) for depth in SEQUENTIAL_DEPTHS) for size in SIZES]
    anywhere = _figures(requests_per_second(runs[Case("uniform", op, 4 * KIB, depth)]) for depth in RANDOM_DEPTHS)
    return [*by_size, anywhere]


def drive_table(drive: str, of_layers: Mapping[str, Runs]) -> str:
    layer, runs = next(iter(of_layers.items()))
    rate = platter_rate(next(iter(runs.values())), layer)
    rows = [(f"`{layer}` {op}s", *_cells(runs, op)) for layer, runs in of_layers.items() for op in ("read", "write")]
    header = ("layer", *(f"{size // KIB} KiB" if size < 1024 * KIB else f"{size // KIB // KIB} MiB" for size in SIZES), "4 KiB anywhere, per s")
    return f"**`{drive}`: its outermost tracks pass the heads at {number(rate, 0)} MB/s**\n\n" + table(header, rows)


def why_short(run: Run, layer: str, op: str) -> str:
    """Why a run stays below the platters' rate: the bus, the timing, what the drive lacks, or what the layer does."""
    drive = _description(run)
    parts = hardware(drive, layer)
    if amount(drive["host"]["link_rate"])[0] < 1e6 * platter_rate(run, layer):
        return LINK
    if drive["media"]["timing"] == "expected" and op == "read":
        return HALF_A_TURN
    in_layer = REASONS.get((layer, op))
    lacks = parts["read cache" if op == "read" else "write buffer"] == NONE
    return NO_CACHE if lacks and (layer == "cmr" or in_layer is None) else in_layer or ""


def shortfalls(drive: str, of_layers: Mapping[str, Runs]) -> Iterable[str]:
    """A line for each layer and operation that stays below ENOUGH of the platters' rate, with its cause."""
    for layer, runs in of_layers.items():
        for op in ("read", "write"):
            run = runs[Case("sequential", op, USUAL_SIZE, 1)]
            share = throughput(run, USUAL_SIZE) / platter_rate(run, layer)
            if share < ENOUGH:
                cause = why_short(run, layer, op)
                yield f"- `{drive}`, `{layer}`, {op}s: {number(100 * share, 0)} %" + (f"; {cause}" if cause else "") + ".\n"


Measured = Mapping[str, Mapping[str, Runs]]
"""The runs by drive and layer."""
COLUMNS = ("drive", "layer", "operation", "access", "block_kib", "depth", "figure", "unit", "platters_mb_per_s", "short_of_platters_because")


def measure(lab: Lab, drives: Mapping[str, Sequence[str]] = DRIVES) -> Measured:
    """Every case on each drive with its layers. Raises SimulatorError."""
    wanted = {drive: {layer: {case: case_trial(lab, drive, layer, case) for case in CASES} for layer in layers} for drive, layers in drives.items()}
    runs = lab.run((each for layers in wanted.values() for cases in layers.values() for each in cases.values()), COMMAND)
    return {drive: {layer: {case: runs[each] for case, each in cases.items()} for layer, cases in layers.items()} for drive, layers in wanted.items()}


def host_view(measured: Measured) -> str:
    """The tables and what falls short, as Markdown."""
    short = "".join(line for drive, of_layers in measured.items() for line in shortfalls(drive, of_layers))
    tables = "\n".join(drive_table(drive, of_layers) for drive, of_layers in measured.items())
    return tables + f"\nBelow {100 * ENOUGH:.0f} % of the platters with 64 KiB, one request at a time:\n\n" + (short or "- none.\n")


def host_rows(measured: Measured) -> list[tuple[str, ...]]:
    """The same as rows of COLUMNS: a row per case, with the cause at the usual size and depth 1 where that stays below ENOUGH of the platters' rate."""
    rows = []
    for drive, of_layers in measured.items():
        for layer, runs in of_layers.items():
            for case, run in runs.items():
                in_order = case.law == "sequential"
                figure, rate = throughput(run, case.size) if in_order else requests_per_second(run), platter_rate(run, layer)
                usual = in_order and case.size == USUAL_SIZE and case.depth == 1
                cause = why_short(run, layer, case.op) if usual and figure < ENOUGH * rate else ""
                what = ("sequential", "MB/s") if in_order else ("anywhere", "requests/s")
                shown = f"{figure:.{1 if figure < 10 else 0}f}"
                rows.append((drive, layer, f"{case.op}s", what[0], str(case.size // KIB), str(case.depth), shown, what[1], f"{rate:.0f}", cause))
    return rows
