"""What `check` calls valid runs, and what it proposes instead is valid."""

import json
import re

import pytest
from simulate import FLASH_LAYERS, LAYERS, simulate

RUN = ("--workload", "random-4k", "--limit", "5", "--fold")
LITTLE = ("--set", "dram.capacity=34 MiB", "--set", "firmware.write_cache.capacity=2 MiB")


@pytest.mark.parametrize("layer", LAYERS)
def test_the_capacity_that_is_proposed_for_a_dram_too_small_is_enough(tmp_path, layer):
    drive = ("common", "--layer", layer, *LITTLE)
    checked = simulate("check", *drive, status=2).stderr
    assert simulate("run", *drive, *RUN, "--out", tmp_path, status=2).stderr == checked
    assert "(dram.capacity: --set dram.capacity=34 MiB" in checked
    proposed = int(re.search(r"a DRAM of (\d+) B would fit it and all the rest", checked)[1])
    enough = ("common", "--layer", layer, *LITTLE, "--set", f"dram.capacity={proposed} B")
    assert "is valid" in simulate("check", *enough).stdout
    simulate("run", *enough, *RUN, "--out", tmp_path)
    simulate("check", "common", "--layer", layer, *LITTLE, "--set", f"dram.capacity={proposed - 64} B", status=2)


@pytest.mark.parametrize("buffer", ["controller.staging_buffer", "host.buffer"])
def test_a_buffer_below_two_sectors_is_refused_and_two_will_do(tmp_path, buffer):
    for command in (("check", "demo"), ("run", "demo", *RUN, "--out", tmp_path)):
        refused = simulate(*command, "--layer", "static-1234", "--set", f"{buffer}=4096 B", status=2).stderr
        assert f"{buffer} is 4096 B; expected at least two sectors (media.sector_size), 8192 B" in refused
    trace = tmp_path / "unaligned.csv"
    trace.write_text("".join(f"{i},hm,0,Write,{i * 8192 + 512},4096,1\n" for i in range(300)))
    simulate("run", "demo", "--layer", "static-1234", "--set", f"{buffer}=8 KiB", "--trace", trace, "--check", "--out", tmp_path / "out")


def test_a_refusal_of_two_parameters_names_the_line_of_each(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('extends = "common"\n\n[nand]\npage_size = "8 KiB"\n')
    refused = simulate("check", file, "--layer", "mu-rmw", "--set", "media.sector_size=4 KiB", status=2).stderr
    assert f"nand.page_size: {file}:4" in refused and "media.sector_size: --set media.sector_size=4 KiB" in refused
    file.write_text('extends = "common"\n[layers.static_1234]\nband_tracks = 5\n[layers.static_r4123]\nband_tracks = 3\n')
    refused = simulate("check", file, "--layer", "static-1234", "--set", "media.tracks=60", status=2).stderr
    assert "static_r4123" not in refused and "media.tracks: --set media.tracks=60" in refused


PAIRED = ("--set", "nand.paired_page=true")
JOURNAL = ("hwsr", "sblock")  # layers whose flash keeps acknowledged data only where their journals are in it


@pytest.mark.parametrize("layer", FLASH_LAYERS)
def test_paired_pages_that_may_take_acknowledged_data_are_warned_of_and_noted(tmp_path, layer):
    section = f"layers.{layer.replace('-', '_')}"
    drive = ("demo", "--layer", layer, *PAIRED)
    durability = ("--set", f"{section}.durability=journal") if layer in JOURNAL else ()
    unsafe = (*durability, "--set", f"{section}.paired_pages=unsafe")

    def warned(*settings):
        checked = re.findall(r"^warning: (.*)$", simulate("check", *drive, *settings).stdout, re.MULTILINE)
        simulate("run", *drive, *settings, *RUN, "--out", tmp_path)
        notes = json.loads((tmp_path / "summary.json").read_text())["run"]["notes"]
        assert [note for note in notes if "paired" in note] == checked
        return checked

    assert warned(*durability) == []
    assert warned(*unsafe, "--set", "nand.paired_page=false") == []
    (warning,) = warned(*unsafe)
    assert warning.startswith(f"{layer}: with nand.paired_page a power cut") and 'paired_pages = "lower_only"' in warning
    # The published form of HWSR and of S-blocks promises what FLUSH has made durable, and keeps none of that in flash.
    in_place = () if layer in JOURNAL else ("--set", f"{section}.merge_buffer=0 B")
    as_published = warned("--set", f"{section}.paper=true", *in_place)
    assert as_published == [] if layer in JOURNAL else "paper = false" in as_published[0]
