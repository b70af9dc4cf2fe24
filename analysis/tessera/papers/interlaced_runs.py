"""The runs of the chapter on interlaced layers: inputs from the paper's Table 1, its experiments, and what is measured of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tessera.papers.lab import Grid, Lab, Variant, of_layer
from tessera.papers.measures import amplification
from tessera.run_folder import Run

DRIVE = "p001"
IMPROVED = ("imr-flip", "imr-cache", "imr-dtm")
INTERLACED = ("imr-rmw", *IMPROVED)
LAYERS = ("cmr", *INTERLACED)
MOVES = {"imr-flip": "flip.count", "imr-cache": "cache.promote", "imr-dtm": "swap.count"}
TRACK_SECTORS = 488
TRACK_BYTES = TRACK_SECTORS * 4096
INTERVAL = 20_000  # Table 2: writes from one count of the tracks to the next
INTERVALS = 20  # fewer do not make a ranking
MOST_REQUESTS = 800_000
WEEK_MS = 7 * 24 * 3600 * 1000
FULL = ("--replay", "queue:64", "--prefill", 100)  # section 3: the fixed queue
TURN_MS = 10
NO_WRITE_CACHE = {"firmware__write_cache__capacity": "0 B"}


@dataclass(frozen=True)
class Workload:
    """What the paper publishes of a trace, and the assumption of half of the requests on 100 tracks where it does not."""

    requests: float  # millions, Table 1
    write_share: float  # Table 1
    hot_tracks: int = 100
    hot_share: float = 0.5
    run_length: int = 1
    published: str = ""
    drift: float = 0.1  # assumption: share of the hot tracks that others replace from interval to interval

    def text(self) -> str:
        """The workload description."""
        return (
            f'summary = "interlaced paper: {self.requests} million requests in a week"\nlaw = "hot-tracks"\n'
            f'write_share = {self.write_share}\nrange = "48 GiB"\nalignment = "4 KiB"\n'
            "write_sizes = [[4096, 5], [8192, 2], [16384, 2], [65536, 1]]\n"
            f'[hot]\ntrack = "{TRACK_BYTES} B"\ntracks = {self.hot_tracks}\nshare = {self.hot_share}\nrun_length = {self.run_length}\n'
            f"drift_writes = {INTERVAL}\ndrift_share = {self.drift}\n"
            f'[arrivals]\nlaw = "exponential"\nmean = "{WEEK_MS / self.requests / 1e6:.3f} ms"\n'
        )


WORKLOADS = {
    "w08": Workload(44.3, 0.09),
    "w09": Workload(49.6, 0.55, 100, 0.2, published="20 % on 100 tracks"),
    "w17": Workload(31.3, 0.78, published="hot tracks alone"),
    "w24": Workload(27.1, 0.11),
    "w26": Workload(26.5, 0.58),
    "w28": Workload(19.7, 0.33),
    "w31": Workload(21.1, 0.16),
    "w34": Workload(19.5, 0.23),
    "w39": Workload(17.9, 0.97, 5, 0.5, published="half on a handful"),
    "w43": Workload(15.6, 0.51),
    "w46": Workload(11.5, 0.62),
    "w48": Workload(14.0, 0.42),
    "w56": Workload(10.8, 0.95),
    "w61": Workload(9.8, 0.50),
    "w84": Workload(4.8, 0.86),
    "w87": Workload(3.7, 0.79, 100, 0.15, 10, "15 % on 100 tracks, side by side"),
    "w106": Workload(3.2, 0.82, 100, 0.8, published="80 % on 100 tracks"),
}
UNAFFECTED = ("w08", "w24", "w31", "w43")
HELPED_LITTLE = ("w09", "w87")
ELIMINATED = ("w39", "w56", "w106")


def _requests(workload: Workload) -> int:
    """Enough for the intervals of a ranking, as far as the length of a run allows."""
    return min(MOST_REQUESTS, round(INTERVALS * INTERVAL / workload.write_share))


def _input(lab: Lab, name: str, *more: object) -> tuple[object, ...]:
    shape = WORKLOADS[name]
    return lab.generated(f"interlaced-{name}", shape.text(), _requests(shape), *FULL, *more)


def _plain(layers: Iterable[str], **settings: object) -> dict[str, Variant]:
    return {layer: Variant(layer, settings) for layer in layers}


def _numbered(layer: str, n: int) -> Variant:
    """A layer whose logical sectors run over n bottoms and then over their tops."""
    return Variant(layer, of_layer(layer, layout_n=n))


def uniform_writes(lab: Lab) -> dict[str, Run]:
    """Single sectors anywhere on a full disk, one at a time, without a cache: the read-modify-write's cost alone."""
    text = 'summary = "single sectors anywhere"\nlaw = "uniform"\nwrite_share = 1.0\nalignment = "4 KiB"\n'
    words = lab.generated("interlaced-uniform", text, 100_000, "--replay", "closed:1", "--prefill", 100)
    return lab.grid(DRIVE, {"": words}, _plain(("cmr", "imr-rmw"), **NO_WRITE_CACHE), "uniform writes")[""]


