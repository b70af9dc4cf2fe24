"""Ma et al.: concentrated address mapping and lazy reclamation of a flash cache (MU-RMW), against Skylight's and PORE's caches.

The paper's evaluation replays ten MSR volumes. Its "data written" is the number of write requests times 4 KiB, so each request was
one sector, and its update ratios leave some 640 to 2,560 distinct sectors a volume. The published histograms of write offsets hold
32,000 to 120,000 distinct start sectors for the same volumes. Both workloads are run, and neither is tuned to the answer. One parameter
of a rival is: the share of the bands that PORE opens is fitted to the write amplifications that this paper prints of it. A section sweeps it.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product

from tessera.results.markdown import number, percent, table
from tessera.results.run_folder import Run
from validation.papers import memory, mu_rmw_open, mu_rmw_waits
from validation.papers.experiment import Experiment, sections_of
from validation.papers.lab import Grid, Lab, Variant, of_layer, setting_words
from validation.papers.measures import latency, longest, rmws, total_amplification
from validation.papers.page import Figure, Finding, figure_tables, figures_by_row, findings, span, verdict
from validation.papers.seeds import Comparison, over_seeds, quotient, seed_table

TITLE = "Concentrated mapping over a flash cache (MU-RMW)"

DRIVE = "mu-rmw-paper"
LAYERS = ("skylight-flash", "pore", "mu-rmw")
REQUESTS = 400_000
VOLUMES = ("rsrch_0", "src1_2", "src2_0", "src2_2", "stg_0", "stg_1", "ts_0", "usr_0", "wdev_0", "web_0")
SEED_VOLUMES = ("rsrch_0", "web_0")  # without a merge, and with the most
# Volumes whose write offsets are public, with their write shares in % (Table I).
HISTOGRAMS = {"rsrch_0": 90.68, "src2_0": 88.66, "stg_0": 84.81, "ts_0": 82.42, "usr_0": 59.58, "wdev_0": 79.92, "web_0": 70.12}
GAP_MS = 300  # assumption for histogram-true inputs: the mean gap of web_0 over its week
GAPS = f'[arrivals]\nlaw = "exponential"\nmean = "{GAP_MS} ms"\n'
FLASH_BLOCKS = 640  # section IV-A
CACHE_PAGES = 32 * FLASH_BLOCKS


AS_PUBLISHED = {"paper": True, "crash_safe": False}
STOCK = {layer: Variant(layer) for layer in LAYERS}
FREE_LISTS = ("fifo", "lifo", "lowest")
VICTIMS = ("longest", "most_invalid", "cost")
MERGES = {
    **{victim: Variant("mu-rmw", of_layer("mu-rmw", victim=victim)) for victim in VICTIMS},
    "as published": Variant("mu-rmw", of_layer("mu-rmw", **AS_PUBLISHED)),
    "erasing meanwhile": Variant("mu-rmw", of_layer("mu-rmw", **AS_PUBLISHED, erase_while_writing=True)),
}


def _grid(lab: Lab, inputs: Mapping[str, Sequence[object]], what: str) -> Grid:
    return lab.grid(DRIVE, inputs, STOCK, what)


def paper_implied(lab: Lab, replay: str = "timed", names: Sequence[str] = VOLUMES) -> Grid:
    """The ten volumes as Table I implies them, at the gaps of a week or one request after the other."""
    limit = lab.requests(REQUESTS)
    options = {name: ("--workload", f"mu-{name}", "--limit", limit, "--fold", "--replay", replay) for name in names}
    return _grid(lab, options, f"volumes, paper-implied, {replay}")


def paper_faces(lab: Lab) -> Grid:
    """The same one request after the other, with the layers as the paper prints them: not safe at a power cut."""
    limit = lab.requests(REQUESTS)
    options = {name: ("--workload", f"mu-{name}", "--limit", limit, "--fold", "--replay", "closed:1") for name in VOLUMES}
    variants = {layer: Variant(layer, of_layer(layer, **AS_PUBLISHED)) for layer in LAYERS}
    return lab.grid(DRIVE, options, variants, "volumes, as the paper prints the layers")


RPMS = (20_000, 14_400, 10_800, 7_200, 6_400)


def merge_times(lab: Lab) -> dict[int, Grid]:
    """The same, the spindle faster and slower: nothing but the time of a merge changes, and of each access."""
    limit = lab.requests(REQUESTS)
    options = {name: ("--workload", f"mu-{name}", "--limit", limit, "--fold", "--replay", "closed:1") for name in VOLUMES}
    by_speed = {
        rpm: lab.grid(DRIVE, options, {layer: Variant(layer, {"media__rpm": f"{rpm} rpm"}) for layer in LAYERS}, f"{rpm} rpm")
        for rpm in RPMS
    }
    return by_speed


def histogram_true(lab: Lab, replay: str = "timed", variants: Mapping[str, Variant] = STOCK) -> Grid:
    """The volumes whose write offsets are published, in random order."""
    options = {}
    for name, write_share in HISTOGRAMS.items():
        histogram = lab.trace("msr", "write_offset_histograms", f"{name}.csv.xz")
        if histogram is None:
            continue
        text = (
            f'summary = "write offsets of {name}"\nlaw = "offsets"\noffsets = "{histogram.resolve()}"\noffset_unit = "1 B"\n'
            f'alignment = "4 KiB"\nrange = "1 TiB"\nwrite_share = {write_share / 100}\n{GAPS}'
        )
        options[name] = lab.generated(f"offsets-{name}", text, REQUESTS, "--fold", "--replay", replay)
    return lab.grid(DRIVE, options, variants, f"volumes, histogram-true, {replay}")


def free_lists(lab: Lab) -> Grid:
    """The volume with the most merges, one request after the other, by the order in which erased blocks are taken again."""
    options = ("--workload", "mu-web_0", "--limit", lab.requests(REQUESTS), "--fold", "--replay", "closed:1")
    variants = {f"{layer} {order}": Variant(layer, of_layer(layer, free_list=order)) for layer in ("pore", "mu-rmw") for order in FREE_LISTS}
    return lab.grid(DRIVE, {"web_0": options}, variants, "orders of the free list")


def recorded(lab: Lab) -> Grid:
    """Recorded traces with one sector a request, as the paper replays them, and with their real sizes."""
    options = {}
    for name, file in (("web_0 (first 100,000)", "web_0_first100k.csv.xz"), ("web_3", "web_3.csv.xz"), ("rsrch_1", "rsrch_1.csv.xz")):
        trace = lab.trace("msr", file)
        if trace is None:
            continue
        for how, words in (("one sector", ("--adapt", "one-sector")), ("real sizes", ())):
            options[f"{name}, {how}"] = ("--trace", trace, "--fold", *words)
    return _grid(lab, options, "recorded traces")


def _cliff(lab: Lab, name: str, extents: int, extent_kib: int) -> tuple[object, ...]:
    """Uniform updates of so many extents, spread over ten GiB."""
    text = (
        'summary = "uniform updates of a chosen footprint"\nlaw = "uniform"\nalignment = "4 KiB"\nwrite_share = 1.0\n'
        f'extents = {extents}\nextent = "{extent_kib} KiB"\nrange = "10 GiB"\n{GAPS}'
    )
    return lab.generated(name, text, REQUESTS)


def live_sector_cliff(lab: Lab) -> Grid:
    """Uniform updates of L live sectors spread over all 256 bands: L over the cache's pages from 0.05 to 3."""
    options = {}
    for share in (0.05, 0.1, 0.2, 0.5, 0.8, 1.0, 1.5, 3.0):
        sectors_a_band = max(1, round(share * CACHE_PAGES / 256))
        options[f"{share:g}"] = _cliff(lab, f"live-{share}", 256, 4 * sectors_a_band)
    return _grid(lab, options, "cliff of live sectors")


