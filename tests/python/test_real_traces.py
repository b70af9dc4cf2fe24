"""Real traces, whole, on each layer: every request served, every read right."""

import os
from pathlib import Path

import pytest
from samples import REPOSITORY
from simulate import LAYERS, run

TRACES = Path(os.environ.get("TESSERA_TRACES", REPOSITORY.parent / "shared" / "traces"))

pytestmark = pytest.mark.skipif(not TRACES.is_dir(), reason=f"no traces in {TRACES}; name their folder in TESSERA_TRACES")


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize(
    ("trace", "requests"), [("msr/web_0_first100k.csv.xz", 100_000), ("cloudphysics/sample_2h.vscsi.xz", 113_872), ("msr/web_3.csv.xz", 31_380)]
)
def test_every_request_is_served_and_every_read_is_right(tmp_path, layer, trace, requests):
    fold = ("--fold",) if trace.startswith("msr/web_3") else ()
    result = run(tmp_path, "common", "--layer", layer, "--trace", TRACES / trace, *fold, "--check")
    assert result.metric("scoreboard.errors") == 0
    assert result.metric("scoreboard.checked") > 0
    assert result.metric("host.failed") == 0
    served = result.metric("host.served")
    # A fold cuts a request that lies over the drive's end in two.
    assert served == requests if not fold else requests <= served <= requests + 10
