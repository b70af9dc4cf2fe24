"""What a page holds of one run: its requests, the head's positions, levels and work of the firmware."""

import csv
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from tessera.errors import InputError, damaged, read_text, regular
from tessera.evidence.marks import of_run_marks
from tessera.explore.axes import amount
from tessera.figures.style import part_colours
from tessera.results.request_log import OPERATIONS, life_phases
from tessera.results.run_folder import Run
from tessera.view.band_strip import band_strip
from tessera.view.dies import dies_of
from tessera.view.dram import bus_load
from tessera.view.head import MOST_ROWS, WAVEFORM, Head, head_of
from tessera.view.packed import packed

MOST_REQUESTS = 200_000  # of a page: some 15 MB
MOST_EVENTS = 200_000
MOST_GAUGES = 4
MOST_KINDS = 16  # of work
RINGS = 120  # of the platter's picture: more are less than two dots wide
PICOSECONDS = 10**12
NO_HEAD = f"Head positions were not recorded ('tessera view' with --yes repeats the run to record them), or are more than the {MOST_ROWS:,} of a page."
FIELDS = {"number": "u64", "lba": "u64", "blocks": "u32", "op": "u8", "status": "u8", "arrival": "u64", "issue": "u64", "completion": "u64"}
EDGES = ("begin", "end", "instant")
_DAMAGED = (ValueError, TypeError, KeyError, OverflowError, csv.Error)
SAMPLES_OF_HEAT = ("hot_track", "hot_neighbour")  # records of interlaced layers at each interval, not work


def side_of(run: Run, head: Head | None, name: str) -> dict[str, Any]:
    """Raises InputError where a file of the run is damaged or of another version."""
    requests = checked_requests(run)
    shown, until = requests[:MOST_REQUESTS], _until(requests)
    facts = run.summary["run"]
    return {
        "name": name,
        "facts": [f"layer {facts.get('layer', '?')}", f"drive {facts.get('drive', '?')}", str(facts.get("input", "?")), f"seed {facts.get('seed', '?')}"],
        "marks": of_run_marks(run),
        "notes": [] if head is not None else [NO_HEAD],
        "total": len(requests),
        "begin": int(shown["arrival"].min()),
        "requests": {field: packed(shown[field], kind) for field, kind in FIELDS.items()},
        "phases": _phases(shown),
        "drive": _drive(run, head),
        "head": _head(head) if head is not None else None,
        "dies": _dies(run, until),
        "rings": _rings(run),
        "bands": band_strip(run, until),
        "gauges": [*_gauges(run, until), *_dram(run, until)],
        **_events(run, until),
    }


def recorded_head(run: Run) -> Head | None:
    """As long as the requests of a page; None where it was not recorded, or not all of it."""
    file = run.folder / WAVEFORM
    return head_of(file, _until(checked_requests(run))) if file.exists() else None


def _until(requests: np.ndarray) -> int | None:
    """The time up to which a page shows a run; None for all of it."""
    return int(requests[:MOST_REQUESTS]["completion"].max()) if len(requests) > MOST_REQUESTS else None


def checked_requests(run: Run) -> np.ndarray:
    """requests.npy, if it is what this version writes and its parts make up the latencies."""
    requests = run.requests
    if len(requests) == 0:
        raise InputError(f"{run.folder / 'requests.npy'} holds no request: there is nothing to view")
    whole = sum((requests[phase] for phase in life_phases(requests)), np.zeros(len(requests), np.uint64))
    ordered = (requests["arrival"] <= requests["issue"]) & (requests["issue"] <= requests["completion"])
    if not ordered.all() or (whole != requests["completion"] - requests["arrival"]).any() or requests["op"].max() >= len(OPERATIONS):
        raise damaged(run.folder / "requests.npy")
    return requests


def _phases(requests: np.ndarray) -> list[dict[str, Any]]:
    """The parts of a life that any request has, with the colours that they have in every picture."""
    names = life_phases(requests)
    colours = part_colours([name.replace("_", " ") for name in names])
    return [
        {"name": name, "colour": colours[name.replace("_", " ")], "time": packed(requests[name], "u64")} for name in names if requests[name].any()
    ]


def _drive(run: Run, head: Head | None) -> dict[str, Any]:
    """Tracks of a surface, and the length of a turn, of the drive as it was."""
    file = run.file("drive.toml")
    try:
        described = tomllib.loads(read_text(file))
        media = described["media"]
        radii = int(media["zones"][-1][0]) + 1 if media.get("zones") else int(media["tracks"])
        surfaces = int(media.get("surfaces", 1))
        speed, unit = amount(media["rpm"])
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
        raise InputError(f"{file}: expected the description of a drive with its tracks and its speed ({error})") from None
    if unit != "rpm" or speed <= 0 or radii < 1:
        raise InputError(f"{file}: expected a speed such as \"7200 rpm\" and one track or more, found '{media['rpm']}' and {radii} tracks")
    farthest = int(head.radius.max()) + 1 if head is not None else 0
    return {"radii": max(radii, farthest), "surfaces": surfaces, "turn": float(60 * PICOSECONDS / speed)}


