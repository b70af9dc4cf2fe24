"""tessera firmware: images by name, what is in them, and where there are no sources."""

import json
import re
import shutil
import subprocess

import pytest
from images import build_layer, build_plain
from samples import REPOSITORY
from simulate import LAYERS, SIMULATOR
from typer.testing import CliRunner

from tessera.cli import app
from tessera.firmware import images
from tessera.firmware.elf import Image


@pytest.fixture(autouse=True)
def built_simulator(monkeypatch):
    monkeypatch.setenv("TESSERA_SIM", str(SIMULATOR))


def call(*words, status=0):
    result = CliRunner().invoke(app, ["firmware", *map(str, words)])
    assert result.exit_code == status, result.output
    return result.output


@pytest.mark.parametrize("width", [32, 64])
def test_an_image_is_as_large_as_binutils_say(width, tmp_path):
    file = build_plain(tmp_path, width)
    image = Image(file)
    said = subprocess.run(["riscv64-unknown-elf-size", file], check=True, capture_output=True, text=True).stdout.splitlines()[1].split()
    assert [image.sizes.text, image.sizes.data, image.sizes.bss] == [int(count) for count in said[:3]]
    assert (image.wide, image.machine) == (width == 64, f"RISC-V, {width} bits")
    names = subprocess.run(["riscv64-unknown-elf-nm", "-S", file], check=True, capture_output=True, text=True).stdout
    expected = {(words[3], int(words[1], 16)) for line in names.splitlines() if len(words := line.split()) == 4}
    assert {(symbol.name, symbol.size) for symbol in image.symbols if symbol.size} == expected


def test_the_image_of_a_layer_is_listed_measured_and_run_by_name(tmp_path):
    file = build_layer("cmr")
    assert re.search(r"^cmr +.*rv64imac [\d,]+", call("list"), re.MULTILINE)
    facts = json.loads(call("size", "cmr", "--symbols", 3, "--matching", "Cmr", "--json"))
    assert (facts["file"], facts["layer"], len(facts["symbols"])) == (str(file), "cmr", 3)
    assert all("Cmr" in name for name in facts["symbols"])
    assert list(facts["symbols"].values()) == sorted(facts["symbols"].values(), reverse=True)
    made = json.loads(call("run", "cmr", "--workload", "random-4k", "--limit", 50, "--check", "--json", "--out", tmp_path))
    assert made["metrics"]["processor.instructions"]["value"] > 0 and made["metrics"]["host.served"]["value"] == 50


def test_images_are_listed_with_what_they_were_built_with(tmp_path, monkeypatch):
    monkeypatch.setattr(images, "BUILT", tmp_path)
    for form in ("rv64imac", "rv64imac-tcm-code-stack", "rv32imac-small"):
        (tmp_path / f"cmr-{form}.elf").symlink_to(build_layer("cmr"))
    built = json.loads(call("list", "--json"))["layers"]
    assert set(built["cmr"]) == {"rv64imac", "rv64imac tcm code stack", "rv32imac small"}
    assert built["imr-rmw"] == {}


def test_building_is_what_dev_does(monkeypatch):
    calls = []
    monkeypatch.setattr(images.subprocess, "run", lambda words: calls.append(words) or subprocess.CompletedProcess(words, 0))
    call("build", "all", "--arch", "rv32imac", "--small")
    call("build", "all", "--tcm", "data,stack")
    assert calls == [
        [str(REPOSITORY / "dev"), "firmware", "all", "--arch", "rv32imac", "--small"],
        [str(REPOSITORY / "dev"), "firmware", "all", "--arch", "rv64imac", "--tcm", "data,stack"],
    ]


def test_without_sources_building_and_listing_say_so_and_the_rest_works(tmp_path, monkeypatch):
    file = build_plain(tmp_path)
    monkeypatch.setattr(images, "TOOL", tmp_path / "dev")
    for words in (("build", "cmr"), ("list",)):
        assert call(*words, status=2) == "tessera: images are built from the sources, which an installed package does not bring: './dev firmware LAYER' in a clone of them\n"
    assert "RISC-V, 64 bits" in call("size", file)


