"""The runs of the chapter on interlaced layers: inputs by the published statistics, the paper's experiments, and what is measured."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tessera.results.run_folder import Run
from tessera.traces.published_workload import Row, Shape, description, row_of
from validation.papers.lab import Grid, Lab, Variant, of_layer
from validation.papers.measures import amplification, metric, total_amplification

DRIVE = "interlaced-paper"
IMPROVED = ("imr-flip", "imr-cache", "imr-dtm")
INTERLACED = ("imr-rmw", *IMPROVED)
LAYERS = ("cmr", *INTERLACED)
MOVES = {"imr-flip": "flip.count", "imr-cache": "cache.promote", "imr-dtm": "swap.count"}
TRACK_SECTORS = 488
TRACK_BYTES = TRACK_SECTORS * 4096
INTERVAL = 20_000  # Table 2: writes from one count of the tracks to the next
INTERVALS = 20  # fewer do not make a ranking
MOST_REQUESTS = 800_000
NOT_RANKED = 300_000  # requests of a workload whose intervals do not fit in that
WEEK_MS = 7 * 24 * 3600 * 1000
FULL = ("--replay", "queue:64", "--prefill", 100)  # section 3: the fixed queue
TURN_MS = 10
NO_WRITE_CACHE = {"firmware__write_cache__capacity": "0 B"}
HOT_TRACKS = 100  # the paper counts the writes on the hottest hundred
FEW = 5  # "a handful"
STATISTICS = ("cloudphysics", "all106_stats.csv.xz")  # the public table of the traces' statistics


@dataclass(frozen=True)
class Workload:
    """What the paper publishes of a trace; the rest is of the public table of its statistics, where that is at hand."""

    requests: float  # millions, Table 1
    write_share: float  # Table 1
    hot_share: float | None = None  # of the writes on the hottest hundred tracks
    few_share: float | None = None  # on the hottest five
    run_length: int = 8  # assumption: hot tracks side by side
    published: str = ""
    drift: float = 0.0  # share of the hot tracks that others replace from interval to interval
    exponential: bool = False  # gaps by their mean alone
    writes_only: bool = False

    def shape(self, track: int = TRACK_BYTES) -> Shape:
        """What is not in the table; `track`: bytes of one of the drive's."""
        return Shape(
            track=track,
            tracks=HOT_TRACKS,
            share=self.hot_share,
            few=FEW,
            few_share=self.few_share,
            run_length=self.run_length,
            drift_share=self.drift,
            drift_writes=INTERVAL,
            exponential=self.exponential,
            write_share=1.0 if self.writes_only else None,
        )

    def text(self, row: Row | None, track: int = TRACK_BYTES) -> str:
        """The workload description, by its row of the table or by the paper alone."""
        if row is not None:
            return description(row, self.shape(track))
        few = (FEW, self.few_share) if self.few_share is not None else (HOT_TRACKS, self.hot_share or 0.5)
        return (
            f'summary = "interlaced paper: {self.requests} million requests in a week"\nlaw = "hot-tracks"\n'
            f'write_share = {1.0 if self.writes_only else self.write_share}\nrange = "48 GiB"\nalignment = "4 KiB"\n'
            "write_sizes = [[4096, 5], [8192, 2], [16384, 2], [65536, 1]]\n"
            f'[hot]\ntrack = "{track} B"\ntracks = {few[0]}\nshare = {few[1]}\nrun_length = {self.run_length}\n'
            f"drift_writes = {INTERVAL}\ndrift_share = {self.drift}\n"
            f'[arrivals]\nlaw = "exponential"\nmean = "{WEEK_MS / self.requests / 1e6:.3f} ms"\n'
        )


WORKLOADS = {
    "w08": Workload(44.3, 0.09),
    "w09": Workload(49.6, 0.55, 0.2, published="20 % on 100 tracks"),
    "w17": Workload(31.3, 0.78, run_length=1, published="hot tracks alone"),
    "w24": Workload(27.1, 0.11),
    "w26": Workload(26.5, 0.58),
    "w28": Workload(19.7, 0.33),
    "w31": Workload(21.1, 0.16),
    "w34": Workload(19.5, 0.23),
    "w39": Workload(17.9, 0.97, few_share=0.5, published="half on a handful"),
    "w43": Workload(15.6, 0.51),
    "w46": Workload(11.5, 0.62),
    "w48": Workload(14.0, 0.42),
    "w56": Workload(10.8, 0.95),
    "w61": Workload(9.8, 0.50),
    "w84": Workload(4.8, 0.86),
    "w87": Workload(3.7, 0.79, 0.15, run_length=10, published="15 % on 100 tracks, side by side"),
    "w106": Workload(3.2, 0.82, 0.8, published="80 % on 100 tracks"),
}
IN_PARTS = ("w46", "w28", "w56")  # Figures 12 and 13


def _requests(workload: Workload) -> int:
    """Enough for the intervals of a ranking, where the length of a run allows."""
    wanted = round(INTERVALS * INTERVAL / workload.write_share)
    return wanted if wanted <= MOST_REQUESTS else NOT_RANKED


def row_at_hand(lab: Lab, name: str) -> Row | None:
    """The published statistics of a workload, or None where the table is not at hand."""
    table = lab.trace(*STATISTICS)
    return row_of(table, name) if table else None


def input_of(lab: Lab, name: str, *more: object, requests_of_page: int | None = None, **changes: object) -> tuple[object, ...]:
    """The options that run a workload, or a changed one, at its own length or another."""
    shape = replace(WORKLOADS[name], **changes)
    words = "".join(f"-{key}-{value}" for key, value in changes.items())
    return lab.generated(f"interlaced-{name}{words}", shape.text(row_at_hand(lab, name)), requests_of_page or _requests(shape), *FULL, *more)


