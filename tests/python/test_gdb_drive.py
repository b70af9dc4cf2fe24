"""gdb-multiarch at the processor of a drive that runs a firmware image (run --elf --gdb)."""

import contextlib
import json
import os
import re
import select
import signal
import subprocess
import time

import pytest
from debugger import NEEDED, PATIENCE, gdb, gdb_words
from images import build_layer, build_plain
from simulate import SIMULATOR, simulate

pytestmark = NEEDED
WORKLOAD = ("--workload", "random-4k", "--check")
SHORT = (*WORKLOAD, "--limit", 300)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return build_plain(tmp_path_factory.mktemp("image"))


@pytest.fixture(scope="module")
def cmr():
    return build_layer("cmr")


@contextlib.contextmanager
def waiting_run(image, out, *words):
    """A run that waits for a debugger, and its port."""
    command = [SIMULATOR, "run", "demo", "--elf", image, *(words or SHORT), "--gdb", 0, "--out", out]
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        yield process, int(re.fullmatch(r"waiting for GDB: target remote 127\.0\.0\.1:(\d+)\n", process.stderr.readline())[1])
    finally:
        process.kill()
        process.wait(timeout=PATIENCE)
        process.stderr.close()


def debugged(image, out, *commands, status=0, words=()):
    """What GDB prints, and what the simulator says; fails the test where its exit status is not `status`."""
    with waiting_run(image, out, *words) as (process, port):
        printed = gdb(image, port, *commands)
        said = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == status, printed + said
    return printed, said


def figures(folder):
    """What the model says of a run, without the machine's own figures."""
    summary = json.loads((folder / "summary.json").read_text())
    summary["metrics"] = {name: value for name, value in summary["metrics"].items() if "of this machine" not in value["description"]}
    return summary


def test_break_in_the_write_path_of_a_layer_print_its_run_step_and_continue(cmr, tmp_path):
    no_caches = ("--set", "firmware.write_cache.capacity=0 B", "--set", "firmware.read_cache.segments=0")  # the host's writes reach the layer at once
    words = (*SHORT, "--requests", *no_caches)
    simulate("run", "demo", "--elf", cmr, *words, "--out", tmp_path / "alone")
    commands = ["break tessera::Cmr::write", "continue", "print run", "backtrace", "stepi", "next", "step", "monitor time", "delete"]
    commands += ["watch -l *(unsigned *)$sp", "continue", "delete", "break tessera::Cmr::write if run.first.value_ > 1000000", "continue", "finish", "delete", "continue"]
    printed, _ = debugged(cmr, tmp_path / "debugged", *commands, words=words)
    assert "Breakpoint 1, tessera::Cmr::write " in printed
    assert re.search(r"\$1 = {first = {value_ = \d+}, count = \d+}", printed)
    assert re.search(r"#0 .*Cmr::write .*\n#1 .*CommandServer::write.*\n(.*\n)*#\d .*hal::Runtime::round.*\n#\d .*firmware_main", printed)
    assert re.search(r"^\d+\.\d{6} ms$", printed, re.MULTILINE)
    assert re.search(r"Hardware watchpoint 2: -location .*\n\nOld value = ", printed)
    assert "Value returned is " in printed
    assert "exited normally" in printed
    assert figures(tmp_path / "alone") == figures(tmp_path / "debugged")
    assert (tmp_path / "alone" / "requests.npy").read_bytes() == (tmp_path / "debugged" / "requests.npy").read_bytes()


def test_the_tcm_is_memory_to_the_debugger(tmp_path):
    image = build_layer("cmr", "data,stack")
    commands = ["break tessera::Cmr::write", "continue", "print $sp >= 0x44000000 && $sp < 0x44020000"]
    commands += ["set var *(char *)($sp - 64) = 7", "print *(char *)($sp - 64)", "backtrace", "delete", "continue"]
    printed, _ = debugged(image, tmp_path, *commands, words=(*WORKLOAD, "--limit", 20))
    assert "$1 = true\n" in printed and "$2 = 7 " in printed
    assert re.search(r"#\d .*firmware_main", printed)
    assert "exited normally" in printed


