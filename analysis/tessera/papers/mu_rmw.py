"""Ma et al.: concentrated address mapping and lazy reclamation of a flash cache (MU-RMW), against Skylight's and PORE's caches.

The paper's evaluation replays ten MSR volumes. Its "data written" is the number of write requests times 4 KiB, so each request was
one sector, and its update ratios leave some 640 to 2,560 distinct sectors a volume. The published histograms of write offsets hold
32,000 to 120,000 distinct start sectors for the same volumes. Both workloads are run, and neither is tuned to the answer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tessera.papers.lab import Lab, trial
from tessera.papers.page import Finding, findings, number, percent, table, verdict
from tessera.run_folder import Run

TITLE = "Concentrated mapping over a flash cache (MU-RMW)"

DRIVE = "p000"
LAYERS = ("skylight-flash", "pore", "mu-rmw")
REQUESTS = 400_000
# Volume: write share in % (Table I) and range in 256 MiB zones; the histograms' volumes are those with a public one.
VOLUMES = ("rsrch_0", "src1_2", "src2_0", "src2_2", "stg_0", "stg_1", "ts_0", "usr_0", "wdev_0", "web_0")
HISTOGRAMS = {"rsrch_0": 90.68, "src2_0": 88.66, "stg_0": 84.81, "ts_0": 82.42, "usr_0": 59.58, "wdev_0": 79.92, "web_0": 70.12}
RMW_FREE = {"rsrch_0", "src2_0", "src2_2", "stg_0", "stg_1"}  # section IV-B
GAP_MS = 300  # assumption for histogram-true inputs: the mean gap of web_0 over its week
CACHE_PAGES = 20_480  # section IV-A: 640 blocks of 32 pages
FLASH_BLOCKS = 640


@dataclass(frozen=True)
class Input:
    """A workload and its results by layer."""

    name: str
    runs: dict[str, Run]

    def figure(self, layer: str, metric: str) -> float | None:
        return self.runs[layer].metric(metric)

    def reduction(self, metric: str, against: str) -> float | None:
        """By how much mu-rmw is below `against`, as a share (negative: below)."""
        ours, theirs = self.figure("mu-rmw", metric), self.figure(against, metric)
        return None if ours is None or not theirs else ours / theirs - 1

    def ratio(self, metric: str, against: str) -> float | None:
        ours, theirs = self.figure("mu-rmw", metric), self.figure(against, metric)
        return None if theirs is None or not ours else theirs / ours


def _inputs(lab: Lab, options: dict[str, Sequence[str]], what: str) -> list[Input]:
    trials = {name: {layer: trial(DRIVE, layer, *words) for layer in LAYERS} for name, words in options.items()}
    runs = lab.run((each for by_layer in trials.values() for each in by_layer.values()), what)
    return [Input(name, {layer: runs[each] for layer, each in by_layer.items()}) for name, by_layer in trials.items()]


def paper_implied(lab: Lab, replay: str = "timed") -> list[Input]:
    """The ten volumes as Table I implies them, at the gaps of a week or one request after the other."""
    limit = str(lab.requests(REQUESTS))
    options = {name: ("--workload", f"mu-{name}", "--limit", limit, "--fold", "--replay", replay) for name in VOLUMES}
    return _inputs(lab, options, f"ten volumes, paper-implied, {replay}")


def histogram_true(lab: Lab) -> list[Input]:
    """The volumes whose write offsets are published, in random order."""
    if lab.traces is None:
        return []
    options = {}
    for name, write_share in HISTOGRAMS.items():
        histogram = lab.traces / "msr" / "write_offset_histograms" / f"{name}.csv.xz"
        if not histogram.exists():
            continue
        text = (
            f'summary = "write offsets of {name}"\nlaw = "offsets"\noffsets = "{histogram.resolve()}"\noffset_unit = "1 B"\n'
            f'alignment = "4 KiB"\nrange = "1 TiB"\nwrite_share = {write_share / 100}\n'
            f'[arrivals]\nlaw = "exponential"\nmean = "{GAP_MS} ms"\n'
        )
        file = lab.workload_file(f"offsets-{name}", text)
        options[name] = ("--workload", str(file), "--limit", str(lab.requests(REQUESTS)), "--fold")
    return _inputs(lab, options, "volumes, histogram-true")


def recorded(lab: Lab) -> list[Input]:
    """Recorded traces with one sector a request, as the paper replays them, and with their real sizes."""
    if lab.traces is None:
        return []
    options = {}
    for name, file in (("web_0 (first 100,000)", "web_0_first100k.csv.xz"), ("web_3", "web_3.csv.xz"), ("rsrch_1", "rsrch_1.csv.xz")):
        for how, words in (("one sector", ("--adapt", "one-sector")), ("real sizes", ())):
            options[f"{name}, {how}"] = ("--trace", str(lab.traces / "msr" / file), "--fold", *words)
    return _inputs(lab, options, "recorded traces")


def _cliff(lab: Lab, name: str, keys: dict[str, object]) -> tuple[str, ...]:
    lines = "".join(f"{key} = {value}\n" for key, value in keys.items())
    text = (
        f'summary = "uniform updates of a chosen footprint"\nlaw = "uniform"\nalignment = "4 KiB"\nwrite_share = 1.0\n{lines}'
        f'[arrivals]\nlaw = "exponential"\nmean = "{GAP_MS} ms"\n'
    )
    return "--workload", str(lab.workload_file(name, text)), "--limit", str(lab.requests(REQUESTS))


def live_sector_cliff(lab: Lab) -> list[Input]:
    """Uniform updates of L live sectors spread over all 256 bands: L over the cache's pages from 0.05 to 3."""
    options = {}
    for share in (0.05, 0.1, 0.2, 0.5, 0.8, 1.0, 1.5, 3.0):
        sectors_a_band = max(1, round(share * CACHE_PAGES / 256))
        name = f"{share:g}"
        options[name] = _cliff(lab, f"live-{share}", {"extents": 256, "extent": f'"{4 * sectors_a_band} KiB"', "range": '"10 GiB"'})
    return _inputs(lab, options, "cliff of live sectors")


