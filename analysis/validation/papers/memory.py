"""What the layers' tables take in DRAM, next to the papers' formulas and printed figures."""

from collections.abc import Mapping

from tessera.results.markdown import number, table
from tessera.results.run_folder import Run
from validation.papers.amphisbaena_runs import DRIVE as ZONED_DRIVE, LAYERS as ZONE_BUFFERS, published
from validation.papers.experiment import Experiment
from validation.papers.lab import Lab, Variant, of_layer

MB = 1e6
BANDS, BAND_SECTORS, SUBTABLES, BLOCKS = 256, 10_240, 160, 640  # section III-E: U, P, N, S
PRINTED_MB = {"skylight-flash": 10.0, "pore": 10.0, "mu-rmw": 0.069}
BUFFER_GIB = 1
BLOCK_SECTORS = 4096
PRINTED_PER_GB = 4.0 + 0.029  # MB by chunk and by block, section 5.5
LARGE_TB = 20
NOTHING_REMEMBERED = "amphisbaena, no ghosts or shadows (`history = 0`)"


def sector_map_bytes(sectors: float) -> float:
    """P x U x 4."""
    return 4 * sectors


def concentrated_bytes(bands: float) -> float:
    """U x 4 x N of the directories, and S x 8 of the lists of blocks."""
    return bands * 4 * SUBTABLES + BLOCKS * 8


def flash_caches(lab: Lab) -> Mapping[str, Run]:
    """A short run of each on the paper's drive: what it reserves does not depend on the length."""
    variants = {layer: Variant(layer, of_layer(layer, paper=True, crash_safe=False)) for layer in PRINTED_MB}
    return lab.grid("mu-rmw-paper", {"": ("--workload", "mu-web_0", "--limit", 1000, "--fold", "--replay", "closed:1")}, variants, "memory")[""]


def zone_buffers(lab: Lab) -> Mapping[str, Run]:
    """The same of the zone buffers with a buffer of 1 GiB, and of Amphisbaena without what it remembers of blocks that left."""
    buffer = f"{BUFFER_GIB} GiB"
    variants = {layer: published(layer, buffer=buffer) for layer in ZONE_BUFFERS}
    variants[NOTHING_REMEMBERED] = published("amphisbaena", buffer=buffer, history=0)
    return lab.grid(ZONED_DRIVE, {"": ("--workload", "zone-hm_0", "--limit", 1000)}, variants, "memory")[""]


def tables_mb(run: Run) -> float:
    return run.metric("metadata.bytes") / MB


def merge_mb(run: Run) -> float:
    return run.metric("dram.reserved.merge_buffer") / MB


def total_mb(run: Run) -> float:
    return run.metric("dram.reserved.total") / MB


def _formula_mb(layer: str, sectors: float) -> float:
    return (concentrated_bytes(sectors / BAND_SECTORS) if layer == "mu-rmw" else sector_map_bytes(sectors)) / MB


def _flash_parts(lab: Lab) -> list[str]:
    runs = flash_caches(lab)
    here, large = BANDS * BAND_SECTORS, LARGE_TB * 1e12 / BLOCK_SECTORS
    rows = [
        [
            layer,
            number(PRINTED_MB[layer], 3),
            number(_formula_mb(layer, here), 3),
            number(tables_mb(run), 3),
            number(merge_mb(run), 1),
            number(total_mb(run), 1),
            number(_formula_mb(layer, large), 0),
        ]
        for layer, run in runs.items()
    ]
    return [
        "DRAM in MB on the drive of 10 GiB; the last column is the paper's formula on 20 TB, with as many blocks of flash.\n",
        table(["layer", "printed", "formula", "tables here", "merge buffer here", "all reserved here", f"formula, {LARGE_TB} TB"], rows),
    ]


def zone_tables_mb(run: Run) -> float:
    """States of the zones and bitmaps of their padding, which every zone buffer keeps, however large its buffer."""
    return run.metric("meta.ram_bytes_zones") / MB


def buffer_tables_mb(run: Run) -> float:
    return tables_mb(run) - zone_tables_mb(run)


def _zone_parts(lab: Lab) -> list[str]:
    runs = zone_buffers(lab)
    blocks = BUFFER_GIB * 2**30 / BLOCK_SECTORS
    rows = [
        [
            layer,
            number(zone_tables_mb(run), 1),
            number(buffer_tables_mb(run), 1),
            number(buffer_tables_mb(run) * MB / blocks, 0),
            number(merge_mb(run), 0),
            number(total_mb(run), 0),
        ]
        for layer, run in runs.items()
    ]
    return [
        f"DRAM with a buffer of {BUFFER_GIB} GiB. A block has 4 KiB.\n",
        table(["layer", "tables of the zones, MB", "tables of the buffer, MB", "bytes a block of the buffer", "merge buffer, MB", "all reserved, MB"], rows),
    ]


FLASH = (Experiment("memory", "Memory of the maps", _flash_parts),)
ZONES = (Experiment("memory", "Memory of the buffers' tables", _zone_parts),)
