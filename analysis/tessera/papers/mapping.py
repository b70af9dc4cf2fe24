"""He and Du: static address mappings for in-place shingled disks, against the conventional disk and the sequential mapping.

Bands have four tracks of 1000 blocks, and a write destroys the track behind it. A mapping decides in which order the tracks of all
bands are used, so a write is amplified only where a used track lies behind it. The paper fills the disk to 25, 50, 75 and 100 % and
folds its traces into the used part, so that each write is an update. The conventional disk here exports the same 2,400,000 blocks of
the same tracks. Of the paper's traces Financial2 cannot be had; web_0 is its first 100,000 requests.
"""

from collections.abc import Callable, Mapping

from tessera.papers.lab import Grid, Lab, Variant
from tessera.papers.page import Finding, findings, number, span, table, verdict
from tessera.run_folder import Run

TITLE = "Static address mappings for shingled disks"

DRIVE = "p004"
MAPPINGS = ("static-1234", "static-r4123", "static-124r3", "static-14r23")
NEW = MAPPINGS[1:]
FREE = ("static-r4123", "static-14r23")  # of amplification up to 50 %
LAYERS = ("cmr", *MAPPINGS)
USAGES = (25, 50, 75, 100)
BANDS = 600  # 3000 tracks in bands of four and a guard
BAND_TRACKS = 4
BLOCKS = BANDS * BAND_TRACKS * 1000
NEAR = 1.25  # the paper calls its new mappings comparable to the conventional disk and names no bound

PUBLISHED = {  # Figure 3 (e) to (g) and section 5.4
    "static-1234": {25: 4.0, 50: 4.0, 75: 4.0, 100: 4.0},
    "static-r4123": {25: 1.0, 50: 1.0, 75: 1.67, 100: 4.0},
    "static-124r3": {25: 1.67, 50: 1.67, 75: 1.67, 100: 4.0},
    "static-14r23": {25: 1.0, 50: 1.0, 75: 1.67, 100: 4.0},
}


