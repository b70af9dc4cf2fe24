"""Firmware images on the drive's own processor: a stranger's firmware in C against the registers alone, and what wrong use of them says."""

import pytest
from images import build_plain
from simulate import run, simulate

WORKLOAD = ("--workload", "random-4k", "--limit", 600)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return {width: build_plain(tmp_path_factory.mktemp("image"), width) for width in (32, 64)}


@pytest.mark.parametrize("width", [32, 64])
def test_a_strangers_firmware_serves_every_request_through_registers(plain, tmp_path, width):
    words = ("--elf", plain[width], *WORKLOAD, "--check", "--requests")
    first = run(tmp_path / "a", "demo", *words)
    assert first.metric("host.requests") == 600
    assert first.metric("scoreboard.errors") == 0
    assert first.metric("processor.instructions") > 600 * 50
    assert "plain firmware: ready" in (tmp_path / "a" / "firmware.log").read_text()
    run(tmp_path / "b", "demo", *words)
    assert (tmp_path / "a" / "requests.npy").read_bytes() == (tmp_path / "b" / "requests.npy").read_bytes()


def test_power_cuts_lose_nothing_that_a_strangers_firmware_has_completed(plain, tmp_path):
    cuts = [word for time in ("20ms", "1s", "1003ms", "4s") for word in ("--cut-at", time)]
    assert run(tmp_path, "demo", "--elf", plain[64], *WORKLOAD, "--check", *cuts).metric("scoreboard.errors") == 0


@pytest.mark.parametrize("width", [32, 64])
def test_what_an_image_has_counted_outlives_power_cuts(plain, tmp_path, width):
    cuts = [word for time in (2, 5, 8) for word in ("--cut-at", f"{time}s")]
    done = run(tmp_path, "bare", "--elf", plain[width], *WORKLOAD, "--warmup", 0, *cuts, "--set", "controller.clock=5 MHz")
    assert done.metric("recovery.count") == 3
    assert 600 <= done.metric("plain.commands") <= 600 + 3 * 40  # what was under way is sent again
    assert done.metric("processor.untold") == 0


def test_a_measurement_that_begins_while_an_image_works_counts_from_there(plain, tmp_path):
    done = run(tmp_path, "demo", "--elf", plain[64], *WORKLOAD, "--warmup", 400, "--set", "controller.clock=5 MHz")
    assert 200 - 32 <= done.metric("plain.commands") <= 200


def test_figures_that_are_half_changed_are_not_told_and_that_is_said(tmp_path):
    image = build_plain(tmp_path, wrong_report="if (lines != 0) __builtin_trap()")
    cuts = [word for time in range(2, 12, 2) for word in ("--cut-at", f"{time}s")]
    done = run(tmp_path, "demo", "--elf", image, *WORKLOAD, "--warmup", 0, *cuts, "--set", "controller.bus_latency=5 ms")
    assert 0 < done.metric("processor.untold") < 5
    assert 0 < done.metric("plain.commands") < 600


def test_a_report_that_fails_though_the_image_waits_ends_the_run(tmp_path):
    image = build_plain(tmp_path, wrong_report="__builtin_trap()")
    failed = simulate("run", "demo", "--elf", image, *WORKLOAD, "--out", tmp_path / "run", status=3).stderr
    assert "plain64.elf, tessera_image_report, asked for its figures" in failed


def test_torture_cuts_a_strangers_firmware_where_it_hurts(plain, tmp_path):
    words = ("--workload", "random-4k", "--set", "media.tracks=2048", "--operations", 30, "--cuts", 30, "--durability", "none", "--prefill", 0, "--set", "host.window=2MiB", "--jobs", 2)
    done = simulate("torture", "torture", "--elf", plain[64], *words)
    assert "cmr" in done.stdout


