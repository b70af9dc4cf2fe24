"""What `check` calls valid runs, and what it proposes instead is valid."""

import json
import re

import pytest
from simulate import FLASH_LAYERS, LAYERS, run, simulate

RUN = ("--workload", "random-4k", "--limit", "5", "--fold")
LITTLE = ("--set", "dram.capacity=33 MiB", "--set", "firmware.write_cache.capacity=1 MiB")


@pytest.mark.parametrize("layer", LAYERS)
def test_the_capacity_that_is_proposed_for_a_dram_too_small_is_enough(tmp_path, layer):
    drive = ("bare", "--layer", layer, *LITTLE)
    checked = simulate("check", *drive, status=2).stderr
    assert simulate("run", *drive, *RUN, "--out", tmp_path, status=2).stderr == checked
    assert "(dram.capacity: --set dram.capacity=33 MiB" in checked
    proposed = int(re.search(r"a DRAM of (\d+) B would fit it and all the rest", checked)[1])
    enough = ("bare", "--layer", layer, *LITTLE, "--set", f"dram.capacity={proposed} B")
    assert "is valid" in simulate("check", *enough).stdout
    simulate("run", *enough, *RUN, "--out", tmp_path)
    simulate("check", "bare", "--layer", layer, *LITTLE, "--set", f"dram.capacity={proposed - 64} B", status=2)


@pytest.mark.parametrize("layer", ["shingled-in-place-1234", "shingled-in-place-14r23", "vguard", "media-cache", "host-aware"])
def test_bands_of_equal_tracks_are_refused_where_a_track_is_slipped_whole(layer):
    refused = simulate("check", "hp-c2247a", "--layer", layer, status=2).stderr
    assert re.search(rf"the layer {layer} has bands of equally long tracks, and the drive's track at surface \d+, radius \d+ holds no sector", refused)
    assert "--layer cmr" in refused
    simulate("check", "hp-c2247a", "--layer", "cmr")


@pytest.mark.parametrize("buffer", ["controller.staging_buffer", "host.buffer"])
def test_a_buffer_below_two_sectors_is_refused_and_two_will_do(tmp_path, buffer):
    for command in (("check", "demo"), ("run", "demo", *RUN, "--out", tmp_path)):
        refused = simulate(*command, "--layer", "shingled-in-place-1234", "--set", f"{buffer}=4096 B", status=2).stderr
        assert f"{buffer} is 4096 B; expected at least two sectors (media.sector_size), 8192 B" in refused
    trace = tmp_path / "unaligned.csv"
    trace.write_text("".join(f"{i},hm,0,Write,{i * 8192 + 512},4096,1\n" for i in range(300)))
    simulate("run", "demo", "--layer", "shingled-in-place-1234", "--set", f"{buffer}=8 KiB", "--trace", trace, "--check", "--out", tmp_path / "out")


def test_a_window_is_all_of_the_buffer_or_between_two_sectors_and_the_buffer():
    for size, status in (("0 B", 0), ("8191 B", 2), ("8 KiB", 0), ("64 KiB", 0), ("65537 B", 2)):
        result = simulate("check", "demo", "--set", "host.buffer=64 KiB", "--set", f"host.window={size}", status=status)
        assert status == 0 or "expected 0, or from two sectors (media.sector_size), 8192 B, up to host.buffer, 65536 B" in result.stderr


