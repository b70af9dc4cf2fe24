"""A workload description with the measured characteristics of a trace, and what of them it really has."""

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tessera.engine.simulation import Simulation
from tessera.engine.temporary import work_folder
from tessera.errors import InputError
from tessera.results.run_folder import Run
from tessera.traces.measures import measures
from tessera.traces.table import READ, WRITE

HOST_BLOCK = 512
ALIGNMENT = 4096
SIZES = 16  # rows of a table of sizes
PLACES = 128  # parts of a histogram of addresses
GAPS = (1, 5, *range(10, 100, 5), 99, 99.9, 100)
LARGE_DRIVE = "imr-20tb"  # that holds any trace; conventional recording adds nothing to requests but time
MOST_REQUESTS = 50_000  # by which a candidate is judged
AGREES = 0.25  # relative difference of a characteristic that still counts as the same
COMPARED = (
    "write_share", "mean_read_bytes", "mean_write_bytes", "working_set_bytes", "read_set_bytes", "written_set_bytes", "first_access_share",
    "reuse_distance_p50_bytes", "reuse_distance_p90_bytes", "overwrite_share", "read_after_write_share", "accesses_of_hottest_1_percent",
    "accesses_of_hottest_10_percent", "sequential_read_share", "sequential_write_share", "mean_gap_ms", "gap_p50_ms", "gap_p99_ms", "dispersion",
)  # fmt: skip


@dataclass(frozen=True)
class Fit:
    law: str
    text: str
    """The workload description."""
    wanted: dict[str, Any]
    """What the trace has."""
    reached: dict[str, Any]
    """What a run of the description has."""

    def agreement(self) -> list[tuple[str, float | None, float | None, bool]]:
        """Each characteristic: of the trace, of the workload, and whether they agree."""
        return [(name, self.wanted[name], self.reached[name], agrees(self.wanted[name], self.reached[name])) for name in COMPARED]


def agrees(wanted: float | None, reached: float | None) -> bool:
    """
    >>> agrees(100, 124), agrees(100, 126), agrees(None, None), agrees(0.001, 0.02)
    (True, False, True, True)
    """
    if wanted is None or reached is None:
        return wanted is reached
    slack = 0.02 if 0 <= wanted <= 1 and 0 <= reached <= 1 else 0.0  # shares that are both hardly anything
    return abs(wanted - reached) <= max(AGREES * abs(wanted), slack)


def fit(records: np.ndarray, name: str = "the trace") -> Fit:
    """The description, of the laws that could be, that comes nearest. Raises InputError for a trace that reads and writes nothing."""
    accesses = records[np.isin(records["op"], (READ, WRITE))]
    if len(accesses) == 0:
        raise InputError(f"{name} reads and writes nothing: there is nothing to fit")
    judged = accesses[:MOST_REQUESTS]
    wanted = measures(judged)
    fits = [_judged(law, text, wanted, len(judged)) for law, text in _candidates(judged, wanted, name).items()]
    return min(fits, key=_distance)


def _distance(found: Fit) -> float:
    """Mean ratio, as its logarithm, of the characteristics that both have."""
    terms = []
    for name in COMPARED:
        wanted, reached = found.wanted[name], found.reached[name]
        if wanted is None or reached is None:
            terms.append(0.0 if wanted is reached else 3.0)
        else:
            floor = 0.01 if 0 <= wanted <= 1 else 1e-3 * max(abs(wanted), 1.0)
            terms.append(min(3.0, abs(np.log(max(reached, floor) / max(wanted, floor)))))
    return float(np.mean(terms))


def _judged(law: str, text: str, wanted: dict[str, Any], requests: int) -> Fit:
    from tessera.traces.curves import records_of

    with tempfile.TemporaryDirectory(dir=work_folder()) as folder:
        file = Path(folder) / "fitted.toml"
        file.write_text(text)
        simulation = Simulation(drive=LARGE_DRIVE, layer="cmr", workload=file, limit=requests, fold=True, requests=True)
        run: Run = simulation.run(Path(folder) / "run")
        reached = measures(records_of(run.folder))
    return Fit(law, text, wanted, reached)


def _candidates(accesses: np.ndarray, wanted: dict[str, Any], name: str) -> dict[str, str]:
    common = _common(accesses, wanted, name)
    return {law: f'law = "{law.split(",")[0]}"\n{common}{tables}' for law, tables in _laws(accesses, wanted).items()}