def test_a_slower_processor_is_busy_for_longer(plain, tmp_path):
    busy = [run(tmp_path / clock, "demo", "--elf", plain[64], *WORKLOAD, "--set", f"controller.clock={clock} MHz").metric("cpu.utilisation") for clock in ("500", "50")]
    assert busy[1] > 3 * busy[0]  # not tenfold: what a register takes over the bus does not depend on the processor's clock


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("set(IDENT_MAGIC,1)", "write of ident.magic, which is read-only"),
        ("get(HOST_COMPLETE)", "read of host.complete, which is write-only"),
        ("set(HOST_COMPLETE,5)", "host.complete names tag 5, and no such command is under way"),
        ("set(HOST_COMPLETE,1000000)", "host.complete names tag 1000000"),
        ("set(HOST_RING,(uintptr_t)commands+72)", "host.ring is not aligned to 64 bytes"),
        ("set(HOST_ENTRIES,200)", "host.entries is 200; a power of two of at least 128"),
        ("set(HOST_ENTRIES,64)", "host.entries is 64; a power of two of at least 128"),  # four for each of 32 tags
        ("set(DISK_SUBMIT,(uintptr_t)chains)", "a media chain has 0 steps; 1 to 16 may be"),
        ("set(DISK_ENTRIES,1u<<30)", "are not all memory"),
        ("set(DISK_COMPLETIONS,(uintptr_t)completions);set(DISK_ENTRIES,64);set(DISK_CONSUMED,1)", "disk.consumed goes from 0 to 1; 0 completions"),
        ("set(IDENT_ANSWER,0)", "ident.answer, and nothing is asked"),
        ('set(IDENT_PANIC,(uintptr_t)"no")', "panic: no"),
        ("get((enum registers)0x3f8)", "neither memory nor a register; the nearest is ident.panic at 0x40000050"),
        ("*(volatile char*)0x40000000", "registers take aligned accesses of 4 or 8 bytes"),
        ("*(volatile int*)(uintptr_t)commands_taken=0", "write of 0x0, where there is neither memory nor a register"),
        ('__asm__(".word 0")', "an illegal instruction (cause 2"),
    ],
)
def test_wrong_use_of_the_machine_is_named_with_its_place(tmp_path, statement, says):
    image = build_plain(tmp_path, wrong=statement)
    done = simulate("run", "demo", "--elf", image, *WORKLOAD, "--out", tmp_path / "out", status=3)
    assert says in done.stderr
    assert f"{image}, firmware" in done.stderr or f"{image}, start" in done.stderr
    assert "zero 0000000000000000" in done.stderr
    assert not (tmp_path / "out" / "summary.json").exists()


def test_a_processor_that_stands_before_its_boot_ends_the_run(tmp_path):
    image = build_plain(tmp_path, wrong='for(;;)__asm__ volatile("wfi")')
    done = simulate("run", "demo", "--elf", image, *WORKLOAD, "--out", tmp_path / "out", status=3)
    assert "has not said in ident.capacity what it offers" in done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--layer", "hwsr"), "made of layer cmr, and --layer asks for hwsr"),
        (("--set", "controller.cores=2"), "controller.cores is 2, and a firmware image"),
        (("--firmware", "none.so"), "--elf"),
    ],
)
def test_what_an_image_cannot_go_with_is_refused(plain, tmp_path, words, says):
    assert says in simulate("run", "demo", "--elf", plain[64], *WORKLOAD, *words, "--out", tmp_path, status=2).stderr


def test_an_image_for_other_registers_is_refused(tmp_path):
    image = build_plain(tmp_path, version="1")
    done = simulate("check", "demo", "--elf", image, status=2)
    assert f"{image}: made for version 1 of the registers, and this drive has version 4" in done.stderr


@pytest.mark.parametrize("durability", ["volatile", "durable"])
def test_an_image_says_what_it_promises(tmp_path, durability):
    image = build_plain(tmp_path, durability=durability)
    assert run(tmp_path / "out", "demo", "--elf", image, *WORKLOAD, "--check", "--cut-at", "1s").metric("scoreboard.errors") == 0


def test_an_image_that_promises_something_else_is_refused(tmp_path):
    image = build_plain(tmp_path, durability="flushed")
    done = simulate("check", "demo", "--elf", image, status=2)
    assert f"{image}: its symbol tessera_image_durability is 'flushed'; expected 'volatile' or 'durable'" in done.stderr


def test_compare_says_that_an_image_is_of_one_layer(plain, tmp_path):
    done = simulate("compare", "demo", "--elf", plain[64], *WORKLOAD, "--layers", "all", "--out", tmp_path, status=2)
    assert "an image is of one layer" in done.stderr
