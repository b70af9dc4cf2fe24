"""A trace by the name that people have for it."""

from pathlib import Path

_PACKED = (".xz", ".gz", ".zst", ".bz2", ".lz4")
ENDINGS = (*_PACKED, ".csv", ".toml")


def stem(name: str) -> str:
    """A trace's or workload's name without folder and endings.

    >>> stem("../traces/msr/web_3.csv.xz"), stem("sample"), stem("a.b.csv")
    ('web_3', 'sample', 'a.b')
    """
    short = Path(name).name
    for ending in _PACKED:
        short = short.removesuffix(ending)
    return Path(short).stem if Path(short).suffix else short
