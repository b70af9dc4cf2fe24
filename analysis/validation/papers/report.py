"""Writes docs/validation.md and its folder: every chapter's experiments, run, or their verdicts alone, by the catalogue, the record and the tables."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from tessera.errors import InputError
from tessera.results.marked_section import write_marked_section
from validation.papers import CHAPTERS
from validation.papers.catalogue import catalogue
from validation.papers.contest import judged_again
from validation.papers.figure_values import draw_at_page, draw_recorded
from validation.papers.figures import figures_of, pictures
from validation.papers.lab import Lab
from validation.papers.lookup import PAPERS, Chosen, experiments
from validation.papers.measures import ENDLESS
from validation.papers.page_file import LINK, Places, blocks_of, on_page, section_of, sections_in, with_section
from validation.papers.record import FILE, Measured, read, write
from validation.papers.section import Section, run_section
from validation.papers.verdicts import MEANING, claims_table, in_a_sentence, judge, judged, statements, statements_page, summary_table

HEAD = "# Validation: what the papers say and what comes out here\n"
REPEAT = """## How it is made

`./dev papers` runs every experiment and writes these pages, in some 67 minutes of one core. To run one alone: `tessera papers run mu-rmw/one-by-one`; `tessera papers list` shows them
all; `tessera papers renew PAPER/EXPERIMENT` runs one again and puts it here. `tessera papers figures` draws a paper's figure: the values that its text
prints (its pictures have not been digitised), their error of reading, and ours. The catalogue of claims and what was measured are in
`analysis/validation/papers/claims` (`measured.csv` names the program of each line), the figures in `printed`. A claim is a row: its `test` names figures of an experiment's tables and
what has to come out of them, and nothing else gives a verdict. `tessera papers verdicts` judges every row again, from the tables.

Parameters come from the papers' published characteristics alone; nothing is tuned towards a result. All inputs but the recorded traces are synthetic:
what each workload takes from a publication and what it assumes is in its file (`stimuli/workloads`). Figures are of one seed unless a table says
otherwise. A table of several seeds gives means with the half-widths of their 95 % confidence intervals.
"""
OTHERS = """Next to the papers: [drives that were measured](validation/drives.md), [layers on volumes that no parameter was chosen on](developers/left-out.md), and [what changed the golden figures](developers/golden.md).
"""
CHAPTERS_OF = "## Chapters\n"
CHAPTER_HEAD = f"""# {{title}}

Verdicts explained, and how to run an experiment: [validation](../{{overview}}). {ENDLESS} marks a response that grows with the run's length.

"""
PICTURE = "![Where the paper prints a ratio: its value and ours]({paper}.svg)\n"
def verdicts(lines: Sequence[Measured]) -> str:
    """What comes first: the answer, and the papers by verdict."""
    found = statements(judged(lines))
    return f"## Verdicts\n\n{in_a_sentence(found)}\n{summary_table(found)}\n{MEANING}"


TABLES_HEAD = """# {title}: the figures

All figures of the experiments of [this chapter](../{name}.md). `tessera papers run` makes those of a paper again, as CSV and Parquet too.

"""


def tables_head(name: str) -> str:
    return TABLES_HEAD.format(title=CHAPTERS[name].TITLE, name=name)


def contents(names: Sequence[str], places: Places) -> str:
    """The chapters of the overview."""
    lines = [f"- [{CHAPTERS[name].TITLE}]({places.folder.name}/{name}.md)" for name in names]
    return "\n".join([CHAPTERS_OF, *lines]) + "\n"


def draw_ratios(paper: str, lines: Sequence[Measured], places: Places) -> None:
    """The picture of the paper's printed ratios next to ours."""
    from validation.papers.picture import draw_beside, pairs_of  # with matplotlib

    draw_beside(f"{CHAPTERS[paper].TITLE}: printed and here", pairs_of(catalogue()[paper].claims, lines), places.picture(paper))


def section_text(section: Section) -> str:
    """A section without its heading, with the paper's figures that belong to it."""
    shown = pictures(figures_of(section.chosen.paper, section.chosen.experiment.name))
    return "\n".join([*(f"**{note}**\n" for note in section.notes), *section.parts[1:], *shown])


def _figures(console: Console, lab: Lab, chosen: Chosen, places: Places) -> None:
    for figure in figures_of(chosen.paper, chosen.experiment.name):
        draw_at_page(console, lab, figure, places)


