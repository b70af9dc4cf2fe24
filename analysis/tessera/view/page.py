"""The HTML of a view: one file that needs nothing else."""

import html
from collections.abc import Mapping
from importlib import resources
from typing import Any

from tessera.reports.page import embedded, policy

SCRIPTS = ("columns.js", "words.js", "side.js", "platter.js", "timeline.js", "life.js", "view.js", "main.js")


def asset(name: str) -> str:
    return (resources.files("tessera.view") / "assets" / name).read_text(encoding="utf-8")


def render(title: str, data: Mapping[str, Any]) -> str:
    """The whole file. Everything out of a folder of results stands in the JSON, which is text to the browser, and in the title."""
    style = asset("view.css")
    scripts = [asset(name) for name in SCRIPTS]
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{html.escape(policy(scripts, (style,)))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{html.escape(title)}</title>
<style>{style}</style>
</head>
<body>
{asset("view.html")}
<script type="application/json" id="data">{embedded(data)}</script>
<script>{"</script><script>".join(scripts)}</script>
</body>
</html>
"""
