"""The ten MSR volumes of Figure 13 on tracks that pass as fast as on the paper's disk."""

from collections.abc import Iterable
from dataclasses import replace

from tessera.results.markdown import number
from validation.papers.experiment import Experiment
from validation.papers.hwsr_runs import COLUMNS, DRIVE, MSR, PAPER_DISK, ranked, table_input, volume_inputs
from validation.papers.lab import Grid, Lab, Variant
from validation.papers.measures import amplification, latency, write_latency
from validation.papers.page import Figure, Finding, figure_tables, findings, listed, ranked_tables, verdict


def _variants(columns: Iterable[str]) -> dict[str, Variant]:
    return {name: Variant(COLUMNS[name].layer, {**COLUMNS[name].settings, **PAPER_DISK}, COLUMNS[name].drive) for name in columns}


def on_paper_disk(lab: Lab, names: tuple[str, ...] = tuple(MSR), columns: Iterable[str] = tuple(COLUMNS)) -> Grid:
    """As the volumes of the chapter, on tracks of 1 MiB at 7,200 rpm instead of 4 MiB."""
    return lab.grid(DRIVE, volume_inputs(lab, names), _variants(columns), "ten volumes on the paper's disk")


def longer(lab: Lab, name: str = "prn") -> Grid:
    """A volume whose buffer is full late, run longer: at the start S-blocks have free space left."""
    trace = MSR[name]
    inputs = {f"{name}, {times} times as long": table_input(lab, name, replace(trace, requests=times * trace.requests)) for times in (1, 2, 4)}
    return lab.grid(DRIVE, inputs, _variants(("hwsr linear", "hwsr physical", "sblock")), f"{name}, longer")


FIGURES = (
    Figure("mean ms", latency, 3, of_response=True),
    Figure("writes ms", write_latency, 3, of_response=True),
    Figure("WA", amplification),
)


def _findings(long: Grid) -> list[Finding]:
    lengths = {name: write_latency(row["sblock"]) / write_latency(row["hwsr linear"]) for name, row in long.items()}
    twice = list(lengths.values())[-1]
    return [Finding("twice as fast on proj and prn on the paper's disk", "around 2", listed({name: number(value) for name, value in lengths.items()}), verdict([1.5 <= twice <= 2.7]), ratio=twice)]


INTRO = (
    "Tracks of 1 MiB (126 MB/s), about those of the paper's disk, instead of 4 MiB (503 MB/s), and as many sectors in all. The layout's tracks are\n"
    "the disk's.\n"
)


def _parts(lab: Lab) -> list[str]:
    grid, long = on_paper_disk(lab), longer(lab)
    tables = ranked_tables(grid, FIGURES, ranked, "the write buffer is not full at this length")
    return [INTRO, *tables, *figure_tables(long, FIGURES[1:]), findings(_findings(long))]


EXPERIMENTS = (Experiment("paper-disk", "Ten MSR volumes on tracks as fast as the paper's disk", _parts),)
