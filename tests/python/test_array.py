"""Several drives under one host: what survives failures and power cuts, what is refused, and that it is the same every time."""

import json
import re

import pytest
from samples import REPOSITORY
from simulate import simulate

from tessera import Run
from tessera.results.sameness import differences

DRIVE = '[[drive]]\ndescription = "torture"\nlayer = "{layer}"\ncount = {count}\nspare = {spare}\n'


def drives(count=4, layer="cmr", spare=False):
    return DRIVE.format(count=count, layer=layer, spare=str(spare).lower())


def failure(drive, at):
    return f'[[failure]]\ndrive = {drive}\nat = "{at}"\n'


def array_file(folder, kind, *more, chunk="16 KiB"):
    file = folder / "array.toml"
    file.write_text(f'[array]\nkind = "{kind}"\nchunk = "{chunk}"\n' + "".join(more))
    return file


def run_array(folder, file, *more, status=0, limit=800, depth=16, workload="random-4k"):
    words = ("--workload", workload, "--replay", f"closed:{depth}", "--limit", limit, "--fold-at", "2 MiB", "--check", "--prefill", 0)
    done = simulate("array", file, *words, *more, "--out", folder, status=status)
    return json.loads((folder / "summary.json").read_text())["metrics"], done


def value(metrics, name):
    return metrics[name]["value"]


@pytest.mark.parametrize(("kind", "failures"), [("mirror", (0, 2)), ("raid10", (3,)), ("raid5", (1,)), ("raid6", (0, 3))])
@pytest.mark.parametrize("spares", [0, 2])
def test_what_was_written_outlives_as_many_failures_as_promised(tmp_path, kind, failures, spares):
    more = [failure(drive, f"{(i + 1) * 200} ms") for i, drive in enumerate(failures)]
    more += [drives(spares, spare=True)] if spares else []
    metrics, _ = run_array(tmp_path / "out", array_file(tmp_path, kind, drives(4, "media-cache"), *more))
    assert value(metrics, "host.failed") == 0
    assert value(metrics, "scoreboard.errors") == 0
    assert value(metrics, "array.rows_differing") == 0
    if spares:
        assert value(metrics, "array.rebuild.rows_lost") == 0
        assert value(metrics, "array.rebuild.time") > 0
        assert value(metrics, "array.latency.rebuild.mean") > value(metrics, "array.latency.whole.mean")


def test_a_warmup_is_left_out_of_the_drives_figures_as_of_the_hosts(tmp_path):
    depth, warmup, limit = 16, 600, 1000
    file = array_file(tmp_path, "mirror", drives(3, "media-cache"))
    whole, _ = run_array(tmp_path / "whole", file, limit=limit, depth=depth)
    metrics, _ = run_array(tmp_path / "warm", file, "--warmup", warmup, limit=limit, depth=depth)
    in_all, of_drives = ([json.loads((tmp_path / run / f"drive-{i}" / "summary.json").read_text()) for i in range(3)] for run in ("whole", "warm"))
    assert value(metrics, "host.served") == limit - warmup
    assert value(metrics, "host.warmup") == warmup
    for before, drive in zip(in_all, of_drives):  # each has every write; those under way at the end of the warm-up may count on one side alone
        assert abs(value(drive["metrics"], "host.writes") - value(metrics, "host.writes")) <= depth
        assert 0 < value(drive["metrics"], "media.sectors_written.total") < 0.8 * value(before["metrics"], "media.sectors_written.total")
        assert drive["run"]["cleans"] is True
    commands = sum(value(drive["metrics"], "host.served") for drive in of_drives)
    assert abs(value(metrics, "array.commands") - commands) <= 3 * depth
    assert value(metrics, "array.commands") < 0.6 * value(whole, "array.commands")
    assert value(metrics, "run.measured_seconds") < 0.8 * value(whole, "run.measured_seconds")
    of_all = value(metrics, "array.write_amplification.media")  # of the whole replay: both runs write the same
    assert of_all == pytest.approx(value(whole, "array.write_amplification.media"), rel=0.02)
    assert of_all > 3


