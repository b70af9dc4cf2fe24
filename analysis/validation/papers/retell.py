"""The pages' verdicts, written again from the catalogue, the record and the tables: nothing is run."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from tessera.errors import InputError
from tessera.results.marked_section import write_marked_section
from validation.papers import CHAPTERS
from validation.papers.contest import judged_again
from validation.papers.figures import figures_of, pictures
from validation.papers.lookup import Chosen, experiments
from validation.papers.page_file import section_of, with_section
from validation.papers.places import Places
from validation.papers.record import CLAIM, Measured, tested_in
from validation.papers.split import LINK, blocks_of, on_page
from validation.papers.verdicts import claims_table, judge

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


def tested_again(measured: Sequence[Measured], places: Places) -> list[Measured]:
    """The record with those claims whose test is data judged again by the tables of the pages, and without claims that the catalogue has no
    more. Raises InputError where a page lacks a figure."""
    found: list[Measured] = []
    for chosen in experiments():
        own = [line for line in measured if (line.paper, line.experiment) == (chosen.paper, chosen.experiment.name)]
        known = {each.claim: each.test for each in chosen.claims}
        title = chosen.experiment.title
        text = "\n".join(section_of(file(chosen.paper).read_text(encoding="utf-8"), title) for file in (places.chapter, places.tables))
        program = next((line.program for line in (*own, *measured)), "")
        tested = tested_in(chosen.claims, text, own, program)
        found += [line for line in own if line.of != CLAIM or known.get(line.claim, line) is None] + tested
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