def test_a_refusal_of_two_parameters_names_the_line_of_each(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('extends = "bare"\n\n[nand]\npage_size = "6 KiB"\n')
    refused = simulate("check", file, "--layer", "mu-rmw", "--set", "media.sector_size=4 KiB", status=2).stderr
    assert f"nand.page_size: {file}:4" in refused and "media.sector_size: --set media.sector_size=4 KiB" in refused
    file.write_text('extends = "bare"\n[layers.shingled_in_place_1234]\nband_tracks = 5\n[layers.shingled_in_place_r4123]\nband_tracks = 3\n')
    refused = simulate("check", file, "--layer", "shingled-in-place-1234", "--set", "media.tracks=60", status=2).stderr
    assert "shingled_in_place_r4123" not in refused and "media.tracks: --set media.tracks=60" in refused


PAIRED = ("--set", "nand.paired_page=true")
UNPUBLISHED = ("tessera", "tessera-imr")
JOURNAL = ("hwsr", "sblock")  # layers whose flash keeps acknowledged data only where their journals are in it


@pytest.mark.parametrize("layer", FLASH_LAYERS)
def test_paired_pages_that_may_take_acknowledged_data_are_warned_of_and_noted(tmp_path, layer):
    section = f"layers.{layer.replace('-', '_')}"
    drive = ("demo", "--layer", layer, *PAIRED)
    durability = ("--set", f"{section}.durability=journal") if layer in JOURNAL else ()
    unsafe = (*durability, "--set", f"{section}.paired_pages=unsafe")

    def warned(*settings):
        warnings = re.findall(r"^warning: (.*)$", simulate("check", *drive, *settings).stdout, re.MULTILINE)
        checked = [warning for warning in warnings if "paired" in warning]
        simulate("run", *drive, *settings, *RUN, "--out", tmp_path)
        notes = json.loads((tmp_path / "summary.json").read_text())["run"]["notes"]
        assert [note for note in notes if "paired" in note] == checked
        return checked

    assert warned(*durability) == []
    in_vain = f"{section}.paired_pages: without effect, nand.paired_page is false"
    assert warned(*unsafe, "--set", "nand.paired_page=false") == [in_vain]
    (warning,) = warned(*unsafe)
    assert warning.startswith(f"{layer}: with nand.paired_page a power cut") and 'paired_pages = "lower_only"' in warning
    if layer in UNPUBLISHED:
        return
    # The published form of HWSR and of S-blocks promises what FLUSH has made durable, and keeps none of that in flash.
    in_place = () if layer in JOURNAL else ("--set", f"{section}.merge_buffer=0 B")
    as_published = warned("--set", f"{section}.paper=true", *in_place)
    assert as_published == [] if layer in JOURNAL else "paper = false" in as_published[0]


ALIGNED = "the drive's track and cylinder skew are without effect in"


def skew_notes(folder, *drive, status=0):
    """What `check` warns of and a run notes about skew, which is the same, and the run's result."""
    checked = re.findall(r"^warning: (.*skew.*)$", simulate("check", *drive).stdout, re.MULTILINE)
    result = run(folder, *drive, *RUN, "--check", status=status)
    assert [note for note in result.summary["run"]["notes"] if "skew" in note] == checked
    return checked, result


def test_a_skew_that_the_format_overrides_is_said_and_can_be_forced_to_show_its_damage(tmp_path):
    drive = ("demo", "--layer", "shingled-in-place-1234", "--set", "layers.shingled_in_place_1234.paper=true")
    said, aligned = skew_notes(tmp_path, *drive)
    assert len(said) == 1 and said[0].startswith(ALIGNED) and "media.force_skew=true" in said[0]
    # A track of 512 sectors, then 60 of skew, or a turn.
    assert "gets at most 50 % of the sectors that pass the head instead of 90 %" in said[0]
    assert aligned.metric("media.damaged_reads") == 0
    assert skew_notes(tmp_path, *drive[:3])[0] == skew_notes(tmp_path, "demo", "--layer", "cmr")[0] == []
    none = ("--set", "media.cylinder_skew=0")  # the skew to the next surface is of no concern: there is one
    assert skew_notes(tmp_path, *drive, *none)[0] == []


def test_a_forced_skew_destroys_what_the_layer_does_not_save(tmp_path):
    forced = ("--set", "media.force_skew=true")
    for layer, settings, words in (
        ("cmr", (), "without effect, the layer cmr has no region of aligned tracks"),
        ("imr-rmw", ("--set", "media.cylinder_skew=0"), "without effect, the drive declares no skew"),
    ):
        ((note,), _) = skew_notes(tmp_path, "demo", "--layer", layer, *forced, *settings)
        assert note == f"media.force_skew: {words}"
    writes = ("--workload", "hot-tracks-clustered", "--fold", "--limit", 3000, "--replay", "closed:8", "--prefill", 100, "--check")
    kept = run(tmp_path, "demo", "--layer", "imr-rmw", *writes)
    assert kept.metric("media.damaged_reads") == 0
    lost = run(tmp_path, "demo", "--layer", "imr-rmw", *writes, *forced, status=3)
    assert any(note.startswith("media.force_skew: the tracks of 'data_outer', ") for note in lost.summary["run"]["notes"])
    assert lost.metric("media.damaged_reads") > 0
    assert lost.metric("scoreboard.errors") > kept.metric("scoreboard.errors") == 0


def test_overheads_of_hits_that_no_cache_can_have_are_said():
    none = ("--set", "firmware.write_cache.capacity=0 B", "--set", "firmware.read_cache.segments=0")
    reads = ("--set", "firmware.overheads.read_hit_after_read=1 ms")
    said = "firmware.overheads.read_hit_after_read: without effect, the drive has no cache that a read could hit"
    assert said in simulate("check", "hp-c3323a", *none, *reads).stdout
    assert "firmware.overheads" not in simulate("check", "hp-c3323a", *reads).stdout
    writes = ("--set", "firmware.overheads.write_hit_after_read=1 ms")
    assert "write_hit_after_read: without effect, the drive has no write cache" in simulate("check", "hp-c3323a", *writes).stdout
    assert "firmware.overheads" not in simulate("check", "bare", "--layer", "tessera", *reads, *writes).stdout  # it has a buffer of its own
    assert "firmware.overheads" not in simulate("check", "cheetah-9lp").stdout


def test_parameters_of_a_processor_that_no_image_runs_on_are_said():
    settings = ("--set", "processor.misprediction=9", "--set", "processor.data_cache.size=16 KiB")
    said = "warning: processor.misprediction, processor.data_cache.size: without effect, no firmware image (--elf) runs"
    assert said in simulate("check", "demo", *settings).stdout
    assert "processor." not in simulate("check", "demo").stdout


def test_a_key_that_other_sections_have_is_sent_to_the_one_most_like_its_own():
    refused = simulate("check", "demo", "--set", "firmware.read_cache.capacity=1 MiB", status=2).stderr
    assert "did you mean 'firmware.flash_cache.capacity'?" in refused or "did you mean 'firmware.write_cache.capacity'?" in refused


def test_a_trace_is_read_too_with_what_it_is_taken_for_and_whether_it_fits(tmp_path):
    trace = tmp_path / "t.csv"
    trace.write_text("10,hm,0,Write,4096,4096,1\n20,hm,0,Read,9000000000000,512,1\n")
    lines = simulate("check", "demo", "--trace", trace).stdout.splitlines()
    assert f"{trace}: 2 requests, read as msr (rate 1,000,000/s)" in lines
    assert lines[-1].startswith("warning: 1 request ends past the drive's capacity of ")
    trace.write_text("10,hm,0,Write,4096,0,1\n")
    assert f"{trace}:1: the size is 0" in simulate("check", "demo", "--trace", trace, status=2).stderr
