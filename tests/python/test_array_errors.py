"""What a host is promised after errors of an array's drives: each cell of the table in docs/arrays.md."""

import json

import pytest
from simulate import simulate
from test_array import BY_HASH, SLOW, VOLATILE, array_file, drives, erasure, failure, run_array, value

KINDS = {
    "mirror": ("mirror", 3, ""),
    "raid10": ("raid10", 4, ""),
    "raid5": ("raid5", 4, ""),
    "raid6": ("raid6", 5, ""),
    "erasure": ("erasure", 7, erasure(3, 2, 0)),
    "erasure on spare places": ("erasure", 7, erasure(3, 2, 1)),
    "erasure by hash": ("erasure", 7, BY_HASH + erasure(3, 2, 1)),
}
SURVIVES = {"mirror": 2, "raid10": 1, "raid5": 1, "raid6": 2, "erasure": 2, "erasure on spare places": 2, "erasure by hash": 2}

UNWRITABLE = "[drive.settings.media]\nspare_tracks = 0\nwrite_faults_per_million = 300000\n"
SECTORS = [[0, radius, sector] for radius in range(4) for sector in range(0, 16, 3)]
SCATTERED = [[0, radius, 5] for radius in range(240)]  # for rows that lie anywhere; few of them are used


def grown(sectors):
    return f"[drive.settings.media]\ngrown_defects = {[[*sector, 400] for sector in sectors]}\n"


UNCACHED = '[drive.settings.firmware.write_cache]\ncapacity = "0 B"\n'
GROWN = grown(SECTORS)
GROWN_IN = {kind: grown(SCATTERED if "hash" in kind else SECTORS) for kind in KINDS}


def an_array(folder, kind, faults, spare=True, more=""):
    """One drive with faults among good ones."""
    name, count, shape = KINDS[kind]
    spares = drives(1, spare=True) if spare and "places" not in kind and "hash" not in kind else ""
    return array_file(folder, name, shape, drives(1), faults, drives(count - 1), spares, more)


def nothing_noticed(metrics):
    assert value(metrics, "host.failed") == 0
    assert value(metrics, "scoreboard.errors") == 0
    assert value(metrics, "array.unreadable") == 0
    assert value(metrics, "array.rows_differing") == 0


def thrown_out_and_rebuilt(metrics, done, why):
    nothing_noticed(metrics)
    assert value(metrics, "array.thrown_out") == 1
    assert "drive 0 was thrown out " in done.stdout and why in done.stdout
    assert value(metrics, "array.rebuild.time") > 0
    assert value(metrics, "array.rebuild.rows_lost") == 0
    assert value(metrics, "array.rows_incomplete") == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_write_error_throws_the_drive_out_and_the_host_never_sees_it(tmp_path, kind):
    metrics, done = run_array(tmp_path / "out", an_array(tmp_path, kind, UNWRITABLE))
    assert value(metrics, "array.errors.write") == 1
    thrown_out_and_rebuilt(metrics, done, "it failed a write or a FLUSH")


@pytest.mark.parametrize("kind", KINDS)
def test_a_read_error_is_answered_from_the_others_and_the_sector_written_again(tmp_path, kind):
    metrics, _ = run_array(tmp_path / "out", an_array(tmp_path, kind, GROWN_IN[kind]), "--set", "array.max_read_errors=1000000", limit=1500)
    nothing_noticed(metrics)
    assert value(metrics, "array.errors.read") > 0
    assert value(metrics, "array.errors.rewritten") > 0
    assert value(metrics, "array.thrown_out") == 0


@pytest.mark.parametrize("kind", KINDS)
def test_one_read_error_too_many_throws_the_drive_out(tmp_path, kind):
    metrics, done = run_array(tmp_path / "out", an_array(tmp_path, kind, GROWN_IN[kind]), "--set", "array.max_read_errors=3", limit=1500)
    assert value(metrics, "array.errors.read") == 4
    thrown_out_and_rebuilt(metrics, done, "it failed more reads than array.max_read_errors")


@pytest.mark.parametrize("kind", KINDS)
def test_a_silent_drive_is_thrown_out_after_the_time_out(tmp_path, kind):
    metrics, done = run_array(tmp_path / "out", an_array(tmp_path, kind, SLOW), "--set", "array.time_out=1 s", limit=1500)
    thrown_out_and_rebuilt(metrics, done, "it had a command for longer than array.time_out")


STALLS = "[drive.settings.media]\nfail_slow = [[0, 0, 0, 100000, 200, 100000, 1, 1500, 20000]]\n"


def test_a_drive_that_stalls_now_and_then_is_kept_or_thrown_out_as_the_time_out_says(tmp_path):
    file = an_array(tmp_path, "raid5", STALLS + UNCACHED)
    healthy, _ = run_array(tmp_path / "healthy", an_array(tmp_path, "raid5", UNCACHED), limit=1500)
    file = an_array(tmp_path, "raid5", STALLS + UNCACHED)
    kept, _ = run_array(tmp_path / "kept", file, "--set", "array.time_out=30 s", limit=1500)
    nothing_noticed(kept)
    assert value(kept, "array.thrown_out") == 0
    assert value(kept, "host.latency.max") > 1500 > value(healthy, "host.latency.max")
    thrown, done = run_array(tmp_path / "thrown", file, "--set", "array.time_out=1 s", limit=1500)
    thrown_out_and_rebuilt(thrown, done, "it had a command for longer than array.time_out")


