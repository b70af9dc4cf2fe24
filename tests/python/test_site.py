"""The site over docs/: every link leads somewhere, every page is in the navigation, and nothing is fetched from elsewhere."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec

import pytest
from samples import REPOSITORY

PAGES = sorted(REPOSITORY.glob("*.md")) + sorted((REPOSITORY / "docs").rglob("*.md"))
LINK = re.compile(r"\]\(([^()\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
FETCHED = re.compile(r"""<(?:script|img|iframe)[^>]*\ssrc="https?://|<link[^>]*rel="(?:stylesheet|preconnect|icon)"[^>]*href="https?://|@import\s+url\(["']?https?://""")

needs_mkdocs = pytest.mark.skipif(find_spec("mkdocs") is None, reason="needs the extra `docs` of pyproject.toml: ./dev test sets up .venv with it")


def build(config, out):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", config, "--site-dir", out]
    return subprocess.run(command, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)


def test_every_link_of_the_pages_leads_to_a_file_as_on_a_code_host():
    links = [(page, target) for page in PAGES for target in LINK.findall(CODE.sub("", page.read_text())) if "://" not in target]
    assert len(links) > 200
    dead = [f"{page.relative_to(REPOSITORY)}: {target}" for page, target in links if not (page.parent / target.partition("#")[0]).exists()]
    assert dead == []


@needs_mkdocs
def test_the_site_is_built_without_warnings_and_fetches_nothing(tmp_path):
    built = build(REPOSITORY / "site" / "mkdocs.yml", tmp_path / "site")
    assert built.returncode == 0, built.stderr
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 60
    assert [page for page in pages if FETCHED.search(page.read_text())] == []


def small_site(folder, pages):
    """A site with the hooks and settings of the real one, and its config file."""
    for name in ("site", "docs/layers"):
        (folder / name).mkdir(parents=True)
    config = (REPOSITORY / "site" / "mkdocs.yml").read_text()
    head = config[: config.index("nav:\n  - ")]
    (folder / "site" / "mkdocs.yml").write_text(head + "nav: [README.md, {Explanation: [{Layers: [layers/README.md]}]}]\n")
    (folder / "site" / "hooks.py").write_text((REPOSITORY / "site" / "hooks.py").read_text())
    (folder / "docs" / "style").mkdir()
    (folder / "docs" / "style" / "site.css").write_text("")
    for name, text in pages.items():
        (folder / "docs" / name).write_text(text)
    return folder / "site" / "mkdocs.yml"


@needs_mkdocs
@pytest.mark.parametrize("made", [True, False])
def test_the_home_begins_with_something_to_try_where_it_was_made(tmp_path, made):
    config = small_site(tmp_path, {"README.md": (REPOSITORY / "docs" / "README.md").read_text().partition("\nInstall it")[0] + "\nInstall it.\n", "layers/README.md": "# Layers\n"})
    if made:
        (tmp_path / "build" / "try").mkdir(parents=True)
        for name in ("knobs", "view"):
            (tmp_path / "build" / "try" / f"{name}.html").write_text(f"<p>{name}</p>")
    built = build(config, tmp_path / "out")
    assert built.returncode == 0, built.stderr
    home = (tmp_path / "out" / "index.html").read_text()
    shown = re.findall(r'(?:src|href)="(try/[a-z.]+)"', home)
    assert shown == (["try/knobs.html", "try/knobs.html", "try/view.html"] if made else [])
    assert all((tmp_path / "out" / name).read_text() == f"<p>{name[4:-5]}</p>" for name in shown)
    assert not made or home.index("<iframe") < home.index("Install it")


@needs_mkdocs
def test_a_broken_link_an_orphan_and_a_missing_anchor_fail_the_build(tmp_path):
    broken = "# Layers\n\n[none](none.md) [part](#part) [source](../../nothing.hpp)\n"
    said = build(small_site(tmp_path, {"README.md": "# Home\n", "layers/README.md": broken, "orphan.md": "# Orphan\n"}), tmp_path / "out")
    assert said.returncode != 0
    for complaint in ("layers/none.md", "'#part'", "there is no ../../nothing.hpp", "orphan.md"):
        assert complaint in said.stderr, said.stderr
