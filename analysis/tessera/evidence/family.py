"""Several comparisons that are read together are a family: its errors are bounded as a whole, and a difference that nobody would pay for is none."""

from collections.abc import Sequence

CONFIDENCE = 0.95  # of all comparisons of a family together
MARGIN = 1.05  # two figures within this factor of each other are equal in practice
EQUAL = f"{100 * (MARGIN - 1):.0f} %"


def pairs(count: int) -> int:
    """Comparisons of so many designs with each other.

    >>> pairs(2), pairs(8)
    (1, 28)
    """
    return count * (count - 1) // 2


def holm(p_values: Sequence[float]) -> list[float]:
    """p values of a family, each corrected so that the chance of one false finding in all stays as it is (Holm 1979): the smallest times
    their number, the next times one less, none below the one before it.

    >>> holm([0.01, 0.04, 0.03]), holm([])
    ([0.03, 0.06, 0.06], [])
    """
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = largest
    return corrected
