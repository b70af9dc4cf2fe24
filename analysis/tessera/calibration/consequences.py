"""What measured costs do to responses: runs with the estimates, with the costs found, and of the image."""

from collections.abc import Sequence
from pathlib import Path

from tessera.calibration.measurement import DRIVE, ESTIMATES, image_of
from tessera.calibration.report import Page
from tessera.papers.page import number
from tessera.run_folder import Run
from tessera.simulator import ask_simulator
from tessera.sizing import HIT_DEPTH, HIT_READS, HITS, write_hits

LAYERS = ("cmr", "imr-rmw", "mu-rmw", "skylight-flash")
FLASH_LAYERS = ("mu-rmw", "skylight-flash")
REQUESTS = 10_000
HEADER = ("layer, processor", "mean ms", "p99 ms", "CPU used")


def _rows(layers: Sequence[str], words: Sequence[str | int | Path], costs: Path, out: Path, images: Path) -> list[tuple[str, ...]]:
    rows = []
    for layer in layers:
        ways = (
            ("estimates", (DRIVE, *ESTIMATES)), ("measured", (costs,)), ("image", (DRIVE, "--elf", image_of(layer, images))),
        )  # fmt: skip
        for index, (name, (drive, *more)) in enumerate(ways):
            folder = out / f"{layer}-{index}"
            ask_simulator(["run", drive, "--layer", layer, *more, *words, "--out", folder])
            run = Run(folder)
            rows.append((
                f"`{layer}`, {name}", number(run.metric("host.latency.mean"), 4), number(run.metric("host.latency.p99"), 3),
                f"{100 * (run.metric('cpu.utilisation') or 0):.3g} %",
            ))  # fmt: skip
    return rows


def consequences(costs: Path, out: Path, images: Path) -> list[Page]:
    """The web server's requests as they come, and flash hits that wait for little but the processor."""
    out.mkdir(parents=True, exist_ok=True)
    trace = out / "hits.trace"
    write_hits(trace)
    server = ("--workload", "web-server", "--fold", "--limit", REQUESTS)
    hits = ("--trace", trace, *HITS)
    return [
        Page(f"{REQUESTS:,} requests of `web-server` on `{DRIVE}`", HEADER, _rows(LAYERS, server, costs, out / "server", images)),
        Page(
            f"{HIT_READS:,} flash hits, {HIT_DEPTH} at a time, pages read in 2 us, 4 channels and a link of 4 GB/s", HEADER,
            _rows(FLASH_LAYERS, hits, costs, out / "hits", images),
        ),
    ]  # fmt: skip