@pytest.mark.parametrize("arch", ["rv64imac", "rv32imac"])
def test_an_image_of_ones_own_is_built_without_sources_and_runs(tmp_path, monkeypatch, arch):
    subprocess.run(["cmake", "--install", SIMULATOR.parent, "--component", "program", "--prefix", tmp_path / "package"], check=True, capture_output=True)
    monkeypatch.setattr(images, "INSTALLED", tmp_path / "package" / "share" / "tessera" / "firmware")
    monkeypatch.setattr(images, "TOOL", tmp_path / "dev")
    (tmp_path / "mine.c").write_text((REPOSITORY / "tests" / "install" / "firmware.c").read_text().replace("../images", str(REPOSITORY / "tests" / "images")))
    assert call("build", tmp_path / "mine.c", "--arch", arch) == f"{tmp_path / 'mine.elf'}\n"
    made = json.loads(call("run", tmp_path / "mine.elf", "--workload", "random-4k", "--limit", 50, "--check", "--json", "--out", tmp_path / "out"))
    assert made["metrics"]["host.served"]["value"] == 50 and "plain firmware: ready" in (tmp_path / "out" / "firmware.log").read_text()


def test_a_trap_without_a_handler_ends_the_run_with_a_sentence(tmp_path):
    (tmp_path / "mine.c").write_text('const char tessera_image_layer[] = "cmr", tessera_image_version[] = "4";\nvoid firmware_main(void) { __builtin_trap(); }\n')
    call("build", tmp_path / "mine.c")
    failed = subprocess.run([SIMULATOR, "run", "bare", "--elf", tmp_path / "mine.elf", "--workload", "random-4k", "--out", tmp_path / "out"], capture_output=True, text=True)
    assert failed.returncode == 3 and "a trap, and no firmware_trap() in the image" in failed.stderr


@pytest.mark.parametrize(("words", "said"), [
    (("build", "mine.c"), "mine.c: no such file"),
    (("build", "mine.c", "--small"), "--small and --tcm are for layers"),
    (("build", "mine.c", "--arch", "rv64"), "unknown architecture 'rv64'"),
    (("build", "cmmr"), "unknown layer 'cmmr'; did you mean 'cmr'?"),
    (("build", "cmr", "--arch", "rv64"), "unknown architecture 'rv64'; did you mean 'rv64imac'?"),
    (("build", "cmr", "--tcm", "code,stak"), "unknown part of an image 'stak'; did you mean 'stack'?"),
    (("size", "cmmr"), "unknown image or layer 'cmmr'; did you mean 'cmr'?"),
    (("size", REPOSITORY / "README.md"), "is no firmware image: expected an ELF file, little-endian"),
])  # fmt: skip
def test_what_is_not_there_is_one_sentence(words, said):
    output = call(*words, status=2)
    assert said in output and output.count("\n") == 1


def test_an_image_that_is_cut_short_is_refused(tmp_path):
    file = build_plain(tmp_path)
    short = tmp_path / "short.elf"
    short.write_bytes(file.read_bytes()[:2000])
    assert "is cut short" in call("size", short, status=2)


def test_a_layer_without_an_image_says_how_to_make_one(monkeypatch, tmp_path):
    monkeypatch.setattr(images, "BUILT", tmp_path)
    assert f"{LAYERS[1]} has no image yet: 'tessera firmware build {LAYERS[1]}' makes one" in call("run", LAYERS[1], "--workload", "random-4k", "--out", tmp_path, status=2)


def test_cpp_names_are_shown_in_full(tmp_path):
    if shutil.which("c++filt") is None:
        pytest.skip("binutils are not installed")
    found = images.largest(Image(build_layer("cmr")), 5, "tessera::Cmr::")
    assert found and all(name.startswith("tessera::Cmr::") for name, _ in found)


def test_the_example_of_the_page_is_built_and_runs(tmp_path):
    (tmp_path / "mine.c").write_text((REPOSITORY / "tests" / "images" / "plain_firmware.c").read_text())
    assert call("build", tmp_path / "mine.c") == f"{tmp_path / 'mine.elf'}\n"
    made = json.loads(call("run", tmp_path / "mine.elf", "--workload", "random-4k", "--limit", 20, "--check", "--json", "--out", tmp_path / "out"))
    assert made["metrics"]["host.served"]["value"] == 20
