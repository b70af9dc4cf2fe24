"""Ma et al.: concentrated address mapping and lazy reclamation of a flash cache (MU-RMW), against Skylight's and PORE's caches.

The paper's evaluation replays ten MSR volumes. Its "data written" is the number of write requests times 4 KiB, so each request was
one sector, and its update ratios leave some 640 to 2,560 distinct sectors a volume. The published histograms of write offsets hold
32,000 to 120,000 distinct start sectors for the same volumes. Both workloads are run, and neither is tuned to the answer. One parameter
of a rival is: the share of the bands that PORE opens is fitted to the write amplifications that this paper prints of it. A section sweeps it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product

from tessera.results.markdown import number, percent, table
from tessera.results.run_folder import Run
from validation.papers.experiment import Experiment, Replicates
from validation.papers.lab import Grid, Lab, Variant, of_layer, setting_words
from validation.papers.measures import CLEANINGS, LONGEST, MEAN, RMWS, WA, Figure, by_variant, latency, metric, rmws

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


def _volumes(lab: Lab, replay: str = "closed:1", names: Sequence[str] = VOLUMES) -> dict[str, tuple[object, ...]]:
    limit = lab.requests(REQUESTS)
    return {name: ("--workload", f"mu-{name}", "--limit", limit, "--fold", "--replay", replay) for name in names}


def paper_implied(lab: Lab, replay: str = "timed", names: Sequence[str] = VOLUMES) -> Grid:
    """The ten volumes as Table I implies them, at the gaps of a week or one request after the other."""
    return lab.grid(DRIVE, _volumes(lab, replay, names), STOCK, f"volumes, paper-implied, {replay}")


def paper_faces(lab: Lab) -> Grid:
    """The same one request after the other, with the layers as the paper prints them: not safe at a power cut."""
    variants = {layer: Variant(layer, of_layer(layer, **AS_PUBLISHED)) for layer in LAYERS}
    return lab.grid(DRIVE, _volumes(lab), variants, "volumes, as the paper prints the layers")


def merge_times(lab: Lab) -> dict[int, Grid]:
    """The same, the spindle faster and slower: nothing but the time of a merge changes, and of each access."""
    return {
        rpm: lab.grid(DRIVE, _volumes(lab), {layer: Variant(layer, {"media__rpm": f"{rpm} rpm"}) for layer in LAYERS}, f"{rpm} rpm")
        for rpm in (20_000, 14_400, 10_800, 7_200, 6_400)
    }


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
    variants = {f"{layer} {order}": Variant(layer, of_layer(layer, free_list=order)) for layer in ("pore", "mu-rmw") for order in FREE_LISTS}
    return lab.grid(DRIVE, _volumes(lab, names=("web_0",)), variants, "orders of the free list")


def recorded(lab: Lab) -> Grid:
    """Recorded traces with one sector a request, as the paper replays them, and with their real sizes."""
    options = {}
    for name, file in (("web_0 (first 100,000)", "web_0_first100k.csv.xz"), ("web_3", "web_3.csv.xz"), ("rsrch_1", "rsrch_1.csv.xz")):
        trace = lab.trace("msr", file)
        if trace is None:
            continue
        for how, words in (("one sector", ("--adapt", "one-sector")), ("real sizes", ())):
            options[f"{name}, {how}"] = ("--trace", trace, "--fold", *words)
    return lab.grid(DRIVE, options, STOCK, "recorded traces")


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
    return lab.grid(DRIVE, options, STOCK, "cliff of live sectors")


def band_cliff(lab: Lab) -> Grid:
    """Eight live sectors in each of B active bands: more and more bands share the 640 blocks."""
    options = {}
    for bands, blocks in sorted(product((16, 64, 128, 256), (160, FLASH_BLOCKS)), key=lambda each: each[0] / each[1]):
        words = _cliff(lab, f"bands-{bands}", bands, 32)
        options[f"{bands / blocks:g} ({bands} bands, {blocks} blocks)"] = (*words, *setting_words(nand__blocks=blocks))
    return lab.grid(DRIVE, options, STOCK, "cliff of active bands")


FITTED = 0.3164  # layers.pore.open_frac, by the write amplifications that the MU-RMW paper prints
FRACTIONS = (0.004, 0.02, 0.05, 0.1, FITTED, 1.0)
WELL_SET = 0.004  # one band of 256


def swept(lab: Lab, names: Sequence[str] = ("web_0", "rsrch_0", "src2_0"), fractions: Sequence[float] = FRACTIONS) -> Grid:
    """Three volumes, one request after the other: PORE by its open share, and MU-RMW."""
    variants = {f"pore {share:g}": Variant("pore", of_layer("pore", open_frac=share)) for share in fractions}
    return lab.grid(DRIVE, _volumes(lab, names=names), {**variants, "mu-rmw": Variant("mu-rmw")}, "open share of PORE")


NEXT_TO_NOTHING = "0.01 ms"
READS, ERASES = {"nand__read_time": NEXT_TO_NOTHING}, {"nand__erase_time": NEXT_TO_NOTHING}
WAITS = {  # the band's two passes, the pages that are read and the blocks that are erased
    "pore": Variant("pore"),
    "mu-rmw": Variant("mu-rmw"),
    f"mu-rmw, pages read in {NEXT_TO_NOTHING}": Variant("mu-rmw", READS),
    f"mu-rmw, blocks erased in {NEXT_TO_NOTHING}": Variant("mu-rmw", ERASES),
    "mu-rmw, both": Variant("mu-rmw", READS | ERASES),
}

MB = 1e6
BANDS, BAND_SECTORS, SUBTABLES = 256, 10_240, 160  # section III-E: U, P, N
PRINTED_MB = {"skylight-flash": 10.0, "pore": 10.0, "mu-rmw": 0.069}
LARGE_TB = 20


def formula_mb(layer: str, sectors: float) -> float:
    """P x U x 4; or U x 4 x N of the directories, and S x 8 of the lists of blocks."""
    return (sectors / BAND_SECTORS * 4 * SUBTABLES + FLASH_BLOCKS * 8 if layer == "mu-rmw" else 4 * sectors) / MB


def flash_caches(lab: Lab) -> Mapping[str, Run]:
    """A short run of each on the paper's drive: what it reserves does not depend on the length."""
    variants = {layer: Variant(layer, of_layer(layer, **AS_PUBLISHED)) for layer in PRINTED_MB}
    return lab.grid(DRIVE, {"": ("--workload", "mu-web_0", "--limit", 1000, "--fold", "--replay", "closed:1")}, variants, "memory")[""]


