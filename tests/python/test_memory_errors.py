"""Bit errors of the DRAM: what ECC corrects changes nothing but time, what it cannot correct costs that sector, or a restart."""

import json

import pytest
from simulate import LAYERS, run, simulate

# A DRAM that is nearly full, so that most errors strike something, at 14 orders of magnitude more than in the field.
STORM = (
    *("--set", "dram.capacity=6 MiB", "--set", "host.buffer=1 MiB"),
    *("--set", "dram.bit_error_rate=1000000000000000", "--set", "dram.double_errors_per_thousand=200"),
)  # fmt: skip
# Of layers whose recoveries are long: fewer errors, of which some meet tables all the same.
LONG = ("hwsr", "media-cache", "sblock", "tessera", "tessera-imr")
FEWER = ("--set", "dram.bit_error_rate=200000000000000")


def storm(folder, layer, *more, requests=300):
    return run(
        folder, "torture", "--layer", layer, "--workload", "hot-tracks-clustered", "--replay", "closed:16", "--fold", "--limit", requests,
        "--check", "--requests", "--prefill", 50, *STORM, *(FEWER if layer in LONG else ()), *more,
    )  # fmt: skip


@pytest.mark.parametrize("layer", LAYERS)
def test_a_storm_of_bit_errors_brings_no_wrong_data(tmp_path, layer):
    result = storm(tmp_path, layer, "--cut-at", "300 ms", "--cut-at", "301 ms")
    assert result.metric("scoreboard.errors") == 0
    assert result.metric("host.failed") == result.metric("host.excused")
    assert result.metric("host.served") + result.metric("host.failed") >= 300
    assert result.metric("dram.ecc_corrected") > 10
    assert result.metric("dram.ecc_uncorrectable") >= result.metric("dram.lost_sectors") > 0
    assert result.metric("recovery.restarts") == result.metric("recovery.restarts_by_memory_error")
    assert not [note for note in result.summary["run"]["notes"] if "restarts that were asked for" in note]  # nobody asked for any


@pytest.mark.parametrize("durability", ("plp", "journal", "volatile"))
def test_tables_that_fail_restart_the_firmware_and_nothing_promised_is_lost(tmp_path, durability):
    for layer in ("cmr", "imr-dtm"):
        result = storm(
            tmp_path / layer, layer, "--set", f"firmware.write_cache.durability={durability}", "--set", "dram.double_errors_per_thousand=500",
            requests=1000,
        )  # fmt: skip
        assert result.metric("recovery.restarts_by_memory_error") > 0
        assert result.metric("scoreboard.errors") == 0
        assert result.metric("host.failed") == result.metric("host.excused")


def test_errors_that_ecc_corrects_cost_time_alone(tmp_path):
    single = ("--set", "dram.double_errors_per_thousand=0", "--set", "dram.bit_error_rate=10000000000000")
    result = storm(tmp_path / "errors", "imr-rmw", *single)
    assert result.metric("dram.ecc_corrected") > 10
    assert result.metric("dram.ecc_uncorrectable") == 0
    assert result.metric("host.failed") == 0
    slow = storm(tmp_path / "slow", "imr-rmw", *single, "--set", "dram.correction_time=10 ms")
    assert slow.metric("host.latency.mean") > result.metric("host.latency.mean")


def test_the_seed_alone_decides_about_bit_errors(tmp_path):
    def lives(folder, seed):
        storm(folder, "fluid", "--seed", seed)
        return (folder / "requests.npy").read_bytes()

    assert lives(tmp_path / "one", 3) == lives(tmp_path / "same", 3)
    assert lives(tmp_path / "one", 3) != lives(tmp_path / "other", 4)


def test_an_error_in_a_table_before_the_drive_first_answers_delays_it_alone(tmp_path):
    # Every word of the tables, which lie behind host and staging buffer, as the firmware formats the drive.
    rows = [[0.0001, address, 2] for address in range(3 << 20, (3 << 20) + (200 << 10), 8)]
    drive = tmp_path / "drive.toml"
    drive.write_text(f'extends = "torture"\n[dram]\nbit_errors = {json.dumps(rows)}\n')
    result = run(tmp_path / "out", drive, "--layer", "vguard", "--workload", "random-4k", "--fold", "--limit", 20, "--check", "--events")
    assert (tmp_path / "out" / "events.csv").read_text().splitlines()[1].split(",")[1] == "firmware_restart"
    assert result.metric("recovery.restarts_by_memory_error") == 1
    assert result.metric("host.served") == 20
    assert result.metric("scoreboard.errors") == 0


def test_a_row_that_is_no_bit_error_is_refused_and_named(tmp_path):
    for row, message in (
        ("[0, 0, 1]", "row 1: expected a time above 0 ms"),
        ("[1, 33554432, 1]", "row 1: expected an address below dram.capacity, 33554432"),
        ("[1, 0, 3]", "row 1: expected 1 or 2 wrong bits"),
    ):
        for command in (("check", "torture"), ("run", "torture", "--workload", "random-4k", "--out", tmp_path)):
            result = simulate(*command, "--set", f"dram.bit_errors=[{row}]", status=2)
            assert f"dram.bit_errors: {message}" in result.stderr
