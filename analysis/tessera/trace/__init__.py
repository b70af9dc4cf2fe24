"""Block traces: what is in one."""

from tessera.trace.summary import describe

__all__ = ["describe"]
