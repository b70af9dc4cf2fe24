"""What moves figures of Amphisbaena that the chapter misses, one change at a time: the runs of the input, the load, Skylight's buffer zones."""

import re
from collections.abc import Sequence

from tessera.results.run_folder import Run
from validation.papers.amphisbaena_periods import INPUTS, inputs_of_periods
from validation.papers.amphisbaena_runs import BUFFER_MIB, CHUNKS_KIB, DRIVE, OURS, SHARES, hit_rate, inputs_of, published, volume_text
from validation.papers.amphisbaena_sets import SETS, text_with_set
from validation.papers.experiment import Experiment
from validation.papers.lab import Grid, Lab
from validation.papers.measures import latency, rmws
from validation.papers.page import Figure, figure_tables

RUN_KIB = 256
LOADS = (1, 2, 4)
BUFFER_PARTS = (2, 8, 32)
SECTOR_KIB = 4


def sectors_a_cleaning(run: Run) -> float:
    chunks, sectors, cleanings = (run.metric(name) for name in ("victim.chunks", "victim.chunk_sectors_mean", "cleaning.count"))
    return chunks * sectors / cleanings if cleanings else 0.0


def in_runs(text: str, kib: int = RUN_KIB) -> str:
    """A volume whose large writes are so long, as many bytes in all, and begin where a run of that length does."""
    sizes = [[int(number) for number in pair.split(",")] for pair in re.findall(r"\[(\d+, \d+)\]", text)]
    small, mean = sizes[0][0], sum(size * share for size, share in sizes) / sum(share for _, share in sizes)
    large = round(1000 * (mean - small) / (kib * 1024 - small))
    text = re.sub(r"write_sizes = .*", f"write_sizes = [[{small}, {1000 - large}], [{kib * 1024}, {large}]]", text)
    return re.sub(r'(?m)^chunk = ".*"', f'chunk = "{kib} KiB"', text)


def long_runs(lab: Lab, name: str = "src2_2") -> Grid:
    """The sweep of chunks on the volume that the paper has an optimum of, its input as the chapter's and in runs."""
    text = volume_text(name)
    files = {"writes of 128 KiB": lab.workload_file(f"zone-{name}", text), f"runs of {RUN_KIB} KiB": lab.workload_file(f"zone-{name}-runs", in_runs(text))}
    options = inputs_of(lab, (name,))[name]
    inputs = {title: ("--workload", file, *options[2:]) for title, file in files.items()}
    return lab.grid(DRIVE, inputs, {f"{kib} KiB": published(OURS, chunk=f"{kib} KiB") for kib in CHUNKS_KIB}, "chunk sizes, long runs")


def by_load(lab: Lab, name: str = "prn_0") -> Grid:
    """The volume whose latency depends on the filter share, with longer gaps."""
    text = volume_text(name)
    options = inputs_of(lab, (name,))[name]
    inputs = {}
    for times in LOADS:
        longer = re.sub(r'mean = "([\d.]+) ms"', lambda found, times=times: f'mean = "{float(found[1]) * times:.2f} ms"', text)
        inputs[f"gaps {times} times as long"] = ("--workload", lab.workload_file(f"zone-{name}-gaps-{times}", longer), *options[2:])
    return lab.grid(DRIVE, inputs, {f"{share}": published(OURS, filter_share=share) for share in SHARES}, "filter shares by load")


def skylight_zones(lab: Lab, names: Sequence[str] = ("hm_0", "src2_0")) -> Grid:
    """Skylight by the size of its buffer zones, next to Amphisbaena, with long update periods."""

    def variants(buffer_mib: int) -> dict:
        zones = {f"1/{part}": published("skylight-disk", buffer_zone=f"{buffer_mib * 1024 // part // SECTOR_KIB * SECTOR_KIB} KiB") for part in BUFFER_PARTS}
        return zones | {OURS: published(OURS)}

    rows = {}
    for name in names:
        file = lab.workload_file(f"zone-{name}-set", text_with_set(name))
        inputs = inputs_of(lab, (name,), 100, {name: file}, {name: SETS[name].requests})
        rows |= lab.grid(DRIVE, inputs, variants(BUFFER_MIB[name]), f"Skylight's buffer zones, {name}")
    periods = inputs_of_periods(lab, INPUTS[:1])
    return rows | lab.grid(DRIVE, periods, variants(BUFFER_MIB["hm_0"]), "Skylight's buffer zones, update periods")


CHUNK_FIGURES = (
    Figure("mean ms", latency, of_response=True),
    Figure("write hit rate", hit_rate, 3),
    Figure("RMWs", rmws, 0),
    Figure("sectors a cleaning", sectors_a_cleaning, 0),
)
TIMES = (Figure("mean ms", latency, of_response=True), Figure("RMWs", rmws, 0), Figure("cleanings", lambda run: run.metric("cleaning.count"), 0))


EXPERIMENTS = (
    Experiment("long-runs", "src2_2 in longer runs", lambda lab: figure_tables(long_runs(lab), CHUNK_FIGURES)),
    Experiment("filter-load", "Filter share by load", lambda lab: figure_tables(by_load(lab), TIMES)),
    Experiment("skylight-zones", "Skylight's buffer zones, as parts of the buffer", lambda lab: figure_tables(skylight_zones(lab), TIMES)),
)
