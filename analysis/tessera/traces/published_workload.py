"""A synthetic workload with the published characteristics of a recorded one: a row of a table of block-trace statistics.

The table is the one that is public for the 106 CloudPhysics workloads: a line a workload, with counts, bytes, the address range, the
distinct 4 KiB pages, and percentiles (1, 5, 10 ... 100) of request sizes, of the times between arrivals in microseconds, and of the share
of the accesses that a page gets. What it does not hold is order: which pages lie side by side, and when each is hot. Both are parameters
here (`Shape`), and the file that is written says so.
"""

import csv
import gzip
import lzma
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tessera.errors import InputError, unknown_name

PERCENTS = (1, *range(5, 101, 5))
PAGE = 4096
BLOCK = 512  # a size in a workload is a multiple of this
WEEK_US = 7 * 24 * 3600 * 1e6  # that the published traces cover


@dataclass(frozen=True)
class Row:
    """What the table says of a workload."""

    name: str
    cells: dict[str, str]

    def number(self, column: str) -> float:
        """A cell. Raises InputError where it is missing or no number."""
        try:
            return float(self.cells[column])
        except (KeyError, ValueError, TypeError):
            raise InputError(f"workload {self.name}: column '{column}' is missing or holds no number") from None

    def percentiles(self, what: str) -> list[float]:
        """The values at PERCENTS."""
        return [self.number(f"{percent}_{what}") for percent in PERCENTS]


