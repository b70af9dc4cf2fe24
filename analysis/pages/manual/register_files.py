"""The controller's registers for other tools: a C header and a CMSIS-SVD file, from the list that the model itself is compiled from."""

import re
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from pages.manual.registers import BASE, BLOCK, LINE

DRAM = 0x8000_0000
SVD_ACCESS = {"read_only": "read-only", "write_only": "write-only", "read_write": "read-write"}
# Where the enumerations are whose numbers cross registers, rings and descriptors.
ENUMERATIONS = (
    ("models/firmware/hal/register_map.hpp", "Request"),
    ("models/firmware/hal/register_map.hpp", "MoverOperation"),
    ("models/firmware/ports/status.hpp", "Status"),
    ("models/firmware/ports/host_port.hpp", "HostOp"),
    ("models/firmware/ports/media_port.hpp", "MediaOp"),
    ("models/firmware/ports/media_port.hpp", "StepHint"),
    ("models/firmware/ports/media_port.hpp", "MediaClass"),
    ("models/firmware/ports/media_port.hpp", "LostSectors"),
    ("models/firmware/ports/flash_port.hpp", "FlashOp"),
    ("models/firmware/ports/memory_port.hpp", "MemoryCategory"),
)
FLAGS = ("reserve_flags", "figure_flags", "interrupt_lines")


@dataclass(frozen=True)
class Value:
    name: str
    number: int
    what: str


@dataclass(frozen=True)
class Register:
    block: str
    name: str
    address: int
    access: str
    what: str


def registers(definitions: str) -> list[Register]:
    blocks: list[str] = []
    found = []
    for block, name, offset, access, what in (line.groups() for text in definitions.splitlines() if (line := LINE.match(text))):
        if block not in blocks:
            blocks.append(block)
        found.append(Register(block, name, BASE + blocks.index(block) * BLOCK + int(offset, 16), access, what))
    return found


def enumeration(source: str, name: str) -> list[Value]:
    """The values of `enum class name`, with the comments after them."""
    found = re.search(rf"enum class (?:\[\[\w+\]\] )?{name} : [\w:]+\s*\{{(.*?)\}};", source, re.DOTALL)
    if found is None:
        raise ValueError(f"no enumeration {name}")
    body = re.sub(r"(?<!/)//(?!/)[^\n]*", "", found[1]).strip()  # comments on several values are nobody's
    values: list[Value] = []
    for value, number, what in re.findall(r"(\w+)(?: = (\d+))?\s*(?:,|$)?[ \t]*(?:///< ([^\n]*))?", re.sub(r"\n\s*///< ", " ", body)):
        values.append(Value(value, int(number) if number else values[-1].number + 1 if values else 0, what))
    return values


def flags(source: str, name: str) -> list[Value]:
    body = re.search(rf"namespace {name} \{{(.*?)\}}", source, re.DOTALL)
    if body is None:
        raise ValueError(f"no namespace {name}")
    return [Value(word, int(number), what) for word, number, what in re.findall(r"(\w+) = (\d+);(?:\s*///< ([^\n]*))?", body[1])]


def enumerations(repository: Path) -> dict[str, list[Value]]:
    found = {name: enumeration((repository / file).read_text(encoding="utf-8"), name) for file, name in ENUMERATIONS}
    source = (repository / "models/firmware/hal/register_map.hpp").read_text(encoding="utf-8")
    return found | {name: flags(source, name) for name in FLAGS}


def enumerations_section(repository: Path) -> str:
    """The end of docs/reference/registers.md."""
    lines = ["", "## Sizes and units", "",
             "Boot data (`boot_data.hpp`): offsets and sizes in bytes, places and lengths of zones, regions and arms in tracks (radii), sectors of the drive or surfaces,",
             "as the fields are named; times in picoseconds. Host commands and pieces (`HostEntry`, `HostPieceEntry`): `first_block` and `blocks` in blocks of 512 B,",
             "`sectors` in sectors of the drive. A command streams where its `sectors` are fewer than its blocks fill: its buffer has two halves of `sectors` / 2, and piece",
             "after piece crosses in one of them, by its number `half`. A ring of completions holds those that the firmware has not told in `consumed`: make it as large as",
             "there can be chains or batches under way, for a completion that finds it full ends the run.", "",
             "`const char tessera_image_durability[]` in an image says what power cuts leave, for checks and Identify: \"volatile\": writes that a flush or FUA has completed; \"durable\":",
             "every completed write. Without it, an image is volatile if the drive's write cache or the layer is `durability = volatile`, as linked firmware is.", "",
             "## Numbers of enumerations", "", "What registers, rings and descriptors hold. [`tessera_registers.h`](tessera_registers.h) has them for C, with the addresses above;",
             "[`tessera.svd`](tessera.svd) describes the registers to debuggers and generators (CMSIS-SVD).", "", "| enumeration | numbers |", "|---|---|"]  # fmt: skip
    lines += [f"| `{name}` | {', '.join(f'{value.number} `{value.name}`' for value in values)} |" for name, values in enumerations(repository).items()]
    return "\n".join(lines) + "\n"


def c_header(definitions: str, repository: Path) -> str:
    """docs/reference/tessera_registers.h."""
    lines = ["/* The registers of the drive's controller, generated from models/firmware/hal/registers.def.", " * Addresses are those that firmware sees; a register holds 64 bits. */",
             "#ifndef TESSERA_REGISTERS_H", "#define TESSERA_REGISTERS_H", "", f"#define TESSERA_DRAM_BASE {DRAM:#x}u", ""]  # fmt: skip
    lines += [f"#define TESSERA_{one.block.upper()}_{one.name.upper()} {one.address:#x}u /* {one.what} */" for one in registers(definitions)]
    for name, values in enumerations(repository).items():
        prefix = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()
        lines += ["", f"enum tessera_{prefix.lower()} {{"]
        lines += [f"  TESSERA_{prefix}_{value.name.upper()} = {value.number}," + (f" /* {value.what} */" if value.what else "") for value in values]
        lines += ["};"]
    return "\n".join([*lines, "", "#endif"]) + "\n"


def svd(definitions: str) -> str:
    """docs/reference/tessera.svd, for CMSIS-SVD 1.3."""
    lines = ['<?xml version="1.0" encoding="utf-8"?>', '<device schemaVersion="1.3">', "  <name>Tessera</name>", "  <version>3</version>",
             "  <description>Controller of the modelled drive</description>", "  <addressUnitBits>8</addressUnitBits>", "  <width>64</width>", "  <peripherals>"]  # fmt: skip
    found = registers(definitions)
    for block in dict.fromkeys(one.block for one in found):
        own = [one for one in found if one.block == block]
        base = own[0].address // BLOCK * BLOCK
        lines += ["    <peripheral>", f"      <name>{block}</name>", f"      <baseAddress>{base:#x}</baseAddress>",
                  f"      <addressBlock><offset>0</offset><size>{BLOCK:#x}</size><usage>registers</usage></addressBlock>", "      <registers>"]  # fmt: skip
        for one in own:
            lines += [f"        <register><name>{one.name}</name><description>{escape(one.what)}</description><addressOffset>{one.address - base:#x}</addressOffset>"
                      f"<size>64</size><access>{SVD_ACCESS[one.access]}</access></register>"]  # fmt: skip
        lines += ["      </registers>", "    </peripheral>"]
    return "\n".join([*lines, "  </peripherals>", "</device>"]) + "\n"