def erasure(data, parities, spare_places):
    return f"data = {data}\nparities = {parities}\nspare_places = {spare_places}\n"


@pytest.mark.parametrize("order", [(0, 5), (5, 0), (3, 4)])
def test_spare_places_take_what_failed_drives_held(tmp_path, order):
    """The second failure comes after the first rebuild: what lay in its spare places moves on."""
    failures = [failure(drive, at) for drive, at in zip(order, ("100 ms", "8 s"), strict=True)]
    file = array_file(tmp_path, "erasure", erasure(3, 2, 2), drives(8), *failures)
    metrics, done = run_array(tmp_path / "out", file, "--set", "rebuild.priority=equal", limit=1500, depth=4)
    assert "erasure 3+2 of 8 drives and 2 spare places, " in done.stdout
    assert value(metrics, "array.requests.rebuilt") > 0
    assert value(metrics, "array.rebuild.rows_lost") == 0
    assert value(metrics, "host.failed") == 0
    assert value(metrics, "scoreboard.errors") == 0
    assert value(metrics, "array.rows_differing") == 0
    assert value(metrics, "array.rows_incomplete") == 0


BY_HASH = 'placement = "hash"\n'
LARGE = "[drive.settings.media]\ntracks = 500\n"


@pytest.mark.parametrize("order", [(0, 5), (5, 0), (3, 8)])
def test_objects_on_hashed_places_outlive_failures_and_are_made_anew_on_other_drives(tmp_path, order):
    failures = [failure(drive, at) for drive, at in zip(order, ("100 ms", "8 s"), strict=True)]
    file = array_file(tmp_path, "erasure", BY_HASH, erasure(3, 2, 2), drives(6), drives(4), LARGE, *failures)
    metrics, done = run_array(tmp_path / "out", file, "--set", "rebuild.priority=equal", limit=1500, depth=4)
    assert "erasure 3+2 by hash of 10 drives and 2 spare places, " in done.stdout
    assert value(metrics, "array.requests.rebuilt") > 0
    assert value(metrics, "array.rebuild.rows_lost") == 0
    assert value(metrics, "host.failed") == 0
    assert value(metrics, "scoreboard.errors") == 0
    assert value(metrics, "array.rows_differing") == 0
    assert value(metrics, "array.rows_incomplete") == 0


def test_a_rebuild_of_hashed_places_writes_to_all_drives_that_are_left(tmp_path):
    file = array_file(tmp_path, "erasure", BY_HASH, erasure(3, 1, 1), drives(12), failure(0, "10 ms"))
    simulate("array", file, "--prefill", 0, "--set", "rebuild.rate_limit=0 B/s", "--out", tmp_path / "out")
    written = [json.loads((tmp_path / f"out/drive-{drive}/summary.json").read_text())["metrics"]["host.bytes_written"]["value"] for drive in range(1, 12)]
    assert min(written) > 0 and max(written) < 3 * sum(written) / len(written)


def test_hashed_places_use_what_drives_of_unlike_size_hold(tmp_path):
    def capacity(placement):
        file = array_file(tmp_path, "erasure", placement, "groups = 400\n" if placement else "", erasure(3, 1, 0), drives(6), drives(6), LARGE)
        simulate("array", file, "--prefill", 0, "--out", tmp_path / "out")
        return json.loads((tmp_path / "out/summary.json").read_text())["metrics"]["capacity.user"]["value"]

    assert capacity(BY_HASH) > 1.1 * capacity("")


SLOW = '[drive.settings.host]\nlink = "sata"\nlink_rate = "20 kB/s"\n'  # 4 KiB take 200 ms


