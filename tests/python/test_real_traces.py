"""Real traces on every layer: every request served, every read right. Whole, unless TESSERA_TRACE_REQUESTS says how many requests of
each: under the sanitizers a whole one takes minutes a layer."""

import json
import os
from pathlib import Path

import pytest
from samples import REPOSITORY
from simulate import LAYERS, simulate

TRACES = Path(os.environ.get("TESSERA_TRACES", REPOSITORY.parent / "shared" / "traces"))
MOST_REQUESTS = int(os.environ.get("TESSERA_TRACE_REQUESTS", 10**9))

pytestmark = pytest.mark.skipif(not TRACES.is_dir(), reason=f"no traces in {TRACES}; name their folder in TESSERA_TRACES")


@pytest.mark.parametrize(
    ("trace", "requests", "options"),
    [
        ("msr/web_0_first100k.csv.xz", 100_000, ("--fold",)),
        ("msr/web_3.csv.xz", 31_380, ("--fold",)),
        ("cloudphysics/sample_2h.vscsi.xz", 113_872, ()),
        ("hp/cello2003_1h.csv.xz", 43_000, ("--fold",)),
        ("msps/dtrs_5min.ascii.xz", 127_043, ("--format", "ascii:us", "--fold")),
    ],
    ids=lambda value: Path(value).name.split(".")[0] if isinstance(value, str) else "",
)
def test_every_request_is_served_and_every_read_is_right(tmp_path, trace, requests, options):
    requests = min(requests, MOST_REQUESTS)
    simulate("compare", "bare", "--layers", "all", "--trace", TRACES / trace, *options, "--limit", requests, "--check", "--out", tmp_path)
    runs = json.loads((tmp_path / "compare.json").read_text())["runs"]
    assert runs["layer"] == list(LAYERS)
    assert runs["scoreboard.errors"] == [0] * len(LAYERS)
    assert min(runs["scoreboard.checked"]) > 0
    assert runs["host.failed"] == [0] * len(LAYERS)
    # A fold cuts a request that lies over the drive's end in two.
    assert all(requests <= served <= requests + (10 if options else 0) for served in runs["host.served"])