def band_cliff(lab: Lab) -> Grid:
    """Eight live sectors in each of B active bands: more and more bands share the 640 blocks."""
    options = {}
    for bands, blocks in sorted(product((16, 64, 128, 256), (160, FLASH_BLOCKS)), key=lambda each: each[0] / each[1]):
        words = _cliff(lab, f"bands-{bands}", bands, 32)
        options[f"{bands / blocks:g} ({bands} bands, {blocks} blocks)"] = (*words, *setting_words(nand__blocks=blocks))
    return _grid(lab, options, "cliff of active bands")


FIGURES = (
    Figure("mean ms", latency, of_response=True),
    Figure("max s", lambda run: longest(run) / 1000, of_response=True),
    Figure("WA", total_amplification),
    Figure("RMWs", rmws, 0),
    Figure("cleaning ms", lambda run: run.metric("cleaning.mean"), 1),
)


MERGE_FIGURES = (
    Figure("mean ms", latency, of_response=True),
    Figure("max s", lambda run: longest(run) / 1000, of_response=True),
    Figure("RMWs", rmws, 0),
    Figure("valid pages a merge", lambda run: run.metric("victim.pages_mean"), 0),
)


def _table(grid: Grid, first: str) -> str:
    short = {name: dict(zip(("S", "P", "M"), row.values(), strict=True)) for name, row in grid.items()}
    return figures_by_row(short, first, FIGURES)


