"""An initramfs: the archive of files that a Linux kernel unpacks and runs /init from (Documentation/driver-api/early-userspace/buffer-format)."""

import re
import subprocess
from pathlib import Path, PurePosixPath

FOLDER, FILE, DEVICE = 0o040755, 0o100755, 0o020600
CONSOLE = (5, 1)  # major and minor number


class Archive:
    """Files by their path in the guest, in cpio's "newc" format."""

    def __init__(self):
        self.parts: list[bytes] = []
        self.made: set[PurePosixPath] = {PurePosixPath("/")}
        self.nodes = 0

    def _entry(self, name: str, mode: int, data: bytes = b"", device: tuple[int, int] = (0, 0)) -> None:
        self.nodes += 1
        words = name.encode() + b"\0"
        fields = (self.nodes, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(words), 0)
        head = b"070701" + b"".join(b"%08x" % field for field in fields) + words
        self.parts += [head, bytes(-len(head) % 4), data, bytes(-len(data) % 4)]

    def folder(self, path: str | PurePosixPath) -> None:
        path = PurePosixPath(path)
        if path not in self.made:
            self.folder(path.parent)
            self.made.add(path)
            self._entry(str(path)[1:], FOLDER)

    def file(self, path: str | PurePosixPath, data: bytes) -> None:
        path = PurePosixPath(path)
        self.folder(path.parent)
        self._entry(str(path)[1:], FILE, data)

    def program(self, source: Path) -> None:
        """A program of this machine as /sbin/NAME, with the libraries that it is linked with at their own paths."""
        self.file(f"/sbin/{source.name}", source.read_bytes())
        said = subprocess.run(["ldd", source], capture_output=True, text=True, check=True).stdout
        for library in re.findall(r"(/\S+) \(0x", said):
            if PurePosixPath(library) not in self.made:
                self.made.add(PurePosixPath(library))
                self.file(library, Path(library).read_bytes())

    def tree(self, path: str, source: Path) -> None:
        for file in sorted(source.rglob("*")):
            if file.is_file():
                self.file(f"{path}/{file.relative_to(source)}", file.read_bytes())

    def whole(self) -> bytes:
        self.folder("/dev")
        self._entry("dev/console", DEVICE, device=CONSOLE)
        self._entry("TRAILER!!!", 0)
        return b"".join(self.parts)
