"""What the drives of a comparison share, and what they do not: a table of layers means nothing without it."""

import tomllib
from collections.abc import Mapping

from tessera.run_folder import Run

# Layers that bring a write buffer of their own, and the parameter that holds its size; others use the drive's write cache.
OWN_BUFFER = {"sblock": "memory", "hwsr": "memory", "tessera": "buffer", "tessera-imr": "buffer"}
NONE = "none"


def write_buffer(drive: Mapping, layer: str) -> str:
    """DRAM that takes the host's writes: the drive's write cache, or the layer's own buffer where that one yields or is not there."""
    cache = drive["firmware"]["write_cache"]
    if layer not in OWN_BUFFER or (cache["capacity"] != "0 B" and not cache.get("yields", False)):
        return NONE if cache["capacity"] == "0 B" else cache["capacity"]
    return drive.get("layers", {}).get(layer.replace("-", "_"), {}).get(OWN_BUFFER[layer], NONE)


def hardware(drive: Mapping, layer: str) -> dict[str, str]:
    """The parts that a layer may spend, of a run's effective description."""
    cache = drive["firmware"]["read_cache"]
    return {
        "flash cache": drive["firmware"].get("flash_cache", {}).get("capacity", "0 B"),
        "write buffer": write_buffer(drive, layer),
        "read cache": f"{cache['segments']} segments of {cache['segment_sectors']} sectors" if cache["segments"] else NONE,
        "DRAM": drive["dram"]["capacity"],
        "flash": f"{drive['nand']['blocks']:,} blocks" if drive["nand"]["blocks"] else NONE,
        "queue": drive["controller"]["scheduling"].replace("_", " "),
    }


def terms(runs: Mapping[str, Run]) -> str:
    """One paragraph: what all layers share, then what they do not; "" where the runs do not say.

    A layer that has no use for a part leaves it idle; that is its own doing, and no difference.
    """
    drives = {}
    for layer, run in runs.items():
        file = run.folder / "drive.toml"
        if not file.exists():
            return ""
        drives[layer] = hardware(tomllib.loads(file.read_text(encoding="utf-8")), run.summary["run"].get("layer", layer))
    if not drives:
        return ""
    parts = {part: {layer: parts[part] for layer, parts in drives.items()} for part in next(iter(drives.values()))}
    if set(parts["flash cache"].values()) == {"0 B"}:  # few drives have one: that nobody has is not worth a word
        del parts["flash cache"]
    same = [f"{part} {next(iter(values.values()))}" for part, values in parts.items() if len(set(values.values())) == 1]
    text = "Equal for all: the platters" + "".join(f", {item}" for item in same) + "."
    for part, values in parts.items():
        by_value: dict[str, list[str]] = {}
        for layer, value in values.items():
            by_value.setdefault(value, []).append(layer)
        if len(by_value) > 1:
            text += f" NOT equal: {part}: " + "; ".join(f"{value} ({', '.join(layers)})" for value, layers in by_value.items()) + "."
    return text
