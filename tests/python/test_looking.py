"""Nothing that looks moves what it looks at: checks, recordings and files of a run leave its figures as they are, from used caches too."""

import pytest
from simulate import LAYERS, run

from tessera.results.sameness import differences

# What is known of destroyed host data alone, which is kept for --check.
OF_CONTENT = ("media.damaged_reads",)
LOOKERS = {
    "check": ("--check",),
    "waves": ("--vcd", "waves.vcd", "--record-trigger", "latency>1ms"),
    "timeline": ("--timeline", "run.json", "--record-window", "0s:2s"),
    "files": ("--requests", "--events", "--places", "--intervals", "500 requests", "--percentiles", "42"),
    "protocol": ("--check-protocol",),
}
SHORT = ("--workload", "web-server", "--fold", "--seed", 5)
USED = ("--caches", "used", "--prefill", 100)


def words_of(looker, folder):
    return [folder / word if word.endswith((".vcd", ".json")) else word for word in LOOKERS[looker]]


def moved(one, other):
    return [line for line in differences(one, other, figures_only=True) if not line.startswith(OF_CONTENT)]


@pytest.mark.parametrize("layer", LAYERS)
def test_no_looker_moves_a_run_from_used_caches(layer, tmp_path):
    drive = ("torture", "--layer", layer, *SHORT, *USED, "--limit", 600)
    alone = run(tmp_path / "alone", *drive)
    for looker in LOOKERS:
        looked_at = run(tmp_path / looker, *drive, *words_of(looker, tmp_path))
        assert moved(alone, looked_at) == [], looker


def test_a_check_does_not_move_the_boot_of_a_drive_whose_slots_were_prefilled(tmp_path):
    """On larger drives prefilled slots lie in the reach of the head that wrote the newest ones."""
    drive = ("demo", "--layer", "sblock", *SHORT, "--caches", "used", "--limit", 3000)
    alone = run(tmp_path / "alone", *drive)
    assert alone.metric("recovery.cpu") > 0
    assert moved(alone, run(tmp_path / "checked", *drive, "--check")) == []


@pytest.mark.parametrize("layer", LAYERS)
def test_recordings_and_files_do_not_move_what_comes_after_a_cut(layer, tmp_path):
    """The sweep of --check after a cut is a part of the run (docs/guide/power-cuts.md): here all runs have it."""
    drive = ("torture", "--layer", layer, *SHORT, *USED, "--limit", 400, "--check", "--cut-at", "200 ms", "--cut-at", "900 ms")
    alone = run(tmp_path / "alone", *drive)
    for looker in ("waves", "files", "protocol"):
        looked_at = run(tmp_path / looker, *drive, *words_of(looker, tmp_path))
        assert moved(alone, looked_at) == [], looker