def workloads(lab: Lab, names: Sequence[str] = tuple(WORKLOADS)) -> Grid:
    """The 17 workloads on all five layers."""
    return lab.grid(DRIVE, {name: _input(lab, name) for name in names}, _plain(LAYERS), "17 workloads")


def loads(lab: Lab, name: str = "w39", scales: Sequence[str] = ("1", "0.5", "0.25", "0.125")) -> Grid:
    """A workload at its mean rate over the week, and faster."""
    inputs = {scale: _input(lab, name, "--time-scale", scale) for scale in scales}
    return lab.grid(DRIVE, inputs, _plain(LAYERS), f"{name}, faster and faster")


def faster(lab: Lab, names: Sequence[str] = ("w46", "w28", "w56"), scale: str = "0.25") -> Grid:
    """The workloads of the paper's Figures 12 and 13, faster than their weekly mean so that a drive can fall behind: in ten parts, and
    with the life of each request."""
    inputs = {}
    for name in names:
        part = lab.requests(_requests(WORKLOADS[name])) // 10
        inputs[name] = _input(lab, name, "--time-scale", scale, "--intervals", f"{part} requests", "--requests")
    return lab.grid(DRIVE, inputs, _plain(LAYERS), "four times as fast")


def disparity(row: Mapping[str, Run], layer: str) -> list[float]:
    """By how many seconds each part of a run ends later than on the conventional disk."""
    return [here["end_s"] - there["end_s"] for here, there in zip(row[layer].intervals, row["cmr"].intervals, strict=False)]


def numbering(lab: Lab, names: Sequence[str] = ("w17", "w87", "w106")) -> Grid:
    """N = 1, where logical neighbours are physical ones, and N = 256."""
    variants = {f"{layer} N={n}": _numbered(layer, n) for layer in INTERLACED for n in (1, 256)}
    return lab.grid(DRIVE, {name: _input(lab, name) for name in names}, variants, "N = 1 and N = 256")


def without_cache(lab: Lab, names: Sequence[str] = ("w106", "w87", "w39")) -> Grid:
    """With and without the drive's write cache."""
    variants = {}
    for layer in LAYERS:
        variants[f"{layer} on"] = Variant(layer)
        variants[f"{layer} off"] = Variant(layer, NO_WRITE_CACHE)
    return lab.grid(DRIVE, {name: _input(lab, name) for name in names}, variants, "cache on and off")


def staying(lab: Lab, names: Sequence[str]) -> Grid:
    """Without the write cache, hot tracks as they are and hot tracks that stay where they are."""
    inputs = {}
    for name in names:
        still = replace(WORKLOADS[name], drift=0.0)
        inputs[f"{name}, drifting"] = _input(lab, name)
        inputs[f"{name}, staying"] = lab.generated(f"interlaced-{name}-staying", still.text(), _requests(still), *FULL)
    return lab.grid(DRIVE, inputs, _plain(INTERLACED, **NO_WRITE_CACHE), "hot tracks that stay")


def bare(lab: Lab, names: Sequence[str] = ("w106", "w39", "w87")) -> Grid:
    """Without the write cache alone."""
    return lab.grid(DRIVE, {name: _input(lab, name) for name in names}, _plain(LAYERS, **NO_WRITE_CACHE), f"cache off, seed {lab.seed}")


def cache_rules(lab: Lab, names: Sequence[str] = ("w106", "w46", "w39", "w87")) -> Grid:
    """Track caching as Algorithm 2 prints it, which swaps whatever is hotter, and with the threshold of the other two layers."""
    variants = {
        "rmw": Variant("imr-rmw"),
        "as printed": Variant("imr-cache"),
        "threshold 50": Variant("imr-cache", of_layer("imr-cache", paper=False)),
    }
    return lab.grid(DRIVE, {name: _input(lab, name) for name in names}, variants, "rules of track caching")


def own_amplification(run: Run) -> float:
    """Write amplification of host writes alone: the tracks that moves write are left out."""
    moved = (run.find("move.sectors") or 0) - (run.find("media.sectors_written.moves") or 0)
    return amplification(run) - moved * 4096 / run.metric("host.bytes_written")


def dilated(run: Run) -> float:
    """How much longer the input took than its arrival times span."""
    return run.metric("host.time_dilation")


def ranked(row: Mapping[str, Run]) -> bool:
    """Whether enough intervals of the heat counters lie in the run."""
    return row["imr-rmw"].metric("host.writes") >= INTERVALS * INTERVAL


def published_half(grid: Grid) -> int:
    """Workloads on which dynamic mapping halves what a write costs beyond itself, or better."""
    return sum(own_amplification(row["imr-rmw"]) >= 2 * own_amplification(row["imr-dtm"]) for row in grid.values())
