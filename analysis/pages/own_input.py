"""Our own layers on the input of README.md's table, over seeds: which figures they win, tie and lose against the best of the other layers.

The record is docs/data/web-server-seeds.csv, a line a layer and seed; README.md says what it says.
"""

from collections.abc import Mapping
from pathlib import Path

import polars as pl
from rich.console import Console

from tessera.engine.output_file import whole
from tessera.engine.simulation import Simulation
from tessera.engine.simulator import REPOSITORY, layer_names
from tessera.evidence.family import EQUAL
from tessera.evidence.paired import BySeed, paired, verdicts
from tessera.explore.fold import smallest_fold
from tessera.results.markdown import number
from tessera.results.marked_section import write_marked_section
from validation.papers.contest import MEASURES, WORDS
from validation.papers.lab import Lab, Variant

PAGE = REPOSITORY / "README.md"
RECORD = REPOSITORY / "docs" / "data" / "web-server-seeds.csv"
COMMAND = "./dev own-input"
DRIVE, WORKLOAD, REQUESTS, SEEDS = "demo", "web-server", 100_000, 5  # as `./dev demo`
OURS = ("tessera", "tessera-imr")
RIVALS = ("cmr", "imr-rmw", "hwsr", "mu-rmw", "media-cache")


def measured(lab: Lab) -> pl.DataFrame:
    fold = smallest_fold(Simulation(drive=DRIVE, layer=layer, workload=WORKLOAD, fold=True) for layer in layer_names())
    options = ("--workload", WORKLOAD, "--limit", lab.requests(REQUESTS), "--fold", *(("--fold-at", f"{fold.at} B") if fold else ()), "--prefill", 100)
    rows = []
    for seed in range(1, SEEDS + 1):
        grid = lab.seeded(seed).grid(DRIVE, {"": options}, {layer: Variant(layer) for layer in (*RIVALS, *OURS)}, f"{WORKLOAD}, seed {seed}")
        rows += [{"layer": layer, "seed": seed, **{name: measure(run) for name, measure in MEASURES.items()}} for layer, run in grid[""].items()]
    return pl.DataFrame(rows)


def _result(figures: Mapping[str, BySeed], ours: str) -> str:
    """In one figure."""
    entrants = {layer: figures[layer] for layer in (*RIVALS, ours)}
    best = min(RIVALS, key=lambda layer: sum(entrants[layer].values()))
    found = paired(entrants[ours], entrants[best])
    return f"{WORDS[verdicts(entrants, best, chosen=True)[ours]]} ({number(found.value)} [{number(found.low)} to {number(found.high)}] times `{best}`)"


def text_of(record: pl.DataFrame) -> str:
    """What README.md says of our own layers."""
    lines = []
    for ours in OURS:
        said = []
        for measure in MEASURES:
            figures = {layer: dict(rows.select("seed", measure).iter_rows()) for (layer,), rows in record.group_by("layer", maintain_order=True)}
            said.append(f"{measure} {_result(figures, ours)}")
        lines.append(f"- `{ours}`: {', '.join(said)}.\n")
    return f"Our own layers against the best of the other five, over {record['seed'].n_unique()} seeds of whole runs [95 %], equal within {EQUAL}:\n\n{''.join(lines)}"


def write_own_input(console: Console, out: Path) -> None:
    """Runs the layers, keeps the record and writes the page's part. Raises SimulatorError."""
    record = measured(Lab(out))
    whole(RECORD, record.write_csv)
    write_marked_section(PAGE, COMMAND, text_of(record))
    console.print(f"written: {PAGE.relative_to(REPOSITORY)}, {RECORD.relative_to(REPOSITORY)}")
