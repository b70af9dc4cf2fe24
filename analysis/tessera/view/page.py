"""The HTML of a view: one file that needs nothing else."""

from collections.abc import Mapping
from importlib import resources
from typing import Any

from tessera.figures.page import embedded, opening, policy

SCRIPTS = ("elements.js", "columns.js", "words.js", "side.js", "platter.js", "timeline.js", "life.js", "view.js", "live.js", "main.js")


def asset(name: str) -> str:
    return (resources.files("tessera.view") / "assets" / name).read_text(encoding="utf-8")


def render(title: str, data: Mapping[str, Any], served: bool = False) -> str:
    """The whole file; of a page that is `served`, it may ask its server. Everything out of a folder of results is in the JSON, which is text to the browser, and in the title."""
    style = asset("page.css") + asset("view.css")
    scripts = [asset(name) for name in SCRIPTS]
    return f"""{opening(title, style, policy(scripts, (style,), served))}{asset("view.html")}
<script type="application/json" id="data">{embedded(data)}</script>
<script>{"</script><script>".join(scripts)}</script>
</body>
</html>
"""
