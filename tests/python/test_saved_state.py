"""The state of a drive, saved at the end of a run and loaded by another: nothing is lost, and nothing but the same drive takes it."""

import resource
import subprocess
import threading

import pytest
from simulate import FLASH_LAYERS, LAYERS, SIMULATOR, run, simulate

# Writes that meet, reads, TRIMs and writes of parts of sectors, over 8 MiB: time in us, operation, offset and size in blocks of 512 B.
COLUMNS = ("--format", "columns:time=1:us,op=2:r=r,w=w,t=t,offset=3:512,size=4:512")
SMALL = {layer: ("--set", f"layers.{layer}.memory=1 MiB", "--set", f"layers.{layer}.flash=32 MiB") for layer in ("sblock", "hwsr")}
QUICK_RETURN = ("--set", "power.outage=10 ms", "--set", "power.boot_time=1 ms")


def settings_of(layer):
    return (*QUICK_RETURN, *(SMALL.get(layer) or (("--set", "nand.blocks=640") if layer in FLASH_LAYERS else ())))


def trace(folder, requests=600):
    file = folder / "mixed.csv"
    lines = []
    for n in range(requests):
        op = "wwrwtwrw"[n * 5 % 8]
        lines.append(f"{n * 20000},{op},{n * 7919 % 16384 // (4 if op == 'w' else 8) * (4 if op == 'w' else 8)},{8 + n % 5 * 4}\n")
    file.write_text("".join(lines))
    return file


def saved(folder, drive, layer, *more):
    file = folder / "warm.state"
    first = run(folder / "first", drive, "--layer", layer, *settings_of(layer), *more, "--save-state", file)
    return file, first


@pytest.mark.parametrize("layer", LAYERS)
def test_a_later_run_reads_back_what_an_earlier_one_wrote_trimmed_and_left_prefilled(tmp_path, layer):
    mixed = ("--trace", trace(tmp_path), *COLUMNS, "--check")
    file, first = saved(tmp_path, "demo", layer, *mixed, "--limit", 400, "--prefill", 50)
    assert first.metric("scoreboard.errors") == 0
    second = run(
        tmp_path / "second", "demo", "--layer", layer, *settings_of(layer), *mixed, "--skip", 400, "--seed", 2, "--load-state", file,
        "--cut-at", "1.5 s",
    )  # fmt: skip
    assert second.metric("scoreboard.errors") == 0
    assert second.metric("host.served") == 200
    assert second.summary["run"]["power_cuts"] == 1
    # What the first run wrote is among what is read back at the end.
    assert second.metric("scoreboard.checked") > first.metric("scoreboard.checked") / 2


@pytest.mark.parametrize("layer", ["imr-dtm", "mu-rmw", "media-cache"])
def test_two_loads_of_one_state_are_one_run(tmp_path, layer):
    same = ("--workload", "zipf-writes", "--replay", "closed:8", "--fold")
    file, _ = saved(tmp_path, "demo", layer, *same, "--limit", 1000)
    runs = [
        run(tmp_path / name, "demo", "--layer", layer, *settings_of(layer), *same, "--skip", 1000, "--limit", 500, "--requests",
            "--load-state", file)
        for name in ("a", "b")
    ]  # fmt: skip
    logs = [(tmp_path / name / "requests.npy").read_bytes() for name in ("a", "b")]
    assert logs[0] == logs[1]
    assert runs[0].metric("host.latency.mean") == runs[1].metric("host.latency.mean")


def test_the_loaded_drive_is_in_the_used_state_of_the_saved_one(tmp_path):
    # MU-RMW after 20,000 random writes has a full flash cache, which it merges from the first request on; a new drive fills it first.
    same = ("--workload", "zipf-writes", "--replay", "closed:8", "--fold")
    file, first = saved(tmp_path, "demo", "mu-rmw", *same, "--limit", 20000)
    assert first.metric("cleaning.count") > 0
    used = run(tmp_path / "used", "demo", "--layer", "mu-rmw", *settings_of("mu-rmw"), *same, "--skip", 20000, "--limit", 2000, "--load-state", file)
    new = run(tmp_path / "new", "demo", "--layer", "mu-rmw", *settings_of("mu-rmw"), *same, "--skip", 20000, "--limit", 2000)
    assert new.metric("cleaning.count") == 0
    assert used.metric("cleaning.count") > 0
    assert used.metric("nand.wear.max") > new.metric("nand.wear.max")


