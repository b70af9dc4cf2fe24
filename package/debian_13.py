"""Builds the simulator on a bare Debian 13, runs unit tests there (with Catch2 3), and holds a run against one of this system's build. Needs root
and a network."""

import shutil
import subprocess
import sys
from pathlib import Path

from wheel import ROOT, run

PLACE = ROOT / "build" / "debian-13"
SOURCES = "tessera"  # in the new root
TARGETS = ("tessera-sim", "unit_base", "unit_description")
RUN = ("common", "--layer", "mu-rmw", "--workload", "web-server", "--fold", "--limit", "5000")


def make_root() -> None:
    shutil.rmtree(PLACE, ignore_errors=True)
    run("debootstrap", "--variant=minbase", "--include=ca-certificates", "trixie", PLACE)
    shutil.copy("/etc/resolv.conf", PLACE / "etc" / "resolv.conf")
    run("git", "-c", "safe.directory=*", "clone", "--quiet", ROOT, PLACE / SOURCES)


def inside(words: str) -> None:
    """A line of a shell in the sources of the new root, with a network and with /proc."""
    alone = ["unshare", "--mount", "--pid", "--fork", f"--mount-proc={PLACE}/proc", "chroot", str(PLACE)]
    clean = ["/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8"]
    subprocess.run([*alone, *clean, "sh", "-c", f"cd /{SOURCES} && {words}"], check=True)


def main() -> None:
    make_root()
    # Files by the dozen: half the time of a build from nothing.
    inside(f"mkdir -p build && TESSERA_UNITY=1 ./dev build {' '.join(TARGETS)} >build/log 2>&1 || {{ tail -n 60 build/log; exit 1; }}")
    inside("ctest --test-dir build/release --no-tests=error --output-on-failure -R '^unit_(base|description):' >build/tests 2>&1 || { tail -n 60 build/tests; exit 1; }")
    inside("tail -n 3 build/tests")
    inside(f"build/release/tessera-sim run {' '.join(RUN)} --out build/run >/dev/null")
    here = ROOT / "build" / "debian-12-run"
    shutil.rmtree(here, ignore_errors=True)
    run(ROOT / "build" / "release" / "tessera-sim", "run", *RUN, "--out", here)
    print(run(sys.executable, "-m", "tessera", "same", here, PLACE / Path(SOURCES) / "build" / "run"), end="")
    print("the same figures on Debian 13")


if __name__ == "__main__":
    main()
