"""Which resource was the limit: the utilisations of a run, the highest first."""

import re

from tessera.run_folder import Run

# Of what there is one; dies and channels of the flash are counted, and the busiest one counts.
RESOURCES = (
    ("media", r"disk_channel\.utilisation"),
    ("CPU", r"cpu\.utilisation"),
    ("flash die", r"nand\.die\.\d+\.utilisation"),
    ("flash channel", r"nand\.channel\.\d+\.utilisation"),
    ("bus", r"bus\.utilisation"),
    ("DRAM", r"dram\.utilisation"),
    ("link", r"link\.utilisation"),
)


def utilisations(run: Run) -> dict[str, float]:
    """Resource -> share of the measured time in which it was busy."""
    metrics = run.summary["metrics"]
    found = {}
    for name, pattern in RESOURCES:
        values = [entry["value"] for metric, entry in metrics.items() if re.fullmatch(pattern, metric) and entry["value"] is not None]
        if values:
            found[name] = max(values)
    return dict(sorted(found.items(), key=lambda item: -item[1]))