def test_bytes_come_back_as_tags_do(tmp_path):
    mixed = ("--trace", trace(tmp_path), *COLUMNS, "--check", "--content", "bytes")
    file, _ = saved(tmp_path, "demo", "fluid", *mixed, "--limit", 200)
    second = run(tmp_path / "second", "demo", "--layer", "fluid", *settings_of("fluid"), *mixed, "--skip", 200, "--limit", 100, "--load-state", file)
    assert second.metric("scoreboard.errors") == 0


def test_sectors_that_were_remapped_and_those_that_fail_are_part_of_the_state(tmp_path):
    # Two sectors that cannot be written are remapped in the first run; the second one meets them no more.
    faults = ("--set", "media.write_fault_sectors=[[0,0,0],[0,0,3]]", "--set", "media.spare_tracks=1")
    bad = ("--set", "media.unreadable_sectors=[[0,1,0],[0,1,1]]")
    mixed = ("--trace", trace(tmp_path), *COLUMNS, "--check", *faults, *bad)
    file, first = saved(tmp_path, "torture", "cmr", *mixed, "--limit", 400)
    assert first.metric("defects.reallocated") > 0
    assert first.metric("media.faults.write") > 0
    second = run(tmp_path / "second", "torture", "--layer", "cmr", *settings_of("cmr"), *mixed, "--skip", 400, "--load-state", file)
    assert second.metric("scoreboard.errors") == 0
    assert second.metric("defects.reallocated") == first.metric("defects.reallocated")
    assert second.metric("media.faults.write") == 0


@pytest.mark.parametrize("durability", ["plp", "journal", "volatile"])
def test_a_write_cache_is_saved_by_its_own_means(tmp_path, durability):
    cache = ("--set", "firmware.write_cache.capacity=2 MiB", "--set", f"firmware.write_cache.durability={durability}")
    mixed = ("--trace", trace(tmp_path), *COLUMNS, "--check", *cache, "--set", "layers.imr_rmw.journal_tracks=16")
    file, _ = saved(tmp_path, "bare", "imr-rmw", *mixed, "--limit", 400)
    second = run(tmp_path / "second", "bare", "--layer", "imr-rmw", *settings_of("imr-rmw"), *mixed, "--skip", 400, "--load-state", file)
    assert second.metric("scoreboard.errors") == 0


def test_saving_changes_no_figure_of_the_run(tmp_path):
    plain = ("demo", "--layer", "imr-flip", "--workload", "zipf-writes", "--fold", "--limit", 500, "--check", "--requests")
    run(tmp_path / "a", *plain)
    run(tmp_path / "b", *plain, "--save-state", tmp_path / "s")
    assert (tmp_path / "a" / "requests.npy").read_bytes() == (tmp_path / "b" / "requests.npy").read_bytes()


def refusal(folder, *more, command="run"):
    words = (command, "demo", *(("--workload", "random-4k", "--limit", 10, "--out", folder / "refused") if command == "run" else ()), *more)
    message = simulate(*words, status=2).stderr
    assert message.count("\n") == 1
    return message


