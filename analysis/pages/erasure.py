"""Which layer for which erasure code: runs the matrix of docs/studies/erasure.md and writes its tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pages.array_runs import ArrayRun, Words, array_runs
from pages.digits import three_digits
from tessera.engine.simulator import REPOSITORY
from tessera.evidence.marks import FEW_CLEANINGS
from tessera.results.families import YARDSTICK
from tessera.results.markdown import number, table
from tessera.results.marked_section import write_marked_section
from tessera.results.run_folder import Run

FOLDER = REPOSITORY / "docs" / "studies" / "erasure"
PAGE = FOLDER.with_suffix(".md")
COMMAND = "./dev studies erasure"

IN_PLACE = (YARDSTICK, "imr-rmw", "shingled-in-place-r4123")  # without a cache in front of the layer
LAYERS = (*IN_PLACE, "tessera-imr", "mu-rmw", "fluid", "tessera", "media-cache")
DRIVES = 17  # of each array
QUEUE = 6  # commands of a closed loop per drive, so that drives are equally loaded whatever the code


@dataclass(frozen=True)
class Code:
    title: str
    data: int
    width: int
    """Drives of a row."""
    updated: int
    """Drives that an update writes to."""


CODES = {"3-copies": Code("3 copies", 1, 3, 3), "4-2": Code("4+2", 4, 6, 3), "12-4": Code("12+4", 12, 16, 5)}


@dataclass(frozen=True)
class Load:
    title: str
    chunk: str
    unit: int
    """Bytes that a request writes to a drive."""
    drive_writes: int
    """Of all drives together, so that each gets as much whatever the code."""
    warmup: float
    """Share of the requests, which fills write buffers and caches."""


LOADS = {
    "updates": Load("updates of 4 KiB", "64 KiB", 4096, 240_000, 0.6),
    "rows-64": Load("whole rows, chunks of 64 KiB", "64 KiB", 65_536, 36_000, 0.3),
    "rows-1024": Load("whole rows, chunks of 1 MiB", "1 MiB", 1_048_576, 6_400, 0.2),
}
UPDATES = "updates"
REBUILD_CHUNK = "1 MiB"
CLOSE = 1.1  # the best two are this close: more seeds decide
MORE_SEEDS = (2, 3)


def drives(layer: str, spare: bool = False, settings: str = "") -> str:
    """Assignment to `drive` in an array's file.

    >>> drives("cmr")
    'drive=[{description="drive.toml",layer="cmr",count=17}]'
    """
    one = f'description="drive.toml",layer="{layer}"'
    more = f",settings={{{settings}}}" if settings else ""
    return f"drive=[{{{one},count={DRIVES}{more}}}{f',{{{one},spare=true}}' if spare else ''}]"


def _settings(*assignments: str) -> list[str]:
    return [word for assignment in assignments for word in ("--set", assignment)]


def _workload(load: str, code: Code) -> Path:
    """A row has `data` chunks: a file for each size of a row.

    >>> _workload("rows-64", CODES["12-4"]).name, _workload("rows-1024", CODES["4-2"]).name
    ('rows-768K.toml', 'rows-4M.toml')
    """
    if load == UPDATES:
        return FOLDER / "updates.toml"
    kib = code.data * LOADS[load].unit // 1024
    return FOLDER / f"rows-{kib}K.toml" if kib < 1024 else FOLDER / f"rows-{kib // 1024}M.toml"


def _closed(workload: Path, depth: int, limit: int, warmup: float) -> list[str | Path]:
    return ["--workload", workload, "--replay", f"closed:{depth}", "--limit", str(limit), "--warmup", str(round(limit * warmup))]


def write_words(load: str, code: str, layer: str, seed: int = 1, settings: str = "") -> Words:
    """A run of a load that writes; `settings` are the drives'."""
    shape, kind = CODES[code], LOADS[load]
    touched = shape.updated if load == UPDATES else shape.width
    closed = _closed(_workload(load, shape), round(QUEUE * DRIVES / touched), kind.drive_writes // touched, kind.warmup)
    return [FOLDER / f"{code}.toml", *_settings(drives(layer, settings=settings), f"array.chunk={kind.chunk}"), *closed, "--seed", str(seed)]


def rebuild_words(code: str, layer: str) -> Words:
    """Drive 2 fails at once and is rebuilt under reads: on the spare places of its code, or for copies on a spare drive."""
    fails = ('failure=[{drive=2,at="0 s"}]', "rebuild.ends_run=true")
    spare = CODES[code].data == 1
    settings = _settings(drives(layer, spare), f"array.chunk={REBUILD_CHUNK}", *fails)
    return [FOLDER / f"{code}.toml", *settings, "--workload", FOLDER / "reads.toml", "--replay", "timed"]


JBOD = _settings("array.kind=jbod", "array.data=0", "array.parities=0", "array.spare_places=0")


def cause_words(layer: str) -> dict[str, Words]:
    """Updates of 4+2, but for one cause each: a larger chunk; drives that wait for nobody; and these without the parity's reads."""
    array, load = FOLDER / "4-2.toml", LOADS[UPDATES]
    depth, limit = QUEUE * DRIVES, load.drive_writes
    update = write_words(UPDATES, "4-2", layer)
    return {
        "chunk": [word.replace("array.chunk=64 KiB", "array.chunk=1 MiB") if isinstance(word, str) else word for word in update],
        "half": [array, *_settings(drives(layer)), *JBOD, *_closed(FOLDER / "half.toml", depth, 2 * limit, load.warmup)],
        "alone": [array, *_settings(drives(layer)), *JBOD, *_closed(FOLDER / "updates.toml", depth, limit, load.warmup)],
    }


DESTAGES = ("128 KiB", "2 MiB")  # the drive's own, and what takes a chunk of 1 MiB whole
OF_DESTAGES = (*IN_PLACE, "mu-rmw", "fluid")  # behind the drive's write cache; the others have their own


def destage_words(layer: str) -> Words:
    """Rows of chunks of 1 MiB on 4+2, but the write cache writes in larger pieces."""
    return write_words("rows-1024", "4-2", layer, settings=f'firmware={{write_cache={{largest_destage="{DESTAGES[1]}"}}}}')


CAUSES = {"half": "jbod, as many reads", "alone": "jbod, no reads", "chunk": "4+2, chunks of 1 MiB"}
OF_CAUSES = (YARDSTICK, "imr-rmw", "mu-rmw")


def matrix() -> dict[str, Words]:
    """Every run by its name: `LOAD CODE LAYER`, without the seeds that only a close result asks for."""
    runs = {f"{load} {code} {layer}": write_words(load, code, layer) for load in LOADS for code in CODES for layer in LAYERS}
    runs |= {f"rebuild {code} {layer}": rebuild_words(code, layer) for code in CODES for layer in LAYERS}
    runs |= {f"destage 4-2 {layer}": destage_words(layer) for layer in OF_DESTAGES}
    return runs | {f"{cause} 4-2 {layer}": words for layer in OF_CAUSES for cause, words in cause_words(layer).items()}


Runs = Mapping[str, ArrayRun]


def few_cleanings(drive: Run) -> bool:
    return drive.summary["run"]["cleans"] and drive.metric("cleaning.count") < FEW_CLEANINGS


def ranked(run: ArrayRun, layer: str) -> bool:
    """By the rule for single drives (tessera.evidence.marks), of the drive that cleaned least of those that were written to. Flash that a drive's writes
    go past needs no cleaning: then it works in place."""
    if run.find("host.backlog.unstable"):
        return False
    written = [drive for drive in run.drives if drive.metric("host.bytes_written")]
    past_flash = layer == "tessera-imr" and all(drive.metric("write_amplification.flash") < 0.1 for drive in written)
    return past_flash or not any(few_cleanings(drive) for drive in written)


def _starred(text: str, good: bool) -> str:
    return text if good else text + "\\*"


def _write_cell(run: ArrayRun, layer: str) -> str:
    return _starred(f"{three_digits(run.metric('host.latency.mean'))} / {three_digits(run.metric('host.latency.p99'))} ({three_digits(run.metric('array.write_amplification.media'))})", ranked(run, layer))


def _rebuild_cell(run: ArrayRun, layer: str) -> str:
    rate = run.metric("array.rebuild.bytes") / run.metric("array.rebuild.time") / 2**20
    return _starred(f"{three_digits(rate)} ({three_digits(run.metric('array.latency.rebuild.mean'))} / {three_digits(run.metric('array.latency.rebuild.p99'))})", ranked(run, layer))


def _layer_table(runs: Runs, load: str) -> str:
    cell = _rebuild_cell if load == "rebuild" else _write_cell
    rows = [[f"`{layer}` ({holds(runs, layer)})", *(cell(runs[f"{load} {code} {layer}"], layer) for code in CODES)] for layer in LAYERS]
    return table(["layer (room)", *(code.title for code in CODES.values())], rows)


def holds(runs: Runs, layer: str) -> str:
    """User capacity of the platters over that of conventional tracks on them."""
    return number(runs[f"{UPDATES} 4-2 {layer}"].drives[0].metric("capacity.gain_vs_cmr"))


def order(runs: Runs, load: str, code: str) -> list[str]:
    """Layers other than the yardstick that may be ranked, the lowest mean latency first."""
    rows = {layer: runs[f"{load} {code} {layer}"] for layer in LAYERS if layer != YARDSTICK}
    return sorted((layer for layer, run in rows.items() if ranked(run, layer)), key=lambda layer: rows[layer].metric("host.latency.mean"))


def _close(runs: Runs, load: str, code: str) -> Sequence[str]:
    """The best two where their means are too close for one seed."""
    first, second = order(runs, load, code)[:2]
    means = [runs[f"{load} {code} {layer}"].metric("host.latency.mean") for layer in (first, second)]
    return (first, second) if means[1] < CLOSE * means[0] else ()


def _best_cell(runs: Runs, more: Runs, load: str, code: str) -> str:
    first, second = order(runs, load, code)[:2]

    def means(layer: str) -> list[float]:
        name = f"{load} {code} {layer}"
        of_seeds = [runs[name], *(run for other, run in more.items() if other.startswith(name + " "))]
        return [run.metric("host.latency.mean") for run in of_seeds]

    over = [b / a for a, b in zip(means(first), means(second))]
    margin = f"{over[0]:.2f}" if len(over) == 1 else f"{min(over):.2f} to {max(over):.2f}"
    yardstick = means(first)[0] / means(YARDSTICK)[0]
    return f"`{first}` {yardstick:.2f} (`{second}`: {margin})"


def _best_table(runs: Runs, more: Runs) -> str:
    rows = [[load.title, *(_best_cell(runs, more, name, code) for code in CODES)] for name, load in LOADS.items()]
    return table(["load", *(code.title for code in CODES.values())], rows)


def _per_drive(run: ArrayRun, depth: int, share: float) -> str:
    """Writes that a drive of a closed loop does per second: Little's law."""
    return three_digits(depth / (run.metric("host.latency.mean") / 1000) * share / DRIVES)


def _cause_table(runs: Runs) -> str:
    rows = []
    for layer in OF_CAUSES:
        cells = [_per_drive(runs[f"updates {name} {layer}"], round(QUEUE * DRIVES / code.updated), code.updated) for name, code in CODES.items()]
        cells.append(_per_drive(runs[f"chunk 4-2 {layer}"], round(QUEUE * DRIVES / CODES["4-2"].updated), CODES["4-2"].updated))
        cells += [_per_drive(runs[f"{cause} 4-2 {layer}"], QUEUE * DRIVES, share) for cause, share in (("half", 0.5), ("alone", 1))]
        rows.append([f"`{layer}`", *cells])
    return table(["layer", *(code.title for code in CODES.values()), CAUSES["chunk"], CAUSES["half"], CAUSES["alone"]], rows)


def _destage_table(runs: Runs) -> str:
    rows = [[f"`{layer}`", *(_write_cell(runs[f"{load} 4-2 {layer}"], layer) for load in ("rows-1024", "destage"))] for layer in OF_DESTAGES]
    return table(["layer", *(f"pieces of {size} at most" for size in DESTAGES)], rows)


def write_erasure(out: Path, page: Path = PAGE) -> None:
    """Raises SimulatorError where a run fails."""
    runs = array_runs(matrix(), out)
    close = {f"{load} {code} {layer} {seed}": write_words(load, code, layer, seed)
             for load in LOADS for code in CODES for layer in _close(runs, load, code) for seed in MORE_SEEDS}  # fmt: skip
    write_marked_section(page, f"{COMMAND}: best", _best_table(runs, array_runs(close, out)))
    for load in (*LOADS, "rebuild"):
        write_marked_section(page, f"{COMMAND}: {load}", _layer_table(runs, load))
    write_marked_section(page, f"{COMMAND}: causes", _cause_table(runs))
    write_marked_section(page, f"{COMMAND}: destage", _destage_table(runs))
