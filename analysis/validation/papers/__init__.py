"""The papers' experiments on this platform: each figure that they print, beside what comes out here."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from types import ModuleType


class _Chapters(Mapping[str, ModuleType]):
    """Chapters by name, each imported when it is asked for."""

    _MODULES = {
        "mu-rmw": "mu_rmw", "interlaced": "interlaced", "mapping": "mapping", "amphisbaena": "amphisbaena", "hwsr": "hwsr", "league": "league",
        "pressure": "pressure", "interlaced-league": "league_interlaced",
    }  # fmt: skip

    def __getitem__(self, name: str) -> ModuleType:
        return import_module(f"validation.papers.{self._MODULES[name]}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._MODULES)

    def __len__(self) -> int:
        return len(self._MODULES)


CHAPTERS = _Chapters()
