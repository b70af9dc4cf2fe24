"""The C header and the SVD file of the registers say what the model is compiled from."""

import subprocess
import xml.etree.ElementTree as Xml

import pytest
from samples import REPOSITORY

from pages.manual.register_files import enumeration, enumerations, registers
from pages.reference import MANUAL, REGISTERS

MODELS = REPOSITORY / "models"
HEADERS = ("firmware/hal/register_map.hpp", "firmware/ports/status.hpp", "firmware/ports/host_port.hpp", "firmware/ports/media_port.hpp", "firmware/ports/flash_port.hpp")


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
