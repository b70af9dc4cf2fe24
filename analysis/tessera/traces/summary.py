"""What is in a trace."""

import json
from pathlib import Path
from typing import Any

from tessera.engine.simulator import ask_simulator
from tessera.traces.measures import measures
from tessera.traces.table import read_trace, reading_words


def describe(trace: str | Path, *, format: str | None = None, volume: str | None = None, limit: int | None = None) -> dict[str, Any]:
    """Counts, sizes, footprint and updates of a trace as `tessera-sim describe` tells them, and under `measures` its working set, reuse
    distances, overwriting, order and bursts. Raises InputError where it cannot be read.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("1,hm,0,Write,0,8192,1\\n2,hm,0,Read,4096,4096,1\\n")
    ...     file.flush()
    ...     found = describe(file.name)
    >>> found["requests"], found["measures"]["working_set_bytes"], found["measures"]["read_after_write_share"]
    (2, 8192, 1.0)
    """
    words = reading_words(format, volume, limit)
    summary = json.loads(ask_simulator(["describe", trace, *words, "--json"]))
    return {**summary, "measures": measures(read_trace(trace, format=format, volume=volume, limit=limit))}
