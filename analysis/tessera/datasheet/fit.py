"""Chooses what a data sheet does not print so that the figures that it prints come out."""

import math
from collections.abc import Callable, Sequence
from typing import Protocol

from tessera.datasheet.description import ROOM, Design
from tessera.datasheet.figures import AVERAGE_SEEK, TOLERANCE, Sheet
from tessera.errors import InputError
from tessera.results.human import time

CLOSE = TOLERANCE / 3          # of the figure: what runs of other seeds leave of the tolerance
LONGEST_AGE, SHORTEST_AGE = 2.0, 0.02  # s
SHORTEST_SEEK, LONGEST_SEEK = 0.0025, 0.040  # s on average: no disk that was sold is faster (Savvio 15K.3, 2.5 inches: 2.6 ms) or slower
STEPS = 12
DEPTHS = range(1, 2049)        # of destaging
FITTING = 6                    # rounds of tracks for a capacity
EAGER = 1 + TOLERANCE * 2 / 3  # of the random reads, where random writes need shorter seeks
SLOWER = ("shortest_positioning", "c_look", "first_come")


class Rates(Protocol):
    """What is measured: runs of the simulator, or a stand-in."""

    def held(self, design: Design) -> float: ...

    def stream(self, design: Design, inside: bool) -> float: ...

    def reads_per_second(self, design: Design) -> float: ...

    def writes_per_second(self, design: Design) -> float: ...


def design_of(sheet: Sheet, rates: Rates) -> Design:
    """Raises InputError where no drive has the figures of the sheet, with those that contradict each other."""
    seek = sheet.average_seek if sheet.average_seek is not None else AVERAGE_SEEK
    design = _with_rates(_with_room(Design(sheet, seek, sheet.outer, sheet.inner_or_half, age_limit=LONGEST_AGE), rates), rates)
    design = _with_room(design, rates)
    if sheet.random_reads is not None:
        design = _with_seek(design, rates, sheet.random_reads) if sheet.average_seek is None else _with_queue(design, rates)
    if not sheet.write_cache:
        return _without_cache(design, rates)
    if sheet.random_writes is None or sheet.recording == "shingled":
        return design
    destaged = _with_destage(design, rates)
    if sheet.average_seek is None and rates.writes_per_second(destaged) < (1 - TOLERANCE) * sheet.random_writes:
        destaged = _with_destage(_with_shorter_seeks(design, rates), rates)
    return _reaching(destaged, rates)


def _with_room(design: Design, rates: Rates) -> Design:
    """Tracks for what the layer keeps of the platters: guards, top tracks that hold less, caches. A conventional one keeps spares alone."""
    wanted = design.sheet.sectors * design.sheet.sector
    for _ in range(FITTING if design.kind.layer != "cmr" else 0):
        held = rates.held(design)
        if 1 <= held / wanted <= ROOM:
            break
        design = design.but(room=design.room * wanted / held * (1 + ROOM) / 2)
    return design


def _with_rates(design: Design, rates: Rates) -> Design:
    """What steps between surfaces and serpents take of a stream, tracks make good."""
    outer = design.outer * design.sheet.outer / rates.stream(design, inside=False)
    inner = design.inner * (design.sheet.inner / rates.stream(design, inside=True) if design.sheet.inner is not None else outer / design.outer)
    return design.but(outer=outer, inner=inner)


def _with_seek(design: Design, rates: Rates, wanted: float) -> Design:
    """An average seek that gives so many random reads."""
    sheet = design.sheet
    fastest, slowest = design.but(seek=SHORTEST_SEEK), design.but(seek=LONGEST_SEEK)
    if (most := rates.reads_per_second(fastest)) < (1 - TOLERANCE) * wanted:
        raise _contradict(f"{wanted:g} random reads per s at depth {sheet.depth} and {sheet.rpm:g} rpm: seeks of {time(SHORTEST_SEEK)} on average, shorter than any disk's, give {most:.3g}")
    if (least := rates.reads_per_second(slowest)) > (1 + TOLERANCE) * wanted:
        raise _contradict(f"{wanted:g} random reads per s at depth {sheet.depth} and {sheet.rpm:g} rpm: seeks of {time(LONGEST_SEEK)} on average give {least:.3g}")
    seek = _bisect(lambda each: -rates.reads_per_second(design.but(seek=each)), SHORTEST_SEEK, LONGEST_SEEK, -wanted)
    return design.but(seek=seek, found=(f"Seeks: {time(seek)} on average, from the random reads: the sheet prints none.",))


def _with_shorter_seeks(design: Design, rates: Rates) -> Design:
    """Seeks that no figure of the sheet forbids, for its random writes."""
    sheet = design.sheet
    if sheet.random_reads is not None:
        return _with_seek(design, rates, EAGER * sheet.random_reads)
    deepest = design.but(destage_depth=DEPTHS[-1])
    seek = _bisect(lambda each: -rates.writes_per_second(deepest.but(seek=each)), SHORTEST_SEEK, design.seek, -(sheet.random_writes or 0.0))
    return design.but(seek=seek, found=(f"Seeks: {time(seek)} on average, from the random writes: the sheet prints neither seeks nor random reads.",))


