"""Waveforms of a drive that runs a firmware image: its processor and the interrupts that wake it."""

import re

from images import build_plain
from simulate import simulate

from tessera.waves.dump import Dump
from tessera.waves.waits import listed

CYCLE = 2000  # ps: 500 MHz


def edges(vcd):
    """Times of the rising edges of each signal of the processor; those of `works` behind its start."""
    text = vcd.read_text()
    names = {code: name for code, name in re.findall(r"\$var wire 1 (\S+) (\w+) \$end", text)}
    rises = {name: [] for name in names.values()}
    now, level = 0, dict.fromkeys(names, "0")
    for line in text.split("$enddefinitions $end")[1].splitlines():
        if line.startswith("#"):
            now = int(line[1:])
        elif line and line[1:] in names:
            if line[0] == "1" and level[line[1:]] == "0":
                rises[names[line[1:]]].append(now)
            level[line[1:]] = line[0]
    return rises


def test_each_command_shows_its_interrupts_and_the_processor_works_from_there(tmp_path):
    words = ("--workload", "random-4k", "--limit", 50, "--replay", "queue:1", "--vcd", tmp_path / "waves.vcd", "--signals", "processor.*")
    simulate("run", "demo", "--elf", build_plain(tmp_path), *words, "--out", tmp_path / "out")
    rises = edges(tmp_path / "waves.vcd")
    assert len(rises["interrupt_host"]) == 50 + 1  # and the flush at the end
    assert len(rises["interrupt_disk"]) == 50
    assert rises["interrupt_flash"] == rises["interrupt_timer"] == []
    woken = sorted(rises["interrupt_host"] + rises["interrupt_disk"])
    assert len(rises["works"]) == len(woken) + 1  # and the boot
    assert all(0 <= works - interrupt <= CYCLE for works, interrupt in zip(rises["works"][1:], woken, strict=True))


def test_functions_of_an_image_are_a_lane_and_change_no_result(tmp_path):
    image = build_plain(tmp_path, interrupts=True)
    words = ("run", "demo", "--elf", image, "--workload", "random-4k", "--limit", 30, "--replay", "queue:1", "--requests")
    vcd, timeline = tmp_path / "waves.vcd", tmp_path / "waves.json"
    simulate(*words, "--vcd", vcd, "--timeline", timeline, "--out", tmp_path / "watched")
    simulate(*words, "--out", tmp_path / "alone")
    assert (tmp_path / "watched" / "requests.npy").read_bytes() == (tmp_path / "alone" / "requests.npy").read_bytes()
    dump = Dump(vcd)
    changes = list(dump.changes([f"drive.processor.{name}" for name in ("function", "program_counter", "stack_bytes", "trap")]))
    functions = {change.value for change in changes if change.path.endswith(".function")}
    assert {"-", "firmware", "take"} <= functions
    counters = [int(change.value) for change in changes if change.path.endswith(".program_counter") and change.value != "?"]
    assert counters and all(0x80000000 <= counter < 0x80010000 for counter in counters)
    depths = [int(change.value) for change in changes if change.path.endswith(".stack_bytes") and change.value != "?"]
    assert 0 < max(depths) < 4096
    assert "firmware" in timeline.read_text()
    shown = "\n".join(listed(dump, 5, 200))
    assert "processor.function: take" in shown and "processor.function: firmware" in shown


def test_the_last_trap_of_an_image_is_a_lane(tmp_path):
    image = build_plain(tmp_path, interrupts=True)
    vcd = tmp_path / "waves.vcd"
    simulate("run", "demo", "--elf", image, "--workload", "random-4k", "--limit", 5, "--vcd", vcd, "--signals", "processor", "--out", tmp_path / "out")
    changes = list(Dump(vcd).changes(["drive.processor.trap", "drive.processor.function"]))
    assert str(1 << 63 | 11) in {change.value for change in changes}
    assert "take" in {change.value for change in changes}
