"""Parts of one picture have colours that can be told apart, whichever layers and figures are in it."""

import itertools
import re

import pytest
from simulate import LAYERS, simulate

from tessera.figures.style import part_colours
from tessera.results.bound_by import CAUSES

LEAST_DISTANCE = 45  # of two colours in RGB, each of 0 to 255
PHASES = (
    "host queue", "link", "cpu wait", "cpu", "dram", "lock", "backup", "media queue", "background wait", "seek", "rotation", "transfer",
    "flash queue", "flash", "cleaning", "error recovery", "outage",
)  # fmt: skip
ENERGY = (
    *(f"disk: {part}" for part in ("idle", "idle_a", "idle_b", "idle_c", "standby", "recovery", "seek", "read", "write", "laser")),
    *(f"flash: {part}" for part in ("read", "program", "erase")), "DRAM",
)  # fmt: skip


def distance(one: str, other: str) -> float:
    parts = [[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in (one, other)]
    return sum((a - b) ** 2 for a, b in zip(*parts)) ** 0.5


def alike(names) -> list[tuple[str, str]]:
    colours = part_colours(names)
    return [pair for pair in itertools.combinations(colours, 2) if distance(*(colours[name] for name in pair)) < LEAST_DISTANCE]


def regions() -> set[str]:
    """Of every layer on the drive `demo`, and those that parameters add; pieces of one region by its name."""
    found = {"journal", "spares"}
    for layer in (*LAYERS, "zoned"):
        said = simulate("check", "demo", "--layer", layer).stdout
        found |= {re.sub(r"_(\d+|inner|outer)$", "", name) for name in re.findall(r"^  (\w+): radii", said, re.MULTILINE)}
    return found


def test_no_two_destinations_of_writes_have_one_colour():
    found = regions()
    assert {"data", "bands", "log", "cache", "merge"} <= found
    assert alike([*(f"platters: {name}" for name in sorted(found)), "flash"]) == []


@pytest.mark.parametrize("names", [PHASES, ENERGY, tuple(CAUSES.values())], ids=["phases", "energy", "causes"])
def test_no_two_parts_of_a_time_or_an_energy_have_one_colour(names):
    assert alike(names) == []


def test_parts_that_nobody_knows_have_a_colour_each():
    names = [f"platters: of a plug-in {number}" for number in range(40)] + ["platters: data", "flash"]
    assert len(set(part_colours(names).values())) == len(names)
