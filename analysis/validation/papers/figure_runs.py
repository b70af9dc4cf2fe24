"""A figure of a paper, run: its picture in a folder of results, or next to the pages."""

from pathlib import Path

from rich.console import Console

from tessera.errors import InputError
from validation.papers.enough import LEAST, short_runs
from validation.papers.figure_picture import draw_figure
from validation.papers.figure_values import ours
from validation.papers.figures import PaperFigure, Values, figures, read_values, record
from validation.papers.lab import Lab
from validation.papers.places import Places
from validation.papers.section import program


def _values(lab: Lab, figure: PaperFigure) -> tuple[Values, list[str]]:
    """Ours, and what of the runs is too short. Raises InputError where an input is not at hand, SimulatorError."""
    lab.made.clear()
    try:
        values = ours(lab, figure)
    except (TypeError, ValueError, ZeroDivisionError):  # a mean of nothing, a ratio to nothing
        short = short_runs(lab.made)
        if lab.scale == 1 or not short:
            raise
        raise InputError(f"{figure.name} at scale {lab.scale:g}: {short[0]}; use a larger --scale") from None
    if not any(values.values()):
        raise InputError(f"{figure.name} needs {', '.join(sorted(lab.missing)) or 'longer runs'}: name the traces' folder with --traces, or use a larger --scale")
    return values, short_runs(lab.made) if lab.scale < 1 else []


def _notes(lab: Lab, short: list[str]) -> list[str]:
    notes = [f"scaled to {lab.scale:g}: not the page's figures"] if lab.scale < 1 else []
    return [*notes, *([f"too short: {short[0]}, expected at least {LEAST}"] if short else [])]


def draw_alone(console: Console, lab: Lab, figure: PaperFigure, out: Path) -> Path:
    """Draws a figure into the folder of its experiment."""
    values, short = _values(lab, figure)
    notes = _notes(lab, short)
    file = draw_figure(figure, values, out / figure.paper / figure.experiment / f"{figure.id}.png", "".join(f"\n({note})" for note in notes))
    console.print(f"{figure.name}: {figure.title} -> {file}", highlight=False, soft_wrap=True)
    for note in notes:
        console.print(f"  {note}", highlight=False, soft_wrap=True)
    return file


def draw_at_page(console: Console, lab: Lab, figure: PaperFigure, places: Places) -> None:
    """Draws a figure next to the pages; at full length its values go on record."""
    values, short = _values(lab, figure)
    if lab.scale == 1:
        record(figure, values, program())
    file = draw_figure(figure, values, places.figure(figure), "".join(f"\n({note})" for note in _notes(lab, short)))
    console.print(f"{file}: {figure.name}", highlight=False, soft_wrap=True)


def draw_recorded(places: Places) -> None:
    """Draws every figure on record next to the pages again; nothing is run."""
    values = read_values()
    for figure in figures():
        if figure.name in values:
            draw_figure(figure, values[figure.name], places.figure(figure))
