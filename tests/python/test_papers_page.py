"""The page of results: what stays on it, what goes to a page of tables, and one section written again."""

import re
from pathlib import Path

import pytest
from samples import requests_of

from tessera.engine.simulator import ask_simulator
from validation.papers import league, league_interlaced, pressure
from validation.papers.lab import Lab
from validation.papers.contest import HEADER, contest, intervals_in, judged_again, lines_of
from validation.papers.league import equipped, on_one_space
from validation.papers.lookup import PAPERS
from validation.papers.page_file import on_page, section_of, sections_in, split, with_section

DOCS = Path(__file__).resolve().parents[2] / "docs"
SMALL = "| a | b |\n|---|---:|\n| 1 | 2 |"
LARGE = "| a | b | c |\n|---|---:|---:|\n" + "\n".join(["| 1 | 2 | 3 |"] * 30)
CLAIMS = LARGE.replace("| a |", "| claim |")
PAGE = "# One\n\nLead.\n\n## A\n\na\n\n## C\n\nc\n\n"


def test_small_tables_and_claims_stay_and_large_tables_go_with_their_lines():
    assert split(["Text.", SMALL]) == (["Text.", SMALL], [])
    assert split(["Text.", "w17:", LARGE, "\\* few", CLAIMS]) == (["Text.", CLAIMS], ["w17:", LARGE, "\\* few"])


def test_a_section_links_its_tables():
    stays, goes = on_page("hwsr", "Block size", f"Text.\n\n{LARGE}\n\n{CLAIMS}\n")
    assert stays == f"## Block size\n\nText.\n\nAll figures: [tables](tables/hwsr.md#block-size).\n\n{CLAIMS}\n\n"
    assert goes == f"## Block size\n\n{LARGE}\n\n"


def test_a_section_takes_the_place_of_the_old_one_or_its_own():
    assert with_section(PAGE, ["A", "B", "C"], "A", "## A\n\nnew\n\n") == PAGE.replace("## A\n\na\n", "## A\n\nnew\n")
    assert "## A\n\na\n\n## B\n\nb\n\n## C\n" in with_section(PAGE, ["A", "B", "C"], "B", "## B\n\nb\n\n")
    assert with_section(PAGE, ["A", "C", "D"], "D", "## D\n\nd\n\n").endswith("## C\n\nc\n\n## D\n\nd\n\n")


def test_an_empty_section_takes_the_old_one_away():
    assert with_section(PAGE, ["A", "C"], "A", "") == "# One\n\nLead.\n\n## C\n\nc\n\n"


def test_a_chapter_without_experiments_is_taken_apart_at_its_headings():
    assert sections_in(["Lead.\n", "### A\n", SMALL, "### B\n", "b"]) == ("Lead.\n\n", [("A", f"\n{SMALL}\n"), ("B", "\nb")])


class Alike:
    """A run all of whose figures are this one."""

    def __init__(self, figure: float) -> None:
        self.figure = figure

    def metric(self, _: str) -> float:
        return self.figure


def of(grid: dict[str, dict[str, float]], seeds: str = "") -> str:
    return contest(lines_of({name: {layer: Alike(figure) for layer, figure in row.items()} for name, row in grid.items()}, "tessera"), intervals_in(seeds), "tessera")


def test_a_contest_counts_wins_ties_and_losses_by_the_margin():
    text = of({"a": {"cmr": 2.0, "pore": 4.0, "tessera": 1.0}, "b": {"cmr": 2.0, "pore": 1.0, "tessera": 1.5}, "c": {"cmr": 1.0, "tessera": 0.97}, "d": {"cmr": 1.0, "tessera": 1.04}})
    assert "on each of 4 inputs, equal within 5 %, `tessera` has: mean 1 win, 2 ties, 1 loss; p99 1 win, 2 ties, 1 loss; p99.9 " in text
    assert "It loses in mean on `b` (1.50 times `pore`).\n" in text
    assert "the margin alone judges: `a`, `b`, `c`, `d`.\n" in text


def test_an_interval_over_seeds_of_the_same_rival_decides():
    seeds = "| 5 seeds | claim | least and largest | mean, 95 % | verdict |\n|---|---:|---:|---:|---:|\n| a: mean over {}'s | below 1 | 1.0 to 3.0 | 1.500 ± {} | does not hold |\n"
    grid = {"a": {"cmr": 1.0, "pore": 2.0, "tessera": 1.5}}
    assert "mean 0 wins, 0 ties, 1 loss; p99 " in of(grid, seeds.format("cmr", "0.100"))
    assert "mean 0 wins, 0 ties, 0 losses, 1 not settled; p99 " in of(grid, seeds.format("cmr", "0.900"))
    assert "mean 0 wins, 0 ties, 1 loss; p99 " in of(grid, seeds.format("pore", "0.900"))  # of another rival