def _begin(name: str, places: Places) -> str:
    chapter = CHAPTERS[name]
    parts = [chapter.__doc__.split("\n\n", 1)[1], *([chapter.BEGINNING] if hasattr(chapter, "BEGINNING") else []), *([PICTURE.format(paper=name)] if name in PAPERS else [])]
    return CHAPTER_HEAD.format(title=chapter.TITLE, overview=places.overview.name) + "\n".join(parts) + "\n"


def _chapter(console: Console, lab: Lab, name: str, measured: list[Measured], places: Places) -> None:
    """Runs a chapter and writes its pages."""
    console.print(f"[dim]{CHAPTERS[name].TITLE} ...[/dim]")
    text, tables = _begin(name, places), tables_head(name)
    if name in PAPERS:
        sections = []
        for chosen in experiments(name):
            section = run_section(lab, chosen)
            measured += section.measured
            if section.parts:
                _figures(console, lab, chosen, places)
                sections.append((chosen.experiment.title, section_text(section)))
    else:
        lead, sections = sections_in(CHAPTERS[name].sections(lab))
        text += lead + "\n"
    for title, section_of in sections:
        stays, goes = on_page(name, title, section_of)
        text, tables = text + stays, tables + goes
    _write(places.chapter(name), text)
    _write(places.tables(name), tables)
    if name in PAPERS:
        draw_ratios(name, measured, places)


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text.rstrip("\n") + "\n", encoding="utf-8")


def write_page(console: Console, lab: Lab, names: Sequence[str], page: Path) -> None:
    """Runs the chapters and writes them to the folder of the overview `page`; of a whole one, keeps what was measured as the record. Raises
    SimulatorError."""
    measured: list[Measured] = []
    places = Places(page)
    for name in names:
        _chapter(console, lab, name, measured, places)
    whole = lab.scale == 1 and set(PAPERS) <= set(names)
    scaled = f"\n**Scaled to {lab.scale:g} of the generated inputs' length: these are not the figures of docs/validation.md.**\n"
    head = HEAD + ("" if lab.scale == 1 else scaled)
    _write(page, "\n".join([head, *([verdicts(measured)] if whole else []), contents(names, places), REPEAT, OTHERS]))
    if whole:
        _write_statements(places, measured)
    if whole and not lab.missing:
        write(FILE, measured)
    console.print(f"wrote {page} and {places.folder}/")
    if lab.missing:
        console.print(f"[bold red]without parts that need what is not at hand: {', '.join(sorted(lab.missing))}[/bold red]", soft_wrap=True)


LEAGUES = {"league": "[The league]", "pressure": "[The league under pressure]", "interlaced-league": "[The interlaced league]"}
COMMAND = "tessera papers verdicts"
CLAIMS = "| claim | published | here | direction |"


def _whole(page: Sequence[str], moved: Sequence[str]) -> list[str]:
    """The blocks of a section as they were before its tables went to a page of their own, without its pictures."""
    place = next((index for index, block in enumerate(page) if block.startswith(LINK)), len(page))
    blocks = [*page[:place], *moved, *page[place + 1 :]]
    return [block for block in blocks if not block.startswith("![")]


def _told(blocks: Sequence[str], chosen: Chosen, measured: Sequence[Measured], folder: Path) -> list[str]:
    """The section with the verdicts of now, and with the pictures that there are."""
    found = list(blocks)
    if chosen.claims:
        table = claims_table(judge(each, measured) for each in chosen.claims).strip("\n")
        found = [table if block.startswith(CLAIMS) else block for block in found]
        found += [] if table in found else [table]
    shown = (each for each in figures_of(chosen.paper, chosen.experiment.name) if (folder / f"{each.paper}-{each.id}.svg").exists())
    return [*found, *(line.strip() for line in pictures(shown))]


def measured_again(measured: Sequence[Measured], places: Places) -> list[Measured]:
    """The record by the tables of the pages. Raises InputError where a page lacks a figure."""
    found: list[Measured] = []
    for chosen in experiments():
        own = [line for line in measured if (line.paper, line.experiment) == (chosen.paper, chosen.experiment.name)]
        title = chosen.experiment.title
        text = "\n".join(section_of(file(chosen.paper).read_text(encoding="utf-8"), title) for file in (places.chapter, places.tables))
        found += chosen.measured_in(text, next((line.program for line in (*own, *measured)), ""))
    return found


