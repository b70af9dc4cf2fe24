"""The layering check finds what it is there for, and lets pass what is allowed."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from layering import check, violations_in, violations_of

BLOCKS = {"base", "bus", "media", "nand", "firmware", "controller"}


@pytest.mark.parametrize(
    ("path", "include"),
    [
        ("models/media/head.cpp", "systemc"),
        ("models/media/head.cpp", "tlm_utils/simple_initiator_socket.h"),
        ("models/media/head.hpp", "media/media_module.hpp"),
        ("models/media/media_module.cpp", "nand/nand_module.hpp"),
        ("models/firmware/layers/cmr/cmr_layer.cpp", "media/head.hpp"),
        ("models/base/units.hpp", "media/head.hpp"),
        ("models/controller/executor.cpp", "stimuli/player/player.hpp"),
        ("models/controller/executor.cpp", "platforms/drive_module.hpp"),
        ("stimuli/player/player.cpp", "platforms/output/summary.hpp"),
        ("stimuli/player/player.cpp", "stimuli/player/host_module.hpp"),
        ("platforms/output/summary.cpp", "systemc.h"),
    ],
)
def test_a_forbidden_include_is_found(path, include):
    assert violations_of(path, include, BLOCKS)


@pytest.mark.parametrize(
    ("path", "include"),
    [
        ("models/media/media_module.hpp", "systemc"),
        ("models/media/media_module.cpp", "bus/transactions_module.hpp"),
        ("models/media/media_module.cpp", "base/timeline_module.hpp"),
        ("models/media/media_module.cpp", "media/media_module.hpp"),
        ("models/controller/disk_channel.cpp", "firmware/ports/media_port.hpp"),
        ("models/firmware/layers/cmr/cmr_layer.cpp", "firmware/ports/cpu_port.hpp"),
        ("models/firmware/layers/cmr/cmr_layer.cpp", "vector"),
        ("platforms/main.cpp", "systemc"),
        ("platforms/drive_module.cpp", "media/media_module.hpp"),
        ("platforms/run/simulation.hpp", "platforms/drive/drive_module.hpp"),
        ("stimuli/player/player.cpp", "base/timeline.hpp"),
        ("tests/module/media/media_test.cpp", "media/media_module.hpp"),
    ],
)
def test_an_allowed_include_passes(path, include):
    assert violations_of(path, include, BLOCKS) == []


def test_a_violation_is_told_with_file_and_line(tmp_path):
    (tmp_path / "models" / "media").mkdir(parents=True)
    (tmp_path / "models" / "media" / "head.cpp").write_text("// head\n#include <systemc>\n")
    found, files = check(tmp_path)
    assert files == 1
    assert len(found) == 1 and found[0].startswith("models/media/head.cpp:2: ")


def test_the_tree_holds_the_rules():
    found, files = check(Path(__file__).resolve().parents[2])
    assert files > 0
    assert found == []


def test_run_time_type_information_in_firmware_is_found(tmp_path):
    file = tmp_path / "models" / "firmware" / "layers" / "curious.cpp"
    file.parent.mkdir(parents=True)
    file.write_text("bool is_cmr(const Layer& layer) {\n  return dynamic_cast<const Cmr*>(&layer) != nullptr;\n}\n")
    found, _ = check(tmp_path)
    assert found == ["models/firmware/layers/curious.cpp:2: firmware asks for no run-time type information"]
