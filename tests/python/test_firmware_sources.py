"""`./dev firmware LAYER` compiles what the layer needs: not much more, and nothing less."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from samples import REPOSITORY

BUILD = Path(os.environ["TESSERA_SIM"]).parent if "TESSERA_SIM" in os.environ else REPOSITORY / "build" / "release"
ARCHIVE = BUILD / "models" / "firmware" / "libtessera_firmware.a"


@pytest.fixture(scope="module")
def sources(tmp_path_factory) -> dict[str, set[str]]:
    """By layer, the names of the firmware's files in its image, without suffix."""
    if shutil.which("riscv64-unknown-elf-g++") is None or not Path("/usr/include/newlib/c++").is_dir():
        pytest.skip("the compilers of ./dev firmware are not installed")
    folder = tmp_path_factory.mktemp("images")
    toolchain = REPOSITORY / "images" / "rv64imac.cmake"
    subprocess.run(["cmake", "-S", REPOSITORY / "images", "-B", folder, "-G", "Ninja", "--toolchain", toolchain], check=True, capture_output=True)
    linked = re.findall(r"^build ([a-z0-9-]+)-rv64imac\.elf: \S+ (.*?) \|", (folder / "build.ninja").read_text(), re.M)
    return {layer: set(re.findall(r"/models/firmware/\S*?(\w+)\.cpp\.obj", objects)) for layer, objects in linked}


def test_an_image_is_made_of_the_files_of_its_layer(sources):
    assert len(sources) > 20
    assert len(sources["cmr"]) < 66 and len(sources["imr-rmw"]) < 80
    assert "imr_rmw_factory" in sources["imr-rmw"] and "runtime" in sources["imr-rmw"]
    assert not {"tiers_layer", "tiers_factory", "zone_store", "layer_list"} & sources["imr-rmw"]


def test_nothing_of_the_firmware_that_an_image_uses_is_missing(sources):
    said = subprocess.run(["nm", "-A", ARCHIVE], capture_output=True, text=True).stdout
    symbols = re.findall(r":(\w+)\.cpp\.o:\s*[0-9a-f]* ([A-Za-z]) (\S+)", said)
    if len({file for file, _, _ in symbols}) < 200:
        pytest.skip(f"{ARCHIVE} has not an object for each file")
    made_by: dict[str, str] = {name: file for file, kind, name in symbols if kind in "TDRB"}
    used_by: dict[str, set[str]] = {}
    for file, kind, name in symbols:
        if kind == "U" and name in made_by:
            used_by.setdefault(file, set()).add(made_by[name])
    for layer, files in sources.items():
        missing = {(file, needed) for file in files for needed in used_by.get(file, ()) if needed not in files}
        assert not missing, f"{layer}: {sorted(missing)}"
