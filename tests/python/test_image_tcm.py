"""Firmware images in the processor's tightly coupled memory: what lies there is served, timed and lost as there, and fits or is refused."""

import subprocess

import numpy as np
import pytest
from images import build_layer, build_plain
from samples import REPOSITORY
from simulate import run, simulate
from test_three_ways import REGISTERS, assert_same, run_one_way

TCM = 0x4400_0000
CATEGORIES = ("metadata", "merge_buffer", "write_cache", "read_cache", "host_buffer", "descriptors", "code")
WEB_SERVER = ("--workload", "web-server", "--fold", "--limit", 2000, "--check", "--requests")
RANDOM = ("--workload", "random-4k", "--limit", 600, "--check", "--requests")
CACHES = ("--set", "processor.code_cache.size=16 KiB", "--set", "processor.data_cache.size=8 KiB")
CACHED_WRITES = ("--set", "firmware.write_cache.capacity=1 MiB", "--set", "firmware.write_cache.durability=plp", "--set", "firmware.read_cache.segments=4")


@pytest.fixture(scope="module")
def images():
    return {parts: build_layer("cmr", parts) for parts in ("", "code", "data,stack")}


def placed(*categories, size="64 MiB"):
    words = (f"controller.tcm.size={size}", *(f"firmware.placement.{category}=tcm" for category in categories))
    return [word for setting in words for word in ("--set", setting)]


def completions(folder):
    return np.load(folder / "requests.npy")["completion"]


# The disk's caches add commands to a request, each of which an engine finds elsewhere.
ROOM = ("--set", "controller.tcm.size=192 KiB")  # for code with all that a drive may have
UNCACHED = ("--set", "controller.scheduling=first_come", "--set", "firmware.read_cache.segments=0", "--set", "firmware.write_cache.capacity=0 B")


def test_without_caches_the_processor_takes_the_same_where_an_image_lies(images, tmp_path):
    for parts, image in images.items():
        done = run(tmp_path / parts, "demo", "--elf", image, *WEB_SERVER, *UNCACHED, *ROOM)
        assert done.metric("scoreboard.errors") == 0 and done.metric("host.requests") == 2000
        assert (done.metric("tcm.reserved.code") > 0) == (parts != "")
        if parts == "":
            dram = done
        assert done.metric("processor.instructions") == dram.metric("processor.instructions")
        assert done.metric("processor.cycles") == dram.metric("processor.cycles")
        # Engines find commands on a stack in the TCM.
        assert np.abs(completions(tmp_path / parts).astype(np.int64) - completions(tmp_path).astype(np.int64)).max() < 200e3


@pytest.mark.parametrize("width", [32, 64])
def test_a_firmware_that_lies_there_as_a_whole_has_its_rings_reached_by_address(tmp_path, width):
    words = ("--elf", build_plain(tmp_path, width, begin=TCM), *RANDOM, "--check-protocol", *placed("host_buffer"))
    done = run(tmp_path / "out", "demo", *words)
    assert done.metric("host.requests") == 600 and done.metric("scoreboard.errors") == 0
    assert done.metric("tcm.dma.bytes") - done.metric("bus.descriptors.bytes") == 2 * 600 * 4096  # between link, TCM and disk
    assert "plain firmware: ready" in (tmp_path / "out" / "firmware.log").read_text()


@pytest.mark.parametrize("category", sorted({*CATEGORIES} - {"descriptors"}))  # rings lie in the heap, which is code
def test_each_kind_of_memory_can_lie_in_the_tcm_of_an_image(images, tmp_path, category):
    words = ("--elf", images[""], *WEB_SERVER[:3], "--limit", 600, "--check", *CACHED_WRITES, "--cut-at", "40ms", "--cut-at", "1s")
    done = run(tmp_path / "tcm", "demo", *words, *placed(category))
    assert done.metric("scoreboard.errors") == 0
    assert done.metric(f"tcm.reserved.{category}") > 0
    if category in ("metadata", "code"):  # of the others the processor touches no byte
        assert done.metric(f"tcm.accesses.{category}") > 0
    assert (done.metric(f"dram.reserved.{category}") == 0) == (category != "code")  # the image itself is linked to the DRAM
    dram = run(tmp_path / "dram", "demo", *words)
    for memory in ("host_buffer", "metadata", "write_cache", "read_cache", "merge_buffer"):
        assert done.metric(f"tcm.reserved.{memory}") + done.metric(f"dram.reserved.{memory}") == dram.metric(f"dram.reserved.{memory}")


