"""Writes docs/validation.md: every chapter's experiments, run."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from tessera.papers import CHAPTERS
from tessera.papers.lab import Lab
from tessera.papers.page import ENDLESS

HEAD = f"""# Validation: what the papers say and what comes out here

Made by `./dev papers`, which runs every experiment below and writes this page. Parameters come from the papers' published
characteristics alone; nothing is tuned towards a result. Where a claim does not come out, the reason is given as far as it is known.
All inputs but the recorded traces are synthetic: what each workload takes from a publication and what it assumes stands in its file
(`stimuli/workloads`). Ratios are of simulated figures; one seed unless a table says otherwise. A table of several seeds gives means with
the half-widths of their 95 % confidence intervals; what it leaves open, the verdict on one seed does not decide.
{ENDLESS} stands behind a response that measures the length of the run, because the backlog grew all along.
"""


# From this line on the page belongs to others: commands that write sections of their own, and what people write.
KEPT = "<!-- ./dev papers keeps what follows -->\n"


def kept(page: Path) -> str:
    """What an older page holds from KEPT on."""
    text = page.read_text() if page.exists() else ""
    return text[text.index(KEPT) :] if KEPT in text else ""


def write_page(console: Console, lab: Lab, names: Sequence[str], page: Path) -> None:
    """Runs the chapters and writes them to `page`. Raises SimulatorError."""
    parts = [HEAD]
    for name in names:
        chapter = CHAPTERS[name]
        console.print(f"[dim]{chapter.TITLE} ...[/dim]")
        introduction = chapter.__doc__.split("\n\n", 1)[1]
        parts += [f"## {chapter.TITLE}\n", introduction, *chapter.sections(lab)]
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("\n".join(parts) + kept(page))
    console.print(f"wrote {page}")
    if lab.missing:
        console.print(f"[bold red]without parts that need what is not at hand: {', '.join(sorted(lab.missing))}[/bold red]", soft_wrap=True)
