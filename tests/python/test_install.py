"""The platform is a library as well: an installation serves find_package(tessera) and finds its own descriptions."""

import subprocess

from samples import BUILD, REPOSITORY


def call(*command) -> str:
    result = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert result.returncode == 0, f"{result.stdout}\n{result.stderr}"
    return result.stdout


def test_another_project_binds_the_drive_s_host_socket(tmp_path):
    prefix, build = tmp_path / "prefix", tmp_path / "build"
    call("cmake", "--install", BUILD, "--prefix", prefix)
    assert "common" in call(prefix / "bin" / "tessera-sim", "list", "drives")
    call("cmake", "-S", REPOSITORY / "tests" / "install", "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    call("cmake", "--build", build)
    assert "read completed at 10" in call(build / "consumer", prefix / "share" / "tessera" / "drives" / "common.toml")


def test_an_installation_has_its_licence_and_the_notices_of_what_it_is_linked_with(tmp_path):
    call("cmake", "--install", BUILD, "--prefix", tmp_path)
    papers = tmp_path / "share" / "doc" / "tessera"
    assert "Apache License\n                           Version 2.0" in (papers / "LICENSE").read_text()
    assert "the Tessera authors" in (papers / "NOTICE").read_text()
    notices = (papers / "THIRD_PARTY_NOTICES.md").read_text().lower()
    linked = subprocess.run(["ldd", BUILD / "tessera-sim"], capture_output=True, text=True, check=True).stdout
    for library, name in (("libsystemc", "systemc"), ("libboost", "boost"), ("libtomlplusplus", "toml++"), ("libzstd", "zstd"), ("liblzma", "liblzma"),
                          ("libz.so", "zlib"), ("libbz2", "bzip2"), ("libstdc++", "libstdc++"), ("libgcc_s", "libgcc"), ("libc.so", "glibc")):  # fmt: skip
        assert library not in linked or name in notices
    known = ("systemc", "boost", "tomlplusplus", "zstd", "lzma", "z.so", "bz2", "stdc++", "gcc_s", "libc.so", "libm.so", "ld-linux", "linux-vdso")
    assert all(any(name in line for name in known) for line in linked.splitlines())
