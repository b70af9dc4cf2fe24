"""Bit errors of the DRAM: what ECC corrects changes nothing but time, what it cannot correct costs that sector, or a restart."""

import json

import pytest
from nbd import FUA, Served
from simulate import LAYERS, run, simulate
from test_array import VOLATILE, array_file, drives, run_array, value

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


def drive_with_errors(folder, *milliseconds):
    """Every word of vguard's tables, which lie after host and staging buffer, at these times."""
    rows = [[at, address, 2] for at in milliseconds for address in range(3 << 20, (3 << 20) + (200 << 10), 8)]
    drive = folder / "drive.toml"
    drive.write_text(f'extends = "torture"\n[dram]\nbit_errors = {json.dumps(rows)}\n')
    return drive


def test_an_error_in_a_table_before_the_drive_first_answers_delays_it_alone(tmp_path):
    drive = drive_with_errors(tmp_path, 0.0001)
    result = run(tmp_path / "out", drive, "--layer", "vguard", "--workload", "random-4k", "--fold", "--limit", 20, "--check", "--events")
    assert (tmp_path / "out" / "events.csv").read_text().splitlines()[1].split(",")[1] == "firmware_restart"
    assert result.metric("recovery.restarts_by_memory_error") == 1


def of_an_array(drive):
    return f'[[drive]]\ndescription = "{drive}"\nlayer = "vguard"\n'


def test_the_firmware_of_a_drive_of_an_array_restarts_and_the_host_waits_for_it(tmp_path):
    drive = drive_with_errors(tmp_path, 0.0001, 200)
    metrics, _ = run_array(tmp_path / "out", array_file(tmp_path, "mirror", of_an_array(drive), drives(1)))
    assert value(metrics, "host.failed") == value(metrics, "scoreboard.errors") == value(metrics, "array.rows_differing") == 0
    of_drive = json.loads((tmp_path / "out" / "drive-0" / "summary.json").read_text())["metrics"]
    assert value(of_drive, "recovery.restarts_by_memory_error") == 2


def test_an_array_refuses_errors_that_make_a_volatile_cache_forget_what_the_host_cannot_know(tmp_path):
    drive = drive_with_errors(tmp_path, 200)
    file = array_file(tmp_path, "mirror", of_an_array(drive), VOLATILE, drives(1))
    assert "errors of the DRAM restart the firmware of drive 0" in simulate("array", file, "--plan", status=2).stderr


def test_the_firmware_of_a_served_drive_restarts_and_keeps_what_was_acknowledged(tmp_path):
    out = tmp_path / "out"
    with Served(tmp_path, drive_with_errors(tmp_path, 0.0001, 100), "--layer", "vguard", "--out", out, "--events") as served:
        client, kept = served.connect(), 0
        with pytest.raises(ConnectionError):
            for kept in range(200):
                client.write(4096 * kept, bytes([kept]) * 4096, FUA)
        served.said("the drive serves again")
        client = served.connect()
        assert [client.read(4096 * block, 4096) == bytes([block]) * 4096 for block in range(kept)] == [True] * kept
    assert served.status == 0
    said = served.log.read_text()
    assert said.count("an error of the DRAM restarts the firmware") == 2 and "0 power cuts" in said
    summary = json.loads((out / "summary.json").read_text())
    assert (summary["run"]["restarts"], summary["run"]["power_cuts"]) == (1, 0)
    assert [line.split(",")[1] for line in (out / "events.csv").read_text().splitlines()[1:]].count("firmware_restart") == 1
