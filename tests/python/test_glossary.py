"""The reference pages are what the program declares."""

import pytest
from samples import REPOSITORY
from simulate import run, simulate

from tessera.glossary import glossary

GUIDE = REPOSITORY / "docs" / "guide"
RUNS = {
    "cmr": ("common", "--layer", "cmr", "--set", "firmware.write_cache.capacity=1 MiB", "--check"),
    "journal": ("common", "--layer", "cmr", "--set", "firmware.write_cache.capacity=1 MiB", "--set", "firmware.write_cache.durability=journal",
                "--set", "layers.cmr.journal_tracks=16"),
    "imr": ("common", "--layer", "imr-rmw", "--replay", "queue:64"),
    "flip": ("common", "--layer", "imr-flip"),
    "cache": ("common", "--layer", "imr-cache"),
    "dtm": ("common", "--layer", "imr-dtm"),
    "mu": ("common", "--layer", "mu-rmw", "--set", "dram.cache.size=16 KiB"),
    "hp": ("hp_c3323a", "--fold"),
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return [run(tmp_path_factory.mktemp(name), *arguments, "--workload", "web-server", "--limit", 200) for name, arguments in RUNS.items()]


def test_the_glossary_is_what_runs_report(runs):
    assert (GUIDE / "metrics.md").read_text() == glossary(runs)


def test_the_parameter_page_is_what_the_program_declares():
    assert (GUIDE / "parameters.md").read_text() == simulate("list", "parameters", "--markdown").stdout
