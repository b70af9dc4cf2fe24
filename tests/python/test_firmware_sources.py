"""`./dev firmware LAYER` compiles what the layer needs: not much more, and nothing less."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from samples import REPOSITORY

MODELS = REPOSITORY / "models"
HOSTS_ALONE = {"DriveFlashConfig::problem"}  # asked for as a description is read


@pytest.fixture(scope="module")
def sources(tmp_path_factory) -> dict[str, set[str]]:
    """By layer, the firmware's files in its image, as paths under models."""
    if shutil.which("riscv64-unknown-elf-g++") is None or not Path("/usr/include/newlib/c++").is_dir():
        pytest.skip("the compilers of ./dev firmware are not installed")
    folder = tmp_path_factory.mktemp("images")
    toolchain = REPOSITORY / "images" / "rv64imac.cmake"
    subprocess.run(["cmake", "-S", REPOSITORY / "images", "-B", folder, "-G", "Ninja", "--toolchain", toolchain], check=True, capture_output=True)
    linked = re.findall(r"^build ([a-z0-9-]+)-rv64imac\.elf: \S+ (.*?) \|", (folder / "build.ninja").read_text(), re.M)
    return {layer: set(re.findall(r"/models/(firmware/\S*?\w+\.cpp)\.obj", objects)) for layer, objects in linked}


class Firmware:
    """The text of the firmware: who includes what, and where what its headers declare is defined."""

    def __init__(self):
        self.text = {str(file.relative_to(MODELS)): file.read_text() for file in MODELS.glob("firmware/**/*.[hc]pp")}
        self.includes = {file: re.findall(r'^#include "(firmware/[^"]+)"', text, re.M) for file, text in self.text.items()}
        self.definitions = [row for file in self.text if file.endswith(".cpp") for row in self._defined_in(file)]

    def _defined_in(self, file: str) -> list[tuple[str, str, str, str]]:
        """Name in full, name as it is called, the header that declares it, and the file."""
        text, seen = self.text[file], self.closure({file})
        methods = re.findall(r"^(?!\s|//|#)[^\n;(]*?\b(\w+)::(~?\w+)\(", text, re.M)
        functions = re.findall(r"^(?!\s|//|#)[\w:<>&*, ]+?[ &*](\w+)\([^;]*?\{", outside(text), re.M)
        rows = [(f"{of}::{name}", name, rf"^(?:class|struct) {of}\b[^;{{]*\{{") for of, name in methods]
        rows += [(name, name, rf"^(?!\s|//|return\b)[^\n(;]*[ &*]{name}\([^;{{]*\);") for name in functions]
        headers = [header for header in seen if header.endswith(".hpp")]
        return [(full, name, header, file) for full, name, declares in rows for header in headers if re.search(declares, self.text[header], re.M)]

    def closure(self, files: set[str]) -> set[str]:
        seen: set[str] = set()
        left = list(files)
        while left:
            if (file := left.pop()) not in seen and file in self.text:
                seen.add(file)
                left += self.includes[file]
        return seen

    def missing(self, files: set[str]) -> set[tuple[str, str]]:
        """What files call of the headers that they see, and where it is defined, if that is none of them."""
        seen, called = self.closure(files), set(re.findall(r"\b(~?\w+)\(", "".join(self.text[file] for file in files)))
        return {(full, file) for full, name, header, file in self.definitions if file not in files and header in seen and name in called and full not in HOSTS_ALONE}


def outside(text: str) -> str:
    """Without unnamed namespaces."""
    return re.sub(r"^namespace \{.*?^\}  // namespace$", "", text, flags=re.M | re.S)


def test_an_image_is_made_of_the_files_of_its_layer(sources):
    assert len(sources) > 20
    assert len(sources["cmr"]) < 66 and len(sources["imr-rmw"]) < 80
    names = {Path(file).stem for file in sources["imr-rmw"]}
    assert "imr_rmw_factory" in names and "runtime" in names
    assert not {"tiers_layer", "tiers_factory", "zone_store", "layer_list"} & names


def test_nothing_of_the_firmware_that_an_image_uses_is_missing(sources):
    """By the text: the archive holds the files by the dozen, and tells none from its neighbours."""
    firmware = Firmware()
    assert len({file for *_, file in firmware.definitions}) > 200
    for layer, files in sources.items():
        assert not firmware.missing(files), layer
    needed = sources["imr-rmw"]
    noticed = [file for file in needed if file in {where for _, where in firmware.missing(needed - {file})}]
    assert len(noticed) > 0.9 * len(needed)  # the others are asked for by the image's own main.cpp, or by tables of theirs
