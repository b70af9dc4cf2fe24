"""A run once more, from what its folder says. Folders of results are mailed and published, so what they hold is data: a fixed list of options,
each of its own kind; no output; files only where their content is that of the run; code only where the user names it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tessera.engine.simulation import DESCRIPTION, FLAGS, REPEATED, VALUES, Simulation, value_of
from tessera.engine.simulator import SimulatorError, ask_simulator
from tessera.errors import InputError, check_schema, nearest, read_json
from tessera.results.run_folder import Run

SCHEMA = 1
OUTPUTS = ("save_state",)
FIRMWARE = {"firmware": "--firmware", "image": "--elf"}  # role of the file -> option
FILES = {"drive": "drive", "trace": "trace", "workload": "workload", "state": "load_state"}  # role -> option
PLAIN = ("check_protocol", "firmware_patience", "any_firmware")  # options of the simulator that are no field of Simulation
LONGEST = 4096  # of a text


def repeatable(folder: str | Path, firmware: Path | None = None) -> Simulation:
    """The run that made `folder`, ready to be made again elsewhere. `firmware`: the shared library or image that it ran, if it ran one.
    Raises InputError where the folder asks for what no folder may ask for, or where a file is not what it was."""
    file = Path(folder) / DESCRIPTION
    if not file.exists():
        raise InputError(f"{folder} does not say what made it ({DESCRIPTION} is missing): make the run again with --requests, or name the drive and its options")
    described = read_json(file)
    if not isinstance(described, Mapping):
        raise InputError(f"{file}: expected the description of a run, found {_shown(described)}")
    check_schema(file, described.get("schema"), SCHEMA)
    try:
        fields, more = _options(described.get("options"))
        recorded = _digests(described.get("inputs"))
        more += _firmware_words(recorded, firmware)
        for role, name in FILES.items():
            if role in recorded and name in fields:
                fields[name] = _found(Path(folder), str(fields[name]), recorded[role][0])
        made = Simulation.of({**fields, "more": more})
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
    _same_content(file, made, recorded)
    return made


def repeat(made_by: Simulation, folder: str | Path, progress: bool = False) -> Run:
    """Makes such a run again, in a folder of its own. One that ended by an error, as that of a policy, ends so again, with results."""
    try:
        return made_by.run(folder, progress)
    except SimulatorError:
        if not (Path(folder) / "summary.json").exists():
            raise
        return Run(folder)


def _options(given: Any) -> tuple[dict[str, Any], list[str]]:
    """Fields of a Simulation, and words for what is none."""
    if not isinstance(given, Mapping):
        raise InputError(f"options: expected a table, found {_shown(given)}")
    fields: dict[str, Any] = {"drive": _text("drive", given.get("drive")), "settings": {}}
    more: list[str] = []
    for option, value in given.items():
        name = option.replace("-", "_")
        if name in ("drive", "firmware", "elf"):
            continue  # the firmware is for the user to name
        if name in OUTPUTS or name not in (*VALUES, *FLAGS, *REPEATED, *PLAIN, "set"):
            close = nearest(name, (*VALUES, *FLAGS, *REPEATED))
            raise InputError(f"'{_shown(option)}' is no option that a run is repeated with" + (f"; did you mean '{close}'?" if close else ""))
        if name == "set":
            for text in _texts(option, value):
                path, _, of = text.partition("=")
                fields["settings"][path] = of
        elif name in REPEATED:
            fields[name] = tuple(_texts(option, value))
        elif name in FLAGS or (name in PLAIN and name != "firmware_patience"):
            if value is not True:
                raise InputError(f"{option}: expected true, found {_shown(value)}")
            if name in FLAGS:
                fields[name] = True
            else:
                more.append(f"--{option}")
        elif name in PLAIN:
            more += [f"--{option}", _text(option, value)]
        else:
            fields[name] = value_of(name, _text(option, value))
    return fields, more


def _text(name: str, value: Any) -> str:
    """A word of the command line that cannot be taken for an option."""
    if not isinstance(value, str) or not value or len(value) > LONGEST or value.startswith("-") or not value.isprintable():
        raise InputError(f"{name}: expected a text that begins with no '-', found {_shown(value)}")
    return value


def _texts(name: str, value: Any) -> list[str]:
    if not isinstance(value, list):
        raise InputError(f"{name}: expected a list of texts, found {_shown(value)}")
    return [_text(name, text) for text in value]


def _digests(given: Any) -> dict[str, list[dict[str, Any]]]:
    """The recorded files by role."""
    if not isinstance(given, list) or not all(isinstance(entry, Mapping) and isinstance(entry.get("role"), str) for entry in given):
        raise InputError("inputs: expected a list of files with role and sha256")
    roles: dict[str, list[dict[str, Any]]] = {}
    for entry in given:
        roles.setdefault(entry["role"], []).append(dict(entry))
    return {role: [{"path": entry.get("path"), "sha256": entry.get("sha256"), "name": entry.get("name")} for entry in entries] for role, entries in roles.items()}


def _firmware_words(recorded: Mapping[str, list[dict[str, Any]]], firmware: Path | None) -> list[str]:
    for role, option in FIRMWARE.items():
        if role in recorded:
            name, digest = recorded[role][0]["name"], recorded[role][0]["sha256"]
            if firmware is None:
                raise InputError(
                    f"the run loaded the firmware '{_shown(name)}' (SHA-256 {_shown(digest)}): code is never taken from a folder of results; "
                    "name the file yourself with --firmware FILE, and it is used if its digest is this"
                )
            return [option, str(firmware), "--firmware-digest", _text("sha256", digest)]
    if firmware is not None:
        raise InputError(f"--firmware {firmware}: the run used the simulator's own firmware")
    return []


def _found(folder: Path, name: str, entries_first: dict[str, Any]) -> str:
    """Where a file is: as the run named it, from here; where it lay then; in the folder of the run. What is in it is compared later."""
    if not ("/" in name or "." in name):
        return name  # of the drives and workloads that come with the simulator
    recorded = entries_first.get("path")
    for place in (Path(name), Path(recorded) if isinstance(recorded, str) else None, folder / Path(name).name):
        if place is not None and place.is_file():
            return str(place)
    raise InputError(f"{name} is not there: put it beside the results, or where the run found it")


def _same_content(file: Path, made: Simulation, recorded: Mapping[str, list[dict[str, Any]]]) -> None:
    """Raises InputError where a file differs from what the run read, or is one that it did not read."""
    now = json.loads(ask_simulator([*made.words(), "--list-inputs"]))["inputs"]
    before = {role: [entry["sha256"] for entry in entries] for role, entries in recorded.items()}
    seen: dict[str, list[str | None]] = {}
    for entry in now:
        seen.setdefault(entry["role"], []).append(entry["sha256"])
        expected = before.get(entry["role"], [])
        place = len(seen[entry["role"]]) - 1
        if entry["sha256"] is None or place >= len(expected) or expected[place] != entry["sha256"]:
            raise InputError(f"{file}: {entry['role']} '{entry['name']}' is not the file that the run read: its content differs")
    for role, digests in before.items():
        if len(seen.get(role, [])) != len(digests):
            raise InputError(f"{file}: the run read {len(digests)} of '{_shown(role)}', and its options name {len(seen.get(role, []))}")


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text[:80] + ("..." if len(text) > 80 else "")
