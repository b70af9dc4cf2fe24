"""The glossary of metrics, from the summaries of real runs: name, unit and description as the simulator declares them."""

import re
from collections.abc import Iterable

from tessera.run_folder import Run

HEAD = """# Metrics

Made by `./dev reference` from short runs of every layer; a test holds it against them.
Counts are of the measured part of a run: from the end of boot, or of the warm-up, to the end of the drain. Undefined is null, never 0.

| metric | unit | meaning |
|---|---|---|
"""


def generic(name: str) -> str:
    """Dies and channels are numbered; one line serves them all."""
    return re.sub(r"\.\d+\.", ".N.", name)


def glossary(runs: Iterable[Run]) -> str:
    lines = {}
    for run in runs:
        for name, metric in run.summary["metrics"].items():
            lines.setdefault(generic(name), f"| `{generic(name)}` | {metric['unit']} | {metric['description']} |")
    return HEAD + "\n".join(lines[name] for name in sorted(lines)) + "\n"
