"""A description of one's own, in any folder, starts from a built-in one."""

import subprocess

from simulate import SIMULATOR, simulate


def test_a_description_in_any_folder_extends_a_built_in_drive(tmp_path):
    (tmp_path / "fast.toml").write_text('extends = "bare"\n[media]\nrpm = "10000 rpm"\n')
    (tmp_path / "faster.toml").write_text('extends = "./fast.toml"\n[media]\ndensity_gain = 1.5\n')
    assert "is valid" in simulate("check", tmp_path / "faster.toml", "--layer", "cmr").stdout
    relative = subprocess.run([SIMULATOR.resolve(), "check", "faster.toml"], cwd=tmp_path, capture_output=True, text=True)
    assert relative.returncode == 0, relative.stderr
    listed = simulate("list", "parameters", tmp_path / "faster.toml").stdout
    assert "10000 rpm" in listed


def test_a_workload_in_any_folder_extends_a_built_in_one(tmp_path):
    (tmp_path / "mine.toml").write_text('extends = "random-4k"\nrequests = 20\n')
    simulate("run", "demo", "--layer", "cmr", "--workload", tmp_path / "mine.toml", "--out", tmp_path / "out")
