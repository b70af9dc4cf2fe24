"""What measured costs do to responses: runs with the estimates, with the costs found, and of the image."""

from collections.abc import Sequence
from pathlib import Path

from tessera.calibration.flash_hits import HIT_DEPTH, HIT_READS, HITS, write_hits
from tessera.calibration.measurement import DRIVE, ESTIMATES, image_of
from tessera.calibration.report import Page
from tessera.engine.simulator import ask_simulator
from tessera.results.markdown import number
from tessera.results.run_folder import Run

FLASH_LAYERS = ("mu-rmw", "skylight-flash")
REQUESTS = 10_000
WAYS = ("estimates", "measured", "image")
HEADER = ("layer", *(f"{figure}{way}" for figure in ("mean ms, ", "p99 ms, ", "CPU used, ") for way in WAYS))


def _share(value: float) -> str:
    return f"{100 * value:.2g} %" if value < 0.995 else "100 %"


def _row(layer: str, words: Sequence[str | int | Path], costs: Path, out: Path, images: Path) -> tuple[str, ...]:
    runs = []
    for way, drive in zip(WAYS, ((DRIVE, *ESTIMATES), (costs,), (DRIVE, "--elf", image_of(layer, images))), strict=True):
        folder = out / f"{layer}-{way}"
        ask_simulator(["run", drive[0], "--layer", layer, "--caches", "empty", *drive[1:], *words, "--out", folder])
        runs.append(Run(folder))
    return (
        f"`{layer}`", *(number(run.metric("host.latency.mean"), 3) for run in runs), *(number(run.metric("host.latency.p99"), 3) for run in runs),
        *(_share(run.metric("cpu.utilisation") or 0.0) for run in runs),
    )  # fmt: skip


def consequences(layers: Sequence[str], costs: Path, out: Path, images: Path) -> list[Page]:
    """The web server's requests as they come, and flash hits that wait for little but the processor."""
    out.mkdir(parents=True, exist_ok=True)
    trace = out / "hits.trace"
    write_hits(trace)
    server = ("--workload", "web-server", "--fold", "--limit", REQUESTS)
    hits = ("--trace", trace, *HITS)
    return [
        Page(
            f"{REQUESTS:,} requests of `web-server` on `{DRIVE}`", HEADER,
            [_row(layer, server, costs, out / "server", images) for layer in layers],
        ),
        Page(
            f"{HIT_READS:,} flash hits, {HIT_DEPTH} at a time, pages read in 2 us, 4 channels and a link of 4 GB/s", HEADER,
            [_row(layer, hits, costs, out / "hits", images) for layer in FLASH_LAYERS if layer in layers],
        ),
    ]  # fmt: skip