def test_a_mirror_reads_past_a_drive_that_is_slow_and_parity_does_not(tmp_path):
    (tmp_path / "reads.toml").write_text('summary = "reads"\nlaw = "uniform"\nrequests = 1000\nwrite_share = 0\nalignment = "4 KiB"\n')
    words = ("--workload", tmp_path / "reads.toml", "--replay", "closed:4", "--limit", 1000, "--fold-at", "2 MiB", "--prefill", 100)
    slow = "[drive.settings.media]\nfail_slow = [[0, 9, 0, 100000, 0, 1000000, 8, 0, 0]]\n"
    means = {}
    for kind in ("mirror", "raid5"):
        for faults in ("", slow):
            simulate("array", an_array(tmp_path, kind, faults, spare=False), *words, "--out", tmp_path / "out")
            means[kind, faults] = value(json.loads((tmp_path / "out/summary.json").read_text())["metrics"], "host.latency.mean")
    assert means["mirror", slow] < 1.6 * means["mirror", ""]
    assert means["raid5", slow] > 2 * means["raid5", ""]


@pytest.mark.parametrize("kind", KINDS)
def test_a_drive_that_is_gone_is_rebuilt(tmp_path, kind):
    metrics, _ = run_array(tmp_path / "out", an_array(tmp_path, kind, "", more=failure(0, "200 ms")))
    nothing_noticed(metrics)
    assert value(metrics, "array.thrown_out") == 0
    assert value(metrics, "array.rebuild.time") > 0


@pytest.mark.parametrize("kind", KINDS)
def test_bad_blocks_keep_a_drive_that_cannot_write_some_sectors(tmp_path, kind):
    metrics, _ = run_array(tmp_path / "out", an_array(tmp_path, kind, UNWRITABLE + UNCACHED), "--set", "array.bad_blocks=512")
    assert value(metrics, "host.failed") == 0
    assert value(metrics, "scoreboard.errors") == 0
    assert value(metrics, "array.unreadable") == 0
    assert value(metrics, "array.rows_differing") == 0
    assert value(metrics, "array.thrown_out") == 0
    assert value(metrics, "array.bad_blocks") > 0


@pytest.mark.parametrize("kind", KINDS)
def test_beyond_redundancy_errors_reach_the_host_and_nothing_wrong_is_read(tmp_path, kind):
    """As many drives are gone as the array survives, and one of the rest cannot write: it stays, and what it does not hold is an error."""
    gone = "".join(failure(drive, "1 us") for drive in range(1, 1 + SURVIVES[kind]))
    name, count, shape = KINDS[kind]
    shape = shape.replace("spare_places = 1", "spare_places = 0")
    file = array_file(tmp_path, name, shape, drives(1), UNWRITABLE, drives(count - 1), gone)
    metrics, done = run_array(tmp_path / "out", file, status=1)
    assert value(metrics, "array.thrown_out") == 0
    assert value(metrics, "host.failed") > 0
    assert value(metrics, "array.bad_blocks") > 0
    said = [line for line in done.stderr.splitlines() if line.startswith("scoreboard: ")]
    assert all(line.endswith("found a read that fails") for line in said), said
    assert "more failed than the array survives" in done.stdout


@pytest.mark.parametrize(("faults", "more"), [(UNWRITABLE, ()), (GROWN, ()), (SLOW, ("--set", "array.time_out=1 s"))])
def test_a_jbod_hands_each_error_to_the_host(tmp_path, faults, more):
    file = array_file(tmp_path, "jbod", drives(1), faults, drives(1))
    words = ("--workload", "random-4k", "--replay", "closed:4", "--limit", 800, "--fold-at", "2 MiB", "--prefill", 0)
    simulate("array", file, *words, *more, "--out", tmp_path / "out", status=1)
    assert value(json.loads((tmp_path / "out/summary.json").read_text())["metrics"], "host.failed") > 0


def test_two_drives_may_fail_other_sectors_of_one_row(tmp_path):
    """Whole chunks cannot be read of either drive; each sector can of one."""
    odd, even = (grown([sector for sector in SECTORS if sector[2] % 2 == rest]) for rest in (1, 0))
    file = array_file(tmp_path, "raid5", drives(1), odd, drives(1), even, drives(2), drives(1, spare=True), chunk="64 KiB")
    metrics, _ = run_array(tmp_path / "out", file, "--set", "array.max_read_errors=1000000", limit=600, workload="file-server")
    assert value(metrics, "host.failed") == 0
    assert value(metrics, "scoreboard.errors") == 0
    assert value(metrics, "array.rows_differing") == 0


