"""The runs of the league under pressure: traces that fill every cache several times over, and caches of one size."""

from collections.abc import Mapping, Sequence

import numpy as np

from tessera.results.run_folder import Run
from tessera.traces.edit import merge, repeat, write_trace
from tessera.traces.table import WRITE, blocks_of, read_trace
from validation.papers.lab import Grid, Lab, Variant, of_layer
from validation.papers.league import DRIVE, LONGEST, OURS, TRACES, equipped

CACHE_MIB = 256
FOOTPRINT_MIB = 4 * CACHE_MIB
TRACK_MIB = 2  # of `bare`
DRIFT = 1 << 30
BLOCK = 4096
SHORTER = tuple(name for name in TRACES if name not in LONGEST)
ENOUGH = 20  # cleanings that a ranking takes
IN_PLACE = ("cmr", "shingled-in-place-r4123")  # have nothing that fills
RIVALS = (
    *IN_PLACE, "vguard", "sblock", "skylight-flash", "pore", "mu-rmw", "fluid", "fluid-loop", "amphisbaena", "media-cache",
)  # fmt: skip

# Flash of that size, and what saves the 16 MiB of dumped DRAM beside it.
FLASH = {"nand__blocks": 2048, "nand__dump_blocks": 128}
CACHES: Mapping[str, Mapping[str, object]] = {
    "vguard": {"cache_tracks": CACHE_MIB // TRACK_MIB},
    "sblock": {"flash": f"{CACHE_MIB - 32} MiB"},  # what the journals leave
    "fluid": {"buffer": f"{CACHE_MIB} MiB"},
    "fluid-loop": {"buffer": f"{CACHE_MIB} MiB"},
    "amphisbaena": {"buffer": f"{CACHE_MIB} MiB"},
    "media-cache": {"cache": f"{CACHE_MIB} MiB"},
    OURS: {"log": f"{CACHE_MIB} MiB"},
}

ABLATIONS: Mapping[str, Mapping[str, object]] = {
    "all": {},
    "all merged": {"stay_mark": 0},
    "nothing ahead": {"clean_mark": 100},
    "neither": {"stay_mark": 0, "clean_mark": 100},
    "merged in place": {"merge_to": "place"},
    "always to a spare band": {"merge_to": "spare"},
    "merges keep the disk": {"merge_tracks": 16},
    "no flash": {"flash": "off"},
}


def scarce(variant: Variant) -> Variant:
    """The same layer with caches of the chapter's size."""
    return Variant(variant.layer, {**variant.settings, **FLASH, **of_layer(variant.layer, **CACHES.get(variant.layer, {}))})


def equipped_scarcely(layer: str) -> Variant:
    """The layer on the drive of the chapter."""
    return scarce(equipped(layer))


def repeated(lab: Lab, names: Sequence[str] = SHORTER) -> dict[str, tuple[object, ...]]:
    """The options that replay each trace at hand until it has written FOOTPRINT_MIB; what fills the caches is not measured."""
    options = {}
    for name in names:
        path, _ = TRACES[name]
        if trace := lab.trace(*path):
            records = merge([read_trace(trace)])
            written = len(np.unique(blocks_of(records[records["op"] == WRITE], BLOCK)[0])) * BLOCK
            filling, whole = (-(-(mib << 20) // written) for mib in (CACHE_MIB, FOOTPRINT_MIB))
            times = max(filling + 1, round(whole * lab.scale))
            file = lab.out / "traces" / f"{name}-{times}-times.csv"
            if not file.exists():
                write_trace(repeat(records, times, DRIFT), file)
            options[name] = ("--trace", file, "--fold", "--prefill", 100, "--caches", "empty", "--warmup", filling * len(records))
    return options


def passes(options: Sequence[object]) -> int:
    """How often an input of the chapter repeats its trace."""
    return int(str(options[1]).rsplit("-", 2)[1])


def ranked(run: Run, layer: str) -> bool:
    """Whether it cleaned often enough that its figures are those of a cache that is full; or has none."""
    return layer in IN_PLACE or cleanings(run) >= ENOUGH


def cleanings(run: Run) -> float:
    return run.metric("cleaning.count")


def entrants() -> dict[str, Variant]:
    return {layer: equipped_scarcely(layer) for layer in (*RIVALS, OURS)}


def league(lab: Lab, inputs: Mapping[str, Sequence[object]]) -> Grid:
    return lab.grid(DRIVE, inputs, entrants(), "under pressure")


def ablations(lab: Lab, inputs: Mapping[str, Sequence[object]]) -> Grid:
    variants = {name: scarce(equipped(OURS, **switches)) for name, switches in ABLATIONS.items()}
    return lab.grid(DRIVE, inputs, variants, "what each idea is worth")
