"""Our own layer against all the others at the same bill of materials (tessera).

**The rule.** All layers run on the drive `bare`: 64 GiB of platters, 2 GiB of flash on one die, 256 MiB of DRAM, of which 16 MiB can be dumped on
power loss. Each has 12 MiB of write buffer in dumped DRAM: its own if it has one (`sblock`, `hwsr`, `tessera`), otherwise the drive's write cache,
which acknowledges parts of sectors before their rest is read, as the buffer of `tessera` does (`firmware.write_cache.edges = "behind"`; the buffers of `sblock` and `hwsr` have no
such switch). Each has the drive's read cache, 32 segments of 1 MiB with read-ahead. The drive orders what waits for the head by positioning
time. Every drive is full of data at the start, and all get the same requests: addresses fold at the smallest capacity among the layers. What a layer reserves of the platters shows as its
capacity gain, next to DRAM and price of a user TB. Parameters are the layers' defaults and those of `bare`. Two values of `tessera`, the mark from which destages trickle and the
sectors on their way to flash, were chosen among a dozen settings on seven of these traces; a dozen more on nine of them (these two again, and destages that go to flash in slices)
changed nothing. What they are worth is among the ablations. The generated workloads took no part in that, and their writes are of whole sectors. `cello2003`, `Financial1` and `DTRS` were
recorded on several devices, whose requests go to one drive here.

*Best* is the best of the twenty layers of others, figure by figure, input by input: no single one of them is as good. `tessera-imr` has a chapter of its own. WA is compared with that of the
layer whose mean is best. Writing is priced in the time that the disk moves, reads or writes, the energy of that and of the flash, and the flash's wear. Most inputs are too short to fill
flash and logs, so that few layers clean: what happens then, the [next chapter](pressure.md) shows.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from tessera.engine.simulation import Simulation
from tessera.explore.fold import Fold, smallest_fold
from tessera.results.families import ordered
from tessera.results.markdown import number, table
from tessera.results.run_folder import Run
from validation.papers.contest import MEASURES, block_table, contest, intervals_in, lines_of, logged
from validation.papers.lab import Grid, Lab, Variant, of_layer
from validation.papers.measures import Figure, figure_tables, latency, longest, p99, p999, total_amplification

TITLE = "A layer of our own (tessera)"

DRIVE = "bare"
OURS = "tessera"
OTHERS = (
    "cmr", "imr-rmw", "imr-flip", "imr-cache", "imr-dtm", "shingled-in-place-1234", "shingled-in-place-r4123", "shingled-in-place-124r3", "shingled-in-place-14r23", "vguard", "sblock",
    "hwsr", "skylight-flash", "pore", "mu-rmw", "skylight-disk", "fluid", "fluid-loop", "amphisbaena", "media-cache",
)  # fmt: skip
OWN_BUFFER = {"sblock", "hwsr", OURS, "tessera-imr"}
BUFFER = {"firmware__write_cache__capacity": "12 MiB", "firmware__write_cache__edges": "behind"}
READ_CACHE = {"firmware__read_cache__segments": 32}
POSITIONING = {"controller__scheduling": "shortest_positioning"}
TRACES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "rsrch_1": (("msr", "rsrch_1.csv.xz"), ()),
    "web_3": (("msr", "web_3.csv.xz"), ()),
    "web_0": (("msr", "web_0_first100k.csv.xz"), ()),
    "src1_0": (("msr", "src1_0_first10k.csv.xz"), ()),
    "hm_0": (("msr", "hm_0_cut105_10k.bms.xz"), ()),
    "CloudPhysics": (("cloudphysics", "sample_2h.vscsi.xz"), ()),
    "hp_c2247": (("hp", "hp_c2247a.trace.xz"), ()),
    "cello2003": (("hp", "cello2003_1h.csv.xz"), ()),
    "Financial1": (("spc", "Financial1_first10k.spc.xz"), ()),
    "DTRS": (("msps", "dtrs_5min.ascii.xz"), ("--time-unit", "us")),
}
LONGEST = ("CloudPhysics", "DTRS")
WORKLOADS = ("mu-rsrch_0", "mu-web_0", "zone-hm_0", "zone-ts_0")
REQUESTS = 100_000


def busy(run: Run) -> float:
    """Time that the disk seeks, waits for a sector, reads or writes, in ms per request."""
    return sum(run.metric(f"media.time.{part}") for part in ("seek", "rotation", "read", "write")) / run.metric("host.requests")


def energy(run: Run) -> float:
    """What that and the operations of the flash take, in mJ per request; a spindle that only turns is left out."""
    disk = sum(run.metric(f"media.energy.{part}") for part in ("seek", "read", "write"))
    return 1000 * (disk + sum(run.metric(f"nand.energy.{part}") for part in ("read", "program", "erase"))) / run.metric("host.requests")


def wear(run: Run) -> float | None:
    """What the flash programs for a sector of the host: each program takes its share of a block's endurance."""
    return run.metric("write_amplification.flash")


FIGURES = (
    Figure("mean, ms", latency, of_response=True),
    Figure("p99, ms", p99, of_response=True),
    Figure("p99.9, ms", p999, of_response=True),
    Figure("longest, ms", longest, of_response=True),
    Figure("WA", total_amplification),
)
PRICES = (
    Figure("disk busy, ms per request", busy),
    Figure("energy of disk and flash at work, mJ per request", energy),
    Figure("flash wear, sectors programmed per sector written", wear),
)


def equipped(layer: str, **parameters: object) -> Variant:
    """The layer on the drive of the rule."""
    buffer = {} if layer in OWN_BUFFER else BUFFER
    return Variant(layer, {**buffer, **READ_CACHE, **POSITIONING, **of_layer(layer, **parameters)})