def test_a_contest_is_judged_again_from_its_page_alone():
    text = of({"a": {"cmr": 2.0, "pore": 4.0, "tessera": 1.0}, "b": {"cmr": 2000.0, "tessera": 2500.0}})
    page = f"# Page\n\n{text}\nEnd.\n"
    assert judged_again(page.replace(": win", ": loss"), "", "tessera")[0] == page
    without = page.replace(text.splitlines()[-1], "| b | 1.250 times 2,000.00 `cmr`: loss" + " | -" * (len(HEADER) - 2) + " |").replace("0.500 times 2.00 `cmr`: win", "-", 1)
    assert "Not on record" not in page and "p99" in judged_again(without, "", "tessera")[0]


def test_each_league_s_page_and_those_that_quote_it_say_what_its_tables_say():
    for name in CHAPTERS:
        page = (DOCS / "validation" / f"{name}.md").read_text(encoding="utf-8")
        again, leads = judged_again(page, (DOCS / "validation" / "tables" / f"{name}.md").read_text(encoding="utf-8"), CHAPTERS[name][0].OURS)
        assert again == page, "run 'tessera papers verdicts'"
        assert leads[0].splitlines()[0] in (DOCS.parent / "README.md").read_text(encoding="utf-8")


def test_all_layers_of_a_league_fold_at_the_smallest_capacity_among_them():
    inputs, fold = on_one_space({"a": ("--fold",)}, {layer: equipped(layer) for layer in ("cmr", "sblock")})
    least = min(int(ask_simulator(("check", "bare", "--layer", layer, "--capacity"))) for layer in ("cmr", "sblock"))
    assert fold.at == least and inputs == {"a": ("--fold", "--fold-at", f"{least} B")}


class OneOfEach:
    """A run all of whose figures are alike, and which cleaned often enough."""

    requests = requests_of([30.0] * 400)

    def metric(self, _: str) -> float:
        return 30.0

    def find(self, _: str) -> float:
        return 0.0


class Unrun(Lab):
    """Makes no runs, and finds every trace."""

    def grid(self, drive, inputs, variants, what):
        return {row: {name: OneOfEach() for name in variants} for row in inputs}

    def trace(self, *names):
        return Path("/", *names)


CHAPTERS = {"league": (league, "All layers"), "interlaced-league": (league_interlaced, "Interlaced layers and yardsticks"), "pressure": (pressure, "All layers under pressure")}
PRICED = ("disk busy, ms per request", "energy of disk and flash at work, mJ per request", "flash wear, sectors programmed per sector written", "$ per user TB")


@pytest.mark.parametrize("name", CHAPTERS)
def test_each_league_prices_writing_in_busy_time_energy_and_wear_and_capacity_in_money(name, tmp_path, monkeypatch):
    chapter, title = CHAPTERS[name]
    monkeypatch.setattr(league, "smallest_fold", lambda simulations: None)
    monkeypatch.setattr(league_interlaced, "derived", lambda lab: {})
    monkeypatch.setattr(pressure, "repeated", lambda lab: league.recorded(lab, ("web_3",)))
    monkeypatch.setattr(pressure, "passes", lambda options: 1)
    made = dict(sections_in(chapter.sections(Unrun(tmp_path)))[1])[title]
    recorded = section_of((DOCS / "validation" / "tables" / f"{name}.md").read_text(encoding="utf-8"), title)
    for price in PRICED:
        assert f"| {price} |" in made and f"| {price} |" in recorded, price


def test_rivals_acknowledge_parts_of_sectors_as_our_own_layer_does():
    assert equipped("cmr").settings["firmware__write_cache__edges"] == "behind"


def test_no_page_of_results_is_longer_than_a_reader_takes():
    for page in (DOCS / "validation.md", *(DOCS / "validation" / f"{name}.md" for name in PAPERS)):
        text = re.sub(r"<!-- ./dev stale: begin -->.*?<!-- ./dev stale: end -->", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        words = [word for word in text.split() if word != "|"]
        assert len(words) <= 2_500, (page.name, len(words))