def test_a_drive_that_keeps_a_command_too_long_is_thrown_out_and_rebuilt(tmp_path):
    file = array_file(tmp_path, "raid5", drives(3), drives(1), SLOW, drives(1, spare=True))
    patient, _ = run_array(tmp_path / "patient", file, "--set", "array.time_out=20 s")
    assert value(patient, "array.thrown_out") == 0
    metrics, done = run_array(tmp_path / "out", file, "--set", "array.time_out=1 s", "--set", "rebuild.priority=equal", limit=3000)
    assert value(metrics, "array.thrown_out") == 1 and "drive 3 was thrown out" in done.stdout
    assert value(metrics, "array.rebuild.time") > 0
    assert value(metrics, "host.failed") == 0
    assert value(metrics, "scoreboard.errors") == 0
    assert value(metrics, "array.rows_differing") == 0


def test_a_spare_that_is_thrown_out_gives_its_rebuild_to_the_next(tmp_path):
    file = array_file(tmp_path, "raid5", drives(4), drives(1, spare=True), SLOW, drives(1, spare=True), failure(1, "50 ms"))
    metrics, done = run_array(tmp_path / "out", file, "--set", "array.time_out=1 s", "--set", "rebuild.priority=equal", "--set", "rebuild.depth=16", limit=3000)
    assert "drive 4 was thrown out" in done.stdout
    assert re.search(r"^ +5 +cmr +rebuilt", done.stdout, re.MULTILINE), done.stdout
    assert value(metrics, "array.rebuild.time") > 0
    assert value(metrics, "array.rows_incomplete") == 0
    assert value(metrics, "scoreboard.errors") == 0


DARK = '[drive.settings.power]\noutage = "2 s"\n'


def test_an_outage_that_the_host_sits_out_throws_nobody_out(tmp_path):
    cut = '[[power_cut]]\nat = "300 ms"\ndrives = [0]\n'
    metrics, _ = run_array(tmp_path / "out", array_file(tmp_path, "mirror", drives(2), DARK, cut), "--set", "array.time_out=500 ms", depth=2)
    assert value(metrics, "host.latency.max") > 500  # ms
    assert value(metrics, "array.thrown_out") == 0


def test_a_drive_that_is_starting_can_lose_its_power_again(tmp_path):
    def longest_wait(*at):
        cuts = [f'[[power_cut]]\nat = "{when} ms"\ndrives = [0]\n' for when in at]
        file = array_file(tmp_path, "mirror", drives(2), '[drive.settings.power]\nboot_time = "300 ms"\n', *cuts)
        metrics, _ = run_array(tmp_path / "out", file, depth=2)
        assert value(metrics, "scoreboard.errors") == value(metrics, "host.failed") == 0
        return value(metrics, "host.latency.max")

    assert longest_wait(100, 300) == pytest.approx(longest_wait(100) + 200, abs=20)  # ms


def rebuild_time(tmp_path, name, kind, *more):
    file = array_file(tmp_path, kind, *more, failure(0, "10 ms"), chunk="64 KiB")
    simulate("array", file, "--prefill", 0, "--set", "rebuild.rate_limit=0 B/s", "--out", tmp_path / name)
    return json.loads((tmp_path / name / "summary.json").read_text())["metrics"]["array.rebuild.time"]["value"]


def test_a_rebuild_on_spare_places_goes_as_fast_as_all_drives_together(tmp_path):
    one = rebuild_time(tmp_path, "one", "raid5", drives(4), drives(1, spare=True))
    all_of_them = rebuild_time(tmp_path, "all", "erasure", erasure(3, 1, 1), drives(13))
    assert all_of_them < one / 2


def hole(tmp_path, journal):
    """A drive fails as the power does, in the middle of many small writes."""
    return array_file(tmp_path, "raid5", f'[journal]\nplace = "{journal}"\nrecords = 16\n', drives(5), drives(1, spare=True), failure(2, "1 s"), '[[power_cut]]\nat = "1 s"\n')


def test_a_power_cut_and_a_failure_together_lose_data_that_nobody_wrote_to(tmp_path):
    metrics, done = run_array(tmp_path / "out", hole(tmp_path, "none"), depth=32, limit=1500, status=1)
    assert value(metrics, "array.doubt.left") > 0
    assert value(metrics, "scoreboard.errors") > 0
    assert "the write hole" in done.stdout


