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
