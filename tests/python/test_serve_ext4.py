"""A file system on a served drive: ext4 through nbdfuse and a loop device, with its power cut while files are copied. As root, where FUSE and
loop devices are to be had."""

import contextlib
import filecmp
import os
import shutil
import subprocess
import time

import pytest
from nbd import PATIENCE, Served
from samples import REPOSITORY

MISSING = [program for program in ("nbdfuse", "losetup", "mkfs.ext4", "e2fsck", "mount", "umount") if shutil.which(program) is None]
if MISSING or os.geteuid() != 0 or not os.access("/dev/fuse", os.R_OK | os.W_OK) or not os.path.exists("/dev/loop-control"):
    reason = f"no {', '.join(MISSING)}" if MISSING else "it takes root, /dev/fuse and /dev/loop-control"
    pytest.skip(f"ext4 on a served drive is not tested here: {reason}", allow_module_level=True)

SIZE = "256M"


def call(*command, status=(0,)):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=PATIENCE)
    assert result.returncode in status, f"{command}: status {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout.strip()


@contextlib.contextmanager
def block_device(drive, folder):
    """The drive as a loop device over nbdfuse."""
    folder.mkdir()
    fuse = subprocess.Popen(["nbdfuse", folder, drive.uri], stderr=subprocess.DEVNULL)
    device = None
    try:
        end = time.monotonic() + PATIENCE
        while not (folder / "nbd").exists():
            assert fuse.poll() is None and time.monotonic() < end
            time.sleep(0.01)
        try:
            device = call("losetup", "-f", "--show", folder / "nbd")
        except AssertionError as refused:
            pytest.skip(f"no loop device is to be had here: {refused}")
        yield device
    finally:
        if device is not None:
            subprocess.run(["losetup", "-d", device])
        subprocess.run(["umount", "-l", folder])
        fuse.wait(PATIENCE)


@contextlib.contextmanager
def mounted(device, folder):
    call("mount", "-t", "ext4", device, folder)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], capture_output=True)


def same(one, other):
    compared = filecmp.dircmp(one, other)
    assert not compared.left_only and not compared.right_only and not compared.diff_files and not compared.funny_files
    for name in compared.common_dirs:
        same(one / name, other / name)


def test_ext4_keeps_what_it_promises_through_a_power_cut(tmp_path):
    tree = REPOSITORY / "docs"
    mount = tmp_path / "mount"
    mount.mkdir()
    with Served(tmp_path, "bare", "--layer", "imr-rmw") as drive:
        with block_device(drive, tmp_path / "first") as device:
            call("mkfs.ext4", "-q", device, SIZE)
            with mounted(device, mount):
                shutil.copytree(tree, mount / "kept")
        with block_device(drive, tmp_path / "second") as device, mounted(device, mount):
            same(tree, mount / "kept")
            for copy in range(3):
                shutil.copytree(tree, mount / f"copy{copy}")
            call("sync", "-f", mount)
            copying = subprocess.Popen(["sh", "-c", f"for n in $(seq 1000); do cp -r {tree} {mount}/cut$n && sync -f {mount} || exit; done"],
                                       stderr=subprocess.DEVNULL)  # fmt: skip
            end = time.monotonic() + PATIENCE
            while not (mount / "cut3").exists():
                assert copying.poll() is None and time.monotonic() < end
                time.sleep(0.001)
            drive.cut_power()
            assert copying.wait(PATIENCE) != 0
        with block_device(drive, tmp_path / "third") as device:
            assert "recovering journal" in call("e2fsck", "-p", device, status=(0, 1))  # 1: mended
            assert "clean" in call("e2fsck", "-n", device)
            with mounted(device, mount):
                for copy in ("kept", "copy0", "copy1", "copy2"):
                    same(tree, mount / copy)
    assert drive.status == 0
