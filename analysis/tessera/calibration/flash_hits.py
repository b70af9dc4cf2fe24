"""Flash hits on a NAND and a link that are fast, so that they wait for the CPU: sectors are written to the flash cache, then read from it at random."""

import random
from pathlib import Path

HIT_SECTORS, HIT_WARM_UP, HIT_READS, HIT_DEPTH = 256, 1_000, 5_000, 32
FAST_FLASH = {
    "nand.blocks": "320", "nand.channels": "4", "nand.dies": "16", "nand.read_time": "2 us", "nand.bus_rate": "4 GB/s", "host.link_rate": "4 GB/s",
}  # fmt: skip
HITS = (
    "--format", "ascii", "--replay", f"closed:{HIT_DEPTH}", "--warmup", str(HIT_SECTORS + HIT_WARM_UP),
    *(word for path, value in FAST_FLASH.items() for word in ("--set", f"{path}={value}")),
)  # fmt: skip


def write_hits(trace: Path) -> None:
    """Sectors written to the flash cache, then reads of them at random."""
    draw = random.Random(1)
    writes = [f"0 0 {8 * sector} 8 0" for sector in range(HIT_SECTORS)]
    reads = [f"0 0 {8 * draw.randrange(HIT_SECTORS)} 8 1" for _ in range(HIT_WARM_UP + HIT_READS)]
    trace.write_text("\n".join(writes + reads) + "\n")
