"""What the drives of a comparison share, and what they do not: a table of layers means nothing without it."""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tessera.errors import damaged, read_text
from tessera.results.run_folder import Run

# Layers that bring a write buffer of their own, and the parameter that holds its size; others use the drive's write cache.
OWN_BUFFER = {"sblock": "memory", "hwsr": "memory", "tessera": "buffer", "tessera-imr": "buffer"}
NONE = "none"


def own_buffer(layer: str) -> str | None:
    """The parameter that holds the size of a layer's own write buffer, if it has one; a host or a policy after a colon changes nothing.

    >>> own_buffer("tessera:mine")
    'layers.tessera.buffer'
    """
    name = layer.partition(":")[0]
    return f"layers.{name.replace('-', '_')}.{OWN_BUFFER[name]}" if name in OWN_BUFFER else None


def write_buffer(drive: Mapping, layer: str) -> str:
    """DRAM that takes the host's writes: the drive's write cache, or the layer's own buffer where that one yields or is not there."""
    cache = drive["firmware"]["write_cache"]
    if (own := own_buffer(layer)) is None or (cache["capacity"] != "0 B" and not cache.get("yields", False)):
        return NONE if cache["capacity"] == "0 B" else cache["capacity"]
    _, section, name = own.split(".")
    return drive.get("layers", {}).get(section, {}).get(name, NONE)


def buffer_in_host(drive: Mapping) -> str:
    """Of a host that translates; the others acknowledge nothing from their memory."""
    hosts = drive.get("hosts", {})
    if hosts.get("translation") == "lsm":
        return f"{hosts['lsm']['memtables']} tables of {hosts['lsm']['memtable']}"
    return hosts.get(hosts.get("translation"), {}).get("write_buffer", NONE)


def hardware(drive: Mapping, layer: str) -> dict[str, str]:
    """The parts that a layer may spend, of a run's effective description."""
    cache = drive["firmware"]["read_cache"]
    return {
        "flash cache": drive["firmware"].get("flash_cache", {}).get("capacity", "0 B"),
        "write buffer": write_buffer(drive, layer),
        "write buffer in the host": buffer_in_host(drive),
        "read cache": f"{cache['segments']} segments of {cache['segment_sectors']} sectors" if cache["segments"] else NONE,
        "DRAM": drive["dram"]["capacity"],
        "flash": f"{drive['nand']['blocks']:,} blocks" if drive["nand"]["blocks"] else NONE,
        "queue": drive["controller"]["scheduling"].replace("_", " "),
    }


def _described(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(file))
    except (tomllib.TOMLDecodeError, RecursionError):
        raise damaged(file) from None


def terms(runs: Mapping[str, Run]) -> str:
    """One paragraph: what all layers share, then what they do not; "" where the runs do not say.

    A layer that has no use for a part leaves it idle; that is its own doing, and no difference.
    """
    drives = {}
    for layer, run in runs.items():
        file = run.folder / "drive.toml"
        if not file.exists():
            return ""
        drives[layer] = hardware(_described(file), run.summary["run"].get("layer", layer))
    return _in_words(drives)


# What an axis of a sweep changes of a part: by the begin of its path.
SET_BY = {
    "flash cache": "firmware.flash_cache.", "write buffer": "firmware.write_cache.", "write buffer in the host": "hosts.", "read cache": "firmware.read_cache.", "DRAM": "dram.capacity",
    "flash": "nand.blocks", "queue": "controller.scheduling",
}  # fmt: skip


def terms_of_sweep(parameters: Mapping[str, str], layers: Iterable[str], settings: Mapping[str, Any], axes: Iterable[str]) -> str:
    """As terms(), of runs of a sweep that kept no folders. `parameters`: the drive's, as TOML by path. What an axis changes is a column,
    and left out."""
    described: dict[str, Any] = {}
    for path, value in {**{path: tomllib.loads(f"v = {text}")["v"] for path, text in parameters.items()}, **settings}.items():
        table = described
        *sections, name = path.split(".")
        for section in sections:
            table = table.setdefault(section, {})
        table[name] = value
    varied = {part for part, path in SET_BY.items() for axis in axes if axis.startswith(path)}
    varied |= {"write buffer" for axis in axes if axis.startswith("layers.") and axis.rsplit(".", 1)[-1] in OWN_BUFFER.values()}
    return _in_words({layer: {part: value for part, value in hardware(described, layer).items() if part not in varied} for layer in layers})


def _in_words(drives: Mapping[str, Mapping[str, str]]) -> str:
    """Of the parts of each layer's drive."""
    if not drives:
        return ""
    parts = {part: {layer: parts[part] for layer, parts in drives.items()} for part in next(iter(drives.values()))}
    for part, nothing in (("flash cache", "0 B"), ("write buffer in the host", NONE)):  # few have one: that nobody has is not worth a word
        if set(parts.get(part, {}).values()) == {nothing}:
            del parts[part]
    same = [f"{part} {next(iter(values.values()))}" for part, values in parts.items() if len(set(values.values())) == 1]
    text = "Equal for all: the platters" + "".join(f", {item}" for item in same) + "."
    for part, values in parts.items():
        by_value: dict[str, list[str]] = {}
        for layer, value in values.items():
            by_value.setdefault(value, []).append(layer)
        if len(by_value) > 1:
            text += f" NOT equal: {part}: " + "; ".join(f"{value} ({', '.join(layers)})" for value, layers in by_value.items()) + "."
    return text
