"""Other people's clients of a served drive: nbdinfo, nbdcopy, qemu-img, qemu-io, fio."""

import json
import random
import shutil
import subprocess

import pytest
from nbd import PATIENCE, Served

MIB = 1 << 20


def needs(*programs):
    missing = [program for program in programs if shutil.which(program) is None]
    return pytest.mark.skipif(bool(missing), reason=f"no {', '.join(missing)} on this machine")


def call(*words):
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture
def drive(tmp_path):
    with Served(tmp_path, "common", "--layer", "imr-rmw") as served:
        yield served
    assert served.status == 0


@pytest.fixture
def picture(tmp_path):
    """4 MiB of data, a hole of 12 MiB, and 1 MiB of data."""
    file = tmp_path / "picture.img"
    rng = random.Random(3)
    with file.open("wb") as out:
        out.write(rng.randbytes(4 * MIB))
        out.seek(16 * MIB)
        out.write(rng.randbytes(MIB))
    return file


@needs("nbdinfo")
def test_nbdinfo_finds_what_is_offered(drive):
    export = json.loads(call("nbdinfo", "--json", drive.uri))
    assert export["protocol"] == "newstyle-fixed"
    assert export["structured"] is True
    (disk,) = export["exports"]
    assert disk["export-size"] == drive.size
    assert disk["contexts"] == ["base:allocation"]
    assert (disk["block_size_minimum"], disk["block_size_preferred"], disk["block_size_maximum"]) == (512, 4096, 32 * MIB)
    can = ["can_df", "can_fast_zero", "can_flush", "can_fua", "can_multi_conn", "can_trim", "can_zero", "is_rotational"]
    assert all(disk[name] for name in can)
    assert not disk["is_read_only"]
    assert "base:allocation" in call("nbdinfo", "--list", drive.uri)


@needs("nbdinfo")
def test_nbdinfo_maps_what_was_written_and_trimmed(drive):
    client = drive.connect()
    client.write(MIB, b"1" * MIB)
    assert client.call(4, MIB, MIB // 2)[0] == 0  # TRIM
    extents = [(part["offset"], part["length"], part["type"]) for part in json.loads(call("nbdinfo", "--json", "--map", drive.uri))]
    assert extents == [(0, MIB, 3), (MIB, MIB // 2, 1), (MIB + MIB // 2, MIB // 2, 0), (2 * MIB, drive.size - 2 * MIB, 3)]


@needs("nbdcopy")
def test_nbdcopy_copies_in_and_out(drive, picture, tmp_path):
    call("nbdcopy", "--flush", picture, drive.uri)
    call("nbdcopy", "--flush", "--requests=8", "--connections=4", picture, drive.uri)
    back = tmp_path / "back.img"
    call("nbdcopy", drive.uri, back)
    data = picture.read_bytes()
    with back.open("rb") as file:
        assert file.read(len(data)) == data
    assert back.stat().st_size == drive.size
    assert back.stat().st_blocks * 512 < 40 * MIB  # what was never written stays a hole


@needs("qemu-img")
def test_qemu_img_converts_compares_and_maps(drive, picture):
    call("qemu-img", "convert", "-n", "-f", "raw", "-O", "raw", picture, drive.uri)
    call("qemu-img", "compare", "-f", "raw", "-F", "raw", picture, drive.uri)
    parts = json.loads(call("qemu-img", "map", "--output=json", "-f", "raw", drive.uri))
    zero = {part["start"]: part["length"] for part in parts if part["zero"]}
    assert zero == {4 * MIB: 12 * MIB, 17 * MIB: drive.size - 17 * MIB}


@needs("qemu-io")
def test_qemu_io_writes_zeros_with_and_without_holes(drive):
    commands = ["write -P 7 0 3M", "write -z 512k 1M", "write -z -u 2M 512k", "write -z -f 1M 64k", "flush",
                "read -P 7 0 512k", "read -P 0 512k 1M", "read -P 7 1536k 512k", "read -P 0 2M 512k", "read -P 7 2560k 512k",
                "read -P 0 100M 4M", "discard 0 4k", "write -z -u -n 200M 2M"]  # fmt: skip
    printed = call("qemu-io", "-f", "raw", *(word for command in commands for word in ("-c", command)), drive.uri)
    assert "failed" not in printed
    assert printed.count("bytes at offset") == len(commands) - 1
    slow = subprocess.run(["qemu-io", "-f", "raw", "-c", "write -z -u -n 0 64k", drive.uri], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    assert "Operation not supported" in slow.stdout + slow.stderr  # zeros have to be written there, which is not fast


@needs("fio")
def test_fio_trims_and_writes(drive, tmp_path):
    fio = ["fio", "--name=trims", "--ioengine=nbd", f"--uri={drive.uri}", "--rw=trimwrite", "--bs=4k", "--size=4m", "--iodepth=16",
           "--fsync=50", "--output-format=json"]  # fmt: skip
    done = subprocess.run(fio, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr


@needs("qemu-img", "nbdcopy")
def test_an_image_is_what_strangers_wrote(picture, tmp_path):
    image = tmp_path / "disk.img"
    with Served(tmp_path, "common", "--layer", "fluid", "--image", image) as served:
        call("qemu-img", "convert", "-n", "-f", "raw", "-O", "raw", picture, served.uri)
        served.kill()
    with Served(tmp_path, "common", "--layer", "fluid", "--image", image) as served:
        back = tmp_path / "back.img"
        call("nbdcopy", served.uri, back)
    data = picture.read_bytes()
    for copy in (image, back):
        with copy.open("rb") as file:
            assert file.read(len(data)) == data
        assert copy.stat().st_blocks * 512 < 40 * MIB
