"""What the program declares about itself, written down: the pages of metrics, parameters, commands and calls, and the digests of every layer's runs."""

import hashlib
import json
from pathlib import Path

import numpy as np

from pages.glossary import glossary
from pages.manual import c_header, c_interface_page, enumerations_section, layers_page, python_page, registers_page, simulator_page, svd, tessera_page
from tessera.cli import app
from tessera.engine.simulator import REPOSITORY, run_simulator, layer_names
from tessera.results.run_folder import Run

METRICS = REPOSITORY / "docs" / "guide" / "metrics.md"
PARAMETERS = REPOSITORY / "docs" / "guide" / "parameters.md"
MANUAL = REPOSITORY / "docs" / "reference"
REGISTERS = REPOSITORY / "models" / "firmware" / "hal" / "registers.def"
C_HEADER = REPOSITORY / "platforms" / "plugin" / "tessera_firmware.h"
HELPERS = ("tessera_coroutine.h", "tessera_parts.h", "tessera_policy.h")
DIGESTS = REPOSITORY / "tests" / "golden" / "digests.json"

ZONED = ("zoned", "host-aware")  # layers with zones; the first takes writes at write pointers alone
SEQUENTIAL_ZONES = ("--set", "layers.zoned.zone=16 MiB", "--set", "layers.zoned.conventional=0")

DISK_STATES = (
    "power_conditions.idle_a_after=1 ms", "power_conditions.idle_b_after=5 ms", "power_conditions.idle_c_after=20 ms", "power_conditions.standby_after=1 s",
    "heat.laser_power=200 mW", "heat.head_life=1 GiB", "track_error_rates=[[0, 100, 10]]",
    "fail_slow=[[0, 9, 0, 100, 0, 10, 2, 0, 0]]",
)  # fmt: skip

# Parts that report only where they are in use.
SPECIAL_RUNS = {
    "zeros after TRIM": ("bare", "--layer", "cmr", "--set", "firmware.zeros_after_trim=true"),
    "write-cache": ("bare", "--layer", "cmr", "--set", "firmware.write_cache.capacity=1 MiB", "--check"),
    "read-cache": ("bare", "--layer", "cmr", "--set", "firmware.write_cache.capacity=1 MiB", "--set", "firmware.read_cache.segments=4", "--set", "firmware.read_cache.segment_sectors=64",
                   "--set", "firmware.read_cache.pool=with_writes", "--set", "firmware.read_cache.segmentation=adaptive", "--set", "firmware.read_cache.zero_latency=true"),
    "journal": ("bare", "--layer", "cmr", "--set", "firmware.write_cache.capacity=1 MiB", "--set", "firmware.write_cache.durability=journal",
                "--set", "layers.cmr.journal_tracks=16"),
    "flash-cache": ("bare", "--layer", "fluid", "--set", "firmware.flash_cache.capacity=1 GiB", "--set", "firmware.flash_cache.use=both"),
    "paged-map": ("bare", "--layer", "skylight-flash", "--set", "layers.skylight_flash.map=paged",
                  "--set", "layers.skylight_flash.checkpoint=34 MiB"),
    "large-pages": ("tlc", "--layer", "pore"),
    "memory-cache": ("bare", "--layer", "mu-rmw", "--set", "controller.data_cache.size=16 KiB", "--set",
                     "controller.code_cache.size=4 KiB"),
    "memory-errors": ("bare", "--layer", "cmr", "--set", "dram.bit_error_rate=1000000000000"),
    "link-faults": ("bare", "--layer", "cmr", "--set", "host.crc_errors_per_million=1000", "--set", "host.command_timeout=1 s"),
    "refresh": ("bare", "--layer", "imr-rmw", "--set", "firmware.refresh.threshold=16", "--set", "media.interference_limit=100"),
    "media-scan": ("bare", "--layer", "cmr", "--set", "firmware.media_scan.interval=1 h"),
    "arms": ("bare", "--layer", "cmr", "--set", "media.surfaces=2", "--set", "media.actuators=2"),
    "luns": ("bare", "--layer", "cmr", "--set", "media.surfaces=2", "--set", "media.actuators=2", "--set", "host.luns=2"),
    "disk-states": ("bare", "--layer", "cmr", *(word for setting in DISK_STATES for word in ("--set", f"media.{setting}"))),
    "cylinders": ("hp-c3323a", "--fold"),
    "host-aware": ("bare", "--layer", "host-aware", "--set", "layers.host_aware.zone=64 MiB"),
    "zoned": ("bare", "--layer", "zoned", "--workload", "sequential", *SEQUENTIAL_ZONES),
    "zoned-cache": ("bare", "--layer", "zoned", "--workload", "sequential", *SEQUENTIAL_ZONES, "--set", "layers.zoned.write_cache=1 MiB"),
    "zoned-log": ("bare", "--layer", "zoned:log"),
    "zoned-lsm": ("bare", "--layer", "zoned:lsm"),
    "zoned-dmz": ("bare", "--layer", "zoned:dmz", "--set", "layers.zoned.zone=64 MiB"),
    "image": ("demo", "--layer", "cmr", "--elf", REPOSITORY / "build" / "firmware" / "cmr-rv64imac.elf", "--set", "processor.code_cache.size=16 KiB",
              "--set", "processor.data_cache.size=16 KiB"),
}


