"""The picture of a result in a notebook, under its table."""

from base64 import b64encode
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tessera.results.shown import Shown

if TYPE_CHECKING:
    from tessera.figures.chart import Drawn


def show_pictures() -> None:
    """From here on results have one."""
    Shown.picture_of = staticmethod(picture_of)


def picture_of(result: Shown) -> str:
    """An image that is in the page; nothing where there is none to draw: the table says what is wrong with a result."""
    try:
        if (chart := _chart_of(result)) is None:
            return ""
        from tessera.figures.paper import draw

        with TemporaryDirectory() as folder:
            drawn = draw(chart, Path(folder) / "chart.svg").read_bytes()
        return f'<img alt="{escape(chart.title)}" style="max-width:600px" src="data:image/svg+xml;base64,{b64encode(drawn).decode()}">'
    except Exception:  # a picture is an extra
        return ""


def _chart_of(result: Shown) -> "Drawn | None":
    from tessera.explore.comparison import Comparison
    from tessera.explore.dataset import Sweep
    from tessera.figures.gallery import of_sweep
    from tessera.figures.pictures import latency_percentiles
    from tessera.results.run_folder import Run

    match result:
        case Run():
            return latency_percentiles({str(result.summary["run"]["layer"]): result})
        case Comparison():
            runs = {layer: found for layer, found in result.good_runs().items() if found}
            return latency_percentiles(runs) if runs else None
        case Sweep():
            return next(iter(of_sweep(result)), None)
    return None
