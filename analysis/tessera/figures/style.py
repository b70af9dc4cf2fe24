"""One look for all pictures: what a colour means is the same in each."""

import colorsys
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, count

from tessera.errors import unknown_name
from tessera.results.families import FAMILIES

# Okabe and Ito's palette stays apart for every common kind of colour blindness; dashes and markers tell curves apart in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D1F", "#5B5B8C")
MORE_COLOURS = (  # of curves beyond those; all as dark as a thin line has to be
    "#6A3D9A", "#7F3C2E", "#00695C", "#1B4F72", "#B0306A", "#4D4D4D", "#7A8B00", "#C0392B", "#2E8B8B", "#A67C52", "#3F2E7F", "#5F7F3F", "#8B5A8B", "#000000", "#B8860B", "#2F6FDE",
)  # fmt: skip
MUTED = "#8a8a8a"
FEW_SHADES = 20  # have an edge, so that one narrower than a dot is seen; more would be all edge
DASHES = ("solid", "dashed", "dashdot", "dotted")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
Look = tuple[str, str, str]

# Parts of a stack by what they are: one colour for one meaning, and one hue for one device.
MEANINGS = {
    "seek": "#0072B2", "disk: seek": "#0072B2", "rotation": "#56B4E9", "transfer": "#009E73", "disk: read": "#009E73", "disk: write": "#D55E00",
    "disk: idle": "#B8B8B8", "disk": "#0072B2", "media queue": "#B3CDE3", "background wait": "#4D4D4D", "cleaning": "#E69F00", "backup": "#7F3C2E",
    "flash": "#CC79A7", "flash: read": "#E6CBDD", "flash: program": "#CC79A7", "flash: erase": "#6A3D9A", "flash queue": "#D9A5C5",
    "DRAM": "#F0E442", "dram": "#F0E442", "copy": "#FDBF6F", "host": "#1B4F72", "host queue": "#1B4F72", "link": "#40C4AA", "cpu": "#8C6D1F",
    "cpu wait": "#C9B27C", "lock": "#A6D96A", "descriptors": "#5B5B8C", "registers": "#B8B8B8", "error recovery": "#FF4D4D", "outage": "#000000",
    "disk: idle_a": "#969696", "disk: idle_b": "#757575", "disk: idle_c": "#565656", "disk: standby": "#383838", "disk: laser": "#E69F00", "disk: recovery": "#FF4D4D",
    "platters: data": "#0072B2", "platters: bands": "#56B4E9", "platters: log": "#E69F00", "platters: cache": "#009E73", "platters: backup": "#7F3C2E",
    "platters: buffer": "#D55E00", "platters: conventional": "#1B4F72", "platters: map": "#F0E442", "platters: merge": "#A6D96A", "platters: moves": "#6A3D9A",
    "platters: places": "#8C6D1F",
    "own work": "#0072B2", "other requests": "#B3CDE3", "read-modify-write": "#D55E00", "checkpoint": "#6A3D9A", "moves of tracks": "#009E73",
    "destage": "#CC79A7", "read-ahead": "#56B4E9", "recovery": "#FF4D4D", "background work": "#4D4D4D", "waits for tags": "#1B4F72",
    "waits at the flash": "#8C6D1F",
    "platters: checkpoint": "#4D4D4D", "platters: journal": "#FDBF6F", "platters: spares": "#B8B8B8",
}  # fmt: skip
HATCHES = ("", "////", "....", "xxxx", "----", "\\\\\\\\", "++++", "oooo", "||||")  # of the parts of a stack on paper, which may be grey
LAYERS = [layer for members in FAMILIES.values() for layer in members]
OTHERS = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#B8B8B8", "#6A3D9A", "#F0E442", "#1B4F72", "#A6D96A", "#7F3C2E",
    "#B3CDE3", "#4D4D4D", "#FDBF6F", "#00695C", "#D9A5C5",
)  # fmt: skip


