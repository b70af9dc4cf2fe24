"""What happens to a command: each kind is one of them, and says which misbehaviour it would not take."""

import os
import random
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from programs import PATIENCE, Broken, Program, as_nobody, has_stranger, kill, simulators_under, tessera, without_room

ORPHANS_END_SECONDS = 30  # on a busy machine
WORKERS_START_SECONDS = 60  # Dask's own patience is half of it
FILE_ENDS = (0, 64, 600, 4096, 20_000)  # bytes
DISKS = (16, 64, 200, 400)  # KiB
REFUSED = ("in use by process", "Permission denied", "permission denied")  # a second user, and one who may not write what the first has made


@dataclass
class Scene:
    """A command of a round, and where it takes place."""

    what: str
    plan: Path
    out: Path
    place: Path
    draw: random.Random
    usual_seconds: float
    """That the command takes undisturbed."""
    close: ExitStack
    """Ends with the campaign."""
    shared: dict[str, Any] = field(default_factory=dict)

    def words(self, *more: str) -> list[str]:
        return tessera(self.what, self.plan, self.out, *more)

    def wait(self) -> None:
        time.sleep(self.draw.uniform(0.1, 1.0) * self.usual_seconds)


def client(scene: Scene) -> None:
    process = Program(scene.words())
    scene.wait()
    process.kill()
    _no_orphans(scene)


def simulator(scene: Scene) -> None:
    process = Program(scene.words())
    scene.wait()
    for pid in simulators_under(scene.place):
        kill(pid)
    process.ended()


def both(scene: Scene) -> None:
    process = Program(scene.words())
    scene.wait()
    for pid in simulators_under(scene.place):
        kill(pid)
    process.kill()
    _no_orphans(scene)


def worker(scene: Scene) -> None:
    """Of a Dask scheduler, whose nannies start new ones."""
    cluster = _cluster(scene)
    process = Program(scene.words("--scheduler", cluster.scheduler_address))
    for _ in range(scene.draw.randrange(1, 3)):
        scene.wait()
        if workers := _running(cluster):
            kill(scene.draw.choice(workers))
    if scene.draw.random() < 0.3 or _is_deserted(cluster, process):
        process.kill()
    else:
        process.ended()


def _is_deserted(cluster: Any, process: Program) -> bool:
    """Waits for the end of the program, or for a scheduler whose workers do not come back: Dask gives up one whose start takes too long, and a
    sweep then waits for workers as long as it is let, as it has to for those of a batch system."""
    begun = seen = time.monotonic()
    while process.runs() and time.monotonic() - begun < PATIENCE:  # with workers that is a hang, which ended() reports
        if cluster.scheduler.workers:
            seen = time.monotonic()
        if time.monotonic() - seen > WORKERS_START_SECONDS:
            cluster.close()
            return True
        time.sleep(0.02)
    return False


def _cluster(scene: Scene) -> Any:
    if "cluster" not in scene.shared or not scene.shared["cluster"].scheduler.workers:
        from distributed import LocalCluster

        local = LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50)
        scene.shared["cluster"] = scene.close.enter_context(local)
    return scene.shared["cluster"]


def _running(cluster: Any) -> list[int]:
    """Processes of workers that a nanny would start again: it does not where one is killed while it starts, and then a sweep waits for workers
    that never come, as it has to for those of a batch system."""
    return [nanny.pid for nanny in tuple(cluster.workers.values()) if nanny.pid and nanny.status.name == "running"]


def file_ends(scene: Scene) -> None:
    """Where nothing can be mounted this is the only full disk."""
    status, said = Program(scene.words(), without_room, scene.draw.choice(FILE_ENDS)).ended()
    if status == 0 and not (scene.out / "sweep.json").exists():
        raise Broken(f"status 0 without room, and no results: {said}")
    if status != 0 and str(scene.place) not in said and "SIGXFSZ" not in said:  # of a simulator, for which Python makes the signal deadly again
        raise Broken(f"no room, and the message does not say where: {said}")


