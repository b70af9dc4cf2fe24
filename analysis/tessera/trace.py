"""Block traces: what is in one, and its records. (The public name of what is in `traces`.)"""

from typing import TYPE_CHECKING

import tessera.traces

if TYPE_CHECKING:
    from tessera.traces import describe, read_trace

__all__ = ["describe", "read_trace"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(tessera.traces, name)
