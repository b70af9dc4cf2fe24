"""He and Du: static address mappings for in-place shingled disks, against the conventional disk and the sequential mapping.

Bands have four tracks of 1000 blocks, and a write destroys the track behind it. A mapping decides in which order the tracks of all
bands are used, so a write is amplified only where a used track lies behind it. The paper fills the disk to 25, 50, 75 and 100 % and
folds its traces into the used part, so that each write is an update. The conventional disk here exports the same 2,400,000 blocks of
the same tracks. Of the paper's traces Financial2 cannot be had; web_0 is its first 100,000 requests.
"""

from collections.abc import Callable, Mapping
from functools import partial

from tessera.results.markdown import number, table
from tessera.results.run_folder import Run
from validation.papers.experiment import Experiment, Replicates
from validation.papers.lab import Grid, Lab, Variant, of_layer
from validation.papers.measures import MEAN, latency, metric, span

TITLE = "Static address mappings for shingled disks"

MAPPINGS = ("shingled-in-place-1234", "shingled-in-place-r4123", "shingled-in-place-124r3", "shingled-in-place-14r23")
USAGES = (25, 50, 75, 100)
BANDS = 600  # 3000 tracks in bands of four and a guard
BAND_TRACKS = 4
BLOCKS = BANDS * BAND_TRACKS * 1000

PUBLISHED = {  # Figure 3 (e) to (g) and section 5.4
    "shingled-in-place-1234": {25: 4.0, 50: 4.0, 75: 4.0, 100: 4.0},
    "shingled-in-place-r4123": {25: 1.0, 50: 1.0, 75: 1.67, 100: 4.0},
    "shingled-in-place-124r3": {25: 1.67, 50: 1.67, 75: 1.67, 100: 4.0},
    "shingled-in-place-14r23": {25: 1.0, 50: 1.0, 75: 1.67, 100: 4.0},
}


