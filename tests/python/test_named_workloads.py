"""Workloads that are called what people call them: each says what it assumes, and a drive serves it."""

import re

import pytest
from samples import REPOSITORY

import tessera

NAMES = ("mail", "file-server", "oltp", "analytics", "vdi", "vdi-boot", "backup", "video-recording", "object-store", "archive")
FILES = REPOSITORY / "stimuli" / "workloads"

pytestmark = pytest.mark.usefixtures("the_built_simulator")


@pytest.mark.parametrize("name", NAMES)
def test_a_named_workload_says_what_it_assumes_and_a_drive_keeps_up(name, tmp_path):
    text = (FILES / f"{name}.toml").read_text(encoding="utf-8")
    assert "assumption" in re.search(r'^limits = "(.*)"', text, re.MULTILINE)[1]
    run = tessera.run("demo", layer="cmr", workload=FILES / f"{name}.toml", limit=400, out=tmp_path)
    assert run.metric("host.served") == 400 and not run.summary["run"]["unstable"]


def test_the_page_lists_them():
    page = (REPOSITORY / "docs" / "guide" / "workloads.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"\n| `{name}` |" not in page] == []
