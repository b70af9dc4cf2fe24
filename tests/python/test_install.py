"""The platform is a library as well: an installation serves find_package(tessera) and finds its own descriptions."""

import subprocess
from pathlib import Path

import pytest
from samples import BUILD, REPOSITORY


def call(*command) -> str:
    result = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert result.returncode == 0, f"{result.stdout}\n{result.stderr}"
    return result.stdout


def test_another_project_mounts_the_drive_and_brings_a_layer_of_its_own(tmp_path):
    prefix, build = tmp_path / "prefix", tmp_path / "build"
    call("cmake", "--install", BUILD, "--prefix", prefix)
    assert "bare" in call(prefix / "bin" / "tessera-sim", "list", "drives")
    call("cmake", "-S", REPOSITORY / "tests" / "install", "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    call("cmake", "--build", build)
    drive = prefix / "share" / "tessera" / "drives" / "bare.toml"
    assert "the drive gave back what was written" in call(build / "consumer", drive)
    for platform in ("nvme_platform", "ahci_platform"):
        assert "the block came back" in call(build / platform, drive)
    for image in ("own_firmware", "own_firmware_32"):
        run = call(prefix / "bin" / "tessera-sim", "run", "bare", "--elf", build / f"{image}.elf", "--workload", "random-4k", "--limit", 100, "--check", "--out", tmp_path / image)
        assert "plain firmware: ready" in (tmp_path / image / "firmware.log").read_text(), run
    own = call(build / "own_layer", drive)
    assert "the drive gave back what was written" in own
    assert "4 sectors through" in own  # 1.5 KiB from 3.5 KiB on touch two sectors: read before the write, and read back


def configure_with_images(tmp_path, call_of_function: str) -> subprocess.CompletedProcess:
    """Of a project that knows nothing of the package but its firmware images."""
    call("cmake", "--install", BUILD, "--prefix", tmp_path / "prefix")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(images LANGUAGES NONE)\n"
        f"set(Tessera_FIRMWARE_DIR {tmp_path}/prefix/share/tessera/firmware)\ninclude({tmp_path}/prefix/lib/cmake/tessera/firmware_images.cmake)\n{call_of_function}\n"
    )
    return subprocess.run(["cmake", "-S", tmp_path, "-B", tmp_path / "build", "-G", "Ninja"], capture_output=True, text=True)


@pytest.mark.parametrize(("words", "said"), [
    ("own SOURCES own.c ARCH rv64", "unknown ARCH 'rv64'; known: rv64imac rv32imac"),
    ("own own.c", "expected SOURCES FILE... [ARCH ARCHITECTURE]"),
])  # fmt: skip
def test_an_image_that_cannot_be_is_refused(tmp_path, words, said):
    failed = configure_with_images(tmp_path, f"tessera_add_firmware_image({words})")
    assert failed.returncode != 0 and said in " ".join(failed.stderr.split())


def test_an_installation_has_its_licence_and_the_notices_of_what_it_is_linked_with(tmp_path):
    call("cmake", "--install", BUILD, "--prefix", tmp_path)
    papers = tmp_path / "share" / "doc" / "tessera"
    assert "Apache License\n                           Version 2.0" in (papers / "LICENSE").read_text()
    assert "the Tessera authors" in (papers / "NOTICE").read_text()
    notices = (papers / "THIRD_PARTY_NOTICES.md").read_text().lower()
    linked = subprocess.run(["ldd", BUILD / "tessera-sim"], capture_output=True, text=True, check=True).stdout
    for library, name in (("libsystemc", "systemc"), ("libboost", "boost"), ("libtomlplusplus", "toml++"), ("libzstd", "zstd"), ("liblzma", "liblzma"),
                          ("libz.so", "zlib"), ("libbz2", "bzip2"), ("liblz4", "lz4"), ("libstdc++", "libstdc++"), ("libgcc_s", "libgcc"), ("libc.so", "glibc")):  # fmt: skip
        assert library not in linked or name in notices
    known = ("systemc", "boost", "tomlplusplus", "zstd", "lzma", "z.so", "bz2", "lz4", "stdc++", "gcc_s", "libc.so", "libm.so", "ld-linux", "linux-vdso")
    assert all(any(name in line for name in known) for line in linked.splitlines())


def test_an_installation_has_the_sample_trace_and_finds_its_own(tmp_path):
    call("cmake", "--install", BUILD, "--component", "program", "--prefix", tmp_path)
    sample = tmp_path / "share" / "tessera" / "traces" / "sample.csv.xz"
    assert sample.stat().st_size < 300_000
    assert call(tmp_path / "bin" / "tessera-sim", "probe", "sample").startswith(f"{sample}: read as msr (rate ")


def test_systemc_is_found_through_its_cmake_package_too(tmp_path):
    package = tmp_path / "SystemCLanguage"
    package.mkdir()
    library = next(Path("/usr/lib").glob("*/libsystemc.so"))
    (package / "SystemCLanguageConfig.cmake").write_text(
        "add_library(SystemC::systemc SHARED IMPORTED)\n"
        f"set_target_properties(SystemC::systemc PROPERTIES IMPORTED_LOCATION {library} INTERFACE_COMPILE_DEFINITIONS SC_CPLUSPLUS=201703L)\n"
    )
    build = tmp_path / "build"
    call("cmake", "-S", REPOSITORY, "-B", build, "-G", "Ninja", "-DTESSERA_SYSTEMC=cmake", f"-DSystemCLanguage_DIR={package}",
         "-DTESSERA_BUILD_TESTS=OFF", "-DTESSERA_BUILD_BENCH=OFF")  # fmt: skip
    assert str(library) in (build / "build.ninja").read_text()
    assert "set(TESSERA_SYSTEMC cmake)" in (build / "tesseraConfig.cmake").read_text()


def test_an_unknown_way_to_systemc_is_refused(tmp_path):
    result = subprocess.run(["cmake", "-S", str(REPOSITORY), "-B", str(tmp_path), "-G", "Ninja", "-DTESSERA_SYSTEMC=conan"], capture_output=True, text=True)  # fmt: skip
    assert result.returncode != 0 and "TESSERA_SYSTEMC is 'conan'; it is auto, pkg-config or cmake" in result.stderr


def test_the_page_shows_a_part_of_the_platform_that_is_compiled():
    page = (REPOSITORY / "docs" / "guide" / "parts.md").read_text()
    shown = page.split("## Behind NVMe or AHCI")[1].split("```cpp\n")[1].split("```")[0]
    assert shown in (REPOSITORY / "examples" / "nvme_platform" / "main.cpp").read_text()