def place(mapping: str, track: int) -> tuple[int, int]:
    """Band and position in it of a logical track, from 0 (section 4)."""
    if mapping == "shingled-in-place-r4123":
        return track % BANDS, (3, 0, 1, 2)[track // BANDS]
    if mapping == "shingled-in-place-124r3":
        return (track // 3, (0, 1, 3)[track % 3]) if track < 3 * BANDS else (track - 3 * BANDS, 2)
    if mapping == "shingled-in-place-14r23":
        if track < 2 * BANDS:
            return track // 2, (0, 3)[track % 2]
        return (track - 2 * BANDS, 1) if track < 3 * BANDS else (track - 3 * BANDS, 2)
    return track // BAND_TRACKS, track % BAND_TRACKS


def _requests_of_update(used: set[tuple[int, int]], band: int, position: int) -> int:
    """Itself, and a read and a write of each track in the chain of used ones behind it."""
    behind = 0
    while (band, position + behind + 1) in used:
        behind += 1
    return 1 + 2 * behind


def track_ratios(mapping: str, usage: int) -> list[int]:
    """Requests that an update of each used track takes."""
    places = [place(mapping, track) for track in range(BANDS * BAND_TRACKS * usage // 100)]
    used = set(places)
    return [_requests_of_update(used, *each) for each in places]


def uniform_ratio(mapping: str, usage: int) -> float:
    """Mean write amplification ratio of updates that fall anywhere in the used part."""
    ratios = track_ratios(mapping, usage)
    return sum(ratios) / len(ratios)


def quarter_ratio(mapping: str, shares: tuple[int, ...]) -> float:
    """The same on a full disk where each quarter of the addresses gets its share, in percent, of the updates."""
    ratios = track_ratios(mapping, 100)
    tracks = len(ratios) // len(shares)
    return sum(share * sum(ratios[i * tracks : (i + 1) * tracks]) / tracks for i, share in enumerate(shares)) / 100


def cold_ratio(mapping: str, usage: int) -> float:
    """Mean ratio of writing an empty disk once, in order: a write meets only what was written before it."""
    used: set[tuple[int, int]] = set()
    total = 0
    for track in range(BANDS * BAND_TRACKS * usage // 100):
        band, position = place(mapping, track)
        total += _requests_of_update(used, band, position)
        used.add((band, position))
    return total / len(used)


DRIVE = "shingled-in-place-paper"
MECHANICS = "shingled-in-place-paper-mechanics"  # without the overheads and the read-ahead of its electronics
LAYERS = ("cmr", *MAPPINGS)
GAPS = '[arrivals]\nlaw = "normal"\nmean = "200 ms"\ndeviation = "40 ms"\n'
QUARTERS = {"70/20/7/3": (70, 20, 7, 3), "25/25/25/25": (25, 25, 25, 25), "3/7/20/70": (3, 7, 20, 70)}


def _variants(paper: bool = True) -> dict[str, Variant]:
    """The mappings as the paper describes them, which save nothing before an update, or with backups that survive a power cut."""
    variants = {"cmr": Variant("cmr", {"media__exported_sectors": BLOCKS})}
    return variants | {mapping: Variant(mapping, of_layer(mapping, paper=paper)) for mapping in MAPPINGS}


def _used(usage: int) -> tuple[str, ...]:
    return "--prefill", str(usage), "--fold-prefilled"


def uniform_updates(lab: Lab) -> Grid:
    """Updates of 4 KiB anywhere in the used part: what the formulas say must come out, up to sampling."""
    text = f'summary = "updates anywhere in the used part"\nlaw = "uniform"\nwrite_share = 1.0\nalignment = "4 KiB"\n{GAPS}'
    inputs = {str(usage): lab.generated("mapping-uniform", text, 50_000, *_used(usage)) for usage in USAGES}
    return lab.grid(DRIVE, inputs, _variants(), "uniform updates")


def recorded(lab: Lab, paper: bool = True, drive: str = DRIVE) -> dict[str, Grid]:
    """The paper's traces at each usage, slowed down as in the paper."""
    traces = {
        "web_0 (first 100,000)": (lab.trace(*TRACE), 200, ()),
        # Its table gives the mean of the think times as the inter-arrival time.
        "hp_c2247": (lab.trace("hp", "hp_c2247a.trace.xz"), 5, ("--format", "hpval:gaps")),
    }
    return {
        name: lab.grid(
            drive,
            {str(usage): ("--trace", file, *words, "--time-scale", scale, *_used(usage)) for usage in USAGES},
            _variants(paper),
            name,
        )
        for name, (file, scale, words) in traces.items()
        if file
    }


TRACE = ("msr", "web_0_first100k.csv.xz")
CYLINDERS = 3100


def surfaces(lab: Lab) -> Grid:
    """The recorded trace on one surface, and on two with half the cylinders, whose tracks are as many."""
    file = lab.trace(*TRACE)
    if file is None:
        return {}
    inputs = {str(usage): ("--trace", file, "--time-scale", 200, *_used(usage)) for usage in (50, 100)}

    def on(count: int) -> Grid:
        more = {"media__surfaces": count, "media__zones": f"[[{CYLINDERS // count - 1}, 1000, 0, 0, 0, 0]]"}
        variants = {name: Variant(each.layer, {**each.settings, **more}) for name, each in _variants().items()}
        return lab.grid(DRIVE, inputs, variants, f"{count} surfaces")

    one, two = on(1), on(2)
    return {f"{layer} at {usage} %": {"one surface": row[layer], "two surfaces": two[usage][layer]} for usage, row in one.items() for layer in row}


def cold_sequential(lab: Lab) -> Grid:
    """SYN: an empty disk is written once from its first block to 75 or 100 %."""
    inputs = {str(usage): ("--workload", "syn", "--limit", BLOCKS // 8 * usage // 100) for usage in (75, 100)}
    return lab.grid(DRIVE, inputs, _variants(), "SYN")


def quarters(lab: Lab) -> Grid:
    """A full disk where the quarters of the addresses get different shares of the updates."""
    inputs = {}
    for name, shares in QUARTERS.items():
        rows = ", ".join(f"[{i / 4}, {(i + 1) / 4}, {share}]" for i, share in enumerate(shares))
        text = f'summary = "updates by quarter {name}"\nlaw = "histogram"\nwrite_share = 1.0\nalignment = "4 KiB"\n'
        text += f"histogram = [{rows}]\n{GAPS}"
        inputs[name] = lab.generated(f"mapping-quarters-{shares[0]}", text, 50_000, *_used(100))
    return lab.grid(DRIVE, inputs, _variants(), "updates by quarter")


war = metric("war.mean")  # mean write amplification ratio: requests to the media for each write of the host


def slowdown(row: Mapping[str, Run], mapping: str) -> float:
    """Mean response over that of the conventional disk."""
    return latency(row[mapping]) / latency(row["cmr"])


def _joined(grids: Mapping[str, Grid]) -> Grid:
    """Of several traces as one."""
    return {f"{name} at {usage} %": row for name, grid in grids.items() for usage, row in grid.items()}


def _war_table(grid: Grid, expected: Callable[[str, str], float], first: str = "usage %") -> str:
    header = [first, *(f"{mapping} {what}" for mapping in MAPPINGS for what in ("paper", "here"))]
    return table(header, [[name, *(number(cell) for m in MAPPINGS for cell in (expected(m, name), war(row[m])))] for name, row in grid.items()])


def _published(mapping: str, usage: str) -> float:
    return PUBLISHED[mapping][int(usage)]


def _slowdowns(row: Mapping[str, Run]) -> list[str]:
    return [number(slowdown(row, m), 3) for m in MAPPINGS]


OVER = [f"{m} / cmr" for m in MAPPINGS]


def _response_table(grid: Grid, first: str = "usage %") -> str:
    return table([first, *(f"{each} ms" for each in LAYERS), *OVER], [[name, *(number(latency(row[each])) for each in LAYERS), *_slowdowns(row)] for name, row in grid.items()])


def _gain(grid: Grid) -> str:
    return table(["space gain", "here"], [["equation 1", span(grid["100"][m].metric("capacity.space_gain") for m in MAPPINGS)]])


def _trace(lab: Lab, name: str) -> Grid:
    return recorded(lab).get(name, {})


EXPERIMENTS = (
    Experiment("uniform", "Uniform updates: write amplification ratio by usage", uniform_updates, after=lambda _, grid: [_war_table(grid, _published), _gain(grid)]),
    *(
        Experiment(
            short, f"{name}: write amplification ratio and mean response", partial(_trace, name=name),
            after=lambda _, grid: [_war_table(grid, _published), _response_table(grid)],
        )
        for short, name in (("web_0", "web_0 (first 100,000)"), ("hp_c2247", "hp_c2247"))
    ),
    Experiment(
        "traces", "What the recorded traces say", lambda lab: _joined(recorded(lab)),
        after=lambda _, grid: [table(["trace and usage", *OVER], [[name, *_slowdowns(row)] for name, row in grid.items()])],
    ),
    Experiment(
        "mechanics", "The same with the drive's mechanics alone", lambda lab: _joined(recorded(lab, drive=MECHANICS)),
        intro=f"Drive `{MECHANICS}`: no overhead of the electronics, which both sides of the quotient pay, and no read-ahead.\n",
        after=lambda _, grid: [_response_table(grid, "trace and usage")],
    ),
    Experiment(
        "surfaces", "One surface and two", surfaces, (MEAN,), intro="web_0 on a full disk and on a half: 3,100 cylinders of one track, or 1,550 of two.\n",
    ),
    Experiment(
        "backups", "The same with backups, so that no power cut loses data", lambda lab: _joined(recorded(lab, paper=False)),
        after=lambda _, grid: [_response_table(grid, "trace and usage")],
    ),
    Experiment(
        "syn", "SYN: cold sequential writes", cold_sequential,
        after=lambda _, grid: [_war_table(grid, lambda m, usage: cold_ratio(m, int(usage))), _response_table(grid)], replicates=Replicates(cold_sequential, (MEAN,)),
    ),
    Experiment(
        "quarters", "A full disk whose quarters are updated unevenly", quarters, intro="The first figure is the formula's, the second the simulation's.\n",
        after=lambda _, grid: [_war_table(grid, lambda m, name: quarter_ratio(m, QUARTERS[name]), "shares of the quarters, %"), _response_table(grid, "shares")],
    ),
)  # fmt: skip