def _run(folder: Path, *arguments: str | Path) -> Run:
    workload = () if "--workload" in arguments else ("--workload", "web-server", "--fold")
    run_simulator(["run", *arguments, *workload, "--out", folder], quiet=True)
    return Run(folder)


def metrics_page(out: Path) -> str:
    """docs/guide/metrics.md, from short runs of every layer in `out`; the image of cmr is there (./dev firmware)."""
    runs = {layer: ("bare", "--layer", layer, "--replay", "queue:64") for layer in layer_names()} | SPECIAL_RUNS
    return glossary(_run(out / name, *arguments, "--limit", "200") for name, arguments in runs.items())


def parameters_page() -> str:
    """docs/guide/parameters.md."""
    return run_simulator(["list", "parameters", "--markdown"])


def manual() -> dict[str, str]:
    """The files of docs/reference by their names."""
    definitions = REGISTERS.read_text(encoding="utf-8")
    return {
        "tessera.md": tessera_page(app),
        "tessera-sim.md": simulator_page(),
        "python.md": python_page(),
        "python-layers.md": layers_page(),
        "array-parameters.md": run_simulator(["list", "parameters", "--arrays", "--markdown"]),
        "c-interface.md": c_interface_page(C_HEADER.read_text(encoding="utf-8"), {name: (C_HEADER.parent / name).read_text(encoding="utf-8") for name in HELPERS}),
        "registers.md": registers_page(definitions) + enumerations_section(REPOSITORY),
        "tessera_registers.h": c_header(definitions, REPOSITORY),
        "tessera.svd": svd(definitions, REPOSITORY),
    }


def digest(layer: str, out: Path) -> str:
    """SHA-256 of the lives of 2000 requests to `layer` on the drive `bare`; those to `zoned` fill one zone after the other."""
    workload = ("--workload", "sequential", *SEQUENTIAL_ZONES) if layer == ZONED[0] else ()
    run = _run(out, "bare", "--layer", layer, *workload, "--limit", "2000", "--seed", "11", "--requests")
    return hashlib.sha256(without_causes(run.requests)).hexdigest()


def without_causes(log: np.ndarray) -> bytes:
    """requests.npy as it was before it had causes, so that a digest says whether the lives are still the same."""
    fields = [name for name in log.dtype.names if not name.startswith("cause")]
    described = "{'descr': [%s], 'fortran_order': False, 'shape': (%d,), }" % (", ".join(f"('{name}', '{log.dtype[name].str}')" for name in fields), len(log))
    preamble, most_digits = 10, 20  # as platforms/output/npy_header.cpp lays the header out
    shortest = preamble + len(described) - len(str(len(log))) + most_digits + 1
    text = described.ljust(-(-shortest // 64) * 64 - preamble - 1) + "\n"
    packed = np.dtype([(name, log.dtype[name]) for name in fields])
    records = np.empty(len(log), packed)
    for name in fields:
        records[name] = log[name]
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + records.tobytes()


def write_reference(out: Path) -> None:
    """Writes the pages and the digests anew; a changed digest is a changed model."""
    METRICS.write_text(metrics_page(out / "metrics"))
    PARAMETERS.write_text(parameters_page())
    for name, text in manual().items():
        (MANUAL / name).write_text(text)
    digests = {layer: digest(layer, out / "digests" / layer) for layer in (*layer_names(), *ZONED)}
    DIGESTS.write_text(json.dumps(digests, indent=2) + "\n")
