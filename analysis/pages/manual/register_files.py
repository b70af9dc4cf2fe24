"""The controller's registers, and the structures that firmware shares with the drive, for other tools: a C header and a CMSIS-SVD file, from the
sources that the model itself is compiled from."""

import re
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from pages.manual.registers import BASE, BLOCK, LINE

DRAM = 0x8000_0000
MAP = "models/firmware/hal/register_map.hpp"
DESCRIPTORS = "models/firmware/hal/descriptors.hpp"
STRUCTURES = ("models/firmware/hal/boot_data.hpp", DESCRIPTORS)
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
FLAGS = ((MAP, "reserve_flags"), (MAP, "figure_flags"), (MAP, "interrupt_lines"), (DESCRIPTORS, "host_flags"))
# Numbers that stand alone, with the suffix that C needs.
CONSTANTS = (
    (MAP, "map_version", "u"),
    (MAP, "tcm_base", "u"),
    (DESCRIPTORS, "host_entries_per_tag", "u"),
    ("models/firmware/ports/media_port.hpp", "max_steps", "u"),
    ("models/firmware/ports/media_port.hpp", "header_bytes", "u"),
)
# Fields of registers that hold several things: name, lowest bit, highest bit, and the enumeration of its values.
LINES = tuple((name, bit, bit, "") for bit, name in enumerate(("request", "host", "disk", "flash", "timer")))
FIELDS: dict[str, tuple[tuple[str, int, int, str], ...]] = {
    "ident.request": (("request", 0, 63, "Request"),),
    "ident.answer": (("status", 0, 7, "Status"),),
    "ident.idle": (("idle", 0, 0, ""),),
    "host.complete": (("tag", 0, 31, ""), ("status", 32, 39, "Status")),
    "host.search_found": (("found", 0, 0, ""),),
    "disk.supervise": (("supervise", 0, 0, ""),),
    "disk.resume": (("status", 0, 31, "Status"), ("steps_done", 32, 63, "")),
    "disk.track": (("radius", 0, 31, ""), ("surface", 32, 63, "")),
    "flash.block_is_bad": (("bad", 0, 0, ""),),
    "mover.blocks": (("first", 0, 31, ""), ("count", 32, 63, "")),
    "mover.start": (("operation", 0, 63, "MoverOperation"),),
    "memory.category": (("category", 0, 63, "MemoryCategory"),),
    "memory.reserve": (("dumped", 0, 0, ""), ("buffer", 1, 1, "")),
    "memory.torn": (("torn", 0, 0, ""),),
    "interrupts.pending": LINES,
    "interrupts.enable": LINES,
    "interrupts.clear": LINES,
    "uart.data": (("character", 0, 7, ""),),
    "probe.figure": (("defined", 0, 0, ""), ("accumulates", 1, 1, "")),
}
C_TYPES = {"std::uint64_t": "uint64_t", "std::int64_t": "int64_t", "std::uint32_t": "uint32_t", "char": "char", "double": "double"}
ACCESS = """/* A register is 64 bits wide; a core of 32 bits reads the lower half first, and writes it last. What was written to memory before is there
 * before the register is. */
static inline uint64_t tessera_read(uintptr_t address) {
  volatile uint32_t* const half = (volatile uint32_t*)address;
  if (sizeof(uintptr_t) == 8) return *(volatile uint64_t*)address;
  const uint32_t lower = half[0];
  return (uint64_t)half[1] << 32 | lower;
}

static inline void tessera_write(uintptr_t address, uint64_t value) {
  volatile uint32_t* const half = (volatile uint32_t*)address;
  __sync_synchronize();
  if (sizeof(uintptr_t) == 8) {
    *(volatile uint64_t*)address = value;
    return;
  }
  half[1] = (uint32_t)(value >> 32);
  half[0] = (uint32_t)value;
}"""


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


@dataclass(frozen=True)
class Field:
    name: str
    kind: str
    """Its type in C, or the structure of this name."""
    count: int
    """Elements of an array; 0: it is none."""
    what: str


@dataclass(frozen=True)
class Structure:
    name: str
    """In C++."""
    fields: tuple[Field, ...]
    values: tuple[Value, ...]
    """Of its own enumeration `Kind`; empty: it has none."""
    what: str

    @property
    def c_name(self) -> str:
        return f"tessera_{snake(self.name)}"