def ratio(row: Mapping[str, Run], measure: Callable[[Run], float], against: str) -> float:
    """How many times as much `against` has as MU-RMW."""
    return measure(row[against]) / measure(row["mu-rmw"])


def reduction(row: Mapping[str, Run], against: str) -> float:
    """By what share MU-RMW's mean response is below that of `against` (negative: below)."""
    return latency(row["mu-rmw"]) / latency(row[against]) - 1


MERGES_INTRO = (
    "The same input by `layers.mu_rmw.victim`; and as the paper prints the layer, its blocks erased after the band is written, or meanwhile\n"
    "(`erase_while_writing`).\n"
)


WEAR_INTRO = (
    "Erases of the cache's blocks on web_0, one request after the other, by `free_list`: the order in which erased blocks are taken again. The\n"
    "paper names none, and has no wear levelling. Blocks that the drive keeps for logs and dumps are left out.\n"
)


def _wear_table(row: Mapping[str, Run]) -> str:
    def cells(run: Run) -> list[str]:
        least, mean, most = (run.metric(f"nand.wear.layer.{what}") for what in ("min", "mean", "max"))
        return [number(least, 0), number(mean, 1), number(most, 0), number(most / mean if mean else None)]

    return table(["blocks taken", "least erased", "mean", "most erased", "most over mean"], [[name, *cells(run)] for name, run in row.items()])


def _wear_findings(row: Mapping[str, Run]) -> list[Finding]:
    def uneven(name: str) -> float:
        return row[name].metric("nand.wear.layer.max") / row[name].metric("nand.wear.layer.mean")

    return [
        Finding(
            "the order of the free list decides the spread of wear",
            "(our question)",
            "; ".join(f"{name} {number(uneven(name))}" for name in row),
            verdict(uneven(f"{layer} fifo") < uneven(f"{layer} {order}") for layer in ("pore", "mu-rmw") for order in FREE_LISTS[1:]),
        )
    ]


def _seed_comparisons() -> list[Comparison]:
    return [
        Comparison(f"{name}: {what} {rival} over MU-RMW", quotient(measure, name, against, "mu-rmw"), above=1)
        for name in SEED_VOLUMES
        for what, measure in (("response", latency), ("WA", total_amplification), ("worst case", longest))
        for rival, against in (("PORE", "pore"), ("Skylight", "skylight-flash"))
    ]


def _merge_time_table(by_speed: Mapping[int, Grid]) -> str:
    """The mean time of a merge, and the mean reduction of the response over the volumes, by the spindle's speed."""
    rows = []
    for rpm, grid in by_speed.items():
        runs = [row["skylight-flash"] for row in grid.values()]
        merges = sum(rmws(run) for run in runs)
        time = sum(run.metric("rmw.time_total") for run in runs)
        merge = time / merges if merges else None
        means = [sum(reduction(row, against) for row in grid.values()) / len(grid) for against in ("pore", "skylight-flash")]
        rows.append([f"{rpm:,} rpm", number(merge, 0), *map(percent, means)])
    return table(["spindle", "a merge, ms", "mean response below PORE", "below Skylight"], rows)


