"""The same firmware three ways: by calls, out of a shared library, and through the driver library over the machine's registers. Media and flash
get the same commands at the same times, and every figure of a run is the same."""

import json
import re

import pytest
from samples import BUILD
from simulate import LAYERS, simulate

IN_TREE = BUILD / "tests" / "plugins" / "tessera_layers.so"
REGISTERS = ("--set", "simulation.firmware_through=registers")
WAYS = {"plug-in": ("--firmware", IN_TREE), "registers": REGISTERS}
# What the disk channel is given, command by command with its class, tag and place, and what each die of the flash does with which page.
COMMANDS = "controller.disk_channel,nand.die_*"
WEB_SERVER = ("--workload", "web-server", "--fold", "--prefill", 100, "--seed", 3, "--check")


def figures(folder):
    """What the model says of a run, without the machine's own figures and the way by which the firmware got there."""
    summary = json.loads((folder / "summary.json").read_text())
    summary["run"].pop("firmware", None)
    summary["inputs"] = [entry for entry in summary["inputs"] if entry["role"] not in ("firmware", "image")]
    summary["metrics"] = {name: value for name, value in summary["metrics"].items() if "of this machine" not in value["description"]}
    return summary


def commands(folder):
    """The changes of the recorded signals, each behind its picosecond."""
    return (folder / "commands.vcd").read_text().split("$enddefinitions $end", 1)[1]


def run_one_way(folder, *words, drive="bare"):
    folder.mkdir()
    record = ("--vcd", folder / "commands.vcd", "--signals", COMMANDS)
    simulate("run", drive, *words, "--requests", "--events", *record, "--out", folder)
    return folder


def assert_same(one, other):
    assert commands(one) == commands(other)
    assert figures(one) == figures(other)
    for file in ("requests.npy", "events.csv"):
        assert (one / file).read_bytes() == (other / file).read_bytes()


@pytest.mark.parametrize("layer", LAYERS)
def test_media_and_flash_get_the_same_commands_at_the_same_times_whichever_way_the_firmware_comes(tmp_path, layer):
    words = (*WEB_SERVER, "--layer", layer, "--limit", 10_000)
    native = run_one_way(tmp_path / "native", *words)
    assert figures(native)["metrics"]["scoreboard.errors"]["value"] == 0
    assert len(re.findall(r"^#", commands(native), re.MULTILINE)) > 10_000
    for way, more in WAYS.items():
        assert_same(native, run_one_way(tmp_path / way, *words, *more))


@pytest.mark.parametrize("layer", ["mu-rmw", "skylight-flash", "pore", "hwsr", "tessera", "tessera-imr"])
def test_pages_that_several_writes_share_cost_the_same_through_registers(tmp_path, layer):
    """Flash pages of four sectors: a write that finds one begun fills it, and the firmware gives its sectors with those of the other."""
    words = ("--workload", "web-server", "--fold", "--limit", 2000, "--replay", "closed:32", "--layer", layer)
    native = run_one_way(tmp_path / "native", *words, drive="tlc")
    assert_same(native, run_one_way(tmp_path / "registers", *words, *REGISTERS, drive="tlc"))


@pytest.mark.parametrize("layer", LAYERS)
def test_power_cuts_and_restarts_find_the_same_drive_through_registers(tmp_path, layer):
    words = (*WEB_SERVER, "--layer", layer, "--limit", 1000, "--cut-at", "2s", "--cut-at", "9s", "--restart-at", "5s")
    assert_same(run_one_way(tmp_path / "native", *words), run_one_way(tmp_path / "registers", *words, *REGISTERS))
