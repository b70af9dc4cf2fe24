"""A whole computer with Linux in QEMU, without KVM, whose one disk is a served drive."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from initramfs import Archive

REPOSITORY = Path(__file__).resolve().parents[2]
KERNEL = REPOSITORY / "build" / "guest" / "kernel"  # a kernel package, unpacked (./dev guest)
PATIENCE = 300  # seconds until the guest has to have said something, on a machine that is busy
MEMORY = "256M"
TREE = REPOSITORY / "docs" / "guide"  # what the guest copies
VIRTIO = ("virtio_ring", "virtio", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci", "virtio_blk")

# How the drive is attached: the guest's name of the disk, the modules that its kernel needs.
WAYS = {
    "virtio": ("vda", VIRTIO),  # virtio-blk; QEMU is the drive's NBD client
    "vhost-user": ("vda", VIRTIO),  # virtio-blk whose queues qemu-storage-daemon serves; it is the client
    "nvme": ("nvme0n1", ()),  # QEMU's NVMe controller; QEMU is the client
}
# What keeps a guest's data where QEMU 7.2 would lose it: its NVMe controller drops FUA, so each write is forced; the queues of its daemon call a
# disk with a cache write through, so that the guest would send no FLUSH.
DEVICES = {
    "virtio": "virtio-blk-pci,drive=drive",
    "vhost-user": "vhost-user-blk-pci,chardev=queues,config-wce=off",
    "nvme": "nvme,drive=drive,serial=tessera,write-cache=off",
}


class GuestEnded(Exception):
    """The guest gave up, or ended early, or is silent."""


def missing() -> list[str]:
    """What this machine lacks for a guest."""
    programs = ("qemu-system-x86_64", "qemu-storage-daemon", "busybox", "mke2fs", "e2fsck")
    absent = [program for program in programs if shutil.which(program) is None]
    return absent if list(KERNEL.glob("boot/vmlinuz-*")) else [*absent, "a kernel in build/guest/kernel (./dev guest unpacks one)"]


def initramfs() -> bytes:
    archive = Archive()
    for folder in ("/proc", "/sys", "/mnt"):
        archive.folder(folder)
    archive.file("/init", (Path(__file__).parent / "init.sh").read_bytes())
    archive.file("/bin/busybox", Path(shutil.which("busybox")).read_bytes())
    for program in ("mke2fs", "e2fsck"):
        archive.program(Path(shutil.which(program)))
    for module in VIRTIO:
        for file in KERNEL.rglob(f"{module}.ko"):
            archive.file(f"/modules/{file.name}", file.read_bytes())
    archive.tree("/tree", TREE)
    return archive.whole()


class Machine:
    """From power-on to the end of a with statement, which is that of its power if it has not switched itself off."""

    def __init__(self, folder: Path, way: str, socket: Path, step: str, **settings: object):
        """`settings`: further words of the kernel's command line, which the guest's program has as variables."""
        folder.mkdir()
        self.words, self.kernel = folder / "words.log", folder / "kernel.log"
        self.errors = folder / "qemu.log"
        self.words.touch()
        self.process = self.helper = None
        disk, modules = WAYS[way]
        settings = {"step": step, "disk": disk, "modules": ",".join(modules), **settings}
        # The HPET is QEMU's own clock: on a busy machine the kernel measures the frequency of others wrong.
        line = ["console=ttyS0", "quiet", "panic=-1", "clocksource=hpet", *(f"{name}={value}" for name, value in settings.items())]
        (folder / "initramfs").write_bytes(initramfs())
        command = ["qemu-system-x86_64", "-M", "q35", "-accel", "tcg", "-cpu", "max", "-m", MEMORY, "-nodefaults", "-no-user-config", "-no-reboot"]
        command += ["-display", "none", "-serial", f"file:{self.kernel}", "-serial", f"file:{self.words}"]
        command += ["-kernel", next(KERNEL.glob("boot/vmlinuz-*")), "-initrd", folder / "initramfs", "-append", " ".join(line)]
        client = f"driver=nbd,node-name=drive,server.type=unix,server.path={socket}"
        with self.errors.open("w") as errors:
            if way == "vhost-user":
                queues = folder / "queues.sock"
                export = f"type=vhost-user-blk,id=queues,node-name=drive,writable=on,addr.type=unix,addr.path={queues}"
                self.helper = subprocess.Popen(["qemu-storage-daemon", "--blockdev", client, "--export", export], stderr=errors)
                end = time.monotonic() + PATIENCE
                while not queues.exists():
                    if self.helper.poll() is not None or time.monotonic() > end:
                        self.__exit__()
                        raise GuestEnded(f"qemu-storage-daemon offers no queues\n{self.errors.read_text()}")
                    time.sleep(0.01)
                command += ["-object", f"memory-backend-memfd,id=memory,size={MEMORY},share=on", "-machine", "memory-backend=memory"]
                command += ["-chardev", f"socket,id=queues,path={queues}"]
            else:
                command += ["-blockdev", client]
            command += ["-device", DEVICES[way]]
            self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=errors, stderr=errors)

    def said(self) -> list[str]:
        """The guest's whole lines."""
        return self.words.read_text(errors="replace").rpartition("\n")[0].splitlines()

    def said_after(self, word: str) -> list[str]:
        """What follows this word, of each line that begins with it."""
        return [line.removeprefix(word).strip() for line in self.said() if line.split(" ")[0] == word]

    def hear(self, word: str, times: int = 1) -> None:
        """Waits until it has said so many lines that begin with this word."""
        end = time.monotonic() + PATIENCE
        while len(self.said_after(word)) < times:
            ended = self.process.poll() is not None
            if len(self.said_after(word)) < times and (ended or self.said_after("failed:") or time.monotonic() > end):
                last = [*self.said()[-3:], *self.kernel.read_text(errors="replace").splitlines()[-12:], self.errors.read_text()]
                raise GuestEnded(f"no '{word}' from the guest\n" + "\n".join(last))
            time.sleep(0.01)

    def ended(self) -> None:
        """Waits until it has done its step and switched itself off."""
        self.hear("ended")
        self.process.wait(PATIENCE)

    def stand_still(self) -> None:
        """For the rest of its time."""
        for process in self._processes():
            process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED)

    def __enter__(self) -> "Machine":
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes():
            process.kill()
            process.wait(PATIENCE)

    def _processes(self) -> list[subprocess.Popen]:
        return [process for process in (self.process, self.helper) if process is not None]
