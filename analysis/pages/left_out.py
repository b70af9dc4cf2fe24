"""Layers judged on volumes on which none of their parameters was chosen: the tables of docs/developers/left-out.md.

For each volume the setting is taken that is best on all the others, and what it does on this one counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path

from rich.console import Console

from tessera.asking.source import default_traces
from tessera.engine.simulator import REPOSITORY
from tessera.errors import InputError
from tessera.results.markdown import number, table
from tessera.results.marked_section import write_marked_section
from validation.papers.lab import Grid, Lab
from validation.papers.league import DRIVE, PRICES, TRACES, equipped, on_one_space, recorded
from validation.papers.measures import latency, ratio

PAGE = REPOSITORY / "docs" / "developers" / "left-out.md"
COMMAND = "left-out"
REQUESTS = 5_000
VOLUMES = ("rsrch_1", "web_3", "web_0", "src1_0", "hm_0", "hp_c2247", "cello2003", "Financial1")  # without the longest
DEFAULT = "as it is"

# Those that are first on any of these volumes in the league, as they are: nothing of them is chosen.
RIVALS = ("cmr", "pore", "skylight-flash", "imr-cache", "shingled-in-place-r4123")

# Around the defaults, one parameter at a time: when the buffer empties, and what goes to flash or log.
SETTINGS: Mapping[str, Mapping[str, Mapping[str, object]]] = {
    "tessera": {
        DEFAULT: {},
        "trickle_mark = 25": {"trickle_mark": 25},
        "trickle_mark = 100": {"trickle_mark": 100},
        "flash_backlog = 2": {"flash_backlog": 2},
        "flash_backlog = 32": {"flash_backlog": 32},
        "flash_run = 8": {"flash_run": 8},
        "destage_depth = 8": {"destage_depth": 8},
        "destage_run = 512 KiB": {"destage_run": "512 KiB"},
        "flash = off": {"flash": "off"},
        "make_way = false": {"make_way": False},
    },
    "tessera-imr": {
        DEFAULT: {},
        "trickle_mark = 100": {"trickle_mark": 100},
        "flash_backlog = 32": {"flash_backlog": 32},
        "flash_run = 8": {"flash_run": 8},
        "destage_depth = 16": {"destage_depth": 16},
        "destage_run = 256 KiB": {"destage_run": "256 KiB"},
        "flash = off": {"flash": "off"},
        "bottoms_first = true": {"bottoms_first": True},
    },
    "media-cache": {
        DEFAULT: {},
        "packet_writes = 1": {"packet_writes": 1},
        "packet = 1 MiB": {"packet": "1 MiB"},
        "checkpoint_every = 2000": {"checkpoint_every": 2000},
        "cache_place = middle": {"cache_place": "middle"},
        "merge_tracks = 1": {"merge_tracks": 1},
    },
}  # fmt: skip


@dataclass(frozen=True)
class LeftOut:
    """A volume, and the setting that was chosen without it."""

    volume: str
    chosen: str
    judged: float
    """What the chosen one has on this volume."""
    default: float
    hindsight: float
    """The least of any setting on this volume."""


def choose(figures: Mapping[str, Mapping[str, float]]) -> str:
    """Of figures by volume and setting the setting with the smallest geometric mean; of equal ones the first.

    >>> choose({"one": {"as it is": 1.0, "other": 3.0}, "two": {"as it is": 4.0, "other": 1.0}})
    'other'
    """
    settings = next(iter(figures.values()))
    return min(settings, key=lambda setting: sum(log(row[setting]) for row in figures.values()))


def left_out(figures: Mapping[str, Mapping[str, float]]) -> list[LeftOut]:
    """Each volume, judged with what is best on the others."""
    found = []
    for volume, row in figures.items():
        chosen = choose({name: other for name, other in figures.items() if name != volume})
        found.append(LeftOut(volume, chosen, row[chosen], row[DEFAULT], min(row.values())))
    return found


def geometric(values: Sequence[float]) -> float:
    return exp(sum(map(log, values)) / len(values))


def _figures(grid: Grid, layer: str) -> dict[str, dict[str, float]]:
    return {volume: {setting: latency(row[_name(layer, setting)]) for setting in SETTINGS[layer]} for volume, row in grid.items()}


def _name(layer: str, setting: str) -> str:
    return f"{layer}, {setting}"


def _layer_table(grid: Grid, layer: str) -> str:
    rows, over_default, over_hindsight, over_rival = [], [], [], []
    for each in left_out(_figures(grid, layer)):
        of_rivals = {rival: latency(grid[each.volume][rival]) for rival in RIVALS}
        rival = min(of_rivals, key=of_rivals.__getitem__)
        over_default.append(each.judged / each.default)
        over_hindsight.append(each.judged / each.hindsight)
        over_rival.append(each.judged / of_rivals[rival])
        rows.append((each.volume, f"`{each.chosen}`", number(each.judged), ratio(over_default[-1]), ratio(over_hindsight[-1]), f"{number(of_rivals[rival])} `{rival}`", ratio(over_rival[-1])))
    means = [ratio(geometric(ratios)) for ratios in (over_default, over_hindsight, over_rival)]
    rows.append(("geometric mean", "", "", means[0], means[1], "", means[2]))
    header = ("volume left out", "chosen on the others", "mean, ms", "over the default's", "over the best setting's", "best of the others, ms", "over it")
    return f"\n**`{layer}`**\n\n" + table(header, rows)


def prices(grid: Grid) -> str:
    """What the settings that were chosen on the other volumes cost, and the rivals: means over the volumes."""
    chosen = {layer: {each.volume: _name(layer, each.chosen) for each in left_out(_figures(grid, layer))} for layer in SETTINGS}
    chosen |= {rival: dict.fromkeys(grid, rival) for rival in RIVALS}
    rows = []
    for layer, variants in chosen.items():
        runs = [grid[volume][variant] for volume, variant in variants.items()]
        means = [sum(figure.of(run) or 0 for run in runs) / len(runs) for figure in PRICES]
        rows.append((f"`{layer}`", *(number(mean) for mean in means), number(runs[0].metric("cost.per_user_tb"))))
    return "\n**What it costs**, as chosen, mean of the volumes:\n\n" + table(("layer", *(figure.title for figure in PRICES), "$ per user TB"), rows)


def section(lab: Lab) -> str:
    """Markdown of the tables."""
    variants = {_name(layer, setting): equipped(layer, **parameters) for layer, settings in SETTINGS.items() for setting, parameters in settings.items()}
    variants |= {rival: equipped(rival) for rival in RIVALS}
    inputs, fold = on_one_space(recorded(lab, VOLUMES), variants)
    short = {name: (*options, "--limit", lab.requests(REQUESTS)) for name, options in inputs.items()}
    grid = lab.grid(DRIVE, short, variants, "left out")
    terms = [*([fold.text()] if fold else []), f"The first {lab.requests(REQUESTS):,} requests of each volume."]
    return " ".join(terms) + "\n" + "".join(_layer_table(grid, layer) for layer in SETTINGS) + prices(grid)


def write_left_out(console: Console, out: Path, page: Path = PAGE) -> None:
    """Raises InputError where traces are missing: with fewer volumes other settings would be chosen."""
    lab = Lab(out, default_traces())
    missing = [name for name in VOLUMES if lab.trace(*TRACES[name][0]) is None]
    if missing:
        raise InputError(f"left-out needs the traces of {', '.join(missing)}, which are not in {default_traces()}: name their folder with TESSERA_TRACES")
    write_marked_section(page, COMMAND, section(lab))
    console.print(f"written: {page.relative_to(REPOSITORY)}")
