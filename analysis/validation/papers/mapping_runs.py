"""The runs of the chapter on static mappings: its inputs, and what is measured of them."""

from collections.abc import Mapping
from pathlib import Path

from tessera.results.run_folder import Run
from validation.papers.lab import Grid, Lab, Variant, of_layer
from validation.papers.mapping_formulas import BLOCKS, MAPPINGS, NEW, USAGES
from validation.papers.measures import latency

DRIVE = "shingled-in-place-paper"
MECHANICS = "shingled-in-place-paper-mechanics"  # without the overheads and the read-ahead of its electronics
LAYERS = ("cmr", *MAPPINGS)
NEAR = 1.25  # the paper calls its new mappings comparable to the conventional disk and names no bound
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


def surfaces(lab: Lab, file: Path) -> Grid:
    """The recorded trace on one surface, and on two with half the cylinders, whose tracks are as many."""
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


def war(run: Run) -> float | None:
    """Mean write amplification ratio: requests to the media for each write of the host."""
    return run.metric("war.mean")


def slowdown(row: Mapping[str, Run], mapping: str) -> float:
    """Mean response over that of the conventional disk."""
    return latency(row[mapping]) / latency(row["cmr"])


def used_up_to(most: int, grids: Mapping[str, Grid]) -> list[dict[str, Run]]:
    """The rows of disks that hold data in at most so many percent of their tracks."""
    return [row for grid in grids.values() for usage, row in grid.items() if int(usage) <= most]


def nearness(grids: Mapping[str, Grid]) -> dict[str, float]:
    """The response of each new mapping over that of the conventional disk, at up to 75 %."""
    return {
        f"{m} on {name} at {usage} %": slowdown(row, m)
        for name, grid in grids.items()
        for usage, row in grid.items()
        for m in NEW
        if int(usage) <= 75
    }


def winners(grids: Mapping[str, Grid]) -> dict[str, str]:
    """The mapping with the shortest response on a full disk, by trace."""
    return {name: min(MAPPINGS, key=lambda mapping: latency(grid["100"][mapping])) for name, grid in grids.items() if "100" in grid}
