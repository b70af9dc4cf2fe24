"""What names a result: the digest of everything that it depends on."""

import hashlib
import json
import tomllib
from functools import cache
from pathlib import Path

from tessera.errors import InputError, unknown_name
from tessera.simulation import Simulation, setting_text
from tessera.simulator import ask_simulator, simulator_digest


def key_of(simulation: Simulation, until: str | None = None, warm: Simulation | None = None) -> str:
    """SHA-256 of the drive's effective description, the input's content, every option, the seed and the simulator itself: a result
    with the same key is the same result. `warm`: the run that made the drive's state which this one begins with."""
    record = simulation.record()
    record["drive"] = drive_values(str(simulation.drive))
    record["settings"] = {path: setting_text(value) for path, value in sorted(simulation.settings.items())}
    for name, digest in (("trace", trace_digest), ("workload", workload_digest), ("load_state", state_digest)):
        if name in record:
            record[name] = digest(str(record[name]))
    parts = {"run": record, "until": until, "simulator": simulator_digest()}
    if warm is not None:
        parts["warm"] = key_of(warm)
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@cache
def drive_values(drive: str) -> str:
    """Digest of the values of every parameter of a drive, with all that its description extends."""
    return hashlib.sha256(ask_simulator(["list", "parameters", drive, "--json"]).encode()).hexdigest()


@cache
def trace_digest(trace: str) -> str:
    """Digest of a trace's bytes, and of the file beside it that names its columns."""
    return _digest_of([Path(trace), Path(trace + ".columns.toml")], "trace")


@cache
def state_digest(state: str) -> str:
    """Digest of a drive's saved state."""
    return _digest_of([Path(state)], "state")


@cache
def workload_digest(workload: str) -> str:
    """Digest of a workload's description, of those that it extends and of its file of offsets."""
    files = _with_extended(workload_file(workload))
    return _digest_of(files, "workload")


@cache
def _known_workloads() -> dict[str, str]:
    return {entry["name"]: entry["file"] for entry in json.loads(ask_simulator(["list", "workloads", "--json"]))}


def workload_file(workload: str) -> Path:
    """The file of a workload by name or path. Raises InputError."""
    if workload in _known_workloads():
        return Path(_known_workloads()[workload])
    if "/" not in workload and not workload.endswith(".toml") and not Path(workload).exists():
        raise unknown_name("workload", workload, _known_workloads())
    return Path(workload)


def _with_extended(file: Path) -> list[Path]:
    files = [file]
    try:
        table = tomllib.loads(file.read_text())
    except (OSError, tomllib.TOMLDecodeError):
        return files  # the run says what is wrong with it
    if offsets := table.get("offsets"):
        files.append(file.parent / offsets)
    if base := table.get("extends"):
        beside = file.parent / (base if base.endswith(".toml") else f"{base}.toml")
        files += _with_extended(beside if beside.exists() else workload_file(base))
    return files


def _digest_of(files: list[Path], kind: str) -> str:
    whole = hashlib.sha256()
    for number, file in enumerate(files):
        try:
            with open(file, "rb") as stream:
                whole.update(hashlib.file_digest(stream, "sha256").digest())
        except OSError as error:
            if number == 0:
                raise InputError(f"{kind} {file}: {error.strerror}") from None
    return whole.hexdigest()
