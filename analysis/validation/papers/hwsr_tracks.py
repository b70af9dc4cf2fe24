"""The layout's tracks apart from the medium's: equation 5 with the paper's S_T on a disk whose own tracks hold a quarter of it."""

from collections.abc import Mapping
from dataclasses import replace

from tessera.results.markdown import number
from validation.papers.experiment import Experiment
from validation.papers.hwsr_disk import FIGURES
from validation.papers.hwsr_runs import COLUMNS, MSR, ranked, table_input
from validation.papers.lab import Grid, Lab, Variant
from validation.papers.measures import write_latency
from validation.papers.page import Finding, findings, listed, ranked_tables, verdict

DISK = "hwsr-paper-disk"
VOLUMES = {"hm": 1, "src": 1, "ts": 1, "prn": 4}  # and how many times as long as in the chapter: prn fills its buffer late
APART, TOGETHER, LESS_SKEW = "S_T 8,192", "S_T 2,048", "S_T 8,192, skew of 150"
MEDIUM_SECTORS = 2048
SKEW = 150  # sectors from track to track instead of 565: four of them are 2.4 ms, a seek and a block


def _variants() -> dict[str, Variant]:
    linear = COLUMNS["hwsr linear"]
    own = {"layers__hwsr__track_sectors": 4 * MEDIUM_SECTORS}
    settings = {APART: own, TOGETHER: {"layers__hwsr__track_sectors": 0}, LESS_SKEW: {**own, "media__cylinder_skew": SKEW}}  # 0: the medium's own
    variants = {name: Variant(linear.layer, {**linear.settings, **more}) for name, more in settings.items()}
    return {**variants, "sblock": COLUMNS["sblock"]}


def apart(lab: Lab, names: Mapping[str, int] = VOLUMES) -> Grid:
    """Volumes of the chapter on the paper's disk, its equation 5 with either size of track."""
    inputs = {name: table_input(lab, name, replace(MSR[name], requests=times * MSR[name].requests)) for name, times in names.items()}
    return lab.grid(DISK, inputs, _variants(), "tracks of the layout")


def _findings(grid: Grid) -> list[Finding]:
    full = {name: row for name, row in grid.items() if ranked(row)}
    times = {name: write_latency(row["sblock"]) / write_latency(row[APART]) for name, row in full.items()}
    slower = {name: write_latency(row[APART]) / write_latency(row[TOGETHER]) for name, row in full.items()}
    quarter = {name: write_latency(row["sblock"]) / write_latency(row[LESS_SKEW]) for name, row in full.items()}
    return [
        Finding(
            "writes faster than S-blocks' with the layout's own tracks", "on most; not web and mds", listed({name: number(value) for name, value in times.items()}) + " times",
            verdict(value > 1 for value in times.values()),
        ),
        Finding(
            "twice as fast on prn with the layout's own tracks", "around 2", number(times.get("prn")), verdict([1.5 <= times["prn"] <= 2.7] if "prn" in times else []),
            ratio=times.get("prn"),
        ),
        Finding(
            "what four of the disk's tracks from block to block cost a write", "(not said)", listed({name: number(value) for name, value in slower.items()}) + " times",
            verdict(value > 1 for value in slower.values()),
        ),
        Finding(
            "a disk on which four tracks' skew is a seek and a block, not a turn and 0.86 ms", "(our question)",
            "S-blocks' write over HWSR's: " + listed({name: number(value) for name, value in quarter.items()}), verdict(value >= 1.5 for value in quarter.values()),
        ),
    ]  # fmt: skip


INTRO = (
    "Equation 5 with tracks of 8,192 sectors (`layers.hwsr.track_sectors`) on a disk with tracks of 2,048: drive `hwsr-paper-disk`.\n"
)


def _parts(lab: Lab) -> list[str]:
    grid = apart(lab)
    return [INTRO, *ranked_tables(grid, FIGURES, ranked, "the write buffer is not full at this length"), findings(_findings(grid))]


EXPERIMENTS = (Experiment("layout-tracks", "The layout's tracks apart from the disk's", _parts),)
