"""One look for all pictures."""

# Okabe and Ito's palette stays apart for every common kind of colour blindness; dashes and markers tell curves apart in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D1F", "#5B5B8C")
MUTED = "#8a8a8a"
FEW_SHADES = 20  # have an edge, so that one narrower than a dot is seen; more would be all edge
DASHES = ("solid", "dashed", "dashdot", "dotted")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
# Parts of a stack: light and dark in turn, so that neighbours differ in grey too.
PARTS = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#B8B8B8", "#6A3D9A", "#F0E442", "#1B4F72", "#A6D96A", "#7F3C2E",
    "#B3CDE3", "#4D4D4D", "#FDBF6F", "#00695C", "#D9A5C5",
)  # fmt: skip


def look(index: int) -> tuple[str, str, str]:
    """Colour, dash and marker of a curve by its place; no two of the first 32 are alike."""
    turn = index // len(COLOURS)
    return COLOURS[index % len(COLOURS)], DASHES[(index + turn) % len(DASHES)], MARKERS[index % len(MARKERS)]