def on_one_space(
    inputs: Mapping[str, Sequence[object]], variants: Mapping[str, Variant]
) -> tuple[dict[str, tuple[object, ...]], Fold | None]:
    """The inputs with their addresses folded at the smallest capacity among the variants, and where that is."""
    fold = smallest_fold(  # of drives, whatever the input
        Simulation(
            drive=DRIVE, layer=each.layer, workload=WORKLOADS[0], fold=True, settings={name.replace("__", "."): value for name, value in each.settings.items()}
        )
        for each in variants.values()
    )  # fmt: skip
    more = ("--fold-at", f"{fold.at} B") if fold else ()
    return {name: (*options, *more) for name, options in inputs.items()}, fold


def recorded(lab: Lab, names: Sequence[str] = tuple(TRACES)) -> dict[str, tuple[object, ...]]:
    """The options that replay each trace that is at hand."""
    options = {}
    for name in names:
        path, more = TRACES[name]
        if trace := lab.trace(*path):
            options[name] = ("--trace", trace, *more, "--fold", "--prefill", 100, "--caches", "empty")
    return options


def generated(lab: Lab) -> dict[str, tuple[object, ...]]:
    limit = lab.requests(REQUESTS)
    return {name: ("--workload", name, "--limit", limit, "--fold", "--prefill", 100, "--caches", "empty") for name in WORKLOADS}


def entrants() -> dict[str, Variant]:
    return {layer: equipped(layer) for layer in (*OTHERS, OURS)}


OVER_BLOCKS = "The recorded traces, against the layers that are best: a recording is one sample, whose replicates are blocks of its requests. Each interval is for itself; verdicts share the confidence."
ABLATIONS: Mapping[str, Mapping[str, object]] = {
    "all": {},
    "no buffer": {"buffer": "0 B"},
    "edges first": {"edges": "before"},
    "edges do not make way": {"make_way": False},
    "hasty destage": {"destage_after": "5 ms", "trickle_mark": 0},
    "one destage at a time": {"destage_depth": 1},
    "packets of one": {"packet_writes": 1},
    "no trickle": {"trickle_mark": 100},
    "no flash": {"flash": "off"},
    "flash for short runs": {"flash_run": 8},
    "flash takes all": {"flash_backlog": 1_000_000},
    "no copying forward": {"copy_forward": "off"},
    "idle cleaning at once": {"idle_mark": 0},
}


def best(row: Mapping[str, Run], measure, ours: str = OURS) -> str:
    """The best of the others."""
    return min((layer for layer in row if layer != ours), key=lambda layer: measure(row[layer]))


def _transposed(grid: Grid, figure: Figure) -> str:
    """A line a layer, a column an input: there are more layers than inputs."""
    inputs = list(grid)
    layers = ordered(next(iter(grid.values())))
    return table([figure.title, *inputs], [[f"`{layer}`", *(figure.text(grid[name][layer]) for name in inputs)] for layer in layers])


def resources(grid: Grid) -> str:
    """What each layer takes: the same for every input."""
    row = next(iter(grid.values()))
    lines = [
        [f"`{layer}`", number(row[layer].metric("dram.reserved.total") / 2**20, 0), number(row[layer].metric("capacity.gain_vs_cmr")), number(row[layer].metric("cost.per_user_tb"))]
        for layer in ordered(row)
    ]
    return table(["layer", "DRAM, MiB", "capacity gain", "$ per user TB"], lines)


def best_rivals(grid: Grid, ours: str = OURS) -> dict[str, set[str]]:
    """Of each input those that are the best in some figure."""
    return {name: {best(row, measure, ours) for measure in MEASURES.values()} for name, row in grid.items()}


def compared(grid: Grid, ours: str = OURS) -> list[tuple[str, str, str]]:
    """Input, figure and the best of the others in it."""
    return [(name, what, best(row, measure, ours)) for name, row in grid.items() for what, measure in MEASURES.items()]


def sections(lab: Lab) -> list[str]:
    """Markdown of this chapter."""
    without = {name: equipped(OURS, **switches) for name, switches in ABLATIONS.items()}
    inputs, fold = on_one_space({**recorded(lab), **generated(lab)}, entrants())
    grid = lab.grid(DRIVE, inputs, entrants(), "league")
    shorter = {name: options for name, options in inputs.items() if name in TRACES and name not in LONGEST}
    of_traces = {name: row for name, row in grid.items() if name in TRACES}
    blocks = block_table(against(lab, logged({name: inputs[name] for name in of_traces}), best_rivals(of_traces)), compared(of_traces), OURS)
    parts = [
        *folded(fold), contest(lines_of(grid, OURS), intervals_in(blocks), OURS),
        "### All layers\n", *(_transposed(grid, figure) for figure in (*FIGURES, *PRICES)), resources(grid),
    ]  # fmt: skip
    if not of_traces:
        return parts
    return [*parts, "### Over ten blocks\n", f"{OVER_BLOCKS}\n", blocks, "### What each idea is worth\n", *figure_tables(lab.grid(DRIVE, shorter, without, "what each idea is worth"), FIGURES)]


def folded(fold: Fold | None) -> list[str]:
    return [fold.text() + "\n"] if fold else []


def against(
    lab: Lab, inputs: Mapping[str, Sequence[object]], rivals: Mapping[str, Iterable[str]], ours: str = OURS, made: Callable[[str], Variant] = equipped
) -> Grid:
    """Ours and each input's own rivals, as `made` equips them."""
    grid: Grid = {}
    for name, options in inputs.items():
        variants = {layer: made(layer) for layer in (*sorted(rivals[name]), ours)}
        grid |= lab.grid(DRIVE, {name: options}, variants, f"{name}, seed {lab.seed}")
    return grid
