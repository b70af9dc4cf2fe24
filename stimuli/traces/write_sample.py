"""Writes the requests of a run as an MSR trace: python3 write_sample.py RUN/requests.npy OUT.csv.xz"""

import lzma
import sys

import numpy as np

PS_PER_TICK = 100_000
SECTOR = 512

requests = np.load(sys.argv[1])
with lzma.open(sys.argv[2], "wt", preset=9 | lzma.PRESET_EXTREME, newline="\n") as trace:
    trace.write("Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n")
    for arrival, lba, blocks, op in zip(requests["arrival"], requests["lba"], requests["blocks"], requests["op"], strict=True):
        trace.write(f"{arrival // PS_PER_TICK},sample,0,{('Read', 'Write')[op]},{lba * SECTOR},{blocks * SECTOR},0\n")