def place(mapping: str, track: int) -> tuple[int, int]:
    """Band and position in it of a logical track, from 0 (section 4)."""
    if mapping == "static-r4123":
        return track % BANDS, (3, 0, 1, 2)[track // BANDS]
    if mapping == "static-124r3":
        return (track // 3, (0, 1, 3)[track % 3]) if track < 3 * BANDS else (track - 3 * BANDS, 2)
    if mapping == "static-14r23":
        if track < 2 * BANDS:
            return track // 2, (0, 3)[track % 2]
        return (track - 2 * BANDS, 1) if track < 3 * BANDS else (track - 3 * BANDS, 2)
    return track // BAND_TRACKS, track % BAND_TRACKS


def track_ratios(mapping: str, usage: int) -> list[int]:
    """Requests that an update of each used track takes: itself, and a read and a write of each track in the chain behind it."""
    used = {place(mapping, track) for track in range(BANDS * BAND_TRACKS * usage // 100)}
    ratios = []
    for track in range(len(used)):
        band, position = place(mapping, track)
        behind = 0
        while (band, position + behind + 1) in used:
            behind += 1
        ratios.append(1 + 2 * behind)
    return ratios


def uniform_ratio(mapping: str, usage: int) -> float:
    """Mean write amplification ratio of updates that fall anywhere in the used part."""
    ratios = track_ratios(mapping, usage)
    return sum(ratios) / len(ratios)


def quarter_ratio(mapping: str, shares: tuple[int, ...]) -> float:
    """The same on a full disk where each quarter of the addresses gets its share, in percent, of the updates."""
    ratios = track_ratios(mapping, 100)
    tracks = len(ratios) // len(shares)
    return sum(share * sum(ratios[i * tracks : (i + 1) * tracks]) / tracks for i, share in enumerate(shares)) / 100


def _variants(paper: bool = True) -> dict[str, Variant]:
    """The mappings as the paper describes them, which save nothing before an update, or with backups that survive a power cut."""
    variants = {"cmr": Variant("cmr", {"media__exported_sectors": BLOCKS})}
    for mapping in MAPPINGS:
        variants[mapping] = Variant(mapping, {f"layers__{mapping.replace('-', '_')}__paper": paper})
    return variants


def _used(usage: int) -> tuple[str, ...]:
    return "--prefill", str(usage), "--fold-prefilled"


def uniform_updates(lab: Lab) -> Grid:
    """Updates of 4 KiB anywhere in the used part: what the formulas say must come out, up to sampling."""
    text = (
        'summary = "updates anywhere in the used part"\nlaw = "uniform"\nwrite_share = 1.0\nalignment = "4 KiB"\n'
        '[arrivals]\nlaw = "normal"\nmean = "200 ms"\ndeviation = "40 ms"\n'
    )
    workload = ("--workload", lab.workload_file("mapping-uniform", text), "--limit", lab.requests(50_000))
    return lab.grid(DRIVE, {str(usage): (*workload, *_used(usage)) for usage in USAGES}, _variants(), "uniform updates")


def recorded(lab: Lab, paper: bool = True) -> dict[str, Grid]:
    """The paper's traces at each usage, slowed down as in the paper."""
    traces = {
        "web_0 (first 100,000)": (lab.trace("msr", "web_0_first100k.csv.xz"), 200),
        "hp_c2247": (lab.trace("hp", "hp_c2247a.trace.xz"), 5),
    }
    return {
        name: lab.grid(
            DRIVE, {str(usage): ("--trace", file, "--time-scale", scale, *_used(usage)) for usage in USAGES}, _variants(paper), name
        )
        for name, (file, scale) in traces.items()
        if file
    }


def cold_sequential(lab: Lab) -> Grid:
    """SYN: an empty disk is written once from its first block to 75 or 100 %."""
    inputs = {str(usage): ("--workload", "syn", "--limit", BLOCKS // 8 * usage // 100) for usage in (75, 100)}
    return lab.grid(DRIVE, inputs, _variants(), "SYN")


QUARTERS = {"70/20/7/3": (70, 20, 7, 3), "25/25/25/25": (25, 25, 25, 25), "3/7/20/70": (3, 7, 20, 70)}


def quarters(lab: Lab) -> Grid:
    """A full disk where the quarters of the addresses get different shares of the updates."""
    inputs = {}
    for name, shares in QUARTERS.items():
        rows = ", ".join(f"[{i / 4}, {(i + 1) / 4}, {share}]" for i, share in enumerate(shares))
        text = (
            f'summary = "updates by quarter {name}"\nlaw = "histogram"\nwrite_share = 1.0\nalignment = "4 KiB"\nhistogram = [{rows}]\n'
            '[arrivals]\nlaw = "normal"\nmean = "200 ms"\ndeviation = "40 ms"\n'
        )
        file = lab.workload_file(f"mapping-quarters-{shares[0]}", text)
        inputs[name] = ("--workload", file, "--limit", lab.requests(50_000), *_used(100))
    return lab.grid(DRIVE, inputs, _variants(), "updates by quarter")


def war(run: Run) -> float | None:
    """Mean write amplification ratio: requests to the media for each write of the host."""
    return run.metric("war.mean")


def response(run: Run) -> float:
    return run.metric("host.latency.mean")


def slowdown(row: Mapping[str, Run], mapping: str) -> float:
    """Mean response over that of the conventional disk."""
    return response(row[mapping]) / response(row["cmr"])


def _war_table(grid: Grid, expected: Callable[[str, str], float], first: str) -> str:
    header = [first, *(f"{mapping} {what}" for mapping in MAPPINGS for what in ("paper", "here"))]
    rows = [[name, *(number(cell) for m in MAPPINGS for cell in (expected(m, name), war(row[m])))] for name, row in grid.items()]
    return table(header, rows)


def _response_table(grid: Grid, first: str = "usage %") -> str:
    rows = []
    for name, row in grid.items():
        rows.append([name, *(number(response(row[each])) for each in LAYERS), *(number(slowdown(row, m)) for m in MAPPINGS)])
    return table([first, *(f"{each} ms" for each in LAYERS), *(f"{m} / cmr" for m in MAPPINGS)], rows)


def up_to_75(grids: Mapping[str, Grid]) -> list[dict[str, Run]]:
    return [row for grid in grids.values() for usage, row in grid.items() if int(usage) <= 75]


def up_to_50(grids: Mapping[str, Grid]) -> list[dict[str, Run]]:
    return [row for grid in grids.values() for usage, row in grid.items() if int(usage) <= 50]


def far(grids: Mapping[str, Grid]) -> dict[str, float]:
    """Where up to 75 % a new mapping is not near the conventional disk, and by how much."""
    return {
        f"{m} on {name} at {usage} %": slowdown(row, m)
        for name, grid in grids.items()
        for usage, row in grid.items()
        for m in NEW
        if int(usage) <= 75 and slowdown(row, m) > NEAR
    }


def winners(grids: Mapping[str, Grid]) -> dict[str, str]:
    """The mapping with the shortest response on a full disk, by trace."""
    return {name: min(MAPPINGS, key=lambda mapping: response(grid["100"][mapping])) for name, grid in grids.items() if "100" in grid}


def _trace_findings(grids: Mapping[str, Grid]) -> list[Finding]:
    used, half = up_to_75(grids), up_to_50(grids)
    full = [war(grid["100"][mapping]) for grid in grids.values() for mapping in MAPPINGS]
    best = winners(grids)
    return [
        Finding(
            "the new mappings outperform 1234 up to 75 %",
            "constantly",
            f"response over that of 1234: {span(response(row[m]) / response(row['static-1234']) for row in used for m in NEW)}",
            verdict(response(row[m]) < response(row["static-1234"]) for row in used for m in NEW),
        ),
        Finding(
            "response like the conventional disk's up to 75 %",
            f"similar (here: at most {NEAR} of it)",
            f"over cmr: {span(slowdown(row, m) for row in used for m in NEW)}; 1234: {span(slowdown(row, 'static-1234') for row in used)}",
            verdict(slowdown(row, m) <= NEAR for row in used for m in NEW),
            "beyond it: " + ", ".join(f"{where} {value:.2f}" for where, value in far(grids).items()) if far(grids) else "",
        ),
        Finding(
            "R(4123) and 14R(23) outperform 124R(3) up to 50 %",
            "constantly",
            f"over 124r3: {span(response(row[m]) / response(row['static-124r3']) for row in half for m in FREE)}",
            verdict(response(row[m]) < response(row["static-124r3"]) for row in half for m in FREE),
        ),
        Finding(
            "every mapping has a ratio of 4 on a full disk",
            "4",
            span(full),
            verdict(abs(value - 4) <= 0.2 for value in full),
            "the ratio is the mean over the positions that the trace updates; it is 4 where all four are updated alike",
        ),
        Finding(
            "on a full disk the trace decides which mapping is best",
            "r4123 on web_0, not on Financial2",
            ", ".join(f"{name}: {mapping}" for name, mapping in best.items()),
            "holds" if len(set(best.values())) > 1 else "not seen on these traces",
        ),
    ]


def cold_ratio(mapping: str, usage: int) -> float:
    """Mean ratio of writing an empty disk once, in order: a write meets only what was written before it."""
    used: set[tuple[int, int]] = set()
    total = 0
    for track in range(BANDS * BAND_TRACKS * usage // 100):
        band, position = place(mapping, track)
        behind = 0
        while (band, position + behind + 1) in used:
            behind += 1
        total += 1 + 2 * behind
        used.add((band, position))
    return total / len(used)


def _syn_findings(grid: Grid) -> list[Finding]:
    errors = [abs(war(row[m]) / cold_ratio(m, int(usage)) - 1) for usage, row in grid.items() for m in MAPPINGS]

    def others(usage: str) -> list[float]:
        return [response(grid[usage][m]) / response(grid[usage]["static-1234"]) for m in NEW]

    return [
        Finding(
            "SYN: write amplification ratio",
            "1, and 1.5 for the new ones on a full disk",
            f"at most {100 * max(errors):.1f} % off",
            verdict(e < 0.01 for e in errors),
        ),
        Finding(
            "SYN: about equal up to 75 %",
            "nearly the same",
            f"over 1234: {span(others('75'))}",
            verdict(0.8 <= x <= NEAR for x in others("75")),
        ),
        Finding(
            "SYN: 1234 is best on a full disk",
            "1234 outperforms",
            f"over 1234: {span(others('100'))}",
            verdict(x > 1 for x in others("100")),
        ),
    ]


def _uniform_findings(grid: Grid) -> list[Finding]:
    errors = [abs(war(row[m]) / uniform_ratio(m, int(usage)) - 1) for usage, row in grid.items() for m in MAPPINGS]
    gains = {grid["100"][m].metric("capacity.space_gain") for m in MAPPINGS}
    return [
        Finding(
            "write amplification ratio by usage",
            "1, 1.67 or 4",
            f"at most {100 * max(errors):.1f} % off",
            verdict(e < 0.03 for e in errors),
        ),
        Finding("space gain, equation 1", "1.6", span(gains), verdict(abs(gain - 1.6) < 1e-9 for gain in gains)),
    ]


def _quarter_findings(grid: Grid) -> list[Finding]:
    errors = [abs(war(row[m]) / quarter_ratio(m, QUARTERS[name]) - 1) for name, row in grid.items() for m in MAPPINGS]
    best = {name: min(MAPPINGS, key=lambda m: response(row[m])) for name, row in grid.items()}
    return [
        Finding(
            "ratio by the positions that are updated",
            "(by equation 2)",
            f"at most {100 * max(errors):.1f} % off",
            verdict(e < 0.03 for e in errors),
        ),
        Finding(
            "on a full disk the trace decides which mapping is best",
            "r4123 on web_0, not on Financial2",
            ", ".join(f"{name}: {mapping}" for name, mapping in best.items()),
            verdict([len(set(best.values())) > 1]),
        ),
    ]


def sections(lab: Lab) -> list[str]:
    """Markdown of this chapter."""
    uniform, syn, by_quarter = uniform_updates(lab), cold_sequential(lab), quarters(lab)
    parts = [__doc__.split("\n\n", 1)[1], "### Uniform updates: write amplification ratio by usage\n"]
    parts += [_war_table(uniform, lambda m, usage: PUBLISHED[m][int(usage)], "usage %"), findings(_uniform_findings(uniform))]
    traces = recorded(lab)
    for name, grid in traces.items():
        parts += [f"### {name}: write amplification ratio and mean response\n"]
        parts += [_war_table(grid, lambda m, usage: PUBLISHED[m][int(usage)], "usage %"), _response_table(grid)]
    if traces:
        parts += ["### What the recorded traces say\n", findings(_trace_findings(traces))]
        parts += ["### The same with backups, so that no power cut loses data\n"]
        for name, grid in recorded(lab, paper=False).items():
            parts += [f"{name}:\n", _response_table(grid)]
    parts += [
        "### SYN: cold sequential writes\n",
        _war_table(syn, lambda m, usage: cold_ratio(m, int(usage)), "usage %"),
        _response_table(syn),
        findings(_syn_findings(syn)),
    ]
    parts += ["### A full disk whose quarters are updated unevenly\n", "The first figure is the formula's, the second the simulation's.\n"]
    parts += [_war_table(by_quarter, lambda m, name: quarter_ratio(m, QUARTERS[name]), "shares of the quarters, %")]
    parts += [_response_table(by_quarter, "shares"), findings(_quarter_findings(by_quarter))]
    return parts