def band_cliff(lab: Lab) -> list[Input]:
    """Eight live sectors in each of B active bands: more and more bands share the 640 blocks."""
    options = {}
    for bands in (16, 64, 128, 256):
        for blocks in (160, 640):
            words = _cliff(lab, f"bands-{bands}", {"extents": bands, "extent": '"32 KiB"', "range": '"10 GiB"'})
            options[f"{bands / blocks:g} ({bands} bands, {blocks} blocks)"] = (*words, "--set", f"nand.blocks={blocks}")
    return _inputs(lab, dict(sorted(options.items(), key=lambda item: float(item[0].split()[0]))), "cliff of active bands")


def _table(inputs: Sequence[Input], first: str) -> str:
    header = [first]
    columns: list[tuple[str, str, int]] = [
        ("mean ms", "host.latency.mean", 2), ("max s", "host.latency.max", 2), ("WA", "write_amplification.total", 2),
        ("RMWs", "rmw.count", 0), ("cleaning ms", "cleaning.mean", 1),
    ]
    header += [f"{title} {short}" for title, _, _ in columns for short in ("S", "P", "M")]
    rows = []
    for each in inputs:
        cells = []
        for title, metric, digits in columns:
            for layer in LAYERS:
                value = each.figure(layer, metric)
                cells.append(number(value / 1000 if value is not None and title == "max s" else value, digits))
        rows.append([each.name, *cells])
    return table(header, rows)


def _spread(inputs: Sequence[Input], value: Callable[[Input], float | None], text: Callable[[float | None], str]) -> str:
    values = [figure for each in inputs if (figure := value(each)) is not None]
    if not values:
        return "-"
    return f"{text(min(values))} to {text(max(values))}, mean {text(sum(values) / len(values))}"


