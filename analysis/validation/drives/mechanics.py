"""Random single accesses on the model's drives beside the closed form: what holds where there is no measured trace to compare with."""

import random
import tomllib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console

from tessera.engine.simulator import run_simulator
from tessera.results.markdown import number, table
from tessera.results.marked_section import write_marked_section
from tessera.results.request_log import latency_ms
from tessera.results.run_folder import Run
from validation.drives.closed_form import Drive, Place

DRIVES = ("hp-c3323a", "cheetah-9lp")
NEAR = 0.1  # ms
WITHOUT_CACHES = ("firmware.read_cache.segments=0", "firmware.write_cache.capacity=0 B")
HEADER = ("drive", "accesses", "model mean ms", "closed form ms", "within 0.1 ms", "largest difference of these ms")


def accesses(path: Path, sectors: int, count: int, seed: int) -> None:
    """A trace of single sectors anywhere, reads and writes alike, with think times up to 30 ms."""
    draw = random.Random(seed)
    path.write_text("".join(f"{draw.choice('RW')} - {draw.randrange(sectors)} 1 0 {draw.uniform(0, 30_000):.3f}\n" for _ in range(count)))


def differences(run: Run) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each access but the first, whose head was parked: whether it writes, the model's response and the closed form's."""
    with open(run.folder / "drive.toml", "rb") as file:
        drive = Drive(tomllib.load(file))
    log = np.sort(np.asarray(run.requests), order="number")
    expected, head, before = [], Place(0, 0, 0.0, 0.0), False
    for arrival, lba, write in zip(log["arrival"].tolist(), log["lba"].tolist(), (log["op"] == 1).tolist()):
        to = drive.place(lba)
        expected.append(drive.response(arrival * 1e-9, head, to, write, before))
        head, before = to, write
    return (log["op"] == 1)[1:], latency_ms(log)[1:], np.array(expected)[1:]


def compare_mechanics(name: str, out: Path, count: int, seed: int = 1) -> list[tuple[str, ...]]:
    """A row for reads and one for writes. Raises SimulatorError."""
    out.mkdir(parents=True, exist_ok=True)
    settings = [word for setting in WITHOUT_CACHES for word in ("--set", setting)]
    probe, trace = out / "probe", out / "accesses.trace"
    trace.write_text("R - 0 1 0 0\n")
    run_simulator(["run", name, "--trace", trace, *settings, "--out", probe], quiet=True)
    with open(probe / "drive.toml", "rb") as file:
        accesses(trace, Drive(tomllib.load(file)).sectors, count + 1, seed)
    run_simulator(["run", name, "--trace", trace, "--requests", "--seed", seed, *settings, "--out", out / "run"], quiet=True)
    writes, model, expected = differences(Run(out / "run"))
    rows = []
    for word, chosen in (("reads", ~writes), ("writes", writes)):
        apart = np.abs(model - expected)[chosen]
        near = apart <= NEAR
        rows.append(
            (
                f"`{name}`, {word}", number(int(chosen.sum()), 0), number(model[chosen].mean(), 3), number(expected[chosen].mean(), 3),
                f"{100 * near.mean():.2f} %", number(apart[near].max() if near.any() else None, 4),
            )
        )  # fmt: skip
    return rows


def write_mechanics(console: Console, drives: Sequence[str], out: Path, count: int, page: Path | None) -> None:
    """Prints the table, and puts it between its marks in the page where one is named."""
    rows = [row for name in drives for row in compare_mechanics(name, out / Path(name).stem, count)]
    text = table(HEADER, rows)
    console.print(text, soft_wrap=True, markup=False, highlight=False)
    if page is None:
        return
    told = (
        f"{count:,} single sectors anywhere on each drive, reads and writes alike, one at a time and without caches: the model's response next to seek, settle,\n"
        "rotation, transfer, link and overheads computed from the description alone. `tessera validate drives --measured` compares\n"
        "with what real drives did. Made by `tessera validate mechanics`.\n\n"
    )
    write_marked_section(page, "tessera validate mechanics", told + text)
    console.print(f"{page}: written")