def _with_queue(design: Design, rates: Rates) -> Design:
    """An order of commands that gives the random reads with the seeks of the sheet."""
    sheet = design.sheet
    wanted = sheet.random_reads or 0.0
    most = rates.reads_per_second(design)
    if most < (1 - TOLERANCE) * wanted:
        raise _contradict(
            f"{wanted:g} random reads per s at depth {sheet.depth}, an average seek of {time(design.seek)} and {sheet.rpm:g} rpm: the best order of {sheet.depth} commands gives {most:.3g}"
        )
    if abs(most / wanted - 1) <= CLOSE:
        return design
    for order in SLOWER:
        least = rates.reads_per_second(design.but(scheduling=order, age_limit=SHORTEST_AGE))
        if least <= wanted:
            age = _bisect(lambda each: rates.reads_per_second(design.but(scheduling=order, age_limit=each)), SHORTEST_AGE, LONGEST_AGE, wanted)  # noqa: B023
            return design.but(scheduling=order, age_limit=age)
        if least <= (1 + CLOSE) * wanted:
            return design.but(scheduling=order, age_limit=SHORTEST_AGE)
    raise _contradict(
        f"{wanted:g} random reads per s at depth {sheet.depth}, an average seek of {time(design.seek)} and {sheet.rpm:g} rpm: commands in the order in which they come give {least:.3g}"
    )


def _with_destage(design: Design, rates: Rates) -> Design:
    """So many destages at once that random writes are as fast as the sheet says: what the memory of a drive acknowledges and how long it may
    keep it, no sheet prints."""
    sheet = design.sheet
    wanted = sheet.random_writes or 0.0
    deepest = design.but(destage_depth=DEPTHS[-1])
    if rates.writes_per_second(deepest) < wanted:
        return deepest
    best = _first(DEPTHS, lambda depth: rates.writes_per_second(design.but(destage_depth=depth)) >= wanted)
    near = [design.but(destage_depth=depth) for depth in (best - 1, best) if depth in DEPTHS]
    near += [design.but(write_cache=0)] if best == DEPTHS[0] else []
    return min(near, key=lambda each: abs(math.log(rates.writes_per_second(each) / wanted)))


def _reaching(design: Design, rates: Rates) -> Design:
    """The design, if its random writes are the sheet's."""
    sheet = design.sheet
    wanted, reached = sheet.random_writes or 0.0, rates.writes_per_second(design)
    if reached < (1 - TOLERANCE) * wanted:
        raise _contradict(f"{wanted:g} random writes per s at depth {sheet.depth}, {_seeks(design)} and {sheet.rpm:g} rpm: the best order of {DEPTHS[-1]:,} cached writes gives {reached:.3g}")
    if reached > (1 + TOLERANCE) * wanted:
        raise _contradict(f"{wanted:g} random writes per s at depth {sheet.depth}, {_seeks(design)} and {sheet.rpm:g} rpm: without a cache there are {reached:.3g}")
    return design


def _without_cache(design: Design, rates: Rates) -> Design:
    """Random writes that the queue alone orders."""
    design, sheet = design.but(write_cache=0), design.sheet
    if sheet.random_writes is None:
        return design
    reached = rates.writes_per_second(design)
    if abs(reached / sheet.random_writes - 1) > TOLERANCE:
        order = f"the order of {sheet.depth} commands" if sheet.depth > 1 else "one command at a time"
        raise _contradict(
            f"{sheet.random_writes:g} random writes per s at depth {sheet.depth} without a write cache, {_seeks(design)} and {sheet.rpm:g} rpm: {order} gives {reached:.3g}"
            + (" (drives that print more acknowledge from memory that survives a power loss: leave out --no-write-cache)" if reached < sheet.random_writes else "")
        )
    return design


def _seeks(design: Design) -> str:
    return f"seeks of {time(design.seek)} on average"


def _contradict(sentence: str) -> InputError:
    return InputError(f"figures of the sheet contradict each other: {sentence}")


def _bisect(rising: Callable[[float], float], low: float, high: float, wanted: float) -> float:
    """Where a rising function has a value, between two arguments above 0, as near as CLOSE or as STEPS halvings come."""
    for _ in range(STEPS):
        middle = math.sqrt(low * high)
        found = rising(middle)
        if abs(found / wanted - 1) <= CLOSE / 2:
            return middle
        low, high = (middle, high) if found < wanted else (low, middle)
    return math.sqrt(low * high)


def _first(among: Sequence[int], enough: Callable[[int], bool]) -> int:
    """The first of ascending numbers that is enough; the last one is."""
    low, high = among[0], among[-1]
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low
