"""The layout's tracks apart from the medium's: equation 5 with the paper's S_T on a disk whose own tracks hold a quarter of it."""

from collections.abc import Mapping
from dataclasses import replace

from validation.papers.experiment import Experiment
from validation.papers.hwsr_disk import FIGURES
from validation.papers.hwsr_runs import COLUMNS, MSR, ranked, table_input
from validation.papers.lab import Grid, Lab, Variant
from validation.papers.page import ranked_tables

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


INTRO = (
    "Equation 5 with tracks of 8,192 sectors (`layers.hwsr.track_sectors`) on a disk with tracks of 2,048: drive `hwsr-paper-disk`.\n"
)


def _parts(lab: Lab) -> list[str]:
    return [INTRO, *ranked_tables(apart(lab), FIGURES, ranked, "the write buffer is not full at this length")]


EXPERIMENTS = (Experiment("layout-tracks", "The layout's tracks apart from the disk's", _parts),)