def tables_mb(run: Run) -> float:
    return run.metric("metadata.bytes") / MB


def merge_mb(run: Run) -> float:
    return run.metric("dram.reserved.merge_buffer") / MB


def total_mb(run: Run) -> float:
    return run.metric("dram.reserved.total") / MB


def _memory(lab: Lab, _: Grid) -> list[str]:
    here, large = BANDS * BAND_SECTORS, LARGE_TB * 1e12 / 4096
    rows = [
        [
            layer, number(PRINTED_MB[layer], 3), number(formula_mb(layer, here), 3), number(tables_mb(run), 3), number(merge_mb(run), 1), number(total_mb(run), 1),
            number(formula_mb(layer, large), 0),
        ]
        for layer, run in flash_caches(lab).items()
    ]  # fmt: skip
    return [table(["layer", "printed", "formula", "tables here", "merge buffer here", "all reserved here", f"formula, {LARGE_TB} TB"], rows)]


FIGURES = (MEAN, Figure("max s", LONGEST.of, of_response=True), WA, RMWS, Figure("cleaning ms", metric("cleaning.mean"), 1))
MERGE_FIGURES = (FIGURES[0], FIGURES[1], RMWS, Figure("valid pages a merge", metric("victim.pages_mean"), 0))


def _wear(which: str) -> Callable[[Run], float]:
    return lambda run: run.metric(f"nand.wear.layer.{which}")


def _unevenness(run: Run) -> float | None:
    return _wear("max")(run) / _wear("mean")(run) if _wear("mean")(run) else None


WEAR_FIGURES = (Figure("least erased", _wear("min"), 0), Figure("mean", _wear("mean"), 1), Figure("most erased", _wear("max"), 0), Figure("most over mean", _unevenness))


def ratio(row: Mapping[str, Run], measure: Callable[[Run], float], against: str) -> float:
    """How many times as much `against` has as MU-RMW."""
    return measure(row[against]) / measure(row["mu-rmw"])


def reduction(row: Mapping[str, Run], against: str) -> float:
    """By what share MU-RMW's mean response is below that of `against` (negative: below)."""
    return latency(row["mu-rmw"]) / latency(row[against]) - 1


