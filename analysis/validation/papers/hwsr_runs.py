"""The runs of the HWSR chapter: inputs from the paper's Table III, its sweeps, and what is measured of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tessera.results.run_folder import Run
from validation.papers.lab import Grid, Lab, Variant, of_layer

DRIVE = "hwsr-paper"  # and hwsr-paper-cmr, the same with a conventional disk's write buffer
LAYERS = ("cmr", "hwsr", "sblock")
WINDOW = 10_000  # requests of a point of Figures 9 and 10
HEAD_WIDTH = 8
TURN_MS = 1000 * 60 / 7200
SECTOR = 512
ONE_BY_ONE = ("--replay", "closed:1", "--prefill", 100)


@dataclass(frozen=True)
class Trace:
    """A line of Table III."""

    written_over_read: float
    mean_kb: float
    unique_gb: float
    exponent: float = 1.143
    requests: int = 300_000

    @property
    def write_share(self) -> float:
        return self.written_over_read / (1 + self.written_over_read)

    @property
    def items(self) -> int:
        """Distinct start addresses."""
        return round(self.unique_gb * 1e9 / (self.mean_kb * 1024))

    def text(self) -> str:
        """The workload description: small and large requests that give the mean size."""
        small, large = (2048, 8192) if self.mean_kb < 4 else (4096, 131072)
        many = round(1000 * (self.mean_kb * 1024 - small) / (large - small))
        return (
            f'summary = "HWSR, Table III"\nlaw = "zipf"\nwrite_share = {self.write_share:.4f}\nalignment = "2 KiB"\n'
            f'range = "{round(self.unique_gb * 1e9) // 4096 * 4096} B"\nwrite_sizes = [[{small}, {1000 - many}], [{large}, {many}]]\n'
            f"[zipf]\nitems = {self.items}\nexponent = {self.exponent}\nscatter = false\n"
        )


FINANCIAL = {"Financial1": Trace(5.3033, 3.61, 0.53, 1.27), "Financial2": Trace(0.2779, 2.65, 0.47, 1.32, 800_000)}
FILLED_AFTER = {"Financial1": 80_000, "Financial2": 490_000}  # requests, section IV-A
BUFFER_BYTES = 100_000_000
BUFFER_BLOCKS = BUFFER_BYTES // 32768
MSR = {
    "proj": Trace(0.007, 23.46, 123.81, requests=100_000),
    "hm": Trace(2.0557, 7.99, 2.71),
    "rsrch": Trace(7.7725, 8.93, 0.51),
    "src": Trace(1.724, 56.26, 21.19, requests=100_000),
    "stg": Trace(2.0587, 11.58, 6.45),
    "ts": Trace(2.7448, 9.0, 1.29),
    "web": Trace(0.6727, 14.99, 7.34),
    "mds": Trace(0.0177, 56.8, 85.23, requests=100_000),
    "prn": Trace(0.1698, 19.8, 95.51, requests=100_000),
    "wdev": Trace(2.5973, 9.08, 0.65),
}
RULES = ("block_lru", "segment_lru", "least_write_amplification")
BLOCK_SECTORS = (16, 32, 64)
REGION_TRACKS = (10, 20, 40)
SPARES = (0.1, 0.2, 0.3)
COLLECTIONS = ("whole_log", "incremental")
KEPT_FREE = (0, 1, 10)  # percent of the buffer
BACKGROUND_GAP_MS = 10
WINDOWS = (10, 30, 60, 100)  # percent of the buffer


def table_input(lab: Lab, name: str, trace: Trace, *more: object) -> tuple[object, ...]:
    return lab.generated(f"hwsr-{name}", trace.text(), trace.requests, *ONE_BY_ONE, *more)


def _hwsr(layout: str = "paper_linear", **parameters: object) -> Variant:
    return Variant("hwsr", of_layer("hwsr", layout=layout, **{"paper": True, "read_order": "segment", **parameters}))


def _sblock(**parameters: object) -> Variant:
    return Variant("sblock", of_layer("sblock", paper=True, **parameters))


COLUMNS = {"cmr": Variant("cmr", drive="hwsr-paper-cmr"), "hwsr linear": _hwsr(), "hwsr physical": _hwsr("physical"), "sblock": _sblock()}


def blocks_written(trace: Trace, requests: int) -> float:
    """Expected number of distinct blocks that so many requests write."""
    probability = np.arange(1, trace.items + 1, dtype=float) ** -trace.exponent
    probability /= probability.sum()
    by_block = np.bincount(np.arange(trace.items) * int(trace.mean_kb * 1024) // 32768, weights=probability)
    return float((1 - np.exp(-requests * trace.write_share * by_block)).sum())


def financial(lab: Lab) -> Grid:
    """The two financial workloads, with a line of figures every 10,000 requests."""
    inputs = {name: table_input(lab, name, trace, "--intervals", f"{lab.requests(WINDOW)} requests") for name, trace in FINANCIAL.items()}
    return lab.grid(DRIVE, inputs, COLUMNS, "Financial1 and Financial2")


PAPER_DISK = {"media__sectors_per_track": 2048, "media__tracks": 4 * 238_419, "media__cylinder_skew": 565}


def on_tracks_of_1_mib(columns: Iterable[str]) -> dict[str, Variant]:
    """Tracks that pass at 126 MB/s as on the disk that the paper emulates with, instead of 503 MB/s."""
    return {name: Variant(COLUMNS[name].layer, {**COLUMNS[name].settings, **PAPER_DISK}, COLUMNS[name].drive) for name in columns}


def slower_tracks(lab: Lab) -> Grid:
    """Financial1 on slower tracks."""
    return lab.grid(DRIVE, {"Financial1": table_input(lab, "Financial1", FINANCIAL["Financial1"])}, on_tracks_of_1_mib(COLUMNS), "slower tracks")


def volume_inputs(lab: Lab, names: Iterable[str] = MSR) -> dict[str, tuple[object, ...]]:
    return {name: table_input(lab, name, MSR[name]) for name in names}


def msr(lab: Lab) -> Grid:
    """The ten MSR volumes of Figure 13."""
    return lab.grid(DRIVE, volume_inputs(lab), COLUMNS, "ten volumes")


def on_paper_disk(lab: Lab, names: tuple[str, ...] = tuple(MSR), columns: Iterable[str] = tuple(COLUMNS)) -> Grid:
    """As the volumes of the chapter, on tracks of 1 MiB at 7,200 rpm instead of 4 MiB."""
    return lab.grid(DRIVE, volume_inputs(lab, names), on_tracks_of_1_mib(columns), "ten volumes on the paper's disk")


def longer(lab: Lab, name: str = "prn") -> Grid:
    """A volume whose buffer is full late, run longer: at the start S-blocks have free space left."""
    trace = MSR[name]
    inputs = {f"{name}, {times} times as long": table_input(lab, name, replace(trace, requests=times * trace.requests)) for times in (1, 2, 4)}
    return lab.grid(DRIVE, inputs, on_tracks_of_1_mib(("hwsr linear", "hwsr physical", "sblock")), f"{name}, longer")


DISK = "hwsr-paper-disk"
VOLUMES = {"hm": 1, "src": 1, "ts": 1, "prn": 4}  # and how many times as long as in the chapter: prn fills its buffer late
APART, TOGETHER, LESS_SKEW = "S_T 8,192", "S_T 2,048", "S_T 8,192, skew of 150"
MEDIUM_SECTORS = 2048
SKEW = 150  # sectors from track to track instead of 565: four of them are 2.4 ms, a seek and a block


def _by_layout() -> dict[str, Variant]:
    linear = COLUMNS["hwsr linear"]
    own = {"layers__hwsr__track_sectors": 4 * MEDIUM_SECTORS}
    settings = {APART: own, TOGETHER: {"layers__hwsr__track_sectors": 0}, LESS_SKEW: {**own, "media__cylinder_skew": SKEW}}  # 0: the medium's own
    variants = {name: Variant(linear.layer, {**linear.settings, **more}) for name, more in settings.items()}
    return {**variants, "sblock": COLUMNS["sblock"]}


def apart(lab: Lab, names: Mapping[str, int] = VOLUMES) -> Grid:
    """Volumes of the chapter on the paper's disk, its equation 5 with either size of track."""
    inputs = {name: table_input(lab, name, replace(MSR[name], requests=times * MSR[name].requests)) for name, times in names.items()}
    return lab.grid(DISK, inputs, _by_layout(), "tracks of the layout")


