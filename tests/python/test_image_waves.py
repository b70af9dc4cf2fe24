"""Waveforms of a drive that runs a firmware image: its processor and the interrupts that wake it."""

import re

from images import build_plain
from simulate import simulate

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