def _merge_times(lab: Lab, _: Grid) -> list[str]:
    """The mean time of a merge, and the mean reduction of the response over the volumes, by the spindle's speed."""
    rows = []
    for rpm, grid in merge_times(lab).items():
        runs = [row["skylight-flash"] for row in grid.values()]
        merges = sum(rmws(run) for run in runs)
        merge = sum(run.metric("rmw.time_total") for run in runs) / merges if merges else None
        means = [sum(reduction(row, against) for row in grid.values()) / len(grid) for against in ("pore", "skylight-flash")]
        rows.append([f"{rpm:,} rpm", number(merge, 0), *map(percent, means)])
    return [table(["spindle", "a merge, ms", "mean response below PORE", "below Skylight"], rows)]


def _short(grid: Callable[[Lab], Grid]) -> Callable[[Lab], Grid]:
    """With the layers' initials, for wide tables."""
    return lambda lab: {name: dict(zip(("S", "P", "M"), row.values(), strict=True)) for name, row in grid(lab).items()}


def _wide(name: str, title: str, grid: Callable[[Lab], Grid], by: str = "volume", **more: object) -> Experiment:
    return Experiment(name, title, _short(grid), FIGURES, by=by, **more)


BEGINNING = "S is `skylight-flash`, P `pore`, M `mu-rmw`, on drive `mu-rmw-paper`.\n"
EXPERIMENTS = (
    _wide("volumes", "Ten volumes, paper-implied", paper_implied),
    _wide(
        "one-by-one", "The same, one request after the other", partial(paper_implied, replay="closed:1"),
        intro="Nothing queues behind a cleaning: its time is spread over the requests, as the paper's percentages of response time suggest.\n",
        replicates=Replicates(partial(paper_implied, replay="closed:1", names=SEED_VOLUMES), FIGURES, 3),
    ),
    _wide("as-printed", "The same, with the layers as the paper prints them", paper_faces),
    Experiment(
        "merge-times", "The same, by the time of a merge", after=_merge_times,
        intro="The paper's response times imply a band merge of a third of a second; its band of 40 MiB takes more on the drive that it states.\n",
    ),
    Experiment(
        "open-fraction", "PORE over its open share", swept, (MEAN, LONGEST, WA, RMWS, CLEANINGS),
        intro="`layers.pore.open_frac` is the share of the bands whose data a cleaning evicts. No paper prints it; 0.3164 gives the write\n"
        "amplifications that the MU-RMW paper prints of PORE. Cleanings are as many with any share; a smaller one merges\n"
        "fewer bands in each.\n",
        replicates=Replicates(partial(swept, fractions=(WELL_SET,)), (MEAN, LONGEST), 3),
    ),
    _wide("histograms", "The same volumes, histogram-true", histogram_true),
    _wide("histograms-one-by-one", "Histogram-true, one request after the other", partial(histogram_true, replay="closed:1")),
    Experiment("longest-waits", "Of what the longest wait is made", partial(histogram_true, replay="closed:1", variants=WAITS), (LONGEST, RMWS)),
    Experiment(
        "victims", "Which band is merged, and when its blocks are erased", partial(histogram_true, replay="closed:1", variants=MERGES), MERGE_FIGURES,
        intro="The same input by `layers.mu_rmw.victim`; and as the paper prints the layer, its blocks erased after the band is written, or meanwhile\n"
        "(`erase_while_writing`).\n",
    ),
    Experiment(
        "wear", "Wear of the cache's blocks", lambda lab: by_variant(free_lists(lab)["web_0"]), WEAR_FIGURES, by="blocks taken",
        intro="Erases of the cache's blocks on web_0, one request after the other, by `free_list`: the order in which erased blocks are taken again. The\n"
        "paper names none, and has no wear levelling. Blocks that the drive keeps for logs and dumps are left out.\n",
    ),
    Experiment(
        "memory", "Memory of the maps", after=_memory,
        intro="DRAM in MB on the drive of 10 GiB; the last column is the paper's formula on 20 TB, with as many blocks of flash.\n",
    ),
    _wide("traces", "Recorded traces: one sector a request and real sizes", recorded, "trace"),
    _wide("live-sectors", "The cliff of live sectors over cache pages", live_sector_cliff, "live / pages"),
    _wide("active-bands", "The cliff of active bands over flash blocks", band_cliff, "bands / blocks"),
)  # fmt: skip