def test_a_state_that_does_not_fit_is_refused_in_one_sentence(tmp_path):
    file, _ = saved(tmp_path, "demo", "cmr", "--workload", "random-4k", "--limit", 50, "--prefill", 0)
    load = ("--load-state", file, *QUICK_RETURN)
    other = refusal(tmp_path, "--layer", "cmr", *load, "--set", "media.rpm=5400 rpm")
    assert "media.rpm is" in other and "5400 rpm" in other
    assert "the layer is cmr there and fluid here" in refusal(tmp_path, "--layer", "fluid", *load)
    assert "--content none" in refusal(tmp_path, "--layer", "cmr", *load, "--check")
    assert "--load-state and --prefill exclude each other" in refusal(tmp_path, "--layer", "cmr", *load, "--prefill", 10)
    assert "was empty at its start" in refusal(tmp_path, "--layer", "cmr", *load, "--fold-prefilled")
    assert "a state of this drive, saved after 50 requests" in simulate("check", "demo", "--layer", "cmr", *load).stdout
    assert "the layer is cmr there" in simulate("check", "demo", "--layer", "fluid", *load, status=2).stderr


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        (lambda state: state[: len(state) // 2], "the state of the drive is damaged"),
        (lambda state: state[:-20] + b"x" + state[-19:], "the state of the drive is damaged"),
        (lambda state: b"", "expected the state of a drive"),
        (lambda state: state.replace(b"state 1\n", b"state 9\n"), "schema 9"),
    ],
    ids=["truncated", "damaged", "empty", "another-schema"],
)
def test_a_file_that_is_no_good_is_refused_before_anything_runs(tmp_path, damage, found):
    file, _ = saved(tmp_path, "demo", "cmr", "--workload", "random-4k", "--limit", 50, "--prefill", 0)
    file.write_bytes(damage(file.read_bytes()))
    message = refusal(tmp_path, "--layer", "cmr", "--load-state", file, *QUICK_RETURN)
    assert str(file) in message and found in message
    assert not (tmp_path / "refused" / "summary.json").exists()


def test_a_run_that_does_not_end_well_leaves_no_state_and_says_so(tmp_path):
    file = tmp_path / "warm.state"
    bad = ("--set", "media.unreadable_sectors=[[0,0,0],[0,0,1],[0,0,2]]")
    reads = tmp_path / "reads.csv"
    reads.write_text("0,r,0,8\n")
    result = run(tmp_path / "out", "demo", "--layer", "cmr", "--trace", reads, *COLUMNS, *bad, "--save-state", file, status=1)
    assert not file.exists()
    assert any("was not saved" in note for note in result.summary["run"]["notes"])


def test_compare_keeps_a_state_for_each_layer_and_seed(tmp_path):
    words = ("--layers", "cmr,imr-rmw", "--seeds", 2, "--workload", "random-4k", "--limit", 50)
    simulate("compare", "demo", *words, "--save-state", tmp_path / "warm", "--out", tmp_path / "a")
    assert sorted(path.relative_to(tmp_path / "warm").as_posix() for path in (tmp_path / "warm").glob("*/*")) == [
        "cmr/1.state", "cmr/2.state", "imr-rmw/1.state", "imr-rmw/2.state",
    ]  # fmt: skip
    simulate("compare", "demo", *words, "--load-state", tmp_path / "warm", "--out", tmp_path / "b")


def test_a_state_that_unpacks_to_more_than_there_is_memory_is_refused(tmp_path):
    # A state of the right drive, with 1.5 GB of zeros behind it, in a file of some 100 KB, for a simulator that has 1 GB.
    words = ("run", "demo", "--layer", "cmr", "--workload", "random-4k", "--limit", 20)
    state, bomb = tmp_path / "s", tmp_path / "bomb"
    simulate(*words, "--save-state", state, "--out", tmp_path / "first")
    title, _, frame = state.read_bytes().partition(b"\n")
    plain = subprocess.run(["zstd", "-dc"], input=frame, capture_output=True, check=True).stdout
    packer = subprocess.Popen(["zstd", "-1", "-c", "--check"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    piece = bytes(1 << 24)

    def feed():
        packer.stdin.write(plain)
        for _ in range(90):
            packer.stdin.write(piece)
        packer.stdin.close()

    feeder = threading.Thread(target=feed)
    feeder.start()
    bomb.write_bytes(title + b"\n" + packer.stdout.read())
    feeder.join()
    assert packer.wait() == 0
    assert bomb.stat().st_size < 1 << 20
    limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))}
    loaded = [str(word) for word in (SIMULATOR, *words, "--load-state", bomb, "--out", tmp_path / "second")]
    refused = subprocess.run(loaded, capture_output=True, text=True, **limit)
    assert refused.returncode == 2, refused.stderr
    assert "bomb: the state of the drive is damaged: something follows its end" in refused.stderr
    assert not (tmp_path / "second" / "summary.json").exists()