def _common(accesses: np.ndarray, wanted: dict[str, Any], name: str) -> str:
    end = int((accesses["offset"] + accesses["size"]).max())
    lines = [
        f"summary = {json.dumps(f'fitted to {name}')}",
        'limits = "fitted: characteristics of the trace, not its order; which of them agree is said by tessera trace fit"',
        f"requests = {len(accesses)}", f"write_share = {wanted['write_share']:.6g}", f'range = "{-(-end // ALIGNMENT) * ALIGNMENT} B"',
        f'alignment = "{ALIGNMENT} B"', f"sequential_share = {wanted['sequential_write_share'] or 0:.6g}",
        f"read_sequential_share = {wanted['sequential_read_share'] or 0:.6g}",
    ]  # fmt: skip
    for key, op in (("write_sizes", WRITE), ("read_sizes", READ)):
        chosen = accesses["size"][accesses["op"] == op]
        if len(chosen):
            lines.append(f"{key} = {json.dumps(size_table(chosen))}")
    return "\n".join(lines) + "\n"


def size_table(sizes: np.ndarray) -> list[list[int]]:
    """Rows of size and weight: the commonest sizes, and the mean of the rest, in blocks of 512 B.

    >>> size_table(np.array([4096, 4096, 700]))
    [[4096, 2], [1024, 1]]
    """
    blocks = np.maximum(1, -(-sizes.astype(np.int64) // HOST_BLOCK))
    found, counts = np.unique(blocks, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    rows = [[int(found[index]) * HOST_BLOCK, int(counts[index])] for index in order[: SIZES - 1]]
    rest = order[SIZES - 1 :]
    if len(rest):
        weight = int(counts[rest].sum())
        rows.append([round(float((found[rest] * counts[rest]).sum()) / weight) * HOST_BLOCK, weight])
    return rows


def gap_table(gaps_us: np.ndarray) -> list[list[float]]:
    """Percentiles of the gaps, rising."""
    values = np.maximum.accumulate(np.percentile(gaps_us, GAPS))
    return [[float(percent), round(float(value), 3)] for percent, value in zip(GAPS, values)]


def _arrivals(accesses: np.ndarray) -> str:
    gaps = np.diff(accesses["arrival"].astype(np.float64)) / 1e6
    if len(gaps) == 0 or gaps.max() == 0:
        return ""
    return f'\n[arrivals]\nlaw = "table"\ngaps = {json.dumps(gap_table(gaps))}\n'


def _laws(accesses: np.ndarray, wanted: dict[str, Any]) -> dict[str, str]:
    """What each law that could be needs: the places of the addresses, how often the hottest come back, how recent what is written is."""
    starts = accesses["offset"] // ALIGNMENT
    end = int((accesses["offset"] + accesses["size"]).max())
    counts, _ = np.histogram(accesses["offset"].astype(np.float64), bins=PLACES, range=(0, float(end)))
    places = [[index / PLACES, (index + 1) / PLACES, int(count)] for index, count in enumerate(counts) if count]
    arrivals = _arrivals(accesses)
    laws = {"histogram": f"histogram = {json.dumps(places)}\n{arrivals}"}
    for reads in ("like-writes", "uniform"):
        # Reads that lie anywhere say nothing of how hot the written addresses are.
        of_law = starts if reads == "like-writes" else starts[accesses["op"] == WRITE]
        if len(of_law) == 0:
            continue
        items, popularity = np.unique(of_law, return_counts=True)
        laws[f"zipf, reads {reads}"] = f'reads = "{reads}"\n\n[zipf]\nitems = {len(items)}\nexponent = {zipf_exponent(popularity):.4g}\n{arrivals}'
        if wanted["overwrite_share"]:
            share = f"{wanted['overwrite_share']:.6g}"
            laws[f"updates, reads {reads}"] = f'reads = "{reads}"\n\n[updates]\nshare = {share}\nlarge_share = {share}\nexponent = 0.5\n{arrivals}'
    return laws


def zipf_exponent(popularity: np.ndarray) -> float:
    """Slope of the popularity over the rank, both as logarithms, over ranks spread evenly by their logarithm.

    >>> round(zipf_exponent(10_000 / np.arange(1, 1001)), 2)
    1.0
    """
    falling = np.sort(popularity)[::-1].astype(float)
    ranks = np.unique(np.geomspace(1, len(falling), 50).round().astype(int))
    if len(ranks) < 3:
        return 0.0
    slope = np.polyfit(np.log(ranks), np.log(falling[ranks - 1]), 1)[0]
    return float(np.clip(-slope, 0.0, 4.0))


