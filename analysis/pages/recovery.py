"""How long each layer takes to recover, and what its caches and checkpoints do to that: the table of docs/developers/recovery.md."""

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from tessera.engine.simulator import REPOSITORY, layer_names, run_simulator
from tessera.results.markdown import number, table
from tessera.results.marked_section import write_marked_section
from tessera.results.run_folder import Run

PAGE = REPOSITORY / "docs" / "developers" / "recovery.md"
REQUESTS = 30_000  # of web-server on the full drive `demo`: its caches are full by then


@dataclass(frozen=True)
class Case:
    layer: str
    what: str
    settings: tuple[str, ...] = ()


def cases() -> list[Case]:
    """Every layer as `demo` has it, then one setting at a time."""
    found = [Case(layer, "as in `demo`") for layer in layer_names()]
    found += [
        Case("cmr", f"write cache of {size} MiB, {durability}", _cache(size, durability))
        for size in (1, 8)
        for durability in ("plp", "journal")
    ]
    found += [Case(layer, f"log_records = {records}", _set(layer, log_records=records)) for layer in ("imr-dtm",) for records in (256, 16_384)]
    found += [Case(layer, f"nand.blocks = {blocks}", ("--set", f"nand.blocks={blocks}")) for layer in ("skylight-flash", "mu-rmw") for blocks in (192, 768)]
    for layer in ("skylight-flash", "mu-rmw"):
        found.append(Case(layer, "no checkpoints", _set(layer, checkpoint="0 B")))
        found += [Case(layer, f"checkpoint every {every} pages", _set(layer, checkpoint_every=every)) for every in (256, 4096)]
    found += [Case("sblock", f"checkpoint every {every} S-blocks", _set("sblock", checkpoint_every=every)) for every in (64, 256, 1_000_000)]
    found += [Case("fluid", f"buffer of {size} MiB", _set("fluid", buffer=f"{size} MiB")) for size in (12, 192)]
    found += [Case("sblock", f"write buffer of {size} MiB", _set("sblock", memory=f"{size} MiB")) for size in (1, 6)]
    return found


def _set(layer: str, **settings: object) -> tuple[str, ...]:
    section = layer.replace("-", "_")
    return tuple(word for name, value in settings.items() for word in ("--set", f"layers.{section}.{name}={value}"))


def _cache(size: int, durability: str) -> tuple[str, ...]:
    cache = ("--set", f"firmware.write_cache.capacity={size} MiB", "--set", f"firmware.write_cache.durability={durability}")
    return cache if durability == "plp" else (*cache, "--set", "layers.cmr.journal_tracks=64")


def recovered(case: Case, out: Path, requests: int) -> tuple[Run, Run]:
    """A run, and the same one with a power failure when nine tenths of its time have passed."""
    common = (
        "run", "demo", "--layer", case.layer, "--caches", "empty", "--workload", "web-server", "--fold", "--limit", requests, "--replay", "closed:16",
        *case.settings,
    )  # fmt: skip
    run_simulator([*common, "--out", out / "whole"], quiet=True)
    cut = 0.9 * Run(out / "whole").metric("run.simulated_seconds")
    run_simulator([*common, "--cut-at", f"{cut:.6f} s", "--out", out / "cut"], quiet=True)
    return Run(out / "whole"), Run(out / "cut")


def section(out: Path, requests: int) -> str:
    rows = []
    for index, case in enumerate(cases()):
        whole, run = recovered(case, out / str(index), requests)
        logged = (whole.find("log.sectors") or 0) + (whole.find("checkpoint.sectors") or 0)
        of = lambda name: run.metric(f"recovery.{name}") or 0  # noqa: E731
        rows.append(
            (
                f"`{case.layer}`, {case.what}", number(of("time"), 1), number(of("cpu"), 1), number(of("media_reads"), 0),
                number(of("sectors_read"), 0), number(of("sectors_written"), 0), number(of("flash_reads") + of("flash_oob_reads"), 0),
                number(of("flash_programs"), 0), number(of("flash_erases"), 0), number(logged, 0), number(whole.metric("host.latency.mean"), 1),
            )
        )  # fmt: skip
    header = ("layer", "time ms", "CPU ms", "media reads", "sectors read", "written", "flash reads", "programs", "erases", "logged", "mean ms")
    return (
        "Logged are the sectors of logs and checkpoints that the whole run writes, mean is its latency: what a short recovery costs.\n"
        f"{requests:,} requests of `web-server` on the drive `demo`, 16 at a time; the power fails when nine tenths of the run's time have passed. Made by\n"
        "`./dev recovery`.\n\n" + table(header, rows)
    )


def write_recovery(console: Console, out: Path, requests: int = REQUESTS, page: Path = PAGE) -> None:
    """Puts the table between its marks in the page."""
    write_marked_section(page, "./dev recovery", section(out, requests))
    console.print(f"{page}: written")
