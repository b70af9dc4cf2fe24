"""Every published figure has somebody who makes it, and moves with the program or says that it has not."""


import pytest
from pages.owners import LIST, RECORD, hold_pages, keep, keep_pages, moved, read_owners, read_record, unowned
from samples import REPOSITORY

from tessera.errors import InputError

OWNER = """
[canary]
quick = "run bare --layer cmr --workload random-4k --fold --limit 50"
[[owner]]
page = "docs/a.md"
shows = "latency"
command = "./dev a"
files = ["data/a.csv"]
canaries = ["quick"]
"""


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "docs" / "data").mkdir(parents=True)
    (tmp_path / "README.md").write_text("# Readme\n\nText.\n")
    (tmp_path / "docs" / "a.md").write_text("# A\n\n| cmr | 3.71 | 24.1 |\n")
    (tmp_path / "docs" / "data" / "a.csv").write_text("a\n")
    (tmp_path / LIST).write_text(OWNER)
    return tmp_path


def test_no_page_is_older_than_the_program_without_saying_so():
    assert hold_pages(jobs=2) == []


def test_every_figure_of_this_tree_has_an_owner():
    assert unowned(read_owners()) == []


def test_what_holds_a_page_exists():
    for owner in read_owners().owners:
        if owner.held_by.startswith("tests/"):
            assert (REPOSITORY / owner.held_by).exists(), owner


def test_a_page_with_figures_that_nobody_owns_is_told(tree):
    (tree / "docs" / "b.md").write_text("# B\n\nIt takes 1 ms, 2 ms, 3 ms, 4 ms or 5 ms.\n")
    (tree / "docs" / "b.png").write_bytes(b"")
    assert unowned(read_owners(tree), tree) == [
        f"docs/b.md: shows figures, and no entry of {LIST} says what makes them",
        f"docs/b.png: no entry of {LIST} says what makes it",
    ]


def test_four_quantities_in_a_text_need_no_owner_and_a_page_of_facts_has_figures(tree):
    (tree / "docs" / "b.md").write_text("# B\n\nIt takes 1 ms, 2 ms, 3 ms or 4 ms.\n")
    assert unowned(read_owners(tree), tree) == []
    (tree / LIST).write_text(OWNER + '[facts]\n"docs/b.md" = "years"\n')
    assert unowned(read_owners(tree), tree) == ["docs/b.md: listed under facts, and shows none"]


def test_a_figure_that_moved_or_came_or_went_is_told_with_both_values(tree):
    owners = read_owners(tree)
    keep(owners, ["docs/a.md"], {"quick": {"host.latency.mean": "1.5", "energy.total": "7"}}, tree)
    assert moved(owners, read_record(tree), {"quick": {"host.latency.mean": "1.5", "energy.total": "7"}}) == []
    found = moved(owners, read_record(tree), {"quick": {"host.latency.mean": "1.50000001", "host.latency.p99": "9"}})
    assert [(each.figure, each.was, each.now) for each in found] == [
        ("host.latency.mean", "1.5", "1.50000001"), ("host.latency.p99", None, "9"), ("energy.total", "7", None),
    ]  # fmt: skip


def test_a_page_that_was_made_is_current_until_a_figure_moves_or_the_list_says_so(tree):
    assert len(hold_pages(1, tree)) == 1  # never recorded
    keep_pages(["docs/a.md"], 1, tree)
    assert hold_pages(1, tree) == []
    record = (tree / RECORD).read_text()
    assert record.startswith("page,canary,figure,value\ndocs/a.md,quick,host.latency.mean,")
    (tree / RECORD).write_text(record.replace("host.bandwidth,", "host.bandwidth,9"))
    (line,) = hold_pages(1, tree)
    assert line.startswith("docs/a.md: host.bandwidth of canary quick was 9") and line.endswith("made by `./dev a`")
    (tree / "docs" / "stale.toml").write_text('[[stale]]\npage = "docs/a.md"\nsince = "2026-11-30"\ncause = "It moved."\ncommand = "./dev a"\n')
    assert hold_pages(1, tree) == []


def test_what_a_canary_that_fails_said_is_told_with_its_name(tree, capfd):
    (tree / LIST).write_text(OWNER.replace("--layer cmr", "--layer cmrr"))
    with pytest.raises(InputError, match="canary quick does not run"):
        hold_pages(1, tree)
    assert "unknown layer 'cmrr'" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (OWNER.replace('canaries = ["quick"]', 'canaries = ["quik"]'), "unknown canary 'quik'; did you mean 'quick'"),
        (OWNER.replace('canaries = ["quick"]', ""), "owner 1 has command, files, page, shows; expected"),
        (OWNER + 'held_by = "tests"\n', "either canaries or held_by"),
        (OWNER.replace("data/a.csv", "data/b.csv"), r"there is no docs/data/b\.csv"),
        (OWNER.replace("docs/a.md", "docs/c.md"), r"there is no docs/c\.md"),
        (OWNER.replace("[[owner]]", 'slow = "run bare"\n[[owner]]'), "canary slow belongs to no page"),
    ],
)
def test_an_entry_that_cannot_be_followed_is_refused(tree, text, message):
    (tree / LIST).write_text(text)
    with pytest.raises(InputError, match=message):
        read_owners(tree)


def test_a_page_that_no_entry_names_cannot_have_been_made(tree):
    with pytest.raises(InputError, match="unknown page 'docs/b.md'"):
        keep_pages(["docs/b.md"], 1, tree)