def read_table(path: Path) -> dict[str, Row]:
    """The rows of a table by workload, plain or compressed (.xz, .gz). Raises InputError."""
    opened = {".xz": lzma.open, ".gz": gzip.open}.get(path.suffix, open)
    try:
        with opened(path, "rt", encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            if "workload" not in (reader.fieldnames or ()):
                raise InputError(f"{path}: the first line names no column 'workload'")
            return {cells["workload"]: Row(cells["workload"], cells) for cells in reader}
    except (OSError, EOFError, UnicodeDecodeError, lzma.LZMAError) as error:
        raise InputError(f"{path}: {error}") from None


def row_of(path: Path, name: str) -> Row:
    """One workload of a table. Raises InputError, with the nearest name where there is no such row."""
    rows = read_table(path)
    if name in rows:
        return rows[name]
    raise unknown_name(f"workload of {path}", name, rows)


@dataclass(frozen=True)
class Tail:
    """The largest twentieth of `count` values: (rank, value) from the largest on, linear between two."""

    knots: Sequence[tuple[float, float]]

    def sum_to(self, rank: float) -> float:
        """Of the values up to a rank."""
        total = self.knots[0][1]
        for (r0, v0), (r1, v1) in zip(self.knots, self.knots[1:], strict=False):
            if rank <= r0:
                break
            end = min(rank, r1)
            value = v0 + (v1 - v0) * (end - r0) / (r1 - r0)
            total += (end - r0) * (v0 + value) / 2
        return total


KNOTS = 24  # of a tail


def _tail_bent(largest: float, smallest: float, ranks: float, bend: float) -> Tail:
    """Falls from the largest to the smallest value: a power law of the rank at bend 1, late at more, early at less."""
    places = [i / KNOTS for i in range(KNOTS + 1)]  # of the logarithm of the rank
    return Tail([(ranks**place, largest * (smallest / largest) ** (place**bend)) for place in places])


def _bisected(low: float, high: float, holds: Callable[[float], bool]) -> float:
    """The largest value between the two, by ratio, for which a condition holds that larger ones break."""
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def fitted_tail(largest: float, smallest: float, count: float, total: float) -> Tail:
    """The largest twentieth of `count` values, of which the extremes and the sum are known: bent so that the sum comes out. Where no bend
    does, the sum is as near as these extremes allow."""
    ranks = max(2.0, count / 20)
    smallest = max(smallest, 1e-12)
    largest = max(largest, smallest)
    bend = _bisected(1e-3, 1e3, lambda bend: _tail_bent(largest, smallest, ranks, bend).sum_to(ranks) <= total)
    return _tail_bent(largest, smallest, ranks, bend)


def _sum_of_lowest(values: Sequence[float], count: float, lowest: float) -> float:
    """Of the lowest of `count` values, at most 95 % of them: linear between two percentiles."""
    total, percent, value = 0.0, 0, values[0]
    for next_percent, next_value in zip(PERCENTS[:-1], values[:-1], strict=True):
        here = min(lowest, (next_percent - percent) / 100 * count)
        total += here * (value + next_value) / 2
        lowest -= here
        percent, value = next_percent, next_value
    return total


def gap_rows(row: Row) -> list[tuple[float, float]]:
    """The distribution of the times between arrivals: (percent, microseconds). Its mean is that of the requests over a week."""
    values, count = row.percentiles("iat_popularity"), row.number("block_req_count")
    total = WEEK_US - _sum_of_lowest(values, count, count)
    tail = fitted_tail(min(values[-1], total / 2), values[-2], count, total)  # one table names a gap longer than the week
    rows = list(zip(PERCENTS[:-1], values[:-1], strict=True))
    rows += [(100 * (1 - rank / count), value) for rank, value in reversed(tail.knots[1:-1])]
    return [*rows, (100.0, tail.knots[0][1])]


def size_rows(row: Row, kind: str) -> list[tuple[int, float]]:
    """Sizes of the requests of a kind: (bytes, weight). The mean is the published one, as far as the two largest sizes allow."""
    sizes = [max(BLOCK, math.ceil(size / BLOCK) * BLOCK) for size in row.percentiles(f"{kind}_block_request_size")]
    weights: dict[int, float] = {sizes[0]: PERCENTS[0]}
    for i in range(1, len(sizes) - 1):
        for size in sizes[i - 1 : i + 1]:  # half of the step at either end
            weights[size] = weights.get(size, 0) + (PERCENTS[i] - PERCENTS[i - 1]) / 2
    lowest, largest = sizes[-2], sizes[-1]
    mean = 100 * row.number(f"{kind}_io_request_size_sum") / row.number(f"{kind}_block_req_count")
    rest = mean - sum(size * weight for size, weight in weights.items())
    of_largest = 0.0 if largest == lowest else min(5.0, max(0.0, (rest - 5 * lowest) / (largest - lowest)))
    for size, weight in ((lowest, 5 - of_largest), (largest, of_largest)):
        weights[size] = weights.get(size, 0) + weight
    return [(size, round(weight, 4)) for size, weight in sorted(weights.items()) if weight >= 0.0001]


def share_of_hottest(row: Row, size: float) -> float:
    """The share of the writes to pages that goes to the hottest pages of so many bytes: an upper bound of what the hottest tracks of
    this size in all get, reached where hot pages lie side by side."""
    values = row.percentiles("write_page_popularity")
    pages = row.number("write_page_working_set_size") / PAGE
    asked = min(size / PAGE, pages)
    if asked > pages / 20:
        return 1 - _sum_of_lowest(values, pages, pages - asked)
    return fitted_tail(values[-1], values[-2], pages, 1 - _sum_of_lowest(values, pages, pages)).sum_to(asked)


def zipf_exponent(tracks: int, few: int, share: float) -> float:
    """With which the first `few` of so many ranks get this share of all."""

    def first_few(exponent: float) -> float:
        weights = [rank**-exponent for rank in range(1, tracks + 1)]
        return sum(weights[:few]) / sum(weights)

    if first_few(0) >= share:
        return 0.0
    return _bisected(1e-3, 10.0, lambda exponent: first_few(exponent) <= share)


@dataclass(frozen=True)
class Shape:
    """What the table does not hold. Shares that are None are estimated by share_of_hottest()."""

    track: int = 2 * 1024 * 1024  # bytes
    tracks: int = 100  # that are hot
    share: float | None = None  # of the requests, on the hot tracks
    few: int = 5  # of the hot tracks,
    few_share: float | None = None  # and their share of all requests
    run_length: int = 1  # hot tracks side by side
    drift_share: float = 0.0  # of the hot runs that others replace
    drift_writes: int = 20_000  # from one drift to the next
    exponential: bool = False  # gaps by their mean alone instead of by their percentiles
    write_share: float | None = None  # None: the published one


def _rows(rows: Iterable[tuple[float, float]], digits: int = 4) -> str:
    return "[" + ", ".join(f"[{a:.{digits}f}, {b:.3f}]" if isinstance(a, float) else f"[{a}, {b:g}]" for a, b in rows) + "]"


def _arrivals(row: Row, exponential: bool) -> str:
    if exponential:
        return f'law = "exponential"\nmean = "{WEEK_US / row.number("block_req_count"):.3f} us"  # the requests over a week\n'
    gaps = [(float(percent), value) for percent, value in gap_rows(row)]
    return f'law = "table"\ngaps = {_rows(gaps, 6)}  # published up to 95 %; above, fitted to the largest and to the mean over a week\n'


def hot_shares(row: Row, shape: Shape) -> tuple[float, float]:
    """The shares of the writes on the hot tracks and on the few hottest of them."""
    estimate, estimate_few = (share_of_hottest(row, count * shape.track) for count in (shape.tracks, shape.few))
    share = estimate if shape.share is None else shape.share
    few = share * estimate_few / estimate if shape.few_share is None else shape.few_share
    return max(share, few), few


def description(row: Row, shape: Shape = Shape()) -> str:
    """The workload as a file of `tessera-sim --workload`. Raises InputError."""
    share, few = hot_shares(row, shape)
    writes = row.number("write_block_req_split") if shape.write_share is None else shape.write_share
    written = row.number("write_page_working_set_size")
    range_bytes = int(row.number("range")) // PAGE * PAGE
    extents = int(max(1, min(written - shape.tracks * shape.track, range_bytes - shape.track) // shape.track))
    estimated = "" if shape.share is not None else " (estimated: the hottest pages, side by side)"
    return (
        f'summary = "{row.name}: synthetic, by its published statistics"\n'
        f'limits = "synthetic: counts, sizes, gaps, range and distinct pages as published for {row.name}; which pages lie side by side '
        f'and when they are hot is not: {shape.tracks} hot tracks in runs of {shape.run_length}"\n'
        'law = "hot-tracks"\nreads = "uniform"\n'
        f"requests = {int(row.number('block_req_count'))}\n"
        f"write_share = {writes:.6f}\n"
        f'range = "{range_bytes} B"\nalignment = "4 KiB"\n'
        f"sequential_share = {row.number('write_seq_count') / row.number('write_block_req_count'):.6f}\n"
        f"read_sequential_share = {row.number('read_seq_count') / row.number('read_block_req_count'):.6f}\n"
        f'extents = {extents}  # of a track each: the distinct pages written beside the hot tracks\nextent = "{shape.track} B"\n'
        f"write_sizes = {_rows(size_rows(row, 'write'))}\nread_sizes = {_rows(size_rows(row, 'read'))}\n"
        f'[hot]\ntrack = "{shape.track} B"\ntracks = {shape.tracks}\nshare = {share:.4f}{"  #" + estimated if estimated else ""}\n'
        f"exponent = {zipf_exponent(shape.tracks, shape.few, few / share):.3f}  # the hottest {shape.few} take {few / share:.2f} of that\n"
        f"run_length = {shape.run_length}\ndrift_writes = {shape.drift_writes}\ndrift_share = {shape.drift_share}\n"
        f"[arrivals]\n{_arrivals(row, shape.exponential)}"
    )
