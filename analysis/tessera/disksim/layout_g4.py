"""dm_layout_g4: a tree of repeated patterns, as compressed as its extractor could make it.

    TP     = three numbers per track pattern: lowest sector, highest sector, sectors that pass in a turn
    IDX    = a list per node, the last one the root; per entry: first block, cylinder, angle; blocks, cylinders and angle of one instance; blocks
             and cylinders of all (negative: towards the rim); TRACK, pattern, head or IDX, node
    Slips  = block and how many are slipped there (negative: spares that were not used up)
    Remaps = block, how many, cylinder, head, sector, sectors per turn
"""

from dataclasses import dataclass, field
from typing import cast

from tessera.disksim.geometry import Layout, Sector
from tessera.disksim.grammar import Block, Entry, Place
from tessera.disksim.keys import entry
from tessera.disksim.track_zones import Track, set_zones
from tessera.errors import InputError

TRACK, NODE = ("TRACK", "TP"), "IDX"
ENTRY = 8  # numbers of an entry in front of what it repeats
MOST_PARTS = 4  # of a track, that one tree may name
DEEPEST = 32  # nodes
MOST_CYLINDERS = 1 << 24


@dataclass(frozen=True)
class Pattern:
    low: int
    blocks: int
    turn: int


@dataclass(frozen=True)
class Repeat:
    block: int
    cylinder: int
    angle: float
    blocks_each: int
    cylinders_each: int
    angle_each: float
    blocks: int
    cylinders: int
    child: int
    head: int | None
    """Of a track; None: the child is a node."""


@dataclass
class Tree:
    patterns: list[Pattern]
    nodes: list[list[Repeat]]
    place: Entry
    limit: int
    surfaces: int
    tracks: list[Track] = field(default_factory=list)
    visits: int = 0


def read_g4(model: Block, surfaces: int, cylinders: int) -> Layout:
    index = entry(model, "IDX")
    patterns = _patterns(entry(model, "TP"))
    tree = Tree(patterns, [_node(row, index, len(patterns)) for row in _rows(index)], index, MOST_PARTS * surfaces * cylinders, surfaces)
    if not tree.nodes:
        raise InputError(f"{index.place}: 'IDX': expected a node at least")
    _expand(tree, len(tree.nodes) - 1, 0, 0, 0.0, [], None)
    tracks = _joined(tree)
    layout = Layout(surfaces, 0, [])
    _slip(tracks, model, layout)
    set_zones(layout, tracks, index)
    layout.remap(_remapped(model, tracks, layout))
    return layout


def _rows(found: Entry) -> list[list[object]]:
    if not isinstance(found.value, list) or not all(isinstance(row, list) for row in found.value):
        raise InputError(f"{found.place}: '{found.key}': expected a list of lists")
    return cast(list[list[object]], found.value)


def _numbers(model: Block, key: str, of_row: int) -> list[list[float]]:
    """A flat list as rows of as many numbers."""
    found = model.find(key)
    values = [] if found is None else found.value
    if found is None or not values:
        return []
    if not isinstance(values, list) or not all(isinstance(value, float) for value in values) or len(values) % of_row:
        raise InputError(f"{found.place}: '{key}': expected a list of numbers, {of_row} a row")
    return [values[begin : begin + of_row] for begin in range(0, len(values), of_row)]


def _patterns(found: Entry) -> list[Pattern]:
    rows = _numbers(Block("", "", found.place, {found.key: found}), found.key, 3)
    patterns = []
    for low, high, turn in rows:
        if not 0 <= low <= high < turn or turn > 16384:
            raise InputError(f"{found.place}: 'TP': sectors {low:g} to {high:g} of a track of {turn:g}")
        patterns.append(Pattern(int(low), int(high - low) + 1, int(turn)))
    return patterns


def _node(row: list[object], index: Entry, patterns: int) -> list[Repeat]:
    repeats = []
    at = 0
    while at < len(row):
        numbers, kind, child = row[at : at + ENTRY], row[at + ENTRY : at + ENTRY + 1], row[at + ENTRY + 1 : at + ENTRY + 3]
        is_track = bool(kind) and kind[0] in TRACK
        if kind and kind[0] != NODE and not is_track:
            raise InputError(f"{index.place}: 'IDX': expected TRACK or IDX as the ninth of an entry, found '{kind[0]}'")
        if len(child) < 1 + is_track or not all(isinstance(value, float) for value in [*numbers, *child[: 1 + is_track]]):
            raise InputError(f"{index.place}: 'IDX': an entry of {len(row) - at} values; expected eight numbers, TRACK, pattern and head, or IDX and node")
        block, cylinder, angle, blocks_each, cylinders_each, angle_each, blocks, cylinders = cast(list[float], numbers)
        which = int(cast(float, child[0]))
        if is_track and not 0 <= which < patterns:
            raise InputError(f"{index.place}: 'IDX': track pattern {which}, but 'TP' has {patterns}")
        if blocks_each < 1 or blocks < 1 or block < 0:
            raise InputError(f"{index.place}: 'IDX': {blocks:g} blocks in instances of {blocks_each:g}, from {block:g} on")
        head = int(cast(float, child[1])) if is_track else None
        repeats.append(Repeat(int(block), int(cylinder), angle, int(blocks_each), int(cylinders_each), angle_each, int(blocks), int(cylinders), which, head))
        at += ENTRY + 2 + is_track
    return repeats