def _head(head: Head) -> dict[str, Any]:
    return {"at": packed(head.at, "u64"), "state": packed(head.state, "u8"), "radius": packed(head.radius, "u32"), "surface": packed(head.surface, "u8")}


def _dies(run: Run, until: int | None) -> list[dict[str, Any]]:
    """Those of the flash that did something."""
    file = run.folder / WAVEFORM
    dies = dies_of(file, until) if file.exists() else []
    return [{"name": f"flash die {die.number}", "at": packed(die.at, "u64"), "state": packed(die.state, "u8")} for die in dies]


def _dram(run: Run, until: int | None) -> list[dict[str, Any]]:
    """How busy its data bus was, as one more level."""
    file = run.folder / WAVEFORM
    load = bus_load(file, until) if file.exists() else None
    return [] if load is None else [{"name": "DRAM bus in use", "unit": " %", "at": packed(load.at, "u64"), "level": packed(load.percent, "f32")}]


def _rings(run: Run) -> dict[str, Any] | None:
    """How often each place of the platters was used in the whole run, by radius, and the region that it is of."""
    file = run.folder / "tracks.csv"
    if not file.exists():
        return None
    try:
        with open(regular(file), newline="", encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines))
        if not rows:
            return None
        radius = np.array([int(row["radius"]) for row in rows])
        used = np.array([int(row["reads"]) + int(row["writes"]) for row in rows])
        regions = [str(row["region"]) for row in rows]
    except _DAMAGED:
        raise damaged(file) from None
    names = sorted(set(regions))
    width = max(1, -(-(int(radius.max()) + 1) // RINGS))
    uses = np.zeros((int(radius.max()) // width + 1, len(names)))
    np.add.at(uses, (radius // width, np.array([names.index(region) for region in regions])), used)
    colours = part_colours([f"platters: {name}" for name in names])
    return {
        "width": width,
        "names": names,
        "colours": [colours[f"platters: {name}"] for name in names],
        "region": uses.argmax(axis=1).tolist(),
        "uses": uses.sum(axis=1).tolist(),
    }


def _gauges(run: Run, until: int | None) -> list[dict[str, Any]]:
    """Levels that the firmware publishes, where they move: the name of each has a dot."""
    if not (run.folder / "intervals.csv").exists():
        return []
    try:
        rows = [row for row in run.intervals if until is None or (row["start_s"] or 0) * PICOSECONDS <= until]
        at = np.array([int((row["end_s"] or 0) * PICOSECONDS) for row in rows], np.uint64)
        names = [name for name in (rows[0] if rows else ()) if "." in name]
        levels = {name: np.array([row[name] or 0.0 for row in rows]) for name in names}
    except _DAMAGED:
        raise damaged(run.folder / "intervals.csv") from None
    moving = [(name, level) for name, level in levels.items() if level.min() != level.max()]
    return [{"name": name, "at": packed(at, "u64"), "level": packed(level, "f32")} for name, level in moving[:MOST_GAUGES]]


def _events(run: Run, until: int | None) -> dict[str, Any]:
    """The log of the firmware's events, and the stretches of time in which work of each kind was under way."""
    file = run.folder / "events.csv"
    if not file.exists():
        return {"events": None, "works": []}
    try:
        events = [event for event in run.events if event["kind"] not in SAMPLES_OF_HEAT and (until is None or event["time_ps"] <= until)]
        events = sorted(events, key=lambda event: event["time_ps"])[:MOST_EVENTS]
        kinds = {kind: place for place, kind in enumerate(sorted({str(event["kind"]) for event in events}))}
        columns = {
            "at": packed(np.array([event["time_ps"] for event in events], np.uint64), "u64"),
            "kind": packed(np.array([kinds[event["kind"]] for event in events], np.uint32), "u32"),
            "edge": packed(np.array([EDGES.index(event["edge"]) for event in events], np.uint8), "u8"),
            "subject": packed(np.array([event["subject"] for event in events], np.uint64), "u64"),
            "amount": packed(np.array([event["amount"] for event in events], np.uint64), "u64"),
        }
    except _DAMAGED:
        raise damaged(file) from None
    return {"events": {"kinds": list(kinds), **columns}, "works": _works(events)}


def _works(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of each kind the stretches from a begin to the end of the same subject; an instant is one without length."""
    begun: dict[tuple[str, int], list[int]] = defaultdict(list)
    stretches: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for event in events:
        key, at = (event["kind"], event["subject"]), event["time_ps"]
        if event["edge"] == "begin":
            begun[key].append(at)
        elif event["edge"] == "instant":
            stretches[event["kind"]].append((at, at))
        elif begun[key]:
            stretches[event["kind"]].append((begun[key].pop(0), at))
    found = []
    for kind, pairs in sorted(stretches.items(), key=lambda item: -len(item[1]))[:MOST_KINDS]:
        begin, end = np.array(sorted(pairs), np.uint64).T
        found.append({"kind": kind, "begin": packed(begin, "u64"), "end": packed(end, "u64")})
    return found
