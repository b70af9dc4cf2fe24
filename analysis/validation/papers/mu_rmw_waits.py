"""What the longest wait of MU-RMW is made of: the band's two passes, the pages that are read and the blocks that are erased."""

from validation.papers.lab import Grid, Variant
from validation.papers.measures import longest, rmws
from validation.papers.page import Figure, figure_tables

NEXT_TO_NOTHING = "0.01 ms"
READS, ERASES = {"nand__read_time": NEXT_TO_NOTHING}, {"nand__erase_time": NEXT_TO_NOTHING}
VARIANTS = {
    "pore": Variant("pore"),
    "mu-rmw": Variant("mu-rmw"),
    f"mu-rmw, pages read in {NEXT_TO_NOTHING}": Variant("mu-rmw", READS),
    f"mu-rmw, blocks erased in {NEXT_TO_NOTHING}": Variant("mu-rmw", ERASES),
    "mu-rmw, both": Variant("mu-rmw", READS | ERASES),
}
FIGURES = (Figure("longest s", lambda run: longest(run) / 1000, of_response=True), Figure("RMWs", rmws, 0))


def parts(grid: Grid) -> list[str]:
    """The tables; none without the histograms."""
    return figure_tables(grid, FIGURES) if grid else []
