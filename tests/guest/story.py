"""What an operating system goes through on a served drive, and what has to be true then."""

import random
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from machine import Machine
from nbd import Served

FILE_SYSTEM = "512M"
# Only a FLUSH or FUA of the guest makes anything durable: what the drive has not been told to write stays in its cache.
VOLATILE = ("--set", "firmware.write_cache.durability=volatile", "--set", "firmware.write_cache.idle_after=10 s")
MOST_PROMISES = 16  # files that are synced before a cut comes, at most
MOST_ADDED = 100  # ms to a request by QEMU, on a machine that is busy
READ, WRITE = 0, 1  # of requests.npy

# Of /sys/block/DISK/stat: requests and milliseconds (Documentation/block/stat).
READS, READ_MS, WRITES, WRITE_MS = 0, 3, 4, 7


class Broken(AssertionError):
    """The drive, or what is between it and the guest, did not keep what was promised."""


def hold(true: bool, what: str) -> None:
    if not true:
        raise Broken(what)


@dataclass
class Cut:
    """A power cut."""

    at: float  # simulated seconds
    under_way: int  # requests that the drive had in hand
    promised: int  # files whose fsync had returned, since the file system was made


def _judge(guest: Machine, promises: dict[str, str]) -> None:
    """Once the guest has looked at what a cut has left."""
    hold(guest.said_after("cache") == ["write back"], "the guest takes the disk for one without a volatile cache, and sends no FLUSH")
    hold(guest.said_after("replayed") == [""], "ext4 was mounted without replaying its journal")
    hold(guest.said_after("kept") == [""], "the tree that was copied before has changed")
    found = dict(line.split(" ") for line in guest.said_after("found"))
    for name, total in promises.items():
        hold(found.get(name) == total, f"file {name} was synced, and is {'changed' if name in found else 'missing'} after the cut")
    hold(guest.said_after("checked") == ["0"], f"e2fsck -fn ends with status {guest.said_after('checked')}")


def cut_in_the_middle(folder: Path, drive: Served, way: str, cuts: int = 1, seed: int = 1) -> Iterator[Cut]:
    """A file system is made; the power of computer and drive fails while the guest copies; both start again, and so on. Yields each cut once what
    it has left was judged."""
    draw = random.Random(seed)
    promises: dict[str, str] = {}  # the sum of each file by its name
    for boot in range(cuts + 1):
        step = "make" if boot == 0 else "go-on" if boot < cuts else "look"
        with Machine(folder / f"boot-{boot}", way, drive.path, step, boot=boot, size=FILE_SYSTEM) as guest:
            if boot > 0:
                guest.hear("checked")
                _judge(guest, promises)
                yield cut
            if boot == cuts:
                guest.ended()
                return
            guest.hear("promised", draw.randint(3, MOST_PROMISES))
            time.sleep(draw.uniform(0, 0.5))  # so that it comes anywhere in a file's life
            guest.stand_still()  # a client that lives on connects again, and its user learns nothing of what the drive has lost
            drive.cut_power(boot + 1)
            promises.update(line.split(" ") for line in guest.said_after("promised"))
            at, under_way = re.findall(r"power cut at (\S+) s with (\d+) requests", drive.log.read_text())[boot]
            cut = Cut(float(at), int(under_way), len(promises))


@dataclass
class Latency:
    """Mean of one kind of request, in milliseconds."""

    kind: str
    requests: int
    guest: float
    drive: float  # times the pace


def measured_latency(folder: Path, way: str, drive: str, *options: str, requests: int, scale: int = 1) -> list[Latency]:
    """Single writes and reads, on a drive whose second takes `scale` seconds: as the guest's kernel counts them, and as the drive does."""
    out = folder / "out"
    pace = "real" if scale == 1 else f"scaled:{scale}"
    with (
        Served(folder, drive, *options, "--pace", pace, "--out", out, "--requests") as served,
        Machine(folder / "boot", way, served.path, "measure", requests=requests) as guest,
    ):
        guest.ended()
        counts = [[int(word) for word in line.split()] for line in guest.said_after("counts")]
    log = np.load(out / "requests.npy")
    log = log[np.argsort(log["number"])]
    rows = []
    for kind, op, number, spent, before, after in (("writes", WRITE, WRITES, WRITE_MS, 0, 1), ("reads", READ, READS, READ_MS, 1, 2)):
        first, last = counts[before][number], counts[after][number]
        hold(last - first == requests, f"{requests} {kind} are {last - first} for the guest's kernel")
        mine = log[log["op"] == op]
        hold(len(mine) >= last, f"the guest's kernel has made {last} {kind}, of which the drive has {len(mine)}")
        mine = mine[first:last]
        mean = (mine["completion"] - mine["arrival"]).astype(float).mean() * 1e-9 * scale
        row = Latency(kind, requests, (counts[after][spent] - counts[before][spent]) / requests, mean)
        least = row.drive - 1 / requests  # the kernel counts whole milliseconds
        hold(least <= row.guest <= row.drive + MOST_ADDED, f"{kind} take {row.guest:.2f} ms in the guest and {row.drive:.2f} ms in the drive")
        rows.append(row)
    return rows
