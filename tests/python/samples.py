"""Where the built programs are, and small run folders to read."""

import json
import os
from pathlib import Path

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = (REPOSITORY / os.environ.get("TESSERA_BUILD", "build/release")).resolve()

REQUEST_TYPE = np.dtype(
    [("number", "<u8"), ("lba", "<u8"), ("blocks", "<u4"), ("op", "<u2"), ("status", "<u2")]
    + [(name, "<u8") for name in ("arrival", "issue", "completion", "link", "seek")]
)


def requests_of(latencies_ms, op=1):
    """A log of requests with these latencies, all writes."""
    made = np.zeros(len(latencies_ms), REQUEST_TYPE)
    made["op"] = op
    made["arrival"] = 10**12
    made["completion"] = 10**12 + (np.array(latencies_ms) * 1e9).astype(np.uint64)
    return made


def metric(value, unit="1"):
    return {"value": value, "unit": unit, "description": ""}


def write_run(folder: Path, metrics: dict, requests: np.ndarray | None = None, run: dict | None = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "summary.json").write_text(json.dumps({"schema": 1, "run": run or {}, "metrics": metrics}))
    if requests is not None:
        np.save(folder / "requests.npy", requests)
    return folder