def retell(console: Console, papers: Sequence[str], measured: Sequence[Measured], places: Places) -> None:
    """Writes the claims' tables of these papers' pages again. Raises InputError where a page is missing."""
    for paper in papers:
        chapter, tables = places.chapter(paper), places.tables(paper)
        for file in (chapter, tables):
            if not file.exists():
                raise InputError(f"there is no {file}; 'tessera papers page' writes all pages")
        text, rest = chapter.read_text(encoding="utf-8"), tables.read_text(encoding="utf-8")
        titles = [each.experiment.title for each in experiments(paper)]
        for chosen in experiments(paper):
            title = chosen.experiment.title
            own = section_of(text, title)
            if not own:
                continue
            blocks = _whole(blocks_of(own), blocks_of(section_of(rest, title)))
            stays, goes = on_page(paper, title, "\n\n".join(_told(blocks, chosen, measured, places.folder)))
            text, rest = with_section(text.rstrip("\n") + "\n\n", titles, title, stays), with_section(rest.rstrip("\n") + "\n\n", titles, title, goes)
        for file, content in ((chapter, text), (tables, rest)):
            file.write_text(content.rstrip("\n") + "\n", encoding="utf-8")
        console.print(f"{chapter}: {sum(len(each.claims) for each in experiments(paper))} verdicts", highlight=False)


def retell_leagues(places: Places) -> None:
    """Judges the contests of the leagues' pages again, and says on the front page and on that of our own layer how they went."""
    leads: dict[str, str] = {}
    for name in LEAGUES:
        chapter = places.chapter(name)
        text, found = judged_again(chapter.read_text(encoding="utf-8"), places.tables(name).read_text(encoding="utf-8"), CHAPTERS[name].OURS)
        chapter.write_text(text, encoding="utf-8")
        leads[name] = found[0]
    docs = places.overview.parent
    for page, folder, names in ((docs / "layers" / "tessera.md", "../validation", tuple(LEAGUES)[:2]), (docs.parent / "README.md", "docs/validation", tuple(LEAGUES))):
        if page.exists():
            lines = (f"- {LEAGUES[name]}({folder}/{name}.md). {leads[name] if folder.startswith('..') else leads[name].splitlines()[0]}\n" for name in names)
            write_marked_section(page, COMMAND, "".join(line.replace("\nIt", " It").replace("\nOne", " One").replace("\nNot", " Not") for line in lines))


def _write_overview(page: Path, measured: Sequence[Measured]) -> None:
    _write(page, with_section(page.read_text(encoding="utf-8"), ["Verdicts"], "Verdicts", verdicts(measured) + "\n"))
    _write_statements(Places(page), measured)


def _write_statements(places: Places, measured: Sequence[Measured]) -> None:
    _write(places.chapter("statements"), statements_page(statements(judged(measured)), {name: CHAPTERS[name].TITLE for name in PAPERS}))


def write_verdicts(console: Console, page: Path) -> None:
    """Writes what the catalogue and the record say into the pages. Raises InputError where there are none."""
    places = Places(page)
    measured = measured_again(read(), places)
    write(FILE, measured)
    retell(console, PAPERS, measured, places)
    for paper in PAPERS:
        draw_ratios(paper, measured, places)
    draw_recorded(places)
    _write_overview(page, measured)
    retell_leagues(places)


def renew(console: Console, lab: Lab, chosen: Sequence[Chosen], page: Path) -> None:
    """Runs experiments and puts their sections, tables and lines of the record in the place of the old ones. Raises SimulatorError, and
    InputError where an input is not at hand or the chapter has no page."""
    measured, places = read(), Places(page)
    for each in chosen:
        chapter, tables = places.chapter(each.paper), places.tables(each.paper)
        if not chapter.exists():
            raise InputError(f"there is no {chapter}; 'tessera papers page' writes all pages")
        section = run_section(lab, each)
        if not section.parts:
            raise InputError(f"{each.name} needs {', '.join(sorted(lab.missing))}: name their folder with --traces or TESSERA_TRACES")
        _figures(console, lab, each, places)
        titles = [other.experiment.title for other in experiments(each.paper)]
        stays, goes = on_page(each.paper, each.experiment.title, section_text(section))
        measured = [line for line in measured if (line.paper, line.experiment) != (each.paper, each.experiment.name)] + list(section.measured)
        _write(chapter, with_section(chapter.read_text(encoding="utf-8"), titles, each.experiment.title, stays))
        before = tables.read_text(encoding="utf-8") if tables.exists() else tables_head(each.paper)
        _write(tables, with_section(before.rstrip("\n") + "\n\n", titles, each.experiment.title, goes))
        _write_overview(page, measured)
        draw_ratios(each.paper, measured, places)
        order = [(other.paper, other.experiment.name) for other in experiments()]
        write(FILE, sorted(measured, key=lambda line: order.index((line.paper, line.experiment))))
        console.print(f"{chapter}: {each.name}", highlight=False)
