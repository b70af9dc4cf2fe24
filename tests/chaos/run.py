"""Chaos outside the simulator: sweeps and searches whose programs are killed, whose disks are full or cannot be written, whose folders others want
too. After a round's disturbances the same command is given until it ends well, and what is there then is compared, byte for byte of its figures,
with what an undisturbed command gives.  ./dev chaos [--rounds N] [--seed S]"""

import argparse
import json
import os
import random
import shutil
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from disturbances import KINDS, Scene, can_mount, unmount
from programs import Broken, Program, has_stranger, tessera

from tessera.engine.simulator import simulator
from tessera.engine.temporary import PREFIX, UNOWNED
from tessera.explore import Sweep

RUN = '[run]\ndrive = "demo"\nworkload = "random-4k"\nlimit = 20\nfold = true\n'
PLANS = {
    "sweep": RUN + '[axes]\nlayer = ["cmr", "mu-rmw"]\nseed = [1, 2]\n',
    "search": RUN + 'layer = "mu-rmw"\n[axes]\n"nand.dies" = [1, 2, 4]\n"controller.clock" = { from = "200 MHz", to = "800 MHz", steps = 3 }\n'
    '[objectives]\n"host.latency.mean" = "minimise"\n[search]\ntrials = 4\nbatch = 2\n',
}  # fmt: skip
OF_THE_MACHINE = ("wall_seconds", "run.cpu_seconds", "run.requests_per_cpu_second", "run.peak_memory_bytes")
MOST_TRIES = 8  # of a command until it ends well
TOLD_EVERY = 50  # rounds
EVERYBODY = 0o1777  # may write here, as in /tmp: some commands have another user


def figures(out: Path) -> bytes:
    """What is there, without the machine's own figures and in one order; of a search, its front too."""
    frame = Sweep(out).good
    frame = frame.drop([name for name in OF_THE_MACHINE if name in frame.columns])
    front = [file.read_text() for file in sorted((out / "front").glob("*.toml"))]
    return frame.select(sorted(frame.columns)).sort("key").write_json().encode() + json.dumps(front).encode()


def finished(words: list[str], out: Path) -> bytes:
    """Gives the command until it ends well."""
    said = ""
    for _ in range(MOST_TRIES):
        status, said = Program(words).ended()
        if status == 0:
            return figures(out)
    raise Broken(f"it does not end well after {MOST_TRIES} tries: {said}")


def left_aside(out: Path) -> list[str]:
    """Files that a killed program was writing; the next one of the folder removes them."""
    return [str(file) for file in out.rglob("*") if ".partial" in file.name]


def file_of(program: Path) -> tuple[int, int, int]:
    """Tells a program that was linked anew from the one before."""
    state = program.stat()
    return state.st_ino, state.st_size, state.st_mtime_ns


class Campaign:
    """Rounds in one place, each drawn after the other."""

    def __init__(self, place: Path, seed: int, close: ExitStack, kinds: tuple[str, ...]):
        self.place, self.seed, self.close = place, seed, close
        self.draw, self.kinds = random.Random(seed), kinds
        self.counts = dict.fromkeys(KINDS, 0)
        self.seconds = dict.fromkeys(KINDS, 0.0)
        self.shared: dict = {}
        self.plans = {what: place / f"{what}.toml" for what in PLANS}
        self.right, self.usual = {}, {}
        self.program = simulator()
        self.made = file_of(self.program)
        for what, plan in self.plans.items():
            plan.write_text(PLANS[what])
            begun = time.monotonic()
            self.right[what] = finished(tessera(what, plan, place / f"right-{what}"), place / f"right-{what}")
            self.usual[what] = time.monotonic() - begun

    def round(self, number: int) -> None:
        what, kind = self.draw.choice(("sweep", "sweep", "search")), self.draw.choice(self.kinds)
        begun = time.monotonic()
        scene = Scene(what, self.plans[what], self.place / "out", self.place, self.draw, self.usual[what], self.close, self.shared)
        try:
            for _ in range(self.draw.randrange(1, 3)):
                KINDS[kind](scene)
            if finished(scene.words(), scene.out) != self.right[what]:
                raise Broken("the results differ from an undisturbed one's")
            if left := left_aside(scene.out):
                raise Broken(f"left by a killed program: {left}")
        except Broken as broken:
            kept = Path(tempfile.mkdtemp(prefix="tessera-chaos-failed-", dir=self.place.parent))
            shutil.copytree(scene.out, kept, dirs_exist_ok=True)
            if file_of(self.program) != self.made:
                raise SystemExit(f"round {number}: {self.program} was linked anew meanwhile, and its figures need not be those of before; begin again") from None
            raise SystemExit(f"round {number} of seed {self.seed}, {what}, {kind}: {broken}\nits folder is kept: {kept}") from None
        unmount(scene.out)
        shutil.rmtree(scene.out)
        self.counts[kind] += 1
        self.seconds[kind] += time.monotonic() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--without", action="append", default=[], choices=tuple(KINDS), help="a kind of disturbance to leave out")
    given = parser.parse_args()
    kinds = tuple(kind for kind in KINDS if kind not in given.without)
    if not can_mount():
        print("no disk can be mounted here: files that end at a length stand in for full disks, modes of folders for read-only ones")
    if not has_stranger():
        print("no other user reaches this package: the second user of a folder is this one again")
    with tempfile.TemporaryDirectory(prefix="tessera-chaos-") as name, ExitStack() as close:
        place = Path(name)
        place.chmod(EVERYBODY)
        os.environ["TMPDIR"] = name
        campaign = Campaign(place, given.seed, close, kinds)
        for number in range(given.rounds):
            campaign.round(number)
            if (number + 1) % TOLD_EVERY == 0:
                print(f"{number + 1} of {given.rounds} rounds", flush=True)
        close.close()
        abandoned = [str(file) for prefix in (PREFIX, UNOWNED) for file in place.glob(f"{prefix}*")]
    spent = {kind: round(seconds, 1) for kind, seconds in campaign.seconds.items()}
    print(json.dumps({"rounds": given.rounds, "seed": given.seed, "disks mounted": can_mount(), "by kind": campaign.counts, "seconds by kind": spent}))
    if abandoned:
        raise SystemExit(f"temporary folders are left: {abandoned}")


if __name__ == "__main__":
    main()
