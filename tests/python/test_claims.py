"""The catalogue of claims: it and the page say the same, and wrong entries are refused."""

import re
from pathlib import Path

import pytest

from tessera import InputError
from validation.papers import CHAPTERS
from validation.papers.catalogue import KINDS, catalogue, load
from validation.papers.lookup import PAPERS, choose, experiments
from validation.papers.outcome import BASES, Outcome, Standing, Tally, size_of
from validation.papers.record import CLAIM, Measured, read, write
from validation.papers.verdicts import in_a_sentence, judge, judged, statements, statements_page, summary_table

REPOSITORY = Path(__file__).resolve().parents[2]
OVERVIEW = (REPOSITORY / "docs" / "validation.md").read_text(encoding="utf-8")
CHAPTER = {name: (REPOSITORY / "docs" / "validation" / f"{name}.md").read_text(encoding="utf-8") for name in PAPERS}
WITH_TABLES = {name: text + (REPOSITORY / "docs" / "validation" / "tables" / f"{name}.md").read_text(encoding="utf-8") for name, text in CHAPTER.items()}
ALL_CLAIMS = [claim for paper in catalogue().values() for claim in paper.claims]
ENTRY = 'id = "a"\nwhere = "Figure 1"\nclaim = "c"\npublished = "2"\nreading = "printed"\n'
TEST = 'test = { figure = "ms", of = "ours", below = "other" }\n'
FILE = f'title = "T"\nsource = "S"\n[experiments.x]\ngiven = ["g"]\n[[claims]]\n{ENTRY}experiment = "x"\n{TEST}'


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
    entries = {(each.paper, titles[each.paper, each.experiment], each.claim) for each in ALL_CLAIMS if each.experiment}
    assert rows_of_page() == entries
    assert len(entries) >= 145


def test_every_experiment_of_the_catalogue_exists_and_every_section_of_the_page_is_one():
    names = {(each.paper, each.experiment.name) for each in experiments()}
    assert {(paper.name, name) for paper in catalogue().values() for name in paper.experiments} <= names
    assert {each.mechanism for each in ALL_CLAIMS if each.mechanism} <= {each.name for each in experiments()}
    assert len(names) == len(experiments())
    for name in PAPERS:
        assert CHAPTER[name].startswith(f"# {CHAPTERS[name].TITLE}\n")
        assert re.findall(r"^## (.*)$", CHAPTER[name], re.MULTILINE) == [each.experiment.title for each in experiments(name)]


def test_no_entry_is_without_a_value_a_reading_and_a_verdict_or_a_reason():
    for each in judged(read()):
        claim = each.claim
        assert claim.published and claim.reading and claim.where and claim.kind in KINDS and claim.basis in BASES, claim.name
        if not each.as_published and each.outcome is not Outcome.UNTESTED:
            assert each.reason, claim.name
            assert each.outcome is Outcome.OPEN or claim.mechanism or "unexplained; tried: " in each.reason, claim.name
        if each.outcome is Outcome.UNTESTED:
            assert claim.not_tested, claim.name


def test_the_record_has_the_figures_of_the_page():
    for line in read():
        if line.of == CLAIM:
            assert f"| {line.claim} | {line.published} | {line.here} | " in WITH_TABLES[line.paper], line.claim
    found = statements(judged(read()))
    assert in_a_sentence(found) in OVERVIEW
    assert summary_table(found) in OVERVIEW
    page = (REPOSITORY / "docs" / "validation" / "statements.md").read_text(encoding="utf-8")
    assert page == statements_page(found, {name: CHAPTERS[name].TITLE for name in PAPERS}).rstrip("\n") + "\n", "run 'tessera papers verdicts'"


def test_the_home_has_the_verdicts_of_the_overview():
    (found,) = re.findall(r"Of (\d+) published statements of five papers, each counted once, \*\*(\d+) come out in direction and size, (\d+) in direction only, (\d+) do not", OVERVIEW)
    home = (REPOSITORY / "docs" / "README.md").read_text(encoding="utf-8")
    (told,) = re.findall(r"of (\d+) published statements of five papers (\d+) come out in direction, (\w+) in direction and size, and (\d+) do not", home)
    assert (told[0], told[2].replace("none", "0"), told[1], told[3]) == found


