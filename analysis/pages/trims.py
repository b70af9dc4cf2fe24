"""What each layer gains from sectors that hold nothing, trimmed or never written: the table of docs/layers/trim.md."""

import random
from pathlib import Path

from rich.console import Console

from tessera.engine.simulator import REPOSITORY, layer_names, run_simulator
from tessera.results.markdown import number, table
from tessera.results.marked_section import write_marked_section
from tessera.results.run_folder import Run

PAGE = REPOSITORY / "docs" / "layers" / "trim.md"
MIB = 1 << 20
SPAN = 4096  # MiB that are written, or reached by random writes
FIRST = 20 * 1024 * MIB  # beyond a quarter of every layer's space
FILE, CHUNK, TRIM = 16, MIB // 4, 64 * MIB
RANDOM_WRITES = 60_000
FORMAT = "columns:time=none,op=1:w=w,t=t,offset=2:1,size=3:1"


def files() -> list[str]:
    """Files in random order, each from its first byte to its last."""
    order = list(range(SPAN // FILE))
    random.Random(1).shuffle(order)
    return [f"w,{FIRST + file * FILE * MIB + at},{CHUNK}\n" for file in order for at in range(0, FILE * MIB, CHUNK)]


def scattered() -> list[str]:
    dice = random.Random(1)
    return [f"w,{FIRST + dice.randrange(SPAN * MIB // 4096) * 4096},4096\n" for _ in range(RANDOM_WRITES)]


def trims() -> list[str]:
    return [f"t,{FIRST + at},{TRIM}\n" for at in range(0, SPAN * MIB, TRIM)]


def runs(layer: str, trace: str, out: Path) -> list[Run]:
    """On a full drive, on one that was trimmed there before, and on one that holds nothing there."""
    done = []
    for state, prefill in (("full", 100), ("trimmed", 100), ("empty", 25)):
        folder = out / f"{layer}-{trace}-{state}"
        path = out / f"{trace}{'-trimmed' if state == 'trimmed' else ''}.csv"
        run_simulator(
            ["run", "demo", "--layer", layer, "--trace", path, "--format", FORMAT, "--replay", "closed:8", "--prefill", prefill, "--caches", "empty", "--out", folder],
            quiet=True,
        )
        done.append(Run(folder))
    return done


def section(out: Path) -> str:
    out.mkdir(parents=True, exist_ok=True)
    for name, rows in (("files", files()), ("random", scattered())):
        (out / f"{name}.csv").write_text("".join(rows))
        (out / f"{name}-trimmed.csv").write_text("".join(trims() + rows))
    table_rows = []
    for layer in layer_names():
        row = [f"`{layer}`"]
        for trace in ("files", "random"):
            three = runs(layer, trace, out)
            row += [" / ".join(number(run.metric(name) or 0, digits) for run in three) for name, digits in (("write_amplification.total", 2), ("host.latency.mean", 1))]
        table_rows.append(tuple(row))
    header = ("layer", "files: write amplification", "mean ms", "random: write amplification", "mean ms")
    return (
        f"Files: {SPAN // 1024} GiB in files of {FILE} MiB, in random order, by writes of {CHUNK // 1024} KiB. Random: {RANDOM_WRITES:,} writes of 4 KiB in the same {SPAN // 1024} GiB. Eight requests at a\n"
        "time on `demo`. Each cell has three drives: full / full and trimmed there before / never written there. Made by `./dev trims`.\n\n" + table(header, table_rows)
    )


def write_trims(console: Console, out: Path, page: Path = PAGE) -> None:
    """Puts the table between its marks in the page."""
    write_marked_section(page, "./dev trims", section(out))
    console.print(f"{page}: written")
