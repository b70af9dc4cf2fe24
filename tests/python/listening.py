"""What a process listens on, from /proc."""

import os
from pathlib import Path

LOOPBACK = ("0100007F", "00000000000000000000000001000000")  # as /proc writes 127.0.0.1 and ::1 on a little-endian machine
LISTEN = "0A"


def listening(pid: int) -> list[str]:
    """Addresses on which the process listens, as HEX:PORT. One that has ended listens on none."""
    try:
        sockets = {_target(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()}
        tables = [Path(f"/proc/{pid}/net/{table}").read_text() for table in ("tcp", "tcp6")]
    except (FileNotFoundError, ProcessLookupError):
        return []
    found = []
    for table in tables:
        for line in table.splitlines()[1:]:
            words = line.split()
            if words[3] == LISTEN and f"socket:[{words[9]}]" in sockets:
                found.append(words[1])
    return found


def _target(entry: Path) -> str:
    """What a descriptor is; one that was closed meanwhile is nothing."""
    try:
        return os.readlink(entry)
    except FileNotFoundError:
        return ""


def open_to_others(pid: int) -> set[int]:
    """Ports that other machines reach."""
    return {int(address.split(":")[1], 16) for address in listening(pid) if address.split(":")[0] not in LOOPBACK}