def test_where_the_paper_prints_a_ratio_there_is_one_on_record():
    claims = {(each.paper, each.experiment, each.claim): each.ratio for each in ALL_CLAIMS}
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
        (FILE.replace(TEST, ""), ("claim 1 'a'", "'experiment' and 'test' together")),
        (FILE.replace(TEST, 'test = [{ figure = "ms", below = 3 }]\n'), ("claim 1 'a'", "'test.below' is 3", "expected a text or a list")),
        (FILE.replace('given = ["g"]', 'seeds = [{ what = "w", inputs = "a", figures = "ms", of = "ours" }]'), ("experiment 'x'", "neither 'above' nor 'below'")),
        (FILE + f"[[claims]]\n{ENTRY}not_tested = \"why\"\n", ("claim 'a'", "two of this id")),
        (FILE + 'ratio = "2"\n', ("claim 1 'a'", "'ratio'", "expected a number")),
        (FILE + "ratio = 0\n", ("claim 1 'a'", "'ratio'", "above 0")),
        (FILE + 'kind = "guess"\n', ("claim 1 'a'", "'kind'", "question")),
        (FILE + 'basis = "guess"\n', ("claim 1 'a'", "'basis'", "prediction, fitted, identity")),
        (FILE.replace("figure =", "figur ="), ("claim 1 'a'", "unknown key of 'test' 'figur'", "'figure'")),
        (FILE.replace('figure = "ms"', "figure = 3"), ("claim 1 'a'", "'test.figure' is 3", "expected a text")),
        (FILE.replace('experiment = "x"\n', "") + "[[claims.on]]\n", ("claim 1 'a'", "[[claims.on]]")),
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


def rows(tmp_path, *entries: str, found: dict[str, tuple[str, float | None]]):
    """The rows of one statement, made up: what each experiment has beside it, and its verdict and ratio."""
    on = "".join(f'[[claims.on]]\nexperiment = "x{n}"\n{entry}\n' for n, entry in enumerate(entries))
    experiments = "".join(f"[experiments.x{n}]\n" for n in range(len(entries)))
    file = tmp_path / "p.toml"
    file.write_text(f'title = "T"\nsource = "S"\n{experiments}[[claims]]\n{ENTRY}{TEST}ratio = 2\n{on}')
    lines = [Measured("p", name, CLAIM, "c", "2", "-", verdict, ratio) for name, (verdict, ratio) in found.items()]
    return judged(lines, {"p": load(file)})


def standing(*args, **named) -> Standing:
    (statement,) = statements(rows(*args, **named))
    return statement.standing


def test_a_statement_that_two_experiments_test_counts_once_and_has_a_size_if_both_have_it(tmp_path):
    assert len(statements(rows(tmp_path, "", "", found={"x0": ("holds", 2.0), "x1": ("holds", 2.1)}))) == 1
    assert standing(tmp_path, "", "", found={"x0": ("holds", 2.0), "x1": ("holds", 2.1)}) is Standing.RIGHT
    assert standing(tmp_path, "", "", found={"x0": ("holds", 2.0), "x1": ("holds", 3.9)}) is Standing.DIRECTION


def test_experiments_that_disagree_settle_nothing_and_one_input_against_it_is_not(tmp_path):
    assert standing(tmp_path, "", "", found={"x0": ("holds", 2.0), "x1": ("does not hold", 0.9)}) is Standing.OPEN
    assert standing(tmp_path, "", "", found={"x0": ("holds on 7 of 8", 2.0), "x1": ("does not hold", 0.9)}) is Standing.NOT
    assert standing(tmp_path, "", found={"x0": ("holds on 7 of 8, 1 open", 2.0)}) is Standing.OPEN


def test_an_opposite_direction_has_no_size(tmp_path):
    (row,) = rows(tmp_path, "", found={"x0": ("does not hold", 0.9)})
    assert (row.outcome, row.size) == (Outcome.NOT, "opposite: 0.9 for 2")  # 0.9 is within 2.3 of 2
    assert not row.sized


def test_a_bound_that_a_claim_names_binds(tmp_path):
    (row,) = rows(tmp_path, "", found={"x0": ("holds; bound met on 7 of 10", 2.0)})
    assert (row.outcome, row.basis, row.sized) == (Outcome.HOLDS, "its bound on 7 of 10", False)
    assert standing(tmp_path, "", found={"x0": ("holds; bound met on 7 of 10", 2.0)}) is Standing.DIRECTION
    assert standing(tmp_path, "", found={"x0": ("holds; bound met on 10 of 10", 2.0)}) is Standing.RIGHT


def test_what_is_fitted_or_an_identity_counts_only_where_it_fails(tmp_path):
    for basis in ("fitted", "identity"):
        assert standing(tmp_path, f'basis = "{basis}"', found={"x0": ("holds", 2.0)}) is Standing.GIVEN
        assert standing(tmp_path, f'basis = "{basis}"', found={"x0": ("does not hold", 0.5)}) is Standing.NOT
    assert standing(tmp_path, 'basis = "fitted"', "", found={"x0": ("holds", 2.0), "x1": ("does not hold", 0.9)}) is Standing.NOT


