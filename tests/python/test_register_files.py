"""The C header and the SVD file say what the model is compiled from: registers, numbers, and every structure that firmware and drive share."""

import re
import subprocess
import xml.etree.ElementTree as Xml

import pytest
from samples import REPOSITORY

from pages.manual.register_files import FIELDS, _fields, constant, enumeration, enumerations, map_version, registers, structures
from pages.reference import MANUAL, REGISTERS

MODELS = REPOSITORY / "models"
HEADERS = ("firmware/hal/register_map.hpp", "firmware/hal/boot_data.hpp", "firmware/hal/descriptors.hpp", "firmware/ports/status.hpp", "firmware/ports/host_port.hpp", "firmware/ports/media_port.hpp", "firmware/ports/flash_port.hpp")


def checked(compiler: str, source: str, tmp_path, suffix: str, *options: str) -> None:
    file = tmp_path / f"checked{suffix}"
    file.write_text(source)
    result = subprocess.run([compiler, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", *options, "-I", MANUAL, "-I", MODELS, file], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_the_header_is_c(tmp_path):
    checked("cc", '#include "tessera_registers.h"\nint main(void) { return TESSERA_STATUS_OK; }\n', tmp_path, ".c", "-std=c99", "-pedantic")


def test_addresses_and_numbers_are_the_models(tmp_path):
    lines = ['#include "tessera_registers.h"', *(f'#include "{header}"' for header in HEADERS), "using namespace tessera;", "using namespace tessera::hal;"]
    lines += [f"static_assert(TESSERA_{one.block.upper()}_{one.name.upper()} == static_cast<std::uint64_t>(Register::{one.block}_{one.name}));"
              for one in registers(REGISTERS.read_text())]  # fmt: skip
    prefixes = {"Request": "REQUEST", "MoverOperation": "MOVER_OPERATION", "Status": "STATUS", "HostOp": "HOST_OP", "FlashOp": "FLASH_OP", "StepHint": "STEP_HINT"}
    found = enumerations(REPOSITORY)
    lines += [f"static_assert(TESSERA_{prefix}_{value.name.upper()} == static_cast<int>({name}::{value.name}));" for name, prefix in prefixes.items() for value in found[name]]
    lines += [f"static_assert(TESSERA_INTERRUPT_LINES_{value.name.upper()} == interrupt_lines::{value.name});" for value in found["interrupt_lines"]]
    assert len(lines) > 100
    checked("c++", "\n".join(lines), tmp_path, ".cpp", "-std=c++20")


def test_structures_are_laid_out_as_the_models(tmp_path):
    lines = ['#include "tessera_registers.h"', "#include <cstddef>", *(f'#include "{header}"' for header in HEADERS), "using namespace tessera;"]
    for one in structures(REPOSITORY):
        lines += [f"static_assert(sizeof(struct {one.c_name}) == sizeof(hal::{one.name}));"]
        lines += [f"static_assert(offsetof(struct {one.c_name}, {field.name}) == offsetof(hal::{one.name}, {field.name}));" for field in one.fields]
        lines += [f"static_assert(sizeof({one.c_name}::{field.name}) == sizeof(hal::{one.name}::{field.name}));" for field in one.fields]
        lines += [f"static_assert(static_cast<int>({one.c_name.upper()}_{value.name.upper()}) == static_cast<int>(hal::{one.name}::{value.name}));" for value in one.values]
    lines += ["static_assert(TESSERA_MAP_VERSION == hal::map_version);", "static_assert(TESSERA_NO_TAG == no_host_tag);", "static_assert(TESSERA_NO_COMMAND == hal::no_command);",
              "static_assert(TESSERA_NO_ALARM == hal::no_alarm);", "static_assert(TESSERA_HOST_ENTRIES_PER_TAG == hal::host_entries_per_tag);",
              "static_assert(TESSERA_MAX_STEPS == MediaChain::max_steps);", "static_assert(TESSERA_HEADER_BYTES == header_bytes);",
              "static_assert(TESSERA_TCM_BASE == hal::tcm_base);"]  # fmt: skip
    checked("c++", "\n".join(lines), tmp_path, ".cpp", "-std=c++20", "-Wno-invalid-offsetof")


def test_every_structure_of_the_models_is_in_the_header():
    declared = [name for header in HEADERS if "/hal/" in header for name in re.findall(r"^struct (\w+) \{", (MODELS / header).read_text(), re.MULTILINE)]
    assert declared == [one.name for one in structures(REPOSITORY)] and len(declared) >= 14


def test_a_field_that_c_does_not_know_is_refused():
    with pytest.raises(ValueError, match="std::optional"):
        _fields("  std::optional<int> some;\n", set())
    with pytest.raises(ValueError, match="no constant other"):
        constant("inline constexpr std::uint64_t some = 4;", "other")


def test_the_description_for_debuggers_is_of_this_map_and_has_fields_and_interrupts():
    device = Xml.parse(MANUAL / "tessera.svd").getroot()
    assert device.findtext("version") == str(map_version(REPOSITORY))
    lines = {one.findtext("name"): int(one.findtext("value")) for one in device.iter("interrupt")}
    assert lines == {value.name: value.number.bit_length() - 1 for value in enumerations(REPOSITORY)["interrupt_lines"]}
    shown = {f"{block.findtext('name')}.{one.findtext('name')}": one for block in device.iter("peripheral") for one in block.iter("register")}
    assert FIELDS.keys() <= shown.keys()
    for name, fields in FIELDS.items():
        assert [field.findtext("name") for field in shown[name].iter("field")] == [field[0] for field in fields]
    operations = {value.findtext("name"): int(value.findtext("value")) for value in shown["mover.start"].iter("enumeratedValue")}
    assert operations == {value.name: value.number for value in enumerations(REPOSITORY)["MoverOperation"]}


def test_the_description_for_debuggers_has_every_register_once_at_its_address():
    device = Xml.parse(MANUAL / "tessera.svd").getroot()
    found = {(int(block.findtext("baseAddress"), 16) + int(one.findtext("addressOffset"), 16), block.findtext("name"), one.findtext("name"))
             for block in device.iter("peripheral") for one in block.iter("register")}  # fmt: skip
    assert found == {(one.address, one.block, one.name) for one in registers(REGISTERS.read_text())}


def test_numbers_go_on_from_those_that_are_given():
    values = enumeration("enum class Some : std::uint8_t { first = 3,  ///< of all\n  second,\n  // Others, of a kind.\n  third = 9 };", "Some")
    assert [(value.name, value.number, value.what) for value in values] == [("first", 3, "of all"), ("second", 4, ""), ("third", 9, "")]


def test_an_enumeration_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="no enumeration Other"):
        enumeration("enum class Some : int { one };", "Other")
