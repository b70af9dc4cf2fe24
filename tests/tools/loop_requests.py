"""Requests to a block device that is named, past the page cache, for the recorders of block events."""

import fcntl
import mmap
import os
import struct
import sys
import time

BLKDISCARD = 0x1277  # linux/fs.h
DEVICE_BYTES = 64 << 20
# Operation, offset and size in bytes, as a reader of the queue events has to find them. A loop device has no FUA: a durable write is one with
# FUA in its queue event, and a flush comes behind it.
FOUND = [
    ("r", 0x10000, 4096), ("w", 0x200000, 8192), ("r", 0x30000, 65536), ("u", 0x400000, 4096), ("f", 0, 0), ("w", 0x3FFF000, 4096), ("f", 0, 0),
    ("t", 0x800000, 0x100000), ("r", 0x1000, 512),
]  # fmt: skip


def issue(device: str) -> None:
    disk = os.open(device, os.O_RDWR | os.O_DIRECT)

    def read(offset: int, size: int) -> None:
        os.preadv(disk, [mmap.mmap(-1, size)], offset)
        time.sleep(0.01)

    def write(offset: int, size: int, flags: int = 0) -> None:
        os.pwritev(disk, [mmap.mmap(-1, size)], offset, flags)
        time.sleep(0.01)

    read(0x10000, 4096)
    write(0x200000, 8192)
    read(0x30000, 65536)
    write(0x400000, 4096, os.RWF_DSYNC)
    write(0x3FFF000, 4096)
    os.fsync(disk)
    fcntl.ioctl(disk, BLKDISCARD, struct.pack("QQ", 0x800000, 0x100000))
    read(0x1000, 512)
    os.close(disk)


if __name__ == "__main__":
    issue(sys.argv[1])
