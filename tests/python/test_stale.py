"""Pages older than the program say so, as docs/stale.toml does, and no others."""

import pytest
from pages.stale import pages_and_notes, write_stale
from samples import REPOSITORY

from tessera.errors import InputError

ENTRY = '[[stale]]\npage = "docs/a.md"\nsince = "2026-11-28"\ncause = "Reads are faster."\ncommand = "./dev studies a"\n'


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("# Readme\n\nText.\n")
    (tmp_path / "docs" / "a.md").write_text("# A\n\nFigures.\n")
    (tmp_path / "docs" / "stale.toml").write_text(ENTRY)
    return tmp_path


def test_the_pages_of_this_tree_say_what_the_list_says():
    assert [str(page) for page in pages_and_notes(REPOSITORY)] == []


def test_a_listed_page_says_below_its_title_what_moved_and_what_writes_it(tree):
    assert write_stale(tree) == [tree / "docs" / "a.md"]
    lines = (tree / "docs" / "a.md").read_text().splitlines()
    assert lines[0] == "# A"
    assert lines[3] == "> **Older than the program** since 2026-11-28: Reads are faster. `./dev studies a` writes the figures again."
    assert lines[-1] == "Figures."
    assert write_stale(tree) == []


def test_the_note_goes_with_the_entry(tree):
    write_stale(tree)
    (tree / "docs" / "stale.toml").write_text("")
    assert write_stale(tree) == [tree / "docs" / "a.md"]
    assert (tree / "docs" / "a.md").read_text() == "# A\n\nFigures.\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [(ENTRY.replace("docs/a.md", "docs/b.md"), r"there is no page docs/b\.md"), ('[[stale]]\npage = "docs/a.md"\n', "entry 1 has page; expected cause, command, page, since")],
)
def test_an_entry_that_cannot_be_followed_is_refused(tree, text, message):
    (tree / "docs" / "stale.toml").write_text(text)
    with pytest.raises(InputError, match=message):
        pages_and_notes(tree)
