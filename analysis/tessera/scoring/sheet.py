"""The card of a layer on one sheet of paper: how many times the yardstick's each measure is, among all shipped layers, and below it the text of the card."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from tessera.engine.output_file import whole
from tessera.figures.style import COLOURS, FONTS, MUTED
from tessera.scoring.card import Scored
from tessera.scoring.standing import ratio_of

PAPER = (8.27, 11.69)  # A4, in inches
TEXT, LINE = 8.0, 1.25  # points of a letter, and of a line in letters
MARGIN, PICTURE = 0.8, 3.4  # inches


def write_pdf(scored: Scored, file: Path) -> Path:
    lines = scored.text().splitlines()
    room = PAPER[1] - 2 * MARGIN - PICTURE - 0.6
    size = min(TEXT, room * 72 / (LINE * len(lines)))
    with plt.rc_context({"pdf.fonttype": 42, "font.family": "sans-serif", "font.sans-serif": FONTS["sans-serif"], "font.size": TEXT}):
        sheet = plt.figure(figsize=PAPER)
        panel = sheet.add_axes((0.26, 1 - (MARGIN + PICTURE) / PAPER[1], 0.64, (PICTURE - 0.4) / PAPER[1]))
        _ratios(panel, scored)
        sheet.text(MARGIN / PAPER[0], 1 - (MARGIN + PICTURE + 0.6) / PAPER[1], "\n".join(lines), family="DejaVu Sans Mono", fontsize=size, linespacing=LINE, va="top", parse_math=False)
        sheet.text(MARGIN / PAPER[0], 1 - MARGIN / PAPER[1], f"{scored.layer}: {scored.suite.name}", fontsize=14, parse_math=False)
        sheet.text(MARGIN / PAPER[0], MARGIN / 2 / PAPER[1], f"Reproduce: {scored.commands[-1]}", family="DejaVu Sans Mono", fontsize=6, parse_math=False)
        try:
            return whole(file, lambda aside: sheet.savefig(aside, format="pdf", metadata={"CreationDate": None}))
        finally:
            plt.close(sheet)


def _ratios(panel: Axes, scored: Scored) -> None:
    """A row a measure: every shipped layer in grey, the layer with its interval."""
    yardstick = scored.shipped[scored.suite.yardstick]
    for row, each in enumerate(scored.standings):
        others = [found.value for figures in scored.others.values() if (found := ratio_of(scored.suite, each.measure, figures, yardstick))]
        panel.plot(others, [row] * len(others), "|", color=MUTED, markersize=9, label="shipped layers" if row == 0 else None)
        if each.times:
            low, high = each.times.interval or (each.times.value, each.times.value)
            panel.errorbar(each.times.value, row, xerr=[[each.times.value - low], [high - each.times.value]], fmt="D", color=COLOURS[1], markersize=6, capsize=3)
    panel.plot([], [], "D", color=COLOURS[1], label=scored.layer)
    panel.set_xscale("log")
    panel.axvline(1, color="0.6", linewidth=0.8)
    more = [" (more is better)" if each.measure.more_is_better else "" for each in scored.standings]
    panel.set_yticks(range(len(more)), [each.measure.title + said for each, said in zip(scored.standings, more)])
    panel.invert_yaxis()
    panel.set_xlabel(f"times {scored.suite.yardstick}")
    panel.spines[["top", "right"]].set_visible(False)
    panel.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False)
