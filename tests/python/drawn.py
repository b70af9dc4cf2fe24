"""Drives, inputs and settings that nobody would choose, drawn from a seed: what holds for all of them is tested in test_drawn_runs.py."""

import functools
import json
import random
import re
from pathlib import Path

from simulate import LAYERS, simulate

DRIVES = ("torture", "torture", "torture", "demo", "tlc", "interlaced-paper", "hwsr-paper")
AMOUNT = re.compile(r"(-?[\d.e+-]+) ?(.*)")
FACTORS = (0.25, 0.5, 0.75, 1.5, 2, 4)
COLUMNS = "columns:time=1:us,op=2:r=r,w=w,t=t,f=f,offset=3:512,size=4:512"
# Values of these make a drive so slow that its watchdog is right to bark, are there to show what they destroy, or are what the variants of a run set.
UNDRAWN = ("host.timeout", "media.force_skew", "simulation.", "controller.costs.", "controller.clock", "layers.")


@functools.cache
def parameters(drive: str) -> list[dict]:
    return json.loads(simulate("list", "parameters", drive, "--json").stdout)


def value(draw: random.Random, parameter: dict) -> str | None:
    """Another value of the parameter: its lowest, a multiple of what it is, another word. None where it is text or rows."""
    kind, now = parameter["type"], parameter["value"].strip('"')
    if kind == "true or false":
        return "false" if now == "true" else "true"
    if kind.startswith("one of "):
        return draw.choice(kind.removeprefix("one of ").split(", "))
    least = parameter["range"].split(" to ")[0]
    if not least or (amount := AMOUNT.fullmatch(now)) is None:
        return None
    if draw.random() < 0.2:
        return least
    multiple = float(amount[1]) * draw.choice(FACTORS)
    if float(amount[1]) == 0:
        multiple = draw.choice((1, 2, 5, 20)) if not amount[2] else 0
    return str(int(multiple)) if kind == "whole number" else f"{multiple:.12g} {amount[2]}".strip()


def settings(draw: random.Random, drive: str, layer: str) -> list[str]:
    """Up to three parameters of the layer or of the drive, and often a small cache."""
    own = [p for p in parameters(drive) if p["path"].startswith(f"layers.{layer.replace('-', '_')}.")]
    shared = [p for p in parameters(drive) if not p["path"].startswith(UNDRAWN)]
    chosen = {}
    for _ in range(draw.choice((0, 1, 1, 2, 3))):
        parameter = draw.choice(own or shared if draw.random() < 0.6 else shared)
        if (drawn := value(draw, parameter)) is not None:
            chosen[parameter["path"]] = drawn
    if draw.random() < 0.5:
        chosen["firmware.write_cache.capacity"] = draw.choice(("32 KiB", "256 KiB", "1 MiB"))
        chosen["firmware.write_cache.durability"] = draw.choice(("plp", "volatile"))
        chosen["firmware.write_cache.edges"] = draw.choice(("before", "behind"))
    if draw.random() < 0.3:
        chosen["firmware.read_cache.segments"] = draw.choice(("1", "4"))
    if draw.random() < 0.3:
        chosen["firmware.flash_cache.capacity"] = draw.choice(("1 MiB", "64 MiB"))
        chosen["firmware.flash_cache.use"] = draw.choice(("reads", "writes", "both"))
        chosen["firmware.flash_cache.admit"] = draw.choice(("second_read", "every_read"))
    if draw.random() < 0.3:
        chosen["controller.cores"] = draw.choice(("2", "3", "4"))
    return [word for path, drawn in chosen.items() for word in ("--set", f"{path}={drawn}")]


def write_trace(draw: random.Random, file: Path) -> None:
    """Requests of a block to 2 MiB around a few places or many, at once or with pauses, with TRIMs and FLUSHes."""
    places = [draw.randrange(draw.choice((2_000, 20_000, 200_000))) for _ in range(draw.choice((1, 3, 20, 200)))]
    largest = draw.choice((8, 64, 512, 4096))
    pause = draw.choice((0, 100, 5_000, 50_000))  # us
    time, lines = 0, []
    for _ in range(draw.choice((30, 100, 300))):
        time += draw.randrange(2 * pause + 1)
        first = draw.choice(places) + draw.choice((0, 0, draw.randrange(64), 8 * draw.randrange(64)))
        lines.append(f"{time},{draw.choice('wwwwrrrrtf')},{first},{draw.choice((1, 7, 8, 8, 16, draw.randrange(1, largest + 1)))}\n")
    file.write_text("".join(lines))


def drive_and_input(seed: int, folder: Path, layers: tuple[str, ...] = LAYERS) -> tuple[list[str], list[str]]:
    """The words of `check` for a drawn drive with one of the layers, and what `run` needs beside them."""
    draw = random.Random(seed)
    drive, layer = draw.choice(DRIVES), draw.choice(layers)
    described = [drive, "--layer", layer, "--set", "host.timeout=0 s", *settings(draw, drive, layer)]
    write_trace(draw, folder / "drawn.csv")
    played = ["--trace", folder / "drawn.csv", "--format", COLUMNS, "--fold", "--seed", seed]
    if draw.random() < 0.7:
        played += ["--replay", draw.choice(("closed:1", "closed:8", "closed:32", "queue:16"))]
    if drive in ("torture", "tlc") and draw.random() < 0.5:
        played += ["--prefill", draw.choice((10, 50, 100))]
    return described, played