@pytest.mark.parametrize("place", ["nvram", "drives"])
def test_a_journal_closes_the_write_hole(tmp_path, place):
    metrics, _ = run_array(tmp_path / "out", hole(tmp_path, place), depth=32, limit=1500)
    assert value(metrics, "array.journal.replayed") > 0
    assert value(metrics, "scoreboard.errors") == 0
    assert value(metrics, "array.rows_differing") == 0


@pytest.mark.parametrize("kind", ["mirror", "raid10", "raid5", "raid6"])
def test_after_a_power_cut_alone_parity_and_copies_are_right(tmp_path, kind):
    cuts = "".join(f'[[power_cut]]\nat = "{at} ms"\n' for at in (150, 500, 900)) + '[[power_cut]]\nat = "1200 ms"\ndrives = [0, 2]\n'
    metrics, _ = run_array(tmp_path / "out", array_file(tmp_path, kind, drives(4), cuts))
    assert value(metrics, "array.doubt.rows") > 0
    assert value(metrics, "array.doubt.left") == 0
    assert value(metrics, "scoreboard.errors") == 0
    assert value(metrics, "array.rows_differing") == 0


@pytest.mark.parametrize("kind", ["mirror", "raid5"])
def test_a_verification_moves_nothing_of_the_array_that_it_looks_at(tmp_path, kind):
    # No request is at the drives at the cut: what rows that were being written hold is known with --check alone.
    requests = [(i * 10 if i < 60 else 2000 + i * 10, i) for i in range(400)]
    trace = tmp_path / "t.csv"
    trace.write_text("".join(f"{at / 1000},{'rw'[i % 3 > 0]},{i * 7919 % 499 * 4096},4096\n" for at, i in requests))
    file = array_file(tmp_path, kind, drives(4), drives(1, spare=True), failure(1, "4 s"), '[[power_cut]]\nat = "1.5 s"\n')
    words = (file, "--trace", trace, "--format", "columns:time=1:s,op=2:r=r,w=w,offset=3:1,size=4:1", "--prefill", 0)
    for name, more in (("plain", ()), ("checked", ("--check",))):
        simulate("array", *words, *more, "--out", tmp_path / name)
    checked, plain = (json.loads((tmp_path / name / "summary.json").read_text())["metrics"] for name in ("checked", "plain"))
    assert value(checked, "scoreboard.checked") == (400 + 40) * 8 and value(checked, "scoreboard.errors") == 0
    of_machine = ("run.cpu", "run.peak", "run.requests_per_cpu", "run.wall")
    assert [name for name, entry in plain.items() if entry != checked[name] and not name.startswith(of_machine)] == []


VOLATILE = '[drive.settings.firmware.write_cache]\ncapacity = "1 MiB"\ndurability = "volatile"\n'


@pytest.mark.parametrize(("kind", "spares", "failures"), [("mirror", 0, ""), ("raid5", 0, ""), ("raid5", 1, failure(1, "100 ms"))])
def test_caches_that_forget_leave_no_row_apart_and_nothing_of_a_rebuild_out(tmp_path, kind, spares, failures):
    cuts = "".join(f'[[power_cut]]\nat = "{at} ms"\n' for at in (150, 500, 900)) if not spares else '[[power_cut]]\nat = "1500 ms"\n'
    spare = drives(1, spare=True) + VOLATILE if spares else ""
    file = array_file(tmp_path, kind, drives(4), VOLATILE, spare, failures, cuts, chunk="64 KiB" if spares else "16 KiB")
    metrics, _ = run_array(tmp_path / "out", file)
    assert value(metrics, "array.doubt.left") == 0
    assert value(metrics, "scoreboard.errors") == 0
    assert value(metrics, "array.rows_differing") == 0