def disk_is_full(scene: Scene) -> None:
    """A disk of some KiB, which grows before the command is given again."""
    if not _mount(scene, f"size={scene.draw.choice(DISKS)}k"):
        file_ends(scene)
        return
    Program(scene.words()).ended()
    subprocess.run(["mount", "-o", "remount,size=64m", str(scene.out)], check=True)


def read_only(scene: Scene) -> None:
    """A folder that may not be written, or a disk that cannot be."""
    may_write = os.getuid() == 0 and not has_stranger()  # root does, whatever the folder's mode
    disk = (may_write or scene.draw.random() < 0.5) and _mount(scene, "size=64m")
    if may_write and not disk:
        file_ends(scene)
        return
    if disk:
        subprocess.run(["mount", "-o", "remount,ro", str(scene.out)], check=True)
    else:
        scene.out.mkdir(parents=True, exist_ok=True)
        scene.out.chmod(0o555)
    status, said = Program(scene.words(), *((as_nobody,) if has_stranger() and not disk else ())).ended()
    if disk:
        subprocess.run(["mount", "-o", "remount,rw", str(scene.out)], check=True)
    else:
        scene.out.chmod(0o700)
    if status == 0 or str(scene.out) not in said:
        raise Broken(f"status {status} in a folder that cannot be written: {said}")


@cache
def can_mount() -> bool:
    """Not without root's rights, and not in most containers."""
    with TemporaryDirectory() as place:
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tessera-chaos", place], capture_output=True).returncode != 0:
            return False
        unmount(Path(place))
    return True


def _mount(scene: Scene, options: str) -> bool:
    """Whether the round's folder is a disk of its own now. One over the results of an earlier command of the round would hide them."""
    scene.out.mkdir(parents=True, exist_ok=True)
    if not can_mount() or scene.out.is_mount() or any(scene.out.iterdir()):
        return False
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tessera-chaos", str(scene.out)], check=True)
    scene.close.callback(unmount, scene.out)
    return True


def unmount(folder: Path) -> None:
    if folder.is_mount():
        subprocess.run(["umount", str(folder)], check=True)


def two_users(scene: Scene) -> None:
    """Two at a time in one folder; half of the time the second is really somebody else, who may write there."""
    stranger = has_stranger() and scene.draw.random() < 0.5
    if stranger:
        scene.out.mkdir(parents=True, exist_ok=True)
        scene.out.chmod(0o777)
    commands = [Program(scene.words()), Program(scene.words(), *((as_nobody,) if stranger else ()))]
    results = [command.ended() for command in commands]
    # Who comes second has no right to what the first, who is somebody else, left there on an earlier day.
    foreign = stranger and any("Permission denied" in said for _, said in results)
    if all(status != 0 for status, _ in results) and not foreign:
        raise Broken(f"two programs in one folder, and neither ended well: {results}")
    if wrong := [said for status, said in results if status != 0 and not any(reason in said for reason in REFUSED)]:
        raise Broken(f"two programs in one folder: {wrong}")


def journal(scene: Scene) -> None:
    """Cut off in the middle of a line, as by a power cut."""
    client(scene)
    if (file := scene.out / "unsaved.jsonl").exists():
        file.write_bytes(file.read_bytes()[: scene.draw.randrange(file.stat().st_size + 1)])


def _no_orphans(scene: Scene) -> None:
    end = time.monotonic() + ORPHANS_END_SECONDS
    while left := simulators_under(scene.place):
        if time.monotonic() > end:
            raise Broken(f"simulators without a sweep: {left}")
        time.sleep(0.02)


KINDS: dict[str, Callable[[Scene], None]] = {
    "client killed": client, "simulator killed": simulator, "both killed": both, "worker killed": worker, "files end": file_ends,
    "disk is full": disk_is_full, "read-only": read_only, "two users": two_users, "journal cut": journal,
}  # fmt: skip