def recorded(lab: Lab) -> Grid:
    """Recorded traces at hand: starts of two that the paper names."""
    files = {
        "web_0 (first 100,000)": lab.trace("msr", "web_0_first100k.csv.xz"),
        "Financial1 (first 10,000)": lab.trace("spc", "Financial1_first10k.spc.xz"),
    }
    inputs = {name: ("--trace", file, "--fold", *ONE_BY_ONE) for name, file in files.items() if file}
    return lab.grid(DRIVE, inputs, COLUMNS, "recorded traces")


def _by(settings: Callable[[int], Mapping[str, object]], values: Iterable[int]) -> dict[str, Variant]:
    """Of both layouts."""
    return {f"hwsr {value}": _hwsr(**settings(value)) for value in values} | {f"sblock {value}": _sblock(**settings(value)) for value in values}


SWEEPS: Mapping[str, Mapping[str, Variant]] = {  # by experiment
    "replacement": {rule: _hwsr(replacement=rule) for rule in RULES},  # what leaves the full write buffer (section II-D)
    # What the paper does not print: the share of the buffer whose blocks leave with a victim, S-blocks' rule, how much they keep free and how
    # far a collection goes.
    "unpublished": {
        **{f"hwsr window {window} %": _hwsr(lwa_window=window) for window in WINDOWS},
        "hwsr segment_lru": _hwsr(replacement="segment_lru"),
        **{f"sblock {rule}": _sblock(replacement=rule) for rule in RULES},
        **{f"sblock block_lru, spare {spare}": _sblock(replacement="block_lru", spare=spare) for spare in (0.02, 0.3)},
        **{f"sblock block_lru, {count} spare slots": _sblock(replacement="block_lru", spare_slots=count) for count in (2, 4)},
        "sblock block_lru, 2 spare slots, whole_log": _sblock(replacement="block_lru", spare_slots=2, collection="whole_log"),
    },
    # How far a collection of S-blocks goes: over the whole log, as Figure 7's formula has it, or no further than it needs.
    "migration": {f"{how} {spare}": _sblock(replacement="block_lru", collection=how, spare=spare) for how in COLLECTIONS for spare in SPARES},
    "block-size": _by(lambda sectors: {"block": f"{sectors * SECTOR} B"}, BLOCK_SECTORS),  # Figure 11
    "region-size": _by(lambda tracks: {"region_tracks": tracks}, REGION_TRACKS),  # Figure 12; a segment of HWSR has a block of each track
}