@pytest.mark.parametrize(("words", "at_least", "at_most"), [("WS", 0, 1), ("WFS", 2, 100)])
def test_a_write_that_asks_for_the_platters_waits_for_them_on_every_drive(tmp_path, words, at_least, at_most):
    trace = tmp_path / "t.txt"
    line = "  8,0    1 {number:8d} {second:13.9f}   100  Q {words:>3} {sector} + 8 [me]\n"
    trace.write_text("".join(line.format(number=i + 1, second=i / 20, words=words, sector=(i * 7919 % 97) * 8) for i in range(40)))
    simulate("array", array_file(tmp_path, "mirror", drives(2), VOLATILE), "--trace", trace, "--format", "blkparse", "--check", "--prefill", 0, "--out", tmp_path / "out")
    metrics = json.loads((tmp_path / "out/summary.json").read_text())["metrics"]
    assert at_least < value(metrics, "host.latency.p50") < at_most  # ms


def test_a_scrub_reads_every_row_and_finds_nothing(tmp_path):
    scrub = '[scrub]\nenabled = true\nat = "100 ms"\n'
    metrics, _ = run_array(tmp_path / "out", array_file(tmp_path, "raid6", drives(5), scrub))
    rows = value(metrics, "capacity.user") / (3 * 16 * 1024)
    assert value(metrics, "array.scrub.rows") == rows
    assert value(metrics, "array.scrub.differing") == 0


def test_a_rate_limit_holds_a_rebuild_back(tmp_path):
    def rebuild(name, *more):
        file = array_file(tmp_path, "raid5", drives(3), drives(1, spare=True), failure(0, "10 ms"))
        simulate("array", file, *more, "--prefill", 0, "--out", tmp_path / name)
        return json.loads((tmp_path / name / "summary.json").read_text())["metrics"]["array.rebuild.rate"]["value"]

    assert rebuild("free") > 4e6
    assert rebuild("held", "--set", "rebuild.rate_limit=1 MB/s") == pytest.approx(1e6, rel=0.02)


def test_one_array_and_one_seed_give_one_result(tmp_path):
    events = failure(1, "300 ms") + '[[power_cut]]\nat = "600 ms"\n' + '[journal]\nplace = "nvram"\n'
    file = array_file(tmp_path, "raid5", drives(3, "media-cache"), drives(1, spare=True), events)
    plain, again = (run_array(tmp_path / name, file, limit=300) and Run(tmp_path / name) for name in ("one", "two"))
    assert differences(plain, again, figures_only=True) == []
    checked, _ = run_array(tmp_path / "protocol", file, "--check-protocol", limit=300)
    assert value(checked, "host.latency.mean") == plain.summary["metrics"]["host.latency.mean"]["value"]
    other, _ = run_array(tmp_path / "other", file, "--seed", 2, limit=300)
    assert value(other, "host.latency.mean") != plain.summary["metrics"]["host.latency.mean"]["value"]


def test_every_drive_has_a_summary_and_a_line(tmp_path):
    file = array_file(tmp_path, "raid5", drives(3, "media-cache"), drives(1, "media-cache", spare=True), failure(0, "50 ms"))
    _, done = run_array(tmp_path / "out", file, limit=100)
    for number in range(4):
        summary = json.loads((tmp_path / "out" / f"drive-{number}" / "summary.json").read_text())
        assert summary["run"]["number"] == number
    table = [line for line in done.stdout.splitlines() if line.startswith("  ")]
    assert all(len(line) <= 80 for line in table if "note" not in line and "results" not in line)


def test_drives_of_unlike_capacity_count_as_the_smallest(tmp_path):
    small = '[[drive]]\ndescription = "torture"\nlayer = "cmr"\n[drive.settings.media]\ntracks = 128\n'
    done = simulate("array", array_file(tmp_path, "mirror", drives(1), small), "--plan")
    assert "no more of any than of the smallest" in done.stdout


@pytest.mark.parametrize("file", sorted((REPOSITORY / "docs/studies/rebuild").glob("raid5*.toml")), ids=lambda file: file.stem)
def test_the_arrays_of_the_study_are_arrays(file):
    assert "raid5 of 5 drives and 1 spare" in simulate("array", file, "--plan").stdout


