"""The catalogue of claims: it and the page say the same, and wrong entries are refused."""

import re
from pathlib import Path

import pytest

from tessera import InputError
from validation.papers import CHAPTERS
from validation.papers.catalogue import KINDS, all_claims, catalogue, load
from validation.papers.lookup import PAPERS, choose, experiments
from validation.papers.page import size_of
from validation.papers.record import CLAIM, Measured, read, write
from validation.papers.verdicts import DIRECTIONS, in_a_sentence, judge, judged, summary_table

REPOSITORY = Path(__file__).resolve().parents[2]
OVERVIEW = (REPOSITORY / "docs" / "validation.md").read_text(encoding="utf-8")
CHAPTER = {name: (REPOSITORY / "docs" / "validation" / f"{name}.md").read_text(encoding="utf-8") for name in PAPERS}
WITH_TABLES = {name: text + (REPOSITORY / "docs" / "validation" / "tables" / f"{name}.md").read_text(encoding="utf-8") for name, text in CHAPTER.items()}
ENTRY = 'id = "a"\nwhere = "Figure 1"\nclaim = "c"\npublished = "2"\nreading = "printed"\n'
FILE = f'title = "T"\nsource = "S"\n[experiments.x]\ngiven = ["g"]\n[[claims]]\n{ENTRY}experiment = "x"\n'


def rows_of_page() -> set[tuple[str, str, str]]:
    """Paper, section and claim of every row."""
    rows = set()
    for paper, page in WITH_TABLES.items():
        section, inside = "", False
        for line in page.splitlines():
            if line.startswith("## "):
                section = line[3:]
            inside = line.startswith("| claim | published | here") or (inside and line.startswith("|"))
            if inside and not line.startswith(("| claim |", "|---")):
                rows.add((paper, section, line.split(" | ")[0].removeprefix("| ")))
    return rows


def test_every_row_of_the_page_has_an_entry_and_every_tested_entry_a_row():
    titles = {(each.paper, each.experiment.name): each.experiment.title for each in experiments()}
    entries = {(each.paper, titles[each.paper, each.experiment], each.claim) for each in all_claims() if each.experiment}
    assert rows_of_page() == entries
    assert len(entries) >= 145


def test_every_experiment_of_the_catalogue_exists_and_every_section_of_the_page_is_one():
    names = {(each.paper, each.experiment.name) for each in experiments()}
    assert {(paper.name, name) for paper in catalogue().values() for name in paper.experiments} <= names
    assert {each.mechanism for each in all_claims() if each.mechanism} <= {each.name for each in experiments()}
    assert len(names) == len(experiments())
    for name in PAPERS:
        assert CHAPTER[name].startswith(f"# {CHAPTERS[name].TITLE}\n")
        assert re.findall(r"^## (.*)$", CHAPTER[name], re.MULTILINE) == [each.experiment.title for each in experiments(name)]


def test_no_entry_is_without_a_value_a_reading_and_a_verdict_or_a_reason():
    for each in judged(read()):
        claim = each.claim
        assert claim.published and claim.reading and claim.where and claim.kind in KINDS, claim.name
        assert each.direction in DIRECTIONS, claim.name
        if each.direction in ("opposite", "not apart", "on some inputs", "figure missed") or each.size.startswith("beyond"):
            assert each.reason, claim.name
            assert claim.mechanism or "unexplained; tried: " in each.reason, claim.name
        if each.direction == "not tested":
            assert claim.not_tested, claim.name


def test_the_record_has_the_figures_of_the_page():
    for line in read():
        if line.of == CLAIM:
            assert f"| {line.claim} | {line.published} | {line.here} | " in WITH_TABLES[line.paper], line.claim
    assert in_a_sentence(judged(read())) in OVERVIEW
    assert summary_table(judged(read())) in OVERVIEW