def _verdicts(inputs: Sequence[Input]) -> list[Finding]:
    def reduction(against: str) -> str:
        return _spread(inputs, lambda each: each.reduction("host.latency.mean", against), percent)

    def ratio(against: str) -> str:
        return _spread(inputs, lambda each: each.ratio("write_amplification.total", against), lambda value: number(value, 1))

    def worst(against: str) -> str:
        return _spread(inputs, lambda each: each.ratio("host.latency.max", against), lambda value: number(value, 1))

    def compare(metric: str, against: str, low: float, high: float) -> str:
        """Whether the paper's range of ratios comes out, or at least that Mu-RMW is ahead."""
        values = [value for each in inputs if (value := each.ratio(metric, against)) is not None]
        return verdict(low / 2 <= value <= high * 2 for value in values) + ", ahead: " + verdict(value > 1 for value in values)

    free = {each.name for each in inputs if each.figure("mu-rmw", "rmw.count") == 0}
    named = {each.name for each in inputs} & RMW_FREE
    return [
        Finding("mean response below PORE", "-38.58 % on average, -50.09 % at best", reduction("pore"), _below(inputs, "pore")),
        Finding(
            "mean response below Skylight", "-69.38 % on average, -75.64 % at best", reduction("skylight-flash"),
            _below(inputs, "skylight-flash"),
        ),
        Finding(
            "write amplification, PORE over MU-RMW (here: within half and twice)", "22.5 to 40.4", ratio("pore"),
            compare("write_amplification.total", "pore", 22.48, 40.4),
        ),
        Finding(
            "write amplification, Skylight over MU-RMW (here: within half and twice)", "70.9 to 128.1", ratio("skylight-flash"),
            compare("write_amplification.total", "skylight-flash", 70.92, 128.09),
        ),
        Finding("worst case, PORE over MU-RMW", "99.57 where any RMW occurs", worst("pore"), "ahead: " + _worst_ahead(inputs, "pore")),
        Finding(
            "worst case, Skylight over MU-RMW", "120.47 where any RMW occurs", worst("skylight-flash"),
            "ahead: " + _worst_ahead(inputs, "skylight-flash"),
        ),
        Finding(
            "volumes without any RMW", ", ".join(sorted(RMW_FREE)), ", ".join(sorted(free)) or "none",
            verdict(name in free for name in named),
        ),
    ]


def _below(inputs: Sequence[Input], against: str) -> str:
    return verdict((each.reduction("host.latency.mean", against) or 0) < 0 for each in inputs)


def _worst_ahead(inputs: Sequence[Input], against: str) -> str:
    return verdict(value > 1 for each in inputs if (value := each.ratio("host.latency.max", against)) is not None)


def sections(lab: Lab) -> list[str]:
    """Markdown of this chapter."""
    implied, one_by_one, true = paper_implied(lab), paper_implied(lab, "closed:1"), histogram_true(lab)
    parts = [__doc__.split("\n\n", 1)[1], "S is `skylight-flash`, P `pore`, M `mu-rmw`, on drive `p000`.\n"]
    parts += ["### Ten volumes, paper-implied\n", _table(implied, "volume"), findings(_verdicts(implied))]
    parts += [
        "### The same, one request after the other\n",
        "Nothing queues behind a cleaning: its time is spread over the requests, as the paper's percentages of response time suggest.\n",
        _table(one_by_one, "volume"), findings(_verdicts(one_by_one)),
    ]
    if true:
        parts += ["### The same volumes, histogram-true\n", _table(true, "volume"), findings(_verdicts(true))]
    if traces := recorded(lab):
        parts += ["### Recorded traces: one sector a request and real sizes\n", _table(traces, "trace")]
    parts += ["### The cliff of live sectors over cache pages\n", _table(live_sector_cliff(lab), "live / pages")]
    parts += ["### The cliff of active bands over flash blocks\n", _table(band_cliff(lab), "bands / blocks")]
    return parts
