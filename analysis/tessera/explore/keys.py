"""What names a result: the digest of everything that it depends on."""

import hashlib
import json
import platform
from collections.abc import Sequence
from functools import cache

from tessera.engine.simulation import Simulation, setting_text
from tessera.engine.simulator import ask_simulator, python_layers_digest, simulator_digest
from tessera.errors import InputError
from tessera.explore.fold import forget_capacities


FIRMWARE = (("firmware", "firmware"), ("elf", "image"))  # option -> role of the file


def key_of(simulation: Simulation, until: str | None = None, warm: Simulation | None = None, blocks: Sequence[str] = ()) -> str:
    """SHA-256 of the drive's effective description, the content of every file that the run opens, every option, the seed and the simulator
    itself: a result with the same key is the same result. `warm`: the run that made the drive's state which this one begins with; `blocks`: the metrics whose figures
    without each block of the run are in its row."""
    record = simulation.record()
    record["drive"] = drive_values(str(simulation.drive))
    record["settings"] = {path: setting_text(value) for path, value in sorted(simulation.settings.items())}
    files = contents(tuple(_reading_words(simulation)))
    for name, role in (("trace", "trace"), ("workload", "workload"), ("load_state", "state"), *FIRMWARE):
        if name in record:
            record[name] = [digest for of, digest in files if of == role]
    parts = {"run": record, "files": [entry for entry in files if entry[0] != "drive"], "until": until, "simulator": simulator_digest()}
    if any(str(library).endswith(".py") for library in simulation.firmware):
        parts["python"] = [python_layers_digest(), platform.python_version()]
    if warm is not None:
        parts["warm"] = key_of(warm)
    if blocks:
        parts["blocks"] = list(blocks)
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _reading_words(simulation: Simulation) -> list[str]:
    """The words of a run as far as they name what it opens: so that the simulator is asked once for a sweep over a parameter."""
    plain = Simulation(
        drive=simulation.drive, layer=simulation.layer, trace=simulation.trace, workload=simulation.workload, format=simulation.format,
        columns=simulation.columns, time_unit=simulation.time_unit, load_state=simulation.load_state, firmware=simulation.firmware,
        elf=simulation.elf, more=simulation.more,
    )  # fmt: skip
    return plain.words()


def digest_of_firmware(simulation: Simulation) -> str | None:
    """SHA-256 of the library or image that the run loads, as the key has it."""
    roles = [role for _, role in FIRMWARE]
    return next((digest for role, digest in contents(tuple(_reading_words(simulation))) if role in roles), None)


@cache
def contents(words: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Role and SHA-256 of each file that a run with these words opens. Raises InputError for one that can be read only once."""
    listed = json.loads(ask_simulator([*words, "--list-inputs"]))["inputs"]
    for entry in listed:
        if entry["sha256"] is None:
            raise InputError(f"{entry['role']} {entry['name']}: expected a file: what can be read only once cannot be compared with what was read before")
    return tuple((entry["role"], entry["sha256"]) for entry in listed)


@cache
def drive_values(drive: str) -> str:
    """Digest of the values of every parameter of a drive, with all that its description extends."""
    return hashlib.sha256(ask_simulator(["list", "parameters", drive, "--json"]).encode()).hexdigest()


def read_again() -> None:
    """Forgets what is in the files: they may have changed since the last sweep of this process."""
    forget_capacities()
    drive_values.cache_clear()
    contents.cache_clear()
