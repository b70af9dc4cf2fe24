"""What a drive costs per terabyte that the user gets: the prices that a description has by default ([cost]), or others."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from tessera.errors import InputError, unknown_name

GIB = 1 << 30


def _price(name: str, text: str) -> float:
    """
    >>> _price("dram", "nan")
    Traceback (most recent call last):
    tessera.errors.InputError: --price: expected dram=PRICE, a number of 0 or more, found 'dram=nan'
    """
    try:
        price = float(text)
    except ValueError:
        price = math.nan
    if not (math.isfinite(price) and price >= 0):
        raise InputError(f"--price: expected {name}=PRICE, a number of 0 or more, found '{name}={text}'")
    return price


@dataclass(frozen=True)
class Prices:
    """In one currency: ratios between them are what matters. The defaults and their sources: platforms/drive/cost_config.hpp."""

    mechanics: float = 14.0
    """Of the platters, heads and electronics that hold a terabyte recorded conventionally."""
    dram: float = 3.0
    """Per GiB that the layer reserves."""
    flash: float = 0.1
    """Per GiB of a layer that uses it: flash that a layer leaves idle costs nothing."""

    @classmethod
    def of(cls, words: Sequence[str]) -> "Prices":
        """
        >>> Prices.of(["dram=4"]).dram
        4.0
        >>> Prices.of(["dramm=4"])
        Traceback (most recent call last):
        tessera.errors.InputError: unknown price 'dramm'; did you mean 'dram'?
        """
        names = [each.name for each in fields(cls)]
        given = {}
        for word in words:
            name, _, value = word.partition("=")
            if name not in names:
                raise unknown_name("price", name, names)
            given[name] = _price(name, value)
        return cls(**given)

    def text(self) -> str:
        return f"{self.mechanics:g} for a TB of conventional platters, {self.dram:g} per GiB of DRAM, {self.flash:g} per GiB of flash"

    def per_user_tb(self, row: Mapping[str, Any], flash_bytes: float) -> float | None:
        """Of a run. Denser recording needs fewer platters for a terabyte. None where the run does not say its capacity."""
        user, gain = row.get("capacity.user"), row.get("capacity.gain_vs_cmr")
        if not user or not gain:
            return None
        memories = self.dram * (row.get("dram.reserved.total") or 0) / GIB + self.flash * flash_bytes / GIB
        return self.mechanics / gain + memories / (user / 1e12)