@pytest.mark.parametrize("parts", ["code", "data,stack"])
def test_a_power_cut_takes_the_tcm_and_the_image_is_loaded_anew(images, parts):
    words = ("--elf", images[parts], "--operations", 4, "--cuts", 4, "--jobs", 2, "--durability", "plp", *placed("metadata", "write_cache"))
    assert "cmr" in simulate("torture", "torture", *words).stdout


@pytest.mark.parametrize(
    ("parts", "settings", "says"),
    [
        ("data,stack", ["--set", "controller.tcm.size=64 KiB"], "is too large: it takes 69632 bytes, and the TCM of 65536 B (controller.tcm.size) holds"),
        ("code", ["--set", "controller.tcm.size=0 B"], "is linked to 0x44000000, expected an address in the DRAM, 0x80000000 to 0xffffffff, or in a TCM at 0x44000000 (controller.tcm.size is 0: there is none)"),
        ("data,stack", placed("metadata", size="100 KiB"), 'firmware.placement.metadata = "dram" asks for less'),
        ("", placed("code", size="32 KiB"), "cannot hold the heap of the firmware image"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_by_check_and_run_alike(images, tmp_path, parts, settings, says):
    words = ("demo", "--elf", images[parts], *settings)
    checked = simulate("check", *words, status=2).stderr
    assert says in checked and checked.count("\n") == 1
    assert simulate("run", *words, *RANDOM, "--out", tmp_path, status=2).stderr == checked


def test_the_size_that_is_said_to_fit_does(images):
    words = ("check", "demo", "--elf", images["data,stack"], *UNCACHED, "--set", "firmware.placement.metadata=tcm", "--set")
    needed = 76 << 10
    for _ in range(2):  # the image stops at the first table that does not fit: what it asks for behind that is not known
        refused = simulate(*words, f"controller.tcm.size={needed} B", status=2).stderr
        needed = int(refused.split("a TCM of ")[1].split(" B would fit it and what came before it, if nothing else comes")[0])
    simulate(*words, f"controller.tcm.size={needed} B")
    simulate(*words, f"controller.tcm.size={needed - 1} B", status=2)


def test_engines_reach_an_images_rings_where_its_heap_lies(images, tmp_path):
    words = ("--elf", images[""], *RANDOM)
    tcm, dram = (run(tmp_path / place, "demo", *words, *settings) for place, settings in (("tcm", placed("code")), ("dram", ())))
    assert tcm.metric("bus.descriptors.bytes") == dram.metric("bus.descriptors.bytes") > 0
    assert dram.metric("dram.dma.bytes") - tcm.metric("dram.dma.bytes") == dram.metric("bus.descriptors.bytes")
    assert tcm.metric("tcm.dma.bytes") == tcm.metric("bus.descriptors.bytes") >= 600 * (64 + (32 + 56) + 32)  # the host's entry, a chain of a step, its completion
    told = simulate("check", "demo", "--elf", images[""], "--set", "firmware.placement.descriptors=dram").stdout
    assert "firmware.placement.descriptors: without effect, a firmware image (--elf) has its rings where it says" in told


def test_what_an_image_in_the_tcm_makes_useful_is_not_said_to_be_without_effect(images):
    settings = ("--set", "controller.tcm.latency=2")
    assert "controller.tcm.latency: without effect" in simulate("check", "demo", "--elf", images[""], *settings).stdout
    assert "without effect" not in simulate("check", "demo", "--elf", images["code"], *settings, *ROOM).stdout
    told = simulate("check", "demo", "--elf", images["code"], *ROOM, "--set", "controller.code_cache.size=8 KiB").stdout
    assert "controller.code_cache.size: without effect, the hart of a firmware image" in told


@pytest.mark.parametrize("layer", ["cmr", "mu-rmw"])
def test_tables_and_buffers_in_the_tcm_are_the_same_through_registers(tmp_path, layer):
    """Of linked firmware: what it pays for the TCM, and what comes back from a power cut."""
    words = ("--workload", "web-server", "--fold", "--layer", layer, "--limit", 1000, "--check", "--cut-at", "2s", "--set", "controller.tcm.latency=3", *CACHED_WRITES, *placed(*CATEGORIES, size="256 MiB"))
    assert_same(run_one_way(tmp_path / "native", *words), run_one_way(tmp_path / "registers", *words, *REGISTERS))


def test_an_unknown_part_is_refused_with_those_there_are():
    done = subprocess.run([REPOSITORY / "dev", "firmware", "cmr", "--tcm", "stack,heap"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "dev: unknown part 'heap' of --tcm; known: code data stack\n")
