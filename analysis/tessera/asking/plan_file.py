"""The sweep that a question is: a file that repeats it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tessera.asking.question import Question
from tessera.engine.output_file import write

FILE = "question.toml"


def plan_table(question: Question, limit: int | None, seeds: int) -> dict[str, Any]:
    """The tables of the sweep's file."""
    asked = question.asked
    run: dict[str, Any] = {"drive": asked.drive, **asked.source.options(), "fold": True}
    given = {"replay": asked.replay, "format": asked.format}
    run |= {name: value for name, value in given.items() if value}
    if limit is not None:
        run["limit"] = limit
    if asked.settings:
        run["set"] = dict(asked.settings)
    return {
        "title": question.title, "run": run, "points": [design.point() for design in question.designs], "axes": {"seed": list(range(1, seeds + 1))},
    }  # fmt: skip


def write_plan(folder: Path, table: Mapping[str, Any], command: str) -> Path:
    """Writes the table as TOML; the same file for the same question."""
    lines = [f"# {command}", f"title = {json.dumps(table['title'])}", "", "[run]"]
    lines += [f"{name} = {_toml(value)}" for name, value in table["run"].items()]
    lines += ["", "[axes]", f"seed = {json.dumps(table['axes']['seed'])}"]
    for point in table["points"]:
        lines += ["", "[[points]]", *(f"{json.dumps(path)} = {_toml(value)}" for path, value in point.items())]
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / FILE, "\n".join(lines) + "\n")
    return folder / FILE


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(name)} = {json.dumps(inner)}" for name, inner in value.items()) + " }"
    return json.dumps(value)