def test_arrays_that_come_with_the_program_are_listed_checked_and_found_by_name(tmp_path):
    listed = json.loads(simulate("list", "arrays", "--json").stdout)
    assert [entry["name"] for entry in listed] == ["mirror", "raid5-conventional", "raid5-shingled", "raid6-shingled"]
    assert all(entry["summary"] for entry in listed)
    assert simulate("check", "mirror").stdout.startswith("mirror is valid: mirror of 2 drives")
    assert simulate("array", "mirror", "--plan").stdout.startswith("mirror of 2 drives")
    own = tmp_path / "own.toml"
    own.write_text('extends = "mirror"\n[[failure]]\ndrive = 2\nat = "1 s"\n')
    assert "expected a drive from 0 to 1 (no spare), found 2" in simulate("check", own, status=2).stderr
    assert "unknown array 'mirrow'; did you mean 'mirror'?" in simulate("array", "mirrow", "--plan", status=2).stderr


def test_a_file_that_extends_a_drive_by_name_is_no_array(tmp_path):
    drive = tmp_path / "own.toml"
    drive.write_text('extends = "torture"\n')
    assert "own.toml with layer" in simulate("check", drive).stdout
    assert "media.tracks" in simulate("list", "parameters", drive).stdout
    drive.write_text('extends = "mirror"\n[array\n')
    assert f"{drive}:2" in simulate("check", drive, status=2).stderr


def test_check_of_an_array_says_what_a_run_would_refuse_and_how_much_it_holds(tmp_path):
    file = array_file(tmp_path, "raid5", drives(3))
    assert "raid5 of 3 drives" in simulate("check", file).stdout
    whole = int(simulate("check", file, "--capacity").stdout)
    row = int(simulate("check", file, "--set", "array.kind=jbod", "--capacity").stdout)
    assert 2 * row - 3 * 16384 * 3 < 3 * whole <= 2 * row  # a third is parity; what is less than a chunk is left over
    assert "expected at least 4" in simulate("check", file, "--set", "array.kind=raid6", status=2).stderr
    assert "is an array; expected no --layer" in simulate("check", file, "--layer", "cmr", status=2).stderr
    trace = tmp_path / "far.csv"
    trace.write_text(f"0,r,{whole // 512},8\n1,r,0,8\n")
    columns = ("--format", "columns:time=1:us,op=2:r=r,w=w,offset=3:512,size=4:512")
    assert "1 request ends past the array's capacity" in simulate("check", file, "--trace", trace, *columns).stdout


def test_the_schema_of_array_files_has_all_that_one_may_say(tmp_path):
    schema = json.loads(simulate("list", "parameters", "--arrays", "--schema").stdout)
    properties = schema["properties"]
    assert {"summary", "extends", "array", "rebuild", "scrub", "journal", "window", "drive", "failure", "power_cut"} == set(properties)
    drive = properties["drive"]["items"]
    assert set(drive["properties"]) == {"description", "layer", "firmware", "count", "spare", "settings"} and drive["additionalProperties"] is False
    assert set(properties["power_cut"]["items"]["properties"]) == {"at", "drives"}
    assert properties["array"]["properties"]["kind"]["enum"] == ["jbod", "mirror", "raid10", "raid5", "raid6", "erasure"]
    values = simulate("list", "parameters", array_file(tmp_path, "raid6", drives(4))).stdout
    assert re.search(r'array\.kind +"raid6" \(default "raid5"\)', values), values