@dataclass(frozen=True)
class Sheet:
    """What a picture is drawn on. Lengths in inches, text in points."""

    width: float = 7.2
    height: float = 4.4
    row: float = 0.42
    """Of a bar, or of a row of cells."""
    text: float = 9
    small: float = 7.5
    """Figures in cells and at bars."""
    family: str = "sans-serif"
    dpi: int = 150
    endings: tuple[str, ...] = ("png", "svg")
    """Of the pictures in a folder."""
    paper: bool = False
    """Whether a caption comes with it, which has the title, and it may be printed in grey."""

    @property
    def characters(self) -> int:
        """Of a line as wide as the sheet."""
        return int(self.width * 72 / (0.56 * self.text))


PAGE = Sheet()
SHEETS = {
    "paper-1col": Sheet(3.4, 2.4, 0.24, 8, 7, dpi=300, endings=("pdf", "png"), paper=True),
    "paper-2col": Sheet(7.0, 2.8, 0.26, 8, 7, dpi=300, endings=("pdf", "png"), paper=True),
}
FONTS = {"serif": ["STIXGeneral", "DejaVu Serif"], "sans-serif": ["DejaVu Sans"]}  # come with matplotlib: a picture is the same everywhere


def sheet_named(name: str | None) -> Sheet:
    """
    >>> sheet_named("paper-1col").width, sheet_named(None).width
    (3.4, 7.2)
    >>> sheet_named("paper-1")
    Traceback (most recent call last):
    tessera.errors.InputError: unknown style 'paper-1'; did you mean 'paper-1col'?
    """
    if name is None:
        return PAGE
    if name not in SHEETS:
        raise unknown_name("style", name, SHEETS)
    return SHEETS[name]


def look(index: int) -> Look:
    """Colour, dash and marker of a curve by its place; no two of the first 32 are alike."""
    turn = index // len(COLOURS)
    return COLOURS[index % len(COLOURS)], DASHES[(index + turn) % len(DASHES)], MARKERS[index % len(MARKERS)]


def part_colours(names: Iterable[str]) -> dict[str, str]:
    """The colour of each part: its meaning's; of one without, its name's, unless another part of the picture has that one.

    >>> part_colours(["rotation", "seek"])["seek"] == part_colours(["seek"])["seek"]
    True
    """
    names = list(names)
    if len(names) == 1 and names[0] not in MEANINGS:  # there is nothing to tell it from: the plainest
        return {names[0]: COLOURS[0]}
    found = {name: MEANINGS[name] for name in names if name in MEANINGS}
    for name in names:
        if name not in found:
            first = zlib.crc32(name.encode()) % len(OTHERS)
            taken = found.values()
            found[name] = next(colour for colour in chain(OTHERS[first:], OTHERS[:first], _more()) if colour not in taken)
    return found


def _more() -> Iterator[str]:
    """Colours without end, for the regions of a plug-in: each hue a golden section on from the last, so that neighbours differ."""
    for turn in count():
        red, green, blue = colorsys.hsv_to_rgb(0.618034 * turn % 1, 0.75, 0.85 - 0.2 * (turn % 3))
        yield f"#{round(255 * red):02X}{round(255 * green):02X}{round(255 * blue):02X}"


def curve_looks(names: Iterable[str]) -> dict[str, Look]:
    """The look of each curve: a layer's is its own in every picture, others go by their place. No two have one colour: of two layers with one, the
    later one in the list of layers has another here.

    >>> len({colour for colour, _, _ in curve_looks(LAYERS).values()}) == len(LAYERS)
    True
    """
    names = list(dict.fromkeys(names))
    layers = sorted((name for name in names if name.rstrip("*") in LAYERS), key=lambda name: LAYERS.index(name.rstrip("*")))
    found: dict[str, Look] = {}
    for name in [*layers, *(name for name in names if name not in layers)]:
        own = look(LAYERS.index(name.rstrip("*"))) if name in layers else None
        taken = {colour for colour, _, _ in found.values()}
        colour = own[0] if own and own[0] not in taken else next(each for each in chain(COLOURS, MORE_COLOURS, _more()) if each not in taken)
        _, dash, marker = own or look(len(found))
        if (dash, marker) in {each[1:] for each in found.values()}:
            dash, marker = next(((d, m) for m in MARKERS for d in DASHES if (d, m) not in {each[1:] for each in found.values()}), (dash, marker))
        found[name] = colour, dash, marker
    return {name: found[name] for name in names}