def snake(name: str) -> str:
    """
    >>> snake("MediaChainEntry"), snake("Status")
    ('media_chain_entry', 'status')
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


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
    found = re.search(rf"enum (?:class )?(?:\[\[\w+\]\] )?{name} : [\w:]+\s*\{{(.*?)\}};", source, re.DOTALL)
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
    return found | {name: flags((repository / file).read_text(encoding="utf-8"), name) for file, name in FLAGS}


def constant(source: str, name: str) -> int:
    """The value of the constant of this name. Raises ValueError where there is none."""
    found = re.search(rf"constexpr [\w:]+ {name} ?[={{] ?([\w']+)", source)
    if found is None:
        raise ValueError(f"no constant {name}")
    return int(found[1].replace("'", ""), 0)


def map_version(repository: Path) -> int:
    """Of the registers, descriptors and boot data."""
    return constant((repository / MAP).read_text(encoding="utf-8"), "map_version")


def structures(repository: Path) -> list[Structure]:
    """What firmware and drive hand to each other in memory, in the order of the sources. Raises ValueError at a field that it does not understand."""
    found: list[Structure] = []
    for file in STRUCTURES:
        source = (repository / file).read_text(encoding="utf-8")
        for what, name, body in re.findall(r"((?:^///[^\n]*\n)*)^struct (\w+) \{\n(.*?)^\};", source, re.DOTALL | re.MULTILINE):
            kinds = tuple(enumeration(body, "Kind")) if "enum Kind" in body else ()
            fields = _fields(re.sub(r"  enum Kind.*?\};\n", "", body, flags=re.DOTALL), {one.name for one in found})
            found.append(Structure(name, fields, kinds, " ".join(line.removeprefix("///").strip() for line in what.splitlines())))
    return found


def _fields(body: str, known: set[str]) -> tuple[Field, ...]:
    fields = []
    for line in filter(None, (re.sub(r"^\s*//(?!/).*", "", text).strip() for text in body.splitlines())):
        read = re.fullmatch(r"([\w:]+) (\w+)(?:\[(\d+)\])? ?(?:= [^;]+|\{\})?;(?:\s*///< (.*))?", line)
        if read is None or read[1] not in {*C_TYPES, *known}:
            raise ValueError(f"a field of a structure that C does not know: {line}")
        fields.append(Field(read[2], C_TYPES.get(read[1], read[1]), int(read[3] or 0), read[4] or ""))
    return tuple(fields)


def c_structure(one: Structure) -> list[str]:
    lines = []
    if one.values:
        lines += [f"enum {one.c_name}_kind {{"]
        lines += [f"  {one.c_name.upper()}_{value.name.upper()} = {value.number}," + (f" /* {value.what} */" if value.what else "") for value in one.values]
        lines += ["};", ""]
    if one.what:
        lines += [f"/* {one.what} */"]
    lines += [f"struct {one.c_name} {{"]
    for field in one.fields:
        kind = field.kind if field.kind in C_TYPES.values() else f"struct tessera_{snake(field.kind)}"
        seen_by_both = "volatile " if field.name == "turn" else ""  # the drive writes it last
        lines += [f"  {seen_by_both}{kind} {field.name}{f'[{field.count}]' if field.count else ''};" + (f" /* {field.what} */" if field.what else "")]
    return [*lines, "};"]


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
             "## Numbers of enumerations", "", "What registers, rings and descriptors hold. [`tessera_registers.h`](tessera_registers.h) has them for C, with the addresses above, every",
             "structure and the boot data;",
             "[`tessera.svd`](tessera.svd) describes the registers to debuggers and generators (CMSIS-SVD).", "", "| enumeration | numbers |", "|---|---|"]  # fmt: skip
    lines += [f"| `{name}` | {', '.join(f'{value.number} `{value.name}`' for value in values)} |" for name, values in enumerations(repository).items()]
    return "\n".join(lines) + "\n"


def c_header(definitions: str, repository: Path) -> str:
    """docs/reference/tessera_registers.h."""
    lines = ["/* The registers of the drive's controller, and what firmware and drive hand to each other in memory: generated from models/firmware/hal.",
             " * Addresses are those that firmware sees; a register holds 64 bits. Structures have naturally aligned fields, little-endian, alike for cores",
             " * of 32 and of 64 bits. */",
             "#ifndef TESSERA_REGISTERS_H", "#define TESSERA_REGISTERS_H", "", "#include <stdint.h>", "", f"#define TESSERA_DRAM_BASE {DRAM:#x}u"]  # fmt: skip
    for file, name, suffix in CONSTANTS:
        value = constant((repository / file).read_text(encoding="utf-8"), name)
        lines += [f"#define TESSERA_{name.upper()} {hex(value) if name.endswith('base') else value}{suffix}"]
    lines += [f'#define TESSERA_IMAGE_VERSION "{map_version(repository)}" /* for an image: const char tessera_image_version[] = TESSERA_IMAGE_VERSION; */',
              "#define TESSERA_NO_TAG 0xffffffffu /* of a chain or batch that no host command waits for */",
              "#define TESSERA_NO_COMMAND 0xffffffffu", "#define TESSERA_NO_ALARM (~(uint64_t)0)", ""]  # fmt: skip
    lines += [f"#define TESSERA_{one.block.upper()}_{one.name.upper()} {one.address:#x}u /* {one.what} */" for one in registers(definitions)]
    for name, values in enumerations(repository).items():
        prefix = snake(name).upper()
        lines += ["", f"enum tessera_{prefix.lower()} {{"]
        lines += [f"  TESSERA_{prefix}_{value.name.upper()} = {value.number}," + (f" /* {value.what} */" if value.what else "") for value in values]
        lines += ["};"]
    for one in structures(repository):
        lines += ["", *c_structure(one)]
    return "\n".join([*lines, "", ACCESS, "", "#endif"]) + "\n"


def svd(definitions: str, repository: Path) -> str:
    """docs/reference/tessera.svd, for CMSIS-SVD 1.3: registers with the fields of those that hold several, and interrupts by their line."""
    lines = ['<?xml version="1.0" encoding="utf-8"?>', '<device schemaVersion="1.3">', "  <name>Tessera</name>", f"  <version>{map_version(repository)}</version>",
             "  <description>Controller of the modelled drive</description>", "  <addressUnitBits>8</addressUnitBits>", "  <width>64</width>", "  <peripherals>"]  # fmt: skip
    found = registers(definitions)
    numbers = enumerations(repository)
    raised = {"ident" if value.name == "request" else value.name: (value.name, value.number.bit_length() - 1) for value in numbers["interrupt_lines"]}
    for block in dict.fromkeys(one.block for one in found):
        own = [one for one in found if one.block == block]
        base = own[0].address // BLOCK * BLOCK
        lines += ["    <peripheral>", f"      <name>{block}</name>", f"      <baseAddress>{base:#x}</baseAddress>",
                  f"      <addressBlock><offset>0</offset><size>{BLOCK:#x}</size><usage>registers</usage></addressBlock>"]  # fmt: skip
        if block in raised:
            lines += [f"      <interrupt><name>{raised[block][0]}</name><value>{raised[block][1]}</value></interrupt>"]
        lines += ["      <registers>"]
        for one in own:
            lines += [f"        <register><name>{one.name}</name><description>{escape(one.what)}</description><addressOffset>{one.address - base:#x}</addressOffset>"
                      f"<size>64</size><access>{SVD_ACCESS[one.access]}</access>{_svd_fields(one, numbers)}</register>"]  # fmt: skip
        lines += ["      </registers>", "    </peripheral>"]
    return "\n".join([*lines, "  </peripherals>", "</device>"]) + "\n"


def _svd_fields(one: Register, numbers: dict[str, list[Value]]) -> str:
    text = ""
    for name, low, high, values in FIELDS.get(f"{one.block}.{one.name}", ()):
        named = "".join(f"<enumeratedValue><name>{value.name}</name><value>{value.number}</value></enumeratedValue>" for value in numbers.get(values, ()))
        text += f"<field><name>{name}</name><bitOffset>{low}</bitOffset><bitWidth>{high - low + 1}</bitWidth>{named and f'<enumeratedValues>{named}</enumeratedValues>'}</field>"
    return text and f"<fields>{text}</fields>"