def _volumes(lab: Lab) -> list[str]:
    return [_table(paper_implied(lab), "volume")]


def _cleaning_finding(grid: Grid) -> Finding:
    """Of the volumes one after the other, where nothing queues behind a cleaning."""
    means = {layer: [run.metric("cleaning.mean") for row in grid.values() if (run := row[layer]).metric("cleaning.count")] for layer in LAYERS}
    return Finding(
        "average cleaning time, PORE and Skylight over MU-RMW", "PORE and Skylight in seconds, MU-RMW in milliseconds",
        ", ".join(f"{layer} {span(values, 1)} ms" for layer, values in means.items()),
        verdict([*(value >= 1000 for layer in ("pore", "skylight-flash") for value in means[layer]), *(value < 1000 for value in means["mu-rmw"])]),
    )  # fmt: skip


def _one_by_one(lab: Lab) -> list[str]:
    grid = paper_implied(lab, "closed:1")
    return [
        "Nothing queues behind a cleaning: its time is spread over the requests, as the paper's percentages of response time suggest.\n",
        _table(grid, "volume"),
        findings([_cleaning_finding(grid)]),
        seed_table(over_seeds(lab, lambda each: paper_implied(each, "closed:1", SEED_VOLUMES), seeds=3), _seed_comparisons()),
    ]


def _as_printed(lab: Lab) -> list[str]:
    return [_table(paper_faces(lab), "volume")]


def _merge_times(lab: Lab) -> list[str]:
    return [
        "The paper's response times imply a band merge of a third of a second; its band of 40 MiB takes more on the drive that it states.\n",
        _merge_time_table(merge_times(lab)),
    ]


def _histograms(lab: Lab, replay: str = "timed") -> list[str]:
    true = histogram_true(lab, replay)
    return [_table(true, "volume")] if true else []


def _victims(lab: Lab) -> list[str]:
    merges = histogram_true(lab, "closed:1", MERGES)
    return [MERGES_INTRO, *figure_tables(merges, MERGE_FIGURES)] if merges else []


def _wear(lab: Lab) -> list[str]:
    wear = free_lists(lab)["web_0"]
    return [WEAR_INTRO, _wear_table(wear), findings(_wear_findings(wear))]


def _traces(lab: Lab) -> list[str]:
    traces = recorded(lab)
    return [_table(traces, "trace")] if traces else []


BEGINNING = "S is `skylight-flash`, P `pore`, M `mu-rmw`, on drive `mu-rmw-paper`.\n"
EXPERIMENTS = (
    Experiment("volumes", "Ten volumes, paper-implied", _volumes),
    Experiment("one-by-one", "The same, one request after the other", _one_by_one),
    Experiment("as-printed", "The same, with the layers as the paper prints them", _as_printed),
    Experiment("merge-times", "The same, by the time of a merge", _merge_times),
    *mu_rmw_open.EXPERIMENTS,
    Experiment("histograms", "The same volumes, histogram-true", _histograms),
    Experiment("histograms-one-by-one", "Histogram-true, one request after the other", lambda lab: _histograms(lab, "closed:1")),
    Experiment("longest-waits", "Of what the longest wait is made", lambda lab: mu_rmw_waits.parts(histogram_true(lab, "closed:1", mu_rmw_waits.VARIANTS))),
    Experiment("victims", "Which band is merged, and when its blocks are erased", _victims),
    Experiment("wear", "Wear of the cache's blocks", _wear),
    *memory.FLASH,
    Experiment("traces", "Recorded traces: one sector a request and real sizes", _traces),
    Experiment("live-sectors", "The cliff of live sectors over cache pages", lambda lab: [_table(live_sector_cliff(lab), "live / pages")]),
    Experiment("active-bands", "The cliff of active bands over flash blocks", lambda lab: [_table(band_cliff(lab), "bands / blocks")]),
)


def sections(lab: Lab) -> list[str]:
    """Markdown of this chapter."""
    return [BEGINNING, *sections_of(EXPERIMENTS, lab)]