def test_a_spare_that_cannot_write_gives_its_rebuild_to_the_next(tmp_path):
    spares = drives(1, spare=True) + UNWRITABLE + drives(1, spare=True)
    metrics, done = run_array(tmp_path / "out", array_file(tmp_path, "raid5", drives(4), spares, failure(1, "50 ms")))
    nothing_noticed(metrics)
    assert "drive 4 was thrown out" in done.stdout
    assert value(metrics, "array.rebuild.time") > 0


def test_what_a_rebuild_cannot_make_is_an_error_and_no_stale_data(tmp_path):
    """Of the drives that are left one has sectors that nobody can read: the spare does not hold them, and says so."""
    file = array_file(tmp_path, "raid5", drives(1), GROWN, drives(3), drives(1, spare=True), failure(1, "450 ms"))
    metrics, done = run_array(tmp_path / "out", file, "--set", "array.max_read_errors=1000000", status=1)
    assert value(metrics, "array.rebuild.rows_lost") > 0
    said = [line for line in done.stderr.splitlines() if line.startswith("scoreboard: ")]
    assert said and all(line.endswith("found a read that fails") for line in said), said


@pytest.mark.parametrize("kind", ["mirror", "raid5"])
def test_a_flush_that_fails_throws_the_drive_out(tmp_path, kind):
    """Its cache acknowledged what it cannot write."""
    file = an_array(tmp_path, kind, UNWRITABLE + VOLATILE)
    metrics, done = run_array(tmp_path / "out", file, "--set", "array.max_read_errors=1000000", limit=1500)
    thrown_out_and_rebuilt(metrics, done, "it failed a write or a FLUSH")


def test_a_power_cut_during_a_rebuild_onto_a_cache_that_forgets_loses_nothing(tmp_path):
    """The drive fails when all is written, and the power while the spare's cache holds what no checkpoint covers."""
    cut = '[[power_cut]]\nat = "2950 ms"\n'
    file = array_file(tmp_path, "raid5", drives(4), drives(1, spare=True) + VOLATILE, failure(1, "2900 ms"), cut, chunk="64 KiB")
    metrics, _ = run_array(tmp_path / "out", file, limit=200)
    nothing_noticed(metrics)
    assert value(metrics, "array.rebuild.time") > 0


# Of the layer tessera, whose log keeps its two superblocks there; without spares, the first format cannot write them.
NEVER_BOOTS = "[drive.settings.media]\nspare_tracks = 0\nwrite_fault_sectors = [[0, 27, 2], [0, 27, 12]]\n"
BOOTS_ONCE = f"[drive.settings.media]\ngrown_defects = {[[0, 27, sector, 100] for sector in range(16)]}\n"
CUT = '[[power_cut]]\nat = "300 ms"\n'


@pytest.mark.parametrize("kind", ["mirror", "raid6", "erasure on spare places"])
@pytest.mark.parametrize(("faults", "cut"), [(NEVER_BOOTS, ""), (BOOTS_ONCE, CUT), (BOOTS_ONCE, CUT + "drives = [0]\n")], ids=["at first", "after a cut", "after a cut of its own"])
def test_a_drive_that_does_not_boot_is_thrown_out(tmp_path, kind, faults, cut):
    name, count, shape = KINDS[kind]
    journal = '[journal]\nplace = "nvram"\n' if cut and kind != "mirror" else ""  # a drive less after a cut is the write hole
    file = array_file(tmp_path, name, shape, journal, drives(1, "tessera"), faults, drives(count - 1), "" if "places" in kind else drives(1, spare=True), cut)
    thrown_out_and_rebuilt(*run_array(tmp_path / "out", file), "it did not boot")


@pytest.mark.parametrize("delay", ["0 s", "1 s"], ids=["during its rebuild", "before it"])
def test_a_spare_that_does_not_boot_gives_its_rebuild_to_the_next(tmp_path, delay):
    spares = drives(1, "tessera", spare=True) + BOOTS_ONCE + drives(1, spare=True)
    file = array_file(tmp_path, "raid10", f'[rebuild]\ndelay = "{delay}"\n', drives(4, "tessera"), spares, failure(1, "200 ms"), CUT)
    metrics, done = run_array(tmp_path / "out", file)
    nothing_noticed(metrics)
    assert "drive 4 was thrown out" in done.stdout and "it did not boot" in done.stdout
    assert value(metrics, "array.rebuild.time") > 0


def test_a_spare_that_never_boots_takes_no_place_and_the_next_one_does(tmp_path):
    """The drive does not boot, either: its rebuild is on the spare that works."""
    spares = drives(1, "tessera", spare=True) + NEVER_BOOTS + drives(1, spare=True)
    metrics, done = run_array(tmp_path / "out", array_file(tmp_path, "raid5", drives(1, "tessera") + NEVER_BOOTS, drives(3), spares))
    nothing_noticed(metrics)
    assert value(metrics, "array.thrown_out") == 2
    assert value(metrics, "array.rebuild.time") > 0


def test_a_row_of_disks_answers_for_one_that_does_not_boot_with_errors(tmp_path):
    _, done = run_array(tmp_path / "out", array_file(tmp_path, "jbod", drives(1, "tessera") + NEVER_BOOTS, drives(2)), status=1)
    assert "drive 0 was thrown out" in done.stdout