def _expand(tree: Tree, node: int, first: int, cylinder: int, angle: float, open_: list[int], room: int | None) -> None:
    """Adds the tracks of a node whose first block is `first`, of at most `room` blocks."""
    if not 0 <= node < len(tree.nodes):
        raise InputError(f"{tree.place.place}: 'IDX': node {node}, but there are {len(tree.nodes)}")
    if node in open_:
        raise InputError(f"{tree.place.place}: 'IDX': node {node} is part of itself")
    tree.visits += 1
    if len(open_) > DEEPEST or tree.visits > tree.limit:
        raise InputError(f"{tree.place.place}: 'IDX': more than {DEEPEST} nodes deep, or more instances of nodes than parts of tracks")
    for repeat in tree.nodes[node]:
        blocks = repeat.blocks if room is None else min(repeat.blocks, room - repeat.block)
        for instance in range(-(-blocks // repeat.blocks_each)):
            moved = -instance if repeat.cylinders < 0 else instance
            begin, place = first + repeat.block + instance * repeat.blocks_each, cylinder + repeat.cylinder + moved * repeat.cylinders_each
            turned = angle + repeat.angle + instance * repeat.angle_each
            left = min(repeat.blocks_each, blocks - instance * repeat.blocks_each)
            if repeat.head is None:
                _expand(tree, repeat.child, begin, place, turned, [*open_, node], left)
            else:
                _add_track(tree, repeat, begin, place, turned, left)


def _add_track(tree: Tree, repeat: Repeat, first: int, cylinder: int, angle: float, room: int) -> None:
    pattern = tree.patterns[repeat.child]
    if not 0 <= cylinder < MOST_CYLINDERS or not 0 <= (repeat.head or 0) < tree.surfaces:
        raise InputError(f"{tree.place.place}: 'IDX': a track on cylinder {cylinder}, head {repeat.head}: expected 0 to {MOST_CYLINDERS - 1:,}, and the disk has {tree.surfaces} heads")
    if len(tree.tracks) >= tree.limit:
        raise InputError(f"{tree.place.place}: 'IDX': names more than {MOST_PARTS} parts of every track that the disk has")
    tree.tracks.append(Track(cylinder, repeat.head or 0, first, min(pattern.blocks, room), pattern.turn, angle + pattern.low / pattern.turn, pattern.low))


def _joined(tree: Tree) -> list[Track]:
    """In the order of their blocks, parts of one track that follow one another as one. Every block is on one track."""
    joined: list[Track] = []
    next_ = 0
    for track in sorted(tree.tracks, key=lambda found: found.first):
        if track.first != next_:
            what = "are on no track" if track.first > next_ else "are on two tracks"
            raise InputError(f"{tree.place.place}: 'IDX': blocks {min(next_, track.first)} to {max(next_, track.first) - 1} {what}")
        next_ += track.blocks
        if joined and (joined[-1].cylinder, joined[-1].head) == (track.cylinder, track.head):
            joined[-1].blocks += track.blocks
        else:
            joined.append(track)
    return joined


def _slip(tracks: list[Track], model: Block, layout: Layout) -> None:
    """Takes slipped blocks from the track that they are on, and gives unused spares back to the one that ends there."""
    rows = sorted((int(block), int(count)) for block, count in _numbers(model, "Slips", 2))
    at = 0
    for block, count in rows:
        while at + 1 < len(tracks) and tracks[at + 1].first <= block:
            at += 1
        owner = tracks[max(0, at - 1)] if count < 0 and tracks[at].first == block else tracks[at]
        owner.slipped += count
        owner.slips += [block] * count
    if odd := sum(not 0 <= track.slipped <= track.blocks for track in tracks):
        layout.lost.append(f"{entry(model, 'Slips').place}: {odd} tracks with more unused spares than they have slipped sectors, or the other way round; written as full, or empty")
    for track in tracks:
        track.slipped = min(max(0, track.slipped), track.blocks)


def _remapped(model: Block, tracks: list[Track], layout: Layout) -> list[tuple[Sector, Sector, Place]]:
    rows = _numbers(model, "Remaps", 6)
    if not rows:
        return []
    place = entry(model, "Remaps").place
    first = {(track.head, track.cylinder): track for track in reversed(tracks)}
    moved: list[tuple[Sector, Sector, Place]] = []
    at = 0
    for number, count, cylinder, head, sector, turn in sorted(rows):
        for block in range(int(number), int(number + count)):
            while at + 1 < len(tracks) and tracks[at + 1].first <= block:
                at += 1
            there, to = tracks[at], first.get((int(head), int(cylinder)))
            index = block - there.first - sum(slip < block for slip in there.slips)
            target = int(sector) + block - int(number)
            if to is not None and turn:
                target = (target - to.low) % int(turn) - to.slipped
            moved.append(((there.head, there.cylinder, index), (int(head), int(cylinder), target), place))
    return moved
