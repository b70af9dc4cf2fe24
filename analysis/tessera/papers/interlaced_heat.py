"""Which tracks the writes of the interlaced chapter's workloads fall on: the paper's Figures 4 and 11."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from tessera.papers.interlaced_runs import DRIVE, INTERVAL, MOVES, TRACK_BYTES, WORKLOADS, numbering
from tessera.papers.lab import Grid, Lab, Variant
from tessera.papers.measures import amplification
from tessera.papers.page import Finding, findings, number, table, verdict


def hottest(lab: Lab, names: Sequence[str] = ("w17", "w87"), count: int = 20) -> dict[str, list[tuple[int, int, int]]]:
    """Writes of the hottest tracks and of their two logical neighbours within the first interval."""
    inputs = {}
    for name in names:
        file = lab.workload_file(f"interlaced-{name}-writes", WORKLOADS[name].text(write_share=1.0))
        inputs[name] = ("--workload", file, "--limit", INTERVAL, "--requests")
    grid = lab.grid(DRIVE, inputs, {"cmr": Variant("cmr")}, "hottest tracks")
    result = {}
    for name, row in grid.items():
        tracks = Counter(np.asarray(row["cmr"].requests["lba"] // (TRACK_BYTES // 512)).tolist())
        result[name] = [(writes, tracks[track - 1], tracks[track + 1]) for track, writes in tracks.most_common(count)]
    return result


def cold_neighbours(tracks: Sequence[tuple[int, int, int]]) -> int:
    """Hot tracks with a neighbour that gets less than half of their writes: those that flipping can help."""
    return sum(min(before, behind) < writes / 2 for writes, before, behind in tracks)


def _hottest_parts(hot: Mapping[str, Sequence[tuple[int, int, int]]]) -> list[str]:
    parts = []
    for name, tracks in hot.items():
        rows = [[rank + 1, *writes] for rank, writes in enumerate(tracks)]
        parts += [f"{name}:\n", table(["rank", "writes", "track before", "track behind"], rows)]
    return parts


def _numbering_table(grid: Grid) -> str:
    names = list(next(iter(grid.values())))
    header = ["workload", *(f"WA {name}" for name in names), *(f"moves {name}" for name in names if name.split()[0] in MOVES)]
    rows = []
    for workload, row in grid.items():
        moves = [number(run.find(MOVES[name.split()[0]]), 0) for name, run in row.items() if name.split()[0] in MOVES]
        rows.append([workload, *(number(amplification(run)) for run in row.values()), *moves])
    return table(header, rows)


def _numbering_findings(grid: Grid, hot: Mapping[str, Sequence[tuple[int, int, int]]]) -> list[Finding]:
    def gain(name: str, n: int) -> float:
        return amplification(grid[name][f"imr-rmw N={n}"]) / amplification(grid[name][f"imr-flip N={n}"])

    cold = {name: cold_neighbours(tracks) for name, tracks in hot.items()}
    return [
        Finding(
            "hot tracks stand alone in w17, side by side in w87",
            "Figures 4 and 11",
            ", ".join(f"{name}: {n} of {len(hot[name])} have a cold neighbour" for name, n in cold.items()),
            "put into the workload",
        ),
        Finding(
            "flipping helps where hot tracks stand alone",
            "w17 friendly, w87 not",
            f"N = 1: factor {gain('w17', 1):.2f} on w17, {gain('w87', 1):.2f} on w87",
            verdict([gain("w17", 1) > gain("w87", 1)]),
        ),
        Finding(
            "numbering 256 bottoms before their tops changes what is a neighbour",
            "(our question)",
            f"N = 256: factor {gain('w17', 256):.2f} on w17, {gain('w87', 256):.2f} on w87",
            "see the table",
        ),
    ]


def sections(lab: Lab) -> list[str]:
    hot, by_number = hottest(lab), numbering(lab)
    return [
        "### Hottest tracks and their neighbours\n",
        *_hottest_parts(hot),
        "### N = 1 and N = 256\n",
        _numbering_table(by_number),
        findings(_numbering_findings(by_number, hot)),
    ]
