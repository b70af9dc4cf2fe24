"""Writes docs/validation.md: every chapter's experiments, run."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from tessera.errors import InputError
from tessera.papers import CHAPTERS
from tessera.papers.catalogue import catalogue
from tessera.papers.lab import Lab
from tessera.papers.lookup import PAPERS, Chosen, experiments
from tessera.papers.page import ENDLESS
from tessera.papers.page_file import with_chapter, with_section, with_tables
from tessera.papers.record import FILE, Measured, read, write
from tessera.papers.section import Section, run_section
from tessera.papers.split import anchor, on_page
from tessera.papers.verdicts import judged, summary_table

HEAD = f"""# Validation: what the papers say and what comes out here

`./dev papers` runs every experiment below and writes this page. To run one alone: `tessera papers run mu-rmw/one-by-one`;
`tessera papers list` shows them all. Parameters come from the papers' published
characteristics alone; nothing is tuned towards a result. Where a claim does not come out, the reason is given as far as it is known.
All inputs but the recorded traces are synthetic: what each workload takes from a publication and what it assumes stands in its file
(`stimuli/workloads`). Ratios are of simulated figures; one seed unless a table says otherwise. A table of several seeds gives means with
the half-widths of their 95 % confidence intervals; what it leaves open, the verdict on one seed does not decide.
{ENDLESS} stands behind a response that measures the length of the run, because the backlog grew all along.
"""
VERDICTS = """## Verdicts

Each claim has three verdicts. **Direction**: it holds, comes out opposite, or is not apart (the 95 % confidence interval over seeds includes
equality); with one seed, whether it holds on all inputs, on some or on none. A claim of a figure or a bound is met or missed.
**Size**, where the paper prints a ratio: our ratio over the paper's, within 1.25, within 2, or beyond. A reduction counts as the ratio
of the two responses. **Mechanism**: the experiment in which one change moves the figure, or none. "Unexplained" claims do not hold, and no
change that was tried explains them. The catalogue of claims and what was measured are in `analysis/tessera/papers/claims`
(`measured.csv` names the program of each line). `tessera papers renew PAPER/EXPERIMENT` runs one again and puts it here.
"""


# From this line on the page belongs to others: commands that write sections of their own, and what people write.
KEPT = "<!-- ./dev papers keeps what follows -->\n"


def kept(page: Path) -> str:
    """What an older page holds from KEPT on."""
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    return text[text.index(KEPT) :] if KEPT in text else ""


def verdicts(lines: Sequence[Measured]) -> str:
    """The table on top: papers by verdict."""
    return f"{VERDICTS}\n{summary_table(judged(lines))}"


TABLES_HEAD = """# {title}: the figures

All figures of the experiments whose claims are on [the page of results](../{page}#{anchor}). `tessera papers run {paper}/EXPERIMENT` makes
them again, as CSV and Parquet too.

![Where the paper prints a ratio: its value and ours]({paper}.svg)

"""


def tables_head(paper: str, page: Path) -> str:
    title = CHAPTERS[paper].TITLE
    return TABLES_HEAD.format(title=title, page=page.name, anchor=anchor(title), paper=paper)


def draw_ratios(paper: str, lines: Sequence[Measured], page: Path) -> None:
    """The picture of the paper's printed ratios next to ours."""
    from tessera.papers.picture import draw_beside, pairs_of  # with matplotlib

    draw_beside(f"{CHAPTERS[paper].TITLE}: printed and here", pairs_of(catalogue()[paper].claims, lines), page.parent / page.stem / f"{paper}.svg")


def section_text(section: Section) -> str:
    """A section without its heading."""
    return "\n".join([*(f"**{note}**\n" for note in section.notes), *section.parts[1:]])


def _chapter(console: Console, lab: Lab, name: str, measured: list[Measured], page: Path) -> str:
    chapter = CHAPTERS[name]
    console.print(f"[dim]{chapter.TITLE} ...[/dim]")
    parts = [f"## {chapter.TITLE}\n", chapter.__doc__.split("\n\n", 1)[1]]
    if name not in PAPERS:
        return "\n".join([*parts, *chapter.sections(lab)])
    text, tables = "\n".join([*parts, *([chapter.BEGINNING] if hasattr(chapter, "BEGINNING") else [])]) + "\n", tables_head(name, page)
    for chosen in experiments(name):
        section = run_section(lab, chosen)
        measured += section.measured
        if section.parts:
            stays, goes = on_page(name, chosen.experiment.title, section_text(section), page.stem)
            text, tables = text + stays, tables + goes
    file = page.parent / page.stem / f"{name}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(tables.rstrip("\n") + "\n", encoding="utf-8")
    draw_ratios(name, measured, page)
    return text


def write_page(console: Console, lab: Lab, names: Sequence[str], page: Path) -> None:
    """Runs the chapters and writes them to `page`, and their tables to a folder of the page's name; of a whole page, keeps what was
    measured as the record. Raises SimulatorError."""
    measured: list[Measured] = []
    page.parent.mkdir(parents=True, exist_ok=True)
    chapters = [_chapter(console, lab, name, measured, page) for name in names]
    whole = lab.scale == 1 and set(PAPERS) <= set(names)
    scaled = f"\n**Scaled to {lab.scale:g} of the generated inputs' length: these are not the figures of docs/validation.md.**\n"
    head = HEAD + ("" if lab.scale == 1 else scaled)
    page.write_text("\n".join([head, *([verdicts(measured)] if whole else []), *chapters]) + kept(page), encoding="utf-8")
    if whole and not lab.missing:
        write(FILE, measured)
    console.print(f"wrote {page}")
    if lab.missing:
        console.print(f"[bold red]without parts that need what is not at hand: {', '.join(sorted(lab.missing))}[/bold red]", soft_wrap=True)


def renew(console: Console, lab: Lab, chosen: Sequence[Chosen], page: Path) -> None:
    """Runs experiments and puts their sections, tables and lines of the record in the place of the old ones. Raises SimulatorError, and
    InputError where an input is not at hand or the page lacks the chapter."""
    measured = read()
    for each in chosen:
        section = run_section(lab, each)
        if not section.parts:
            raise InputError(f"{each.name} needs {', '.join(sorted(lab.missing))}: name their folder with --traces or TESSERA_TRACES")
        titles = [other.experiment.title for other in experiments(each.paper)]
        stays, goes = on_page(each.paper, each.experiment.title, section_text(section), page.stem)
        file = page.parent / page.stem / f"{each.paper}.md"
        before = file.read_text(encoding="utf-8") if file.exists() else tables_head(each.paper, page)
        try:
            text = with_section(page.read_text(encoding="utf-8"), CHAPTERS[each.paper].TITLE, titles, each.experiment.title, stays)
            measured = [line for line in measured if (line.paper, line.experiment) != (each.paper, each.experiment.name)] + list(section.measured)
            text = with_chapter(text, "Verdicts", verdicts(measured) + "\n")
        except ValueError as error:
            raise InputError(f"{page}: {error}; 'tessera papers page' writes a whole one") from None
        page.write_text(text, encoding="utf-8")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(with_tables(before, titles, each.experiment.title, goes), encoding="utf-8")
        draw_ratios(each.paper, measured, page)
        order = [(other.paper, other.experiment.name) for other in experiments()]
        write(FILE, sorted(measured, key=lambda line: order.index((line.paper, line.experiment))))
        console.print(f"{page}: {each.name}", highlight=False)
