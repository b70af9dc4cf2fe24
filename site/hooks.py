"""What the site shows otherwise than a code host does: links to files of the sources become their names, bars in the code of tables need no backslash,
notebooks become pages, and the layers' pages come in the order of their table."""

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
log = logging.getLogger("mkdocs.hooks.sources")


def on_config(config):
    """Adds to the section of the layers what its first page links."""
    linked = re.findall(r"\]\(([a-z0-9-]+\.md)\)", (Path(config.docs_dir) / LAYERS).read_text())
    explanation = next(item["Explanation"] for item in config.nav if "Explanation" in item)
    section = next(item["Layers"] for item in explanation if "Layers" in item)
    section += dict.fromkeys(f"layers/{page}" for page in linked)
    return config


def on_files(files, config):
    """A page for each notebook, under its name."""
    for notebook in [file for file in files if file.src_uri.endswith(".ipynb")]:
        cells = json.loads(notebook.content_string)["cells"]
        files.append(File.generated(config, notebook.src_uri.replace(".ipynb", ".md"), content="\n\n".join(map(_cell, cells)) + "\n"))
    return files


def _cell(cell) -> str:
    source = "".join(cell["source"])
    return source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```"


def on_page_markdown(markdown: str, page, config, **_) -> str:
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
