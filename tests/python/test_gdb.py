"""gdb-multiarch at a bare hart (tests/gdb): what a user does in a session, on RV64 and RV32."""

import contextlib
import re
import signal
import socket
import subprocess

import pytest
from debugger import COMPILER, NEEDED, PATIENCE, gdb, gdb_words
from samples import BUILD, REPOSITORY

MACHINE = BUILD / "tests" / "gdb" / "gdb_hart"
PROGRAM = REPOSITORY / "tests" / "gdb" / "program.c"
pytestmark = NEEDED


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    folder = tmp_path_factory.mktemp("images")

    def compiled(bits, *options):
        file = folder / ("_".join([f"rv{bits}", *options]) + ".elf").replace("-", "")
        if not file.exists():
            machine = [f"-march=rv{bits}imac_zicsr", f"-mabi={'lp64' if bits == 64 else 'ilp32'}", "-mcmodel=medany"]
            link = "-Wl,-n,--no-relax,--no-warn-rwx-segments,-Ttext=0x80000000,--build-id=none"
            command = [COMPILER, *machine, "-Og", "-g", "-Wall", "-Werror", "-ffreestanding", "-nostdlib", "-static", link, *options, PROGRAM, "-o", file]
            subprocess.run(command, check=True, timeout=PATIENCE)
        return file

    return compiled


@contextlib.contextmanager
def machine(image):
    """The machine that waits for a debugger, and its port."""
    process = subprocess.Popen([MACHINE, image, "gdb"], stdout=subprocess.PIPE, text=True)
    try:
        yield process, int(process.stdout.readline().removeprefix("port "))
    finally:
        process.kill()
        process.wait(timeout=PATIENCE)
        process.stdout.close()


def session(image, *commands):
    """What GDB prints, what the machine prints, and the machine's exit status."""
    with machine(image) as (process, port):
        printed = gdb(image, port, *commands)
        own = process.communicate(timeout=PATIENCE)[0]
    return printed, own, process.returncode


@pytest.mark.parametrize("bits", [64, 32])
def test_break_print_step_watch_and_continue(image, bits):
    commands = ["break square if number == 3", "continue", "backtrace", "print number", "delete", "finish", "watch rounds", "continue"]
    printed, machine_s, status = session(image(bits), *commands, "print rounds", "print latest", "delete", "stepi", "next", "continue")
    assert re.search(r"Breakpoint 1, square \(number=number@entry=3\)", printed)
    assert re.search(r"#0  square .*\n#1 .* in sum_of_squares .*\n#2 .* in main ", printed)
    assert "$1 = 3\n" in printed
    assert "Value returned is $2 = 9\n" in printed
    assert "Old value = 2\nNew value = 3\n" in printed
    assert "$3 = 3\n" in printed
    assert "$4 = {number = 3, square = 9}\n" in printed
    assert "exited with code 067" in printed  # 1 + 4 + 9 + 16 + 25 = 0o67
    assert status == 55
    alone = subprocess.run([MACHINE, image(bits)], capture_output=True, text=True, timeout=PATIENCE)
    assert alone.returncode == 55
    assert machine_s == alone.stdout  # no cycle more or less, whatever the debugger did
    assert re.fullmatch(r"cycles \d+\n", alone.stdout)


@pytest.mark.parametrize("bits", [64, 32])
def test_registers_and_memory_are_read_and_written_in_their_width(image, bits):
    top = "0x8877665544332211" if bits == 64 else "0x44332211"
    commands = ["break square", "continue", "print number", "set var number = 4", f"set $s5 = {top}", "print/x $s5", "print $mcycle < 1000", "info registers mtvec"]
    commands += ["set var *(long *)&latest.square = 7", "print latest.square", "x/1xw 0x7ffffffc", "print *(int *)0x40000000", "delete", "finish", "monitor time", "monitor tiem", "kill"]
    printed, _, _ = session(image(bits), *commands)
    assert f"$2 = {top}\n" in printed
    assert "$3 = 1\n" in printed
    assert re.search(r"mtvec +0x0", printed)
    assert "$4 = 7\n" in printed
    assert "Cannot access memory at address 0x7ffffffc" in printed
    assert "Cannot access memory at address 0x40000000" in printed
    assert "Value returned is $5 = 16\n" in printed
    assert re.search(r"^\d+ cycles$", printed, re.MULTILINE)
    assert "unknown command 'tiem'; there are:\nmonitor time" in printed


def test_control_c_stops_what_runs_and_detach_lets_it_run_to_its_end(image):
    waiting = image(64, "-DWAITS")
    with machine(waiting) as (process, port):
        commands = gdb_words(waiting, port, "continue", "backtrace", "set var released = 1", "detach")
        debugger = subprocess.Popen(commands, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert process.stdout.readline() == "w\n"  # from here on it runs in a circle
        debugger.send_signal(signal.SIGINT)
        printed = debugger.communicate(timeout=PATIENCE)[0]
        process.communicate(timeout=PATIENCE)
    assert "Program received signal SIGINT" in printed
    assert re.search(r"wait_for_the_debugger .*\n#1 .* in main ", printed)
    assert "detached" in printed
    assert process.returncode == 55


def test_a_debugger_that_is_killed_leaves_the_program_to_itself(image):
    waiting = image(64, "-DWAITS")
    with machine(waiting) as (process, port):
        commands = gdb_words(waiting, port, "break square if number == 5", "set var released = 1", "continue", "python import os; os.kill(os.getpid(), 9)")
        subprocess.run(commands, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
        assert process.communicate(timeout=PATIENCE)[0].startswith("w\ncycles ")
    assert process.returncode == 55


@pytest.mark.parametrize("bits", [64, 32])
@pytest.mark.parametrize(("options", "guessed"), [((), True), (("-fno-omit-frame-pointer",), False)])
def test_a_fault_shows_where_it_was_and_who_called(image, bits, options, guessed):
    astray = image(bits, "-DGOES_ASTRAY", *options)
    alone = subprocess.run([MACHINE, astray], capture_output=True, text=True, timeout=PATIENCE)
    assert alone.returncode == 3
    assert re.match(r"fault 2\n#0  go_astray.*\n#1  main\+0x.*\n#2  _start\+0x.*\n", alone.stdout)
    assert ("may be incomplete" in alone.stdout) == guessed
    printed, _, status = session(astray, "continue", "backtrace", "continue")
    assert "fault: cause 2 at 0x800" in printed
    assert "Program received signal SIGSEGV" in printed
    assert re.search(r"#0 .*go_astray .*\n#1 .* in main ", printed)
    assert status == 3


def test_what_is_no_debugger_does_no_harm(image):
    with machine(image(64, "-DWAITS")) as (process, port):
        for garbage in (b"GET / HTTP/1.1\r\n\r\n", b"$" + b"x" * 1_000_000 + b"#00", b"$m0,ffffffffffffffff#00$qC#b", b"\x00\xff\x03" * 1000):
            with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
                client.sendall(garbage)
                client.sendall(b"$?#3f")
                answer = b""
                while b"thread:1;#" not in answer:
                    answer += client.recv(4096)
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
            client.sendall(b"$k#6b")
            assert process.wait(timeout=PATIENCE) == 0
