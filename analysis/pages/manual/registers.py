"""The page of the controller's registers, from their one list."""

import re

LINE = re.compile(r'^TESSERA_REGISTER\((\w+), (\w+), (0x[0-9a-f]+), (\w+), "(.*)"\)$')
ACCESS = {"read_only": "read", "write_only": "write", "read_write": "read, write"}
BASE = 0x4000_0000
BLOCK = 0x1000


def registers_page(definitions: str) -> str:
    """docs/reference/registers.md: the list's own words, a table for each unit."""
    lines = definitions.splitlines()
    lines = [line for line in lines if line.strip()]
    head = []
    while lines[0].startswith("//"):
        text = lines.pop(0)[2:].strip()
        if text.startswith("Identification"):
            lines.insert(0, f"// {text}")
            break
        head.append(text)
    page = [
        "# Registers of the controller",
        "",
        "What firmware images, and processors of somebody else's, find at which address. Rings and descriptors are in `models/firmware/hal/descriptors.hpp`, what the drive",
        "tells at power-on in `boot_data.hpp`; how images are built and run is in [firmware images](../guide/firmware.md), what the units model in",
        "[the machine](../developers/machine.md).",
        "",
        " ".join(head[2:]).strip(),
    ]
    blocks: list[str] = []
    for line in lines:
        if line.startswith("//"):
            title, _, rest = line[2:].strip().rstrip(".").partition(": ")
            page += ["", f"## {title}", *(["", rest[:1].upper() + rest[1:] + "."] if rest else [])]
            page += ["", "| register | address | access | |", "|---|---|---|---|"]
            continue
        found = LINE.match(line)
        if found is None:
            raise ValueError(f"not a register: {line}")
        block, name, offset, access, what = found.groups()
        if block not in blocks:
            blocks.append(block)
        address = BASE + blocks.index(block) * BLOCK + int(offset, 16)
        page.append(f"| `{block}.{name}` | `{address:#x}` | {ACCESS[access]} | {what} |")
    return "\n".join(page) + "\n"