def test_single_steps_through_registers_and_waits_change_no_figure(plain, tmp_path):
    simulate("run", "demo", "--elf", plain, *SHORT, "--requests", "--out", tmp_path / "alone")
    commands = ["stepi 300", "watch commands_taken", "continue", "delete", "stepi 3000", "monitor time", "continue"]
    debugged(plain, tmp_path / "debugged", *commands, words=(*SHORT, "--requests"))
    assert figures(tmp_path / "alone") == figures(tmp_path / "debugged")
    assert (tmp_path / "alone" / "requests.npy").read_bytes() == (tmp_path / "debugged" / "requests.npy").read_bytes()


def test_monitor_shows_the_requests_and_cuts_the_power(plain, tmp_path):
    commands = ["monitor cut", "watch commands_taken", "continue", "continue", "monitor requests", "monitor cut", "monitor cut", "continue", "delete", "continue"]
    printed, _ = debugged(plain, tmp_path, *commands)
    assert "the drive is being switched on: there is nothing to cut yet" in printed
    assert re.search(r"request \d+ waits for the disk channel since ", printed)
    assert "the power is cut when the processor goes on" in printed
    assert re.findall(r"New value = (\d+)", printed) == ["1", "2", "1"]  # behind the cut the firmware begins anew, and is watched there, too
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["run"]["power_cuts"] == 1
    assert not any("power cut" in note for note in summary["run"]["notes"])
    assert summary["metrics"]["scoreboard.errors"]["value"] == 0


def test_control_c_stops_the_firmware_while_time_stands_still(plain, tmp_path):
    with waiting_run(plain, tmp_path, *WORKLOAD, "--limit", 10_000_000) as (process, port):
        words = gdb_words(plain, port, "watch commands_taken", "continue", "delete", "continue", "monitor time", "monitor time", "info registers pc", "kill")
        debugger = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        printed = b""
        until = time.monotonic() + PATIENCE
        while b"received signal SIGINT" not in printed:
            assert time.monotonic() < until
            # GDB loses a Ctrl-C between two commands.
            if b"New value" in printed and not select.select([debugger.stdout], [], [], 0.5)[0]:
                debugger.send_signal(signal.SIGINT)
            printed += os.read(debugger.stdout.fileno(), 4096) if select.select([debugger.stdout], [], [], 1)[0] else b""
        printed = (printed + debugger.communicate(timeout=PATIENCE)[0]).decode()
        process.communicate(timeout=PATIENCE)
    times = re.findall(r"^(\d+\.\d+) ms$", printed, re.MULTILINE)
    assert len(times) == 2
    assert times[0] == times[1]
    assert process.returncode == 128 + signal.SIGTERM  # killed: the run ends in order, with what it has
    assert json.loads((tmp_path / "summary.json").read_text())["run"]["partial"]


@pytest.mark.parametrize(("statement", "says"), [('__asm__(".word 0")', "an illegal instruction"), ("set(IDENT_MAGIC,1)", "write of ident.magic, which is read-only")])
def test_a_fault_stops_in_the_debugger_and_ends_the_run_with_status_3(tmp_path, statement, says):
    image = build_plain(tmp_path, wrong=statement)
    printed, said = debugged(image, tmp_path / "out", "continue", "backtrace", "continue", status=3)
    assert says in printed
    assert "Program received signal SIGSEGV" in printed
    assert re.search(r"#0 .*(start|set|firmware) ", printed)
    assert "exited with code 03" in printed
    assert says in said


def test_a_debugger_that_detaches_or_never_does_more_than_look_changes_nothing(plain, tmp_path):
    debugged(plain, tmp_path / "detached", "watch commands_taken", "continue", "info registers", "x/4xw $sp", "x/1xg 0x40000000", "detach")
    simulate("run", "demo", "--elf", plain, *SHORT, "--out", tmp_path / "alone")
    assert figures(tmp_path / "alone") == figures(tmp_path / "detached")


def test_gdb_needs_an_image_and_a_port(plain, tmp_path):
    assert "--gdb needs --elf" in simulate("run", "demo", *SHORT, "--gdb", 0, "--out", tmp_path, status=2).stderr
    done = simulate("run", "demo", "--elf", plain, *SHORT, "--gdb", 65536, "--out", tmp_path, status=2)
    assert "65535" in done.stderr