def test_a_row_without_the_paper_s_parameters_stands_apart(tmp_path):
    found = {"x0": ("does not hold", 0.5), "x1": ("holds", 2.0)}
    assert standing(tmp_path, "", 'apart = "no cache"', found=found) is Standing.NOT
    assert standing(tmp_path, 'apart = "no cache"', "", found=found) is Standing.RIGHT
    assert rows(tmp_path, "", 'apart = "no cache"', found=found)[1].cell == "holds (apart: no cache)"


def test_the_headline_counts_statements(tmp_path):
    text = in_a_sentence(statements(rows(tmp_path, "", "", found={"x0": ("holds", 2.0), "x1": ("holds on 1 of 2", 3.9)})))
    assert "Of 1 published statements" in text and "**0 come out in direction and size, 0 in direction only, 0 do not**" in text
    assert "1 are not settled" in text and "The size of 1 comes out in one experiment and not in another" in text


def test_a_published_statement_is_in_the_catalogue_once():
    """However many experiments test it, or figures of the paper repeat it."""
    for paper in catalogue().values():
        texts = [(each.where, each.claim) for each in paper.claims if each.statement == each.id]
        assert len(texts) == len(set(texts))
        for name in {each.statement for each in paper.claims}:
            assert len({each.where for each in paper.claims if each.statement == name}) == 1, name


def test_an_exception_that_a_claim_names_is_in_its_test():
    found = 0
    for each in ALL_CLAIMS:
        for names in re.findall(r"\b(?:but for|all but) ([a-z]+\d*_\d(?: and [a-z]+\d*_\d)*)", f"{each.claim}; {each.published}"):
            found += 1
            assert set(names.split(" and ")) <= {name for test in each.test for name in test.names("but")}, each.name
    assert found >= 5


def test_what_is_measured_against_the_fitted_pore_is_no_prediction():
    """PORE's open share is fitted to the MU-RMW paper's write amplifications; `P` is PORE with it."""
    against = [each for each in catalogue()["mu-rmw"].claims if any("P" in test.names("of") for test in each.test)]
    assert len(against) >= 20 and {each.basis for each in against} == {"fitted"}


def test_what_a_formula_of_the_description_gives_is_an_identity():
    """Where our figure is held against the formula's own column, or a run only carries out what the formula counts; an approximation may fail."""
    by_formula = [each for each in ALL_CLAIMS if each.reading == "printed as a formula" or any(isinstance(test.keys.get("value"), (str, list)) for test in each.test)]
    exact = [each for each in by_formula if each.experiment and "approximation" not in each.reading]
    assert len(exact) >= 8 and {each.basis for each in exact} == {"identity"}


def test_every_row_that_is_tested_is_data_and_nothing_else_gives_a_verdict():
    """The engine of verdicts has no words but those of a tally, and no chapter of the papers names one."""
    assert all(bool(each.test) == bool(each.experiment) for each in ALL_CLAIMS)
    folder = REPOSITORY / "analysis" / "validation" / "papers"
    for name in PAPERS:
        for file in folder.glob(f"{name.replace('-', '_')}*.py"):
            assert not re.search(r"Tally|verdict|Outcome|Measured\(", file.read_text(encoding="utf-8").split('"""', 2)[2]), file.name


def test_the_words_of_a_tally_are_read_as_they_are_written():
    for tally in (Tally(3, 0), Tally(0, 2), Tally(0, 0, 1), Tally(2, 3, 1), Tally(4, 0, 2), Tally(10, 0, 0, (7, 10))):
        again = Tally.read(tally.text)
        assert again is not None and (again.outcome, again.bound, again.text) == (tally.outcome, tally.bound, tally.text)
    assert Tally.read("a reading that matters") is None


def test_the_seeds_of_a_row_are_told_and_its_tally_is_its_direction(tmp_path):
    file = tmp_path / "p.toml"
    file.write_text(FILE + 'ratio = 2\nseeds = ["s1", "s2"]\n')
    claim = load(file).claims[0]

    def row(found: str) -> tuple[str, str]:
        lines = [Measured("p", "x", "claim", "c", "2", "3", found, 3.0)]
        lines += [Measured("p", "x", "seeds", f"s{n}", "above 1", "-", "holds") for n in (1, 2)]
        judged = judge(claim, lines)
        return judged.direction, judged.basis

    assert row("holds") == ("holds", "2 intervals over seeds")
    assert row("holds on 1 of 2, 1 open") == ("not settled", "1 of 2, 1 open; 2 intervals over seeds")
    assert [row(each)[0] for each in ("does not hold", "holds on 2 of 3")] == ["opposite", "on some inputs"]


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
    assert [each.name for each in choose("mapping/four-when-full")] == ["mapping/web_0", "mapping/hp_c2247"]  # a statement of two experiments
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
