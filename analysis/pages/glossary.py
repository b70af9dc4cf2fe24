"""The glossary of metrics, from the summaries of real runs: name, unit and description as the simulator declares them."""

import re
from collections.abc import Iterable

from tessera.results.run_folder import Run

HEAD = """# Metrics

Made by `./dev reference` from short runs of every layer and a few more; a test holds it against them.
Counts are of the measured part of a run: from the end of boot, or of the warm-up, to the end of the drain. Undefined is null, never 0.

| metric | unit | meaning |
|---|---|---|
"""


def generic(name: str) -> str:
    """Dies and channels are numbered, and requests have many phases and causes; one line serves them all."""
    name = re.sub(r"^(host\.\w+\.(?:time|slowest))\.\w+$", r"\1.PHASE", re.sub(r"\.\d+\.", ".N.", name))
    return re.sub(r"^(host\.\w+\.(?:cause|slowest_cause)|disk_channel\.work)\.\w+$", r"\1.CAUSE", name)


def glossary(runs: Iterable[Run]) -> str:
    """A line a metric; where layers count something of their own under a common name, each meaning once. Raises ValueError where the
    units differ."""
    units, meanings = {}, {}
    for run in runs:
        for full_name, metric in run.summary["metrics"].items():
            name = generic(full_name)
            if units.setdefault(name, metric["unit"]) != metric["unit"]:
                raise ValueError(f"{name}: {run.folder} gives it in {metric['unit']}, a run before in {units[name]}")
            meaning = metric["description"].rpartition(": ")[0] if name.endswith((".PHASE", ".CAUSE")) else metric["description"]
            meanings.setdefault(name, {})[meaning] = None  # a dict keeps the order of the runs
    return HEAD + "".join(f"| `{name}` | {units[name]} | {' / '.join(meanings[name])} |\n" for name in sorted(units))
