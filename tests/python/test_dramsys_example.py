"""examples/dramsys as a project of its own: DRAMSys 5 is an optional part, here a package that holds the tests' stub of it."""

import subprocess

import pytest
from samples import BUILD, REPOSITORY

STUB = """#pragma once
#include <string>
#include "module/strangers/strange_simulator.hpp"
namespace DRAMSys {
namespace Config {
struct Configuration {};
inline Configuration from_path(const std::string&) { return {}; }
}
struct DRAMSys : strangers::BankedDram {
  DRAMSys(const sc_core::sc_module_name& name, const Config::Configuration&) : BankedDram(name) {}
};
}
"""
TARGET = """add_library(DRAMSys::libdramsys INTERFACE IMPORTED)
target_include_directories(DRAMSys::libdramsys INTERFACE {folder}/include {tests})
"""


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run(["cmake", "--install", BUILD, "--prefix", folder], check=True, capture_output=True)
    return folder


def stub(folder, prefix, version):
    """A package of DRAMSys, in `folder`."""
    header = folder / "include" / "DRAMSys" / "simulation" / "DRAMSys.h"
    header.parent.mkdir(parents=True)
    header.write_text(STUB)
    (folder / "include" / "base").symlink_to(prefix / "include" / "tessera" / "base")
    (folder / "DRAMSysConfig.cmake").write_text(TARGET.format(folder=folder, tests=REPOSITORY / "tests"))
    (folder / "DRAMSysConfigVersion.cmake").write_text(
        f"set(PACKAGE_VERSION {version})\nif(PACKAGE_FIND_VERSION_MAJOR EQUAL {version.split('.')[0]})\n  set(PACKAGE_VERSION_COMPATIBLE TRUE)\nendif()\n"
    )
    return folder


def configured(tmp_path, prefix, *words) -> str:
    done = subprocess.run(["cmake", "-S", REPOSITORY / "examples" / "dramsys", "-B", tmp_path / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", *words],
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_drive_on_dramsys_is_built_where_that_is_found_and_serves(tmp_path, prefix):
    package = stub(tmp_path / "dramsys", prefix, "5.0.0")
    assert "-- DRAMSys: 5.0.0\n" in configured(tmp_path, prefix, f"-DDRAMSys_DIR={package}")
    subprocess.run(["cmake", "--build", tmp_path / "build"], check=True, capture_output=True)
    run = subprocess.run([tmp_path / "build" / "drive_on_dramsys", prefix / "share" / "tessera" / "drives" / "bare.toml", "imr-rmw", "any.json"], capture_output=True, text=True)  # fmt: skip
    assert run.returncode == 0 and "80 transfers, 0 wrong" in run.stdout, run.stdout + run.stderr


def test_sources_of_dramsys_do_as_well(tmp_path, prefix):
    package = stub(tmp_path / "dramsys", prefix, "5.0.0")
    (package / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.22)\nproject(DRAMSys VERSION 5.5.0 LANGUAGES NONE)\n"
                                            "add_library(libdramsys INTERFACE)\nadd_library(DRAMSys::libdramsys ALIAS libdramsys)\n")  # fmt: skip
    assert "-- DRAMSys: 5.5.0\n" in configured(tmp_path, prefix, f"-DDRAMSYS_SOURCES={package}")


@pytest.mark.parametrize(("version", "said"), [(None, "DRAMSys: not found, "), ("4.0.0", "DRAMSys: not found (version 4.0.0 does not do), ")])
def test_without_dramsys_that_is_said_and_the_example_is_left_out(tmp_path, prefix, version, said):
    words = [f"-DDRAMSys_DIR={stub(tmp_path / 'dramsys', prefix, version)}"] if version else []
    assert said in configured(tmp_path, prefix, *words)
    assert "main.cpp" not in (tmp_path / "build" / "build.ninja").read_text()
