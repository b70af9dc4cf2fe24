"""An operating system on a served drive: Linux in QEMU, without KVM (tests/guest; ./dev guest)."""

import os
import sys

import pytest
from nbd import Served
from samples import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tests" / "guest"))

from machine import missing  # noqa: E402
from story import VOLATILE, cut_in_the_middle, measured_latency  # noqa: E402

if MISSING := missing():
    assert not os.environ.get("TESSERA_STRICT"), f"no {', '.join(MISSING)}"  # in CI they are there
    pytest.skip(f"no operating system on a served drive is tested here: no {', '.join(MISSING)}", allow_module_level=True)

SCALE = 4  # so that the machine's own time is small next to the drive's


@pytest.mark.parametrize(("way", "layer"), [("nvme", "cmr"), ("vhost-user", "media-cache")])
def test_ext4_in_a_guest_keeps_what_was_synced_before_a_cut(tmp_path, way, layer):
    with Served(tmp_path, "common", "--layer", layer, *VOLATILE, "--pace", "real") as drive:
        (cut,) = cut_in_the_middle(tmp_path, drive, way)
    assert drive.status == 0
    assert cut.promised >= 3


def test_a_guest_sees_the_latency_that_is_simulated(tmp_path):
    for row in measured_latency(tmp_path, "virtio", "bare", "--layer", "cmr", requests=24, scale=SCALE):
        assert row.drive > SCALE * 4  # ms: seeks and half a turn
