"""The margin within which figures are equal in practice, as a user gives it."""

from tessera.errors import InputError
from tessera.evidence.family import MOST_PERCENT


def percent_of(value: object, name: str = "--margin") -> float:
    """
    >>> percent_of(60)
    Traceback (most recent call last):
    tessera.errors.InputError: --margin: expected a percentage above 0 and up to 50, found 60
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= MOST_PERCENT:
        raise InputError(f"{name}: expected a percentage above 0 and up to {MOST_PERCENT:g}, found {value!r}")
    return float(value)
