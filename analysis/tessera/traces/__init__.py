"""Block traces: what is in one, and its records."""

from typing import TYPE_CHECKING

from tessera.lazily import names_of

if TYPE_CHECKING:
    from tessera.traces.summary import describe
    from tessera.traces.table import read_trace

__all__ = ["describe", "read_trace"]

__getattr__ = names_of(__name__, summary=("describe",), table=("read_trace",))
