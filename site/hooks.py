"""What the site shows otherwise than a code host does: links to files of the sources become their names, bars in the code of tables need no backslash,
notebooks become pages, the layers' pages come in the order of their table, and the home begins with something to try: the pages of TRY, which
`./dev site` makes and which need nothing but a browser."""

import json
import logging
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(((?:\.\./)+[^)#\s]+)\)")
ROW = re.compile(r"^\|.*\|$", re.MULTILINE)
CODE = re.compile(r"`[^`]+`")
LAYERS = "layers/README.md"
HOME, MARK = "README.md", "<!-- to try: the site shows sliders here -->"
TRY = ROOT / "build" / "try"
KNOBS, VIEW = "try/knobs.html", "try/view.html"
SHOWN = f"""
Move a slider, or choose another layer: the curve is the latency of 20,000 requests of a web server, run on that drive beforehand. *Pin* keeps a curve to compare with.

<iframe class="try" src="{KNOBS}" title="Sliders over a drive and the latency of its requests"></iframe>

<p><a href="{KNOBS}">The sliders on a page of their own</a> · <a href="{VIEW}">The disk at work</a>: platter, head and the life of each request of one such run, in slow motion</p>

"""
log = logging.getLogger("mkdocs.hooks.sources")


def on_config(config):
    """Adds to the section of the layers what its first page links, but for pages that have a place of their own."""
    linked = re.findall(r"\]\(([a-z0-9-]+\.md)(?:#[a-z0-9-]+)?\)", (Path(config.docs_dir) / LAYERS).read_text())
    explanation = next(item["Explanation"] for item in config.nav if "Explanation" in item)
    section = next(item["Layers"] for item in explanation if "Layers" in item)
    placed = set(_leaves(config.nav))
    section += [page for page in dict.fromkeys(f"layers/{name}" for name in linked) if page not in placed]
    return config


def _leaves(item) -> list[str]:
    """The pages of a part of the navigation."""
    if isinstance(item, str):
        return [item]
    return [page for part in (item.values() if isinstance(item, dict) else item) for page in _leaves(part)]


def on_files(files, config):
    """A page for each notebook, under its name, and what there is to try."""
    for name in (KNOBS, VIEW) if TRY.is_dir() else ():
        files.append(File.generated(config, name, abs_src_path=str(TRY / Path(name).name)))
    for notebook in [file for file in files if file.src_uri.endswith(".ipynb")]:
        cells = json.loads(notebook.content_string)["cells"]
        files.append(File.generated(config, notebook.src_uri.replace(".ipynb", ".md"), content="\n\n".join(map(_cell, cells)) + "\n"))
    return files


def _cell(cell) -> str:
    source = "".join(cell["source"])
    return source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```"


def on_page_markdown(markdown: str, page, config, **_) -> str:
    if page.file.src_uri == HOME and TRY.is_dir():
        page.meta["hide"] = ["navigation", "toc"]
        markdown = markdown.replace(MARK, SHOWN)
    docs = Path(config.docs_dir).resolve()
    folder = (docs / page.file.src_uri).parent

    def named(link: re.Match) -> str:
        target = (folder / link[2]).resolve()
        if target.is_relative_to(docs):
            return link[0]
        if not target.exists():
            log.warning("%s: there is no %s", page.file.src_uri, link[2])
        path = f"`{target.relative_to(ROOT)}`"
        return path if link[1].strip("`") in path else f"{link[1]} ({path})"

    return ROW.sub(lambda row: CODE.sub(lambda code: code[0].replace("\\|", "|"), row[0]), LINK.sub(named, markdown).replace(".ipynb)", ".md)"))