def plain(layers: Iterable[str], **settings: object) -> dict[str, Variant]:
    return {layer: Variant(layer, settings) for layer in layers}


def single_sectors(lab: Lab) -> Grid:
    """Anywhere on a full disk and in order, one at a time, without a cache: the read-modify-write's cost alone."""
    inputs = {}
    for law, requests in (("uniform", 100_000), ("sequential", 20_000)):
        text = f'summary = "single sectors"\nlaw = "{law}"\nwrite_share = 1.0\nalignment = "4 KiB"\n'
        inputs[law] = lab.generated(f"interlaced-{law}", text, requests, "--replay", "closed:1", "--prefill", 100)
    return lab.grid(DRIVE, inputs, plain(("cmr", "imr-rmw"), **NO_WRITE_CACHE), "single sectors")


def workloads(lab: Lab, names: Sequence[str] = tuple(WORKLOADS), layers: Sequence[str] = LAYERS) -> Grid:
    """The 17 workloads on the conventional and the interlaced layers."""
    inputs = {name: input_of(lab, name, *(_in_parts(lab, name) if name in IN_PARTS else ())) for name in names}
    return lab.grid(DRIVE, inputs, plain(layers), "17 workloads")


def _in_parts(lab: Lab, name: str) -> tuple[object, ...]:
    """Ten parts of a run, and the life of each request."""
    return "--intervals", f"{lab.requests(_requests(WORKLOADS[name])) // 10} requests", "--requests"


def loads(lab: Lab, name: str = "w09", scales: Sequence[str] = ("2", "1", "0.5")) -> Grid:
    """A workload slower than it was, as it was and faster."""
    inputs = {scale: input_of(lab, name, "--time-scale", scale) for scale in scales}
    return lab.grid(DRIVE, inputs, plain(LAYERS), f"{name}, slower and faster")


CAUSES = {  # what an input assumes, as it is and changed alone
    "as it is": {},
    "gaps by their mean alone": {"exponential": True},
    "hot tracks alone": {"run_length": 1},
    "a tenth of the hot tracks drifts": {"drift": 0.1},
}


def one_cause_at_a_time(lab: Lab, names: Sequence[str] = ("w08", "w24", "w43", "w39", "w106"), causes: Sequence[str] = tuple(CAUSES)) -> Grid:
    """Each of CAUSES changed alone."""
    inputs = {f"{name}, {cause}": input_of(lab, name, **CAUSES[cause]) for name in names for cause in causes}
    return lab.grid(DRIVE, inputs, plain(LAYERS), "one cause at a time")


def disparity(row: Mapping[str, Run], layer: str) -> list[float]:
    """By how many seconds each part of a run ends later than on the conventional disk."""
    return [here["end_s"] - there["end_s"] for here, there in zip(row[layer].intervals, row["cmr"].intervals, strict=False)]


SWEEPS: Mapping[str, tuple[Sequence[str], Mapping[str, Variant]]] = {  # by experiment: workloads, and what changes
    # Track caching as Algorithm 2 prints it, which swaps whatever is hotter, and with the threshold of the other two layers.
    "cache-threshold": (
        ("w106", "w43", "w39", "w87"),
        {"rmw": Variant("imr-rmw"), "as printed": Variant("imr-cache"), "threshold 50": Variant("imr-cache", of_layer("imr-cache", paper=False))},
    ),
    # N = 1, where logical neighbours are physical ones; or logical sectors run over 256 bottoms and then over their tops.
    "numbering": (("w17", "w87", "w106"), {f"{layer} N={n}": Variant(layer, of_layer(layer, layout_n=n)) for layer in INTERLACED for n in (1, 256)}),
    # Behind the write cache, and in front of it.
    "heat-counted": (
        ("w39", "w56", "w106", "w43"),
        plain(["imr-rmw"]) | {f"{layer} {where}": Variant(layer, of_layer(layer, heat=where)) for layer in IMPROVED for where in ("media", "host")},
    ),
    "write-cache": (("w106", "w87", "w39"), {f"{layer} {cache}": Variant(layer, {} if cache == "on" else NO_WRITE_CACHE) for layer in LAYERS for cache in ("on", "off")}),
    "seeds": (("w106", "w39", "w87"), plain(LAYERS, **NO_WRITE_CACHE)),
}


def swept(lab: Lab, sweep: str, names: Sequence[str] = ()) -> Grid:
    """All its workloads, or these."""
    workloads, variants = SWEEPS[sweep]
    return lab.grid(DRIVE, {name: input_of(lab, name) for name in names or workloads}, variants, sweep)


def own_amplification(run: Run) -> float:
    """Write amplification of host writes alone: the tracks that moves write are left out."""
    moved = (run.find("move.sectors") or 0) - (run.find("media.sectors_written.moves") or 0)
    return amplification(run) - moved * 4096 / run.metric("host.bytes_written")


def moves_done(run: Run) -> float | None:
    """Flips, promotions into the track cache, or swaps."""
    return next((run.find(name) for name in MOVES.values() if run.find(name) is not None), None)


def own_with_backups(run: Run) -> float:
    """The same with the copies of what a read-modify-write saves before it writes (section 2.1)."""
    return total_amplification(run) - (run.find("move.sectors") or 0) * 4096 / run.metric("host.bytes_written")


dilated = metric("host.time_dilation")  # how much longer the input took than its arrival times span


def ranked(row: Mapping[str, Run]) -> bool:
    """Whether enough intervals of the heat counters lie in the run."""
    return row["imr-rmw"].metric("host.writes") >= INTERVALS * INTERVAL
