"""Installs the wheel on a bare Debian 12 with nothing but python3 and no network, and holds a run there against one of the build. Needs root."""

import shutil
import subprocess
import sys

from wheel import OUT, ROOT, only, run

PLACE = OUT / "bare"
HOUSE = "wheels"  # in the new root: what pip may install from
RUN = ("common", "--layer", "mu-rmw", "--workload", "web-server", "--fold", "--limit", "5000")


def make_root() -> None:
    shutil.rmtree(PLACE, ignore_errors=True)
    run("debootstrap", "--variant=minbase", "--include=python3", "bookworm", PLACE)


def inside(*words: str) -> None:
    """A command in the new root, without a network but with /proc, where a program finds its own place."""
    alone = ["unshare", "--net", "--mount", "--pid", "--fork", f"--mount-proc={PLACE}/proc", "chroot", str(PLACE)]
    subprocess.run([*alone, "/usr/bin/env", "-i", "PATH=/opt/tessera/bin:/usr/bin:/bin", *words], check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    make_root()
    house = PLACE / HOUSE
    house.mkdir()
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:", "--dest", house)
    run(*pip, "pip")
    run(*pip, "--constraint", ROOT / "analysis" / "constraints.txt", only(OUT))
    (installer,) = house.glob("pip-*.whl")
    inside("python3", "-m", "venv", "--without-pip", "/opt/tessera")
    inside("python3", f"/{HOUSE}/{installer.name}/pip", "--python", "/opt/tessera/bin/python", "install", "--no-index", "--find-links", f"/{HOUSE}", "tessera")
    inside("tessera", "run", *RUN, "--out", "/out/by-tessera")
    inside("tessera-sim", "run", *RUN, "--out", "/out/by-simulator")
    inside("tessera", "new-layer", "mine", "--plug-in", "c", "--out", "/out/mine")
    inside("sh", "-c", 'test -f "$(tessera new-layer --include)/tessera_firmware.h" -a -f "$(tessera new-layer --examples)/careless.c"')
    inside("python3", "-c", "from tessera.kernel import Drive; assert Drive('common', layer='mu-rmw').run_until('1 s') == '1 s'")
    inside("tessera", "plot", "/out/by-tessera", "--only", "energy", "--out", "/out/energy.png")
    run(ROOT / "build" / "release" / "tessera-sim", "run", *RUN, "--out", OUT / "by-build")
    for folder in ("by-tessera", "by-simulator"):
        print(run(sys.executable, "-m", "tessera", "same", OUT / "by-build", PLACE / "out" / folder), end="")
    print("the wheel runs on a bare Debian 12")


if __name__ == "__main__":
    main()
