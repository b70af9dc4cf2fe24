"""The part of the interlaced chapter on hot tracks: where the writes fall, over time and among neighbours (Figures 4, 5, 10 and 11)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tessera.results.markdown import number, table
from validation.papers.experiment import Experiment
from validation.papers.interlaced_runs import DRIVE, INTERVAL, INTERVALS, MOVES, TRACK_BYTES, WORKLOADS, numbering, row_at_hand
from validation.papers.lab import Grid, Lab, Variant
from validation.papers.measures import amplification
from validation.papers.page import Finding, findings, listed, span, verdict

NEIGHBOURS_OF = ("w17", "w87")  # Figures 4 and 11
LONG_RUN = 32  # tracks, the longest that the workload has
OVER_TIME = "w106"  # Figure 5
WINDOW = 100_000  # Figure 5: of so many writes, those to a track
ON_THE_HOTTEST = {"w106": (100, 0.8), "w39": (5, 0.5), "w09": (100, 0.2), "w87": (100, 0.15)}  # Figure 10; w39: "a handful"


@dataclass(frozen=True)
class HotTrack:
    """Writes of a track and of its logical neighbours."""

    writes: int
    before: int
    behind: int

    def hot_neighbours(self) -> int:
        """Neighbours that get at least half of its writes: flipping gains little with those."""
        return sum(2 * each >= self.writes for each in (self.before, self.behind))


def _writes_alone(lab: Lab, name: str, **changes: object) -> str:
    return replace(WORKLOADS[name], writes_only=True, **changes).text(row_at_hand(lab, name))


def written_tracks(lab: Lab, names: Sequence[str], writes: int, **changes: object) -> dict[str, np.ndarray]:
    """The tracks on which the first writes of these workloads begin, in order of arrival."""
    changed = "".join(f"-{key}-{value}" for key, value in changes.items())
    inputs = {name: ("--workload", lab.workload_file(f"interlaced-{name}-writes{changed}", _writes_alone(lab, name, **changes))) for name in names}
    options = ("--limit", writes, "--requests")
    grid = lab.grid(DRIVE, {name: (*words, *options) for name, words in inputs.items()}, {"cmr": Variant("cmr")}, "tracks of writes")
    logs = {name: row["cmr"].requests for name, row in grid.items()}
    return {name: (log["lba"] // (TRACK_BYTES // 512))[np.argsort(log["number"])] for name, log in logs.items()}


def hottest(tracks: np.ndarray, count: int = 20) -> list[HotTrack]:
    """The hottest tracks and their neighbours."""
    writes = np.bincount(tracks, minlength=int(tracks.max()) + 2)
    order = np.argsort(-writes, kind="stable")[:count]
    return [HotTrack(int(writes[track]), int(writes[track - 1]) if track else 0, int(writes[track + 1])) for track in order]


def share_on_hottest(tracks: np.ndarray, count: int) -> float:
    """The share of the writes that the hottest tracks get."""
    return float(np.sort(np.bincount(tracks))[-count:].sum() / len(tracks))


def four_over_time(tracks: np.ndarray, window: int) -> tuple[int, np.ndarray]:
    """The four consecutive tracks with the most writes: the first of them, and the writes to each in each whole window."""
    windows = tracks[: len(tracks) // window * window].reshape(-1, window)
    counts = np.stack([np.bincount(part, minlength=int(tracks.max()) + 1) for part in windows])
    first = int(np.convolve(counts.sum(axis=0), np.ones(4), "valid").argmax())
    return first, counts[:, first : first + 4]


def _neighbour_parts(hot: Mapping[str, Sequence[HotTrack]]) -> list[str]:
    parts = []
    for name, tracks in hot.items():
        rows = [[rank, each.writes, each.before, each.behind] for rank, each in enumerate(tracks, 1)]
        parts += [f"{name}:\n", table(["rank", "writes", "track before", "track behind"], rows)]
    return parts


def _neighbour_findings(alone: Sequence[HotTrack], together: Sequence[HotTrack], longer: Sequence[HotTrack]) -> list[Finding]:
    def with_hot(tracks: Sequence[HotTrack], neighbours: int) -> int:
        return sum(each.hot_neighbours() == neighbours for each in tracks)

    def described(tracks: Sequence[HotTrack]) -> str:
        return f"{with_hot(tracks, 1)} have one hot neighbour, {with_hot(tracks, 2)} two"

    few = together[:3]
    return [
        Finding(
            "w17: few of the 20 hottest tracks have a hot neighbour, none has two",
            "few (Figure 4; here: at most 5)",
            described(alone),
            verdict([with_hot(alone, 1) <= 5 and with_hot(alone, 2) == 0]),
        ),
        Finding(
            "w87: many of the 20 hottest lie among tracks as hot",
            "many (Figure 11; here: at least 10)",
            described(together),
            verdict([with_hot(together, 2) >= 10]),
        ),
        Finding(
            "w87: the hottest few stand alone",
            "alone (Figure 11; here: the first 3)",
            f"{sum(each.hot_neighbours() == 0 for each in few)} of {len(few)} do",
            verdict(each.hot_neighbours() == 0 for each in few),
            "the input has its hot tracks in runs of ten; that the very hottest lie elsewhere is not in it",
        ),
        Finding(
            f"w87 in runs of {LONG_RUN} tracks instead of ten: many of the 20 hottest lie among tracks as hot",
            "many (Figure 11; here: at least 10)",
            described(longer),
            verdict([with_hot(longer, 2) >= 10]),
        ),
    ]


def _time_parts(first: int, counts: np.ndarray) -> list[str]:
    rows = [[f"{(index + 1) * WINDOW:,}", *line] for index, line in enumerate(counts.tolist())]
    busy = [column for column in counts.T if column.max() >= 10]
    leaders = [int(line.argmax()) for line in counts if line.max() >= 10]
    items = [
        Finding(
            "the write frequency of a track varies over time",
            "varies (Figure 5)",
            "writes of 100,000: " + "; ".join(span(map(float, column), 0) for column in busy),
            verdict(column.max() >= 2 * column.min() for column in busy),
        ),
        Finding(
            "a track is hotter than its neighbour for a long time, then the neighbour is",
            "as 3854 and 3857 (Figure 5)",
            "hottest of the four: " + ", ".join(f"{first + leader}" for leader in leaders),
            verdict([len(set(leaders)) > 1]),
        ),
    ]
    return [table(["writes up to", *(f"track {first + offset}" for offset in range(4))], rows), findings(items)]


def _share_parts(tracks: Mapping[str, np.ndarray]) -> list[str]:
    shares = {}
    for name, (count, published) in ON_THE_HOTTEST.items():
        shares[name] = (published, share_on_hottest(tracks[name][:INTERVAL], count), share_on_hottest(tracks[name], count))
    rows = [[f"{name}, {ON_THE_HOTTEST[name][0]} tracks", *(number(100 * share, 0) for share in line)] for name, line in shares.items()]
    return [
        table(["% of the writes on the hottest", "published", f"{INTERVAL:,} writes", "all writes"], rows),
        findings(
            [
                Finding(
                    "the share of the writes on the hottest tracks",
                    "of the whole trace (Figure 10; here: within a tenth of it)",
                    listed({name: f"{100 * whole:.0f} %" for name, (_, _, whole) in shares.items()}),
                    verdict(abs(whole / published - 1) <= 0.1 for published, _, whole in shares.values()),
                    "the table's hottest pages, where the paper gives no share",
                )
            ]
        ),
    ]


def _numbering_table(grid: Grid) -> str:
    names = list(next(iter(grid.values())))
    header = ["workload", *(f"WA {name}" for name in names), *(f"moves {name}" for name in names if name.split()[0] in MOVES)]
    rows = []
    for workload, row in grid.items():
        moves = [number(run.find(MOVES[name.split()[0]]), 0) for name, run in row.items() if name.split()[0] in MOVES]
        rows.append([workload, *(number(amplification(run)) for run in row.values()), *moves])
    return table(header, rows)


def _neighbours(lab: Lab) -> list[str]:
    hot = {name: hottest(tracks) for name, tracks in written_tracks(lab, NEIGHBOURS_OF, INTERVAL).items()}
    longer = hottest(written_tracks(lab, ("w87",), INTERVAL, run_length=LONG_RUN)["w87"])
    return [*_neighbour_parts(hot), findings(_neighbour_findings(*hot.values(), longer))]


def writes_of(lab: Lab) -> int:
    """How many writes the hottest tracks are taken from."""
    return max(WINDOW, lab.requests(INTERVALS * INTERVAL))


def _over_time(lab: Lab) -> list[str]:
    drifting = written_tracks(lab, (OVER_TIME,), writes_of(lab), drift=0.1)[OVER_TIME]
    intro = (
        f"The four consecutive tracks with the most writes; of each {WINDOW:,} writes, those to a track. The drift, a tenth of the\n"
        "hot tracks an interval, is put in here.\n"
    )
    return [intro, *_time_parts(*four_over_time(drifting, WINDOW))]


def _numbering(lab: Lab) -> list[str]:
    return [_numbering_table(numbering(lab))]


EXPERIMENTS = (
    Experiment("neighbours", "Hottest tracks and their neighbours", _neighbours),
    Experiment("four-tracks", "Four tracks of w106 over time", _over_time),
    Experiment(
        "hottest-share",
        "How much of the writes the hottest tracks get",
        lambda lab: _share_parts(written_tracks(lab, tuple(ON_THE_HOTTEST), writes_of(lab))),
    ),
    Experiment("numbering", "N of 1 and of 256", _numbering),
)
