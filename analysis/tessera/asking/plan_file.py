"""The sweep that a question is: a file that repeats it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tessera.asking.question import Question
from tessera.engine.output_file import write
from tessera.evidence.blocks import LEAST, PARTS
from tessera.evidence.family import PERCENT, percent

FILE = "question.toml"


PLACE = ("seed", "skip", "limit")  # of a point what is no part of its design


def plan_table(question: Question, limit: int | None, seeds: int, past: int = 0) -> dict[str, Any]:
    """The tables of the sweep's file; of a recorded trace, of which `past` requests fill the caches and `limit` follow, with what its blocks
    say, or with its parts next to the whole."""
    asked = question.asked
    run: dict[str, Any] = {"drive": asked.drive, **asked.source.options(), "fold": True}
    given = {"replay": asked.replay, "format": asked.format}
    run |= {name: value for name, value in given.items() if value}
    if limit is not None:
        run["limit"] = limit
    if past:
        run["skip"] = past
    if asked.firmware:
        run["firmware"] = list(asked.firmware)
    if asked.settings:
        run["set"] = dict(asked.settings)
    points = [design.point() for design in question.designs]
    table: dict[str, Any] = {"title": question.title, **({"margin": percent()} if percent() != PERCENT else {})}
    if asked.source.recorded:
        if asked.metric.of_requests:
            table["blocks"] = asked.metric.name
        else:
            part = (limit or 0) // PARTS
            places = [{"skip": past, "limit": limit}, *({"skip": past + number * part, "limit": part} for number in range(PARTS if part >= LEAST else 0))]
            points = [{**point, **place} for point in points for place in places]
    return table | {"run": run, "points": points, "axes": {"seed": list(range(1, seeds + 1))}}


def write_plan(folder: Path, table: Mapping[str, Any], command: str, file: str = FILE) -> Path:
    """Writes the table as TOML; the same file for the same question."""
    lines = [f"# {command}", *(f"{name} = {json.dumps(table[name])}" for name in ("title", "blocks", "margin") if name in table), "", "[run]"]
    lines += [f"{name} = {_toml(value)}" for name, value in table["run"].items()]
    lines += ["", "[axes]", f"seed = {json.dumps(table['axes']['seed'])}"]
    for point in table["points"]:
        lines += ["", "[[points]]", *(f"{json.dumps(path)} = {_toml(value)}" for path, value in point.items())]
    folder.mkdir(parents=True, exist_ok=True)
    return write(folder / file, "\n".join(lines) + "\n")


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(name)} = {json.dumps(inner)}" for name, inner in value.items()) + " }"
    return json.dumps(value)
