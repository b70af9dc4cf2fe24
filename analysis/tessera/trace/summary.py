"""What `tessera-sim describe` tells of a trace."""

import json
from pathlib import Path
from typing import Any

from tessera.simulator import ask_simulator


def describe(trace: str | Path, *, format: str | None = None, volume: str | None = None, limit: int | None = None) -> dict[str, Any]:
    """Counts, sizes, footprint and updates of a trace, as nested values. Raises InputError where it cannot be read."""
    options = (("--format", format), ("--volume", volume), ("--limit", limit))
    words = [word for option, value in options if value is not None for word in (option, str(value))]
    return json.loads(ask_simulator(["describe", trace, *words, "--json"]))