REFUSED = {
    "a raid5 of 1 drive; expected at least 3": ("raid5", drives(1)),
    "a mirror of 1 drive; expected at least 2": ("mirror", drives(1), drives(3, spare=True)),
    "sectors of one size; found 4096 B (torture) and 512 B (hp-c3323a)": ("mirror", drives(1), '[[drive]]\ndescription = "hp-c3323a"\n'),
    "expected whole sectors of the drives, of 4096 B": ("raid5", drives(3), "CHUNK"),
    "expected a drive from 0 to 3 (no spare), found 4": ("raid5", drives(4), drives(1, spare=True), failure(4, "1 s")),
    "survives the failure of 1 drive; found 2 failures": ("raid5", drives(4), failure(0, "1 s"), failure(1, "2 s")),
    "fails twice": ("raid6", drives(4), failure(0, "1 s"), failure(0, "2 s")),
    "a jbod of 2 drives survives the failure of no drive": ("jbod", drives(2), failure(0, "1 s")),
    "did you mean 'drive.layer'?": ("raid5", '[[drive]]\ndescription = "torture"\nlayr = "cmr"\n'),
    "did you mean 'array.kind'?": ("raid5", drives(3), "[array2]\n", "KIND"),
    "did you mean 'raid5'?": ("raid55", drives(3)),
    "the layer zoned has zones": ("raid5", drives(3, "zoned")),
    "array.copies is of kind raid10; found 3 with kind raid5": ("raid5", "copies = 3\n", drives(3)),
    "array.data is of kind erasure; found 2 with kind raid6": ("raid6", "data = 2\n", drives(4)),
    "array.spare_places is of kind erasure; found 1 with kind mirror": ("mirror", "spare_places = 1\n", drives(4)),
    "expected 1 to 16 parity chunks": ("erasure", drives(4)),
    "expected at least 2 data chunks in a row": ("erasure", erasure(1, 1, 0), drives(4)),
    "array.placement is hash, with kind raid5; expected kind erasure": ("raid5", BY_HASH, drives(4)),
    "array.groups is of placement hash; found 9 with placement permuted": ("erasure", "groups = 9\n", erasure(2, 1, 0), drives(4)),
    "expected at least 2 data chunks in a row placed by hash, found 0": ("erasure", BY_HASH, erasure(0, 1, 0), drives(4)),
    "an erasure code of 7 drives; expected at least 8": ("erasure", erasure(5, 2, 1), drives(7)),
    "a raid10 of 2 drives; expected at least 3": ("raid10", drives(2)),
    "a jbod has neither": ("jbod", drives(2), "[scrub]\nenabled = true\n"),
    "a mirror has no parity": ("mirror", drives(2), '[journal]\nplace = "nvram"\n'),
    "did you mean 'media.tracks'?": ("raid5", drives(3), "[drive.settings.media]\ntrucks = 100\n"),
    "names drive 2, whose write cache is volatile": ("raid5", drives(3), VOLATILE, '[[power_cut]]\nat = "1 s"\ndrives = [2]\n'),
    "each from 0 to 2, found 3": ("raid5", drives(3), '[[power_cut]]\nat = "1 s"\ndrives = [3]\n'),
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_cannot_be_is_refused_in_a_sentence_before_the_run(tmp_path, said):
    kind, *parts = REFUSED[said]
    file = array_file(tmp_path, kind, *(part for part in parts if part not in ("CHUNK", "KIND")), chunk="5 KiB" if "CHUNK" in parts else "16 KiB")
    if "KIND" in parts:
        file.write_text(file.read_text().replace("[array2]\n", "").replace("kind =", "kin ="))
    refused = simulate("array", file, "--workload", "random-4k", "--limit", 10, "--out", tmp_path / "out", status=2)
    assert said in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_trace_beyond_the_array_is_refused(tmp_path):
    trace = tmp_path / "far.csv"
    trace.write_text("0,r,999999999,8\n")
    columns = ("--format", "columns:time=1:us,op=2:r=r,w=w,offset=3:512,size=4:512")
    refused = simulate("array", array_file(tmp_path, "raid5", drives(3)), "--trace", trace, *columns, "--out", tmp_path / "out", status=2)
    assert "far.csv" in refused.stderr


def test_settings_of_drives_that_have_no_effect_are_told_once(tmp_path):
    file = array_file(tmp_path, "jbod", drives(2), '[drive.settings]\nsimulation.caches = "used"\nlayers.fluid.merge_buffer = "256 KiB"\n')
    run_array(tmp_path / "out", file, limit=10)
    notes = json.loads((tmp_path / "out" / "summary.json").read_text())["run"]["notes"]
    told = [note for note in notes if "without effect" in note]
    assert told == [
        "torture: layers.fluid.merge_buffer: without effect, the layer is cmr",
        "torture: simulation.caches: without effect, the drives of an array begin with empty caches",
    ]
