"""The HTML of the sliders: served, or one file that holds every answer."""

from collections.abc import Mapping
from typing import Any

from tessera.figures.page import embedded, opening, policy
from tessera.figures.style import curve_looks
from tessera.view.knobs.knob import LAYER
from tessera.view.knobs.subject import Subject
from tessera.view.page import asset

SCRIPTS = ("elements.js", "tail.js", "knobs.js")


def render(subject: Subject, answers: Mapping[str, Any] | None = None, facts: tuple[str, ...] = ()) -> str:
    """The whole page. With `answers`, by the places of the sliders' stops, it asks nobody."""
    style = asset("page.css") + asset("knobs.css")
    scripts = [asset(name) for name in SCRIPTS]
    served = answers is None
    title = f"Knobs: {subject.drive_name} under {subject.source.name}"
    layers = subject.by_name[LAYER].stops
    data = {
        "title": title,
        "facts": [*subject.facts(), *facts],
        "served": served,
        "knobs": [knob.record() for knob in subject.knobs],
        "metric": subject.until.metric.removeprefix("host.").replace("latency.", ""),
        "colours": {name: colour for name, (colour, _, _) in curve_looks(layers).items()},
        "answers": dict(answers or {}),
    }
    return f"""{opening(title, style, policy(scripts, (style,), served))}{asset("knobs.html")}
<script type="application/json" id="data">{embedded(data)}</script>
<script>{"</script><script>".join(scripts)}</script>
</body>
</html>
"""
