"""The part of the interlaced chapter on load: a drive that falls behind its input, and what the requests then wait."""

from tessera.papers.interlaced_runs import IMPROVED, INTERLACED, dilated, dilation, disparity, loads
from tessera.papers.lab import Grid, Lab
from tessera.papers.measures import latency
from tessera.papers.page import Figure, Finding, figures_by_row, findings, number, span, table, verdict

LOAD_FIGURES = (Figure("mean ms", latency), Figure("dilation", dilated))


def _load_findings(grid: Grid) -> list[Finding]:
    behind = [row for row in grid.values() if dilated(row["imr-rmw"]) > 1.02]
    full = [latency(row["imr-rmw"]) / 1000 for row in behind]
    return [
        Finding(
            "a saturated queue makes seconds of latency",
            "about 2.4 s (w39, w56)",
            f"{span(full)} s where read-modify-write falls behind",
            verdict(value > 1 for value in full),
        ),
        Finding(
            "the improved layers keep up longer",
            "throughput significantly improved (w46)",
            "dilation over that of rmw: "
            + span(dilated(row[m]) / dilated(row["imr-rmw"]) for row in behind for m in IMPROVED),
            verdict(dilated(row[m]) <= dilated(row["imr-rmw"]) for row in behind for m in IMPROVED),
        ),
    ]


def _dilation_parts(grid: Grid) -> list[str]:
    parts = []
    for name, row in grid.items():
        late = {layer: disparity(row, layer) for layer in INTERLACED}
        rows = [[f"{10 * (i + 1)} %", *(number(late[layer][i], 1) for layer in INTERLACED)] for i in range(10)]
        parts += [f"{name}: seconds later than on the conventional disk\n", table(["of the requests", *INTERLACED], rows)]
        order = sorted(INTERLACED, key=lambda layer: late[layer][-1])
        parts.append(
            findings(
                [
                    Finding(
                        f"{name}: all three reduce the delay of read-modify-write",
                        "dynamic mapping most, the others less",
                        " < ".join(order),
                        verdict(late[layer][-1] < late["imr-rmw"][-1] for layer in IMPROVED)
                        if late["imr-rmw"][-1] > 1
                        else "no delay at this rate",
                    )
                ]
            )
        )
    return parts


def sections(lab: Lab) -> list[str]:
    load = loads(lab)
    return [
        "### w39 at higher rates\n",
        "Gaps of the input over those of the week's mean.\n",
        figures_by_row(load, "gaps", LOAD_FIGURES),
        findings(_load_findings(load)),
        "### Dilation over time\n",
        "At four times the week's mean rate.\n",
        *_dilation_parts(dilation(lab)),
    ]
