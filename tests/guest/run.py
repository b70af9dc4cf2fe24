"""A drive under an operating system: Linux in QEMU makes ext4 on a served drive and copies files, the power fails, it starts again and looks.
./dev guest [--attach WAY,...] [--layer LAYER,...] [--cuts N] [--requests N] [--seed S]"""

import argparse
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "python")]

from machine import WAYS, GuestEnded, missing  # noqa: E402
from nbd import Served  # noqa: E402
from story import VOLATILE, Broken, cut_in_the_middle, measured_latency  # noqa: E402


def ways(text: str) -> list[str]:
    for word in text.split(","):
        if word not in WAYS:
            raise argparse.ArgumentTypeError(f"unknown way '{word}'; known: {', '.join(WAYS)}")
    return text.split(",")


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is no number from 1")
    return int(text)


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev guest", description="Linux in QEMU on a served drive: power cuts and latency.")
    parser.add_argument("--attach", type=ways, default=list(WAYS), metavar="WAY,...", help=f"how the drive is attached: {', '.join(WAYS)} (default: each)")
    parser.add_argument("--layer", type=lambda text: text.split(","), default=["cmr", "media-cache"], metavar="LAYER,...", help="default: cmr,media-cache")
    parser.add_argument("--cuts", type=positive, default=2, metavar="N", help="power cuts of each (default: 2)")
    parser.add_argument("--requests", type=positive, default=100, metavar="N", help="timed reads and writes of each (default: 100)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="when the cuts come (default: 1)")
    given = parser.parse_args()
    if lacking := missing():
        parser.error(f"no guest without {', '.join(lacking)}")
    for layer in given.layer:
        for way in given.attach:
            with tempfile.TemporaryDirectory(prefix="tessera-guest-") as place:
                folder = Path(place)
                with Served(folder, "common", "--layer", layer, *VOLATILE, "--pace", "real") as drive:
                    for number, cut in enumerate(cut_in_the_middle(folder, drive, way, given.cuts, given.seed), 1):
                        found = f"journal replayed, {cut.promised} synced files whole, e2fsck clean"
                        print(f"{layer:12} {way:10} cut {number} at {cut.at:5.1f} s, {cut.under_way:2} requests under way: {found}", flush=True)
                for row in measured_latency(folder, way, "bare", "--layer", layer, requests=given.requests):
                    means = f"mean {row.guest:.2f} ms in the guest, {row.drive:.2f} ms in the drive ({row.guest / row.drive:.2f}x)"
                    print(f"{layer:12} {way:10} {row.requests} {row.kind}: {means}", flush=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Broken, GuestEnded) as found:
        sys.exit(f"guest: {found}")