def swept(lab: Lab, sweep: str, names: Sequence[str] = tuple(FINANCIAL)) -> Grid:
    return lab.grid(DRIVE, {name: table_input(lab, name, FINANCIAL[name]) for name in names}, SWEEPS[sweep], sweep)


def background(lab: Lab) -> Grid:
    """Blocks that leave the write buffer before a write needs their room, at a pace that leaves the disk time for it."""
    trace = FINANCIAL["Financial1"]
    text = trace.text() + f'[arrivals]\nlaw = "exponential"\nmean = "{BACKGROUND_GAP_MS} ms"\n'
    words = lab.generated("hwsr-Financial1-timed", text, trace.requests, "--prefill", 100)
    return lab.grid(DRIVE, {"Financial1": words}, {f"{share} %": _hwsr(keep_free=share) for share in KEPT_FREE}, "evictions in the background")


LONGER = 3  # times: until small blocks fill the buffer, too


def longer_blocks(lab: Lab) -> Grid:
    """The smallest and the largest blocks, one change more: a longer run."""
    variants = _by(lambda sectors: {"block": f"{sectors * SECTOR} B"}, (BLOCK_SECTORS[0], BLOCK_SECTORS[-1]))
    trace = FINANCIAL["Financial1"]
    longer = replace(trace, requests=LONGER * trace.requests)
    return lab.grid(DRIVE, {"Financial1": table_input(lab, "Financial1", longer)}, variants, f"block sizes, {LONGER} times as long")


BY_TRACK = {"hwsr linear by track": _hwsr(read_order="track"), "hwsr physical by track": _hwsr("physical", read_order="track")}


def sequential_reads(lab: Lab) -> dict[str, Run]:
    """Reads of 1 MiB one after the other, of HWSR a segment after the other and each track once for all segments."""
    text = 'summary = "sequential reads"\nlaw = "sequential"\nwrite_share = 0.0\nalignment = "1 MiB"\n'
    text += 'range = "8 GiB"\nread_sizes = [[1048576, 1]]\n'
    words = lab.generated("hwsr-sequential", text, 8192, *ONE_BY_ONE)
    return lab.grid(DRIVE, {"": words}, {**COLUMNS, **BY_TRACK}, "sequential reads")[""]


def utilisation_ratio(tracks: int, spare: float) -> float:
    """Section III-B: tracks in use of HWSR over those of S-blocks."""
    return 2 * (tracks + 2 * HEAD_WIDTH) / ((2 * tracks + HEAD_WIDTH) * (1 - spare))


def utilisation(lab: Lab) -> dict[tuple[int, float], float]:
    """User capacity of HWSR over that of S-blocks on the same platter."""
    text = 'summary = "one request"\nlaw = "uniform"\nwrite_share = 0.0\nalignment = "4 KiB"\n'
    words = ("--workload", lab.workload_file("hwsr-one", text), "--limit", 1)
    variants = {f"hwsr {tracks}": _hwsr("physical", region_tracks=tracks) for tracks in REGION_TRACKS}
    variants |= {f"sblock {tracks} {spare}": _sblock(region_tracks=tracks, spare=spare) for tracks in REGION_TRACKS for spare in SPARES}
    row = lab.grid(DRIVE, {"": words}, variants, "utilisation")[""]

    def capacity(name: str) -> float:
        return row[name].metric("capacity.user")

    return {
        (tracks, spare): capacity(f"hwsr {tracks}") / capacity(f"sblock {tracks} {spare}") for tracks in REGION_TRACKS for spare in SPARES
    }


def windows(run: Run) -> list[float]:
    """Response time of each 10,000 requests in seconds, as Figures 9 and 10 add it up, sorted."""
    return sorted(line["mean_latency_ms"] * WINDOW / 1000 for line in run.intervals if line["requests"])


def ninth_decile(run: Run) -> float:
    sums = windows(run)
    return sums[min(len(sums) - 1, 9 * len(sums) // 10)]


def ranked(row: Mapping[str, Run]) -> bool:
    """Whether the write buffers were full: before, no write waits for a layout."""
    return all(run.metric("buffer.dirty.peak") >= 0.99 * BUFFER_BYTES for name, run in row.items() if name != "cmr")
