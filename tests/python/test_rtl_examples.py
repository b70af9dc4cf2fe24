"""examples/rtl_flash_channel, examples/rtl_dma and examples/cocotb as projects of their own: Verilog next to a drive, where Verilator is installed."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys

import pytest
from samples import BUILD, REPOSITORY
from simulate import SIMULATOR
from vcdvcd import VCDVCD

CLOCK = 10_000  # ps, of the flash channel


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run(["cmake", "--install", BUILD, "--prefix", folder], check=True, capture_output=True)
    return folder


def configured(folder, prefix, example, *words) -> str:
    done = subprocess.run(["cmake", "-S", REPOSITORY / "examples" / example, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={prefix}", *words],
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def built(factory, prefix, example):
    if shutil.which("verilator") is None:
        pytest.skip("needs verilator: ./dev test installs it")
    folder = factory.mktemp(example)
    assert "-- Verilator: " in configured(folder, prefix, example)
    done = subprocess.run(["cmake", "--build", folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    program, drive = folder / example, prefix / "share" / "tessera" / "drives" / "bare.toml"

    def run(*words, status=0):
        result = subprocess.run([program, drive, *map(str, words)], capture_output=True, text=True, timeout=100)
        assert result.returncode == status, result.stdout + result.stderr
        return result.stdout if status == 0 else result.stderr + result.stdout

    return run


@pytest.fixture(scope="module")
def flash_channel(tmp_path_factory, prefix):
    return built(tmp_path_factory, prefix, "rtl_flash_channel")


@pytest.fixture(scope="module")
def dma(tmp_path_factory, prefix):
    return built(tmp_path_factory, prefix, "rtl_dma")


@pytest.mark.parametrize("example", ["rtl_flash_channel", "rtl_dma"])
def test_without_verilator_that_is_said_and_the_example_is_left_out(tmp_path, prefix, example):
    assert f"Verilator: not found, {example} is left out" in configured(tmp_path, prefix, example, "-DCMAKE_DISABLE_FIND_PACKAGE_verilator=ON")


@pytest.mark.parametrize("layer", ["mu-rmw", "skylight-flash"])
def test_a_channel_in_verilog_gives_the_data_and_the_times_of_the_built_in_flash(flash_channel, layer):
    said = flash_channel(layer, 300)
    ends = [float(end) for end in re.findall(r"600 requests, 0 wrong, at ([0-9.]+) ms", said)]
    assert len(ends) == 2 and ends[0] == pytest.approx(ends[1], rel=1e-4)
    assert int(re.search(r" (\d+) programs", said)[1]) >= 300
    assert " 0 wrong checksums" in said
    assert float(re.search(r"latencies differ by [0-9.]+ ns at most, ([0-9.]+) clocks", said)[1]) <= 5
    clocks, left_out = map(int, re.search(r"(\d+) clocks, (\d+) left out", said).groups())
    assert left_out > 50 * clocks
    assert float(re.search(r"RTL takes ([0-9.]+) times the CPU time", said)[1]) < 100  # some 3 to 17: not a timed test


def test_pins_and_drive_stand_in_one_file_on_one_time_base(flash_channel, tmp_path):
    flash_channel("mu-rmw", 20, "--vcd", tmp_path / "both.vcd")
    vcd = VCDVCD(str(tmp_path / "both.vcd"))

    def changes(name):
        return [(time, value) for time, value in vcd[name].tv if value not in ("x", "z")]

    rises = [time for time, value in changes("flash.pins.clk") if value == "1"]
    assert len(rises) > 20 * 1152 and all(time % CLOCK == 0 for time in rises)
    ready = changes("flash.pins.rb_n")
    busy = [(low, high - low) for (low, a), (high, b) in zip(ready, ready[1:], strict=False) if (a, b) == ("0", "1")]
    read, program = 200_000_000, 1_300_000_000  # ps: what the drive's description says
    assert {length for _, length in busy} == {read, program}
    # The drive's command is at the flash while its die is busy.
    queue = changes("drive.controller.flash_channel.queue[15:0]")
    for low, length in busy:
        before = [int(value, 2) for time, value in queue if time <= low]
        assert before and before[-1] >= 1, (low, length)
    save = (tmp_path / "both.gtkw").read_text()
    assert "flash.pins.ce_n" in save and "drive.media.head_radius" in save and "both.vcd" in save
    if shutil.which("vcd2fst") is None:
        return
    subprocess.run(["vcd2fst", "both.vcd", "both.fst"], cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "back.vcd").write_bytes(subprocess.run(["fst2vcd", "both.fst"], cwd=tmp_path, check=True, capture_output=True).stdout)
    back = VCDVCD(str(tmp_path / "back.vcd"))
    for name in ("flash.pins.clk", "flash.pins.dq[31:0]", "drive.controller.flash_channel.queue[15:0]"):
        read, written = ([(time, value.lstrip("0x")) for time, value in file[name].tv] for file in (back, vcd))  # fst2vcd fills up to the width
        assert read == written, name


def test_a_die_that_never_becomes_ready_ends_the_run_with_a_sentence_and_its_results(flash_channel):
    said = flash_channel("mu-rmw", 20, "--die-hangs", status=3)
    assert re.search(r"flash, \d+ ps: the RTL has not ended the program of row \d+ in 1000000 clocks; it is in state 6, and R/B# is 0", said)
    assert re.search(r"RTL: +0 requests, 0 wrong, at [0-9.]+ ms; flash: 0 reads, 1 programs", said)


@pytest.mark.parametrize("bytes_", [1, 4096, 65_533])
def test_a_dma_in_verilog_copies_every_byte_and_no_other_while_a_host_works(dma, bytes_):
    said = dma("mu-rmw", bytes_)
    assert f"{bytes_} bytes, same, 0 errors" in said and "host: 20 transfers, 0 wrong" in said
    clocks, left_out = map(int, re.search(r"(\d+) clocks, (\d+) left out", said).groups())
    assert left_out > 100 * clocks


def test_pins_of_a_dma_are_recorded_next_to_the_drive(dma, tmp_path):
    dma("mu-rmw", 64, "--vcd", tmp_path / "dma.vcd")
    vcd = VCDVCD(str(tmp_path / "dma.vcd"))
    assert [value for _, value in vcd["dma.busy"].tv] == ["0", "1", "0"]
    words = [int(value, 2) for _, value in vcd["dma.wdata[31:0]"].tv]
    assert len(set(words)) >= 16
    assert len(vcd["drive.dram.bank_0_row[31:0]"].tv) > 1


def test_an_engine_that_does_not_tell_its_clock_that_it_works_ends_the_run_with_a_sentence_and_its_results(dma):
    said = dma("mu-rmw", 4096, "--no-busy", status=3)
    assert re.search(r"dma\.data, \d+ ns: the clock has stood still since \d+ ns, and the transactor waits until it rises", said)
    assert "4096 bytes, different, 0 errors" in said


def test_a_host_in_rtl_in_cocotb_gets_back_what_it_wrote_and_both_clocks_agree(tmp_path):
    if shutil.which("verilator") is None or importlib.util.find_spec("cocotb") is None:
        pytest.skip("needs verilator and cocotb: ./dev test installs them")
    example = shutil.copytree(REPOSITORY / "examples" / "cocotb", tmp_path / "cocotb")
    environment = {
        **os.environ,
        "VIRTUAL_ENV": sys.prefix,
        "PATH": f"{sys.prefix}/bin:{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY / "analysis"),
        "TESSERA_SIM": str(SIMULATOR),
    }
    done = subprocess.run(["make"], cwd=example, env=environment, capture_output=True, text=True, timeout=200)
    assert "TESTS=1 PASS=1 FAIL=0 SKIP=0" in done.stdout, done.stdout + done.stderr
    ran, of = map(int, re.search(r"40 requests, 0 wrong, (\d+) of (\d+) cycles ran", done.stdout).groups())
    assert ran < 200 and of > 1_000_000
