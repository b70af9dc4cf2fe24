"""Figures of the studies' tables."""


def three_digits(value: float) -> str:
    """Three digits that count.

    >>> [three_digits(value) for value in (9948.2, 148.4, 38.24, 5.1697, 0.0706)]
    ['9,948', '148', '38.2', '5.17', '0.071']
    """
    return f"{value:,.{0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3}f}"
