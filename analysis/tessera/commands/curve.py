"""tessera curve."""

import json
from pathlib import Path
from typing import Annotated

import typer

from tessera.commands.options import Json
from tessera.engine.output_file import apart

EXAMPLES = """Examples:

  tessera curve week.csv.xz  # a cache of 4 KiB blocks

  tessera curve out/first --block "4 MiB" --operations all  # pages of a paged sector map; a run with --requests

  tessera curve month.csv.zst --sample 0.01 --out curve.svg"""


def curve(
    source: Annotated[Path, typer.Argument(help="Block trace, or the folder of a run made with --requests.")],
    block: Annotated[str, typer.Option(help="What the cache holds as one.")] = "4 KiB",
    operations: Annotated[str, typer.Option(help="Which operations to count: all, reads or writes.")] = "all",
    sizes: Annotated[str | None, typer.Option(metavar="A,B,...", help="Sizes, such as '1 MiB,16 MiB' (default: from one block to all).")] = None,
    sample: Annotated[float | None, typer.Option(help="Follow this share of the blocks (0 to 1) instead of all.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Picture to write, .png, .svg or .pdf.")] = None,
    as_json: Json = False,
) -> None:
    """Tell the miss ratio of caches of every size, from one pass over a trace."""
    from tessera.traces import curves
    from tessera.figures.paper import draw, picture_file
    from tessera.results.human import size

    if out is not None:
        apart(out, [source])
        picture_file(out)
    found = curves.miss_ratios(source, block=block, operations=operations, sizes=sizes.split(",") if sizes else None, sample=sample)
    unit = curves.bytes_of(block)
    if out is not None:
        draw(curves.chart(found, block), out)
    if as_json:
        rows = curves.frame(found, block).to_dicts()
        print(json.dumps({"references": found.references, "blocks": found.blocks, "rate": found.rate, "curve": rows}))
        return
    of = "" if found.rate == 1 else f", estimated from {100 * found.rate:g} % of them"
    print(f"{found.references:,} references to {found.blocks:,} blocks of {size(unit)} ({size(found.blocks * unit)}){of}")
    shown = range(len(found.sizes)) if sizes else range(0, len(found.sizes), max(1, len(found.sizes) // 16))
    for index in shown:
        error = f" ± {100 * found.half_widths[index]:.2f}" if found.rate < 1 else ""
        print(f"  {size(float(found.sizes[index] * unit)):>10}  {100 * found.ratios[index]:6.2f}{error} % miss")
    if out is not None:
        print(out)


def register(app: typer.Typer) -> None:
    app.command("curve", epilog=EXAMPLES)(curve)
