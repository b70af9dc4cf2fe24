"""tessera papers: the catalogue of claims, one experiment alone, and the page."""

from pathlib import Path
from typing import Annotated

import typer

from tessera.commands.checkout import of_checkout, page_of_checkout
from tessera.commands.group import Commands
from tessera.errors import InputError, unknown_name

EXAMPLES = """Examples:

  tessera papers list hwsr

  tessera papers run mu-rmw/one-by-one --scale 0.1

  tessera papers run mu-rmw/figure-9"""

FIGURES = """Examples:

  tessera papers figures hwsr/figure-8

  tessera papers figures mu-rmw --scale 0.1"""

Traces = Annotated[
    Path | None, typer.Option(exists=True, file_okay=False, help="Folder of recorded traces and histograms (default: TESSERA_TRACES).")
]
Scale = Annotated[float, typer.Option(min=0.001, max=1, help="Length of the generated inputs; 1 is what the page shows.")]


def list_command(paper: Annotated[str | None, typer.Argument(help="Paper (default: a line for each).")] = None) -> None:
    """List the papers, or the experiments and claims of one."""
    from rich.console import Console

    with of_checkout():
        from validation.papers.lookup import claims_of, papers

    console = Console()
    for line in claims_of(paper) if paper else papers():
        console.print(line, highlight=False, soft_wrap=True, markup=False)


def run_command(
    name: Annotated[str, typer.Argument(help="PAPER, PAPER/EXPERIMENT, PAPER/CLAIM, PAPER/figure-N, or all.")],
    traces: Traces = None,
    scale: Scale = 1.0,
    out: Annotated[Path, typer.Option(help="Folder for the results; the runs go to OUT/runs and are used again.")] = Path("out/papers"),
) -> None:
    """Run experiments alone: rows as CSV and Parquet, claims, drives, commands and a picture, in OUT/PAPER/EXPERIMENT."""
    from rich.console import Console

    from tessera.asking.source import default_traces

    with of_checkout():
        from validation.papers.section import run_alone
        from validation.papers.lab import Lab
        from validation.papers.lookup import choose

    chosen, console, refused = choose(name), Console(), []
    lab = Lab(out, traces or default_traces(), scale)
    for each in chosen:
        try:
            run_alone(console, lab, each, out)
        except InputError as error:
            if len(chosen) == 1:
                raise
            refused.append(str(error))
    for line in refused:
        console.print(f"not run: {line}", highlight=False, soft_wrap=True)
    if len(refused) == len(chosen):
        raise InputError("none of these experiments could run")


def renew_command(
    name: Annotated[str, typer.Argument(help="PAPER, PAPER/EXPERIMENT, PAPER/CLAIM or PAPER/figure-N.")],
    traces: Traces = None,
    out: Annotated[Path, typer.Option(help="Folder for the runs.")] = Path("out/papers"),
    page: Annotated[Path, typer.Option(help="Page with the sections.")] = Path("docs/validation.md"),
) -> None:
    """Run experiments at full length and put their sections, tables and recorded figures in the place of those of the page."""
    from rich.console import Console

    from tessera.asking.source import default_traces

    with of_checkout():
        from validation.papers.lab import Lab
        from validation.papers.lookup import choose
        from validation.papers.report import renew

    renew(Console(), Lab(out, traces or default_traces()), choose(name), page_of_checkout(page))


def figures_command(
    name: Annotated[str, typer.Argument(help="PAPER, PAPER/figure-N, PAPER/EXPERIMENT, or all.")],
    traces: Traces = None,
    scale: Scale = 1.0,
    out: Annotated[Path, typer.Option(help="Folder for the pictures and runs.")] = Path("out/papers"),
    renew: Annotated[bool, typer.Option("--renew", help="At full length: put the values on record and the pictures next to the pages.")] = False,
    page: Annotated[Path, typer.Option(help="Overview of the pages, for --renew.")] = Path("docs/validation.md"),
) -> None:
    """Draw a paper's figures: the values that it prints, with the error of reading, and ours."""
    from rich.console import Console

    from tessera.asking.source import default_traces

    with of_checkout():
        from validation.papers.figure_values import draw_alone, draw_at_page
        from validation.papers.figures import choose
        from validation.papers.lab import Lab
        from validation.papers.page_file import Places

    chosen, console, lab = choose(name), Console(), Lab(out, traces or default_traces(), scale)
    if renew and scale != 1:
        raise InputError(f"--scale {scale:g} with --renew: the record holds figures at full length; leave out one of the two")
    if renew and not page.is_file():
        raise InputError(f"--page: there is no file '{page}'; --renew draws next to the pages of a checkout: run it there, or name its docs/validation.md")
    for each in chosen:
        if renew:
            draw_at_page(console, lab, each, Places(page))
        else:
            draw_alone(console, lab, each, out)


def verdicts_command(
    page: Annotated[Path, typer.Option(help="Overview of the pages.")] = Path("docs/validation.md"),
) -> None:
    """Write the pages' verdicts and draw their figures again, from the catalogue and the record; nothing is run."""
    from rich.console import Console

    with of_checkout():
        from validation.papers.report import write_verdicts

    write_verdicts(Console(), page_of_checkout(page))


def page_command(
    only: Annotated[list[str] | None, typer.Argument(help="Chapters of the page, such as mu-rmw or league; all if none is named.")] = None,
    traces: Traces = None,
    scale: Scale = 1.0,
    out: Annotated[Path, typer.Option(help="Folder for the runs, some 2 GB.")] = Path("out/papers"),
    page: Annotated[Path | None, typer.Option(help="Page to write; docs/validation.md for a whole one, OUT/validation.md else.")] = None,
) -> None:
    """Run the papers' experiments and write the page that holds their figures beside ours."""
    from rich.console import Console

    with of_checkout():
        from validation.papers import CHAPTERS
    for name in only or ():
        if name not in CHAPTERS:
            raise unknown_name("chapter", name, CHAPTERS)
    from tessera.asking.source import default_traces
    from validation.papers.lab import Lab
    from validation.papers.report import write_page

    whole = not only and scale == 1
    write_page(
        Console(), Lab(out, traces or default_traces(), scale), only or list(CHAPTERS),
        page or (Path("docs/validation.md") if whole else out / "validation.md"),
    )  # fmt: skip


def register(app: typer.Typer) -> None:
    group = typer.Typer(cls=Commands, no_args_is_help=True, help="The papers' claims: list them, run their experiments, write the page.")
    group.command("list", epilog=EXAMPLES)(list_command)
    group.command("run", epilog=EXAMPLES)(run_command)
    group.command("renew")(renew_command)
    group.command("verdicts")(verdicts_command)
    group.command("figures", epilog=FIGURES)(figures_command)
    group.command("page")(page_command)
    app.add_typer(group, name="papers")
