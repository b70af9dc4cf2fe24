"""Block traces: what is in one, and its records."""

from tessera.trace.summary import describe
from tessera.trace.table import read_trace

__all__ = ["describe", "read_trace"]
