"""Drives drawn at random, each identified from the logs of its small jobs: how many true parameters lie within their stated intervals."""

import csv
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console

from tessera.engine.output_file import write
from tessera.errors import InputError
from tessera.identify.findings import Findings, find
from tessera.identify.intervals import Interval, intervals
from tessera.identify.queue import depth_failure, depths, interval_of, with_queue
from tessera.identify.score import score, with_step
from tessera.identify.simulated import plan_of, write_logs
from tessera.identify.description import description
from tessera.progress import watched

IDENTIFIED = "identified"
HEADER = ("drive", "parameter", "true", "low", "high", "within")
AT_ONCE = 2
FIRST = 400  # the drives before it are those that the method was made on, and say little of others


@dataclass(frozen=True)
class Row:
    drive: int
    parameter: str
    true: str
    low: str
    high: str
    within: bool


def draw(number: int) -> str:
    """The description of a drive: geometry, order of tracks, mechanics, caches and queue, each at random; its number is the seed."""
    rng = np.random.default_rng([48, number])
    rpm = int(rng.choice([5400, 5900, 7200, 10_000]))
    turn = 60e3 / rpm
    surfaces = int(rng.choice([1, 2, 3, 4, 6, 8, 12]))
    serpent = int(rng.choice([1, 8, 24, 64])) if surfaces > 1 else 1
    outer = int(rng.integers(280, 720))
    switch = rng.uniform(0.4, 1.0)
    shortest = rng.uniform(0.2, 1.2)
    cylinders, count = [], int(rng.choice([1, 2, 4]))
    tracks = 100_000
    rows, last = [], -1
    for zone in range(count):
        sectors = round(outer * (1 - 0.45 * zone / count))
        cylinders.append(max(serpent, tracks // surfaces // count // serpent * serpent))
        last += cylinders[-1]
        across = round((shortest + 0.45) / turn * sectors)
        along = round((max(switch, shortest if serpent > 1 else 0.0) + 0.15) / turn * sectors)
        rows.append([last, sectors, min(along, sectors - 1), min(across, sectors - 1), 0, 0])
    segments, ahead = int(rng.integers(2, 33)), int(rng.integers(48, 320))
    order = f'track_order = "serpentine"\nserpent_tracks = {serpent}\nserpent_skew = "{shortest + rng.uniform(0.9, 1.6):.3f} ms"\n' if serpent > 1 else ""
    return f"""summary = "drawn at random, number {number}"
layer = "cmr"
[media]
rpm = "{rpm} rpm"
surfaces = {surfaces}
sector_size = "4 KiB"
{order}zones = {rows}
head_switch = "{switch:.3f} ms"
seek_min = "{shortest:.3f} ms"
seek_full_stroke = "{rng.uniform(12, 22):.3f} ms"
[nand]
blocks = 0
[host]
tags = {int(rng.choice([4, 8, 16, 31, 32]))}
link_rate = "{int(rng.integers(150, 600))} MB/s"
command_overhead = "{rng.uniform(5, 200):.1f} us"
[controller]
scheduling = "{rng.choice(['first_come', 'c_look', 'shortest_seek', 'shortest_positioning'])}"
age_limit = "{int(rng.integers(150, 3000))} ms"
[firmware.read_cache]
segments = {segments}
segment_sectors = {2 * ahead}
read_ahead = {ahead}
read_ahead_step = {int(rng.choice([8, 16, 32]))}
read_ahead_until = "{rng.choice(['next_command', 'limit'])}"
[firmware.write_cache]
capacity = "{int(rng.integers(4, 32))} MiB"
durability = "volatile"
"""


def identify(drive: Path, folder: Path) -> tuple[Findings, str]:
    """From the logs of its small jobs; and its score in words. Raises InputError where nothing was found, or where `fit` says that it is not the drive."""
    chosen = plan_of(str(drive), None, 1).small()
    write_logs(str(drive), folder, chosen)
    found = with_queue(with_step(find(folder)))
    trial = folder / "found.toml"
    write(trial, description(found, drive.stem))
    held, deep = score(found, trial), depths(found)
    told = [found.geometry.failure(), held.failure() if held is not None and not held.fits else None, depth_failure(deep)]
    if any(told):
        raise InputError(" ".join(sentence for sentence in told if sentence))
    return found, (held.text() if held is not None else "") + "; " + ", ".join(one.text() for one in deep)


def rows_of(number: int, text: str, found: Findings) -> list[Row]:
    """Each true parameter with its interval; those that are found exactly or not at all have one of no width."""
    true = tomllib.loads(text)
    media, cache = true["media"], true["firmware"]["read_cache"]
    shape, known, rows = found.geometry, intervals(found), []

    def exact(name: str, value: object, got: object) -> None:
        rows.append(Row(number, name, str(value), str(got), str(got), value == got))

    def within(name: str, value: float, interval: Interval | None) -> None:
        if interval is not None:
            rows.append(Row(number, name, f"{value:g}", f"{interval.low:.6g}", f"{interval.high:.6g}", interval.holds(value)))

    exact("media.surfaces", media["surfaces"], shape.surfaces)
    exact("media.serpent_tracks", media.get("serpent_tracks", 1), shape.order.serpent)
    exact("media.zones", len(media["zones"]), len(shape.zones))
    if len(shape.zones) == len(media["zones"]):
        begin = last = 0
        for index, (zone, (end, sectors, along, across, _, _)) in enumerate(zip(shape.zones, media["zones"], strict=True)):
            exact(f"zone {index}: sectors", sectors, zone.sectors)
            exact(f"zone {index}: cylinder_skew", across, zone.cylinder_skew)
            if media["surfaces"] > 1:
                exact(f"zone {index}: track_skew", along, zone.track_skew)
            if index:
                within(f"zone {index}: first sector", begin, Interval(zone.first - zone.before, zone.first + zone.before))
            begin, last = begin + (end + 1 - last) * sectors * media["surfaces"], end + 1
    within("media.rpm", float(media["rpm"].split()[0]), known.get("media.rpm"))
    for name in ("head_switch", "seek_min", "seek_full_stroke"):
        within(f"media.{name}", float(media[name].split()[0]), known.get(f"media.{name}"))
    within("host.link_rate", 1e6 * float(true["host"]["link_rate"].split()[0]), known.get("host.link_rate"))
    for name in ("segments", "read_ahead"):
        within(f"firmware.read_cache.{name}", cache[name], known.get(f"firmware.read_cache.{name}"))
    within("firmware.write_cache.capacity", float(true["firmware"]["write_cache"]["capacity"].split()[0]) * 2**20, known.get("firmware.write_cache.capacity"))
    for choice in found.queue:
        if choice.key in ("tags", "age_limit"):
            value = true["host"]["tags"] if choice.key == "tags" else float(true["controller"]["age_limit"].split()[0])
            within(f"{choice.section}.{choice.key}", value, interval_of(choice))
        elif choice.key in ("scheduling", "read_ahead_until"):
            value = (true["controller"] if choice.key == "scheduling" else cache)[choice.key]
            alike = sorted({one.strip('"') for one in (*choice.alike, choice.value)})
            rows.append(Row(number, f"{choice.section}.{choice.key}", value, " or ".join(alike), "", value in alike))
    return rows


def _drive(number: int, out: Path) -> tuple[list[Row], str]:
    """Rows of one drive, and its score in words; one row and the reason where it is told that the drive was not identified."""
    text, drive = draw(number), out / f"drawn-{number}.toml"
    write(drive, text)
    try:
        found, said = identify(drive, out / f"drawn-{number}")
    except InputError as error:
        return [Row(number, IDENTIFIED, "yes", str(error), "", False)], str(error)
    return rows_of(number, text, found), said


def coverage(numbers: Sequence[int], out: Path, console: Console | None = None) -> list[Row]:
    """Rows of all drives, two at a time: most of the time is the simulator's."""
    rows = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for number, (own, said) in watched(zip(numbers, pool.map(lambda one: _drive(one, out), numbers)), "drives", len(numbers)):
            rows += own
            if console is not None:
                missed = ", ".join(f"{row.parameter} {row.true} not in {row.low} to {row.high}" for row in own if not row.within)
                told = f"drive {number}: {sum(row.within for row in own)} of {len(own)} within; {said}" + (f"; missed: {missed}" if missed else "")
                console.print(told, soft_wrap=True, markup=False, highlight=False)
    return rows


def write_coverage(console: Console, count: int, out: Path, file: Path | None) -> None:
    rows = coverage(range(FIRST, FIRST + count), out, console)
    known = [row for row in rows if row.parameter != IDENTIFIED]
    held, told = sum(row.within for row in known), len(rows) - len(known)
    console.print(f"{held} of {len(known)} parameters of {count - told} drives within their stated 95 % intervals: {100 * held / len(known):.1f} %; of {told} it is told that they were not identified")
    if file is not None:
        with open(file, "w", newline="", encoding="utf-8") as opened:
            table = csv.writer(opened, lineterminator="\n")
            table.writerow(HEADER)
            table.writerows((row.drive, row.parameter, row.true, row.low, row.high, "yes" if row.within else "no") for row in rows)
        console.print(f"{file}: written")