def test_where_the_paper_prints_a_ratio_there_is_one_on_record():
    claims = {(each.paper, each.experiment, each.claim): each.ratio for each in all_claims()}
    for line in read():
        if line.of == CLAIM:
            assert (line.ratio is None) == (claims[line.paper, line.experiment, line.claim] is None), line.claim


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (FILE.replace('reading = "printed"\n', ""), ("claim 1 'a'", "'reading'", "expected a text")),
        (FILE.replace("reading", "readnig"), ("claim 1 'a'", "unknown key 'readnig'", "'reading'")),
        (FILE.replace('experiment = "x"', 'experiment = "y"'), ("claim 'a'", "'y'", "[experiments.y]")),
        (FILE.replace('experiment = "x"', ""), ("claim 1 'a'", "'experiment'", "'not_tested'")),
        (FILE + f"[[claims]]\n{ENTRY}not_tested = \"why\"\n", ("claim 'a'", "two of this id")),
        (FILE + 'ratio = "2"\n', ("claim 1 'a'", "'ratio'", "expected a number")),
        (FILE + "ratio = 0\n", ("claim 1 'a'", "'ratio'", "above 0")),
        (FILE + 'kind = "guess"\n', ("claim 1 'a'", "'kind'", "question")),
        (FILE.replace("given", "givn"), ("experiment 'x'", "unknown key 'givn'")),
        (FILE.replace('given = ["g"]', 'like = "z"'), ("experiment 'x'", "'like'")),
        ("title = ", ("no TOML",)),
        ('title = "T"\n', ("top level", "'source'")),
    ],
)
def test_a_wrong_entry_is_refused_with_file_entry_and_key(tmp_path, text, words):
    file = tmp_path / "paper.toml"
    file.write_text(text)
    with pytest.raises(InputError) as refused:
        load(file)
    assert all(word in str(refused.value) for word in ("paper.toml", *words)), refused.value


def test_the_size_compares_ratios_and_not_percentages():
    assert size_of(1 / (1 - 0.987), 1 / (1 - 0.6938)) == "beyond 2"  # -98.7 % for -69.38 %: 77 times for 3.3
    assert [size_of(here, 4) for here in (4, 5, 3.2, 5.1, 2, 1.9)] == ["within 1.25"] * 3 + ["within 2"] * 2 + ["beyond 2"]


def test_the_direction_is_that_of_the_intervals_where_there_are_seeds(tmp_path):
    file = tmp_path / "p.toml"
    file.write_text(FILE + 'ratio = 2\nseeds = ["s1", "s2"]\n')
    claim = load(file).claims[0]

    def direction(found: str, *verdicts: str) -> str:
        lines = [Measured("p", "x", "claim", "c", "2", "3", found, 3.0)]
        lines += [Measured("p", "x", "seeds", f"s{n}", "above 1", "-", each) for n, each in enumerate(verdicts, 1)]
        return judge(claim, lines).direction

    assert direction("holds", "holds", "holds") == "holds"
    assert direction("holds", "holds", "open: the interval holds a bound") == "not apart"
    assert direction("holds", "does not hold", "does not hold") == "opposite"
    assert direction("holds", "does not hold", "holds") == "on some inputs"
    assert [direction(each) for each in ("holds", "does not hold", "holds on 2 of 3", "holds on 7 of 10, ahead: holds")] == ["holds", "opposite", "on some inputs", "holds"]


def test_a_ratio_has_the_digits_of_the_record_from_the_beginning(tmp_path):
    line = Measured("p", "x", "claim", "c", "2", "3", "holds", 60.4499)
    write(tmp_path / "measured.csv", [line])
    assert read(tmp_path / "measured.csv") == [line] and line.ratio == 60.45


def test_a_record_is_read_as_it_was_written(tmp_path):
    lines = [Measured("p", "x", "claim", "a, b", "2", '"3"', "holds", 3.0, "why", "tool")]
    write(tmp_path / "m.csv", lines)
    assert read(tmp_path / "m.csv") == lines
    (tmp_path / "m.csv").write_text("paper\n")
    with pytest.raises(InputError, match=r"m\.csv"):
        read(tmp_path / "m.csv")


def test_a_name_is_a_paper_an_experiment_a_claim_or_a_figure():
    assert [each.name for each in choose("mapping")] == [each.name for each in experiments("mapping")]
    assert [each.name for each in choose("hwsr/utilisation")] == ["hwsr/utilisation"]
    assert [each.name for each in choose("mu-rmw/one-by-one/response-pore")] == ["mu-rmw/one-by-one"]
    assert "hwsr/volumes" in [each.name for each in choose("hwsr/figure-13")]
    assert "amphisbaena/volumes" in [each.name for each in choose("amphisbaena/Fig. 14")]  # of "Figures 12 to 17"
    assert choose("all") == experiments()
    for wrong, word in (
        ("mu-rwm", "'mu-rmw'"),
        ("mu-rmw/one-by-on", "'mu-rmw/one-by-one'"),
        ("mu-rmw/figur-9", "'mu-rmw/figure-9'"),
        ("hwsr/figure-99", "Figure 99"),
        ("interlaced/figure-6", "an input"),
    ):
        with pytest.raises(InputError) as refused:
            choose(wrong)
        assert word in str(refused.value), wrong
