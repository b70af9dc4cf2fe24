"""The timeline of a window: where the head is, and what head, processor, firmware and flash dies do, out of what `--timeline` wrote."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tessera.errors import InputError, read_text
from tessera.figures.chart import Axis, Lanes, Line, Slice

# Block and thread of a lane -> its name; what the processor runs has many names, of which the lane shows but that it is busy.
LANES = (
    (re.compile(r"media/state"), "head"),
    (re.compile(r"controller/cpu\.(core\d+)"), "CPU {}"),
    (re.compile(r"controller/firmware\.work_(\d+)"), "firmware {}"),
    (re.compile(r"nand/die_(\d+)"), "die {}"),
)
BUSY = "code runs"
US_IN_MS = 1e3


@dataclass(frozen=True)
class State:
    """A stretch of time that one thread of the timeline spent in one state, in microseconds."""

    thread: str
    name: str
    begin: float
    end: float
    numbers: dict[str, Any]


def states(file: str | Path) -> Iterator[State]:
    """Of a timeline; that of a run that was killed ends without a bracket. Raises InputError where it is no timeline."""
    path = Path(file)
    try:
        text = read_text(path).rstrip().rstrip(",")
        events = json.loads(text if text.endswith("]") else text + "]")
        names = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["ph"] == "M" and event["name"] == "thread_name"}
        blocks = {event["pid"]: event["args"]["name"].rpartition(".")[2] for event in events if event["ph"] == "M" and event["name"] == "process_name"}
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except InputError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{path} is no timeline: expected what a run writes with --timeline") from None
    begun: dict[tuple[int, int], list[dict]] = {}
    for event in events:
        thread = (event["pid"], event["tid"])
        if event["ph"] == "B":
            begun.setdefault(thread, []).append(event)
        elif event["ph"] == "E" and begun.get(thread):
            first = begun[thread].pop()
            yield State(f"{blocks[thread[0]]}/{names[thread]}", first["name"], first["ts"], event["ts"], first.get("args", {}))


def lane_of(thread: str) -> str | None:
    """
    >>> lane_of("controller/cpu.core1"), lane_of("nand/die_3"), lane_of("bus/host")
    ('CPU core1', 'die 3', None)
    """
    for pattern, name in LANES:
        if found := pattern.fullmatch(thread):
            return name.format(*found.groups())
    return None


def timeline(file: str | Path) -> Lanes:
    """The head by track over time, and below it what each part does. Raises InputError where nothing was recorded of them."""
    shown = sorted(((lane, state) for state in states(file) if (lane := lane_of(state.thread))), key=lambda pair: pair[1].begin)
    if not shown:
        raise InputError(f"{file} shows neither head nor processor nor dies: record all signals, or those of media, controller and nand")
    origin = shown[0][1].begin

    def ms(at: float) -> float:
        return (at - origin) / US_IN_MS

    lanes: dict[str, list[Slice]] = {}
    for lane, state in shown:
        lanes.setdefault(lane, []).append(Slice(ms(state.begin), ms(state.end), BUSY if lane.startswith("CPU") else state.name))
    at, radius = [], []
    for _, state in (pair for pair in shown if pair[0] == "head"):
        at.append(ms(state.begin))
        radius.append(float(state.numbers["head_radius"]))
        if state.name != "seek":  # a seek ends where the next state begins
            at.append(ms(state.end))
            radius.append(radius[-1])
    names = [name.partition("{")[0] for _, name in LANES]
    ordered = sorted(lanes, key=lambda lane: (next(place for place, name in enumerate(names) if lane.startswith(name)), len(lane), lane))
    return Lanes(
        "timeline", "A window of the drive", Axis(f"time since {origin / 1e6:.6f} s (ms)"), Axis("radius of the head (tracks)"), Line("head", at, radius),
        {lane: lanes[lane] for lane in ordered},
    )  # fmt: skip
