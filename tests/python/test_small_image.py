"""The firmware of cmr as a small bare-metal image: it fits, and serves the drive from its own processor."""

import shutil
import subprocess
from pathlib import Path

import pytest
from simulate import run

ROOT = Path(__file__).resolve().parents[2]
WORKLOAD = ("--workload", "web-server", "--fold", "--limit", 400, "--check")


@pytest.fixture(scope="module")
def small_cmr(tmp_path_factory):
    if shutil.which("riscv64-unknown-elf-g++") is None or not Path("/usr/include/newlib/c++").is_dir():
        pytest.skip("the compilers of ./dev firmware are not installed")
    folder = tmp_path_factory.mktemp("images")
    toolchain = ROOT / "images" / "rv64imac.cmake"
    ccache = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    configure = ["cmake", "-S", ROOT / "images", "-B", folder, "-G", "Ninja", "--toolchain", toolchain, "-DTESSERA_SMALL=ON", *ccache]
    subprocess.run(configure, check=True, capture_output=True, timeout=120)
    image = "cmr-rv64imac-small.elf"
    subprocess.run(["cmake", "--build", folder, "--target", image], check=True, capture_output=True, timeout=600)
    return folder / image


def sections(image: Path) -> dict[str, int]:
    said = subprocess.run(["riscv64-unknown-elf-size", "-A", image], check=True, capture_output=True, text=True).stdout
    return {words[0]: int(words[1]) for words in map(str.split, said.splitlines()) if len(words) == 3 and words[0].startswith(".")}


def test_cmr_with_command_server_caches_and_defect_management_has_less_than_108_kib_of_text(small_cmr):
    assert 16 << 10 < sections(small_cmr)[".text"] < 108 << 10


def test_an_image_says_of_which_layer_it_is_and_for_which_register_map(small_cmr):
    symbols = subprocess.run(["riscv64-unknown-elf-nm", small_cmr], check=True, capture_output=True, text=True).stdout
    assert " tessera_image_layer\n" in symbols and " tessera_image_version\n" in symbols
    assert b"cmr\0" in small_cmr.read_bytes()


def test_the_image_serves_every_request_and_two_runs_are_the_same(small_cmr, tmp_path):
    for name in ("a", "b"):
        done = run(tmp_path / name, "demo", "--layer", "cmr", "--elf", small_cmr, *WORKLOAD, "--requests")
        assert done.metric("host.requests") == 400
        assert done.metric("scoreboard.errors") == 0
        assert done.metric("processor.instructions") > 400 * 100
    assert (tmp_path / "a" / "requests.npy").read_bytes() == (tmp_path / "b" / "requests.npy").read_bytes()


@pytest.mark.parametrize("durability", ["journal", "plp"])
def test_power_cuts_lose_nothing_that_the_image_has_promised(small_cmr, tmp_path, durability):
    cache = ("firmware.write_cache.capacity=1MiB", f"firmware.write_cache.durability={durability}", "layers.cmr.journal_tracks=16")
    words = [word for setting in cache for word in ("--set", setting)]
    cuts = [word for time in ("150ms", "2s", "2004ms", "7s") for word in ("--cut-at", time)]
    assert run(tmp_path, "bare", "--layer", "cmr", "--elf", small_cmr, *WORKLOAD, *words, *cuts).metric("scoreboard.errors") == 0
